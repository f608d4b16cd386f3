package parser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// recorded is a statement and what Trino's parser says of it.
type recorded struct{ verdict, text string }

func readRecorded(t testing.TB) []recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/trino476.tsv")
	require.NoError(t, err)
	var all []recorded
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' {
			continue
		}
		verdict, quoted, _ := strings.Cut(line, "\t")
		r := recorded{verdict: verdict}
		require.NoError(t, json.Unmarshal([]byte(quoted), &r.text), line)
		all = append(all, r)
	}
	require.Greater(t, len(all), 500)
	return all
}

// TestAsTrinoReads reads what Trino reads, and finds mistakes where it finds
// them.
func TestAsTrinoReads(t *testing.T) {
	t.Parallel()
	for _, r := range readRecorded(t) {
		_, err := parser.Parse(r.text)
		if r.verdict == "ok" {
			require.NoError(t, err, r.text)
			continue
		}
		var e *parser.Error
		require.ErrorAs(t, err, &e, r.text)
		require.Equal(t, parser.CodeSyntax, e.Code, r.text)
		require.Equal(t, r.verdict, fmt.Sprintf("%d:%d", e.Line, e.Column), "%s: %v", r.text, err)
	}
}

// TestSpans: every node lies in its parent, and siblings do not overlap but where
// one of them has no text of its own. The printer splices by it.
func TestSpans(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, r := range readRecorded(t) {
		stmt, err := parser.Parse(r.text)
		if err != nil {
			continue
		}
		checkSpans(t, stmt)
		checked++
	}
	require.Greater(t, checked, 250)
}

func checkSpans(t *testing.T, n tree.Node) {
	t.Helper()
	span := n.Span()
	require.False(t, span.IsZero(), "%T", n)
	require.LessOrEqual(t, span.Start, span.End, "%T", n)
	children := tree.Children(n)
	for i, c := range children {
		if c == nil {
			continue
		}
		s := c.Span()
		require.GreaterOrEqual(t, s.Start, span.Start, "%T %q in %T %q", c, s.Text(), n, span.Text())
		require.LessOrEqual(t, s.End, span.End, "%T %q in %T %q", c, s.Text(), n, span.Text())
		for _, d := range children[:i] {
			if d != nil && s.Start < s.End {
				apart := d.Span().End <= s.Start || s.End <= d.Span().Start
				require.True(t, apart, "%T %q and %T %q", c, s.Text(), d, d.Span().Text())
			}
		}
		checkSpans(t, c)
	}
}

// TestTrees checks the shape of what has more than one reading.
func TestTrees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a + b * -c || d":                   "((a + (b * -c)) || d)",
		"not a and b or c":                  "((NOT a AND b) OR c)",
		"not a = b":                         "NOT (a = b)",
		"- a at time zone 'x'":              "-zone(a)",
		"-1[2]":                             "-1[2]",
		"(a, b) -> a":                       "lambda(a,b)",
		"(a, b)":                            "row(a,b)",
		"row(a)":                            "row(a)",
		"row(a) over ()":                    "call row",
		"((select 1))":                      "query(paren)",
		"((select 1) + 1)":                  "paren(query(select) + 1)",
		"((select 1) union select 2)":       "query(UNION)",
		"((select 1), 2)":                   "row(query(select),2)",
		"x in ((select 1))":                 "inlist",
		"x in ((select 1) except select 2)": "inquery",
		"x = any (select 1)":                "quantified ANY",
		"x = any (1)":                       "(x = call any)",
		"interval '1' day":                  "interval DAY",
		"interval '1'":                      "typed interval",
		"interval":                          "interval",
		"position('a' in b)":                "position",
		"position('a', b)":                  "call position",
		"position(a in (1, 2) and b)":       "call position",
		"substring(a from 1)":               "substring",
		"substring(a, 1)":                   "call substring",
		"try_cast(a as int)":                "cast integer",
		"try_cast(a)":                       "call try_cast",
		"trim(leading)":                     "trim",
		"x over w":                          "measure",
		"0xFF":                              "255",
		"1_000":                             "1000",
		"-9223372036854775808":              "-9223372036854775808",
		"[1, 2]":                            "array(1,2)",
		"U&'\\0041'":                        "'A'",
		"cast(a as row(x int, double precision, interval day to second, time with time zone))": "cast row(x integer, double, interval day to second, time with time zone)",
		"json_object('a': 1, key 'b' value 2)":                                                 "jsonobject 2",
	} {
		stmt, err := parser.Parse("select " + text)
		require.NoError(t, err, text)
		item, ok := stmt.Query.Body.(*tree.Select).Items[0].(*tree.SelectExpr)
		require.True(t, ok)
		require.Nil(t, item.Alias, text)
		require.Equal(t, want, shape(item.Expr), text)
	}
}

