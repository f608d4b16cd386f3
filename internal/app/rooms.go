package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/deliver"
	"github.com/dibrain/dibrain/services/knowledge"
)

// startIdentity finds out how callers are known.
func startIdentity(ctx context.Context, a *App) (err error) {
	cfg := a.config
	if a.headless { // all services are in the process, and no other process is spoken to
		cfg.Auth.HopKeysFile = ""
	}
	if a.hops, err = hopKeys(cfg, a.targets, a.options); err != nil {
		return misconfigured(err)
	}
	// A process without a port serves its own user, whatever the mode.
	switch mode := auth.Mode(a.config.Auth.Mode); {
	case a.headless, mode == auth.ModeLocal:
		a.edge, err = auth.LocalUser()
		return err
	case mode == auth.ModeServices:
		return nil // nobody from outside is let in
	}
	tokens, err := a.tokens(ctx)
	if err != nil {
		return err
	}
	a.edge = tokens
	if auth.Mode(a.config.Auth.Mode) != auth.ModeOIDC {
		return nil
	}
	signIn, err := auth.OpenOIDC(a.config.Auth.OIDC.Edge(a.options.Clock), tokens)
	if err != nil {
		return misconfigured(err)
	}
	a.edge = signIn
	a.ready.add("identity", func(ctx context.Context) error { return rpc.Degraded(signIn.State(ctx)) })
	return nil
}

// tokens returns the edge of API tokens: of the store, and of a file where there is one.
func (a *App) tokens(ctx context.Context) (auth.AnyTokens, error) {
	o := auth.TokenOptions{Grace: a.config.Auth.TokenGrace, Clock: a.options.Clock, Logger: a.options.Logger}
	store, err := OpenTokens(ctx, a.config, a.options)
	if err != nil {
		return nil, err
	}
	a.closers.add("store of tokens", store.Close)
	all := auth.AnyTokens{auth.OpenTokens(store, o)}
	a.watchTokens("token-store", all[0])
	if a.config.Auth.TokenFile != "" {
		file, err := auth.OpenTokenFile(a.config.Auth.TokenFile, o)
		if err != nil {
			return nil, misconfigured(err)
		}
		a.watchTokens("tokens", file)
		all = append(all, file)
	}
	return all, nil
}

// OpenTokens opens the store of API tokens.
func OpenTokens(ctx context.Context, cfg config.Config, o Options) (tokenstore.Store, error) {
	if cfg.Store.Kind != config.StorePostgres {
		return tokenstore.OpenSQLite(cfg.DataDir), nil
	}
	c := databaseOf(cfg.Store, o.complete())
	c.MaxConnections = tokenConnections
	return tokenstore.OpenPostgres(ctx, c)
}

// tokenConnections is how many connections to the database a process has for API tokens: it
// asks once in some seconds.
const tokenConnections = 2

// watchTokens lets readiness and metrics tell of tokens whose file or store cannot be read
// again: at first as a part that is degraded, after the grace as one that is not
// ready.
func (a *App) watchTokens(name string, tokens *auth.Tokens) {
	a.ready.add(name, func(ctx context.Context) error {
		lasts, closed, problem := tokens.State()
		if name == "tokens" {
			a.meter.TokenFileUnreadable(ctx, lasts)
		}
		switch grace := a.config.Auth.TokenGrace; {
		case problem == nil:
			return nil
		case closed:
			return fmt.Errorf("nobody is let in, since %w", problem)
		default:
			return rpc.Degraded(fmt.Errorf("the earlier tokens stay valid for another %s: %w", (grace - lasts).Round(time.Second), problem))
		}
	})
}

// HopKey returns the hop key of a configuration. Where there is none, one is made in
// the data directory.
func HopKey(c config.Config, o Options) (*auth.HopKey, error) {
	o = o.complete()
	key, err := configuredKey(c.Auth, o.Clock)
	if key != nil || err != nil {
		return key, err
	}
	secret, err := auth.EnsureKey(c.DataDir, o.Random)
	if err != nil {
		return nil, err
	}
	return auth.NewHopKey(secret, o.Clock)
}

// hopKeys returns the hop key of a process, which holds what its targets need.
func hopKeys(c config.Config, targets []string, o Options) (*auth.HopKey, error) {
	key, err := HopKey(c, o)
	if err != nil {
		return nil, err
	}
	return key, checkAudiences(key, targets)
}

