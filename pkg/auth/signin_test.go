package auth_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// attempt is a sign-in that goes as err says.
func attempt(s *auth.SignIns, address, token string, err error) error {
	md := metadata.MD{}
	if token != "" {
		md = bearer(token)
	}
	done, refused := s.Attempt(address, md)
	if refused != nil {
		return refused
	}
	done(err)
	return nil
}

func TestFailedSignInsAreLimited(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := auth.NewSignIns(auth.SignInConfig{Failures: 3, Every: time.Minute, MaxAddresses: 100}, clock.Now)
	invalid := fault.New(codes.Unauthenticated, "TOKEN_INVALID", "x")
	require.NoError(t, attempt(s, "10.0.0.1:5000", "dib_good", nil))
	for i := range 3 {
		require.NoError(t, attempt(s, fmt.Sprintf("10.0.0.1:%d", 5001+i), fmt.Sprintf("dib_guess%d", i), invalid))
	}
	err := attempt(s, "10.0.0.1:6000", "dib_new", nil)
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(err), "of one address, whatever the port, and before anybody looks")
	require.Equal(t, codes.ResourceExhausted, fault.FromStatus(err).Code)
	require.Equal(t, time.Minute, fault.FromStatus(err).RetryAfter.Round(time.Second))
	require.NoError(t, attempt(s, "10.0.0.1:6001", "dib_good", nil), "who was signed in from there goes on")
	require.NoError(t, attempt(s, "10.0.0.2:6001", "dib_new", nil), "another address is another budget")
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(attempt(s, "10.0.0.1:1", "", nil)))

	clock.Move(time.Minute)
	require.NoError(t, attempt(s, "10.0.0.1:6002", "dib_guess", invalid), "one more after a while")
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(attempt(s, "10.0.0.1:6003", "dib_guess", invalid)))

	// A token that was good and is not any more counts as any other.
	require.NoError(t, attempt(s, "10.0.0.1:6004", "dib_good", invalid))
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(attempt(s, "10.0.0.1:6005", "dib_good", invalid)))
}

func TestWhatIsNoFailedSignIn(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"no token":            fault.New(codes.Unauthenticated, auth.ReasonTokenMissing, "x"),
		"the store is away":   fault.New(codes.Unavailable, auth.ReasonTokensUnreadable, "x"),
		"the issuer is away":  fault.New(codes.Unavailable, "ISSUER_UNAVAILABLE", "x"),
		"the sign-in is good": nil,
	} {
		s := auth.NewSignIns(auth.SignInConfig{Failures: 1, Every: time.Hour, MaxAddresses: 10}, newClock().Now)
		for i := range 5 {
			require.NoError(t, attempt(s, "10.0.0.1:1", fmt.Sprintf("dib_%d", i), err), name)
		}
	}
	off := auth.NewSignIns(auth.SignInConfig{Every: time.Hour, MaxAddresses: 10}, nil)
	for range 5 {
		require.NoError(t, attempt(off, "10.0.0.1:1", "dib_x", fault.New(codes.Unauthenticated, "TOKEN_INVALID", "x")), "0 is off")
	}
	off.Set(auth.SignInConfig{Failures: 1, Every: time.Hour, MaxAddresses: 1})
	for _, address := range []string{"10.0.0.2:1", "10.0.0.3:1"} {
		require.NoError(t, attempt(off, address, "dib_good", nil))
		require.NoError(t, attempt(off, address, "dib_x", fault.New(codes.Unauthenticated, "TOKEN_INVALID", "x")))
	}
	require.Error(t, attempt(off, "10.0.0.3:1", "dib_y", nil), "the limit was switched on")
	require.NoError(t, attempt(off, "10.0.0.3:1", "dib_good", nil))
	off.Set(auth.SignInConfig{})
	require.NoError(t, attempt(off, "10.0.0.3:1", "dib_y", nil), "and off")
}