// shape writes the structure of an expression, as far as the test asks.
func shape(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return x.Parts[0].Name
	case *tree.Number:
		return x.Text
	case *tree.String:
		return "'" + x.Value + "'"
	case *tree.Binary:
		return "(" + shape(x.Left) + " " + x.Op + " " + shape(x.Right) + ")"
	case *tree.Unary:
		return x.Op + shape(x.X)
	case *tree.Not:
		return "NOT " + shape(x.X)
	case *tree.AtTimeZone:
		return "zone(" + shape(x.X) + ")"
	case *tree.Subscript:
		return shape(x.X) + "[" + shape(x.Index) + "]"
	case *tree.Paren:
		return "paren" + strings.TrimSuffix("("+strings.TrimPrefix(shape(x.X), "("), ")") + ")"
	case *tree.Row:
		return "row(" + shapes(x.Items) + ")"
	case *tree.Array:
		return "array(" + shapes(x.Items) + ")"
	case *tree.Lambda:
		return "lambda(" + x.Params[0].Name + "," + x.Params[1].Name + ")"
	case *tree.ScalarQuery:
		return "query(" + bodyShape(x.Query.Body) + ")"
	case *tree.Call:
		return "call " + x.Name.String()
	case *tree.Cast:
		return "cast " + x.Type.Text
	case *tree.Interval:
		return "interval " + x.From
	case *tree.Typed:
		return "typed " + x.Type
	case *tree.Quantified:
		return "quantified " + x.Quantifier
	case *tree.JSONObject:
		return fmt.Sprintf("jsonobject %d", len(x.Members))
	case *tree.WindowMeasure:
		return "measure"
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", x), "*tree."))
}

func shapes(xs []tree.Expr) string {
	var out []string
	for _, x := range xs {
		out = append(out, shape(x))
	}
	return strings.Join(out, ",")
}

func bodyShape(body tree.QueryBody) string {
	switch body := body.(type) {
	case *tree.SetOp:
		return body.Op
	case *tree.ParenQuery:
		return "paren"
	}
	return "select"
}

// TestRelations checks what stands in FROM.
func TestRelations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"t limit 5":                  "Table",
		"t limit":                    "Aliased",
		"t window w as (order by a)": "Table",
		"t window":                   "Aliased",
		"t fetch first row only":     "Table",
		"t tablesample system (1)":   "Sampled",
		"t match_recognize (a, b)":   "Aliased",
		"t match_recognize (pattern (a) define a as true) m": "Aliased",
		"t match_recognize (pattern (a) define a as true)":   "MatchRecognize",
		"t for version as of 1":                              "Table",
		"((select 1))":                                       "Derived",
		"((select 1) union select 2)":                        "Derived",
		"((select 1) a)":                                     "ParenRelation",
		"((with a as (select 1) select 1))":                  "ParenRelation",
		"(a join b on true)":                                 "ParenRelation",
		"a join b join c on x on y":                          "Join",
		"json_table(a, 'lax $' columns (b int))":             "JSONTable",
		"table(f(a => 1))":                                   "TableFunction",
		"lateral (select 1)":                                 "Lateral",
	} {
		stmt, err := parser.Parse("select * from " + text)
		require.NoError(t, err, text)
		r := stmt.Query.Body.(*tree.Select).From[0]
		require.Equal(t, "*tree."+want, fmt.Sprintf("%T", r), text)
	}
}

func TestShowAndExplain(t *testing.T) {
	t.Parallel()
	stmt, err := parser.Parse("explain (type io, format json) show tables from a.b like 'x!_%' escape '!'")
	require.NoError(t, err)
	require.Equal(t, tree.KindExplain, stmt.Kind)
	require.Equal(t, "IO", stmt.Explain.Options[0].Value)
	inner := stmt.Explain.Statement
	require.Equal(t, tree.KindShowTables, inner.Kind)
	require.Equal(t, "a.b", inner.Show.Name.String())
	require.Equal(t, []string{"x!_%", "!"}, []string{inner.Show.Like.Value, inner.Show.Escape.Value})

	stmt, err = parser.Parse("explain analyze verbose delete from t")
	require.NoError(t, err)
	require.Equal(t, tree.KindExplainAnalyze, stmt.Kind)
	require.True(t, stmt.Explain.Verbose)
	require.Equal(t, tree.StatementKind("DELETE"), stmt.Explain.Statement.Kind)
	require.Equal(t, "delete from t", stmt.Explain.Statement.Span().Text())
	require.Nil(t, stmt.Query)

	for text, kind := range map[string]tree.StatementKind{
		"desc a.b":                                                    tree.KindShowColumns,
		"show stats for (select 1)":                                   tree.KindShowStatsForQuery,
		"show create materialized view v":                             tree.KindShowCreateMaterializedView,
		"with session a.b = 1 select 1":                               tree.KindWithSession,
		"with function f() returns int return 1 select f()":           tree.KindWithFunction,
		"with function f() returns int begin return 1; end select 1;": tree.KindWithFunction,
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, kind, stmt.Kind, text)
		require.Nil(t, stmt.Query, text)
	}
}
