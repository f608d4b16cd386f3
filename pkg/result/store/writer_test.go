package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
)

// TestALargeResultTakesNoMemory: a writer holds one batch, however many rows come, and
// the last page reads as little as the first.
func TestALargeResultTakesNoMemory(t *testing.T) { // not beside others: it measures the heap of the process
	s, _ := open(t, func(c *store.Config) { c.MaxBytes = 1 << 30 })
	w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const total = 300_000
	rows := numbers(1000).Rows
	before, most := heap(), int64(0)
	for n := 0; n < total; n += len(rows) {
		require.NoError(t, w.Append(t.Context(), rows))
		if n%50_000 == 0 {
			most = max(most, heap()-before)
		}
	}
	require.EqualValues(t, total, w.Rows())
	require.Less(t, most/total, int64(16), "bytes a row: %d MiB in all; the rows themselves are 16 bytes each", most>>20)
	id, err := w.Finish(t.Context(), false, "")
	require.NoError(t, err)

	allocated := func(token string) float64 {
		return testing.AllocsPerRun(3, func() {
			page, err := s.Page(t.Context(), alice, id, token, 100, 1<<20)
			require.NoError(t, err)
			require.Len(t, page.Rows, 100)
		})
	}
	first, last := allocated(store.TokenAt(id, 900)), allocated(store.TokenAt(id, total-100)) // the same values
	require.InDelta(t, first, last, first/20)
	page, err := s.Page(t.Context(), alice, id, store.TokenAt(id, total-1), 100, 1<<20)
	require.NoError(t, err)
	require.Equal(t, rows[999:], page.Rows)
	require.Empty(t, page.NextToken)
}

// TestWhatIsWrittenTakesRoom: results that are being written count among the bytes of
// their owner and of all; finished ones go for them, oldest first, and where those that
// are being written have all, the next is told to wait.
func TestWhatIsWrittenTakesRoom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path, c.MaxBytes, c.MaxOwnBytes = path, 4<<20, 2<<20 })
	small, err := s.Put(t.Context(), alice, numbers(20_000)) // about .4 MiB
	require.NoError(t, err)
	newer, err := s.Put(t.Context(), alice, numbers(20_000))
	require.NoError(t, err)
	there := func(id string) bool {
		_, err := s.Page(t.Context(), alice, id, "", 1, 1<<20)
		require.True(t, err == nil || fault.ReasonOf(err) == "RESULT_REMOVED", err)
		return err == nil
	}
	large, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	require.NoError(t, large.Append(t.Context(), numbers(70_000).Rows)) // about 1.3 MiB, and a step on top
	require.False(t, there(small), "the oldest one makes room")
	second, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	err = second.Append(t.Context(), numbers(60_000).Rows)
	require.Equal(t, "RESULT_STORE_FULL", fault.ReasonOf(err))
	require.ErrorContains(t, err, "2 MiB")
	require.ErrorContains(t, err, "chatbi.store.max_own_bytes")
	require.Positive(t, fault.FromStatus(err).RetryAfter)
	require.NoError(t, second.Discard())
	require.NoError(t, second.Discard())
	_ = newer

	others, err := s.Begin(t.Context(), bob, numbers(0).Columns)
	require.NoError(t, err)
	require.NoError(t, others.Append(t.Context(), numbers(60_000).Rows), "somebody else's room is not alice's")
	require.NoError(t, others.Discard())

	err = large.Append(t.Context(), numbers(100_000).Rows)
	require.Equal(t, "RESULT_TOO_LARGE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "2 MiB")
	require.NoError(t, large.Discard())
	id, err := s.Put(t.Context(), alice, numbers(80_000))
	require.NoError(t, err, "what was discarded has given its room back")
	require.True(t, there(id))
	var writing int
	require.NoError(t, beside(t, path).QueryRow(`SELECT count(*) FROM writing`).Scan(&writing))
	require.Zero(t, writing)
	for _, name := range files(t, path) {
		require.True(t, strings.HasSuffix(name, ".arrow"), name)
	}
}

