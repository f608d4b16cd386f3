package guard_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// raising are expressions that raise an error for some values of the columns
// a and b (bigint), name (varchar), day (date), list (array(bigint)).
func raising() []string {
	return []string{
		"1 / a > 0", "b % a >= 0", "1 / (CASE WHEN name LIKE 's%' THEN 0 ELSE 1 END) = 1", "1 / nullif(a - b, 1) < 5",
		"CAST(name AS bigint) > 2", "CAST(name AS date) > day", "CAST(a AS tinyint) > 3", "CAST(name AS boolean)",
		"a + 9223372036854775800 > 0", "a * 4611686018427387904 <> 7", "-a < 9223372036854775807 - b * 9223372036854775800",
		"ARRAY[7, 8][a] = 7", "list[b] > 1", "element_at(list, a) > 1", "json_array_length(json_parse(name)) IS NULL",
		"date_parse(name, '%Y-%m-%d') > now()", "date_add('day', a * 1000000000, day) > day",
		"any_match(list, x -> x / a > 1)", "cardinality(transform(list, x -> b / x)) > 1", "regexp_like('x', name)",
		"(SELECT n.key FROM nation n WHERE n.key < a) IS NULL", "1 / (SELECT count(*) FROM nation n WHERE n.key = a) = 1",
		"from_base(name, 10) > 1", "chr(a) = 'x'", "if(name LIKE 's%', 1 / 0, 1) = 1", "CASE name WHEN 'secret' THEN 1 / (a - a) ELSE 2 END = 2",
		"TRY_CAST(name AS bigint) / a > 1", "sequence(1, a)[1] = 1", "split_part(name, ',', a) = 'x'", "day + a * INTERVAL '100000000' DAY > day",
	}
}

// shapes are statements with a condition %[1]s, and with the expression %[2]s
// that it is made of.
func shapes() []string {
	return []string{
		"SELECT id FROM thing WHERE %[1]s",
		"SELECT id FROM thing WHERE NOT (%[1]s) OR id > 3",
		"SELECT id FROM thing WHERE name IS NOT NULL AND (%[1]s) AND day > DATE '2020-01-01'",
		"SELECT id, %[1]s AS c FROM thing",
		"SELECT id FROM (SELECT id, %[1]s AS c FROM thing) t WHERE c",
		"WITH t AS (SELECT *, %[1]s AS c FROM thing) SELECT x.id FROM t x JOIN t y ON x.id = y.id WHERE y.c",
		"SELECT t.id FROM thing t JOIN nation n ON n.key = t.nation AND (%[1]s)",
		"SELECT t.id FROM nation n LEFT JOIN thing t ON n.key = t.nation WHERE %[1]s",
		"SELECT n.key FROM nation n WHERE EXISTS (SELECT 1 FROM thing t WHERE t.nation = n.key AND (%[1]s))",
		"SELECT key FROM nation WHERE key IN (SELECT nation FROM thing WHERE %[1]s)",
		"SELECT %[1]s AS c, count(*) FROM thing GROUP BY 1 HAVING %[1]s",
		"SELECT nation, count_if(%[1]s), sum(if(%[1]s, a, 1)) FROM thing GROUP BY nation HAVING sum(a) > 0",
		"SELECT id, row_number() OVER (PARTITION BY %[1]s ORDER BY id) AS r FROM thing",
		"SELECT id FROM (SELECT id, a, b, name, day, list, nation, count(*) OVER (PARTITION BY a, name) AS r FROM thing) t WHERE %[1]s",
		"SELECT id FROM thing ORDER BY %[1]s, id",
		"SELECT id FROM thing WHERE %[1]s UNION ALL SELECT key FROM nation WHERE key = 1",
		"SELECT DISTINCT id FROM (SELECT * FROM thing UNION SELECT * FROM thing) t WHERE %[1]s",
		"SELECT id FROM (SELECT * FROM thing ORDER BY id LIMIT 1000) t WHERE %[1]s",
		"SELECT max(id) FILTER (WHERE %[1]s) FROM thing",
		"SELECT t.id, x FROM thing t CROSS JOIN UNNEST(list) AS u (x) WHERE %[1]s",
		"SELECT id FROM (SELECT id, name, 1 AS one FROM thing WHERE name LIKE 's%%') t WHERE 1 / (one - 1) = 1",
		"SELECT id FROM thing WHERE name LIKE 's%%' AND 1 / 0 = 1",
		"SELECT sum(a * 9223372036854775807), sum(a) / sum(b) FROM thing",
	}
}

// pair are two warehouses under one policy: in one the table holds hidden rows too.
type pair struct {
	all, permitted *duckdb.Engine
	guard          *guard.Guard
	scope          resolve.Scope
}

const thing = "CREATE SCHEMA shop; CREATE TABLE shop.nation AS SELECT i AS key, 'n' || i AS label FROM range(0, 6) t(i); " +
	"CREATE TABLE shop.thing (id BIGINT, a BIGINT, b BIGINT, name VARCHAR, day DATE, list BIGINT[], nation BIGINT, owner VARCHAR);"

