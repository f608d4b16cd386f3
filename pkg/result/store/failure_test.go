package store_test

import (
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
)

// beside opens the file of a store a second time.
func beside(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// TestAFailureLeavesNothingBehind: whichever statement of a write fails, the error is
// told and neither a part of the result nor a removal stays.
func TestAFailureLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, when := range []string{
		"INSERT ON results", "INSERT ON batches", "INSERT ON removed", "DELETE ON results", "DELETE ON removed",
	} {
		path := filepath.Join(t.TempDir(), "results.db")
		s, clock := open(t, func(c *store.Config) { c.Path, c.MaxOwnResults = path, 2 })
		first, err := s.Put(t.Context(), alice, numbers(3))
		require.NoError(t, err)
		db := beside(t, path)
		if when == "DELETE ON removed" { // there is something to forget
			_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
				INSERT INTO removed (id, owner, removed_ms, why) SELECT 'old' || i, 'x', i, 'age' FROM n`)
			require.NoError(t, err)
		} else {
			_, err = s.Put(t.Context(), alice, numbers(3))
			require.NoError(t, err)
		}
		_, err = db.Exec(`CREATE TRIGGER broken BEFORE ` + when + ` BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`)
		require.NoError(t, err)
		var before, after int
		require.NoError(t, db.QueryRow(`SELECT (SELECT count(*) FROM results) + (SELECT count(*) FROM batches)`).Scan(&before))
		there := files(t, path)
		_, err = s.Put(t.Context(), alice, numbers(3))
		require.Equal(t, there, files(t, path), when)
		require.ErrorContains(t, err, "store a result: ", when)
		require.ErrorContains(t, err, "the disk is gone", when)
		require.NoError(t, db.QueryRow(`SELECT (SELECT count(*) FROM results) + (SELECT count(*) FROM batches)`).Scan(&after))
		require.Equal(t, before, after, when)
		_, err = s.Page(t.Context(), alice, first, "", 5, 1<<20)
		require.NoError(t, err, when)
		if strings.HasPrefix(when, "INSERT ON re") || when == "DELETE ON results" {
			clock.advance(2 * time.Hour)
			err = s.Prune(t.Context())
			require.Equal(t, when != "INSERT ON results", err != nil, when)
			if err != nil {
				require.ErrorContains(t, err, "remove old results: ")
			}
		}
	}
}

// TestWhatIsRemembered: of removed results the newest 10,000 are remembered.
func TestWhatIsRemembered(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path = path })
	db := beside(t, path)
	_, err := db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10002)
		INSERT INTO removed (id, owner, removed_ms, why) SELECT 'old' || i, 'alice', i, 'quota' FROM n`)
	require.NoError(t, err)
	_, err = s.Put(t.Context(), alice, numbers(1))
	require.NoError(t, err)
	for id, reason := range map[string]string{"old2": "RESULT_NOT_FOUND", "old3": "RESULT_REMOVED", "old10002": "RESULT_REMOVED"} {
		_, err = s.Page(t.Context(), alice, id, "", 1, 1)
		require.Equal(t, reason, fault.ReasonOf(err), id)
	}
}

// TestPruneByItself: a store that nobody writes to forgets what is too old.
func TestPruneByItself(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, clock := open(t, func(c *store.Config) { c.Path = path })
	for range 3 {
		_, err := s.Put(t.Context(), alice, numbers(2000))
		require.NoError(t, err)
		clock.advance(25 * time.Minute)
	}
	require.NoError(t, s.Prune(t.Context()))
	db := beside(t, path)
	var results, batches, removed, free int
	require.NoError(t, db.QueryRow(`SELECT (SELECT count(*) FROM results), (SELECT count(*) FROM batches), (SELECT count(*) FROM removed)`).Scan(&results, &batches, &removed))
	require.Equal(t, [3]int{2, 2, 1}, [3]int{results, batches, removed})
	require.Len(t, files(t, path), 2, "the disk is given back")
	require.NoError(t, db.QueryRow(`PRAGMA freelist_count`).Scan(&free))
	require.Zero(t, free, "the room is given back")
}

// TestBatchesAreBoundedInBytes: a page of wide rows does not read all of them.
func TestBatchesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path, c.MaxBytes = path, 8<<20 })
	wide := result.Table{Columns: row2columns("s")}
	wide.Columns[0].Type = "varchar"
	for range 20 {
		wide.Rows = append(wide.Rows, []any{strings.Repeat("x", 100_000)})
	}
	_, err := s.Put(t.Context(), alice, wide)
	require.NoError(t, err)
	var batches int
	require.NoError(t, beside(t, path).QueryRow(`SELECT length(marks) / 20 - 1 FROM batches`).Scan(&batches))
	require.Equal(t, 4, batches, "of 6, 6, 6 and 2 rows of 100 kB")
}

