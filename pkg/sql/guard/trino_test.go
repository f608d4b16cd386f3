package guard_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "github.com/trinodb/trino-go-client/trino"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// serverRules are what the test server's rules.json has for bob.
const serverRules = `
rules:
  - name: customers
    schema: tiny
    table: customer
    filter: nationkey = 7
    columns:
      - {name: phone, mask: "cast('***' || substr(phone, -4) as varchar(15))"}
      - {name: acctbal, access: deny}
  - {name: rest}
`

// TestAsTrinoDoes compares the guard's row filters and masks with Trino's own.
func TestAsTrinoDoes(t *testing.T) {
	address := os.Getenv("DIBRAIN_TEST_TRINO")
	if address == "" {
		t.Skip("needs a Trino server: start one with test/servers/trino-start and set DIBRAIN_TEST_TRINO to its address")
	}
	db, err := sql.Open("trino", "http://guard@"+address[len("http://"):]+"?catalog=tpch&schema=tiny")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	run := func(user, text string) [][]string {
		rows, err := db.QueryContext(t.Context(), text, sql.Named("X-Trino-User", user))
		require.NoError(t, err, text)
		defer func() { require.NoError(t, rows.Close()) }()
		columns, err := rows.Columns()
		require.NoError(t, err)
		var out [][]string
		for rows.Next() {
			cells, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range cells {
				into[i] = &cells[i]
			}
			require.NoError(t, rows.Scan(into...))
			row := make([]string, len(cells))
			for i, cell := range cells {
				row[i] = fmt.Sprint(cell)
			}
			out = append(out, row)
		}
		require.NoError(t, rows.Err(), text)
		return out
	}
	g := guard.New(guard.Config{DefaultLimit: 100_000, MaxLimit: 100_000}).Under(guard.Terms{Policy: policyOf(t, serverRules)})
	scope := resolve.Scope{Catalog: tpch(), DefaultRegion: "tpch", DefaultSchema: "tiny"}
	started := time.Now()
	all := lines(t, "trino.txt")
	for _, text := range all {
		approved, err := g.Approve(t.Context(), bob(), text, scope)
		require.NoError(t, err, text)
		require.ElementsMatch(t, run("bob", text), run("admin", approved.SQL()), "%s\n%s", text, approved.SQL())
	}
	t.Logf("%d statements, %s", len(all), time.Since(started))
}

func tpch() *resolve.Tables {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "tpch", Schema: "tiny", Table: name}, Columns: columns}
	}
	return resolve.NewTables([]catalog.Table{
		table("customer", column("custkey", "bigint"), column("name", "varchar(25)"), column("address", "varchar(40)"), column("nationkey", "bigint"),
			column("phone", "varchar(15)"), column("acctbal", "double"), column("mktsegment", "varchar(10)"), column("comment", "varchar(117)")),
		table("nation", column("nationkey", "bigint"), column("name", "varchar(25)"), column("regionkey", "bigint"), column("comment", "varchar(152)")),
		table("orders", column("orderkey", "bigint"), column("custkey", "bigint"), column("orderstatus", "varchar(1)"), column("totalprice", "double"), column("orderdate", "date")),
	})
}
