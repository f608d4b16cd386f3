package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Bounds of what an issuer and a bearer may send.
const (
	maxJWTBytes    = 16 << 10
	maxIssuerBytes = 1 << 20
	maxGroups      = 500
	// keysKept is how long the issuer's keys are taken to be all that it has: a token with
	// an unknown key asks for them again after it, and not more often.
	keysKept = 10 * time.Second
	// keysReread is how long a key counts after the issuer has withdrawn it, if it can be
	// asked then: so often its keys are read again while all tokens have known ones.
	keysReread = 5 * time.Minute
)

// signedBy are the algorithms of signatures that count: those with two keys, of which the
// issuer alone has the private one.
var signedBy = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// OIDCConfig says whose ID tokens are believed, and what of them.
type OIDCConfig struct {
	// Issuer is the URL that tokens name as theirs (iss) and under which the issuer
	// publishes /.well-known/openid-configuration.
	Issuer string
	// Audience has to be in the token (aud).
	Audience string
	// PrincipalClaim names the claim that is the person's id: "sub", or "email", which
	// counts when the issuer has verified it.
	PrincipalClaim string
	// GroupsClaim names the claim with the groups: a list of texts, or one.
	GroupsClaim string
	// AdminGroups are the groups whose members administer.
	AdminGroups []string
	// Skew is how far clocks may differ.
	Skew time.Duration
	// Timeout bounds one request to the issuer.
	Timeout time.Duration
	// CAFile holds the authorities in PEM that sign the issuer's certificate; empty: those
	// of the system.
	CAFile string
	// PassSignIn keeps the ID token of a call for the services that it needs: see SignIn.
	PassSignIn bool
	// Clock is the time; nil: the wall clock.
	Clock func() time.Time
}

// OIDC is the edge of mode oidc: bearers of ID tokens that an issuer signed, and of API
// tokens where there is a file of them.
type OIDC struct {
	config OIDCConfig
	client *http.Client
	tokens Edge // of API tokens; nil: there are none

	mu      sync.Mutex
	keys    oidc.KeySet // nil: the issuer has not been asked with success yet
	keysAt  string      // where the issuer publishes them
	read    time.Time   // when they were read, or read again in vain less what is waited until the next time
	asked   time.Time
	problem error
}

