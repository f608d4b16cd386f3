package auth_test

import (
	"math/rand/v2"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

func bearer(token string) metadata.MD {
	return metadata.Pairs(auth.KeyAuthorization, "Bearer "+token)
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	clock := newClock()
	token, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	require.Regexp(t, `^dib_[A-Za-z0-9_-]{43}$`, token)
	old, oldHash, err := auth.NewToken(nil)
	require.NoError(t, err)
	require.NotEqual(t, token, old)
	path := writeFile(t, `
tokens:
  - {hash: "`+hash+`", principal: alice, groups: [sales, "数据"], admin: true, expires: 2026-06-01T00:00:00Z}
  - {hash: "`+oldHash+`", principal: bob, expires: 2026-04-01T00:00:00Z}
`)
	file, err := auth.OpenTokenFile(path, auth.TokenOptions{Clock: clock.Now})
	require.NoError(t, err)

	p, err := file.Authenticate(bearer(token))
	require.NoError(t, err)
	require.Equal(t, alice, p)

	for name, tc := range map[string]struct {
		md     metadata.MD
		reason string
	}{
		"none":            {metadata.MD{}, "TOKEN_MISSING"},
		"only a name":     {metadata.Pairs("x-dibrain-principal", "alice"), "TOKEN_MISSING"},
		"expired":         {bearer(old), "TOKEN_EXPIRED"},
		"unknown":         {bearer("dib_nobody"), "TOKEN_INVALID"},
		"the stored hash": {bearer(hash), "TOKEN_INVALID"},
		"other scheme":    {metadata.Pairs(auth.KeyAuthorization, "Basic "+token), "TOKEN_INVALID"},
		"two":             {metadata.Pairs(auth.KeyAuthorization, "Bearer "+token, auth.KeyAuthorization, "Bearer "+token), "TOKEN_INVALID"},
	} {
		p, err := file.Authenticate(tc.md)
		require.Zero(t, p, name)
		require.Equal(t, codes.Unauthenticated, fault.FromStatus(err).Code, name)
		require.Equal(t, tc.reason, fault.ReasonOf(err), name)
	}

	// Revocation needs no restart; a broken file changes nothing for a while.
	require.NoError(t, os.WriteFile(path, []byte("tokens: [{hash: x}]"), 0o600))
	clock.Move(time.Minute)
	_, err = file.Authenticate(bearer(token))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("tokens: []\n"), 0o600))
	clock.Move(time.Minute)
	_, err = file.Authenticate(bearer(token))
	require.Equal(t, "TOKEN_INVALID", fault.ReasonOf(err))
}

func TestTokensOfAFileThatCannotBeReadStopBeingValid(t *testing.T) {
	t.Parallel()
	token, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	whole := "tokens: [{hash: \"" + hash + "\", principal: alice}]"
	path := writeFile(t, whole)
	clock := newClock()
	file, err := auth.OpenTokenFile(path, auth.TokenOptions{Grace: time.Hour, Clock: clock.Now})
	require.NoError(t, err)
	state := func() (bool, time.Duration, bool) {
		lasts, closed, problem := file.State()
		return problem != nil, lasts, closed
	}
	require.NoError(t, os.Remove(path))
	clock.Move(time.Minute)
	broken, lasts, closed := state()
	require.True(t, broken)
	require.Zero(t, lasts)
	require.False(t, closed)
	clock.Move(time.Hour - time.Second)
	_, err = file.Authenticate(bearer(token))
	require.NoError(t, err, "within the grace")
	clock.Move(time.Second)
	_, err = file.Authenticate(bearer(token))
	require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code)
	require.Equal(t, auth.ReasonTokensUnreadable, fault.ReasonOf(err))
	require.NotContains(t, err.Error(), path, "callers are told no paths")
	_, lasts, closed = state()
	require.Equal(t, time.Hour, lasts)
	require.True(t, closed)

	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	clock.Move(time.Minute)
	_, err = file.Authenticate(bearer(token))
	require.NoError(t, err, "mended")
	broken, _, closed = state()
	require.False(t, broken)
	require.False(t, closed)

	require.NoError(t, os.WriteFile(path, []byte("tokens: everything"), 0o600))
	clock.Move(time.Minute)
	broken, lasts, _ = state()
	require.True(t, broken, "text that is no list of tokens")
	require.Zero(t, lasts, "another outage begins anew")
}

func TestTokenFileErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	_, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	for want, text := range map[string]string{
		"tokens[0]: hash must be":             `tokens: [{hash: "secret", principal: a}]`,
		"tokens[0]: principal is missing":     `tokens: [{hash: "` + hash + `"}]`,
		"tokens[1]: the same hash":            `tokens: [{hash: "` + hash + `", principal: a}, {hash: "` + hash + `", principal: b}]`,
		"field expiry not found":              `tokens: [{hash: "` + hash + `", principal: a, expiry: 2026-01-01T00:00:00Z}]`,
		"parsing time \"tomorrow\"":           `tokens: [{hash: "` + hash + `", principal: a, expires: tomorrow}]`,
		"cannot unmarshal !!str `everything`": `everything`,
	} {
		_, err := auth.OpenTokenFile(writeFile(t, text), auth.TokenOptions{})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "auth.token_file")
	}
	_, err = auth.OpenTokenFile(filepath.Join(t.TempDir(), "absent"), auth.TokenOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestGate(t *testing.T) {
	t.Parallel()
	const method = "/dibrain.findata.v1.FindDataService/Discover"
	key := hopKey(t, 1, newClock())
	local := auth.Local{Principal: run.Principal{ID: "me"}}
	hop, err := key.Sign(alice, "findata")
	require.NoError(t, err)
	incoming, findata := metadata.Pairs, []string{"findata"}
	for name, tc := range map[string]struct {
		gate   auth.Gate
		md     metadata.MD
		who    string
		origin auth.Origin
		reason string
	}{
		"hop":                       {auth.Gate{Hops: key, Audiences: findata, Edge: local}, incoming(auth.KeyHop, hop), "alice", auth.OriginHop, ""},
		"edge":                      {auth.Gate{Hops: key, Audiences: findata, Edge: local}, incoming("x-dibrain-principal", "root"), "me", auth.OriginEdge, ""},
		"a bad hop is no edge call": {auth.Gate{Hops: key, Audiences: findata, Edge: local}, incoming(auth.KeyHop, "forged"), "", auth.OriginHop, "HOP_TOKEN_INVALID"},
		"two hops":                  {auth.Gate{Hops: key, Audiences: findata, Edge: local}, incoming(auth.KeyHop, hop, auth.KeyHop, hop), "", auth.OriginHop, "HOP_TOKEN_INVALID"},
		"no service of it is called from elsewhere": {auth.Gate{Hops: key, Edge: local}, incoming(auth.KeyHop, hop), "", auth.OriginHop, "HOP_TOKEN_INVALID"},
		"another service of it is":                  {auth.Gate{Hops: key, Audiences: []string{"chatbi"}, Edge: local}, incoming(auth.KeyHop, hop), "", auth.OriginHop, "HOP_TOKEN_INVALID"},
		"no key":                                    {auth.Gate{Audiences: findata, Edge: local}, incoming(auth.KeyHop, hop), "", auth.OriginHop, "HOP_TOKEN_INVALID"},
		"services only":                             {auth.Gate{Hops: key}, incoming(), "", auth.OriginEdge, "HOP_TOKEN_MISSING"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, origin, err := tc.gate.Authenticate(metadata.NewIncomingContext(t.Context(), tc.md), method)
			require.Equal(t, tc.who, p.ID)
			require.Equal(t, tc.origin, origin)
			require.Equal(t, tc.reason, fault.ReasonOf(err))
		})
	}
}

