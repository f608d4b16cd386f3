package parser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]parser.Error{
		"select a,, b":               {Code: parser.CodeSyntax, Line: 1, Column: 10},
		"select *\nfrom":             {Code: parser.CodeSyntax, Line: 2, Column: 5},
		"select 'é', x y z":          {Code: parser.CodeSyntax, Line: 1, Column: 17},
		"select `a`":                 {Code: parser.CodeSyntax, Line: 1, Column: 8},
		"select 9223372036854775808": {Code: parser.CodeSyntax, Line: 1, Column: 8},
		"select extract(foo from x)": {Code: parser.CodeSyntax, Line: 1, Column: 8},
		"":                           {Code: parser.CodeEmpty, Line: 1, Column: 1},
		"select 1; select 2":         {Code: parser.CodeMultiple, Line: 1, Column: 9},
		"select json_value(x '$.a')": {Code: parser.CodeSyntax, Line: 1, Column: 26},
		"merge into t using u on a when matched then deete": {Code: parser.CodeSyntax, Line: 1, Column: 45},
	} {
		_, err := parser.Parse(text)
		var e *parser.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, want.Code, e.Code, "%s: %v", text, err)
		require.Equal(t, []int{want.Line, want.Column}, []int{e.Line, e.Column}, "%s: %v", text, err)
		require.NotEqual(t, codes.Unknown, status.Code(err))
		require.Equal(t, "SYNTAX_ERROR", e.TrinoName())
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]tree.StatementKind{
		"select 1":                           tree.KindQuery,
		"insert into a select 1":             "INSERT INTO",
		"explain analyze delete from t":      "EXPLAIN ANALYZE",
		"set session a = 1":                  "SET SESSION",
		"call x.y()":                         "CALL",
		"create table a as select 1 x":       "CREATE TABLE AS SELECT",
		"select 1 where x >= all (select 1)": tree.KindQuery,
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, kind, stmt.Kind)
	}
}

// TestHostile checks that bad input is refused within a second.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"parentheses": "select " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000),
		"signs":       "select " + strings.Repeat("- ", 1<<18) + "1",
		"nots":        "select " + strings.Repeat("not ", 10_000) + "true",
		"cases":       "select " + strings.Repeat("case when ", 10_000),
		"joins":       "select 1 from a" + strings.Repeat(" join a", 10_000),
		"items":       "select " + strings.Repeat("1,", 1<<18) + "1",
		"operators":   "select 1" + strings.Repeat(" + 1", 100_000),
		"explains":    strings.Repeat("explain ", 10_000) + "select 1",
		"one word":    strings.Repeat("a", 1<<20),
		"too large":   strings.Repeat("a", 1<<20+1),
		"open quote":  "select '" + strings.Repeat("a", 1<<19),
		"binary":      strings.Repeat("\x01", 1<<18),
		"not UTF-8":   "select '\xff'",
		"statements":  strings.Repeat("select 1;", 1<<16),
		"brackets":    "select " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"arrays":      "select " + strings.Repeat("array[", 10_000) + "1",
		"types":       "select cast(a as " + strings.Repeat("array<", 10_000) + "int)",
		"rows":        "select cast(a as " + strings.Repeat("row(x ", 10_000) + "int)",
		"lambdas":     "select f(" + strings.Repeat("x -> ", 10_000) + "1)",
		"positions":   "select " + strings.Repeat("position(a in b and ", 400) + "1",
		"trims":       "select " + strings.Repeat("trim(leading trim(both ", 200) + "1",
		"anys":        "select " + strings.Repeat("a = any ((", 200) + "1",
		"keys":        "select " + strings.Repeat("json_object(key key(", 200) + "1",
		"froms":       "select * from " + strings.Repeat("((", 240) + "a b c",
		"dots":        "select a" + strings.Repeat(".a", 90_000) + " b c",
		"quotes":      strings.Repeat("'a''", 100_001),
		"comments":    strings.Repeat("/* ", 100_000),
		"dollars":     strings.Repeat("$$ $", 50_000),
		"patterns":    "select * from t match_recognize (pattern (" + strings.Repeat("a (", 400) + ") define a as true)",
	} {
		begun := time.Now()
		_, err := parser.Parse(text)
		require.Error(t, err, name)
		require.Less(t, time.Since(begun), 5*time.Second, name) // a second, on a machine that does nothing else
		require.Less(t, len(err.Error()), 500, name)
	}
}

func TestEdgesOfBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"select " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
		"select 1" + strings.Repeat(" + 1", 5_000),
		"select 1 where " + strings.Repeat("not ", 400) + "true",
	} {
		_, err := parser.Parse(text)
		require.NoError(t, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"select 1", "with a as (select 1 x) select * from a", "select 'x' || \"y\" from t -- c", "merge into t using u on a when matched then deete",
		"values (1, 'a'), (2, null)", "select case when a then b end from c", "select a[1], x -> x + 1, interval '1' day", "U&'\\0041'", "select 1;;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stmt, err := parser.Parse(text)
		if err != nil {
			var e *parser.Error
			require.ErrorAs(t, err, &e)
			require.NotEmpty(t, e.Message)
			return
		}
		tree.Walk(stmt, func(n tree.Node) bool {
			s := n.Span()
			require.False(t, s.IsZero(), "%T", n)
			require.LessOrEqual(t, s.Start, s.End)
			return true
		})
	})
}

func TestSplit(t *testing.T) {
	t.Parallel()
	text := "select 1; -- one\n select ';' /* ; */ from t;\n\n; values 1\n-- end"
	var got []string
	for _, p := range parser.Split(text) {
		got = append(got, text[p.Start:p.End])
	}
	require.Equal(t, []string{"select 1", " -- one\n select ';' /* ; */ from t", " values 1\n-- end"}, got)
	require.Empty(t, parser.Split(" -- nothing\n;;"))
	line, column := parser.LineOf("a\né b", len("a\né "))
	require.Equal(t, []int{2, 3}, []int{line, column})
}
