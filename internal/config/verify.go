package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/fixsql"
	"github.com/dibrain/dibrain/services/logify"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/text2sql"
)

// problems collects what is wrong, so that all of it is told at once.
type problems []error

func (p *problems) add(err error) {
	if err != nil {
		*p = append(*p, err)
	}
}

func (p *problems) addf(key, format string, args ...any) {
	p.add(fault.Invalid(key, "CONFIG_INVALID", key+" "+format, args...))
}

// err returns one fault for all problems.
func (p problems) err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		var own *fault.Error
		if errors.As(p[0], &own) && own.Error() == p[0].Error() { // what wraps it may name the key
			return own
		}
	}
	lines := make([]string, len(p))
	for i, e := range p {
		lines[i] = e.Error()
	}
	return fault.New(codes.InvalidArgument, "CONFIG_INVALID",
		"The configuration is not valid:\n  - "+strings.Join(lines, "\n  - ")).Because(errors.Join(p...))
}

// Peer is a service that a process calls and does not hold itself.
type Peer struct {
	Service string // as in the configuration, such as "findata"
	Address string
}

// Peer returns where a service is reached.
func (c Config) Peer(service string) Peer {
	address := map[string]string{
		"router": c.Router.Address, "findata": c.FindData.Address, "text2sql": c.Text2SQL.Address,
		"fixsql": c.FixSQL.Address, "chatbi": c.ChatBI.Address, "knowledge": c.Knowledge.Address, "logify": c.Logify.Address, "analysis": c.Analysis.Address,
	}[service]
	return Peer{Service: service, Address: address}
}

// Verify checks the values against each other for a process that calls peers.
// It opens nothing.
func (c Config) Verify(ctx context.Context, peers []Peer) error {
	var p problems
	c.verifyValues(&p)
	c.verifyProcess(ctx, &p)
	c.verifyAuth(ctx, &p, peers)
	c.verifyLimits(&p)
	c.verifyModel(&p)
	c.verifyStore(&p)
	c.verifyResults(&p)
	for _, peer := range peers {
		if peer.Address == "" {
			p.addf(peer.Service+".address", "is missing: this target calls %s, which runs in another process.", peer.Service)
		}
	}
	return p.err()
}

func (c Config) verifyProcess(ctx context.Context, p *problems) {
	if c.DataDir == "" {
		p.addf("data_dir", "is empty and there is no home directory to derive it from: set --data-dir or DIBRAIN_DATA_DIR.")
	}
	switch {
	case c.Replicas < 1:
		p.addf("replicas", "is %d: set it to 1 or more.", c.Replicas)
	case c.Replicas > 1 && c.Store.Kind != StorePostgres:
		p.addf("replicas", "is %d, and the embedded stores serve one process. Set it to 1, or store.kind to postgres for targets that keep nothing in files.", c.Replicas)
	}
	verifyAddress(p, "listen", c.Listen)
	if c.Admin.Listen != "" {
		verifyAddress(p, "admin.listen", c.Admin.Listen)
		if _, port, _ := net.SplitHostPort(c.Admin.Listen); c.Admin.Listen == c.Listen && port != "0" {
			p.addf("admin.listen", "and listen are both %s: choose two ports.", c.Listen)
		}
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		p.addf("tls.cert_file", "and tls.key_file go together: set both or none.")
	}
	if c.TLS.ClientCAFile != "" && c.TLS.CertFile == "" {
		p.addf("tls.client_ca_file", "needs tls.cert_file and tls.key_file.")
	}
}

func (c Config) verifyAuth(ctx context.Context, p *problems, peers []Peer) {
	mode, err := auth.ParseMode(c.Auth.Mode)
	switch {
	case err != nil: // verifyValues has told
	case !isAddress(c.Listen): // verifyProcess has told
	case mode == auth.ModeOIDC:
		if _, err := auth.OpenOIDC(c.Auth.OIDC.Edge(nil), nil); err != nil {
			p.addf("auth.oidc", "cannot be used: %v.", err)
		}
	case mode == auth.ModeLocal:
		p.add(auth.CheckListen(ctx, mode, c.Listen, "listen"))
	}
	if err == nil && mode != auth.ModeLocal && isAddress(c.Listen) {
		p.add(auth.CheckPlaintext(ctx, c.Listen, "listen", c.TLS.CertFile != "", c.Auth.InsecurePlaintext))
	}
	if c.Auth.HopKey != "" && c.Auth.HopKeyFile != "" {
		p.addf("auth.hop_key", "and auth.hop_key_file are both set: choose one.")
	}
	if c.Auth.HopKeysFile != "" && (c.Auth.HopKey != "" || c.Auth.HopKeyFile != "") {
		p.addf("auth.hop_keys_file", "stands instead of auth.hop_key and auth.hop_key_file: set one of them.")
	}
	if n := len(c.Auth.HopKey); n > 0 && n < auth.MinKeyBytes {
		p.addf("auth.hop_key", "has %d characters and needs at least %d: make one with `openssl rand -hex 32`.", n, auth.MinKeyBytes)
	}
	if c.Auth.HopKey == "" && c.Auth.HopKeyFile == "" && c.Auth.HopKeysFile == "" {
		for _, peer := range peers {
			if peer.Address != "" && !auth.IsLoopback(ctx, trimScheme(peer.Address)) {
				p.addf("auth.hop_key_file", "is missing: %s runs at %s, on another machine, and has to know this process's key.", peer.Service, peer.Address)
				break
			}
		}
	}
}

