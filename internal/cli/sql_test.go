package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writeSQL puts files into a folder of the test.
func writeSQL(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// executeSQL runs "sql" with standard input, on a terminal or not.
func executeSQL(t *testing.T, in string, tty bool, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	f := &Factory{
		IO:      &IO{In: strings.NewReader(in), Out: &out, Err: &errs, IsTTY: tty, Width: func() int { return 80 }},
		Environ: []string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir},
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
	code := Main(t.Context(), f, append([]string{"sql"}, args...))
	return result{code: code, out: out.String(), err: errs.String()}
}

const shopTables = `create table shop.orders (id bigint not null, buyer bigint, amount decimal(12,2), units integer, day date, primary key (id));
create table shop.buyers (id bigint primary key, name varchar(100), country varchar);`

func TestSQLCheck(t *testing.T) {
	t.Parallel()
	dir := writeSQL(t, map[string]string{
		"schema.ddl": shopTables,
		"bad.sql":    "select nme from sg.shop.buyers;\n\n  select a,, b;\nselect no_such_function(1)",
		"good.sql":   "select id from shop.buyers order by id limit 1",
	})
	bad, good, schema := filepath.Join(dir, "bad.sql"), filepath.Join(dir, "good.sql"), filepath.Join(dir, "schema.ddl")
	for name, tc := range map[string]struct {
		in   string
		args []string
		code int
		out  []string
	}{
		"nothing to say":      {args: []string{good}},
		"a script":            {args: []string{bad}, code: 1, out: []string{"bad.sql:3:12: SYNTAX_ERROR: ", "bad.sql:4:8: FUNCTION_NOT_FOUND: "}},
		"with a catalog":      {args: []string{"--catalog", schema, bad}, code: 1, out: []string{"bad.sql:1:8: COLUMN_NOT_FOUND: ", "did you mean name?", "bad.sql:3:12: "}},
		"a folder":            {args: []string{dir}, code: 1, out: []string{"bad.sql:3:12: "}},
		"standard input":      {in: "select * from t", code: 1, out: []string{"stdin:1:8: warning: select-star: "}},
		"a rule off":          {in: "select * from t", args: []string{"--disable", "select-star"}},
		"a rule on":           {in: "select 1 union select 2", args: []string{"--enable", "union-distinct"}, code: 1, out: []string{"union-distinct"}},
		"warnings only":       {in: "select * from t", args: []string{"--fail-on", "error"}, out: []string{"select-star"}},
		"never":               {in: "select from", args: []string{"--fail-on", "never"}, out: []string{"SYNTAX_ERROR"}},
		"github":              {in: "select a,, b", args: []string{"--format", "github"}, code: 1, out: []string{"::error file=stdin,line=1,col=10,title=SYNTAX_ERROR::"}},
		"other statements":    {in: "insert into t select 1; show tables"},
		"rules":               {args: []string{"--rules"}, out: []string{"select-star", "missing-partition"}},
		"rules as JSON":       {args: []string{"--rules", "--json"}, out: []string{`"needs_catalog": true`}},
		"unknown rule":        {in: "select 1", args: []string{"--disable", "nonsense"}, code: 2},
		"unknown format":      {in: "select 1", args: []string{"--format", "xml"}, code: 2},
		"no such file":        {args: []string{"/nonexistent.sql"}, code: 2},
		"nothing":             {in: " \n", code: 2},
		"no tables":           {in: "select 1", args: []string{"--catalog", good}, code: 2},
		"only comments":       {in: "-- nothing", code: 1, out: []string{"EMPTY_STATEMENT"}},
		"source and catalog":  {in: "select 1", args: []string{"--catalog", good, "--source", "x"}, code: 2},
		"default names known": {in: "select id from buyers order by id limit 1", args: []string{"--catalog", schema}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := executeSQL(t, tc.in, false, append([]string{"check"}, tc.args...)...)
			require.Equal(t, tc.code, got.code, got.out+got.err)
			for _, words := range tc.out {
				require.Contains(t, got.out, words)
			}
			if tc.out == nil && tc.code == 0 {
				require.Empty(t, got.out)
			}
		})
	}
}

func TestSQLCheckExcerpt(t *testing.T) {
	t.Parallel()
	got := executeSQL(t, "select 1;\nselect '新加坡', 名字 from t", true, "check")
	require.Contains(t, got.out, "    2 | select '新加坡', 名字 from t\n      |                  ^^\n")
	long := executeSQL(t, "select "+strings.Repeat("a, ", 60)+", "+strings.Repeat("b, ", 60)+"c", true, "check")
	for _, line := range strings.Split(long.out, "\n")[1:] {
		require.Less(t, len([]rune(line)), 120)
	}
	require.Contains(t, long.out, "| …")
}

func TestSQLCheckJSON(t *testing.T) {
	t.Parallel()
	got := executeSQL(t, "select nope(1), *\nfrom t", false, "check", "--json")
	require.Equal(t, 1, got.code)
	var report struct{ Problems []problem }
	require.NoError(t, json.Unmarshal([]byte(got.out), &report))
	require.Len(t, report.Problems, 2)
	require.Equal(t, []any{"stdin", 1, 8, "error", "FUNCTION_NOT_FOUND"}, []any{
		report.Problems[0].File, report.Problems[0].Line, report.Problems[0].Column, report.Problems[0].Severity, report.Problems[0].Code,
	})
	got = executeSQL(t, "select 1", false, "check", "--json")
	require.JSONEq(t, `{"problems": []}`, got.out)
	got = executeSQL(t, "select a,, b", false, "check", "--format", "sarif")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, `"ruleId": "SYNTAX_ERROR"`)
}

