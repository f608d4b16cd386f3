package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// most is more than any statement of the fuzzer's size takes: the steps are counted,
// so that a busy machine finds nothing that another does not.
const most = 1 << 20

// FuzzResolve asks that whatever parses is resolved without a panic and in a bounded
// number of steps, that mistakes lie in the text, and that the result is the same twice.
func FuzzResolve(f *testing.F) {
	for _, text := range []string{
		twenty,
		"select transform(array[array[1]], a -> transform(a, x -> transform(array[x], y -> y || z))) from nation",
		"with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select n, m from t",
		"select distinct name, sum(x) over (w rows 1 preceding) from nation n join region using (regionkey) window w as (order by nope)",
		"select grouping(a), r.x.y, t.*, cast(row(1) as row(a nope)).a from unnest(map(array[1], array['x'])) with ordinality t(a, b) group by cube (a)",
		"select * from nation match_recognize (order by nationkey measures a.name as n pattern (a+) define b as true) m",
		"select json_value('{}', 'lax $' returning date default 1 on empty), timestamp '2024-02-30 1:1' at time zone 'x', interval '1-2' day",
		"explain select count(*) filter (where a > all (select 1, 2)) from (values (1, 'a'), (2)) t(a) order by 3",
	} {
		f.Add(text)
	}
	scope := trino(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip()
		}
		stmt, err := parser.Parse(text)
		if err != nil {
			t.Skip()
		}
		resolution, found := resolve.Resolve(stmt, scope)
		require.Less(t, resolution.Steps(), most)
		_, again := resolve.Resolve(stmt, scope)
		require.Equal(t, len(found), len(again))
		for i, d := range found {
			require.NotEmpty(t, d.Code)
			require.NotNil(t, d.Node)
			require.Equal(t, d.Message, again[i].Message)
			require.False(t, d.Line > 0 && d.Column < 1)
		}
	})
}

// TestStepsGrowWithTheText nests what is tried on several signatures: each level more
// may add steps, and not multiply them.
func TestStepsGrowWithTheText(t *testing.T) {
	t.Parallel()
	scope := trino(t)
	for name, nest := range map[string]func(inner string, level string) string{
		"lambdas": func(inner, level string) string { return "transform(array[1], x" + level + " -> " + inner + ")" },
		"reductions": func(inner, level string) string {
			return "reduce(array[1], 0, (s" + level + ", x) -> " + inner + ", s" + level + " -> s" + level + ")"
		},
		"functions": func(inner, _ string) string { return "coalesce(abs(" + inner + "), 1)" },
		"queries":   func(inner, _ string) string { return "(select max(" + inner + ") from nation)" },
	} {
		steps := func(depth int) int {
			text := "1"
			for i := range depth {
				text = nest(text, strings.Repeat("i", i+1))
			}
			stmt, err := parser.Parse("select " + text)
			require.NoError(t, err, name)
			resolution, _ := resolve.Resolve(stmt, scope)
			return resolution.Steps()
		}
		few, many := steps(5), steps(20)
		require.Positive(t, few, name)
		require.LessOrEqual(t, many, 20*few, name) // four times the text; each level may look at all below it
	}
}
