package keys_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/keys"
)

// made makes tables of columns that are formulas over i, the number of the row. A name
// is schema.table or table, and a number after * says how many rows: "customer*20".
// Columns are counted as an ingest counts them.
func made(t *testing.T, conn *sql.Conn, spec []string) []*catalog.Table {
	t.Helper()
	var out []*catalog.Table
	for _, line := range spec {
		head, body, _ := strings.Cut(line, ": ")
		name, count, _ := strings.Cut(head, "*")
		schema, table, qualified := strings.Cut(name, ".")
		if !qualified {
			schema, table = "main", name
		}
		var columns []string
		for _, column := range strings.Split(body, "; ") {
			n, formula, _ := strings.Cut(column, " = ")
			columns = append(columns, fmt.Sprintf("%s AS %q", formula, n))
		}
		_, err := conn.ExecContext(t.Context(), fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS %q; CREATE TABLE %q.%q AS SELECT %s FROM range(1, %s + 1) AS r(i)", schema, schema, table, strings.Join(columns, ", "), count))
		require.NoError(t, err, line)
		made := &catalog.Table{Name: catalog.Name{Region: "own", Schema: schema, Table: table}}
		require.NoError(t, conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT count(*) FROM %q.%q", schema, table)).Scan(&made.RowCount))
		for _, column := range strings.Split(body, "; ") {
			n, _, _ := strings.Cut(column, " = ")
			c := catalog.Column{Name: n}
			require.NoError(t, conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT lower(any_value(typeof(%q))), count(DISTINCT %q), count(%q) = count(*) FROM %q.%q", n, n, n, schema, table)).Scan(&c.Type, &c.Distinct, &c.NotNull))
			made.Columns = append(made.Columns, c)
		}
		out = append(out, made)
	}
	return out
}

// TestReferencesByNameAndData: for each way in which a name may speak of a key, tables
// whose data agree, and tables of which one thing keeps it from being a reference.
func TestReferencesByNameAndData(t *testing.T) {
	t.Parallel()
	const customer = "customer*20: id = i; city = 'town ' || i % 3"
	for name, c := range map[string]struct {
		tables []string
		limits keys.Limits
		want   []string
		note   string // a part of one; "-": there is none
		keys   map[string][]string
	}{
		"called for the table":      {[]string{customer, "orders*30: id = i; customer_id = 1 + i % 20"}, keys.Limits{}, []string{"orders(customer_id) customer(id)"}, "it is called for that table", map[string][]string{"customer": {"id"}}},
		"in the plural":             {[]string{"customers*20: id = i", "orders*30: id = i; customer_id = 1 + i % 20"}, keys.Limits{}, []string{"orders(customer_id) customers(id)"}, "", nil},
		"called for it, no ending":  {[]string{customer, "orders*30: id = i; customer = 1 + i % 20"}, keys.Limits{}, []string{"orders(customer) customer(id)"}, "", nil},
		"words that say nothing":    {[]string{"dim_customer_info*20: id = i", "orders*30: id = i; customer_id = 1 + i % 20"}, keys.Limits{}, []string{"orders(customer_id) dim_customer_info(id)"}, "", nil},
		"abbreviated":               {[]string{customer, "orders*30: id = i; cust_id = 1 + i % 20"}, keys.Limits{}, []string{"orders(cust_id) customer(id)"}, "it is called for the beginning", nil},
		"too short to abbreviate":   {[]string{customer, "orders*30: id = i; cu_id = 1 + i % 20"}, keys.Limits{}, nil, "-", nil},
		"in one word":               {[]string{customer, "orders*30: id = i; customerid = 1 + i % 20"}, keys.Limits{}, []string{"orders(customerid) customer(id)"}, "", nil},
		"the last word of a table":  {[]string{"product_group*20: id = i", "product*30: id = i; group_id = 1 + i % 20"}, keys.Limits{}, []string{"product(group_id) product_group(id)"}, "called for the last word", nil},
		"in a role":                 {[]string{customer, "orders*30: id = i; ship_to_customer_id = 1 + i % 20"}, keys.Limits{}, []string{"orders(ship_to_customer_id) customer(id)"}, "the end of its name", nil},
		"the end of the key's name": {[]string{"buyers*20: client_no = 100 + i; city = 'x'", "orders*30: id = i; bill_to_client_no = 101 + i % 20"}, keys.Limits{}, []string{"orders(bill_to_client_no) buyers(client_no)"}, "that of the key", nil},
		"a person in a role":        {[]string{"staff*20: id = i", "project*30: id = i; manager_id = 1 + i % 20"}, keys.Limits{}, []string{"project(manager_id) staff(id)"}, "a person in a role", nil},
		"who did it":                {[]string{"staff*20: id = i", "deal*30: code = 'D' || i; sold_by = 1 + i % 20; checked_by_id = 1 + i % 20; by = 1 + i % 20"}, keys.Limits{}, []string{"deal(sold_by) staff(id)", "deal(checked_by_id) staff(id)"}, "a person in a role", nil},
		"who did it, another row":   {[]string{"staff*20: id = i", "member*20: id = i; referred_by = CASE WHEN i > 1 THEN i // 2 END"}, keys.Limits{}, []string{"member(referred_by) member(id)"}, "another row of the table", nil},
		"another row":               {[]string{"part*20: id = i; parent_id = CASE WHEN i > 1 THEN i // 2 END"}, keys.Limits{}, []string{"part(parent_id) part(id)"}, "another row of the table", nil},
		"a key of that name":        {[]string{"device*20: serial_no = 500 + i; kind = 'x'", "readings*30: at = i * 7; serial_no = 501 + i % 20"}, keys.Limits{}, []string{"readings(serial_no) device(serial_no)"}, "the names are the same", nil},
		"values alone":              {[]string{"airport*20: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 20)"}, keys.Limits{}, []string{"flight(origin) airport(code)"}, "its values are those of the key", nil},
		"values of few kinds":       {[]string{"airport*20: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 4)"}, keys.Limits{}, nil, "-", nil},
		"a quarter of the key":      {[]string{"airport*20: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 5)"}, keys.Limits{}, []string{"flight(origin) airport(code)"}, "", nil},
		"less than a quarter":       {[]string{"airport*21: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 5)"}, keys.Limits{}, nil, "-", nil},
		"numbers by values alone":   {[]string{"airport*20: code = i", "flight*30: id = 900 + i; origin = 1 + i % 20"}, keys.Limits{}, nil, "-", nil},
		"too many for values alone": {[]string{"airport*20: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 20)"}, keys.Limits{MaxByValues: 1}, nil, "-", nil},
		"a value is missing":        {[]string{customer, "orders*30: id = i; customer_id = CASE WHEN i = 3 THEN 99 ELSE 1 + i % 20 END"}, keys.Limits{}, nil, "1 of its 21 values are not in own.main.customer", nil},
		"many are":                  {[]string{customer, "orders*30: id = i; customer_id = CASE WHEN i > 24 THEN 90 + i ELSE 1 + i % 20 END"}, keys.Limits{}, nil, "-", nil},
		"no value and empty text":   {[]string{"customer*20: code = 'C' || i", "orders*30: id = i; customer_code = CASE WHEN i = 3 THEN NULL WHEN i = 4 THEN '' ELSE 'C' || (1 + i % 20) END"}, keys.Limits{}, []string{"orders(customer_code) customer(code)"}, "", nil},
		"another kind of type":      {[]string{customer, "orders*30: id = i; customer_id = '' || (1 + i % 20)"}, keys.Limits{}, nil, "-", nil},
		"a fraction":                {[]string{customer, "orders*30: id = i; customer_id = CAST(1 + i % 20 AS double)"}, keys.Limits{}, nil, "-", nil},
		"the key tells none apart":  {[]string{"customer*20: id = 1 + i % 19", "orders*30: id = i; customer_id = 1 + i % 19"}, keys.Limits{}, nil, "-", nil},
		"the key has gaps":          {[]string{"customer*20: id = CASE WHEN i < 20 THEN i END", "orders*30: id = i; customer_id = 1 + i % 19"}, keys.Limits{}, nil, "-", nil},
		"a number of things":        {[]string{"team*20: id = i", "cup*30: id = i; national_teams = 1 + i % 20"}, keys.Limits{}, nil, "-", nil},
		"two that fit as well":      {[]string{"online_shop*20: id = i", "corner_shop*20: id = i", "visit*30: at = i * 3; shop_id = 1 + i % 20"}, keys.Limits{}, nil, "may point to", nil},
		"the one with the values":   {[]string{"online_shop*20: id = i", "corner_shop*20: id = 100 + i", "visit*30: at = i * 3; shop_id = 101 + i % 20"}, keys.Limits{}, []string{"visit(shop_id) corner_shop(id)"}, "", nil},
		"the better name":           {[]string{"shop*20: id = i", "corner_shop*20: id = i", "visit*30: at = i * 3; shop_id = 1 + i % 20"}, keys.Limits{}, []string{"visit(shop_id) shop(id)"}, "", nil},
		"its own schema":            {[]string{"a.shop*20: id = i", "b.shop*20: id = i", "b.visit*30: at = i * 3; shop_id = 1 + i % 20"}, keys.Limits{}, []string{"visit(shop_id) shop(id)"}, "own.b.shop", nil},
		"keys that count from one":  {[]string{customer, "account*10: id = i"}, keys.Limits{}, nil, "-", nil},
		"Chinese":                   {[]string{"客户表*20: 客户编号 = i; 城市 = 'x'", "订单*30: 订单编号 = 700 + i; 客户编号 = 1 + i % 20"}, keys.Limits{}, []string{"订单(客户编号) 客户表(客户编号)"}, "", nil},
		"Chinese in a role":         {[]string{"客户*20: 编号 = i; 城市 = 'x'", "订单*30: 单号 = 700 + i; 收货客户编号 = 1 + i % 20"}, keys.Limits{}, []string{"订单(收货客户编号) 客户(编号)"}, "", nil},
		"Chinese, another row":      {[]string{"部门*20: 编号 = i; 上级编号 = CASE WHEN i > 1 THEN i // 2 END"}, keys.Limits{}, []string{"部门(上级编号) 部门(编号)"}, "", nil},
		"Chinese person in a role":  {[]string{"员工*20: 编号 = i", "店铺*30: 单号 = 700 + i; 店长编号 = 1 + i % 20"}, keys.Limits{}, []string{"店铺(店长编号) 员工(编号)"}, "", nil},
		"a bridge": {[]string{"tag*5: id = i", "product*6: id = i", "product_tag*30: product_id = 1 + (i - 1) % 6; tag_id = 1 + (i - 1) // 6"}, keys.Limits{},
			[]string{"product_tag(product_id) product(id)", "product_tag(tag_id) tag(id)"}, "is told apart by product_id and tag_id together", map[string][]string{"product_tag": {"product_id", "tag_id"}}},
		"a bridge with a row twice": {[]string{"tag*5: id = i", "product*6: id = i", "product_tag*31: product_id = 1 + (i - 1) % 6; tag_id = 1 + (i - 1) % 30 // 6"}, keys.Limits{},
			[]string{"product_tag(product_id) product(id)", "product_tag(tag_id) tag(id)"}, "", map[string][]string{"product_tag": nil}},
		"a bridge with a gap": {[]string{"tag*5: id = i", "product*6: id = i", "product_tag*30: product_id = 1 + (i - 1) % 6; tag_id = CASE WHEN i > 6 THEN 1 + (i - 1) // 6 END"}, keys.Limits{},
			[]string{"product_tag(product_id) product(id)", "product_tag(tag_id) tag(id)"}, "", map[string][]string{"product_tag": nil}},
		"a key of two columns, of another schema": {[]string{"a.orders*10: id = i", "a.order_line*30: order_id = 1 + (i - 1) // 3; line_no = 1 + i % 3", "b.delivery*20: delivery_code = 'D' || i; order_id = 1 + (i - 1) // 3; line_no = 1 + i % 3"}, keys.Limits{},
			[]string{"order_line(order_id) orders(id)", "delivery(order_id) orders(id)"}, "", map[string][]string{"order_line": {"order_id", "line_no"}}},
		"a key of two columns": {[]string{"orders*10: id = i", "order_line*30: order_id = 1 + (i - 1) // 3; line_no = 1 + i % 3", "delivery*20: delivery_code = 'D' || i; order_id = 1 + (i - 1) // 3; line_no = 1 + i % 3"}, keys.Limits{},
			[]string{"order_line(order_id) orders(id)", "delivery(order_id) orders(id)", "delivery(order_id,line_no) order_line(order_id,line_no)"}, "all their values are there together", map[string][]string{"order_line": {"order_id", "line_no"}}},
		"columns that point nowhere": {[]string{"reading*30: slot_no = 1 + (i - 1) % 6; day_no = 1 + (i - 1) // 6"}, keys.Limits{}, nil, "-", map[string][]string{"reading": nil}},
		"a label is no key": {[]string{"band*20: band_name = 'B' || i; serial_code = 'C' || i", "gig*30: id = 900 + i; serial_code = 'C' || (1 + i % 20)"}, keys.Limits{},
			[]string{"gig(serial_code) band(serial_code)"}, "", map[string][]string{"band": {"serial_code"}}},
		"more values than the key has": {[]string{"airport*20: code = 'A' || i", "flight*30: id = i; origin = 'A' || (1 + i % 21)"}, keys.Limits{MaxTests: 1}, nil, "-", nil},
		"no comparison is left":        {[]string{customer, "orders*30: id = i; customer_id = 1 + i % 20; cust_id = 1 + i % 20"}, keys.Limits{MaxTests: 1}, []string{"orders(customer_id) customer(id)"}, "ended after 1 comparisons (MaxTests)", nil},
		"tables of one row":            {[]string{"customer*1: id = i", "orders*30: id = i; customer_id = 1"}, keys.Limits{}, nil, "-", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			tables := made(t, conn, c.tables)
			notes, err := keys.Find(t.Context(), conn, tables, c.limits)
			require.NoError(t, err)
			var plain []catalog.Table
			for _, table := range tables {
				plain = append(plain, *table)
				for _, k := range table.ForeignKeys {
					require.NotEmpty(t, k.Found.Reason)
					require.Positive(t, k.Found.Values)
				}
			}
			require.ElementsMatch(t, c.want, references(plain), "%v", notes)
			all := strings.Join(notes, "\n")
			if c.note == "-" {
				require.Empty(t, all)
			} else {
				require.Contains(t, all, c.note)
			}
			for _, table := range plain {
				if want, ok := c.keys[table.Name.Table]; ok {
					require.Equal(t, want, table.PrimaryKey())
				}
			}
		})
	}
}

// TestPersonsOfTheirOwnTable: somebody in a role is another row of a table whose rows have names of persons,
// whatever that table is called.
func TestPersonsOfTheirOwnTable(t *testing.T) {
	t.Parallel()
	for name, personal := range map[string]bool{"persons": true, "things": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t)
			tables := made(t, conn, []string{"doctor*20: doctor_no = 100 + i; full_name = 'N' || i; supervisor_no = CASE WHEN i > 1 THEN 100 + i // 2 END"})
			if personal {
				tables[0].Columns[1].Personal = &catalog.Personal{Kind: "name"}
			}
			_, err := keys.Find(t.Context(), conn, tables, keys.Limits{})
			require.NoError(t, err)
			if want := []string{"doctor(supervisor_no) doctor(doctor_no)"}; personal {
				require.Equal(t, want, references([]catalog.Table{*tables[0]}))
			} else {
				require.Empty(t, tables[0].ForeignKeys)
			}
		})
	}
}