func thingTables() *resolve.Tables {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	return resolve.NewTables([]catalog.Table{
		{Name: catalog.Name{Region: "w", Schema: "shop", Table: "nation"}, Columns: []catalog.Column{column("key", "bigint"), column("label", "varchar")}},
		{Name: catalog.Name{Region: "w", Schema: "shop", Table: "thing"}, Columns: []catalog.Column{
			column("id", "bigint"), column("a", "bigint"), column("b", "bigint"), column("name", "varchar"), column("day", "date"),
			column("list", "array(bigint)"), column("nation", "bigint"), column("owner", "varchar"),
		}},
	})
}

// newPair fills the tables: values that raise errors are many in hidden rows and
// few in the others.
func newPair(t *testing.T, filter string, draw func(n int) int) pair {
	row := func(id int, hidden bool) string {
		as, names, lists := []int{1, 2, 5}, []string{"'12'", "'7'", "'2024-01-01'"}, []string{"[1, 2, 3]", "[4, 5, 6, 7, 8]"}
		if hidden || draw(25) == 0 {
			as, names, lists = []int{0, 1, 300, -5, 4_000_000_000_000_000_000}, []string{"'secret'", "'s['", "NULL", "''"}, []string{"[0]", "[]", "NULL"}
		}
		owner := "'bob'"
		if hidden {
			owner = "'ann'"
		}
		return fmt.Sprintf("INSERT INTO shop.thing VALUES (%d, %d, %d, %s, DATE '2024-01-01' + %d, %s, %d, %s);",
			id, as[draw(len(as))], as[draw(len(as))], names[draw(len(names))], draw(60), lists[draw(len(lists))], draw(6), owner)
	}
	var permitted, hidden strings.Builder
	for id := range 5 + draw(20) {
		permitted.WriteString(row(id, false))
	}
	for id := range 20 + draw(20) {
		hidden.WriteString(row(100+id, true))
	}
	engine := func(statements string) *duckdb.Engine {
		path := filepath.Join(t.TempDir(), "w.duckdb")
		db, err := sql.Open("duckdb", path)
		require.NoError(t, err)
		_, err = db.Exec(statements)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		e, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"w": path}, DefaultRegion: "w", DefaultSchema: "shop", Threads: 1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
	rules := policyOf(t, fmt.Sprintf("rules: [{table: thing, filter: %q}, {}]", filter))
	return pair{
		all: engine(thing + permitted.String() + hidden.String()), permitted: engine(thing + permitted.String()),
		guard: guard.New(guard.Config{}).Under(guard.Terms{Policy: rules}),
		scope: resolve.Scope{Catalog: thingTables(), DefaultRegion: "w", DefaultSchema: "shop"},
	}
}

// filters of the policy: engines put some into the scan and compute others beside
// the asker's conditions.
func filters() []string {
	return []string{
		"owner = current_user", "owner = current_user or contains(current_groups(), owner)", "lower(owner) like 'b%'",
		"length(owner) + id > 0 and owner <> 'ann'", "regexp_like(owner, '^bo')", "coalesce(owner, 'x') in ('bob', 'y')",
	}
}

// TestHiddenRowsRaiseNothing: what comes of a statement, an error or rows, is the
// same whether there are rows that the policy leaves out or not.
func TestHiddenRowsRaiseNothing(t *testing.T) {
	t.Parallel()
	state := uint64(7)
	draw := func(n int) int { // the tables are the same in every run
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % n
	}
	var pairs []pair
	for _, f := range filters() {
		pairs = append(pairs, newPair(t, f, draw))
	}
	failed, gave := 0, 0
	check := func(t require.TestingT, p pair, text string) {
		all, permitted := ask(t, p.all, p.guard, p.scope, text), ask(t, p.permitted, p.guard, p.scope, text)
		require.Equal(t, permitted.refused, all.refused, text)
		require.Empty(t, all.refused, text)
		require.Equal(t, permitted.failed != "", all.failed != "", "%s\n%s\npermitted: %s\nall: %s", text, all.approved.SQL(), permitted.failed, all.failed)
		if all.failed != "" {
			failed++
			return
		}
		gave++
		require.Equal(t, permitted.rows, all.rows, text)
	}
	for i, shape := range shapes() {
		for j, x := range raising() {
			text := strings.ReplaceAll(shape, "%%", "%")
			if strings.Contains(shape, "%[1]s") {
				text = fmt.Sprintf(shape, x)
			}
			check(t, pairs[(i+j)%len(pairs)], text)
		}
	}
	t.Logf("%d statements failed, %d gave rows", failed, gave)
	require.Greater(t, failed, 100)
	require.Greater(t, gave, 100)
	rapid.Check(t, func(t *rapid.T) {
		one := func(list []string) string { return rapid.SampledFrom(list).Draw(t, "one") }
		x := one(raising()) + rapid.SampledFrom([]string{" AND ", " OR "}).Draw(t, "op") + one(append(raising(), "name LIKE 's%'", "a > 1", "day < DATE '2024-02-01'"))
		check(t, rapid.SampledFrom(pairs).Draw(t, "pair"), strings.ReplaceAll(fmt.Sprintf(one(shapes()[:20]), "("+x+")"), "%!(EXTRA", ""))
	})
}
