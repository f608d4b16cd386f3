package printer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// FuzzPrint: what nobody changed is printed as it was; a change in one place
// leaves all else byte for byte; what is laid out anew reads, and is laid out the
// same way again.
func FuzzPrint(f *testing.F) {
	for _, s := range []string{
		"select a, b c from t as x (a, b) where not (a = 1 or b is distinct from 2) group by rollup (a, b), grouping sets ((a), ()) having count(*) > 1",
		"with recursive r(n) as (values 1 union all (select n + 1 from r limit 3)) select * from r order by n desc nulls first offset 2 rows fetch first 3 rows with ties",
		"select sum(a) filter (where b) over (partition by c order by d rows between 1 preceding and unbounded following), lag(a, 1) ignore nulls over w from t window w as (order by a)",
		"select x from unnest(array[1, 2]) with ordinality as t (x, o) cross join lateral (select 1) z natural join q join (a join b using (i)) on true -- c",
		"select try_cast(a as decimal(10,2)), interval -'1' day, extract(year from c), a at time zone 'UTC', position('a' in b), ((select 1) union select 2)",
		"select json_query(a, 'lax $' passing b as c returning varchar format json with array wrapper keep quotes null on empty error on error), json_object('a': 1, key b value 2 absent on null), json_array(1, 2 returning varchar)",
		"select * from t for version as of 1 tablesample bernoulli (10), json_table(a, 'lax $' columns (i for ordinality, b int path 'x' default 1 on empty, nested path 'y' columns (c varchar format json))) j",
		"select * from t match_recognize (partition by a order by b measures final last(a.x) as w one row per match after match skip past last row pattern (a b*) subset u = (a, b) define b as prev(b.x) > 1) m (p, q)",
		"select * from table(f(a => 1, table(t) as x partition by (a, b) prune when empty order by (c), d => descriptor(x int)))",
		"select 1 a union corresponding by (a) select 2 a except all table t", "explain (type io) select 1", "show tables from a.b like 'x' escape '!'",
		"select - - 1, -(-a), +1, a - -1, (a, b) -> a, x[1].y, (a).b, 'it''s', \"q\"\"\", U&'\\0041', X'0A', ?, 1e5, .5, 0x1f, 1_000",
	} {
		f.Add(s, uint16(3))
	}
	f.Fuzz(func(t *testing.T, text string, which uint16) {
		stmt, err := parser.Parse(text)
		if err != nil {
			return
		}
		whole := stmt.Span().Text()
		require.Equal(t, whole, printer.Print(stmt))
		if stmt.Query != nil {
			checkChange(t, stmt, whole, int(which))
		}
		if stmt.Query != nil || stmt.Show != nil {
			checkLayout(t, stmt)
		}
	})
}

// checkChange puts another number in the place of one.
func checkChange(t *testing.T, stmt *tree.Statement, whole string, which int) {
	t.Helper()
	var numbers []*tree.Number
	tree.Walk(stmt, func(n tree.Node) bool {
		if number, ok := n.(*tree.Number); ok {
			numbers = append(numbers, number)
		}
		return true
	})
	if len(numbers) == 0 {
		return
	}
	old := numbers[which%len(numbers)]
	out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if n == tree.Node(old) {
			return &tree.Number{Text: "987654"}
		}
		return n
	})
	require.NoError(t, err)
	got := printer.Print(out)
	span := old.Span()
	before, after := whole[:span.Start], whole[span.End:]
	// A blank may be needed where a word or another number stands right beside it.
	require.True(t, strings.HasPrefix(got, before), got)
	require.True(t, strings.HasSuffix(got, after), got)
	middle := strings.TrimSuffix(strings.TrimPrefix(got, before), after)
	require.Equal(t, "987654", strings.TrimSpace(middle), got)
	require.Equal(t, whole, printer.Print(stmt), "the original is untouched")
}

func checkLayout(t *testing.T, stmt *tree.Statement) {
	t.Helper()
	once := printer.Format(stmt)
	again, err := parser.Parse(once)
	require.NoError(t, err, once)
	require.Equal(t, once, printer.Format(again))

	laid := printer.Layout(stmt)
	again, err = parser.Parse(laid)
	require.NoError(t, err, laid)
	require.Equal(t, laid, printer.Layout(again), "laid out the same way again")
	require.Equal(t, once, printer.Format(again), "the same statement")
}
