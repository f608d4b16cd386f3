package tokenstore_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

const day = 24 * time.Hour

// overKinds runs a test over each kind of store; open opens one more handle on the same tokens.
func overKinds(t *testing.T, test func(t *testing.T, open func() tokenstore.Store)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		test(t, func() tokenstore.Store {
			s := tokenstore.OpenSQLite(dir)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			return s
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		dsn := postgrestest.DSN(t)
		test(t, func() tokenstore.Store {
			s, err := tokenstore.OpenPostgres(t.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 3})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			return s
		})
	})
}

func bearer(token string) metadata.MD {
	return metadata.Pairs(auth.KeyAuthorization, "Bearer "+token)
}

func reasonOf(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	return fault.ReasonOf(err)
}

// TestALife follows a token from its making to its end, as the server sees it that reads the
// same store by a handle of its own.
func TestALife(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open func() tokenstore.Store) {
		c := clocktest.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
		server := auth.OpenTokens(open(), auth.TokenOptions{Clock: c.Now})
		tokens := tokenstore.Tokens{Store: open(), Clock: c.Now, Most: 10}
		_, err := server.Authenticate(bearer("dib_nobody"))
		require.Equal(t, "TOKEN_INVALID", reasonOf(t, err), "there is none yet")

		want := tokenstore.Token{Principal: "alice", Groups: []string{"sales", "数据"}, Admin: true, Scopes: []string{"router", "findata/Discover"}, Note: "her notebook", CreatedBy: "root"}
		made, secret, err := tokens.Create(t.Context(), want, 30*day)
		require.NoError(t, err)
		require.Regexp(t, `^tok_[0-9a-f]{24}$`, made.ID)
		require.Equal(t, c.Now().Add(30*day), made.Expires)
		c.Move(2 * time.Second) // a token that is not known is looked for once a second
		p, err := server.Authenticate(bearer(secret))
		require.NoError(t, err)
		require.Equal(t, run.Principal{ID: "alice", Groups: want.Groups, Admin: true, Scopes: want.Scopes, Token: made.ID}, p)

		listed, err := tokens.List(t.Context(), "alice")
		require.NoError(t, err)
		require.Len(t, listed, 1)
		require.Equal(t, "her notebook", listed[0].Note)
		require.Equal(t, "root", listed[0].CreatedBy)
		require.Equal(t, made.Expires, listed[0].Expires)
		others, err := tokens.List(t.Context(), "bob")
		require.NoError(t, err)
		require.Empty(t, others)

		next, newSecret, err := tokens.Rotate(t.Context(), made.ID, "carol", 60*day, day)
		require.NoError(t, err)
		require.Equal(t, made.ID, next.Replaces)
		require.Equal(t, "carol", next.CreatedBy)
		require.Equal(t, want.Scopes, next.Scopes)
		c.Move(10 * time.Second)
		for _, s := range []string{secret, newSecret} { // both are good for the overlap
			_, err := server.Authenticate(bearer(s))
			require.NoError(t, err)
		}
		c.Move(day)
		_, err = server.Authenticate(bearer(secret))
		require.Equal(t, "TOKEN_EXPIRED", reasonOf(t, err))
		_, _, err = tokens.Rotate(t.Context(), made.ID, "carol", day, 0)
		require.Equal(t, "TOKEN_UNKNOWN", reasonOf(t, err), "what has ended is not rotated")
		_, err = server.Authenticate(bearer(newSecret))
		require.NoError(t, err)

		require.NoError(t, tokens.Revoke(t.Context(), next.ID))
		c.Move(6 * time.Second)
		_, err = server.Authenticate(bearer(newSecret))
		require.Equal(t, "TOKEN_INVALID", reasonOf(t, err))
		require.Equal(t, "TOKEN_UNKNOWN", reasonOf(t, tokens.Revoke(t.Context(), next.ID)), "twice")
		listed, err = tokens.List(t.Context(), "")
		require.NoError(t, err)
		require.Len(t, listed, 2, "those that ended are still told of")
		require.Equal(t, next.ID, listed[0].ID)
		require.False(t, listed[0].Good(c.Now()))
		require.False(t, listed[0].Revoked.IsZero())

		// Long after, the next one that is made forgets them.
		c.Move(tokenstore.Remembered + 60*day)
		_, _, err = tokens.Create(t.Context(), tokenstore.Token{Principal: "bob"}, day)
		require.NoError(t, err)
		listed, err = tokens.List(t.Context(), "")
		require.NoError(t, err)
		require.Len(t, listed, 1)
		require.Equal(t, "bob", listed[0].Principal)
	})
}

func TestRotationEndsNothingLater(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open func() tokenstore.Store) {
		c := clocktest.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
		tokens := tokenstore.Tokens{Store: open(), Clock: c.Now, Most: 2}
		made, _, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "alice"}, time.Hour)
		require.NoError(t, err)
		_, _, err = tokens.Rotate(t.Context(), made.ID, "alice", day, 10*day)
		require.NoError(t, err)
		listed, err := tokens.List(t.Context(), "alice")
		require.NoError(t, err)
		for _, l := range listed {
			if l.ID == made.ID {
				require.Equal(t, made.Expires, l.Expires, "an overlap never lengthens a life")
			}
		}
		_, _, err = tokens.Create(t.Context(), tokenstore.Token{Principal: "bob"}, day)
		require.Equal(t, "TOO_MANY_TOKENS", reasonOf(t, err))
		// A token that is rotated without overlap makes its own room.
		_, _, err = tokens.Rotate(t.Context(), made.ID, "alice", day, 0)
		require.NoError(t, err)
		n, err := tokens.RevokeAll(t.Context(), "alice")
		require.NoError(t, err)
		require.Equal(t, int64(2), n)
		n, err = tokens.RevokeAll(t.Context(), "")
		require.NoError(t, err)
		require.Zero(t, n, "nobody has all tokens revoked by naming nobody")
		_, _, err = tokens.Create(t.Context(), tokenstore.Token{Principal: "bob"}, day)
		require.NoError(t, err, "there is room again")
	})
}

