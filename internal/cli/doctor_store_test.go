package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// TestDoctorAsksTheStore: doctor connects to the database of the sessions, changes
// nothing there, and says nothing of the password.
func TestDoctorAsksTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Equal(t, []string{"ok a file in the data directory, for one router"}, examined(t, dir)["session store"])

	env := []string{"DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN=postgres://ann:top-secret-1@127.0.0.1:1/d?sslmode=disable", "DIBRAIN_RESULTS_S3_SECRET_ACCESS_KEY=top-secret-2"}
	found := examined(t, dir, env...)["session store"]
	require.Len(t, found, 1)
	require.Contains(t, found[0], "bad The store of sessions cannot be reached.")
	require.Contains(t, found[0], "127.0.0.1:1/d")
	for _, command := range [][]string{{"doctor"}, {"doctor", "--json"}, {"config", "print"}, {"sessions", "list"}} {
		got := execute(t, env, append(command, "--data-dir", dir)...)
		require.NotContains(t, got.out+got.err, "top-secret", command)
	}

	dsn := postgrestest.DSN(t)
	file := filepath.Join(t.TempDir(), "dsn")
	require.NoError(t, os.WriteFile(file, []byte(dsn), 0o600))
	env = []string{"DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN_FILE=" + file}
	require.Contains(t, examined(t, dir, env...)["session store"][0], "empty: the first router makes its tables")
	require.Contains(t, examined(t, dir, env...)["session store"][0], "empty", "doctor made them")
	require.Zero(t, execute(t, env, "sessions", "list", "--data-dir", dir).code)
	require.Contains(t, examined(t, dir, env...)["session store"][0], "schema 1")
	require.NoFileExists(t, filepath.Join(dir, "router", "router.db"), "nothing is kept in a file")
}