func TestSQLFormat(t *testing.T) {
	t.Parallel()
	const messy, laid = "-- first\nselect a,b from t -- x\nwhere a=1;\ninsert into  t select 1;\n-- end\n", "-- first\nSELECT\n  a,\n  b\nFROM t -- x\nWHERE a = 1;\n\ninsert into  t select 1;\n-- end\n"
	require.Equal(t, laid, executeSQL(t, messy, false, "format").out)
	require.Equal(t, laid, executeSQL(t, laid, false, "format").out)
	require.Equal(t, "SELECT 1\n", executeSQL(t, "select 1", false, "format").out)

	dir := writeSQL(t, map[string]string{"a.sql": messy, "b.sql": "select a,, b"})
	a, b := filepath.Join(dir, "a.sql"), filepath.Join(dir, "b.sql")
	got := executeSQL(t, "", false, "format", "--check", a)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "-where a=1;\n")
	require.Contains(t, got.out, "+WHERE a = 1;\n")
	require.Equal(t, 0, executeSQL(t, "", false, "format", "--write", a).code)
	text, err := os.ReadFile(a)
	require.NoError(t, err)
	require.Equal(t, laid, string(text))
	require.Equal(t, result{}, executeSQL(t, "", false, "format", "--check", a))

	got = executeSQL(t, "", false, "format", "--write", b)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "b.sql:1:10: SYNTAX_ERROR")
	text, err = os.ReadFile(b)
	require.NoError(t, err)
	require.Equal(t, "select a,, b", string(text), "what cannot be read is left alone")
	require.Equal(t, 2, executeSQL(t, "select 1", false, "format", "--check", "--write").code)
}

func TestSQLTranspile(t *testing.T) {
	t.Parallel()
	got := executeSQL(t, "select ifnull(a, 0) from `t` limit 5, 10\n", false, "transpile", "--from", "mysql")
	require.Equal(t, 0, got.code, got.err)
	require.Contains(t, got.out, "coalesce(a, 0)")
	require.Contains(t, got.out, "OFFSET 5 LIMIT 10")
	got = executeSQL(t, "select cardinality(array[1])", false, "transpile", "--json")
	require.Equal(t, 0, got.code, got.err)
	require.Contains(t, got.out, `"sql": `)
	got = executeSQL(t, "select * from t match_recognize (pattern (a) define a as true)", false, "transpile")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "NOT_SUPPORTED")
	require.Equal(t, 2, executeSQL(t, "select 1", false, "transpile", "--from", "klingon").code)
	require.Equal(t, 2, executeSQL(t, "select 1", false, "transpile", "--to", "klingon").code)
	require.Equal(t, 2, executeSQL(t, "select 1; select 2", false, "transpile").code)
}

func TestSQLGuardAndLineage(t *testing.T) {
	t.Parallel()
	dir := writeSQL(t, map[string]string{
		"schema.sql": shopTables,
		"policy.yaml": "rules:\n  - name: own country\n    user: bob\n    table: buyers\n    filter: country = 'SG'\n" +
			"    columns:\n      - {name: name, mask: \"'***'\"}\n",
	})
	schema, rules := filepath.Join(dir, "schema.sql"), filepath.Join(dir, "policy.yaml")
	got := executeSQL(t, "select name from shop.buyers", false, "guard", "--catalog", schema)
	require.Equal(t, 0, got.code, got.out+got.err)
	require.Contains(t, got.out, "-- limit: ")
	require.Contains(t, got.out, "select name from shop.buyers LIMIT 1000\n")

	got = executeSQL(t, "select name from shop.buyers", false, "guard", "--catalog", schema, "--policy", rules, "--as", "bob", "--json")
	require.Equal(t, 0, got.code, got.out+got.err)
	var d decision
	require.NoError(t, json.Unmarshal([]byte(got.out), &d))
	require.Equal(t, "allowed", d.Decision)
	require.Contains(t, d.SQL, "country = 'SG'")
	require.Contains(t, d.SQL, "'***'")

	got = executeSQL(t, "select id from shop.orders", false, "guard", "--catalog", schema, "--default-catalog", "sg", "--policy", rules, "--as", "bob")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "TABLE_NOT_FOUND")
	got = executeSQL(t, "drop table shop.orders", false, "guard", "--catalog", schema)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "refused by the rule read_only\nstdin:1:1: STATEMENT_NOT_READ_ONLY: ")
	require.Equal(t, 2, executeSQL(t, "select 1", false, "guard").code)

	got = executeSQL(t, "select b.name, sum(amount) t from shop.orders o join shop.buyers b on b.id = o.buyer group by 1", false, "lineage", "--catalog", schema)
	require.Equal(t, 0, got.code, got.out+got.err)
	require.Contains(t, got.out, "shop.orders")
	require.Contains(t, got.out, "decimal(38,2)")
	require.Equal(t, 1, executeSQL(t, "select nope from shop.orders", false, "lineage", "--catalog", schema).code)
	require.Equal(t, 2, executeSQL(t, "select 1", false, "lineage").code)
}
