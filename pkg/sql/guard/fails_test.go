package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func typedTable() resolve.Scope {
	t := catalog.Table{Name: catalog.Name{Region: "w", Schema: "shop", Table: "t"}}
	for _, c := range strings.Split("i bigint, n integer, s smallint, f double, r real, d decimal(12,2), big decimal(38,10), v varchar, v3 varchar(3), "+
		"day date, at timestamp(3), z timestamp(3) with time zone, ok boolean, xs array(bigint), m map(varchar,bigint), k map(array(bigint),bigint), j json, owner varchar", ", ") {
		name, typ, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, catalog.Column{Name: name, Type: typ})
	}
	return resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{t}), DefaultRegion: "w", DefaultSchema: "shop"}
}

// TestWhatCanRaise: what is not known to be safe stands behind a barrier, and what
// is known to be does not.
func TestWhatCanRaise(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{filter: owner = current_user}]")})
	seen := map[bool]int{}
	for _, line := range lines(t, "raising.txt") {
		said, x, ok := strings.Cut(line, "\t")
		require.True(t, ok, line)
		want := said == "raises"
		require.True(t, want || said == "safe", line)
		approved, err := g.Approve(t.Context(), bob(), `SELECT i FROM t WHERE (`+strings.ReplaceAll(x, " at ", ` "at" `)+`) IS NULL`, typedTable())
		require.NoError(t, err, x)
		barrier := strings.Contains(approved.SQL(), "9223372036854775807")
		require.Equal(t, want, barrier, "%s\n%s", x, approved.SQL())
		seen[want]++
	}
	require.Greater(t, seen[true], 60)
	require.Greater(t, seen[false], 60)
}

