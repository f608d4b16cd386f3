package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// noise is bytes that do not get smaller when they are packed.
func noise(n int) []byte {
	out, state := make([]byte, n), uint64(99)
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		out[i] = byte(state >> 56)
	}
	return out
}

// TestHowOutputsAreStored: an output is packed where that makes it smaller, and is told
// only as it was given: one that is coded otherwise is an error, and never bytes.
func TestHowOutputsAreStored(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Open: &store.Session{ID: "ses_1"}}))
	for id, c := range map[string]struct {
		output []byte
		packed bool
	}{
		"call_empty": {nil, false}, "call_below": {bytes.Repeat([]byte("a"), coding.PackFrom-1), false}, "call_from": {bytes.Repeat([]byte("a"), coding.PackFrom), true},
		"call_noise": {noise(8 * coding.PackFrom), false}, "call_large": {bytes.Repeat([]byte("rows "), 100_000), true},
	} {
		require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{{ID: id, Output: c.output, Status: run.StatusSucceeded}}}))
		require.NoError(t, s.settle(t.Context(), ""))
		var how string
		var size int
		require.NoError(t, s.read.QueryRowContext(t.Context(), `SELECT output_coding, coalesce(octet_length(output), 0) FROM tool_calls WHERE id = ?`, id).Scan(&how, &size))
		require.Equal(t, c.packed, how == coding.Zstd, id)
		require.Equal(t, c.packed, size < len(c.output), "%s takes %d bytes", id, size)
		got, err := s.ToolCall(t.Context(), alice, id)
		require.NoError(t, err)
		require.Equal(t, string(c.output), string(got.Output), id)
		for _, other := range []string{"br", "ZSTD", " "} {
			_, err = s.write.ExecContext(t.Context(), `UPDATE tool_calls SET output_coding = ? WHERE id = ?`, other, id)
			require.NoError(t, err)
			got, err = s.ToolCall(t.Context(), alice, id)
			require.ErrorContains(t, err, "which this version does not read", "%s as %q", id, other)
			require.Empty(t, got.Output)
		}
	}
	_, err = s.packer.Unpack([]byte("no zstd at all"), coding.Zstd)
	require.ErrorContains(t, err, "unpack an output")
}

// TestTheCountOfASessionsBytes is that of what is stored once a session was beyond its
// bound, so that the turns after that need not add up again.
func TestTheCountOfASessionsBytes(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice, at := run.Principal{ID: "alice"}, time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	const large = 10_000
	for i, name := range []string{"a", "b", "c", "d"} {
		l, err := s.Lock(t.Context(), alice, "ses_1", time.Hour)
		require.NoError(t, err)
		at = at.Add(time.Minute)
		record := run.Record{RunID: "run_" + name, Status: run.StatusSucceeded, StartedAt: at, EndedAt: at}
		require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{
			Run: &store.Run{Record: record}, Records: []run.Record{{RunID: "run_x" + name, ParentRunID: "run_" + name}},
			ToolCalls: []store.ToolCall{{ID: "call_" + name, RunID: "run_" + name, Status: run.StatusSucceeded, StartedAt: at, Output: noise(large)}},
			Unlock:    true, MaxSessionBytes: 5 * large / 2,
		}))
		require.NoError(t, s.settle(t.Context(), ""))
		counted, outputs, steps := bytesOf(t, s)
		require.Equal(t, outputs+steps, counted, "after %d turns", i+1)
		require.LessOrEqual(t, counted, int64(5*large/2), "after %d turns", i+1)
		require.Equal(t, int64(min(i+1, 2)*large), outputs, "after %d turns", i+1)
	}
}

// bytesOf reads what is counted of the one session, and what there is of it.
func bytesOf(t *testing.T, s *Store) (counted, outputs, steps int64) {
	t.Helper()
	require.NoError(t, s.read.QueryRowContext(t.Context(), `SELECT payload_bytes, (SELECT coalesce(sum(octet_length(output)), 0) FROM tool_calls),
		(SELECT coalesce(sum(octet_length(records)), 0) FROM run_steps) FROM sessions`).Scan(&counted, &outputs, &steps))
	return counted, outputs, steps
}

// TestBytesAreCountedAsTheyCome, once each: in a session that a turn makes, within a turn, and
// not for a call that is kept as it is.
func TestBytesAreCountedAsTheyCome(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice, l := run.Principal{ID: "alice"}, store.FirstLock("ses_1", time.Now().Add(time.Hour))
	root := &store.Run{Record: run.Record{RunID: "run_1", Status: run.StatusRunning}}
	call := func(id string, bytes int) []store.ToolCall {
		return []store.ToolCall{{ID: id, RunID: "run_1", Status: run.StatusSucceeded, Output: noise(bytes)}}
	}
	for i, c := range []store.Changes{
		{Open: &store.Session{ID: "ses_1"}, Run: root, ToolCalls: call("call_1", 1000), Records: []run.Record{{RunID: "run_2"}}},
		{Run: root, ToolCalls: call("call_2", 2000)},
		{Run: root, ToolCalls: call("call_1", 4000)}, // ended well before
		{Run: root, ToolCalls: call("call_3", 8000), MaxSessionBytes: 1 << 20},
		{Run: root, Session: &store.Session{ID: "ses_1", Title: "t"}, Records: []run.Record{{RunID: "run_3"}}, Unlock: true},
	} {
		require.NoError(t, s.Commit(t.Context(), alice, l, c))
		require.NoError(t, s.settle(t.Context(), ""))
		counted, outputs, steps := bytesOf(t, s)
		require.Equal(t, outputs+steps, counted, "after step %d", i+1)
		require.Equal(t, []int64{1000, 3000, 3000, 11000, 11000}[i], outputs)
		require.Positive(t, steps)
	}
}

// TestTheStoreIsForItsOwner: nobody else on the machine reads what was asked.
func TestTheStoreIsForItsOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "router")
	for range 2 { // one that is made, and one whose rights were widened since
		s, err := Open(t.Context(), Config{Dir: dir})
		require.NoError(t, err)
		require.NoError(t, s.CreateSession(t.Context(), run.Principal{ID: "alice"}, store.Session{ID: run.NewID("ses_", nil)}))
		info, err := os.Stat(s.Path())
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		for _, folder := range []string{dir, filepath.Join(dir, "owners")} {
			info, err := os.Stat(folder)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), folder)
		}
		require.NoError(t, s.Close())
		require.NoError(t, os.Chmod(s.Path(), 0o644))
	}
}
