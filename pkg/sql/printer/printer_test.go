package printer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func TestHandMade(t *testing.T) {
	t.Parallel()
	a, b := tree.Col("a"), tree.Col("t", "b")
	for want, node := range map[string]tree.Node{
		"(a + t.b) * 2":              tree.Op(tree.OpMul, tree.Op(tree.OpAdd, a, b), tree.Int(2)),
		"a - (t.b - 1)":              tree.Op(tree.OpSub, a, tree.Op(tree.OpSub, b, tree.Int(1))),
		"(a OR t.b) AND a":           tree.And(tree.Or(a, b), a),
		"a - -1":                     tree.Op(tree.OpSub, a, tree.Int(-1)),
		"NOT (a AND t.b)":            &tree.Not{X: tree.And(a, b)},
		"(a = 1) = (t.b = 2)":        tree.Op(tree.OpEq, tree.Op(tree.OpEq, a, tree.Int(1)), tree.Op(tree.OpEq, b, tree.Int(2))),
		`"select"."order" = 'it''s'`: tree.Op(tree.OpEq, tree.Col("select", "order"), tree.Str("it's")),
		`"Weird name"."a""b"`:        tree.Col("Weird name", `a"b`),
		"DATE '2024-02-29'":          tree.Date(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)),
		"count(DISTINCT a)":          tree.FnDistinct("count", a),
		"trim(a)":                    tree.Fn("trim", a),
		"CAST(a AS bigint) IS NULL":  &tree.IsNull{X: tree.CastTo(a, "bigint")},
		"- -1":                       &tree.Unary{Op: "-", X: tree.Int(-1)},
		"a NOT IN (1, 2)":            &tree.InList{X: a, List: []tree.Expr{tree.Int(1), tree.Int(2)}, Not: true},
	} {
		require.Equal(t, want, printer.Print(node))
		if _, isExpr := node.(tree.Expr); isExpr {
			_, err := parser.Parse("select " + want)
			require.NoError(t, err, want)
		}
	}
	q := tree.QueryOf(&tree.Select{
		Items:   []tree.SelectItem{tree.Item(a, "x"), tree.Item(tree.CountStar(), "n")},
		From:    []tree.Relation{&tree.Join{Kind: tree.JoinLeft, Left: tree.Alias(tree.TableOf("sg", "s", "t"), "t"), Right: tree.TableOf("u"), On: tree.Op(tree.OpEq, a, b)}},
		Where:   tree.Op(tree.OpGt, a, tree.Int(1)),
		GroupBy: tree.GroupOn(a),
	})
	q.OrderBy, q.Limit = []*tree.SortItem{tree.By(tree.Col("n"), true)}, tree.LimitTo(5)
	want := "SELECT a AS x, count(*) AS n FROM sg.s.t AS t LEFT JOIN u ON a = t.b WHERE a > 1 GROUP BY a ORDER BY n DESC LIMIT 5"
	require.Equal(t, want, printer.Print(tree.StatementOf(q)))
	_, err := parser.Parse(want)
	require.NoError(t, err)
	require.Equal(t, "SELECT\n  a AS x,\n  count(*) AS n\nFROM sg.s.t AS t\nLEFT JOIN u ON a = t.b\nWHERE a > 1\nGROUP BY a\nORDER BY n DESC\nLIMIT 5", printer.Format(q))
}

func TestRewriteKeepsTheRest(t *testing.T) {
	t.Parallel()
	stmt, err := parser.Parse("select  a /* keep */ * 2,b  from t -- end\n where a>1")
	require.NoError(t, err)
	require.Equal(t, "select  a /* keep */ * 2,b  from t -- end\n where a>1", printer.Print(stmt))
	out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok && c.Parts[0].Name == "a" {
			return tree.Op(tree.OpAdd, tree.Col("x"), tree.Col("y"))
		}
		return n
	})
	require.NoError(t, err)
	require.Equal(t, "select  (x + y) /* keep */ * 2,b  from t -- end\n where (x + y)>1", printer.Print(out))
	require.Equal(t, "select  a /* keep */ * 2,b  from t -- end\n where a>1", printer.Print(stmt), "the original is untouched")
}

// TestFormatIsStable: what is laid out anew reads as a tree that is laid out the
// same way.
func TestFormatIsStable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"select a, b c from t as x (a, b) where not (a = 1 or b is distinct from 2) group by rollup (a, b), grouping sets ((a), ()) having count(*) > 1",
		"with recursive r(n) as (values 1 union all (select n + 1 from r limit 3)) select * from r order by n desc nulls first offset 2 rows fetch first 3 rows with ties",
		"select sum(a) filter (where b) over (partition by c order by d rows between 1 preceding and unbounded following), lag(a, 1) ignore nulls over w from t window w as (order by a)",
		"select x from unnest(array[1, 2]) with ordinality as t (x, o) cross join lateral (select 1) z natural join q join (a join b using (i)) on true",
		"select try_cast(a as decimal(10,2)), cast(b as array(row(x bigint, y varchar))), interval -'1' day, extract(year from c), a at time zone 'UTC', position('a' in b)",
		"select case a when 1 then 'x' else null end, (select 1), exists (select 2), a > all (select 3), (1, 2), row(1), m[1].f, (x, y) -> x + y, -(-a), a - (b - c)",
		"select trim(leading 'x' from a), trim(a), substring(a from 2 for 3), normalize(a, nfd), listagg(distinct a, ',') within group (order by a), grouping(a, b), current_timestamp(3)",
		"(select 1 union select 2) intersect select 3 except all table t",
		"select a between 1 and 2 and b not like 'x' escape '!' and c in (select 1), U&'\\0041', X'0A', timestamp '2024-01-01 00:00:00', ?",
		"select t.* from a.b.c t tablesample bernoulli (10), (select 1) u",
	} {
		stmt, err := parser.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, text, printer.Print(stmt))
		once := printer.Format(stmt)
		again, err := parser.Parse(once)
		require.NoError(t, err, once)
		require.Equal(t, once, printer.Format(again))
	}
}
