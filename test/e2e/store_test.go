package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ingesttest"
)

// storeLayer is a layer over a normalised store: the day is in the order, the amount
// in its lines, the category behind the product, the country behind the city of
// the customer, and another one behind that of the store.
const storeLayer = `mart: Sales
entities:
  - {id: customer, names: {en: customer, zh: 客户}, table: main.customers, key: [id], label: [first_name, last_name]}
dimensions:
  - {id: category, names: {en: category, zh: 类目}, table: main.categories, expr: name}
  - {id: customer_country, names: {en: customer country, zh: 客户国家}, table: main.countries, expr: name, via: main.customers}
  - {id: store_country, names: {en: store country, zh: 门店国家}, table: main.countries, expr: name, via: main.stores}
metrics:
  - id: revenue
    names: {en: revenue, zh: 销售额}
    table: main.order_lines
    expr: SUM(quantity * unit_price)
    unit: EUR
    time: order_date
    time_table: main.orders
    grain: day
joins:
  - {from: main.order_lines, columns: [order_id], to: main.orders, to_columns: [order_id]}
  - {from: main.order_lines, columns: [product_id], to: main.products, to_columns: [id]}
  - {from: main.products, columns: [category_id], to: main.categories, to_columns: [id]}
  - {from: main.orders, columns: [customer_id], to: main.customers, to_columns: [id]}
  - {from: main.orders, columns: [store_id], to: main.stores, to_columns: [id]}
  - {from: main.customers, columns: [city_id], to: main.cities, to_columns: [id]}
  - {from: main.stores, columns: [city_id], to: main.cities, to_columns: [id]}
  - {from: main.cities, columns: [country_id], to: main.countries, to_columns: [id]}
examples:
  - {id: paid, question: {en: how many orders were paid}, sql: "SELECT count(*) AS orders FROM store.main.orders WHERE status = 'paid'"}
`

// TestANormalisedStore brings 15 tables without declarations in, corrects one join,
// drafts and applies a layer, and asks over four joins. What the answers hold is
// computed again from the files.
func TestANormalisedStore(t *testing.T) {
	t.Parallel()
	files, _ := ingesttest.Store(7)
	raw, data := t.TempDir(), t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(raw, name), []byte(content), 0o600))
	}
	run := func(code int, args ...string) string {
		t.Helper()
		got := command(t, "", nil, append(args, "--data-dir", data)...)
		require.Equal(t, code, got.code, got.out+got.err)
		return got.out
	}
	run(0, "ingest", "csv", raw, "--name", "store")

	joins := run(0, "catalog", "joins", "--source", "store")
	require.Contains(t, joins, "store.main.orders (customer_id) → store.main.customers (id)\n  many to one, found in the data: all ")
	require.Contains(t, joins, "store.main.product_tags is a bridge: it joins store.main.products and store.main.tags many to many")
	require.Contains(t, joins, "rows of store.main.customers are called by first_name and last_name")

	corrections := filepath.Join(data, "corrections", "store.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(corrections), 0o700))
	require.NoError(t, os.WriteFile(corrections, []byte("not_joins:\n  - {from: stores, columns: [manager_id], to: employees}\nnot_personal:\n  - {table: customers, column: email}\n"), 0o600))
	require.NotContains(t, run(0, "catalog", "joins", "stores", "--source", "store"), "manager_id")
	table := run(0, "catalog", "show", "customers", "--source", "store")
	require.Contains(t, table, "first_name holds data of persons (name): its name says that it holds names of persons")
	require.NotContains(t, table, "email holds data of persons")
	require.NoError(t, os.WriteFile(corrections, []byte("not_joins:\n  - {table: stores}\n"), 0o600))
	require.Contains(t, command(t, "", nil, "catalog", "joins", "--source", "store", "--data-dir", data).err, "store.yaml: line 2")
	require.NoError(t, os.Remove(corrections))

	require.Contains(t, run(0, "semantic", "init", "--source", "store"), "it is not in force")
	require.NoDirExists(t, filepath.Join(data, "semantic", "store"))
	require.Contains(t, run(0, "semantic", "apply", "--source", "store"), "is in force")
	layer := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(layer, "store.yaml"), []byte(storeLayer), 0o600))
	run(2, "semantic", "apply", layer, "--source", "store") // one is in force already
	run(0, "semantic", "apply", layer, "--source", "store", "--replace")
	require.Contains(t, run(0, "semantic", "test", "--source", "store"), "1 of 1 examples run")

	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	from := func(table, alias string) string {
		return fmt.Sprintf("read_csv_auto('%s') AS %s", filepath.Join(raw, table+".csv"), alias)
	}
	lines := from("order_lines", "l") + " JOIN " + from("orders", "o") + " ON o.order_id = l.order_id"
	products := " JOIN " + from("products", "p") + " ON p.id = l.product_id JOIN " + from("categories", "g") + " ON g.id = p.category_id"
	country := func(who, key string) string {
		return " JOIN " + from(who, "w") + " ON w.id = o." + key + " JOIN " + from("cities", "c") + " ON c.id = w.city_id JOIN " + from("countries", "n") + " ON n.id = c.country_id"
	}
	for question, want := range map[string]string{
		"monthly revenue by category and customer country in 2025": "SELECT count(*), sum(s), max(s) FROM (SELECT sum(quantity * unit_price) AS s FROM " + lines + products + country("customers", "customer_id") + " GROUP BY month(order_date), g.name, n.name)",
		"按类目和客户国家统计2025年每月销售额":                                     "SELECT count(*), sum(s), max(s) FROM (SELECT sum(quantity * unit_price) AS s FROM " + lines + products + country("customers", "customer_id") + " GROUP BY month(order_date), g.name, n.name)",
		"revenue by store country in March 2025":                   "SELECT count(*), sum(s), max(s) FROM (SELECT sum(quantity * unit_price) AS s FROM " + lines + country("stores", "store_id") + " WHERE month(order_date) = 3 GROUP BY n.name)",
		"top 3 customers by revenue in 2025":                       "SELECT 3, sum(s), max(s) FROM (SELECT sum(quantity * unit_price) AS s FROM " + lines + " GROUP BY customer_id ORDER BY s DESC LIMIT 3)",
	} {
		var rows int
		var sum, most float64
		require.NoError(t, db.QueryRowContext(t.Context(), want).Scan(&rows, &sum, &most), question)
		gotRows, gotSum, gotMost := figures(t, run(0, "ask", question, "--source", "store", "--json", "--limit", "10000"))
		require.Equal(t, rows, gotRows, question)
		require.InDelta(t, sum, gotSum, 0.01, question)
		require.InDelta(t, most, gotMost, 0.01, question)
	}
	require.Contains(t, run(0, "ask", "top 3 customers by revenue in 2025", "--source", "store"), "The result shows data of persons: first_name, last_name.")
	require.NotContains(t, run(0, "ask", "revenue by category in 2025", "--source", "store"), "data of persons")
}