// TestViewsAreNoBridges: what a view shows is told apart by the key that it shows, which is another table's.
func TestViewsAreNoBridges(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	tables := made(t, conn, []string{"visit*30: visit_id = i; room_id = 1 + i % 5", "room*5: room_id = i", "late_visit*10: visit_id = i; room_id = 1 + i % 5"})
	tables[2].Kind = catalog.KindView
	_, err := keys.Find(t.Context(), conn, tables, keys.Limits{})
	require.NoError(t, err)
	require.Empty(t, tables[2].PrimaryKey())
	require.Len(t, tables[2].ForeignKeys, 2)
}

// TestWhatIsDeclaredStays: a declared reference ends the search, a declared key is one
// whatever it looks like, and an error of the data ends it with what was compared.
func TestWhatIsDeclaredStays(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	spec := []string{"customer*20: id = i; sign = 100 + i", "orders*30: id = i; customer_id = 1 + i % 20", "notes*30: at = i; customer_id = 101 + i % 20"}
	tables := made(t, conn, spec)
	tables[1].ForeignKeys = []catalog.ForeignKey{{Columns: []string{"id"}, RefTable: tables[0].Name, RefColumns: []string{"id"}}}
	notes, err := keys.Find(t.Context(), conn, tables, keys.Limits{})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Empty(t, tables[2].ForeignKeys)
	tables[1].ForeignKeys = nil
	tables[0].Columns[1].PrimaryKey = true
	_, err = keys.Find(t.Context(), conn, tables, keys.Limits{})
	require.NoError(t, err)
	require.Equal(t, []string{"sign"}, tables[0].PrimaryKey())
	_, err = conn.ExecContext(t.Context(), "DROP TABLE main.customer")
	require.NoError(t, err)
	for _, table := range tables {
		table.ForeignKeys = nil
	}
	_, err = keys.Find(t.Context(), conn, tables, keys.Limits{})
	require.ErrorContains(t, err, "customer")
}