func (c Config) verifyStore(p *problems) {
	switch s := c.Store; {
	case s.DSN != "" && s.DSNFile != "":
		p.addf("store.dsn", "and store.dsn_file are both set: choose one.")
	case s.Kind == StorePostgres && s.DSN == "" && s.DSNFile == "":
		p.addf("store.dsn_file", "is missing: store.kind postgres needs it, or DIBRAIN_STORE_DSN in the environment.")
	case s.Kind == StoreSQLite && (s.DSN != "" || s.DSNFile != ""):
		p.addf("store.kind", "is sqlite, and store.dsn or store.dsn_file names a database: set it to postgres, or leave them out.")
	}
}

// verifyResults holds the keys of results against each other.
func (c Config) verifyResults(p *problems) {
	r, s3 := c.Results, c.Results.S3
	if r.Kind == ResultsDirectory {
		if r.Shared && c.Store.Kind != StorePostgres {
			p.addf("results.shared", "is true, and store.kind is %s: the index of results is then in a file of one machine. Set store.kind to postgres.", c.Store.Kind)
		}
		if r.Shared && r.Directory == "" {
			p.addf("results.directory", "is missing: results.shared says that all processes reach it.")
		}
		return
	}
	if c.Store.Kind != StorePostgres {
		p.addf("results.kind", "is s3, and store.kind is %s: the index of results in object storage is in PostgreSQL. Set store.kind to postgres, or results.kind to directory.", c.Store.Kind)
	}
	if r.Directory != "" || r.Shared {
		p.addf("results.directory", "and results.shared are of results.kind directory: leave them out.")
	}
	if s3.Endpoint == "" {
		p.addf("results.s3.endpoint", "is missing: results.kind s3 needs the address of the server.")
	}
	if s3.Bucket == "" {
		p.addf("results.s3.bucket", "is missing: results.kind s3 needs a bucket that is there.")
	}
	for _, pair := range []struct {
		key       string
		own, file bool
	}{
		{"results.s3.access_key_id", s3.AccessKeyID != "", s3.AccessKeyIDFile != ""},
		{"results.s3.secret_access_key", s3.SecretAccessKey != "", s3.SecretAccessKeyFile != ""},
	} {
		switch {
		case pair.own && pair.file:
			p.addf(pair.key, "and %s_file are both set: choose one.", pair.key)
		case !pair.own && !pair.file:
			p.addf(pair.key+"_file", "is missing: results.kind s3 needs it, or %s in the environment.", EnvName(pair.key))
		}
	}
	if s3.KMSKey != "" && s3.Encryption != objects.EncryptKMS {
		p.addf("results.s3.kms_key", "is for results.s3.encryption %s.", objects.EncryptKMS)
	}
	if s3.Encryption == objects.EncryptKMS && s3.KMSKey == "" {
		p.addf("results.s3.kms_key", "is missing: results.s3.encryption %s needs the id of a key.", objects.EncryptKMS)
	}
	if s3.AnswerTimeout > s3.Timeout {
		p.addf("results.s3.answer_timeout", "is above results.s3.timeout: it has to be at most that.")
	}
}