// figures are the rows of an answer, and the sum and the largest of its last column.
func figures(t *testing.T, answer string) (rows int, sum, most float64) {
	t.Helper()
	var out struct {
		Answer struct {
			ToolCalls []struct {
				Execute *struct {
					Page struct {
						Rows []struct {
							Values []json.RawMessage `json:"values"`
						} `json:"rows"`
					} `json:"page"`
				} `json:"execute"`
			} `json:"toolCalls"`
		} `json:"answer"`
	}
	require.NoError(t, json.NewDecoder(strings.NewReader(answer)).Decode(&out), answer)
	for _, call := range out.Answer.ToolCalls {
		if call.Execute == nil {
			continue
		}
		for _, r := range call.Execute.Page.Rows {
			var v float64
			_, err := fmt.Sscan(strings.Trim(string(r.Values[len(r.Values)-1]), `"`), &v)
			require.NoError(t, err)
			rows, sum, most = rows+1, sum+v, max(most, v)
		}
	}
	return rows, sum, most
}

// TestCorrectedJoinsAreAnsweredBy takes a wrong join out and puts a missing one in, with another
// question between: answers follow the file, without another ingest.
func TestCorrectedJoinsAreAnsweredBy(t *testing.T) {
	t.Parallel()
	raw, data := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"people.csv": "id,nickname\n101,Ada\n102,Bo\n103,Cy\n",
		"ranks.csv":  "stars,title\n1,novice\n2,senior\n3,master\n",
		"games.csv":  "game_id,winner,stars,minutes\n1,101,1,40\n2,101,2,20\n3,102,3,35\n4,103,1,10\n5,102,2,50\n6,101,3,15\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(raw, name), []byte(text), 0o600))
	}
	run := func(args ...string) string {
		t.Helper()
		got := command(t, "", nil, append(args, "--data-dir", data)...)
		require.Zero(t, got.code, got.out+got.err)
		return got.out
	}
	run("ingest", "csv", raw, "--name", "club")
	joins := func() string { return run("catalog", "joins", "--source", "club") }
	ask := func(question string) string { // a refusal has its own exit code
		return command(t, "", nil, "ask", question, "--source", "club", "--data-dir", data).out
	}
	byTitle := func() string { return ask("total minutes by title") }
	byNickname := func() string { return ask("total minutes by nickname") }

	require.Contains(t, joins(), "club.main.games (stars) → club.main.ranks (stars)\n  many to one, found in the data")
	require.NotContains(t, joins(), "club.main.people (id)")
	require.Regexp(t, `senior +70`, byTitle())
	require.NotRegexp(t, `Bo +85`, byNickname())

	file := filepath.Join(data, "corrections", "club.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("joins:\n  - {from: games, columns: [winner], to: people, to_columns: [id]}\nnot_joins:\n  - {from: games, columns: [stars], to: ranks}\n"), 0o600))
	require.Contains(t, joins(), "club.main.games (winner) → club.main.people (id)\n  many to one, corrected: a person says so in club.yaml:2")
	require.NotContains(t, joins(), "club.main.ranks (stars)", "its name does not bring it back")
	require.Regexp(t, `Bo +85`, byNickname())
	require.NotRegexp(t, `senior +70`, byTitle())

	require.NoError(t, os.Remove(file))
	require.Regexp(t, `senior +70`, byTitle(), "what was taken out is back without the file")
	require.NotRegexp(t, `Bo +85`, byNickname())
}