// TestOfSeveralAtOnceNoMoreThanTheBound makes tokens by two handles at once.
func TestOfSeveralAtOnceNoMoreThanTheBound(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open func() tokenstore.Store) {
		handles := []tokenstore.Store{open(), open()}
		var made, refused int
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				tokens := tokenstore.Tokens{Store: handles[i%2], Clock: time.Now, Most: 3}
				_, _, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "alice"}, day)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					made++
				case fault.ReasonOf(err) == "TOO_MANY_TOKENS":
					refused++
				default:
					t.Errorf("%v", err)
				}
			})
		}
		all.Wait()
		require.Equal(t, 3, made)
		require.Equal(t, 5, refused)
	})
}

func TestWhatIsNoToken(t *testing.T) {
	t.Parallel()
	tokens := tokenstore.Tokens{Store: tokenstore.OpenSQLite(t.TempDir()), Clock: time.Now, Most: 10}
	for name, tc := range map[string]struct {
		token tokenstore.Token
		life  time.Duration
	}{
		"nobody":            {tokenstore.Token{}, day},
		"a long name":       {tokenstore.Token{Principal: strings.Repeat("a", 129)}, day},
		"a zero byte":       {tokenstore.Token{Principal: "a\x00"}, day},
		"an empty group":    {tokenstore.Token{Principal: "a", Groups: []string{""}}, day},
		"a long note":       {tokenstore.Token{Principal: "a", Note: strings.Repeat("a", 501)}, day},
		"no life":           {tokenstore.Token{Principal: "a"}, 0},
		"for ever":          {tokenstore.Token{Principal: "a"}, tokenstore.MaxLife + 1},
		"a scope of stars":  {tokenstore.Token{Principal: "a", Scopes: []string{"*"}}, day},
		"an empty scope":    {tokenstore.Token{Principal: "a", Scopes: []string{""}}, day},
		"a scope of a path": {tokenstore.Token{Principal: "a", Scopes: []string{"router/Ask/x"}}, day},
	} {
		_, _, err := tokens.Create(t.Context(), tc.token, tc.life)
		require.Equal(t, "TOKEN_NOT_MADE", reasonOf(t, err), name)
	}
	made, _, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "a"}, tokenstore.MaxLife)
	require.NoError(t, err)
	_, _, err = tokens.Rotate(t.Context(), made.ID, "a", day, -1)
	require.Equal(t, "TOKEN_INVALID_OVERLAP", reasonOf(t, err))
	_, _, err = tokens.Rotate(t.Context(), "tok_none", "a", day, 0)
	require.Equal(t, "TOKEN_UNKNOWN", reasonOf(t, err))
}

// TestTheTokenItselfIsNowhere looks through the bytes of the store.
func TestTheTokenItselfIsNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := tokenstore.OpenSQLite(dir)
	tokens := tokenstore.Tokens{Store: s, Clock: time.Now, Most: 10}
	_, secret, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "alice"}, day)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(tokenstore.File)))
	require.NoError(t, err)
	require.Contains(t, string(raw), "alice")
	require.False(t, bytes.Contains(raw, []byte(secret[len(auth.TokenPrefix):])))
}

// away is a store that fails while it is told to.
type away struct {
	tokenstore.Store
	mu     sync.Mutex
	failed error
}

func (a *away) set(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = err
}

func (a *away) Load(ctx context.Context, since string) ([]auth.Entry, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return nil, "", a.failed
	}
	return a.Store.Load(ctx, since)
}

// TestAStoreThatIsAway: who is known stays so for the grace, then nobody is let in; a store
// that was never read lets nobody in.
func TestAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	c := clocktest.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	s := &away{Store: tokenstore.OpenSQLite(t.TempDir())}
	tokens := tokenstore.Tokens{Store: s, Clock: c.Now, Most: 10}
	_, secret, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "alice"}, day)
	require.NoError(t, err)
	s.set(os.ErrDeadlineExceeded)
	server := auth.OpenTokens(s, auth.TokenOptions{Clock: c.Now, Grace: time.Minute})
	_, err = server.Authenticate(bearer(secret))
	require.Equal(t, auth.ReasonTokensUnreadable, reasonOf(t, err))
	require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code)

	s.set(nil)
	c.Move(6 * time.Second)
	_, err = server.Authenticate(bearer(secret))
	require.NoError(t, err)
	s.set(os.ErrDeadlineExceeded)
	c.Move(6 * time.Second)
	_, err = server.Authenticate(bearer(secret))
	require.NoError(t, err)
	_, closed, problem := server.State()
	require.False(t, closed)
	require.ErrorIs(t, problem, os.ErrDeadlineExceeded)
	c.Move(time.Minute)
	_, err = server.Authenticate(bearer(secret))
	require.Equal(t, auth.ReasonTokensUnreadable, reasonOf(t, err))
	_, closed, _ = server.State()
	require.True(t, closed)
}
