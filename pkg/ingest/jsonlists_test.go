package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestListsOfObjectsAreTables: the objects of a list are rows of a table of its own, which point to the row that they
// lie in, however deep, and within objects too; their texts are read by all values as others are.
func TestListsOfObjectsAreTables(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", folder(t, map[string]string{
		"orders.jsonl": `{"id": "A1", "total": "€ 9.50", "lines": [{"sku": "tea", "price": "€ 4.00", "lots": [{"code": 7}, {"code": 8}]}, {"sku": "cup", "price": "€ 5.50", "lots": []}], "tags": ["x"], "ship": {"to": "Bern", "stops": [{"city": "Olten"}]}}
{"id": "12", "total": "€ 4.00", "lines": [{"sku": "tea", "price": "€ 4.00", "lots": [{"code": 9}]}], "tags": [], "ship": {"to": "Basel", "stops": []}}
{"id": "13", "total": "€ 0.00", "lines": null, "tags": [], "ship": null}
`,
		"trips.json": `[{"city": "Bern", "legs": [{"km": 3, "id": 1}, {"km": 4, "id": 2}]}, {"city": "Bern", "legs": [{"km": 5, "id": 3}]}]`,
	}), ingest.Options{})
	require.NoError(t, err)
	got := tables(t, s)
	require.Equal(t, "id varchar, total double, tags array(varchar), ship_to varchar", shape(got["orders"]))
	require.Equal(t, "orders_line_number bigint, order_id varchar, sku varchar, price double", shape(got["orders_lines"]))
	require.Equal(t, "orders_line_number bigint, code bigint", shape(got["orders_lines_lots"]))
	require.Equal(t, "order_id varchar, city varchar", shape(got["orders_ship_stops"]))
	require.Equal(t, []string{"A1|tea|4", "A1|cup|5.5", "12|tea|4"}, rows(t, s, "SELECT order_id, sku, price FROM orders_lines ORDER BY orders_line_number"))
	require.Equal(t, []string{"A1|7", "A1|8", "12|9"}, rows(t, s, "SELECT l.order_id, o.code FROM orders_lines_lots o JOIN orders_lines l USING (orders_line_number) ORDER BY o.code"))
	require.Equal(t, []string{"A1|Olten"}, rows(t, s, "SELECT * FROM orders_ship_stops"))
	require.Equal(t, "trip_number bigint, city varchar", shape(got["trips"]))
	require.Equal(t, []string{"1|3|1", "1|4|2", "2|5|3"}, rows(t, s, "SELECT trip_number, km, id FROM trips_legs ORDER BY id"))
	for child, parent := range map[string]string{"orders_lines": "orders(id)", "orders_lines_lots": "orders_lines(orders_line_number)", "orders_ship_stops": "orders(id)", "trips_legs": "trips(trip_number)"} {
		of := got[child]
		require.Len(t, of.ForeignKeys, 1, child)
		k := of.ForeignKeys[0]
		require.Equal(t, parent, k.RefTable.Table+"("+k.RefColumns[0]+")", child)
		require.Contains(t, k.Found.Reason, "in those of the table")
		key := got[k.RefTable.Table]
		require.Len(t, key.PrimaryKey(), 1, child)
	}
	told := fmt.Sprint(report.Problems)
	require.Contains(t, told, `column "lines" holds lists of objects: they are the rows of table "orders_lines", whose column "order_id" says of which orders.id`)
	require.Contains(t, told, `nothing tells the rows of "trips" apart: column "trip_number" numbers them`)
}

// TestObjectsInObjectsAreBounded: the fields of objects that lie deeper than MaxObjectDepth are no columns.
func TestObjectsInObjectsAreBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"a.jsonl": `{"id": 1, "b": {"c": {"d": 2}}}` + "\n"})
	for depth, want := range map[int]string{0: "b_c_d bigint", 2: "b_c_d bigint", 1: "b_c row(d bigint)"} {
		_, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{MaxObjectDepth: depth})
		require.NoError(t, err)
		require.Contains(t, shape(tables(t, s)["a"]), want, depth)
	}
}

// TestListsInListsAreBounded: lists of objects that lie deeper than MaxListDepth stay lists, and so do those that
// would be one table too many.
func TestListsInListsAreBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"a.jsonl": `{"id": 1, "b": [{"c": [{"d": [{"e": [{"f": 1}]}]}]}]}` + "\n"})
	_, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	got := tables(t, s)
	require.Len(t, got, 4)
	require.Contains(t, shape(got["a_b_c_d"]), "e array(row(f bigint))")
	_, err = ingest.Files(t.Context(), s, "own", dir, ingest.Options{MaxListDepth: 1})
	require.NoError(t, err)
	require.Len(t, tables(t, s), 2)
	require.Contains(t, shape(tables(t, s)["a_b"]), "c array(")
	report, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{MaxTables: 1})
	require.NoError(t, err)
	require.Len(t, tables(t, s), 1)
	require.Contains(t, fmt.Sprint(report.Problems), `table "a_b" is left out: more than 1 tables (MaxTables)`)
}
