package lazy_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/lazy"
)

// A file holds something where one of its tables has a row; one that is damaged is told by its name.
func TestHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes.db")
	c := lazy.Config{Path: path}
	holds, err := c.Holds(t.Context(), []string{"notes"})
	require.NoError(t, err)
	require.False(t, holds)
	require.NoFileExists(t, path)

	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE notes (text TEXT)")
	require.NoError(t, err)
	holds, err = c.Holds(t.Context(), []string{"others", "notes"})
	require.NoError(t, err)
	require.False(t, holds)
	_, err = db.ExecContext(t.Context(), "INSERT INTO notes VALUES ('kept')")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	holds, err = c.Holds(t.Context(), []string{"others", "notes"})
	require.NoError(t, err)
	require.True(t, holds)
	holds, err = c.Holds(t.Context(), []string{"others"})
	require.NoError(t, err)
	require.False(t, holds)

	damaged := lazy.Config{Path: filepath.Join(t.TempDir(), "damaged.db")}
	require.NoError(t, os.WriteFile(damaged.Path, []byte("this is no database, whatever it is called, and long enough to be looked at"), 0o600))
	_, err = damaged.Holds(t.Context(), []string{"notes"})
	require.ErrorContains(t, err, damaged.Path)
}
