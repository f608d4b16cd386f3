package chatbi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
)

// entry is what a file of a statement holds.
func entry(t *testing.T, q runningQuery) []byte {
	t.Helper()
	text, err := json.Marshal(q)
	require.NoError(t, err)
	return text
}

// TestWhatAKilledProcessLeaves: of all that can lie in its folder, whole statements
// are taken, up to a bound, and everything else goes and is told.
func TestWhatAKilledProcessLeaves(t *testing.T) {
	t.Parallel()
	since := time.Unix(1_900_000_000, 0).UTC()
	named := func(id string) runningQuery { return runningQuery{ID: id, Source: "wh", User: "ann", Since: since} }
	long := named("long")
	long.User = string(bytes.Repeat([]byte("a"), maxJournalFile))
	for name, tc := range map[string]struct {
		files map[string][]byte
		most  int
		want  []runningQuery
		told  int // lines of the log
	}{
		"nothing":              {nil, 5, nil, 0},
		"two":                  {map[string][]byte{"a.json": entry(t, named("a")), "b.json": entry(t, named("b"))}, 5, []runningQuery{named("a"), named("b")}, 0},
		"as many as are taken": {map[string][]byte{"a.json": entry(t, named("a")), "b.json": entry(t, named("b"))}, 2, []runningQuery{named("a"), named("b")}, 0},
		"more than are taken":  {map[string][]byte{"a.json": entry(t, named("a")), "b.json": entry(t, named("b"))}, 1, []runningQuery{named("a")}, 1},
		"being written":        {map[string][]byte{".entry-1": entry(t, named("a")), ".b.json": entry(t, named("b")), "c": nil}, 5, nil, 0},
		"half of one":          {map[string][]byte{"a.json": entry(t, named("a"))[:20], "b.json": nil, "c.json": entry(t, named("c"))}, 5, []runningQuery{named("c")}, 2},
		"of another name":      {map[string][]byte{"a.json": entry(t, named("b"))}, 5, nil, 1},
		"too long":             {map[string][]byte{"long.json": entry(t, long)}, 5, nil, 1},
	} {
		dir := t.TempDir()
		gone := newFileJournal(dir, 10, slog.New(slog.DiscardHandler))
		gone.began(named("own"))
		gone.ended("own")
		require.NoError(t, gone.lock.Unlock(), "as the kernel does for a process that ends")
		for file, text := range tc.files {
			require.NoError(t, os.WriteFile(filepath.Join(gone.own, file), text, 0o600))
		}
		var log bytes.Buffer
		j := newFileJournal(dir, tc.most, slog.New(slog.NewTextHandler(&log, nil)))
		taken := j.leftovers(t.Context())
		require.Len(t, taken, 1, name)
		require.Equal(t, tc.want, taken[0].statements(), name)
		require.Equal(t, tc.told, bytes.Count(log.Bytes(), []byte("level=WARN")), name)
		left, err := os.ReadDir(gone.own)
		require.NoError(t, err)
		require.Len(t, left, len(tc.want), name)
		for _, q := range taken[0].statements() {
			taken[0].done(q)
		}
		taken[0].release()
		left, err = os.ReadDir(j.dir)
		require.NoError(t, err)
		require.Empty(t, left, name)
	}
	_, err := readEntry(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = readEntry(t.TempDir())
	require.Error(t, err, "a folder")
}

// TestAStatementThatCannotBeNoted: whatever stands in the way of its file, the log says
// so, no half file stays, and the next statement is noted.
func TestAStatementThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(j *fileJournal) (mend func() error){
		"no folder": func(j *fileJournal) func() error {
			_ = os.Remove(j.own)
			return func() error { return os.Mkdir(j.own, 0o700) }
		},
		"its name is taken": func(j *fileJournal) func() error {
			at := filepath.Join(j.own, "q1.json")
			_ = os.MkdirAll(filepath.Join(at, "full"), 0o700)
			return func() error { return os.RemoveAll(at) }
		},
	} {
		var log bytes.Buffer
		j := newFileJournal(t.TempDir(), 2, slog.New(slog.NewTextHandler(&log, nil)))
		j.began(runningQuery{ID: "q0"})
		j.ended("q0")
		mend := breakIt(j)
		j.began(runningQuery{ID: "q1"})
		require.Contains(t, log.String(), "query_id=q1", name)
		require.Empty(t, j.kept, "%s: it takes no place", name)
		require.NoError(t, mend(), name)
		entries, err := os.ReadDir(j.own)
		require.NoError(t, err)
		require.Empty(t, entries, "%s: no half file stays", name)
		for i := 2; i <= 4; i++ {
			j.began(runningQuery{ID: fmt.Sprintf("q%d", i)})
		}
		entries, err = os.ReadDir(j.own)
		require.NoError(t, err)
		require.Len(t, entries, 2, name)
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("level=WARN")), name)
		for i := range 4 {
			j.ended(fmt.Sprintf("q%d", i+1))
		}
		require.NoError(t, j.close())
		left, err := os.ReadDir(j.dir)
		require.NoError(t, err)
		require.Empty(t, left, "%s: nothing stays of a process that ended well", name)
	}
}