func TestAudience(t *testing.T) {
	t.Parallel()
	require.Equal(t, "findata", auth.Audience("/dibrain.findata.v1.FindDataService/Discover"))
	require.Equal(t, "acme.agents.v1.Agent", auth.Audience("/acme.agents.v1.Agent/Do"))
	require.Equal(t, "", auth.Audience(""))
}

func TestLocalUser(t *testing.T) {
	t.Parallel()
	local, err := auth.LocalUser()
	require.NoError(t, err)
	p, err := local.Authenticate(nil)
	require.NoError(t, err)
	u, err := user.Current()
	require.NoError(t, err)
	require.NotEmpty(t, u.Username)
	require.Equal(t, run.Principal{ID: u.Username, Admin: true}, p)
}

func TestCheckListen(t *testing.T) {
	t.Parallel()
	for address, reason := range map[string]string{
		"127.0.0.1:7070":    "",
		"127.8.8.8:0":       "",
		"[::1]:7070":        "",
		"localhost:7070":    "",
		":7070":             "LISTEN_BEYOND_LOOPBACK",
		"0.0.0.0:7070":      "LISTEN_BEYOND_LOOPBACK",
		"[::]:7070":         "LISTEN_BEYOND_LOOPBACK",
		"192.0.2.1:7070":    "LISTEN_BEYOND_LOOPBACK",
		"7070":              "ADDRESS_INVALID",
		"no host at all:70": "ADDRESS_INVALID",
	} {
		require.Equal(t, reason, fault.ReasonOf(auth.CheckListen(t.Context(), auth.ModeLocal, address, "--listen")), address)
	}
	require.NoError(t, auth.CheckListen(t.Context(), auth.ModeToken, ":7070", "--listen"))
	require.False(t, auth.IsLoopback(t.Context(), ":7070"))
	_, err := auth.ParseMode("none")
	require.Error(t, err)
}

func TestCheckPlaintext(t *testing.T) {
	t.Parallel()
	const plain, tls, allowed = false, true, true
	require.Equal(t, "LISTEN_WITHOUT_TLS", fault.ReasonOf(auth.CheckPlaintext(t.Context(), "0.0.0.0:7070", "--listen", plain, false)))
	require.Equal(t, "LISTEN_WITHOUT_TLS", fault.ReasonOf(auth.CheckPlaintext(t.Context(), "192.0.2.1:7070", "--listen", plain, false)))
	require.Equal(t, "ADDRESS_INVALID", fault.ReasonOf(auth.CheckPlaintext(t.Context(), "7070", "--listen", plain, false)))
	require.NoError(t, auth.CheckPlaintext(t.Context(), "127.0.0.1:7070", "--listen", plain, false))
	require.NoError(t, auth.CheckPlaintext(t.Context(), "0.0.0.0:7070", "--listen", tls, false))
	require.NoError(t, auth.CheckPlaintext(t.Context(), "0.0.0.0:7070", "--listen", plain, allowed))
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	clock := newClock()
	limiter := auth.NewLimiter(auth.LimitConfig{PerSecond: 2, Burst: 3, MaxPrincipals: 2}, clock.Now)
	for range 3 {
		require.NoError(t, limiter.Allow("alice"))
	}
	err := limiter.Allow("alice")
	require.Equal(t, codes.ResourceExhausted, fault.FromStatus(err).Code)
	require.Equal(t, "RATE_LIMITED", fault.ReasonOf(err))
	require.Equal(t, 500*time.Millisecond, fault.FromStatus(err).RetryAfter)
	require.NoError(t, limiter.Allow("bob"), "others are not held up")

	clock.Move(500 * time.Millisecond)
	require.NoError(t, limiter.Allow("alice"), "refused calls cost nothing")
	require.Error(t, limiter.Allow("alice"))
	require.NoError(t, limiter.Allow("carol")) // forgets bob, who called longest ago
	require.Error(t, limiter.Allow("alice"), "alice is still remembered")
	require.NoError(t, (*auth.Limiter)(nil).Allow("anybody"))
}

