package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSQLFix(t *testing.T) {
	t.Parallel()
	dir := writeSQL(t, map[string]string{"schema.ddl": shopTables})
	schema := filepath.Join(dir, "schema.ddl")
	for name, tc := range map[string]struct {
		in   string
		args []string
		code int
		out  string
		errs []string
	}{
		"nothing wrong":     {in: "select id from shop.buyers\n", out: "select id from shop.buyers\n"},
		"key words":         {in: "SELCT a FORM t", out: "SELECT a FROM t", errs: []string{"stdin:1:1: keyword: ", "stdin:1:9: keyword: "}},
		"several":           {in: "selct 1;\n\n-- mine\nselect nvl(a, 1) from t;\n", out: "select 1;\n\n-- mine\nselect coalesce(a, 1) from t;\n", errs: []string{"stdin:4:8: function: "}},
		"names":             {in: "select nme from shop.buyers", args: []string{"--catalog", schema}, out: "select name from shop.buyers"},
		"without catalog":   {in: "select nme from shop.buyers", out: "select nme from shop.buyers"},
		"only likely":       {in: "select id, from shop.buyers", code: 1, out: "select id, from shop.buyers", errs: []string{"may be meant: select id from shop.buyers", "SYNTAX_ERROR"}},
		"likely too":        {in: "select id, from shop.buyers", args: []string{"--likely"}, out: "select id from shop.buyers"},
		"beyond repair":     {in: "please help me", code: 1, out: "please help me", errs: []string{"stdin:1:1: SYNTAX_ERROR: "}},
		"a diff":            {in: "selct 1\n", args: []string{"--diff"}, code: 1, out: "--- stdin\n+++ stdin\n@@ -1,1 +1,1 @@\n-selct 1\n+select 1\n"},
		"an engine's error": {in: "select units / units from shop.orders", args: []string{"--catalog", schema, "--likely", "--error", "Division by zero"}, out: "select units / nullif(units, 0) from shop.orders"},
		"bad flags":         {in: "select 1", args: []string{"--write", "--diff"}, code: 2},
		"Chinese":           {in: "selct 1", args: []string{"--lang", "zh"}, out: "select 1", errs: []string{"拼写有误"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := executeSQL(t, tc.in, false, append([]string{"fix"}, tc.args...)...)
			require.Equal(t, tc.code, r.code, r.err)
			if tc.code != 2 {
				require.Equal(t, tc.out, r.out)
			}
			for _, want := range tc.errs {
				require.Contains(t, r.err, want)
			}
		})
	}
}

func TestSQLFixWritesFiles(t *testing.T) {
	t.Parallel()
	dir := writeSQL(t, map[string]string{"a.sql": "SELCT 1", "b.sql": "SELECT 2"})
	r := executeSQL(t, "", false, "fix", "--write", dir)
	require.Equal(t, 0, r.code, r.err)
	require.Empty(t, r.out)
	require.Contains(t, r.err, "repaired "+filepath.Join(dir, "a.sql"))
	require.NotContains(t, r.err, "b.sql")
	text, err := os.ReadFile(filepath.Join(dir, "a.sql"))
	require.NoError(t, err)
	require.Equal(t, "SELECT 1", string(text))
}

func TestSQLFixJSON(t *testing.T) {
	t.Parallel()
	r := executeSQL(t, "select 1;\nselct 2", false, "fix", "--json")
	require.Equal(t, 0, r.code, r.err)
	var got struct{ Statements []repaired }
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Len(t, got.Statements, 2)
	require.False(t, got.Statements[0].Changed)
	second := got.Statements[1]
	require.True(t, second.Certain)
	require.Equal(t, 2, second.Changes[0].Line)
	require.Equal(t, "selct", second.Changes[0].Before)
}

func TestSQLLintIsCheck(t *testing.T) {
	t.Parallel()
	in := "select a from t limit 3"
	require.Equal(t, executeSQL(t, in, false, "check", "--json"), executeSQL(t, in, false, "lint", "--json"))
}
