package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBackupAndRestoreCommands takes a backup of tokens and brings it back to another folder.
func TestBackupAndRestoreCommands(t *testing.T) {
	t.Parallel()
	from, to, out := t.TempDir(), t.TempDir(), t.TempDir()
	audit := filepath.Join(out, "audit.jsonl")
	env := []string{"DIBRAIN_DATA_DIR=" + from, "DIBRAIN_AUTH_AUDIT_FILE=" + audit}
	require.Zero(t, execute(t, env, "token", "create", "--principal", "alice").code)
	file := filepath.Join(out, "b.tar.gz")
	got := execute(t, env, "backup", file)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "1 files")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	got = execute(t, env, "backup", file)
	require.Equal(t, 2, got.code, "never over another one")
	require.Equal(t, 2, execute(t, env, "backup", filepath.Join(from, "b.tar.gz")).code, "not into what it is of")
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no half of one is left")

	got = execute(t, []string{"DIBRAIN_DATA_DIR=" + to}, "restore", file)
	require.Zero(t, got.code, got.err)
	got = execute(t, []string{"DIBRAIN_DATA_DIR=" + to}, "token", "list", "--json")
	require.Contains(t, got.out, `"alice"`)
	got = execute(t, []string{"DIBRAIN_DATA_DIR=" + to}, "restore", file)
	require.NotZero(t, got.code)
	require.Contains(t, got.err, "--replace")
	require.Equal(t, 2, execute(t, env, "restore", filepath.Join(out, "none")).code)
	raw, err := os.ReadFile(audit)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"method":"backup"`)
}

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	env := []string{"DIBRAIN_DATA_DIR=" + t.TempDir()}
	require.Zero(t, execute(t, env, "token", "create", "--principal", "alice").code)
	for _, args := range [][]string{{"migrate", "--dry-run", "--json"}, {"migrate", "--json"}} {
		got := execute(t, env, args...)
		require.Zero(t, got.code, got.err)
		var lines []struct {
			Store       string
			Have, Known int64
			Pending     []string
		}
		require.NoError(t, json.Unmarshal([]byte(got.out), &lines))
		require.Len(t, lines, 6)
		for _, l := range lines {
			require.Positive(t, l.Known, l.Store)
			if l.Store == "API tokens" {
				require.Equal(t, l.Known, l.Have)
				require.Empty(t, l.Pending)
			} else {
				require.Zero(t, l.Have, l.Store)
				require.NotEmpty(t, l.Pending)
			}
		}
	}
}