// TestNetworks: of IPv6 one customer has a whole network, of which every address is a new one.
func TestNetworks(t *testing.T) {
	t.Parallel()
	invalid := fault.New(codes.Unauthenticated, "TOKEN_INVALID", "x")
	for name, tc := range map[string]struct {
		a, b string
		one  bool
	}{
		"ports":             {"10.0.0.1:1", "10.0.0.1:2", true},
		"IPv4":              {"10.0.0.1:1", "10.0.0.2:1", false},
		"one /64":           {"[2001:db8::1]:1", "[2001:db8::ffff:1]:1", true},
		"two /64":           {"[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", false},
		"IPv4 in IPv6":      {"[::ffff:10.0.0.1]:1", "10.0.0.1:1", true},
		"zones":             {"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		"within a process":  {"bufconn", "bufconn", true},
		"nobody knows what": {"", "", true},
	} {
		s := auth.NewSignIns(auth.SignInConfig{Failures: 1, Every: time.Hour, MaxAddresses: 10}, newClock().Now)
		require.NoError(t, attempt(s, tc.a, "dib_1", invalid), name)
		require.Equal(t, tc.one, attempt(s, tc.b, "dib_2", nil) != nil, name)
	}
}

// TestSignInsAreBounded: what is remembered of good credentials makes room, the one that was
// used longest ago first.
func TestSignInsAreBounded(t *testing.T) {
	t.Parallel()
	s := auth.NewSignIns(auth.SignInConfig{Failures: 1, Every: time.Hour, MaxAddresses: 2}, newClock().Now)
	for _, token := range []string{"dib_a", "dib_b", "dib_a", "dib_c"} {
		require.NoError(t, attempt(s, "10.0.0.1:1", token, nil))
	}
	require.NoError(t, attempt(s, "10.0.0.1:1", "dib_x", fault.New(codes.Unauthenticated, "TOKEN_INVALID", "x")))
	require.NoError(t, attempt(s, "10.0.0.1:1", "dib_a", nil))
	require.NoError(t, attempt(s, "10.0.0.1:1", "dib_c", nil))
	require.Error(t, attempt(s, "10.0.0.1:1", "dib_b", nil))
}

func TestScopes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scopes []string
		method string
		in     bool
	}{
		"none: all":       {nil, "/dibrain.router.v1.RouterService/Ask", true},
		"the service":     {[]string{"findata", "router"}, "/dibrain.router.v1.RouterService/Ask", true},
		"the call":        {[]string{"router/Ask"}, "/dibrain.router.v1.RouterService/Ask", true},
		"another call":    {[]string{"router/Chat"}, "/dibrain.router.v1.RouterService/Ask", false},
		"another service": {[]string{"findata"}, "/dibrain.router.v1.RouterService/Ask", false},
		"the beginning":   {[]string{"router/As"}, "/dibrain.router.v1.RouterService/Ask", false},
	} {
		err := auth.InScope(run.Principal{ID: "alice", Scopes: tc.scopes}, tc.method)
		if tc.in {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, "TOKEN_SCOPE", fault.ReasonOf(err), name)
		require.Equal(t, codes.PermissionDenied, fault.FromStatus(err).Code, name)
		require.ErrorContains(t, err, `"router/Ask"`, "it says what it takes")
	}
	for _, bad := range []string{"", "*", "router/", "Router", "router/ask", "router/Ask/x", "dibrain.router.v1"} {
		require.Error(t, auth.CheckScopes([]string{bad}), bad)
	}
	require.NoError(t, auth.CheckScopes([]string{"router", "findata/SearchTables"}))
	require.Error(t, auth.CheckScopes(make([]string, 101)))

	_, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	_, err = auth.OpenTokenFile(writeFile(t, `tokens: [{hash: "`+hash+`", principal: a, scopes: [everything/]}]`), auth.TokenOptions{})
	require.ErrorContains(t, err, "tokens[0]")
}
