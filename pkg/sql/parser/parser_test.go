package parser_test

import (
	"strings"
	"testing"

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