// TestWhatKilledProcessesLeaveGoes: files that nobody writes and that the index does not
// know, and the room they had, go with the next start and the next sweep; what somebody
// writes stays.
func TestWhatKilledProcessesLeaveGoes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, clock := open(t, func(c *store.Config) { c.Path = path })
	kept, err := s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	at, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	db := beside(t, path)
	left := func() {
		require.NoError(t, os.WriteFile(rowsOf(path, "res_dead"), []byte("half"), 0o600))
		require.NoError(t, os.WriteFile(strings.TrimSuffix(rowsOf(path, "res_dead"), ".arrow")+".writing", nil, 0o600))
		require.NoError(t, os.WriteFile(rowsOf(path, "res_orphan"), []byte("half"), 0o600))
		require.NoError(t, os.WriteFile(rowsOf(path, "notes"), []byte("of a person"), 0o600))
		for _, id := range []string{"res_dead", "res_gone"} {
			_, err := db.Exec(`INSERT INTO writing (id, owner, bytes) VALUES (?, 'alice', 1000000)`, id)
			require.NoError(t, err)
		}
	}
	for _, sweep := range []func() error{
		func() error { return s.Prune(t.Context()) },
		func() error {
			again, err := store.Open(t.Context(), store.Config{Path: path, MaxAge: time.Hour, MaxBytes: 1 << 20, MaxResults: 100, Clock: clock.read})
			require.NoError(t, err)
			return again.Close()
		},
	} {
		left()
		require.NoError(t, sweep())
		names := files(t, path)
		require.Len(t, names, 4, "%v: what is kept, what is being written with its lock, and what is not ours", names)
		require.Contains(t, names, kept+".arrow")
		require.Contains(t, names, "notes.arrow")
		var writing int
		require.NoError(t, db.QueryRow(`SELECT count(*) FROM writing`).Scan(&writing))
		require.Zero(t, writing)
	}
	require.NoError(t, at.Append(t.Context(), numbers(3).Rows))
	id, err := at.Finish(t.Context(), false, "")
	require.NoError(t, err)
	_, err = s.Page(t.Context(), alice, id, "", 1, 1<<20)
	require.NoError(t, err)
}

// TestAResultIsUsedAgain by its owner, for its key, for as long as it is kept.
func TestAResultIsUsedAgain(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, clock := open(t, func(c *store.Config) { c.MaxOwnResults = 2 })
		keep := func(key string) string {
			w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
			require.NoError(t, err)
			require.NoError(t, w.Append(t.Context(), numbers(2).Rows))
			id, err := w.Finish(t.Context(), false, key)
			require.NoError(t, err)
			return id
		}
		found := func(key string) string {
			id, _, err := s.Reusable(t.Context(), alice, key)
			require.NoError(t, err)
			return id
		}
		first := keep("k")
		require.Equal(t, first, found("k"))
		require.Empty(t, found("other"))
		theirs, _, err := s.Reusable(t.Context(), bob, "k")
		require.NoError(t, err)
		require.Empty(t, theirs)
		second := keep("k")
		require.Equal(t, second, found("k"), "the newest")
		keep("a")
		keep("b")
		require.Empty(t, found("k"), "it was removed")
		clock.advance(time.Hour)
		require.Empty(t, found("b"), "it is too old")
		require.Empty(t, keep("")[:0])
		require.Empty(t, found(""))
	})
}

// TestWhatCannotBeBegun says why.
func TestWhatCannotBeBegun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path = path })
	require.NoError(t, os.RemoveAll(strings.TrimSuffix(path, ".db")))
	_, err := s.Begin(t.Context(), alice, []result.Column{{Name: "n", Type: "bigint"}})
	require.ErrorContains(t, err, "store a result: ")
}

// TestColumnsAreDescribed: what is learned of the columns while rows come is kept with them,
// and their names and types stay.
func TestColumnsAreDescribed(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		columns := numbers(0).Columns
		w, err := s.Begin(t.Context(), alice, columns)
		require.NoError(t, err)
		require.NoError(t, w.Append(t.Context(), numbers(2).Rows))
		require.ErrorContains(t, w.Describe(nil), "0 columns are described")
		described := make([]result.Column, len(columns))
		for i := range described {
			described[i] = result.Column{Name: "other", Type: "date", Unit: result.UnitPercent, Period: "month"}
		}
		require.NoError(t, w.Describe(described))
		id, err := w.Finish(t.Context(), false, "")
		require.NoError(t, err)
		page, err := s.Page(t.Context(), alice, id, "", 10, 1<<20)
		require.NoError(t, err)
		for i, c := range page.Columns {
			require.Equal(t, result.Column{Name: columns[i].Name, Type: columns[i].Type, Unit: result.UnitPercent, Period: "month"}, c)
		}
	})
}
