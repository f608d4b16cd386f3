package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// issuer is a server that signs people in: it publishes its configuration and its keys.
type issuer struct {
	*httptest.Server
	mu    sync.Mutex
	keys  map[string]crypto.Signer // published, by id
	asked int                      // for keys
	away  bool
	names string // the issuer that its configuration names; empty: itself
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{keys: make(map[string]crypto.Signer)}
	i.Server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.away:
		http.Error(w, "away", http.StatusServiceUnavailable)
	case r.URL.Path == "/.well-known/openid-configuration":
		name := i.URL
		if i.names != "" {
			name = i.names
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": name, "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/a", "token_endpoint": i.URL + "/t",
			"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
		})
	default:
		i.asked++
		var keys []any
		for id, k := range i.keys {
			keys = append(keys, public(id, k))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	}
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// public is a key as an issuer publishes it.
func public(id string, k crypto.Signer) map[string]any {
	switch k := k.Public().(type) {
	case *rsa.PublicKey:
		return map[string]any{"kty": "RSA", "kid": id, "use": "sig", "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		raw, _ := k.Bytes() // 4, x, y
		return map[string]any{"kty": "EC", "kid": id, "crv": "P-256", "x": b64(raw[1:33]), "y": b64(raw[33:])}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "kid": id, "crv": "Ed25519", "x": b64(k)}
	}
	return nil
}