// TestDamageIsTold: what was written over in the files is an error and no result.
func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	for damage, want := range map[string]string{
		`UPDATE results SET columns = 'x'`:        "read the columns of result ",
		`UPDATE results SET columns = '[]'`:       "read result ",
		`UPDATE batches SET marks = zeroblob(20)`: "read result ",
		`UPDATE batches SET marks = zeroblob(40)`: "read result ",
		`UPDATE batches SET marks = zeroblob(41)`: "read result ",
		`UPDATE batches SET marks = ''`:           "read result ",
		`DROP TABLE batches`:                      "read result ",
		`DROP TABLE results`:                      "read result ",
	} {
		path := filepath.Join(t.TempDir(), "results.db")
		s, _ := open(t, func(c *store.Config) { c.Path = path })
		id, err := s.Put(t.Context(), alice, numbers(3))
		require.NoError(t, err)
		_, err = beside(t, path).Exec(damage)
		require.NoError(t, err, damage)
		_, err = s.Page(t.Context(), alice, id, "", 5, 1<<20)
		require.ErrorContains(t, err, want+id, damage)
	}
	s, _ := open(t, nil)
	for _, v := range []any{func() {}, []any{func() {}}, map[string]any{"a": func() {}}, struct{}{}} {
		_, err := s.Put(t.Context(), alice, result.Table{Columns: row2columns("a"), Rows: [][]any{{v}}})
		require.ErrorContains(t, err, "cannot be stored", "%T", v)
	}
	_, err := s.Put(t.Context(), alice, result.Table{Columns: row2columns("a"), Rows: [][]any{{1.0, 2.0}}})
	require.ErrorContains(t, err, "2 values for 1 columns")
	table := result.Table{Columns: row2columns("a"), Rows: [][]any{
		{map[string]any{"\x00": "bAA==", "b": nil}}, {map[string]any{"\x00": ""}}, {[]any{math.Inf(1), map[string]any{"a": []byte{}}}}, {map[string]any{}},
	}}
	id, err := s.Put(t.Context(), alice, table)
	require.NoError(t, err)
	page, err := s.Page(t.Context(), alice, id, "", 5, 1<<20)
	require.NoError(t, err)
	require.Equal(t, table.Rows, page.Rows)
}

// TestAResultThatGoesWhileItIsRead was removed, which is told as such.
func TestAResultThatGoesWhileItIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path = path })
	id, err := s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	// Between the two reads of a page: the first has seen the result, the second does not.
	_, err = beside(t, path).Exec(`INSERT INTO removed (id, owner, removed_ms, why) VALUES (?, 'alice', 1, 'quota'); DELETE FROM batches`, id)
	require.NoError(t, err)
	_, err = s.Page(t.Context(), alice, id, "", 5, 1<<20)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
	require.ErrorContains(t, err, "to make room")
}

// TestADamagedFileOfRows: whichever byte of it is another one, and whatever is missing,
// its page is an error.
func TestADamagedFileOfRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path = path })
	id, err := s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	whole, err := os.ReadFile(rowsOf(path, id))
	require.NoError(t, err)
	read := func(text []byte) error {
		require.NoError(t, os.WriteFile(rowsOf(path, id), text, 0o600))
		_, err := s.Page(t.Context(), alice, id, "", 5, 1<<20)
		return err
	}
	for _, n := range []int{0, 1, 8, len(whole) / 2, len(whole) - 1} {
		require.ErrorContains(t, read(whole[:n]), "read result "+id, "%d bytes", n)
	}
	require.NoError(t, os.Remove(rowsOf(path, id)))
	_, err = s.Page(t.Context(), alice, id, "", 5, 1<<20)
	require.ErrorContains(t, err, "read result "+id)
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x41
		require.ErrorContains(t, read(damaged), "read result "+id, "byte %d", i)
	}
	require.NoError(t, read(whole))
}

// TestASharedFolderThatIsNotMounted is not made in its place, and the next try finds it.
func TestASharedFolderThatIsNotMounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "mounted")
	config := store.Config{Path: filepath.Join(dir, "results.db"), Files: store.SharedDirectory{Directory: store.Directory(folder)}, MaxAge: time.Hour, MaxBytes: 1 << 20, MaxResults: 10, Clock: time.Now}
	_, err := store.Open(t.Context(), config)
	require.Equal(t, "RESULT_STORE_UNUSABLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "mount it, or make it, where results.directory says")
	require.Contains(t, fault.OperatorText(err), folder)
	require.NoDirExists(t, folder)
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	_, err = store.Open(t.Context(), config)
	require.Equal(t, "RESULT_STORE_UNUSABLE", fault.ReasonOf(err), "a file")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Mkdir(folder, 0o700))
	s, err := store.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	require.NoError(t, s.Ready(t.Context()))
}

// TestAFolderThatCannotBeMade says what to do.
func TestAFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{filepath.Join(file, "results.db"), t.TempDir()} {
		_, err := store.Open(t.Context(), store.Config{Path: path, MaxAge: time.Hour, MaxBytes: 1, MaxResults: 1, Clock: time.Now})
		require.Equal(t, "RESULT_STORE_UNUSABLE", fault.ReasonOf(err), path)
	}
}