// TestLargeTablesAreSampled: up to the bound all rows of a table are compared; beyond it a
// sample is, which is told, and no key is taken to be one of rows that are not all seen.
func TestLargeTablesAreSampled(t *testing.T) {
	t.Parallel()
	for most, sampled := range map[int]bool{30: false, 29: true} {
		db, err := sql.Open("duckdb", "")
		require.NoError(t, err)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		tables := made(t, conn, []string{"customer*20: id = i; city = 'town ' || i % 3", "orders*30: id = 700 + i; customer_id = 1 + i % 20", "tag*5: id = i", "product*6: id = i",
			"product_tag*30: product_id = 1 + (i - 1) % 6; tag_id = 1 + (i - 1) // 6"})
		_, err = keys.Find(t.Context(), conn, tables, keys.Limits{MaxExactRows: most, MaxSampleRows: 5})
		require.NoError(t, err)
		require.Equal(t, []string{"id"}, tables[0].PrimaryKey())
		require.Equal(t, sampled, len(tables[4].PrimaryKey()) == 0, "a key of two columns is compared row by row")
		require.Len(t, tables[1].ForeignKeys, 1)
		found := tables[1].ForeignKeys[0].Found
		require.Equal(t, sampled, found.Sampled)
		if sampled {
			require.LessOrEqual(t, found.Values, int64(5))
		} else {
			require.EqualValues(t, 20, found.Values)
		}
		require.NoError(t, conn.Close())
		require.NoError(t, db.Close())
	}
}

