package lazy_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

func file(t *testing.T) (*lazy.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some where", "100% notes?.db")
	f := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata"), Reason: "NOTES_UNAVAILABLE", Message: "no notes"})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, path
}

func note(text string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `INSERT INTO notes VALUES (?)`, text)
		return err
	}
}

func TestTheFileIsMadeByTheFirstWrite(t *testing.T) {
	t.Parallel()
	f, path := file(t)
	db, err := f.Open(t.Context(), false)
	require.NoError(t, err)
	require.Nil(t, db)
	require.NoError(t, f.Change(t.Context(), false, note("lost")), "there is nothing to change")
	require.NoDirExists(t, filepath.Dir(path))

	require.NoError(t, f.Change(t.Context(), true, note("kept")))
	require.FileExists(t, path)
	made, err := os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), made.Mode().Perm(), "it is for its owner")
	again := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata")})
	db, err = again.Open(t.Context(), false)
	require.NoError(t, err)
	var text string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT text FROM notes`).Scan(&text))
	require.Equal(t, "kept", text)
	require.NoError(t, again.Close())
}

func TestManyMakeTheFileAtOnce(t *testing.T) {
	t.Parallel()
	const many = 8
	path := filepath.Join(t.TempDir(), "notes", "notes.db")
	errs := make(chan error)
	for range many {
		go func() {
			f := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata"), Reason: "NOTES_UNAVAILABLE", Message: "no notes"})
			errs <- errors.Join(f.Change(context.Background(), true, note("one")), f.Close())
		}()
	}
	for range many {
		require.NoError(t, <-errs, "each of them waits for the one that makes the file")
	}
	f := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata")})
	db, err := f.Open(t.Context(), false)
	require.NoError(t, err)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM notes`).Scan(&n))
	require.Equal(t, many, n)
	require.NoError(t, f.Close())
}

func TestChangesAreAllOrNothing(t *testing.T) {
	t.Parallel()
	f, path := file(t)
	own := fault.New(codes.InvalidArgument, "TOO_LONG", "too long")
	for err, want := range map[error]string{own: "TOO_LONG", errors.New("broken"): "NOTES_UNAVAILABLE"} {
		got := f.Change(t.Context(), true, func(tx *sql.Tx) error { return errors.Join(note("half")(tx), err) })
		require.Equal(t, want, fault.ReasonOf(got))
		require.NotContains(t, fault.FromStatus(got).Message, path)
		// Nothing of it is left: who changes next waits for nobody.
		soon, done := context.WithTimeout(t.Context(), time.Second)
		require.NoError(t, f.Change(soon, true, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(soon, `DELETE FROM notes`)
			return err
		}))
		require.NoError(t, soon.Err(), "a change that failed still holds the file")
		done()
	}
	db, err := f.Open(t.Context(), false)
	require.NoError(t, err)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM notes`).Scan(&n))
	require.Zero(t, n)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	err = f.Change(gone, true, func(*sql.Tx) error { t.Error("there is no transaction"); return nil })
	require.Equal(t, "NOTES_UNAVAILABLE", fault.ReasonOf(err), "a transaction that cannot begin")

	require.NoError(t, f.Close())
	_, err = f.Open(t.Context(), true)
	require.Equal(t, "SHUTTING_DOWN", fault.ReasonOf(err))
}

func TestAFileThatIsNoDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(path, []byte("this is no database, whatever its name says"), 0o600))
	f := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata"), Reason: "NOTES_UNAVAILABLE", Message: "no notes"})
	_, err := f.Open(t.Context(), false)
	require.Equal(t, "NOTES_UNAVAILABLE", fault.ReasonOf(err))
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(kept), "no database")
}

// TestOneDatabase: a file is opened once, and closed with its File.
func TestOneDatabase(t *testing.T) {
	t.Parallel()
	f, _ := file(t)
	first, err := f.Open(t.Context(), true)
	require.NoError(t, err)
	second, err := f.Open(t.Context(), false)
	require.NoError(t, err)
	require.Same(t, first, second)
	require.NoError(t, f.Close())
	require.Error(t, first.PingContext(t.Context()), "it is closed")
	require.NoError(t, f.Close(), "closing twice is no mistake")
}

// TestWhatGoesWrongIsToldWithTheReason: whatever the step that fails, the fault is the
// file's, and its path is for the operator only.
func TestWhatGoesWrongIsToldWithTheReason(t *testing.T) {
	t.Parallel()
	nothing := func(*sql.Tx) error { return nil }
	for name, fails := range map[string]func(t *testing.T, c lazy.Config) error{
		"the folder cannot be made": func(t *testing.T, c lazy.Config) error {
			require.NoError(t, os.WriteFile(filepath.Dir(c.Path), []byte("no folder"), 0o600))
			return lazy.New(c).Change(t.Context(), true, nothing)
		},
		"there are no migrations": func(t *testing.T, c lazy.Config) error {
			c.Migrations = os.DirFS(t.TempDir())
			return lazy.New(c).Change(t.Context(), true, nothing)
		},
		"a transaction cannot begin": func(t *testing.T, c lazy.Config) error {
			f := lazy.New(c)
			db, err := f.Open(t.Context(), true)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			return f.Change(t.Context(), true, nothing)
		},
		"it cannot be committed": func(t *testing.T, c lazy.Config) error {
			f := lazy.New(c)
			t.Cleanup(func() { require.NoError(t, f.Close()) })
			return f.Change(t.Context(), true, func(tx *sql.Tx) error { return tx.Commit() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := lazy.Config{Path: filepath.Join(t.TempDir(), "sub", "notes.db"), Migrations: os.DirFS("testdata"), Reason: "NOTES_UNAVAILABLE", Message: "no notes"}
			err := fails(t, c)
			require.Equal(t, "NOTES_UNAVAILABLE", fault.ReasonOf(err), "%v", err)
			require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code)
			require.NotContains(t, fault.FromStatus(err).Message, c.Path)
			require.Contains(t, fault.OperatorText(err), c.Path)
		})
	}
}

// TestAFileOfANewerVersion: it is served where its migrations say so, and refused where not.
func TestAFileOfANewerVersion(t *testing.T) {
	t.Parallel()
	f, path := file(t)
	newer := func(statements ...string) error {
		require.NoError(t, f.Change(t.Context(), true, func(tx *sql.Tx) error {
			for _, text := range statements {
				if _, err := tx.ExecContext(t.Context(), text); err != nil {
					return err
				}
			}
			return nil
		}))
		again := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata"), Reason: "NOTES_UNAVAILABLE"})
		_, err := again.Open(t.Context(), false)
		return errors.Join(err, again.Close())
	}
	require.Equal(t, "STORE_TOO_NEW", fault.ReasonOf(newer(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (2, 1)`)))
	require.NoError(t, newer(`CREATE TABLE compatibility (oldest INTEGER NOT NULL)`, `INSERT INTO compatibility VALUES (1)`))
	require.Equal(t, "STORE_TOO_NEW", fault.ReasonOf(newer(`UPDATE compatibility SET oldest = 2`)))
}
