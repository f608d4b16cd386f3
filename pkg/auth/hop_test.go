package auth_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

var alice = run.Principal{ID: "alice", Groups: []string{"sales", "数据"}, Admin: true}

func newClock() *clocktest.Clock { return clocktest.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)) }

func hopKey(t *testing.T, fill byte, clock *clocktest.Clock) *auth.HopKey {
	t.Helper()
	key, err := auth.NewHopKey(bytes.Repeat([]byte{fill}, auth.MinKeyBytes), clock.Now)
	require.NoError(t, err)
	return key
}

func TestHopRoundTrip(t *testing.T) {
	t.Parallel()
	clock := newClock()
	key := hopKey(t, 1, clock)
	token, err := key.Sign(alice, "findata")
	require.NoError(t, err)
	clock.Move(auth.HopTTL - time.Millisecond)
	got, err := key.Verify(token, "findata")
	require.NoError(t, err)
	require.Equal(t, alice, got)
}

func TestHopRefusals(t *testing.T) {
	t.Parallel()
	clock := newClock()
	key := hopKey(t, 1, clock)
	token, err := key.Sign(alice, "findata")
	require.NoError(t, err)
	payload, mac := token[:strings.LastIndexByte(token, '.')], token[strings.LastIndexByte(token, '.')+1:]
	flipped := []byte(token)
	flipped[len("dibhop2.")+3] ^= 1

	for name, tc := range map[string]struct {
		token, audience, reason string
		later                   time.Duration
		key                     *auth.HopKey
	}{
		"other audience":   {token: token, audience: "chatbi", reason: "HOP_TOKEN_INVALID"},
		"expired":          {token: token, later: auth.HopTTL, reason: "HOP_TOKEN_EXPIRED"},
		"from the future":  {token: token, later: -time.Minute, reason: "HOP_TOKEN_INVALID"},
		"other key":        {token: token, key: hopKey(t, 2, clock), reason: "HOP_TOKEN_INVALID"},
		"changed payload":  {token: string(flipped), reason: "HOP_TOKEN_INVALID"},
		"no signature":     {token: payload + ".", reason: "HOP_TOKEN_INVALID"},
		"only a signature": {token: "." + mac, reason: "HOP_TOKEN_INVALID"},
		"no version":       {token: strings.TrimPrefix(token, "dibhop2."), reason: "HOP_TOKEN_INVALID"},
		"empty":            {reason: "HOP_TOKEN_INVALID"},
		"huge":             {token: "dibhop2." + strings.Repeat("a", 1<<20) + "." + mac, reason: "HOP_TOKEN_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verifier := tc.key
			if verifier == nil {
				moved := newClock()
				moved.Move(tc.later)
				verifier = hopKey(t, 1, moved)
			}
			audience := tc.audience
			if audience == "" {
				audience = "findata"
			}
			p, err := verifier.Verify(tc.token, audience)
			require.Zero(t, p)
			require.Equal(t, codes.Unauthenticated, fault.FromStatus(err).Code)
			require.Equal(t, tc.reason, fault.ReasonOf(err))
		})
	}
}

func TestHopSignNeedsSomebodyThatFits(t *testing.T) {
	t.Parallel()
	key := hopKey(t, 1, newClock())
	_, err := key.Sign(run.Principal{}, "findata")
	require.Error(t, err)
	_, err = key.Sign(run.Principal{ID: "a", Groups: []string{strings.Repeat("g", 32<<10)}}, "findata")
	require.ErrorContains(t, err, "do not fit")
	_, err = auth.NewHopKey([]byte("short"), nil)
	require.ErrorContains(t, err, "openssl rand -hex 32")
}

func TestEnsureKeyMakesOneKeyForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			key, err := auth.EnsureKey(dir, nil)
			if err == nil {
				keys[i] = key
			}
		})
	}
	wg.Wait()
	for _, key := range keys {
		require.Len(t, key, 2*auth.MinKeyBytes)
		require.Equal(t, keys[0], key)
	}
	path := filepath.Join(dir, auth.KeyFileName)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary files stay")

	require.NoError(t, os.Chmod(path, 0o644))
	_, err = auth.EnsureKey(dir, nil)
	require.ErrorContains(t, err, "chmod 600")
	_, err = auth.EnsureKey(filepath.Join(dir, "absent"), nil)
	require.ErrorContains(t, err, "make the hop key")
	_, err = auth.EnsureKey(path, nil) // a file is no folder
	require.ErrorContains(t, err, "read the hop key: stat")
}

func FuzzHopVerify(f *testing.F) {
	clock := newClock()
	key, err := auth.NewHopKey(bytes.Repeat([]byte{7}, auth.MinKeyBytes), clock.Now)
	require.NoError(f, err)
	good, err := key.Sign(alice, "router")
	require.NoError(f, err)
	f.Add(good)
	f.Add("dibhop2..")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := key.Verify(token, "router"); err == nil && token != good {
			t.Fatalf("accepted %q, which nobody signed", token)
		}
	})
}

func TestEachAudienceHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	clock := newClock()
	master := hopKey(t, 1, clock)
	var file bytes.Buffer
	require.NoError(t, master.WriteKeys(&file, []string{"text2sql", "findata"}))
	path := filepath.Join(t.TempDir(), "hop-keys.yaml")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	keys, err := auth.ReadKeys(path)
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.NotEqual(t, keys["text2sql"], keys["findata"])
	taken, err := auth.NewHopKeyOf(keys, clock.Now) // what somebody has who took text2sql over
	require.NoError(t, err)

	token, err := taken.Sign(alice, "findata")
	require.NoError(t, err)
	p, err := master.Verify(token, "findata")
	require.NoError(t, err, "the same keys, whether held or derived")
	require.Equal(t, alice, p)

	_, err = taken.Sign(alice, "chatbi")
	require.Equal(t, "HOP_KEY_MISSING", fault.ReasonOf(err))
	require.ErrorContains(t, err, "dibrain config hop-keys")
	forged, err := auth.NewHopKeyOf(map[string][]byte{"chatbi": keys["findata"]}, clock.Now)
	require.NoError(t, err)
	token, err = forged.Sign(alice, "chatbi")
	require.NoError(t, err)
	_, err = master.Verify(token, "chatbi")
	require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), "a key signs for its own audience only")
	_, err = taken.Verify(token, "chatbi")
	require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), "without a key nothing is believed")

	_, err = auth.NewHopKeyOf(map[string][]byte{"findata": []byte("short")}, nil)
	require.ErrorContains(t, err, "hop key for findata")
	for want, text := range map[string]string{
		"audiences.findata is no key in hex": "audiences: {findata: xyz}", "field keys not found": "keys: {}",
		"it is larger than 1048576 bytes": "audiences: {}\n#" + strings.Repeat("x", 1<<20),
	} {
		bad := filepath.Join(t.TempDir(), "bad.yaml")
		require.NoError(t, os.WriteFile(bad, []byte(text), 0o600))
		_, err = auth.ReadKeys(bad)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "auth.hop_keys_file")
	}
}