// TestOrdinaryConditionsReachTheTable: only what can raise an error goes behind the
// barrier, so that an engine still skips partitions.
func TestOrdinaryConditionsReachTheTable(t *testing.T) {
	t.Parallel()
	const columns = `i, n, s, f, r, d, big, v, v3, day, "at", z, ok, xs, m, k, j, owner`
	const cover = `(SELECT ` + columns + ` FROM w.shop.t WHERE owner = 'bob')`
	fenced := func(where string) string {
		return "(SELECT " + columns + " FROM " + cover + " AS t" + where + " LIMIT 9223372036854775807)"
	}
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{filter: owner = current_user}]")})
	for _, c := range []struct{ text, relation string }{
		{text: "SELECT i FROM t WHERE day = DATE '2024-01-01' AND v LIKE 'a%'", relation: cover},
		{text: "SELECT sum(i) / sum(n) FROM t WHERE day > date_add('day', -7, current_date)", relation: cover},
		{text: "SELECT sum(i) / sum(n) FROM t GROUP BY v HAVING sum(i) / count(*) > 2", relation: cover},
		{text: "SELECT i FROM t WHERE 1 / n = 1", relation: fenced("")},
		{text: "SELECT sum(1 / n) FROM t", relation: fenced("")},
		{text: "SELECT i FROM t WHERE day = DATE '2024-01-01' AND 1 / n = 1", relation: fenced(" WHERE day = DATE '2024-01-01'")},
		{text: "SELECT i FROM t WHERE day = DATE '2024-01-01' AND (v = 'x' OR 1 / n = 1)", relation: fenced(" WHERE day = DATE '2024-01-01'")},
		{text: "SELECT CASE WHEN v LIKE 'a%' THEN 1 / i END FROM t WHERE day > DATE '2024-01-01' AND (ok OR n = 1)",
			relation: fenced(" WHERE day > DATE '2024-01-01' AND (ok OR n = 1)")},
		{text: "SELECT CASE WHEN sum(i) / sum(n) > 1 THEN 1 / count(*) ELSE 2 END FROM t", relation: cover},
		{text: "SELECT count(*) / (max(i) + 0) FROM t", relation: cover},
		{text: "SELECT sum(i) OVER (PARTITION BY v ORDER BY n) FROM t", relation: cover},
		{text: "SELECT sum(i) / sum(n) + n FROM t GROUP BY n", relation: fenced("")},
		{text: "SELECT sum(i) / (SELECT 5) FROM t", relation: fenced("")},
		{text: "SELECT sum(i) OVER (PARTITION BY 1 / n) FROM t", relation: fenced("")},
		{text: "SELECT sum(i) FILTER (WHERE 1 / n = 1) FROM t", relation: fenced("")},
		{text: "SELECT LISTAGG(v, ',') WITHIN GROUP (ORDER BY 1 / n) FROM t", relation: fenced("")},
		{text: "SELECT LISTAGG(v, ',') WITHIN GROUP (ORDER BY n) FROM t", relation: cover},
		{text: "SELECT max(i) / 1 FROM t WHERE 1 / n = 1 AND v = 'x'", relation: fenced(" WHERE v = 'x'")},
		// What stands below the barrier drops a row for good, on the table's columns alone.
		{text: "SELECT i FROM t WHERE v = 'x' AND rand() < f AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT i FROM t WHERE random() < f AND v = 'x' AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT i FROM t WHERE 1 = 1 AND 1 / n = 1", relation: fenced("")},
		{text: "SELECT i FROM t WHERE i IN (SELECT 1) AND s = 2 AND 1 / n = 1", relation: fenced(" WHERE s = 2")},
		{text: "SELECT i FROM t WHERE EXISTS (SELECT i) AND s = 2 AND 1 / n = 1", relation: fenced(" WHERE s = 2")},
		{text: "SELECT i FROM t WHERE i / n > 2 AND s = 2", relation: fenced(" WHERE s = 2")},
		{text: "SELECT i FROM t z WHERE z.v = 'x' AND 1 / z.n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT shop.t.i FROM w.shop.t WHERE shop.t.v = 'x' AND w.shop.t.s = 2 AND 1 / n = 1", relation: fenced(" WHERE v = 'x' AND s = 2")},
		{text: "SELECT i FROM (t) WHERE v = 'x' AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT i FROM t TABLESAMPLE BERNOULLI (10) WHERE v = 'x' AND 1 / n = 1", relation: fenced("")},
		{text: "SELECT x FROM (SELECT v AS x, n FROM t) q WHERE x = 'x' AND 1 / n = 1", relation: fenced("")},
		{text: "SELECT i FROM t, (VALUES 1) u (y) WHERE v = 'x' AND i = y AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT i FROM (VALUES 1) u (y) CROSS JOIN t WHERE v = 'x' AND y = 1 AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT y FROM (VALUES 1) u (y) WHERE EXISTS (SELECT 1 FROM t WHERE y = 1 AND v = 'x' AND i = y AND 1 / n = 1)", relation: fenced(" WHERE v = 'x'")},
		{text: "WITH RECURSIVE r (x) AS (SELECT i FROM t UNION ALL SELECT x FROM r WHERE x IS NULL) SELECT x FROM r", relation: fenced("")},
		{text: "SELECT i FROM t, TABLE(sequence(1, 3)) WHERE v = 'x'", relation: fenced(" WHERE v = 'x'")},
		{text: "SELECT max(i) / (1 / 0) FROM t", relation: cover},
		{text: "SELECT 1 + sum(1 / n) FROM t", relation: fenced("")},
		{text: "SELECT i FROM t CROSS JOIN (VALUES 1) u (y) WHERE v = 'x' AND 1 / n = 1", relation: fenced(" WHERE v = 'x'")},
		{text: "WITH r (x) AS (SELECT i FROM t UNION ALL SELECT 1) SELECT x FROM r", relation: cover},
	} {
		approved, err := g.Approve(t.Context(), bob(), c.text, typedTable())
		require.NoError(t, err, c.text)
		require.Contains(t, approved.SQL(), c.relation, c.text)
		require.Equal(t, strings.Count(c.relation, "LIMIT"), strings.Count(approved.SQL(), "LIMIT 9223372036854775807"), approved.SQL())
		again, err := g.Approve(t.Context(), bob(), approved.SQL(), typedTable())
		require.NoError(t, err, approved.SQL())
		require.Equal(t, approved.SQL(), again.SQL(), "guarding what is guarded changes nothing")
	}
}