// OpenOIDC prepares the edge; the issuer is asked when the first token comes, or State is
// called. tokens may be nil.
func OpenOIDC(c OIDCConfig, tokens Edge) (*OIDC, error) {
	u, err := url.Parse(c.Issuer)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(context.Background(), withPort(u))):
		return nil, errors.New("auth.oidc.issuer has to be an https address, such as https://login.example.com/realms/company")
	case c.Audience == "":
		return nil, errors.New("auth.oidc.audience is missing: the client id for which the issuer makes tokens")
	case c.PrincipalClaim == "" || c.GroupsClaim == "":
		return nil, errors.New("auth.oidc.principal_claim and auth.oidc.groups_claim must not be empty")
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read auth.oidc.ca_file: %w", err)
		}
		base.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !base.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("auth.oidc.ca_file holds no certificate in PEM")
		}
	}
	return &OIDC{config: c, tokens: tokens, client: &http.Client{
		Transport: &remembering{base: base, clock: c.Clock, keep: keysKept}, Timeout: c.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// withPort is the host of an address with a port.
func withPort(u *url.URL) string {
	if u.Port() == "" {
		return u.Host + ":80"
	}
	return u.Host
}

// Authenticate implements Edge.
func (o *OIDC) Authenticate(md metadata.MD) (run.Principal, error) {
	values := md.Get(KeyAuthorization)
	if len(values) == 0 {
		return run.Principal{}, fault.New(codes.Unauthenticated, "TOKEN_MISSING",
			`Send the ID token of your sign-in in the metadata key "authorization" as "Bearer …".`)
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "bearer") || len(token) > maxJWTBytes {
		return run.Principal{}, idTokenInvalid("cannot be read")
	}
	if strings.HasPrefix(token, TokenPrefix) && o.tokens != nil {
		return o.tokens.Authenticate(md)
	}
	return o.verify(token)
}

// claims are what is read of an ID token.
type claims struct {
	NotBefore     float64 `json:"nbf"`
	EmailVerified bool    `json:"email_verified"`
}

// verify returns who an ID token is of.
func (o *OIDC) verify(token string) (run.Principal, error) {
	nobody := run.Principal{}
	keys, err := o.keySet(context.Background())
	if err != nil {
		return nobody, err
	}
	ctx := oidc.ClientContext(context.Background(), o.client)
	// Times are compared here, where the clocks may differ by the skew.
	verifier := oidc.NewVerifier(o.config.Issuer, keys, &oidc.Config{
		ClientID: o.config.Audience, SupportedSigningAlgs: signedBy, SkipExpiryCheck: true, Now: o.config.Clock,
	})
	told, err := verifier.Verify(ctx, token)
	if err != nil {
		return nobody, fault.New(codes.Unauthenticated, "ID_TOKEN_INVALID",
			"The ID token is not one of this server's issuer for this server. Sign in again.").Because(err)
	}
	var known claims
	var all map[string]json.RawMessage
	if err := errors.Join(told.Claims(&known), told.Claims(&all)); err != nil {
		return nobody, idTokenInvalid("has claims that cannot be read")
	}
	now := o.config.Clock()
	switch skew := o.config.Skew; {
	case told.Expiry.Unix() <= 0:
		return nobody, idTokenInvalid("never ends, and so is not believed")
	case !now.Before(told.Expiry.Add(skew)):
		return nobody, fault.New(codes.Unauthenticated, "ID_TOKEN_EXPIRED", "The sign-in has expired. Sign in again.")
	case told.IssuedAt.After(now.Add(skew)), time.Unix(int64(known.NotBefore), 0).After(now.Add(skew)):
		return nobody, idTokenInvalid("is of the future: the clocks of the issuer and of this server differ")
	}
	return o.principal(all, known)
}

// principal reads who it is, and in which groups.
func (o *OIDC) principal(all map[string]json.RawMessage, known claims) (run.Principal, error) {
	var id string
	if json.Unmarshal(all[o.config.PrincipalClaim], &id) != nil || id == "" {
		return run.Principal{}, idTokenInvalid("names nobody: it has no claim " + o.config.PrincipalClaim)
	}
	if o.config.PrincipalClaim == "email" && !known.EmailVerified {
		return run.Principal{}, idTokenInvalid("has an address that its issuer has not verified")
	}
	p := run.Principal{ID: id}
	if raw, ok := all[o.config.GroupsClaim]; ok {
		var one string
		if json.Unmarshal(raw, &one) == nil {
			p.Groups = []string{one}
		} else if json.Unmarshal(raw, &p.Groups) != nil {
			return run.Principal{}, idTokenInvalid("has groups that are no list of texts")
		}
	}
	if len(p.Groups) > maxGroups {
		return run.Principal{}, idTokenInvalid(fmt.Sprintf("has more than %d groups", maxGroups))
	}
	p.Admin = p.InAny(o.config.AdminGroups)
	return p, nil
}

// keySet asks the issuer where its keys are, once with success; a failure holds for a
// moment. ctx bounds the question.
func (o *OIDC) keySet(ctx context.Context) (oidc.KeySet, error) {
	if o.isToReread() {
		o.reread(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keys != nil {
		return o.keys, nil
	}
	if now := o.config.Clock(); o.problem == nil || now.Sub(o.asked) >= keysKept {
		o.asked = now
		ctx := oidc.ClientContext(ctx, o.client)
		var provider *oidc.Provider
		if provider, o.problem = oidc.NewProvider(ctx, o.config.Issuer); o.problem == nil {
			var where struct {
				Keys string `json:"jwks_uri"`
			}
			if o.problem = provider.Claims(&where); o.problem == nil {
				o.keysAt = where.Keys
				o.keys, o.read = o.published(), now
				return o.keys, nil
			}
		}
	}
	f := fault.New(codes.Unavailable, "ISSUER_UNAVAILABLE", "The issuer of sign-ins cannot be reached, so that nobody can be let in with an ID token. Try again in a moment.").
		ForOperator("auth.oidc.issuer is %s: %v", o.config.Issuer, o.problem)
	f.RetryAfter = keysKept
	return nil, f
}

// published are the issuer's keys, of which none is known yet: the first token asks for them.
func (o *OIDC) published() oidc.KeySet {
	return oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), o.client), o.keysAt)
}

// isToReread reports whether it is time to read the keys again, to one caller each time.
func (o *OIDC) isToReread() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.config.Clock()
	if o.keys == nil || now.Sub(o.read) < keysReread {
		return false
	}
	o.read = now
	return true
}