// TestAJournalThatCannotBeMadeSaysSoOnce: a folder in whose place a file is, or a
// folder that cannot be had, is told once, and nothing is kept then.
func TestAJournalThatCannotBeMadeSaysSoOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chatbi"), nil, 0o600))
	var log bytes.Buffer
	j := newFileJournal(dir, 2, slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		j.began(runningQuery{ID: "q1"})
	}
	require.Empty(t, j.kept)
	require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("level=WARN")))
	require.Contains(t, log.String(), "look at the data directory")
	require.NoError(t, os.Remove(filepath.Join(dir, "chatbi")))
	j.began(runningQuery{ID: "q1"})
	require.Empty(t, j.kept, "it was said that nothing is noted")
	require.NoError(t, j.close())
}

// TestWhatNobodyCanEndIsForgotten: statements of a source that is not there any more
// are tried, told and let go, and nothing of the process that left them stays.
func TestWhatNobodyCanEndIsForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := newFileJournal(dir, 10, slog.New(slog.DiscardHandler))
	gone.began(runningQuery{ID: "q1", Source: "none"})
	gone.began(runningQuery{ID: "q2", Source: "none"})
	require.NoError(t, gone.lock.Unlock(), "as the kernel does for a process that ends")
	sources, err := source.Open(dir)
	require.NoError(t, err)
	s, err := New(Config{Trino: TrinoConfig{EndAttempts: 3, EndWait: time.Millisecond}}, Deps{Sources: sources, Catalog: struct{ findatav1.CatalogServiceClient }{}, DataDir: dir})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(gone.dir)
		return err == nil && len(left) == 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, s.Close())
}

// TestAClosedStoreOfResults: its file is let go, and nobody opens it again.
func TestAClosedStoreOfResults(t *testing.T) {
	t.Parallel()
	config, err := Config{}.Complete()
	require.NoError(t, err)
	r := newResults(ResultsFile(t.TempDir(), config.Store, time.Now))
	require.NoError(t, r.close(), "nothing was opened")
	_, err = r.open(t.Context())
	require.ErrorIs(t, err, errClosed)
	r = newResults(ResultsFile(t.TempDir(), config.Store, time.Now))
	s, err := r.open(t.Context())
	require.NoError(t, err)
	again, err := r.open(t.Context())
	require.NoError(t, err)
	require.Same(t, s, again)
	_, err = s.Put(t.Context(), run.Principal{ID: "alice"}, result.Table{Columns: []result.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}})
	require.NoError(t, err)
	require.NoError(t, r.close())
	_, err = s.Put(t.Context(), run.Principal{ID: "alice"}, result.Table{Columns: []result.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}})
	require.Error(t, err)
	require.ErrorIs(t, r.prune(t.Context()), errClosed)
	broken := newResults(ResultsFile(filepath.Join(t.TempDir(), "file"), config.Store, time.Now))
	require.NoError(t, os.WriteFile(filepath.Dir(filepath.Dir(broken.config.Path)), nil, 0o600))
	_, err = broken.open(t.Context())
	require.Error(t, err)
	require.Nil(t, broken.store, "the next call tries again")
}
