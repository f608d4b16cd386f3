package auth_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestSignedIsNotYetBelieved: what is signed with the right key has to be for this
// service, of now, and of somebody.
func TestSignedIsNotYetBelieved(t *testing.T) {
	t.Parallel()
	clock := newClock()
	key := hopKey(t, 1, clock)
	own, err := key.Audience("findata")
	require.NoError(t, err)
	signed := func(body string) string {
		mac := hmac.New(sha256.New, own)
		mac.Write([]byte(body))
		return body + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	now := clock.Now().UnixMilli()
	claims := func(who, audience string, issued, expires int64) string {
		return "dibhop2." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"p":%q,"aud":%q,"iat":%d,"exp":%d}`, who, audience, issued, expires))
	}
	for name, c := range map[string]struct{ token, reason string }{
		"good":                         {signed(claims("alice", "findata", now, now+1)), ""},
		"from as far as clocks differ": {signed(claims("alice", "findata", now+5000, now+60_000)), ""},
		"from beyond":                  {signed(claims("alice", "findata", now+5001, now+60_000)), "HOP_TOKEN_INVALID"},
		"over at this moment":          {signed(claims("alice", "findata", now-60_000, now)), "HOP_TOKEN_EXPIRED"},
		"for another service":          {signed(claims("alice", "chatbi", now, now+60_000)), "HOP_TOKEN_AUDIENCE"},
		"of nobody":                    {signed(claims("", "findata", now, now+60_000)), "HOP_TOKEN_INVALID"},
		"no claims":                    {signed("dibhop2." + base64.RawURLEncoding.EncodeToString([]byte("[]"))), "HOP_TOKEN_INVALID"},
		"no base64":                    {signed("dibhop2.~~~~"), "HOP_TOKEN_INVALID"},
		"another version":              {signed(strings.Replace(claims("alice", "findata", now, now+60_000), "dibhop2", "dibhop1", 1)), "HOP_TOKEN_INVALID"},
	} {
		p, err := key.Verify(c.token, "findata")
		require.Equal(t, c.reason, fault.ReasonOf(err), name)
		if c.reason == "" {
			require.Equal(t, run.Principal{ID: "alice"}, p, name)
		} else {
			require.Zero(t, p, name)
		}
	}
}

// TestAHopTokenHasABound: the largest token that is signed is also believed.
func TestAHopTokenHasABound(t *testing.T) {
	t.Parallel()
	key := hopKey(t, 1, newClock())
	fits := 0
	for n := 12_000; n < 12_400; n++ {
		p := run.Principal{ID: "alice", Groups: []string{strings.Repeat("g", n)}}
		token, err := key.Sign(p, "findata")
		if err != nil {
			require.ErrorContains(t, err, "1 groups of principal alice do not fit into 16384 bytes")
			continue
		}
		require.LessOrEqual(t, len(token), 16<<10)
		fits = max(fits, len(token))
		got, err := key.Verify(token, "findata")
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	require.Greater(t, fits, 16<<10-4, "nothing smaller is refused")
}

func TestKeysOfTheWallClock(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{3}, auth.MinKeyBytes)
	whole, err := auth.NewHopKey(secret, nil)
	require.NoError(t, err)
	for i := range secret {
		secret[i] = 0 // a key is a copy
	}
	derived, err := whole.Audience("findata")
	require.NoError(t, err)
	given := map[string][]byte{"findata": derived}
	one, err := auth.NewHopKeyOf(given, nil)
	require.NoError(t, err)
	token, err := one.Sign(alice, "findata")
	require.NoError(t, err)
	clear(derived)
	again, err := auth.NewHopKey(bytes.Repeat([]byte{3}, auth.MinKeyBytes), nil)
	require.NoError(t, err)
	for _, k := range []*auth.HopKey{whole, one, again} {
		p, err := k.Verify(token, "findata")
		require.NoError(t, err)
		require.Equal(t, alice, p)
	}
	require.NoError(t, one.WriteKeys(&bytes.Buffer{}, []string{"findata"}))
	require.Equal(t, "HOP_KEY_MISSING", fault.ReasonOf(one.WriteKeys(&bytes.Buffer{}, []string{"findata", "chatbi"})))
	require.ErrorIs(t, whole.WriteKeys(fullDisk{}, []string{"findata"}), errFull)
	_, err = auth.NewHopKeyOf(map[string][]byte{"findata": bytes.Repeat([]byte{1}, auth.MinKeyBytes-1)}, nil)
	require.ErrorContains(t, err, "has 31 bytes and needs at least 32")
}

var errFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := errors.New("no random bytes")
	_, err := auth.EnsureKey(dir, iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	_, err = auth.EnsureKey(dir, strings.NewReader("too few"))
	require.Error(t, err)
	require.NoFileExists(t, filepath.Join(dir, auth.KeyFileName))
	key, err := auth.EnsureKey(dir, bytes.NewReader(bytes.Repeat([]byte{0xab}, auth.MinKeyBytes)))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("ab", auth.MinKeyBytes), string(key), "from the random source given")
	again, err := auth.EnsureKey(dir, iotest.ErrReader(broken))
	require.NoError(t, err, "a key that is there stays")
	require.Equal(t, key, again)

	path := filepath.Join(dir, "mounted")
	require.NoError(t, os.WriteFile(path, []byte("\n  secret\t\n"), 0o600))
	key, err = auth.ReadKey(path)
	require.NoError(t, err)
	require.Equal(t, "secret", string(key))
	_, err = auth.ReadKey(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "auth.hop_key_file")
	_, err = auth.ReadKeys(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = auth.EnsureKey(path, nil) // below what is no folder
	require.Error(t, err)
	require.NotErrorIs(t, err, fs.ErrNotExist)
}

func TestNewTokens(t *testing.T) {
	t.Parallel()
	token, hash, err := auth.NewToken(bytes.NewReader(bytes.Repeat([]byte{0xff}, 32)))
	require.NoError(t, err)
	require.Equal(t, auth.TokenPrefix+strings.Repeat("_", 42)+"8", token, "256 bits of the random source given")
	sum := sha256.Sum256([]byte(token))
	require.Equal(t, fmt.Sprintf("sha256:%x", sum), hash)
	broken := errors.New("no random bytes")
	token, hash, err = auth.NewToken(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	require.Empty(t, token+hash)
}

// TestAChangeOfTheTokenFileIsSeen: after so many seconds, and not by reading the file
// for every call.
func TestAChangeOfTheTokenFileIsSeen(t *testing.T) {
	t.Parallel()
	clock := newClock()
	first, firstHash, err := auth.NewToken(nil)
	require.NoError(t, err)
	second, secondHash, err := auth.NewToken(nil)
	require.NoError(t, err)
	list := func(hash, more string) string { return "tokens: [{hash: \"" + hash + "\", principal: a}]" + more }
	path := writeFile(t, list(firstHash, ""))
	file, err := auth.OpenTokenFile(path, auth.TokenOptions{Clock: clock.Now})
	require.NoError(t, err)
	good := func(token string) bool {
		_, err := file.Authenticate(bearer(token))
		return err == nil
	}
	require.NoError(t, os.WriteFile(path, []byte(list(secondHash, " # another")), 0o600))
	clock.Move(5*time.Second - time.Millisecond)
	require.True(t, good(first))
	clock.Move(time.Millisecond)
	require.False(t, good(first))
	require.True(t, good(second))

	// Of the same size, the time of a change tells it.
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(list(firstHash, " # another")), 0o600))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	clock.Move(time.Minute)
	require.True(t, good(second), "a file with its old time and size is not read again")
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime().Add(time.Second)))
	require.True(t, good(second), "nor before it is time")
	clock.Move(5 * time.Second)
	require.True(t, good(first))

	// The default grace, and an outage that ends with the file as it was.
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, path+".away"))
	clock.Move(5 * time.Second)
	require.True(t, good(first))
	clock.Move(auth.DefaultTokenGrace - time.Second)
	require.True(t, good(first))
	clock.Move(time.Second)
	require.False(t, good(first))
	require.NoError(t, os.Rename(path+".away", path))
	clock.Move(5 * time.Second)
	require.True(t, good(first))
	lasts, closed, problem := file.State()
	require.NoError(t, problem)
	require.Zero(t, lasts)
	require.False(t, closed)
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, kept, now)
}

func TestTokensHaveABound(t *testing.T) {
	t.Parallel()
	long := auth.TokenPrefix + strings.Repeat("x", 256)
	most := func(n int) string { return long[:n] }
	var entries []string
	for _, n := range []int{255, 256, 257} {
		entries = append(entries, "{hash: \""+auth.HashToken(most(n))+"\", principal: a}")
	}
	file, err := auth.OpenTokenFile(writeFile(t, "tokens: ["+strings.Join(entries, ", ")+"]"), auth.TokenOptions{})
	require.NoError(t, err)
	for n, want := range map[int]bool{255: true, 256: true, 257: false} {
		_, err := file.Authenticate(bearer(most(n)))
		require.Equal(t, want, err == nil, n)
	}
	for size, want := range map[int]bool{8 << 20: true, 8<<20 + 1: false} {
		text := "tokens: [] #"
		_, err := auth.OpenTokenFile(writeFile(t, text+strings.Repeat("x", size-len(text))), auth.TokenOptions{})
		require.Equal(t, want, err == nil, "%d: %v", size, err)
	}
	_, err = auth.OpenTokenFile(t.TempDir(), auth.TokenOptions{})
	require.ErrorContains(t, err, "auth.token_file")
}

func TestModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []auth.Mode{auth.ModeLocal, auth.ModeToken, auth.ModeServices} {
		got, err := auth.ParseMode(string(mode))
		require.NoError(t, err)
		require.Equal(t, mode, got)
	}
	got, err := auth.ParseMode("Local")
	require.ErrorContains(t, err, "auth.mode")
	require.Empty(t, got)
}

// TestWhoTheEdgeDoesNotKnowIsNotLetIn: what the edge says of a caller is what the gate
// says.
func TestWhoTheEdgeDoesNotKnowIsNotLetIn(t *testing.T) {
	t.Parallel()
	tokens, err := auth.OpenTokenFile(writeFile(t, "tokens: []"), auth.TokenOptions{})
	require.NoError(t, err)
	for reason, md := range map[string]metadata.MD{"TOKEN_MISSING": {}, "TOKEN_INVALID": bearer("dib_nobody")} {
		p, origin, err := auth.Gate{Edge: tokens}.Authenticate(metadata.NewIncomingContext(t.Context(), md), "/dibrain.router.v1.RouterService/Ask")
		require.Equal(t, reason, fault.ReasonOf(err))
		require.Equal(t, auth.OriginEdge, origin)
		require.Zero(t, p)
	}
	_, _, err = auth.Gate{Edge: tokens}.Authenticate(t.Context(), "/dibrain.router.v1.RouterService/Ask")
	require.Equal(t, "TOKEN_MISSING", fault.ReasonOf(err), "a call without metadata")
}
