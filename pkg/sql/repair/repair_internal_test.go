package repair

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing that Presto has may look like a habit of another dialect.
func TestValidPrestoIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		`SELECT json_value(j, 'lax $.a'), json_extract_scalar(j, '$.a') FROM t`,
		`SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH FIRST 3 ROWS ONLY`,
		`SELECT x -> x + 1, transform(a, x -> x * 2), a[1], m['k'] FROM t`,
		`SELECT INTERVAL '3' DAY, INTERVAL '1-2' YEAR TO MONTH, INTERVAL -'1' HOUR FROM t`,
		`SELECT "a b", 'it''s == ok', U&'\0041' FROM "s"."t" -- && ; LIMIT 1, 2`,
		`SELECT date_diff('day', start_day, day), date_trunc('week', week) FROM t WHERE a != b AND a <> 2`,
		`SELECT row_number() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t`,
		`SELECT count(*) FILTER (WHERE a > 1), array_agg(a ORDER BY b), listagg(a, ',') WITHIN GROUP (ORDER BY a) FROM t`,
		`WITH "left" AS (SELECT 1 AS size) SELECT size, current_date, len FROM "left" LEFT JOIN (VALUES 1) v(len) ON true`,
		`SELECT IF(a, b, c), position('a' IN b), substring(a FROM 1 FOR 2), extract(DAY FROM d), year(d) FROM t;`,
	} {
		d := newDraft(sql)
		d.translate(nil)
		require.Equal(t, sql, d.text)
	}
}

func TestNearestIsClearOrNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"order_idd", []string{"order_id", "country"}, "order_id"},
		{"orderid", []string{"order_id", "order_ids"}, "order_id"},
		{"cnt_order", []string{"order_cnt", "order_amt"}, "order_cnt"},
		{"amount_a", []string{"amount_b", "amount_c"}, ""}, // as near as each other
		{"revenue", []string{"country", "status"}, ""},
		{"x", nil, ""},
		{"名字", []string{"名称", "城市"}, ""},
	} {
		got, _, ok := nearestOf(c.name, c.candidates)
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.want != "", ok)
	}
}

func TestDiffOfSeveralLines(t *testing.T) {
	t.Parallel()
	require.Empty(t, unifiedDiff("a", "a"))
	require.Equal(t, "--- original\n+++ fixed\n@@ -2,6 +2,6 @@\n b\n c\n d\n-e\n+E\n f\n g\n", unifiedDiff("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nd\nE\nf\ng"))
	require.Equal(t, "--- original\n+++ fixed\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n", unifiedDiff("a\nb\nc", "A\nb\nC"))
}
