package app_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// identityPage is the page whose table says what is tried, and what comes of it.
const identityPage = "../../docs/security/threat-model.md"

// identityCase is one way to be taken for somebody, tried against a running server.
type identityCase struct {
	family, what string
	want         string // the status and its reason
	try          func() error
}

// signIns is an issuer of ID tokens: what it publishes can be changed.
type signIns struct {
	*httptest.Server
	mu   sync.Mutex
	keys map[string]*rsa.PrivateKey
}

func newSignIns(t *testing.T, keys map[string]*rsa.PrivateKey) *signIns {
	t.Helper()
	s := &signIns{keys: keys}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openid-configuration" {
			_ = json.NewEncoder(w).Encode(map[string]any{
				"issuer": s.URL, "jwks_uri": s.URL + "/keys", "authorization_endpoint": s.URL + "/a", "token_endpoint": s.URL + "/t",
				"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
			})
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		all := []any{}
		for id, k := range s.keys {
			all = append(all, publicKey(id, k))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": all})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *signIns) publish(keys map[string]*rsa.PrivateKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

func encoded(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func publicKey(id string, k *rsa.PrivateKey) map[string]any {
	return map[string]any{"kty": "RSA", "kid": id, "use": "sig", "n": encoded(k.N.Bytes()), "e": encoded(big.NewInt(int64(k.E)).Bytes())}
}

func rsaKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return k
}

// jwt is a token by a key, with a header and claims.
func jwt(t *testing.T, k *rsa.PrivateKey, header, claims map[string]any) string {
	t.Helper()
	h, err := json.Marshal(header)
	require.NoError(t, err)
	c, err := json.Marshal(claims)
	require.NoError(t, err)
	body := encoded(h) + "." + encoded(c)
	sum := sha256.Sum256([]byte(body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return body + "." + encoded(signature)
}

// certifier signs certificates into files.
type certifier struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newCertifier(t *testing.T) *certifier {
	t.Helper()
	a := &certifier{t: t, dir: t.TempDir()}
	a.file, _ = a.issue("ca", func(c *x509.Certificate) { c.IsCA = true })
	return a
}

// issue makes a certificate for both sides of a connection, as change makes it.
func (a *certifier) issue(name string, change func(*x509.Certificate)) (certFile, keyFile string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	// Certificates are read by the clock of the machine, whatever the server's clock is.
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(a.t, err)
	if a.cert == nil {
		a.cert, err = x509.ParseCertificate(der)
		require.NoError(a.t, err)
		a.key = key
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	certFile, keyFile = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+"-key.pem")
	require.NoError(a.t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(a.t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return certFile, keyFile
}

// client is what a caller with these files brings; "" for the certificate: none.
func (a *certifier) client(trusted, certFile, keyFile string, change func(*tls.Config)) credentials.TransportCredentials {
	a.t.Helper()
	text, err := os.ReadFile(trusted)
	require.NoError(a.t, err)
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool(), NextProtos: []string{"h2"}}
	require.True(a.t, c.RootCAs.AppendCertsFromPEM(text))
	if certFile != "" {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		require.NoError(a.t, err)
		// It is shown whoever the server asks for.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	if change != nil {
		change(c)
	}
	return credentials.NewTLS(c)
}

// heard is the status and the reason of an answer.
func heard(err error) string {
	if err == nil {
		return "answered"
	}
	f := fault.FromStatus(err)
	return strings.TrimSpace(f.Code.String() + " " + fault.ReasonOf(err))
}

// TestIdentityCases tries to be somebody who one is not, on two running servers: one that
// people call, with ID tokens and API tokens, and one that services call, with certificates and
// hop tokens. Each is refused as the table of the page says; those who are in order are
// answered by the same servers, at the start and at the end.
func TestIdentityCases(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	at := func(d time.Duration) int64 { return clock.Now().Add(d).Unix() }

	// The server that people call.
	key, stranger, old := rsaKey(t), rsaKey(t), rsaKey(t)
	issuer, other := newSignIns(t, map[string]*rsa.PrivateKey{"k1": key, "k0": old}), newSignIns(t, map[string]*rsa.PrivateKey{"k1": stranger})
	fileToken, fileHash, err := auth.NewToken(nil)
	require.NoError(t, err)
	outside := testConfig(t)
	outside.Auth.Mode, outside.Auth.FailedSignIns = string(auth.ModeOIDC), 1000
	outside.Auth.OIDC.Issuer, outside.Auth.OIDC.Audience, outside.Auth.OIDC.AdminGroups = issuer.URL, "dibrain", []string{"platform"}
	outside.Auth.OIDC.Timeout, outside.Limits.RequestBurst = time.Minute, 1000
	outside.Auth.TokenFile = filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(outside.Auth.TokenFile, fmt.Appendf(nil, "tokens: [{hash: %q, principal: robot}]", fileHash), 0o600))
	store, err := app.OpenTokens(t.Context(), outside, app.Options{Clock: clock.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	tokens := tokenstore.Tokens{Store: store, Clock: clock.Now, Most: 100}
	made := func(want tokenstore.Token, life time.Duration) (tokenstore.Token, string) {
		token, secret, err := tokens.Create(t.Context(), want, life)
		require.NoError(t, err)
		return token, secret
	}
	_, member := made(tokenstore.Token{Principal: "ann"}, 24*time.Hour)
	_, brief := made(tokenstore.Token{Principal: "ann"}, time.Minute)
	revoked, revokedSecret := made(tokenstore.Token{Principal: "ann"}, 24*time.Hour)
	rotated, rotatedSecret := made(tokenstore.Token{Principal: "ann"}, 24*time.Hour)
	_, leaver := made(tokenstore.Token{Principal: "leaver"}, 24*time.Hour)
	_, otherService := made(tokenstore.Token{Principal: "ann", Scopes: []string{"router"}}, 24*time.Hour)
	_, otherCall := made(tokenstore.Token{Principal: "ann", Scopes: []string{"findata/Discover"}}, 24*time.Hour)
	_, narrowRoot := made(tokenstore.Token{Principal: "root", Admin: true, Scopes: []string{"findata/ListSources"}}, 24*time.Hour)
	people := startWith(t, outside, app.Options{Clock: clock.Now}, app.FindData).dial()

	// The server that services call.
	ours, theirs := newCertifier(t), newCertifier(t)
	inside := testConfig(t)
	inside.Auth.Mode, inside.Auth.HopKey = string(auth.ModeServices), config.Secret(strings.Repeat("k", 32))
	inside.TLS.CertFile, inside.TLS.KeyFile = ours.issue("server", nil)
	inside.TLS.ClientCAFile = ours.file
	within := startWith(t, inside, app.Options{Clock: clock.Now}, app.FindData)
	dial := func(address string, creds credentials.TransportCredentials) *grpc.ClientConn {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(creds))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	serviceCert, serviceKey := ours.issue("router", nil)
	service := dial(within.addresses["gRPC"], ours.client(ours.file, serviceCert, serviceKey, nil))

	list := func(conn *grpc.ClientConn, pairs ...string) error {
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), pairs...), hangs)
		defer cancel()
		_, err := findatav1.NewCatalogServiceClient(conn).ListSources(ctx, &findatav1.ListSourcesRequest{})
		return err
	}
	administer := func(conn *grpc.ClientConn, pairs ...string) error {
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), pairs...), hangs)
		defer cancel()
		_, err := findatav1.NewFindDataServiceClient(conn).GetUseStats(ctx, &findatav1.GetUseStatsRequest{})
		return err
	}
	const header = "authorization"

	rs256 := map[string]any{"alg": "RS256", "kid": "k1", "typ": "JWT"}
	good := map[string]any{"iss": issuer.URL, "aud": "dibrain", "sub": "ann", "iat": at(-time.Minute), "exp": at(24 * time.Hour), "groups": []string{"sales"}}
	with := func(name string, value any) map[string]any {
		c := maps.Clone(good)
		if value == nil {
			delete(c, name)
		} else {
			c[name] = value
		}
		return c
	}
	whole := jwt(t, key, rs256, good)
	parts := strings.Split(whole, ".")
	unsigned := func(alg string) string {
		h, _ := json.Marshal(map[string]any{"alg": alg, "kid": "k1"})
		return encoded(h) + "." + parts[1] + "."
	}
	// confused takes the issuer's public key, which everybody knows, for a secret.
	confused := func() string {
		h, _ := json.Marshal(map[string]any{"alg": "HS256", "kid": "k1"})
		body := encoded(h) + "." + parts[1]
		mac := hmac.New(sha256.New, x509.MarshalPKCS1PublicKey(&key.PublicKey))
		mac.Write([]byte(body))
		return body + "." + encoded(mac.Sum(nil))
	}
	turned := []byte(whole)
	if turned[len(turned)-20] == 'A' {
		turned[len(turned)-20] = 'B'
	} else {
		turned[len(turned)-20] = 'A'
	}
	many := make([]string, 501)
	for n := range many {
		many[n] = fmt.Sprint("g", n)
	}

	hopKey := func(fill string, now func() time.Time) *auth.HopKey {
		k, err := auth.NewHopKey([]byte(strings.Repeat(fill, 32)), now)
		require.NoError(t, err)
		return k
	}
	signed := func(k *auth.HopKey, audience string) string {
		token, err := k.Sign(run.Principal{ID: "ann"}, audience)
		require.NoError(t, err)
		return token
	}
	deployment := hopKey("k", clock.Now)
	hop := signed(deployment, "findata")
	cut := strings.LastIndexByte(hop, '.')
	ofChatBI, err := deployment.Audience("chatbi")
	require.NoError(t, err)
	chatBIAlone, err := auth.NewHopKeyOf(map[string][]byte{"findata": ofChatBI}, clock.Now)
	require.NoError(t, err)
	atTheEdge, err := app.HopKey(outside, app.Options{Clock: clock.Now})
	require.NoError(t, err)
	fresh := func() string { return signed(deployment, "findata") }

	bearer := func(token string) func() error {
		return func() error { return list(people, header, "Bearer "+token) }
	}
	idToken := func(name string, value any) func() error { return bearer(jwt(t, key, rs256, with(name, value))) }
	byHop := func(token string) func() error { return func() error { return list(service, auth.KeyHop, token) } }
	over := func(creds credentials.TransportCredentials) func() error {
		return func() error { return list(dial(within.addresses["gRPC"], creds), auth.KeyHop, fresh()) }
	}
	shown := func(a *certifier, name string, change func(*x509.Certificate)) func() error {
		certFile, keyFile := a.issue(name, change)
		return over(ours.client(ours.file, certFile, keyFile, nil))
	}
	const (
		edge, tokenFamily, smuggled, between, channel = "ID token", "API token", "metadata", "hop token", "certificate"

		idInvalid, apiInvalid, hopInvalid = "Unauthenticated ID_TOKEN_INVALID", "Unauthenticated TOKEN_INVALID", "Unauthenticated HOP_TOKEN_INVALID"
		missing, scope, admins, noHop     = "Unauthenticated TOKEN_MISSING", "PermissionDenied TOKEN_SCOPE", "PermissionDenied ADMIN_ONLY", "Unauthenticated HOP_TOKEN_MISSING"
		noConnection                      = "Unavailable"
	)
	cases := []identityCase{
		{edge, "none", missing, func() error { return list(people) }},
		{edge, "two at once", idInvalid, func() error { return list(people, header, "Bearer "+whole, header, "Bearer "+whole) }},
		{edge, "under another scheme", idInvalid, func() error { return list(people, header, "Basic "+whole) }},
		{edge, "without a scheme", idInvalid, func() error { return list(people, header, whole) }},
		{edge, "without its third part", idInvalid, bearer(parts[0] + "." + parts[1])},
		{edge, "longer than 16 KiB", idInvalid, bearer(whole + strings.Repeat("A", 16<<10))},
		{edge, "expired", "Unauthenticated ID_TOKEN_EXPIRED", idToken("exp", at(-time.Hour))},
		{edge, "expired by the skew of the clocks", "Unauthenticated ID_TOKEN_EXPIRED", idToken("exp", at(-outside.Auth.OIDC.Skew))},
		{edge, "that never expires", idInvalid, idToken("exp", nil)},
		{edge, "not yet valid", idInvalid, idToken("nbf", at(time.Hour))},
		{edge, "made in the future", idInvalid, idToken("iat", at(time.Hour))},
		{edge, "for another audience", idInvalid, idToken("aud", "mail")},
		{edge, "for an audience that begins alike", idInvalid, idToken("aud", "dibrain2")},
		{edge, "for no audience", idInvalid, idToken("aud", nil)},
		{edge, "of another issuer, by its key", idInvalid, bearer(jwt(t, stranger, rs256, with("iss", other.URL)))},
		{edge, "of another issuer, by our issuer's key", idInvalid, idToken("iss", other.URL)},
		{edge, "of no issuer", idInvalid, idToken("iss", nil)},
		{edge, "with an empty signature", idInvalid, bearer(parts[0] + "." + parts[1] + ".")},
		{edge, "alg none", idInvalid, bearer(unsigned("none"))},
		{edge, "alg None", idInvalid, bearer(unsigned("None"))},
		{edge, "without alg", idInvalid, bearer(unsigned(""))},
		{edge, "HS256 with the public key as the secret", idInvalid, bearer(confused())},
		{edge, "with other claims than were signed", idInvalid, bearer(parts[0] + "." + strings.Split(jwt(t, key, rs256, with("sub", "eve")), ".")[1] + "." + parts[2])},
		{edge, "with one character of the signature changed", idInvalid, bearer(string(turned))},
		{edge, "by a stranger under the issuer's key id", idInvalid, bearer(jwt(t, stranger, rs256, good))},
		{edge, "by a key id that is not published", idInvalid, bearer(jwt(t, stranger, map[string]any{"alg": "RS256", "kid": "k9"}, good))},
		{edge, "with its own key in the header (jwk)", idInvalid, bearer(jwt(t, stranger, map[string]any{"alg": "RS256", "jwk": publicKey("x", stranger)}, good))},
		{edge, "with the address of its keys in the header (jku)", idInvalid, bearer(jwt(t, stranger, map[string]any{"alg": "RS256", "kid": "k1", "jku": other.URL + "/keys"}, good))},
		{edge, "by a key that its issuer has withdrawn", idInvalid, func() error {
			token := jwt(t, old, map[string]any{"alg": "RS256", "kid": "k0"}, good)
			if err := list(people, header, "Bearer "+token); err != nil {
				return fmt.Errorf("before the key was withdrawn: %w", err)
			}
			issuer.publish(map[string]*rsa.PrivateKey{"k1": key})
			clock.Move(11 * time.Second)
			// A key that is not known makes the server read the issuer's keys again.
			_ = list(people, header, "Bearer "+jwt(t, stranger, map[string]any{"alg": "RS256", "kid": "k8"}, good))
			return list(people, header, "Bearer "+token)
		}},
		{edge, "of nobody", idInvalid, idToken("sub", nil)},
		{edge, "of somebody called 7, a number", idInvalid, idToken("sub", 7)},
		{edge, "with groups that are an object", idInvalid, idToken("groups", map[string]any{"platform": true})},
		{edge, "with 501 groups", idInvalid, idToken("groups", many)},
		{edge, "that says it is an administrator's, without the group", admins, func() error {
			return administer(people, header, "Bearer "+jwt(t, key, rs256, with("admin", true)))
		}},

		{tokenFamily, "that nobody made", apiInvalid, bearer(auth.TokenPrefix + strings.Repeat("x", 43))},
		{tokenFamily, "cut short", apiInvalid, bearer(member[:len(member)-1])},
		{tokenFamily, "its hash instead of itself", idInvalid, bearer(fileHash)},
		{tokenFamily, "two at once", idInvalid, func() error { return list(people, header, "Bearer "+member, header, "Bearer "+member) }},
		{tokenFamily, "expired", "Unauthenticated TOKEN_EXPIRED", func() error { clock.Move(time.Minute); return bearer(brief)() }},
		{tokenFamily, "revoked", apiInvalid, func() error {
			if err := bearer(revokedSecret)(); err != nil {
				return fmt.Errorf("before it was revoked: %w", err)
			}
			if err := tokens.Revoke(t.Context(), revoked.ID); err != nil {
				return err
			}
			clock.Move(time.Minute)
			return bearer(revokedSecret)()
		}},
		{tokenFamily, "rotated, after the overlap", "Unauthenticated TOKEN_EXPIRED", func() error {
			_, next, err := tokens.Rotate(t.Context(), rotated.ID, "ann", time.Hour, time.Minute)
			if err != nil {
				return err
			}
			clock.Move(30 * time.Second)
			for _, token := range []string{rotatedSecret, next} {
				if err := bearer(token)(); err != nil {
					return fmt.Errorf("within the overlap: %w", err)
				}
			}
			clock.Move(time.Minute)
			return bearer(rotatedSecret)()
		}},
		{tokenFamily, "of somebody all of whose tokens were revoked", apiInvalid, func() error {
			if _, err := tokens.RevokeAll(t.Context(), "leaver"); err != nil {
				return err
			}
			clock.Move(time.Minute)
			return bearer(leaver)()
		}},
		{tokenFamily, "taken out of the file of tokens", apiInvalid, func() error {
			if err := bearer(fileToken)(); err != nil {
				return fmt.Errorf("before it was taken out: %w", err)
			}
			if err := os.WriteFile(outside.Auth.TokenFile, []byte("tokens: []\n# nobody is left"), 0o600); err != nil {
				return err
			}
			clock.Move(time.Minute)
			return bearer(fileToken)()
		}},
		{tokenFamily, "for another service", scope, bearer(otherService)},
		{tokenFamily, "for another call of the service", scope, bearer(otherCall)},
		{tokenFamily, "an administrator's, for one call, at another", scope, func() error { return administer(people, header, "Bearer "+narrowRoot) }},
		{tokenFamily, "a member's at a call of administrators", admins, func() error { return administer(people, header, "Bearer "+member) }},

		{smuggled, "x-dibrain-principal instead of a token", missing, func() error { return list(people, "x-dibrain-principal", "root", "x-dibrain-admin", "true") }},
		{smuggled, "x-dibrain-admin beside a member's token", admins, func() error {
			return administer(people, header, "Bearer "+member, "x-dibrain-admin", "true", "x-dibrain-groups", "platform")
		}},
		{smuggled, "a clock from outside", "InvalidArgument NOW_FROM_OUTSIDE", func() error {
			return list(people, header, "Bearer "+member, run.KeyNow, "2020-01-01T00:00:00Z")
		}},
		{smuggled, "a made-up hop token beside a good ID token", hopInvalid, func() error { return list(people, header, "Bearer "+whole, auth.KeyHop, "x") }},
		{smuggled, "a hop token of another deployment at the port for people", hopInvalid, func() error { return list(people, auth.KeyHop, fresh()) }},
		{smuggled, "a hop token for a service that no other process calls", hopInvalid, func() error {
			ctx := metadata.AppendToOutgoingContext(t.Context(), auth.KeyHop, signed(atTheEdge, "router"))
			_, err := findatav1.NewCatalogServiceClient(people).ListSources(ctx, &findatav1.ListSourcesRequest{})
			return err
		}},

		{between, "none", noHop, func() error { return list(service) }},
		{between, "an ID token instead", noHop, func() error { return list(service, header, "Bearer "+whole) }},
		{between, "an API token instead", noHop, func() error { return list(service, header, "Bearer "+member) }},
		{between, "replayed after a minute", "Unauthenticated HOP_TOKEN_EXPIRED", func() error {
			token := fresh()
			if err := byHop(token)(); err != nil {
				return fmt.Errorf("within the minute: %w", err)
			}
			clock.Move(auth.HopTTL)
			return byHop(token)()
		}},
		{between, "for another service", hopInvalid, byHop(signed(deployment, "chatbi"))},
		{between, "by the key that a process has for another service", hopInvalid, byHop(signed(chatBIAlone, "findata"))},
		{between, "by another deployment's key", hopInvalid, byHop(signed(hopKey("x", clock.Now), "findata"))},
		{between, "from the future", hopInvalid, func() error {
			return byHop(signed(hopKey("k", func() time.Time { return clock.Now().Add(time.Minute) }), "findata"))()
		}},
		{between, "two at once", hopInvalid, func() error { return list(service, auth.KeyHop, fresh(), auth.KeyHop, fresh()) }},
		{between, "with a sign-in that was sealed for another one", hopInvalid, func() error {
			sealed, err := hopKey("k", clock.Now).Seal(whole, hop, "findata")
			if err != nil {
				return err
			}
			clock.Move(time.Second) // two tokens of one moment are the same
			return list(service, auth.KeyHop, fresh(), auth.KeySignIn, sealed)
		}},
		{between, "without a signature", hopInvalid, byHop(hop[:cut+1])},
		{between, "with another name than was signed", hopInvalid, func() error {
			token := fresh()
			return byHop(strings.Replace(token, encoded([]byte(`{"p":"ann"`))[:12], encoded([]byte(`{"p":"eve"`))[:12], 1))()
		}},
		{between, "without its version", hopInvalid, byHop(strings.TrimPrefix(hop, "dibhop2."))},
		{between, "empty", hopInvalid, byHop("")},
		{between, "longer than 16 KiB", hopInvalid, byHop("dibhop2." + strings.Repeat("a", 20<<10) + hop[cut:])},

		{channel, "no TLS", noConnection, over(insecure.NewCredentials())},
		{channel, "none", noConnection, over(ours.client(ours.file, "", "", nil))},
		{channel, "of another authority", noConnection, shown(theirs, "stranger", nil)},
		{channel, "of an authority that calls itself ours", noConnection, func() error {
			forger := newCertifier(t)
			return shown(forger, "router", func(c *x509.Certificate) { c.Issuer = ours.cert.Subject })()
		}},
		{channel, "expired", noConnection, shown(ours, "expired", func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
		})},
		{channel, "not yet valid", noConnection, shown(ours, "early", func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().Add(24*time.Hour), time.Now().Add(48*time.Hour)
		})},
		{channel, "for servers, shown by a caller", noConnection, shown(ours, "one-way", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })},
		{channel, "over TLS 1.1", noConnection, over(ours.client(ours.file, serviceCert, serviceKey, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }))},
		{channel, "the server's of an authority that the caller does not trust", noConnection, over(ours.client(theirs.file, serviceCert, serviceKey, nil))},
		{channel, "the server's of another name", noConnection, over(ours.client(ours.file, serviceCert, serviceKey, func(c *tls.Config) { c.ServerName = "findata.example.com" }))},
		{channel, "a service's, stolen, without a hop token", noHop, func() error { return list(service, "x-dibrain-principal", "root") }},
		{channel, "a service's, stolen, with the keys of its callees alone", hopInvalid, byHop(signed(chatBIAlone, "findata"))},
	}
	require.GreaterOrEqual(t, len(cases), 60)

	inOrder := func(when string) {
		require.NoError(t, bearer(jwt(t, key, rs256, good))(), "an ID token, %s", when)
		require.NoError(t, bearer(member)(), "an API token, %s", when)
		// There is no source: what the call answers after it has let somebody in.
		require.Contains(t, heard(administer(people, header, "Bearer "+jwt(t, key, rs256, with("groups", "platform")))), "NotFound", "an administrator, %s", when)
		require.NoError(t, byHop(fresh())(), "a service, %s", when)
	}
	inOrder("at the start")
	var table strings.Builder
	table.WriteString("| | what is brought | answer |\n|---|---|---|\n")
	seen := make(map[string]bool)
	for _, c := range cases {
		require.False(t, seen[c.family+c.what], "%s %s is there twice", c.family, c.what)
		seen[c.family+c.what] = true
		if err := c.try(); heard(err) != c.want {
			t.Errorf("%s, %s: %q instead of %q: %v", c.family, c.what, heard(err), c.want, err)
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", c.family, c.what, answerInWords(c.want))
	}
	inOrder("at the end")
	page, err := os.ReadFile(identityPage)
	require.NoError(t, err)
	require.True(t, bytes.Contains(page, []byte(table.String())), "%s has another table of identity cases than this:\n%s", identityPage, table.String())
}

func answerInWords(want string) string {
	if code, reason, ok := strings.Cut(want, " "); ok {
		return code + ", `" + reason + "`"
	}
	return "no connection"
}
