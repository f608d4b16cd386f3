package guard_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// The oracle is a second warehouse, in which the tables hold what bob may see and
// nothing else, made without the guard. What bob gets from the real warehouse
// through the guard has to be what anybody gets from the oracle.

// oraclePolicy is bob's.
const oraclePolicy = `
rules:
  - {name: old, schema: old, table: .*, columns: [{name: phone, access: deny, if_present: true}]}
  - name: customers
    table: customer
    filter: nation in (1, 2)
    columns:
      - {name: phone, mask: "'***' || substr(phone, -2)"}
      - {name: balance, access: deny}
  - name: orders
    table: orders
    filter: owner = current_user or contains(current_groups(), team)
    columns:
      - {name: total, mask: "CAST(NULL AS bigint)"}
      - {name: note, mask: "if(owner = current_user, note, 'hidden')"}
  - {name: staff, table: staff, access: deny}
  - {name: rest}
`

var realTables = []string{
	`CREATE SCHEMA shop`, `CREATE SCHEMA old`,
	`CREATE TABLE shop.customer AS SELECT i AS id, 'name ' || i AS name, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 4 END AS nation,
		CASE WHEN i % 5 = 0 THEN NULL ELSE '555-00' || (10 + i) END AS phone, i * 100 AS balance FROM range(1, 15) t(i)`,
	`CREATE TABLE shop.orders AS SELECT i AS id, i % 15 AS customer_id, i * 10 AS total,
		CASE i % 3 WHEN 0 THEN 'bob' WHEN 1 THEN 'ann' END AS owner, CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'z' ELSE 'it''s' END AS team, 'secret ' || i AS note FROM range(1, 20) t(i)`,
	`CREATE TABLE shop.nation AS SELECT i AS id, 'nation ' || i AS name FROM range(0, 4) t(i)`,
	`CREATE TABLE shop.staff AS SELECT 1::BIGINT AS id, 1000::BIGINT AS salary`,
	`CREATE TABLE old.customer AS SELECT i AS id, 'old ' || i AS name, '555' AS phone FROM range(1, 4) t(i)`,
}

// oracleTables turn the real tables into bob's.
var oracleTables = []string{
	`DELETE FROM shop.customer WHERE nation IS NULL OR nation NOT IN (1, 2)`,
	`UPDATE shop.customer SET phone = '***' || right(phone, 2)`,
	`ALTER TABLE shop.customer DROP COLUMN balance`,
	`DELETE FROM shop.orders WHERE NOT coalesce(owner = 'bob', false) AND team NOT IN ('it''s', 'a')`,
	`UPDATE shop.orders SET total = NULL, note = CASE WHEN owner = 'bob' THEN note ELSE 'hidden' END`,
	`DROP TABLE shop.staff`,
	`ALTER TABLE old.customer DROP COLUMN phone`,
}

func oracleCatalog(mine bool) *resolve.Tables {
	table := func(schema, name string, columns ...string) catalog.Table {
		t := catalog.Table{Name: catalog.Name{Region: "w", Schema: schema, Table: name}, RowCount: 60}
		for _, c := range columns {
			n, typ, _ := strings.Cut(c, " ")
			t.Columns = append(t.Columns, catalog.Column{Name: n, Type: typ})
		}
		return t
	}
	if mine {
		return resolve.NewTables([]catalog.Table{
			table("shop", "customer", "id bigint", "name varchar", "nation bigint", "phone varchar"),
			table("shop", "orders", "id bigint", "customer_id bigint", "total bigint", "owner varchar", "team varchar", "note varchar"),
			table("shop", "nation", "id bigint", "name varchar"),
			table("old", "customer", "id bigint", "name varchar"),
		})
	}
	return resolve.NewTables([]catalog.Table{
		table("shop", "customer", "id bigint", "name varchar", "nation bigint", "phone varchar", "balance bigint"),
		table("shop", "orders", "id bigint", "customer_id bigint", "total bigint", "owner varchar", "team varchar", "note varchar"),
		table("shop", "nation", "id bigint", "name varchar"),
		table("shop", "staff", "id bigint", "salary bigint"),
		table("old", "customer", "id bigint", "name varchar", "phone varchar"),
	})
}

// oracleRows is the most rows that an answer of the oracle has.
const oracleRows = 100_000

