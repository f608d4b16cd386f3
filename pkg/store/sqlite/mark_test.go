package sqlite

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/schema"
)

// earlier opens the file as the program before the table turn_steps does, and says which runs
// it finds. Whoever is at work there keeps the lock on own_earlier.lock.
func earlier(t *testing.T, dir string) (runs []string, err error) {
	t.Helper()
	known := fstest.MapFS{}
	all, err := schema.Migrations(migrations)
	require.NoError(t, err)
	for _, m := range all {
		if m.Version < 5 {
			name := "migrations/" + m.Name + ".sql"
			text, err := fs.ReadFile(migrations, name)
			require.NoError(t, err)
			known[name] = &fstest.MapFile{Data: text}
		}
	}
	path := filepath.Join(dir, FileName)
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	if err := schema.Up(t.Context(), db, known, path); err != nil {
		return nil, err
	}
	runs, err = column(db.QueryContext(t.Context(), `SELECT id FROM runs ORDER BY id`))
	require.NoError(t, err)
	return runs, nil
}

func requireTooNew(t *testing.T, dir string) {
	t.Helper()
	_, err := earlier(t, dir)
	require.Equal(t, store.ReasonTooNew, fault.ReasonOf(err), "%v", err)
}

func requireRuns(t *testing.T, dir string, want ...string) {
	t.Helper()
	runs, err := earlier(t, dir)
	require.NoError(t, err)
	require.Equal(t, want, runs)
}

// ask has a turn in a session of its own.
func ask(t *testing.T, s *Store, n string) {
	t.Helper()
	require.NoError(t, s.Commit(t.Context(), run.Principal{ID: "alice"}, store.FirstLock("ses_"+n, time.Now().Add(time.Hour)), store.Changes{
		Open: &store.Session{ID: "ses_" + n}, Run: &store.Run{Record: run.Record{RunID: "run_" + n, Status: run.StatusSucceeded}}, Unlock: true}))
}

// TestTheVersionBefore may open the file while no step lies there, and at no other time: it
// would miss them.
func TestTheVersionBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(t.Context(), Config{Dir: dir})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	first := open()
	requireRuns(t, dir) // who only reads is in nobody's way
	ask(t, first, "1")
	requireTooNew(t, dir)
	require.NoError(t, first.Close())
	requireRuns(t, dir, "run_1")

	killed := open()
	ask(t, killed, "2")
	require.NoError(t, killed.Die())
	requireTooNew(t, dir)
	require.NoError(t, open().Close()) // as `dibrain migrate` does
	requireRuns(t, dir, "run_1", "run_2")

	one, other := open(), open()
	ask(t, one, "3")
	require.NoError(t, one.Close())
	requireTooNew(t, dir) // the other may keep some
	ask(t, other, "4")
	require.NoError(t, other.Close())
	requireRuns(t, dir, "run_1", "run_2", "run_3", "run_4")
}

// TestOneOfTheLastGivesBack: processes that close at one moment do not leave it to each other.
func TestOneOfTheLastGivesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want []string
	for round := range 8 {
		var stores []*Store
		for i := range 4 {
			s, err := Open(t.Context(), Config{Dir: dir})
			require.NoError(t, err)
			n := string(rune('a'+round)) + string(rune('a'+i))
			ask(t, s, n)
			stores, want = append(stores, s), append(want, "run_"+n)
		}
		errs := make(chan error)
		for _, s := range stores {
			go func() { errs <- s.Close() }()
		}
		for range stores {
			require.NoError(t, <-errs)
		}
		requireRuns(t, dir, want...)
	}
}

// TestAStepBehindTheGivingBack goes into the tables.
func TestAStepBehindTheGivingBack(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ask(t, s, "1")
	last, err := s.giveBack()
	require.NoError(t, err)
	require.NoError(t, last())
	ask(t, s, "2")
	requireRuns(t, s.cfg.Dir, "run_1", "run_2")
}

// TestWhileTheVersionBeforeServes: steps go into the tables, where it finds them.
func TestWhileTheVersionBeforeServes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	serving := flock.New(filepath.Join(dir, "owners", "own_earlier.lock"))
	ok, err := serving.TryLock()
	require.NoError(t, err)
	require.True(t, ok)
	ask(t, s, "1")
	requireRuns(t, dir, "run_1")
	require.NoError(t, serving.Unlock())
	ask(t, s, "2") // nobody looks again
	requireRuns(t, dir, "run_1", "run_2")

	next, err := Open(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Close()) })
	ask(t, next, "3")
	requireTooNew(t, dir)
}

// TestAnEarlierProgramThatComesInBetween: between the look and the mark one may have opened the
// file, so there is a look behind the mark too.
func TestAnEarlierProgramThatComesInBetween(t *testing.T) {
	t.Parallel()
	s, b := openBroken(t, time.Now)
	serving := flock.New(filepath.Join(s.cfg.Dir, "owners", "own_earlier.lock"))
	b.then = func() {
		ok, err := serving.TryLock()
		require.NoError(t, err)
		require.True(t, ok)
	}
	ask(t, s, "1")
	steps, runs := stepsIn(t, s)
	require.Equal(t, []int{0, 1}, []int{steps, runs})
	require.NoError(t, serving.Unlock())
}

// TestMigrationsSayWhoMayOpenTheFile: since the table compatibility is there, one that says
// nothing lets every program in that could open the file before it.
func TestMigrationsSayWhoMayOpenTheFile(t *testing.T) {
	t.Parallel()
	all, err := schema.Migrations(migrations)
	require.NoError(t, err)
	for _, m := range all[4:] {
		text, err := os.ReadFile(filepath.Join("migrations", m.Name+".sql"))
		require.NoError(t, err)
		require.Contains(t, string(text), "compatibility", "%s has to set the oldest version that may work with what it makes", m.Name)
	}
}
