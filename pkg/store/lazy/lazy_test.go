package lazy_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	again := lazy.New(lazy.Config{Path: path, Migrations: os.DirFS("testdata")})
	db, err = again.Open(t.Context(), false)
	require.NoError(t, err)
	var text string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT text FROM notes`).Scan(&text))
	require.Equal(t, "kept", text)
	require.NoError(t, again.Close())
}

func TestChangesAreAllOrNothing(t *testing.T) {
	t.Parallel()
	f, path := file(t)
	own := fault.New(codes.InvalidArgument, "TOO_LONG", "too long")
	for err, want := range map[error]string{own: "TOO_LONG", errors.New("broken"): "NOTES_UNAVAILABLE"} {
		got := f.Change(t.Context(), true, func(tx *sql.Tx) error { return errors.Join(note("half")(tx), err) })
		require.Equal(t, want, fault.ReasonOf(got))
		require.NotContains(t, fault.FromStatus(got).Message, path)
	}
	db, err := f.Open(t.Context(), false)
	require.NoError(t, err)
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM notes`).Scan(&n))
	require.Zero(t, n)

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
