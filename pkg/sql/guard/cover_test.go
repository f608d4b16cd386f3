package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// shopPolicy filters customers, masks a column, and hides another.
const shopPolicy = `
rules:
  - name: customers
    user: bob
    catalog: tpch
    schema: tiny
    table: customer
    filter: nationkey = 7
    purpose: customers of your own nation
    columns:
      - {name: phone, mask: "'***' || substr(phone, -4)", purpose: the last four digits}
      - {name: acctbal, access: deny}
  - name: mine
    user: bob
    table: task
    filter: owner = current_user or contains(current_groups(), team)
  - {name: no suppliers, user: bob, table: supplier, access: deny}
  - {name: rest}
`

func bob() run.Principal { return run.Principal{ID: "bob", Groups: []string{"it's", "a"}} }

func shop(t testing.TB, text string) (*guard.Guard, resolve.Scope) {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	table := func(schema, name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "tpch", Schema: schema, Table: name}, Columns: columns, RowCount: 10}
	}
	customer := []catalog.Column{
		column("custkey", "bigint"), column("name", "varchar(25)"), column("nationkey", "bigint"),
		column("phone", "varchar(15)"), column("acctbal", "double"),
	}
	tables := resolve.NewTables([]catalog.Table{
		table("tiny", "customer", customer...),
		table("sf1", "customer", customer...),
		table("tiny", "nation", column("nationkey", "bigint"), column("name", "varchar(25)")),
		table("tiny", "orders", column("orderkey", "bigint"), column("custkey", "bigint"), column("totalprice", "double")),
		table("tiny", "supplier", column("suppkey", "bigint"), column("phone", "varchar(15)")),
		table("tiny", "task", column("id", "bigint"), column("owner", "varchar"), column("team", "varchar")),
	})
	g := guard.New(guard.Config{DefaultLimit: 1000, MaxLimit: 1000}).Under(guard.Terms{Policy: policyOf(t, text)})
	return g, resolve.Scope{Catalog: tables, DefaultRegion: "tpch", DefaultSchema: "tiny"}
}

// The query that stands for tpch.tiny.customer when bob reads it.
const bobs = `(SELECT custkey, name, nationkey, CAST('***' || substr(phone, -4) AS varchar(15)) AS phone FROM tpch.tiny.customer WHERE nationkey = 7)`

// The query that stands for tpch.tiny.task when bob reads it.
const bobsTasks = `(SELECT id, owner, team FROM tpch.tiny.task WHERE owner = 'bob' or (team IN ('it''s', 'a')))`