// TestABarrierStandsBeforeRowsThatAreLeftOut: where only values are replaced there is no
// row to tell of.
func TestABarrierStandsBeforeRowsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]bool{
		"filter: owner = current_user":                                      true,
		"filter: owner = current_user, columns: [{name: v, mask: \"'x'\"}]": true,
		"columns: [{name: v, mask: \"'x'\"}]":                               false,
		"columns: [{name: v, access: deny}]":                                false,
	} {
		g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{"+rule+"}]")})
		approved, err := g.Approve(t.Context(), bob(), "SELECT 1 / i FROM t", typedTable())
		require.NoError(t, err, rule)
		require.Equal(t, want, strings.Contains(approved.SQL(), "9223372036854775807"), "%s: %s", rule, approved.SQL())
	}
}

// TestNoBarrierOfOnesOwn: a statement that looks as if it were guarded already is
// guarded none the less.
func TestNoBarrierOfOnesOwn(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	for _, cover := range []string{
		"(SELECT id, name, nation, CAST('***' || substr(phone, -2) AS varchar) AS phone FROM w.shop.customer WHERE nation in (1, 2))",
		"(SELECT id, name, nation, phone FROM (SELECT id, name, nation, CAST('***' || substr(phone, -2) AS varchar) AS phone FROM w.shop.customer WHERE nation in (1, 2)) AS customer WHERE id > 2 LIMIT 9223372036854775807)",
		"(SELECT id, name, nation, phone FROM (SELECT id, name, nation, CAST('***' || substr(phone, -2) AS varchar) AS phone FROM w.shop.customer WHERE nation in (1, 2)) AS customer LIMIT 2)",
	} {
		text := "SELECT id FROM " + cover + " c WHERE 1 / (nation - 3) < 5"
		approved, err := o.guarded.Approve(t.Context(), bob(), text, o.realScope)
		require.NoError(t, err)
		require.Contains(t, approved.SQL(), "nation in (1, 2)) AS customer WHERE nation in (1, 2) LIMIT 9223372036854775807", "the barrier that it needs, whatever is written")
	}
}

// TestWhatLooksLikeACover is a query like any other: bob gets of it what he would get
// from the warehouse that holds his rows only.
func TestWhatLooksLikeACover(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	const columns, mask, rows = "id, name, nation", ", CAST('***' || substr(phone, -2) AS varchar) AS phone", " FROM w.shop.customer WHERE nation in (1, 2)"
	const cover, limit = "SELECT " + columns + mask + rows, " LIMIT 9223372036854775807"
	for _, query := range []string{
		"(" + cover + ")", "(" + cover + limit + ")", "(SELECT id, name, nation, phone FROM (" + cover + ") AS customer" + limit + ")",
		"(SELECT id, name, nation, phone FROM (" + cover + ") AS orders" + limit + ")", "(SELECT id, name, nation, phone FROM (" + cover + ")" + limit + ")",
		"(SELECT id, name, nation, phone FROM (" + cover + ") AS customer, w.shop.nation n" + limit + ")",
		"(SELECT id, name, nation, phone FROM w.shop.customer" + limit + ")", "(SELECT id, name, nation, phone FROM w.shop.customer AS customer" + limit + ")",
		"(SELECT id, name, nation, phone FROM (SELECT * FROM w.shop.customer, (VALUES 1) v (one)) AS customer" + limit + ")",
		"(SELECT id, name, nation, phone FROM (SELECT * FROM (" + cover + ") AS c) AS customer" + limit + ")",
		"(SELECT id, name, nation, phone FROM (TABLE w.shop.customer) AS customer" + limit + ")",
		"(SELECT id, name, nation, phone FROM (" + cover + ") AS customer LIMIT ALL)",
		"(SELECT id, name, nation, phone FROM (" + cover + ") AS customer WHERE nation = 1" + limit + ")",
		"(SELECT " + columns + mask + " FROM shop.customer WHERE nation in (1, 2))", "(SELECT " + columns + mask + " FROM customer WHERE nation in (1, 2))",
		"(SELECT " + columns + mask + " FROM w.shop.customer, w.shop.nation WHERE nation in (1, 2))", "(SELECT " + columns + mask + " FROM w.gone.customer WHERE nation in (1, 2))",
		"(SELECT " + columns + mask + rows + " OR TRUE)", "(SELECT " + columns + ", phone" + rows + ")", "(VALUES (1, 'x', 2, 'y'))", "(SELECT " + columns + mask + rows + " UNION SELECT id, name, nation, phone FROM w.shop.customer)",
	} {
		for _, shape := range []string{"SELECT count(*) FROM %s x", "SELECT * FROM %s AS x (a, b, c, d)", "SELECT 1 FROM %s x (a, b, c, d) WHERE 1 / (c - 3) < 5", "SELECT x.b FROM w.shop.nation n JOIN %s AS x (a, b, c, d) ON n.id = x.a"} {
			o.sameRows(t, fmt.Sprintf(shape, query))
		}
	}
}

