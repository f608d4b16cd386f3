package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPersonCommands exports and deletes somebody whose token is all that is kept.
func TestPersonCommands(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	audit := filepath.Join(out, "audit.jsonl")
	env := []string{"DIBRAIN_DATA_DIR=" + t.TempDir(), "DIBRAIN_AUTH_AUDIT_FILE=" + audit}
	require.Zero(t, execute(t, env, "token", "create", "--principal", "alice").code)
	require.Zero(t, execute(t, env, "token", "create", "--principal", "bob").code)

	file := filepath.Join(out, "alice.jsonl")
	got := execute(t, env, "person", "export", "alice", file)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "api_tokens")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `"end":true,"rows":1`)
	require.Equal(t, 2, execute(t, env, "person", "export", "alice", file).code, "never over another one")
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no half of one is left")

	got = execute(t, env, "person", "delete", "alice")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.err, "--yes")
	require.Contains(t, execute(t, env, "token", "list").out, "alice")
	got = execute(t, env, "person", "delete", "alice", "--yes", "--json")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, `"rows": 1`)
	list := execute(t, env, "token", "list", "--all").out
	require.NotContains(t, list, "alice")
	require.Contains(t, list, "bob")
	require.Contains(t, execute(t, env, "person", "delete", "alice", "--yes").out, "nothing is kept")
	require.Equal(t, 2, execute(t, env, "person", "delete", "", "--yes").code)

	raw, err := os.ReadFile(audit)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"method":"person export","object":"alice"`)
	require.Contains(t, string(raw), `"method":"person delete","object":"alice"`)
}
