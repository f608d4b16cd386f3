package resolve_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// longest is far more than any statement of the fuzzer's size takes.
const longest = 5 * time.Second

// FuzzResolve asks that whatever parses is resolved without a panic and in bounded
// time, that mistakes lie in the text, and that the result is the same twice.
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
		started := time.Now()
		_, found := resolve.Resolve(stmt, scope)
		require.Less(t, time.Since(started), longest)
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