// TestAnUnknownTypeStandsBehindABarrier: of a type that cannot be read nothing is
// known, not that two values of it have a type that holds them both.
func TestAnUnknownTypeStandsBehindABarrier(t *testing.T) {
	t.Parallel()
	table := catalog.Table{Name: catalog.Name{Region: "w", Schema: "shop", Table: "t"}}
	for _, c := range []string{"i bigint", "j bigint", "x enum8('a', 'b')", "y enum8('a', 'b')", "ok boolean", "owner varchar"} {
		name, typ, _ := strings.Cut(c, " ")
		table.Columns = append(table.Columns, catalog.Column{Name: name, Type: typ})
	}
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{table}), DefaultRegion: "w", DefaultSchema: "shop"}
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{filter: owner = current_user}]")})
	for text, want := range map[string]bool{
		"CASE WHEN ok THEN i ELSE j END": false,
		"CASE WHEN ok THEN x ELSE y END": true,
		"coalesce(i, j)":                 false,
		"coalesce(x, y)":                 true,
	} {
		approved, err := g.Approve(t.Context(), bob(), "SELECT i FROM t WHERE "+text+" IS NULL", scope)
		require.NoError(t, err, text)
		require.Equal(t, want, strings.Contains(approved.SQL(), "9223372036854775807"), "%s\n%s", text, approved.SQL())
	}
}

// TestConditionsStayAboveJoinsThatFillRows: a condition on a side that a join fills
// with NULLs is not put below the barrier, as rows that it drops there would come
// back as rows without a partner.
func TestConditionsStayAboveJoinsThatFillRows(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{filter: owner = current_user}]")})
	for join, want := range map[string][2]bool{
		"JOIN":       {true, true},
		"LEFT JOIN":  {true, false},
		"RIGHT JOIN": {false, true},
		"FULL JOIN":  {false, false},
	} {
		text := "SELECT a.i FROM t a " + join + " t b ON a.i = b.i WHERE a.v IS NULL AND b.s IS NULL AND 1 / (a.n + b.n) = 1"
		approved, err := g.Approve(t.Context(), bob(), text, typedTable())
		require.NoError(t, err, text)
		require.Equal(t, 2, strings.Count(approved.SQL(), "LIMIT 9223372036854775807"), approved.SQL())
		got := [2]bool{strings.Contains(approved.SQL(), "AS t WHERE v IS NULL LIMIT"), strings.Contains(approved.SQL(), "AS t WHERE s IS NULL LIMIT")}
		require.Equal(t, want, got, approved.SQL())
	}
}

// TestConditionsBetweenTablesStayAboveTheBarrier: only what is about one table goes
// below it. A condition that compares two would compare a table with itself there.
func TestConditionsBetweenTablesStayAboveTheBarrier(t *testing.T) {
	t.Parallel()
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{filter: owner = current_user}]")})
	for condition, below := range map[string]int{
		"a.i < b.i": 0, "b.i < a.i": 0, "a.i = b.i": 0, "a.i < b.i OR a.v IS NULL": 0, "coalesce(a.i, b.i) = 1": 0, "a.i IN (1, b.i)": 0, "a.i BETWEEN 1 AND b.i": 0,
		"a.i < 7": 1, "7 > b.i": 1, "a.i < 7 AND b.i < 7": 2, "a.i < a.i": 1,
	} {
		text := "SELECT a.i FROM t a, t b WHERE " + condition + " AND 1 / (a.n + b.n) = 1"
		approved, err := g.Approve(t.Context(), bob(), text, typedTable())
		require.NoError(t, err, text)
		require.Equal(t, 2, strings.Count(approved.SQL(), "LIMIT 9223372036854775807"), approved.SQL())
		require.Equal(t, below, strings.Count(approved.SQL(), "AS t WHERE "), approved.SQL())
		require.Contains(t, approved.SQL(), "WHERE "+condition+" AND", "and the condition itself stays where it was")
	}
}