func (i *issuer) publish(keys map[string]crypto.Signer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

func (i *issuer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// signed is a token with these claims.
func signed(t *testing.T, k crypto.Signer, header, claims map[string]any) string {
	t.Helper()
	h, err := json.Marshal(header)
	require.NoError(t, err)
	c, err := json.Marshal(claims)
	require.NoError(t, err)
	body := b64(h) + "." + b64(c)
	sum := sha256.Sum256([]byte(body))
	switch k := k.(type) {
	case *rsa.PrivateKey:
		sig, err := rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, sum[:])
		require.NoError(t, err)
		return body + "." + b64(sig)
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		require.NoError(t, err)
		return body + "." + b64(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
	case ed25519.PrivateKey:
		return body + "." + b64(ed25519.Sign(k, []byte(body)))
	}
	t.Fatal("no such key")
	return ""
}

// TestIDTokens: who is let in by an ID token, and who is not.
func TestIDTokens(t *testing.T) {
	t.Parallel()
	clock := newClock()
	at := func(d time.Duration) int64 { return clock.Now().Add(d).Unix() }
	i, other := newIssuer(t), newIssuer(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	i.publish(map[string]crypto.Signer{"k1": key, "ec": curve, "ed": edwards})
	other.publish(map[string]crypto.Signer{"k1": stranger})
	api, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	expired, expiredHash, err := auth.NewToken(nil)
	require.NoError(t, err)
	tokens, err := auth.OpenTokenFile(writeFile(t, fmt.Sprintf("tokens: [{hash: %q, principal: robot, groups: [etl]}, {hash: %q, principal: old, expires: 2020-01-01T00:00:00Z}]", hash, expiredHash)),
		auth.TokenOptions{Clock: clock.Now})
	require.NoError(t, err)
	config := auth.OIDCConfig{
		Issuer: i.URL, Audience: "dibrain", PrincipalClaim: "sub", GroupsClaim: "groups", AdminGroups: []string{"platform"},
		Skew: 30 * time.Second, Timeout: time.Minute, Clock: clock.Now,
	}
	edge, err := auth.OpenOIDC(config, tokens)
	require.NoError(t, err)
	config.PrincipalClaim = "email"
	byMail, err := auth.OpenOIDC(config, nil)
	require.NoError(t, err)

	rs256 := map[string]any{"alg": "RS256", "kid": "k1", "typ": "JWT"}
	good := map[string]any{"iss": i.URL, "aud": "dibrain", "sub": "ann", "iat": at(-time.Minute), "exp": at(time.Hour), "groups": []string{"sales"}}
	with := func(changes map[string]any) map[string]any {
		c := maps.Clone(good)
		maps.Copy(c, changes)
		for name, value := range c {
			if value == nil {
				delete(c, name)
			}
		}
		return c
	}
	token := func(changes map[string]any) string { return signed(t, key, rs256, with(changes)) }
	whole := token(nil)
	parts := strings.Split(whole, ".")
	unsigned := func(alg string) string {
		h, _ := json.Marshal(map[string]any{"alg": alg})
		return b64(h) + "." + parts[1] + "."
	}
	// The public key as the secret of a symmetric signature: known to everybody.
	confused := func() string {
		h, _ := json.Marshal(map[string]any{"alg": "HS256", "kid": "k1"})
		body := b64(h) + "." + parts[1]
		mac := hmac.New(sha256.New, key.N.Bytes())
		mac.Write([]byte(body))
		return body + "." + b64(mac.Sum(nil))
	}
	many := make([]string, 501)
	for n := range many {
		many[n] = fmt.Sprint("g", n)
	}
	ann := run.Principal{ID: "ann", Groups: []string{"sales"}}
	const invalid, over, missing = "ID_TOKEN_INVALID", "ID_TOKEN_EXPIRED", "TOKEN_MISSING"
	cases := []struct {
		name   string
		edge   auth.Edge
		md     metadata.MD
		reason string
		want   run.Principal
	}{
		{"good", edge, bearer(whole), "", ann},
		{"in small letters", edge, metadata.Pairs("authorization", "bearer "+whole), "", ann},
		{"signed on a curve", edge, bearer(signed(t, curve, map[string]any{"alg": "ES256", "kid": "ec"}, good)), "", ann},
		{"signed by Ed25519", edge, bearer(signed(t, edwards, map[string]any{"alg": "EdDSA", "kid": "ed"}, good)), "", ann},
		{"one of several audiences", edge, bearer(token(map[string]any{"aud": []string{"mail", "dibrain"}})), "", ann},
		{"one group as a text", edge, bearer(token(map[string]any{"groups": "sales"})), "", ann},
		{"no groups", edge, bearer(token(map[string]any{"groups": nil})), "", run.Principal{ID: "ann"}},
		{"a group of administrators", edge, bearer(token(map[string]any{"groups": []string{"platform"}})), "", run.Principal{ID: "ann", Groups: []string{"platform"}, Admin: true}},
		{"admin as a claim", edge, bearer(token(map[string]any{"admin": true, "Admin": true})), "", ann},
		{"over within the skew", edge, bearer(token(map[string]any{"exp": at(-29 * time.Second)})), "", ann},
		{"made within the skew", edge, bearer(token(map[string]any{"iat": at(29 * time.Second), "nbf": at(29 * time.Second)})), "", ann},
		{"verified address", byMail, bearer(token(map[string]any{"email": "ann@example.com", "email_verified": true})), "", run.Principal{ID: "ann@example.com", Groups: []string{"sales"}}},
		{"an API token", edge, bearer(api), "", run.Principal{ID: "robot", Groups: []string{"etl"}}},

		{"nothing", edge, metadata.MD{}, missing, run.Principal{}},
		{"two tokens", edge, metadata.Pairs("authorization", "Bearer "+whole, "authorization", "Bearer "+whole), invalid, run.Principal{}},
		{"another scheme", edge, metadata.Pairs("authorization", "Basic "+whole), invalid, run.Principal{}},
		{"no scheme", edge, metadata.Pairs("authorization", whole), invalid, run.Principal{}},
		{"empty", edge, bearer(""), invalid, run.Principal{}},
		{"no token at all", edge, bearer("ann"), invalid, run.Principal{}},
		{"two parts", edge, bearer(parts[0] + "." + parts[1]), invalid, run.Principal{}},
		{"four parts", edge, bearer(whole + "." + parts[2]), invalid, run.Principal{}},
		{"too long", edge, bearer(whole + strings.Repeat("A", 16<<10)), invalid, run.Principal{}},
		{"unsigned", edge, bearer(parts[0] + "." + parts[1] + "."), invalid, run.Principal{}},
		{"alg none", edge, bearer(unsigned("none")), invalid, run.Principal{}},
		{"alg None", edge, bearer(unsigned("None")), invalid, run.Principal{}},
		{"alg missing", edge, bearer(unsigned("")), invalid, run.Principal{}},
		{"symmetric by the public key", edge, bearer(confused()), invalid, run.Principal{}},
		{"signature of another token", edge, bearer(parts[0] + "." + strings.Split(token(map[string]any{"sub": "eve"}), ".")[1] + "." + parts[2]), invalid, run.Principal{}},
		{"signature with a bit turned", edge, bearer(parts[0] + "." + parts[1] + "." + flipped(parts[2])), invalid, run.Principal{}},
		{"signed by somebody else", edge, bearer(signed(t, stranger, rs256, good)), invalid, run.Principal{}},
		{"signed by a key that is not published", edge, bearer(signed(t, stranger, map[string]any{"alg": "RS256", "kid": "k9"}, good)), invalid, run.Principal{}},
		{"with its own key in the header", edge, bearer(signed(t, stranger, map[string]any{"alg": "RS256", "jwk": public("x", stranger)}, good)), invalid, run.Principal{}},
		{"with an address of keys in the header", edge, bearer(signed(t, stranger, map[string]any{"alg": "RS256", "kid": "k1", "jku": other.URL + "/keys"}, good)), invalid, run.Principal{}},
		{"of another issuer", edge, bearer(signed(t, stranger, rs256, with(map[string]any{"iss": other.URL}))), invalid, run.Principal{}},
		{"of another issuer, by our key", edge, bearer(token(map[string]any{"iss": other.URL})), invalid, run.Principal{}},
		{"of an issuer with a slash more", edge, bearer(token(map[string]any{"iss": i.URL + "/"})), invalid, run.Principal{}},
		{"of no issuer", edge, bearer(token(map[string]any{"iss": nil})), invalid, run.Principal{}},
		{"for another audience", edge, bearer(token(map[string]any{"aud": "mail"})), invalid, run.Principal{}},
		{"for an audience that begins alike", edge, bearer(token(map[string]any{"aud": "dibrain2"})), invalid, run.Principal{}},
		{"for nobody", edge, bearer(token(map[string]any{"aud": nil})), invalid, run.Principal{}},
		{"for an empty list", edge, bearer(token(map[string]any{"aud": []string{}})), invalid, run.Principal{}},
		{"over", edge, bearer(token(map[string]any{"exp": at(-time.Hour)})), over, run.Principal{}},
		{"over by the skew", edge, bearer(token(map[string]any{"exp": at(-30 * time.Second)})), over, run.Principal{}},
		{"never over", edge, bearer(token(map[string]any{"exp": nil})), invalid, run.Principal{}},
		{"over at 0", edge, bearer(token(map[string]any{"exp": 0})), invalid, run.Principal{}},
		{"over at a text", edge, bearer(token(map[string]any{"exp": "never"})), invalid, run.Principal{}},
		{"not yet", edge, bearer(token(map[string]any{"nbf": at(31 * time.Second)})), invalid, run.Principal{}},
		{"made in the future", edge, bearer(token(map[string]any{"iat": at(31 * time.Second)})), invalid, run.Principal{}},
		{"of nobody", edge, bearer(token(map[string]any{"sub": nil})), invalid, run.Principal{}},
		{"of an empty name", edge, bearer(token(map[string]any{"sub": ""})), invalid, run.Principal{}},
		{"of a number", edge, bearer(token(map[string]any{"sub": 7})), invalid, run.Principal{}},
		{"groups as a number", edge, bearer(token(map[string]any{"groups": 7})), invalid, run.Principal{}},
		{"groups as an object", edge, bearer(token(map[string]any{"groups": map[string]any{"platform": true}})), invalid, run.Principal{}},
		{"too many groups", edge, bearer(token(map[string]any{"groups": many})), invalid, run.Principal{}},
		{"address that is not verified", byMail, bearer(token(map[string]any{"email": "ann@example.com"})), invalid, run.Principal{}},
		{"address that is said not to be verified", byMail, bearer(token(map[string]any{"email": "ann@example.com", "email_verified": false})), invalid, run.Principal{}},
		{"no address", byMail, bearer(whole), invalid, run.Principal{}},
		{"an API token that nobody knows", edge, bearer(auth.TokenPrefix + "x"), "TOKEN_INVALID", run.Principal{}},
		{"an API token that is over", edge, bearer(expired), "TOKEN_EXPIRED", run.Principal{}},
		{"an API token where there are none", byMail, bearer(api), invalid, run.Principal{}},
	}
	require.GreaterOrEqual(t, len(cases), 60)
	for _, c := range cases {
		got, err := c.edge.Authenticate(c.md)
		require.Equal(t, c.reason, fault.ReasonOf(err), "%s: %v", c.name, err)
		require.Equal(t, c.want, got, c.name)
		if err != nil {
			require.NotContains(t, everythingSaid(err), parts[2][:20], "%s: a signature is no text for people", c.name)
		}
	}
	require.LessOrEqual(t, i.count(), 2, "made-up keys do not make the server ask the issuer for each of them")
	require.Zero(t, other.count(), "nobody else is asked")
}

// flipped changes one bit of what base64 says.
func flipped(text string) string {
	raw, _ := base64.RawURLEncoding.DecodeString(text)
	raw[0] ^= 1
	return b64(raw)
}

// everythingSaid is what an error tells clients and operators.
func everythingSaid(err error) string { return err.Error() + fault.OperatorText(err) }

// TestKeysRotate: a token with a new key is believed soon after the issuer publishes it,
// and one with a key that was withdrawn no longer.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	clock := newClock()
	i := newIssuer(t)
	first, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	second, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i.publish(map[string]crypto.Signer{"k1": first})
	edge, err := auth.OpenOIDC(auth.OIDCConfig{
		Issuer: i.URL, Audience: "dibrain", PrincipalClaim: "sub", GroupsClaim: "groups", Skew: time.Second, Timeout: time.Minute, Clock: clock.Now,
	}, nil)
	require.NoError(t, err)
	by := func(k crypto.Signer, id string) error {
		_, err := edge.Authenticate(bearer(signed(t, k, map[string]any{"alg": "RS256", "kid": id}, map[string]any{
			"iss": i.URL, "aud": "dibrain", "sub": "ann", "exp": clock.Now().Add(time.Hour).Unix(),
		})))
		return err
	}
	require.NoError(t, by(first, "k1"))
	i.publish(map[string]crypto.Signer{"k1": first, "k2": second})
	require.Error(t, by(second, "k2"), "its keys were asked for a moment ago")
	clock.Move(10 * time.Second)
	require.NoError(t, by(second, "k2"))
	require.NoError(t, by(first, "k1"), "both are published")
	i.publish(map[string]crypto.Signer{"k2": second})
	clock.Move(10 * time.Second)
	require.Error(t, by(second, "k3"), "a key that is not known makes it ask")
	require.Error(t, by(first, "k1"), "the first was withdrawn")

	i.mu.Lock()
	i.away = true
	i.mu.Unlock()
	clock.Move(time.Hour)
	require.NoError(t, by(second, "k2"), "an issuer that is away keeps nobody out whose key is known")
	i.mu.Lock()
	i.away = false
	i.mu.Unlock()
	i.publish(map[string]crypto.Signer{"k1": first})
	clock.Move(10 * time.Second)
	require.Error(t, by(second, "k2"), "it is asked again soon after it was away, and has withdrawn the key")
	require.NoError(t, by(first, "k1"))
	i.publish(map[string]crypto.Signer{"k2": second})
	clock.Move(4 * time.Minute)
	require.NoError(t, by(first, "k1"), "its keys were read minutes ago")
	clock.Move(time.Minute)
	require.Error(t, by(first, "k1"), "read again, with no token of an unknown key")
	clock.Move(10 * time.Minute)
	require.NoError(t, edge.State(t.Context()), "its keys are read again by who asks how it is")
	i.mu.Lock()
	i.away = true
	i.mu.Unlock()
	clock.Move(time.Minute)
	require.NoError(t, by(second, "k2"), "they are held from then on, whatever becomes of the issuer")
}

// TestAnIssuerThatIsAway: the server starts without it, tells so, and asks again.
func TestAnIssuerThatIsAway(t *testing.T) {
	t.Parallel()
	clock := newClock()
	i := newIssuer(t)
	i.away = true
	edge, err := auth.OpenOIDC(auth.OIDCConfig{
		Issuer: i.URL, Audience: "dibrain", PrincipalClaim: "sub", GroupsClaim: "groups", Timeout: time.Minute, Clock: clock.Now,
	}, nil)
	require.NoError(t, err)
	_, err = edge.Authenticate(bearer("a.b.c"))
	require.Equal(t, "ISSUER_UNAVAILABLE", fault.ReasonOf(err), "%v", err)
	require.Positive(t, fault.FromStatus(err).RetryAfter)
	require.Error(t, edge.State(t.Context()))
	i.mu.Lock()
	i.away, i.names = false, "https://elsewhere.example"
	i.mu.Unlock()
	clock.Move(time.Minute)
	require.ErrorContains(t, edge.State(t.Context()), "cannot be reached", "who answers is not the issuer that was named")
	i.mu.Lock()
	i.names = ""
	i.mu.Unlock()
	clock.Move(time.Minute)
	require.NoError(t, edge.State(t.Context()))
}

func TestOIDCIsChecked(t *testing.T) {
	t.Parallel()
	good := auth.OIDCConfig{Issuer: "https://login.example.com", Audience: "dibrain", PrincipalClaim: "sub", GroupsClaim: "groups"}
	_, err := auth.OpenOIDC(good, nil)
	require.NoError(t, err)
	for want, change := range map[string]func(*auth.OIDCConfig){
		"auth.oidc.issuer":          func(c *auth.OIDCConfig) { c.Issuer = "http://login.example.com" },
		"an https address":          func(c *auth.OIDCConfig) { c.Issuer = "" },
		"auth.oidc.audience":        func(c *auth.OIDCConfig) { c.Audience = "" },
		"auth.oidc.principal_claim": func(c *auth.OIDCConfig) { c.PrincipalClaim = "" },
		"auth.oidc.groups_claim":    func(c *auth.OIDCConfig) { c.GroupsClaim = "" },
		"auth.oidc.ca_file":         func(c *auth.OIDCConfig) { c.CAFile = "/nowhere" },
	} {
		c := good
		change(&c)
		_, err := auth.OpenOIDC(c, nil)
		require.ErrorContains(t, err, want)
	}
}
