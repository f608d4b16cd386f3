package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
)

// TestASweepGivesSpaceBack: the file of a store that was swept is smaller.
func TestASweepGivesSpaceBack(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), run.Principal{ID: "alice"}
	now := time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Clock: func() time.Time { return now }})
	require.NoError(t, err)
	for i := range 20 {
		id := fmt.Sprint("ses_", i)
		require.NoError(t, s.CreateSession(t.Context(), p, store.Session{ID: id, UpdatedAt: now}))
		l, err := s.Lock(t.Context(), p, id, time.Minute)
		require.NoError(t, err)
		require.NoError(t, s.Commit(t.Context(), p, l, store.Changes{Unlock: true,
			Messages: []store.Message{{Role: store.RoleUser, Content: strings.Repeat(id, 40_000), CreatedAt: now}}}))
	}
	size := func() int64 {
		require.NoError(t, s.Close()) // copies the log into the file
		info, err := os.Stat(filepath.Join(dir, sqlite.FileName))
		require.NoError(t, err)
		s, err = sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Clock: func() time.Time { return now }})
		require.NoError(t, err)
		return info.Size()
	}
	before := size()
	swept, err := s.Sweep(t.Context(), store.Retention{MaxSessions: 2, Batch: 100})
	require.NoError(t, err)
	require.EqualValues(t, 18, swept.Sessions)
	after := size()
	require.NoError(t, s.Close())
	t.Logf("%d bytes before, %d after", before, after)
	require.Less(t, after, before/2)
}

// TestOutputsArePacked: what repeats itself takes little room, and comes back as it was.
func TestOutputsArePacked(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), run.Principal{ID: "alice"}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, s.CreateSession(t.Context(), p, store.Session{ID: "ses_1"}))
	l, err := s.Lock(t.Context(), p, "ses_1", time.Minute)
	require.NoError(t, err)
	outputs := map[string][]byte{"call_small": []byte("few"), "call_none": nil, "call_large": []byte(strings.Repeat("mart.orders bigint, ", 50_000))}
	for id, output := range outputs {
		require.NoError(t, s.Commit(t.Context(), p, l, store.Changes{ToolCalls: []store.ToolCall{{ID: id, Output: output, Status: run.StatusSucceeded}}}))
	}
	for id, output := range outputs {
		c, err := s.ToolCall(t.Context(), p, id)
		require.NoError(t, err)
		require.Equal(t, string(output), string(c.Output), id)
	}
	require.NoError(t, s.Close())
	info, err := os.Stat(filepath.Join(dir, sqlite.FileName))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(len(outputs["call_large"])/4))
}