func TestCover(t *testing.T) {
	t.Parallel()
	g, scope := shop(t, shopPolicy)
	for _, c := range []struct{ sql, want string }{
		{"select phone from customer limit 5", "select phone from " + bobs + " AS customer limit 5"},
		{"select * from customer c limit 5", "select * from " + bobs + " c limit 5"},
		{"select * from customer as c (a, b, c, d) limit 5", "select * from " + bobs + " as c (a, b, c, d) limit 5"},
		{"select tiny.customer.phone, customer.name from tiny.customer limit 5", "select customer.phone, customer.name from " + bobs + " AS customer limit 5"},
		{"select tpch.tiny.customer.phone from tpch.tiny.customer limit 5", "select customer.phone from " + bobs + " AS customer limit 5"},
		{"select tiny.customer.* from tiny.customer limit 5", "select customer.* from " + bobs + " AS customer limit 5"},
		{
			"select tiny.customer.phone, sf1.customer.phone from tiny.customer join sf1.customer on tiny.customer.custkey = sf1.customer.custkey limit 5",
			`select "customer_2".phone, sf1.customer.phone from ` + bobs + ` AS "customer_2" join sf1.customer on "customer_2".custkey = sf1.customer.custkey limit 5`,
		},
		{
			"select tiny.customer.phone from tiny.customer, task where exists (select 1 from nation task) limit 5",
			"select customer.phone from " + bobs + " AS customer, " + bobsTasks + " AS task where exists (select 1 from nation task) limit 5",
		},
		{
			"select tiny.customer.phone from tiny.customer where exists (select tiny.task.id from tiny.task, nation task) and exists (select 1 from nation customer) limit 5",
			`select "customer_2".phone from ` + bobs + ` AS "customer_2" where exists (select "task_2".id from ` + bobsTasks + ` AS "task_2", nation task) and exists (select 1 from nation customer) limit 5`,
		},
		{
			"select tiny.customer.phone as customer_2 from tiny.customer, nation customer limit 5",
			`select "customer_3".phone as customer_2 from ` + bobs + ` AS "customer_3", nation customer limit 5`,
		},
		{
			"select customer.*, tiny.customer.name from tiny.customer where exists (select 1 from nation customer) limit 5",
			`select "customer_2".*, "customer_2".name from ` + bobs + ` AS "customer_2" where exists (select 1 from nation customer) limit 5`,
		},
		{
			"with customer as (select 1 x) select tiny.customer.phone from tiny.customer, customer limit 5",
			`with customer as (select 1 x) select "customer_2".phone from ` + bobs + ` AS "customer_2", customer limit 5`,
		},
		{"select tiny.customer.* from (tiny.customer) limit 5", "select customer.* from (" + bobs + " AS customer) limit 5"},
		{
			"select tiny.customer.* from tiny.customer tablesample bernoulli (10) join nation n on true limit 5",
			"select customer.* from " + bobs + " AS customer tablesample bernoulli (10) join nation n on true limit 5",
		},
		{"table customer limit 5", "SELECT * FROM " + bobs + " AS customer limit 5"},
		{
			"with customer as (select * from customer) select customer.phone from customer limit 5",
			"with customer as (select * from " + bobs + " AS customer) select customer.phone from customer limit 5",
		},
		{"select * from (customer) limit 5", "select * from (" + bobs + " AS customer) limit 5"},
		{"select * from customer tablesample bernoulli (10) limit 5", "select * from " + bobs + " AS customer tablesample bernoulli (10) limit 5"},
		{
			"select n.name from nation n /* c */ where exists (select 1 from customer -- d\n where customer.nationkey = n.nationkey) limit 5",
			"select n.name from nation n /* c */ where exists (select 1 from " + bobs + " AS customer -- d\n where customer.nationkey = n.nationkey) limit 5",
		},
		{"select * from \"TPCH\".Tiny.\"CUSTOMER\" limit 5", "select * from " + bobs + " AS \"CUSTOMER\" limit 5"},
		{
			"select name from nation join customer using (nationkey, name) limit 5",
			"select name from nation join " + bobs + " AS customer using (nationkey, name) limit 5",
		},
		{
			"select id from task limit 5",
			"select id from " + bobsTasks + " AS task limit 5",
		},
		{"select name from nation limit 5", "select name from nation limit 5"},
	} {
		approved, err := g.Approve(t.Context(), bob(), c.sql, scope)
		require.NoError(t, err, c.sql)
		require.Equal(t, c.want, approved.SQL())
		again, err := g.Approve(t.Context(), bob(), approved.SQL(), scope)
		require.NoError(t, err, approved.SQL())
		require.Equal(t, approved.SQL(), again.SQL())
		require.Empty(t, again.Changes())
		require.Equal(t, approved.Protected(), again.Protected())
		require.NotContains(t, again.Shown(), "***")
		require.NotContains(t, again.Shown(), "it''s")
		if mine, err := g.Approve(t.Context(), alice(), c.sql, scope); err == nil { // she has a column more
			require.Equal(t, c.sql, mine.SQL(), "alice reads all")
		}
	}
}

// TestWhatIsProtected: a statement is protected when the policy leaves rows or columns
// out of what it reads, or replaces values, and then only: its estimates and its
// engine's errors are withheld.
func TestWhatIsProtected(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]bool{
		"{table: t, filter: owner = current_user}":        true,
		"{table: t, columns: [{name: v, mask: \"'x'\"}]}": true,
		"{table: t, columns: [{name: v, access: deny}]}":  true,
		"{table: t}": false,
		"{table: elsewhere, filter: owner = current_user}, {}":                false,
		"{table: t, user: somebody, filter: owner = 'them'}, {}":              false,
		"{table: t, columns: [{name: gone, access: deny, if_present: true}]}": false,
	} {
		g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: ["+rule+"]")})
		approved, err := g.Approve(t.Context(), bob(), "SELECT i FROM t", typedTable())
		require.NoError(t, err, rule)
		require.Equal(t, want, approved.Protected(), "%s\n%s", rule, approved.SQL())
	}
}

// TestTwoTablesOfOneName get two aliases where both are written with their schema.
func TestTwoTablesOfOneName(t *testing.T) {
	t.Parallel()
	g, scope := shop(t, "rules: [{table: customer, filter: nationkey = 7}, {}]")
	approved, err := g.Approve(t.Context(), bob(), "select tiny.customer.name, sf1.customer.name from tiny.customer, sf1.customer where tiny.customer.custkey = sf1.customer.custkey limit 5", scope)
	require.NoError(t, err)
	require.Equal(t, `select "customer_2".name, customer.name from (SELECT custkey, name, nationkey, phone, acctbal FROM tpch.tiny.customer WHERE nationkey = 7) AS "customer_2", `+
		`(SELECT custkey, name, nationkey, phone, acctbal FROM tpch.sf1.customer WHERE nationkey = 7) AS customer where "customer_2".custkey = customer.custkey limit 5`, approved.SQL(), "the same in each run")
	approved, err = g.Approve(t.Context(), bob(), "select tiny.customer.name, sf1.customer.name from tiny.customer, sf1.customer where exists (select 1 from nation customer)", scope)
	require.NoError(t, err)
	require.Contains(t, approved.SQL(), `select "customer_2".name, "customer_3".name from`)
}