// reread takes the issuer's keys as they are now, so that one which it has withdrawn counts
// no longer. While it does not answer with keys, those that are known count on.
func (o *OIDC) reread(ctx context.Context) {
	var keys oidc.KeySet
	if o.publishes(ctx) {
		keys = o.published()
		// A token of no key has the new set fetch the keys now, of which the answer is at hand: an
		// issuer that goes away next keeps nobody out.
		_, _ = keys.VerifySignature(ctx, tokenOfNobody)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.config.Clock(); keys != nil {
		o.keys, o.read = keys, now
	} else {
		o.read = now.Add(keysKept - keysReread)
	}
}

// tokenOfNobody is well-formed, and signed by no key.
const tokenOfNobody = "eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.e30.AA"

// publishes reports whether the issuer answers with keys.
func (o *OIDC) publishes(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.keysAt, nil)
	if err != nil {
		return false
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	return resp.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(resp.Body, maxIssuerBytes)).Decode(&set) == nil && len(set.Keys) > 0
}

// State tells why the issuer's keys are not known; nil: they are. ctx bounds the question to
// the issuer.
func (o *OIDC) State(ctx context.Context) error {
	_, err := o.keySet(ctx)
	return err
}

func idTokenInvalid(what string) error {
	return fault.New(codes.Unauthenticated, "ID_TOKEN_INVALID", "The ID token "+what+". Sign in again.")
}

// remembering gives the last answer of the same address for a while, so that tokens with
// made-up keys do not make this server ask the issuer for each of them.
type remembering struct {
	base  http.RoundTripper
	clock func() time.Time
	keep  time.Duration

	mu   sync.Mutex
	kept map[string]remembered
}

type remembered struct {
	at     time.Time
	err    error // instead of an answer
	status int
	header http.Header
	body   string
}

// RoundTrip implements http.RoundTripper.
func (r *remembering) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := req.URL.String()
	have, ok := r.kept[key]
	if !ok || r.clock().Sub(have.at) >= r.keep {
		have = r.ask(req)
		if r.kept == nil {
			r.kept = make(map[string]remembered)
		}
		r.kept[key] = have // two addresses: the configuration and the keys
	}
	if have.err != nil {
		return nil, have.err
	}
	return have.response(req), nil
}

// ask asks the issuer.
func (r *remembering) ask(req *http.Request) remembered {
	now := r.clock()
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		return remembered{at: now, err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxIssuerBytes+1))
	if err == nil && len(body) > maxIssuerBytes {
		err = fmt.Errorf("the issuer's answer has more than %d bytes", maxIssuerBytes)
	}
	return remembered{at: now, err: err, status: resp.StatusCode, header: resp.Header, body: string(body)}
}

func (m remembered) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(m.status), StatusCode: m.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: m.header.Clone(), Body: io.NopCloser(strings.NewReader(m.body)), ContentLength: int64(len(m.body)), Request: req,
	}
}