// checkAudiences tells of a missing key at the start, not at the first call.
func checkAudiences(key *auth.HopKey, targets []string) error {
	audiences, err := HopAudiences(targets)
	if err != nil {
		return err
	}
	for _, name := range audiences {
		if _, err := key.Audience(name); err != nil {
			return err
		}
	}
	return nil
}

// configuredKey returns the hop key that the configuration gives, nil when it
// leaves that to the data directory.
func configuredKey(c config.Auth, clock func() time.Time) (*auth.HopKey, error) {
	secret := []byte(c.HopKey.Reveal())
	switch {
	case c.HopKeysFile != "":
		keys, err := auth.ReadKeys(c.HopKeysFile)
		if err != nil {
			return nil, err
		}
		return auth.NewHopKeyOf(keys, clock)
	case c.HopKeyFile != "":
		var err error
		if secret, err = auth.ReadKey(c.HopKeyFile); err != nil {
			return nil, err
		}
	case c.HopKey == "":
		return nil, nil
	}
	return auth.NewHopKey(secret, clock)
}

// verifyStoredKey reads the key that is in the data directory already; it makes none.
func verifyStoredKey(dataDir string) error {
	if _, err := os.Stat(filepath.Join(dataDir, auth.KeyFileName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	key, err := auth.EnsureKey(dataDir, nil)
	if err != nil {
		return err
	}
	_, err = auth.NewHopKey(key, nil)
	return err
}

// verifyFiles reads the files that the configuration names.
func verifyFiles(c config.Config, targets []string) error {
	var errs []error
	if key, err := configuredKey(c.Auth, nil); err != nil {
		errs = append(errs, err)
	} else if key != nil {
		errs = append(errs, checkAudiences(key, targets))
	} else {
		errs = append(errs, verifyStoredKey(c.DataDir))
	}
	if c.Auth.TokenFile != "" {
		_, err := auth.OpenTokenFile(c.Auth.TokenFile, auth.TokenOptions{})
		errs = append(errs, err)
	}
	if c.Policy.File != "" {
		_, err := policy.Open(c.Policy.File, nil, nil)
		errs = append(errs, err)
	}
	if c.Store.DSNFile != "" {
		_, err := storeDSN(c.Store)()
		errs = append(errs, err)
	}
	if c.Results.Kind == config.ResultsS3 {
		_, err := ResultFiles(c, nil, nil)
		_, _, keys := resultKeys(c.Results.S3)()
		errs = append(errs, err, keys)
	}
	if c.LLM.APIKeyFile != "" {
		_, err := modelKey(c.LLM)()
		errs = append(errs, err)
	}
	if file := c.Router.Config.AgentsFile; file != "" {
		_, err := readAgents(file)
		errs = append(errs, err)
	}
	if file := c.Analysis.Config.WatchTargetsFile; file != "" {
		_, err := deliver.Open(file, c.Analysis.Config.WatchTimeout, time.Now, slog.Default())
		errs = append(errs, err)
	}
	if file := c.Analysis.Config.AgentsFile; file != "" {
		_, err := agent.Open(file)
		errs = append(errs, err)
	}
	if file := c.Knowledge.Config.CollectionsFile; file != "" {
		_, err := knowledge.ReadSettings(file)
		errs = append(errs, err)
	}
	files := rpc.TLSFiles{CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile, CAFile: c.TLS.ClientCAFile}
	_, err := files.Server()
	errs = append(errs, err)
	files.CAFile = c.TLS.CAFile
	_, err = files.Client(c.TLS.ServerName)
	return misconfigured(errors.Join(append(errs, err)...))
}

// misconfigured makes a fault of an error that was written for operators, so
// that the command line shows it and ends with the code for bad input.
func misconfigured(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(codes.FailedPrecondition, "CONFIG_INVALID", err.Error()).Because(err)
}

// startSources opens what the services read: the sources, and the policy that says
// who may read what of them.
func startSources(_ context.Context, a *App) (err error) {
	if file := a.config.Policy.File; file != "" {
		zone, err := time.LoadLocation(a.config.Policy.TimeZone)
		if err != nil {
			return misconfigured(fmt.Errorf("policy.time_zone is %q: use an IANA name such as Asia/Singapore", a.config.Policy.TimeZone))
		}
		if a.policy, err = policy.Open(file, a.options.Clock, a.options.Logger, policy.InZone(zone)); err != nil {
			return misconfigured(err)
		}
	}
	a.sources, err = source.Open(a.config.DataDir, source.WithClock(a.options.Clock))
	return err
}

// demoEvery is how often a server looks whether a new day needs a new demo
// warehouse.
const demoEvery = 10 * time.Minute

// startDemo keeps the demo warehouse at today's date while the process serves,
// when it is what is asked by default.
func startDemo(_ context.Context, a *App) error {
	if a.config.Source != demo.Name || a.headless {
		return nil
	}
	a.preparations = append(a.preparations, func(ctx context.Context) {
		if _, err := a.sources.Current(demo.Name); fault.ReasonOf(err) != source.ReasonUnknown {
			return // yesterday's answers while today's is made
		}
		a.options.Logger.Info("making the demo warehouse; this happens once")
		if err := a.EnsureDemo(ctx, nil); err != nil && ctx.Err() == nil {
			a.options.Logger.Error("the demo warehouse could not be made", "error", err)
		}
	})
	a.tasks = append(a.tasks, func(ctx context.Context) {
		tick := time.NewTicker(demoEvery)
		defer tick.Stop()
		for {
			if err := a.EnsureDemo(ctx, nil); err != nil && ctx.Err() == nil {
				a.options.Logger.Error("the demo warehouse could not be made", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return nil
}

// EnsureDemo makes the demo warehouse where there is none of today.
func (a *App) EnsureDemo(ctx context.Context, progress demo.Progress) error {
	zone, err := time.LoadLocation(a.config.Router.Config.TimeZone)
	if err != nil {
		return fmt.Errorf("router.time_zone: %w", err)
	}
	_, err = demo.Ensure(ctx, a.sources, demo.Config{Today: a.options.Clock().In(zone)}, progress)
	return err
}

// startInProcess opens the server through which the services of this process
// call each other: the same chain as on the port, without a port.
func startInProcess(_ context.Context, a *App) (err error) {
	gate := auth.Gate{Hops: a.hops, Audiences: a.targetNames()}
	if a.headless {
		gate.Edge = a.edge
	}
	if a.inner, err = a.newServer(rpc.ServerDeps{Gate: gate, Metrics: a.meter}); err != nil {
		return err
	}
	a.pipe = rpc.NewPipe()
	a.serving = append(a.serving, func() error { return a.inner.Serve(a.pipe) })
	a.closers.add("in-process listener", a.pipe.Close)
	return nil
}

// startListener opens the port.
func startListener(ctx context.Context, a *App) error {
	if a.headless {
		return nil
	}
	serverTLS, err := a.tlsFiles().Server()
	if err != nil {
		return misconfigured(err)
	}
	l, err := rpc.Listen(ctx, a.config.Listen, "--listen")
	if err != nil {
		return err
	}
	a.closers.add("gRPC listener", ignoreClosed(l.Close))
	if err := auth.CheckListen(ctx, auth.Mode(a.config.Auth.Mode), l.Addr().String(), "listen"); err != nil {
		return err
	}
	if err := auth.CheckPlaintext(ctx, l.Addr().String(), "listen", serverTLS != nil, a.config.Auth.InsecurePlaintext); err != nil {
		return err
	}
	limiter, signIns := auth.NewLimiter(rates(a.config), a.options.Clock), auth.NewSignIns(failedSignIns(a.config), a.options.Clock)
	a.reload.rates = func(c config.Config) {
		limiter.Set(rates(c))
		signIns.Set(failedSignIns(c))
	}
	a.outer, err = a.newServer(rpc.ServerDeps{
		Gate:    auth.Gate{Hops: a.hops, Audiences: outsideCallers(a.planned), Edge: a.edge},
		Limiter: limiter, SignIns: signIns, Metrics: a.meter, TLS: serverTLS, Audit: a.auditLog,
	})
	if err != nil {
		return err
	}
	a.opened = append(a.opened, Address{What: "gRPC", Addr: l.Addr()})
	a.serving = append(a.serving, func() error { return a.outer.Serve(l) })
	return nil
}

// rates are the limits of calls of one principal.
func rates(c config.Config) auth.LimitConfig {
	return auth.LimitConfig{PerSecond: c.Limits.RequestsPerSecond, Burst: c.Limits.RequestBurst, MaxPrincipals: c.Limits.MaxPrincipals}
}

// failedSignIns are the limits of failed sign-ins from one address.
func failedSignIns(c config.Config) auth.SignInConfig {
	return auth.SignInConfig{Failures: c.Auth.FailedSignIns, Every: c.Auth.FailedSignInEvery, MaxAddresses: c.Limits.MaxPrincipals}
}

// newServer fills in what all servers of the process share.
func (a *App) newServer(deps rpc.ServerDeps) (*rpc.Server, error) {
	deps.Logger, deps.Tracker, deps.Validator, deps.Roles = a.options.Logger, a.tracker, a.validator, roles
	// Also between the services of the process, which tell errors on to the caller.
	deps.CallersOperate = a.headless || auth.Mode(a.config.Auth.Mode) == auth.ModeLocal
	deps.Held = !a.headless
	deps.Tracing = a.tracing.ByService(auth.Audience)
	l := a.config.Limits
	return rpc.NewServer(rpc.ServerConfig{
		MaxRequestBytes: l.MaxRequestBytes, MaxResponseBytes: l.MaxResponseBytes, MaxStreams: uint32(l.MaxStreams),
		MaxDeadline: l.MaxDeadline, DrainTimeout: l.DrainTimeout, ConnectionAge: l.ConnectionAge,
	}, deps)
}

// register puts a service on every server of the process.
func (a *App) register(add func(grpc.ServiceRegistrar)) {
	add(a.inner)
	if a.outer != nil {
		add(a.outer)
	}
}

// conn returns the connection to a service: through the pipe when it lives in
// this process, else to its configured address.
func (a *App) conn(service string) (*grpc.ClientConn, error) {
	if a.has(service) {
		return a.dial(rpc.PipeTarget, rpc.ClientDeps{Hops: a.hops, SignInsFor: signInsFor()})
	}
	return a.dial(dialTarget(a.config.Peer(service).Address), rpc.ClientDeps{Hops: a.hops, SignInsFor: signInsFor()})
}

// dial returns the connection to a target, the one that is there already where it
// can: one that signs who asks and one that does not are kept apart.
func (a *App) dial(target string, deps rpc.ClientDeps) (*grpc.ClientConn, error) {
	key := target
	if deps.Hops == nil {
		key = "outside " + target
	}
	if c, ok := a.conns[key]; ok {
		return c, nil
	}
	deps.Tracing = a.tracing.Inherited("dibrain")
	if target == rpc.PipeTarget {
		deps.Options = append(deps.Options, a.pipe.Dialer())
	} else if files := a.tlsFiles(); a.config.TLS.CAFile != "" || a.config.TLS.CertFile != "" {
		files.CAFile = a.config.TLS.CAFile
		var err error
		if deps.TLS, err = files.Client(a.config.TLS.ServerName); err != nil {
			return nil, misconfigured(err)
		}
	}
	c, err := rpc.Dial(target, a.clientConfig(), deps)
	if err != nil {
		return nil, err
	}
	a.conns[key] = c
	a.closers.add("connection to "+target, c.Close)
	return c, nil
}

func (a *App) clientConfig() rpc.ClientConfig {
	c := a.config.Client
	return rpc.ClientConfig{
		ReadyTimeout: c.ReadyTimeout, MaxBackoff: c.MaxBackoff, CallTimeout: c.CallTimeout, RetryAttempts: c.RetryAttempts,
		MaxResponseBytes: a.config.Limits.MaxResponseBytes,
	}
}

func (a *App) tlsFiles() rpc.TLSFiles {
	t := a.config.TLS
	return rpc.TLSFiles{CertFile: t.CertFile, KeyFile: t.KeyFile, CAFile: t.ClientCAFile, Log: a.options.Logger}
}

// ignoreClosed makes closing twice no error: a server closes its listener.
func ignoreClosed(close func() error) func() error {
	return func() error {
		if err := close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// dialTarget resolves host names by DNS, so that several replicas share the
// load; an address that already names a scheme stays.
func dialTarget(address string) string {
	if strings.Contains(address, ":///") {
		return address
	}
	return "dns:///" + address
}