// TestKeysOfEstimatedTables: of a table with more than a million rows the different values
// were estimated, so that a column called as its key is counted where the estimate is near
// enough; columns called otherwise are not looked at.
func TestKeysOfEstimatedTables(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	const rows = 1_000_001
	_, err := conn.ExecContext(t.Context(), fmt.Sprintf("CREATE TABLE event AS SELECT i AS event_id, i AS stamp, i %% 1000000 AS twice_id FROM range(%d) AS r(i)", rows))
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "CREATE TABLE note AS SELECT 5000000 + i AS id, i AS event_id FROM range(50) AS r(i)")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		column   string
		estimate int64
		want     bool
	}{
		"as many as rows":    {"event_id", rows, true},
		"a tenth too few":    {"event_id", rows - rows/10, true},
		"more than a tenth":  {"event_id", rows - rows/10 - 1, false},
		"called otherwise":   {"stamp", rows, false},
		"counted, it is not": {"twice_id", rows, false},
	} {
		event := &catalog.Table{Name: catalog.Name{Region: "own", Schema: "main", Table: "event"}, RowCount: rows,
			Columns: []catalog.Column{{Name: c.column, Type: "bigint", Distinct: c.estimate, NotNull: true}}}
		if c.column == "twice_id" {
			event.Name.Table = "twice" // so that the column is called as the table's key
			_, err = conn.ExecContext(t.Context(), "CREATE VIEW twice AS SELECT twice_id FROM event")
			require.NoError(t, err)
		}
		note := &catalog.Table{Name: catalog.Name{Region: "own", Schema: "main", Table: "note"}, RowCount: 50, Columns: []catalog.Column{
			{Name: "id", Type: "bigint", Distinct: 50, NotNull: true}, {Name: "event_id", Type: "bigint", Distinct: 50, NotNull: true}}}
		_, err = keys.Find(t.Context(), conn, []*catalog.Table{event, note}, keys.Limits{})
		require.NoError(t, err, name)
		require.Equal(t, c.want, len(event.PrimaryKey()) > 0, name)
		require.Equal(t, c.want, len(note.ForeignKeys) > 0, name)
	}
}

// connect is a connection to an empty database of its own.
func connect(t *testing.T) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // before its database
	return conn
}