// oracle asks both warehouses.
type oracle struct {
	real, mine           *duckdb.Engine
	guarded, open        *guard.Guard
	realScope, mineScope resolve.Scope
	mayBeUnsure          bool // POLICY_NOT_APPLICABLE is an answer too
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	engine := func(statements ...string) *duckdb.Engine {
		path := filepath.Join(t.TempDir(), "w.duckdb")
		db, err := sql.Open("duckdb", path)
		require.NoError(t, err)
		for _, s := range statements {
			_, err := db.Exec(s)
			require.NoError(t, err, s)
		}
		require.NoError(t, db.Close())
		e, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"w": path}, DefaultRegion: "w", DefaultSchema: "shop", Threads: 1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
	g := guard.New(guard.Config{DefaultLimit: oracleRows, MaxLimit: oracleRows})
	scope := func(c *resolve.Tables) resolve.Scope {
		return resolve.Scope{Catalog: c, DefaultRegion: "w", DefaultSchema: "shop"}
	}
	return &oracle{
		real: engine(realTables...), mine: engine(slices.Concat(realTables, oracleTables)...),
		guarded: g.Under(guard.Terms{Policy: policyOf(t, oraclePolicy)}), open: g,
		realScope: scope(oracleCatalog(false)), mineScope: scope(oracleCatalog(true)),
	}
}

// answer is what came of a statement: a refusal's code, an engine's error, or rows.
type answer struct {
	refused  string
	approved guard.Approved
	failed   string // what the engine said
	columns  []warehouse.Column
	rows     []string // sorted
}

func ask(t require.TestingT, e *duckdb.Engine, g *guard.Guard, scope resolve.Scope, text string) answer {
	ctx := background(t)
	approved, err := g.Approve(ctx, bob(), text, scope)
	if err != nil {
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, text)
		return answer{refused: refusal.Code + ": " + refusal.Message}
	}
	out := answer{approved: approved}
	rows, err := e.Query(ctx, bob(), approved, warehouse.Options{})
	if err != nil {
		out.failed = err.Error()
		return out
	}
	defer func() { require.NoError(t, rows.Close()) }()
	out.columns = rows.Columns()
	for {
		page, err := rows.Next(ctx, 1000)
		for _, row := range page {
			out.rows = append(out.rows, fmt.Sprint(row...))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			out.failed = err.Error()
			break
		}
	}
	slices.Sort(out.rows)
	return out
}

// unsure reports whether the guard saw no certain way to put the policy in.
func (a answer) unsure() bool { return strings.HasPrefix(a.refused, "POLICY_NOT_APPLICABLE") }

// exceeded reports whether the engine gave up for its bounds of memory or time, which a
// product of tables meets on one side of two: that says nothing of the guard.
func (a answer) exceeded() bool { return strings.HasPrefix(a.failed, "EXCEEDED_") }

// same demands the same answer of both. It returns what the guard gave.
func (o *oracle) same(t require.TestingT, text string) answer {
	got, want := o.sameRows(t, text)
	if got.refused == "" {
		require.Equal(t, want.approved.Shown(), got.approved.Shown(), "what is shown has nothing of the policy")
	}
	return got
}

// sameRows demands the same refusal or rows of both. It returns both.
func (o *oracle) sameRows(t require.TestingT, text string) (got, want answer) {
	got = ask(t, o.real, o.guarded, o.realScope, text)
	want = ask(t, o.mine, o.open, o.mineScope, text)
	if o.mayBeUnsure && got.unsure() {
		return got, want
	}
	require.Equal(t, want.refused, got.refused, text)
	if got.refused != "" {
		return got, want
	}
	if want.failed == "" && !got.exceeded() {
		require.Empty(t, got.failed, "%s\n%s", text, got.approved.SQL())
		require.Equal(t, want.columns, got.columns, "%s\n%s", text, got.approved.SQL())
		require.Len(t, got.rows, len(want.rows), "%s\n%s", text, got.approved.SQL())
		if len(want.rows) < oracleRows { // of more rows than the limit each engine gives those it comes to first
			require.Equal(t, want.rows, got.rows, "%s\n%s", text, got.approved.SQL())
		}
	} // else the engine cannot do it, of which a cover may have spared it
	again, err := o.guarded.Approve(background(t), bob(), got.approved.SQL(), o.realScope)
	require.NoError(t, err, got.approved.SQL())
	require.Equal(t, got.approved.SQL(), again.SQL(), "guarding what is guarded changes nothing")
	require.Empty(t, again.Changes())
	return got, want
}