func (c Config) verifyModel(p *problems) {
	if c.LLM.APIKey != "" && c.LLM.APIKeyFile != "" {
		p.addf("llm.api_key", "and llm.api_key_file are both set: choose one.")
	}
	if c.FindData.Config.Strategy == findata.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("findata.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
	if c.Text2SQL.Config.Strategy == text2sql.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("text2sql.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
	if c.Logify.Config.Strategy == logify.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("logify.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
	if c.ChatBI.Config.Strategy == chatbi.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("chatbi.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
	if c.FixSQL.Config.Strategy == fixsql.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("fixsql.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
	if c.Router.Config.Strategy == router.StrategyLLM && !c.LLM.Config.Enabled() {
		p.addf("router.strategy", "is llm and no model is configured: set llm.base_url and llm.model, or strategy rules.")
	}
}

func (c Config) verifyLimits(p *problems) {
	const mebibyte = 1 << 20
	l, cl := c.Limits, c.Client
	for _, limit := range []struct {
		key             string
		value, min, max int
	}{
		{"limits.max_request_bytes", l.MaxRequestBytes, mebibyte, 256 * mebibyte},
		{"limits.max_response_bytes", l.MaxResponseBytes, mebibyte, 256 * mebibyte},
		{"limits.max_streams", l.MaxStreams, 1, 1_000_000},
		{"limits.request_burst", l.RequestBurst, 1, 1_000_000},
		{"limits.max_principals", l.MaxPrincipals, 1, 10_000_000},
		{"auth.max_tokens", c.Auth.MaxTokens, 1, 10_000}, {"auth.failed_sign_ins", c.Auth.FailedSignIns, 0, 1_000_000},
		{"store.max_connections", c.Store.MaxConnections, 2, 10_000},
		{"store.failures", c.Store.Failures, 1, 10_000},
		{"client.retry_attempts", cl.RetryAttempts, 1, 5},
	} {
		if limit.value < limit.min || limit.value > limit.max {
			p.addf(limit.key, "is %d: it has to be between %d and %d.", limit.value, limit.min, limit.max)
		}
	}
	for _, limit := range []struct {
		key             string
		value, min, max time.Duration
	}{
		{"limits.max_deadline", l.MaxDeadline, time.Second, 24 * time.Hour},
		{"limits.drain_timeout", l.DrainTimeout, time.Millisecond, time.Hour},
		{"limits.drain_delay", l.DrainDelay, 0, 10 * time.Minute},
		{"auth.oidc.skew", c.Auth.OIDC.Skew, time.Millisecond, 10 * time.Minute}, {"auth.oidc.timeout", c.Auth.OIDC.Timeout, 10 * time.Millisecond, time.Minute},
		{"limits.connection_age", l.ConnectionAge, time.Second, 24 * time.Hour},
		{"auth.failed_sign_in_every", c.Auth.FailedSignInEvery, time.Millisecond, time.Hour},
		{"auth.token_grace", c.Auth.TokenGrace, time.Second, 24 * time.Hour},
		{"store.connect_timeout", c.Store.ConnectTimeout, 10 * time.Millisecond, 10 * time.Minute},
		{"store.timeout", c.Store.Timeout, 10 * time.Millisecond, 10 * time.Minute},
		{"store.grace", c.Store.Grace, 100 * time.Millisecond, time.Hour},
		{"store.probe_after", c.Store.ProbeAfter, 10 * time.Millisecond, 10 * time.Minute},
		{"client.ready_timeout", cl.ReadyTimeout, time.Millisecond, 10 * time.Minute},
		{"client.max_backoff", cl.MaxBackoff, 10 * time.Millisecond, 2 * time.Minute},
		{"client.call_timeout", cl.CallTimeout, time.Millisecond, 24 * time.Hour},
	} {
		if limit.value < limit.min || limit.value > limit.max {
			p.addf(limit.key, "is %s: it has to be between %s and %s.", duration(limit.value), duration(limit.min), duration(limit.max))
		}
	}
	if l.RequestsPerSecond < 0 {
		p.addf("limits.requests_per_second", "is %v: use 0 for no limit.", l.RequestsPerSecond)
	}
	for _, zone := range []struct{ key, name string }{
		{"router.time_zone", c.Router.Config.TimeZone}, {"policy.time_zone", c.Policy.TimeZone},
	} {
		if _, err := time.LoadLocation(zone.name); err != nil {
			p.addf(zone.key, "is %q: use an IANA name such as Asia/Singapore.", zone.name)
		}
	}
}

func verifyAddress(p *problems, key, address string) {
	if !isAddress(address) {
		p.addf(key, "is %q: use \"host:port\", such as 127.0.0.1:7070.", address)
	}
}

func isAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && isPort(port, 0)
}

func trimScheme(target string) string {
	if _, rest, ok := strings.Cut(target, ":///"); ok {
		return rest
	}
	return target
}

// String says what the peer is.
func (p Peer) String() string { return fmt.Sprintf("%s at %s", p.Service, p.Address) }
