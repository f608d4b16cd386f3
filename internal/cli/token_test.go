package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
)

// TestTokenCommands makes, lists, rotates and revokes tokens, and asks what a server makes of
// each.
func TestTokenCommands(t *testing.T) {
	t.Parallel()
	dir, audit := t.TempDir(), filepath.Join(t.TempDir(), "audit.jsonl")
	env := []string{"DIBRAIN_DATA_DIR=" + dir, "DIBRAIN_AUTH_AUDIT_FILE=" + audit, "DIBRAIN_AUTH_MAX_TOKENS=3"}
	enters := func(token string) bool {
		store := tokenstore.OpenSQLite(dir)
		defer func() { require.NoError(t, store.Close()) }()
		entries, _, err := store.Load(t.Context(), "")
		require.NoError(t, err)
		for _, e := range entries {
			if e.Hash == auth.HashToken(token) {
				return true
			}
		}
		return false
	}
	list := func(flags ...string) (lines []tokenLine) {
		got := execute(t, env, append([]string{"token", "list", "--json"}, flags...)...)
		require.Zero(t, got.code, got.err)
		require.NoError(t, json.Unmarshal([]byte(got.out), &lines))
		return lines
	}
	require.Empty(t, list())
	require.NoFileExists(t, filepath.Join(dir, filepath.FromSlash(tokenstore.File)), "a list makes no store")

	got := execute(t, env, "token", "create", "--principal", "alice", "--group", "sales", "--scope", "router,findata/Discover", "--note", "notebook")
	require.Zero(t, got.code, got.err)
	require.Regexp(t, `^dib_[A-Za-z0-9_-]{43}\n$`, got.out, "the token alone, so that it can go to a file")
	require.Regexp(t, `^tok_[0-9a-f]{24} of alice, until `, got.err)
	first := strings.TrimSpace(got.out)
	require.True(t, enters(first))
	lines := list()
	require.Len(t, lines, 1)
	require.Equal(t, []string{"router", "findata/Discover"}, lines[0].Scopes)
	require.True(t, strings.HasPrefix(lines[0].CreatedBy, "operator"))

	got = execute(t, env, "token", "rotate", lines[0].ID, "--overlap", "0")
	require.Zero(t, got.code, got.err)
	second := strings.TrimSpace(got.out)
	require.True(t, enters(second))
	lines = list("--all", "--principal", "alice")
	require.Len(t, lines, 2)
	states := []string{lines[0].State, lines[1].State}
	require.ElementsMatch(t, []string{"good", "expired"}, states)

	for i := range 2 {
		require.Zero(t, execute(t, env, "token", "create", "--principal", "bob").code, i)
	}
	got = execute(t, env, "token", "create", "--principal", "bob")
	require.NotZero(t, got.code)
	require.Contains(t, got.err, "auth.max_tokens")

	for _, l := range list("--principal", "alice") {
		got = execute(t, env, "token", "revoke", l.ID)
		require.Zero(t, got.code, got.err)
	}
	require.False(t, enters(second))
	got = execute(t, env, "token", "revoke", "--principal", "bob")
	require.Zero(t, got.code, got.err)
	require.Equal(t, "2 revoked\n", got.out)
	require.Empty(t, list())

	raw, err := os.ReadFile(audit)
	require.NoError(t, err)
	for _, command := range []string{"token create", "token rotate", "token revoke"} {
		require.Contains(t, string(raw), `"method":"`+command+`"`)
	}
	require.Contains(t, string(raw), `"outcome":"failed"`, "what was refused is told too")
	require.NotContains(t, string(raw), first[len(auth.TokenPrefix):])

	for name, args := range map[string][]string{
		"nobody":       {"token", "create"},
		"for ever":     {"token", "create", "--principal", "a", "--days", "0"},
		"too long":     {"token", "create", "--principal", "a", "--days", "367"},
		"no such call": {"token", "create", "--principal", "a", "--scope", "router/Aks"},
		"backwards":    {"token", "rotate", "tok_x", "--overlap", "-1h"},
		"no such one":  {"token", "rotate", "tok_x"},
		"of nobody":    {"token", "revoke"},
		"both":         {"token", "revoke", "tok_x", "--principal", "a"},
		"none of him":  {"token", "revoke", "--principal", "nobody"},
	} {
		got := execute(t, env, args...)
		require.Equal(t, 2, got.code, "%s: %s", name, got.err)
	}
}