// TestALimitIsChanged: a limit that is changed counts at once, for those that it knows too.
func TestALimitIsChanged(t *testing.T) {
	t.Parallel()
	clock := newClock()
	limiter := auth.NewLimiter(auth.LimitConfig{}, clock.Now)
	for range 100 {
		require.NoError(t, limiter.Allow("alice"), "zero is off")
	}
	limiter.Set(auth.LimitConfig{PerSecond: 1, Burst: 2, MaxPrincipals: 2})
	require.NoError(t, limiter.Allow("alice"))
	require.NoError(t, limiter.Allow("alice"))
	require.Error(t, limiter.Allow("alice"))
	limiter.Set(auth.LimitConfig{PerSecond: 10, Burst: 5, MaxPrincipals: 2})
	require.Equal(t, 100*time.Millisecond, fault.FromStatus(limiter.Allow("alice")).RetryAfter)
	clock.Move(time.Second)
	for range 5 {
		require.NoError(t, limiter.Allow("alice"))
	}
	require.Error(t, limiter.Allow("alice"))
	clock.Move(time.Second)
	limiter.Set(auth.LimitConfig{PerSecond: 10, Burst: 1, MaxPrincipals: 2})
	require.NoError(t, limiter.Allow("alice"))
	require.Error(t, limiter.Allow("alice"), "what was saved up is at most the new burst")
	require.NoError(t, limiter.Allow("bob"))
	limiter.Set(auth.LimitConfig{PerSecond: 10, Burst: 1, MaxPrincipals: 1})
	require.Error(t, limiter.Allow("bob"), "who called last is remembered")
	require.NoError(t, limiter.Allow("alice"), "who called before is not")
	limiter.Set(auth.LimitConfig{})
	require.NoError(t, limiter.Allow("alice"))
}

// TestLimiterAgainstAModel: calls of four principals by chance are let through as by a
// bucket for each of the three that called last.
func TestLimiterAgainstAModel(t *testing.T) {
	t.Parallel()
	const perSecond, burst, most = 0.5, 3, 3
	type bucket struct {
		tokens float64
		last   time.Time
	}
	clock := newClock()
	random := rand.New(rand.NewPCG(1, 2))
	limiter := auth.NewLimiter(auth.LimitConfig{PerSecond: perSecond, Burst: burst, MaxPrincipals: most}, clock.Now)
	buckets, recent := map[string]*bucket{}, []string{}
	allowed := 0
	for range 3_000 {
		clock.Move(time.Duration(random.IntN(4)) * 125 * time.Millisecond)
		id := string(rune('a' + random.IntN(4)))
		b := buckets[id]
		if b == nil {
			if len(recent) == most {
				delete(buckets, recent[0])
				recent = recent[1:]
			}
			b = &bucket{tokens: burst, last: clock.Now()}
			buckets[id] = b
		}
		recent = append(slices.DeleteFunc(recent, func(other string) bool { return other == id }), id)
		b.tokens, b.last = min(burst, b.tokens+perSecond*clock.Now().Sub(b.last).Seconds()), clock.Now()
		err := limiter.Allow(id)
		if b.tokens >= 1 {
			b.tokens--
			allowed++
			require.NoError(t, err, id)
			continue
		}
		require.Equal(t, time.Duration((1-b.tokens)/perSecond*float64(time.Second)), fault.FromStatus(err).RetryAfter)
	}
	require.Greater(t, allowed, 500)
	require.Less(t, allowed, 2_500)
}

// TestLimiterWithoutSettings: a limit without a burst or principals lets one call of one
// principal through, on the wall clock.
func TestLimiterWithoutSettings(t *testing.T) {
	t.Parallel()
	limiter := auth.NewLimiter(auth.LimitConfig{PerSecond: 1e-6}, nil)
	require.NoError(t, limiter.Allow("alice"))
	require.Error(t, limiter.Allow("alice"))
	require.NoError(t, limiter.Allow("bob"))
	require.NoError(t, limiter.Allow("alice"), "bob had her place")
}
