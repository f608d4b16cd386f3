package trino

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func TestNamedFor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		column, table string
		want          bool
	}{
		{"id", "anything", true},
		{"custkey", "customer", true},
		{"customer_id", "dim_customer_df", true},
		{"CustomerID", "Customers", true},
		{"order_item_id", "dwd_order_item", true},
		{"country_code", "dim_country", true},
		{"nationkey", "customer", false},
		{"a_id", "accounts", false},
		{"amount", "amount", false},
		{"key", "key_value", false},
	} {
		require.Equal(t, tc.want, namedFor(tc.column, tc.table), "%s of %s", tc.column, tc.table)
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	require.True(t, prose([]string{" place", "carefully final. ideas", "sleep"}))
	require.True(t, prose([]string{"The parcel came too late."}))
	require.True(t, prose([]string{"a b c d e f g h i"}))
	require.False(t, prose(nil))
	require.False(t, prose([]string{"AUTOMOBILE", "DELIVER IN PERSON", "1-URGENT", "St. Gallen", "新加坡", "Inc."}[:3]))
	require.False(t, prose([]string{"Acme Inc", "SG", "新加坡"}))
}

// keyed is a server with a customer table, its orders, and a copy.
func keyed(orphans, distinct int64) *fake {
	columns := func(table string, names ...string) (rows [][]any) {
		for _, n := range names {
			rows = append(rows, []any{table, n, "bigint", "YES", nil, nil})
		}
		return rows
	}
	all := columns("customer", "custkey", "age")
	all = append(all, columns("orders", "id", "custkey", "shop_id")...)
	all = append(all, columns("shops", "id")...)
	return &fake{rules: []rule{
		{words: []string{"metadata\".\"catalogs"}, rows: [][]any{{"pg", "postgresql"}}},
		{words: []string{"schemata"}, rows: [][]any{{"mp"}}},
		{words: []string{`"tables"`}, rows: [][]any{{"customer", "BASE TABLE"}, {"orders", "BASE TABLE"}, {"shops", "BASE TABLE"}}},
		{words: []string{`"columns"`}, rows: all},
		{words: []string{"SHOW STATS"}, rows: [][]any{{nil, nil, nil, nil, 100.0, nil, nil}}},
		{words: []string{"row_count", "customer"}, rows: [][]any{{int64(100), distinct}}},
		{words: []string{"row_count"}, rows: [][]any{{int64(100), int64(100)}}},
		{words: []string{"orphan_count"}, rows: [][]any{{orphans}}},
	}}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s, _ := readAll(t, keyed(0, 100), nil, Options{})
	require.Equal(t, []string{"custkey"}, primaryKeyOf(t, s, "pg.mp.customer"))
	require.Equal(t, []string{"id"}, primaryKeyOf(t, s, "pg.mp.orders"))
	require.Equal(t, []catalog.ForeignKey{
		{Columns: []string{"custkey"}, RefTable: catalog.Name{Region: "pg", Schema: "mp", Table: "customer"}, RefColumns: []string{"custkey"}},
		{Columns: []string{"shop_id"}, RefTable: catalog.Name{Region: "pg", Schema: "mp", Table: "shops"}, RefColumns: []string{"id"}},
	}, table(t, s, "pg.mp.orders").ForeignKeys)

	s, _ = readAll(t, keyed(0, 99), nil, Options{})
	require.Empty(t, primaryKeyOf(t, s, "pg.mp.customer"), "two customers have the same key")
	require.Len(t, table(t, s, "pg.mp.orders").ForeignKeys, 1)

	s, _ = readAll(t, keyed(1, 100), nil, Options{})
	require.Empty(t, table(t, s, "pg.mp.orders").ForeignKeys, "an order has a customer that is not there")

	s, _ = readAll(t, keyed(0, 100), nil, Options{MaxSampleRows: 99})
	require.Empty(t, primaryKeyOf(t, s, "pg.mp.orders"), "too large to be read")

	f := keyed(0, 100)
	f.rules = append([]rule{
		{words: []string{`"tables"`}, rows: [][]any{{"customer", "BASE TABLE"}, {"customer_bak", "BASE TABLE"}, {"orders", "BASE TABLE"}}},
		{words: []string{`"columns"`}, rows: [][]any{
			{"customer", "custkey", "bigint", "YES", nil, nil}, {"customer_bak", "custkey", "bigint", "YES", nil, nil}, {"orders", "custkey", "bigint", "YES", nil, nil},
		}},
	}, f.rules...)
	s, _ = readAll(t, f, nil, Options{})
	require.Empty(t, table(t, s, "pg.mp.orders").ForeignKeys, "a table and its copy: which one is meant is not known")
}

func primaryKeyOf(t *testing.T, s *catalog.Snapshot, name string) []string {
	t.Helper()
	found := table(t, s, name)
	return found.PrimaryKey()
}
