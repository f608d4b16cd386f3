package semantic

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

func draftTables() []catalog.Table {
	country := func(code, cid string) catalog.Table {
		return catalog.Table{
			Name: catalog.Name{Region: "r", Schema: "s", Table: "sales__" + cid}, Manifest: "sales__{cid}", Country: code, Mart: "Order", RowCount: 100, QueryCount30d: 9,
			Columns: []catalog.Column{
				{Name: "sale_id", Type: "bigint", PrimaryKey: true},
				{Name: "amount_usd", Type: "decimal(10,2)", Comment: "成交金额，含税"},
				{Name: "unit_price", Type: "double"},
				{Name: "secret_number", Type: "bigint"},
				{Name: "buyer_id", Type: "bigint"},
				{Name: "shop_id", Type: "bigint"},
				{Name: "kind", Type: "varchar", Comment: "kind of sale", Distinct: 3, Samples: []string{"A", "B", " "}},
				{Name: "day", Type: "date", Partition: true},
			},
			Usage: &catalog.Usage{Columns: []catalog.ColumnUse{{Column: "amount_usd", Queries: 5}, {Column: "unit_price", Queries: 2}, {Column: "buyer_id", Queries: 2}}},
		}
	}
	return []catalog.Table{
		country("SG", "sg"), country("BR", "br"),
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "dim_shop"}, Layer: "dim", Mart: "Shop", RowCount: 10, Columns: []catalog.Column{
			{Name: "shop_id", Type: "bigint", PrimaryKey: true}, {Name: "shop_name", Type: "varchar", Distinct: 10}, {Name: "kind", Type: "varchar", Distinct: 3},
		}},
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "old_shop"}, Successor: "r.s.dim_shop", Columns: []catalog.Column{{Name: "x", Type: "bigint"}}},
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	layer := Draft(draftTables(), DraftOptions{})
	require.Equal(t, []Country{{Code: "BR", CID: "br", Names: Text{EN: "BR"}}, {Code: "SG", CID: "sg", Names: Text{EN: "SG"}}}, layer.Countries)
	require.Equal(t, []Entity{{ID: "shop", Names: Text{EN: "shop"}, Table: "s.dim_shop", Key: []string{"shop_id"}, Label: Label{"shop_name"}, Mart: "Shop"}}, layer.Entities)
	require.Len(t, layer.Metrics, 3, "only what queries read")
	require.Equal(t, Metric{
		ID: "amount_usd", Names: Text{EN: "amount usd", ZH: "成交金额"}, Description: Text{ZH: "成交金额，含税"}, Table: "s.sales__{cid}",
		Expr: "SUM(amount_usd)", Unit: "USD", Time: "day", Grain: "day", Mart: "Order",
	}, layer.Metrics[0])
	require.Equal(t, "AVG(unit_price)", layer.Metrics[1].Expr)
	require.Equal(t, NonAdditive, layer.Metrics[1].Additivity)
	require.Equal(t, DistinctCount, layer.Metrics[2].Type)
	require.Equal(t, "buyers", layer.Metrics[2].ID)
	require.Equal(t, []Join{{From: "s.sales__{cid}", Columns: []string{"shop_id"}, To: "s.dim_shop", ToColumns: []string{"shop_id"}, Cardinality: ManyToOne}}, layer.Joins)
	ids := map[string]Dimension{}
	for _, d := range layer.Dimensions {
		ids[d.ID] = d
	}
	require.Equal(t, []Value{{Value: "A"}, {Value: "B"}}, ids["kind"].Values)
	require.Equal(t, "kind", ids["shop_kind"].Expr)

	var b bytes.Buffer
	require.NoError(t, Write(&b, "", layer))
	dir := t.TempDir()
	write(t, dir, "x.yaml", b.String())
	_, problems := Check(dir, draftTables())
	require.Empty(t, problems.Errors())
}

// TestDraftCountsThingsInTheirOwnTable: a reference is no number of what it points to,
// and amounts keep their unit.
func TestDraftCountsThingsInTheirOwnTable(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Schema: "main", Table: "members"}, RowCount: 60, Columns: []catalog.Column{{Name: "member_id", Type: "bigint", PrimaryKey: true}}},
		{
			Name: catalog.Name{Schema: "main", Table: "visits"}, RowCount: 400,
			Columns: []catalog.Column{
				{Name: "visit_id", Type: "bigint", PrimaryKey: true}, {Name: "member_id", Type: "bigint"}, {Name: "device_id", Type: "bigint"},
				{Name: "fee", Type: "double", Unit: "EUR"}, {Name: "price", Type: "decimal(8,2)", Unit: "EUR"}, {Name: "day", Type: "date"},
			},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"member_id"}, RefTable: catalog.Name{Schema: "main", Table: "members"}, RefColumns: []string{"member_id"}}},
		},
	}
	layer := Draft(tables, DraftOptions{})
	var ids []string
	for _, m := range layer.Metrics {
		ids = append(ids, m.ID)
		if m.Type != DistinctCount {
			require.Equal(t, "EUR", m.Unit, m.ID)
		}
	}
	require.Equal(t, []string{"devices", "fee", "average_price"}, ids)
	require.Equal(t, "AVG(CAST(price AS double))", layer.Metrics[2].Expr, "else it is rounded to cents")
}

// TestDraftOfNamesThatAreQuoted: a dimension's and a day's name need not be a word of
// SQL's, and names in Chinese are those of the Chinese language. Numbers of Chinese names have metrics where the
// end of the name says what they are; those whose names have blanks have none and are told.
func TestDraftOfNamesThatAreQuoted(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{{
		Name: catalog.Name{Schema: "main", Table: "诊所"}, RowCount: 400,
		Columns: []catalog.Column{
			{Name: "就诊编号", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "就诊日期", Type: "date", Distinct: 90},
			{Name: "科室", Type: "varchar", Distinct: 2, Samples: []string{"内科", "外科"}}, {Name: "费用", Type: "double", Distinct: 300, Unit: "CNY"},
			{Name: "单价", Type: "decimal(8,2)", Distinct: 30}, {Name: "人数", Type: "bigint", Distinct: 9}, {Name: "年份", Type: "bigint", Distinct: 9}, {Name: "体温", Type: "double", Distinct: 40},
			{Name: "fee", Type: "double", Distinct: 5}, {Name: "Room \"No\" Fee", Type: "double", Distinct: 50},
		},
	}}
	layer := Draft(tables, DraftOptions{})
	var drafted []string
	for _, m := range layer.Metrics {
		require.Equal(t, `"就诊日期"`, m.Time)
		drafted = append(drafted, m.ID+" = "+m.Expr+" "+m.Names.EN+m.Names.ZH)
	}
	require.Equal(t, []string{`费用 = SUM("费用") 费用`, `平均单价 = AVG(CAST("单价" AS double)) 平均单价`, `人数 = SUM("人数") 人数`, "fee = SUM(fee) fee"}, drafted)
	require.Equal(t, Left{Quoted: []string{`main.诊所.Room "No" Fee`}, Unclear: []string{"main.诊所.体温"}}, NotDrafted(tables))
	require.Equal(t, "科室", layer.Dimensions[0].ID)
	require.Len(t, layer.Dimensions, 1)
	require.Equal(t, Text{ZH: "科室"}, layer.Dimensions[0].Names)
	require.Equal(t, `"科室"`, layer.Dimensions[0].Expr)
	var b bytes.Buffer
	require.NoError(t, Write(&b, "", layer))
	dir := t.TempDir()
	write(t, dir, "x.yaml", b.String())
	_, problems := Check(dir, tables)
	require.Empty(t, problems.Errors())
}

func TestDraftOfAMart(t *testing.T) {
	t.Parallel()
	layer := Draft(draftTables(), DraftOptions{Mart: "shop", MaxTables: 1})
	require.Empty(t, layer.Metrics)
	require.Len(t, layer.Entities, 1)
}

// TestDraftOfRoles names the joins that lead from one table to another by several ways.
func TestDraftOfRoles(t *testing.T) {
	t.Parallel()
	teams := catalog.Name{Region: "r", Schema: "s", Table: "teams"}
	key := func(column string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: teams, RefColumns: []string{"id"}}
	}
	tables := []catalog.Table{
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "matches"}, RowCount: 90, ForeignKeys: []catalog.ForeignKey{key("home_team_id"), key("away_team_id")}, Columns: []catalog.Column{
			{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "home_team_id", Type: "bigint"}, {Name: "away_team_id", Type: "bigint"}, {Name: "goals", Type: "bigint", Distinct: 9},
		}},
		{Name: teams, RowCount: 9, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true}, {Name: "name", Type: "varchar", Distinct: 9}}},
	}
	layer := Draft(tables, DraftOptions{})
	require.Len(t, layer.Joins, 2)
	require.Equal(t, "home_team", layer.Joins[0].Role)
	require.Equal(t, Text{EN: "away team"}, layer.Joins[1].Names)
	whole := layer.WithRoles()
	require.Equal(t, []string{"home_team", "away_team"}, whole.RolesOf("team", "s.matches"))
	require.True(t, hasEntity(whole, "home_team_team"))
	require.False(t, hasEntity(layer, "home_team_team"), "the layer itself is as it was")
	require.Len(t, whole.WithRoles().Entities, len(whole.Entities), "once")
}

// TestDraftOfSeveralDates: each column of time of a table with numbers is one that questions
// may name, with its verb where no value is called so; rows go by one that they have.
func TestDraftOfSeveralDates(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "orders"}, RowCount: 100, Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "amount", Type: "double"},
			{Name: "status", Type: "varchar", Distinct: 2, Samples: []string{"paid", "Shipped"}},
			{Name: "delivered_on", Type: "date", Missing: 14}, {Name: "ordered_at", Type: "timestamp(6)", Comment: "下单时间"},
			{Name: "shipped_at", Type: "timestamp(6)", Missing: 2}, {Name: "born_on", Type: "date", Personal: &catalog.Personal{Kind: "birth date"}},
			{Name: "Due Date", Type: "date", Missing: 40},
		}},
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "visits"}, RowCount: 10, Columns: []catalog.Column{{Name: "weight", Type: "double"}, {Name: "day", Type: "date"}}},
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "shifts"}, RowCount: 10, Columns: []catalog.Column{{Name: "starts", Type: "date"}, {Name: "ends", Type: "date"}}},
	}
	layer := Draft(tables, DraftOptions{})
	require.Equal(t, []DateColumn{
		{ID: "delivered_on", Names: Text{EN: "delivered date"}, Synonyms: []string{"delivered on", "delivered"}, Table: "s.orders", Grain: "day"},
		{ID: "ordered_at", Names: Text{EN: "ordered date", ZH: "下单时间"}, Synonyms: []string{"ordered at", "ordered"}, Table: "s.orders", Grain: "none"},
		{ID: "shipped_at", Names: Text{EN: "shipped date"}, Synonyms: []string{"shipped at"}, Table: "s.orders", Grain: "none"},
	}, layer.Dates)
	require.Equal(t, "ordered_at", layer.Metrics[0].Time, "fourteen of a hundred rows have no day of delivery")
	var b bytes.Buffer
	require.NoError(t, Write(&b, "", layer))
	dir := t.TempDir()
	write(t, dir, "x.yaml", b.String())
	_, problems := Check(dir, tables)
	require.Empty(t, problems)
}

// TestDraftLeavesOutWhatIsNotAddedUp: numbers of documents and of rows are no metrics.
func TestDraftLeavesOutWhatIsNotAddedUp(t *testing.T) {
	t.Parallel()
	layer := Draft([]catalog.Table{{
		Name: catalog.Name{Schema: "main", Table: "visits"}, RowCount: 40, Columns: []catalog.Column{
			{Name: "Visit", Type: "bigint", Distinct: 40}, {Name: "receipt_no", Type: "bigint", Distinct: 7},
			{Name: "load_g", Type: "bigint", Distinct: 40, Unit: "g"}, {Name: "fee", Type: "double", Distinct: 40},
			{Name: "no_of_guests", Type: "bigint", Distinct: 7}, {Name: "minutes", Type: "bigint", Distinct: 9},
		},
	}}, DraftOptions{})
	var drafted []string
	for _, m := range layer.Metrics {
		drafted = append(drafted, m.Expr)
	}
	require.Equal(t, []string{"SUM(fee)", "SUM(no_of_guests)", "SUM(minutes)"}, drafted)
}

// TestNumbersOfDrafts: only what tells that it adds up is added up, and what nothing tells of
// is left to somebody who knows.
func TestNumbersOfDrafts(t *testing.T) {
	t.Parallel()
	for want, names := range map[figure][]string{
		added:    {"amount", "unit_cost", "order_cnt", "page_views_7d", "complaints_12m", "goals", "minutes", "people", "n_children", "no_of_guests", "total_weighings", "loan_fee_amt_30d"},
		averaged: {"unit_price", "discount_rate", "age", "wind_speed", "length", "avg_delays", "price_paid_usd"},
		noFigure: {"is_paid", "receipt_no", "birth_year", "lat", "max_amt", "lowest_bids", "rank", "day"},
		unclear:  {"temp", "dep_delay", "flight", "tz", "tenure_months", "pclass", "gps", "status", "bus", "number", "x"},
	} {
		for _, name := range names {
			got := numberOf(&catalog.Table{RowCount: 90}, &catalog.Column{Name: name, Type: "bigint", Distinct: 40}, Words(name))
			require.Equal(t, want, got, name)
		}
	}
	require.Equal(t, added, numberOf(&catalog.Table{RowCount: 90}, &catalog.Column{Name: "net", Type: "double", Unit: "EUR"}, []string{"net"}))
	require.Equal(t, unclear, numberOf(&catalog.Table{RowCount: 90}, &catalog.Column{Name: "load", Type: "double", Unit: "kg"}, []string{"load"}))
	for distinct, want := range map[int64]figure{1000: noFigure, 999: added} {
		require.Equal(t, want, numberOf(&catalog.Table{RowCount: 1000}, &catalog.Column{Name: "visits", Type: "bigint", Distinct: distinct}, []string{"visits"}))
	}

	tables := []catalog.Table{{Name: catalog.Name{Schema: "main", Table: "weather"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "temp", Type: "double", Distinct: 40}, {Name: "fee", Type: "double", Distinct: 40}, {Name: "station_id", Type: "bigint", Distinct: 9}, {Name: "lat", Type: "double", Distinct: 9},
	}}}
	require.Len(t, Draft(tables, DraftOptions{}).Metrics, 1)
	require.Equal(t, Left{Unclear: []string{"main.weather.temp"}}, NotDrafted(tables))
}

// TestDraftDatesPartsByTheirWhole: lines have the day of their order, told by the key or by
// the name; the day on which a product was made dates no sale, and a bridge is part of neither.
func TestDraftDatesPartsByTheirWhole(t *testing.T) {
	t.Parallel()
	name := func(table string) catalog.Name { return catalog.Name{Schema: "main", Table: table} }
	points := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(table), RefColumns: []string{"id"}}
	}
	dated := func(table string, days ...string) catalog.Table {
		out := catalog.Table{Name: name(table), RowCount: 50, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 50}}}
		for _, day := range days {
			out.Columns = append(out.Columns, catalog.Column{Name: day, Type: "date", Distinct: 30})
		}
		return out
	}
	rows := func(table string, keys []catalog.ForeignKey, key ...string) catalog.Table {
		out := catalog.Table{Name: name(table), RowCount: 90, ForeignKeys: keys}
		for _, c := range []string{"order_id", "product_id", "line_no"} {
			out.Columns = append(out.Columns, catalog.Column{Name: c, Type: "bigint", Distinct: 40, PrimaryKey: slices.Contains(key, c)})
		}
		out.Columns = append(out.Columns, catalog.Column{Name: "pieces", Type: "bigint", Distinct: 9})
		return out
	}
	both := []catalog.ForeignKey{points("order_id", "orders"), points("product_id", "products")}
	for _, c := range []struct {
		parts catalog.Table
		table string
	}{
		{rows("basket", both, "order_id", "line_no"), "main.orders"},
		{rows("order_details", both), "main.orders"},
		{rows("orders_details", both), "main.orders"},
		{rows("product_notes", both), "main.products"},
		{rows("basket", both), ""},
		{rows("basket", both, "order_id", "product_id"), ""},
		{rows("details_order", both), ""},
	} {
		tables := []catalog.Table{c.parts, dated("orders", "ordered_on", "delivered_on"), dated("products", "made_on")}
		layer := Draft(tables, DraftOptions{})
		require.Len(t, layer.Metrics, 1)
		m := layer.Metrics[0]
		require.Equal(t, c.table, m.TimeTable, "%+v", c.parts)
		require.Equal(t, c.table == "main.orders", len(layer.Dates) == 2, "the days of what dates a metric may be named")
		if c.table == "main.orders" {
			require.Equal(t, []string{"ordered_on", "day"}, []string{m.Time, m.Grain})
		}
		var b bytes.Buffer
		require.NoError(t, Write(&b, "", layer))
		dir := t.TempDir()
		write(t, dir, "x.yaml", b.String())
		_, problems := Check(dir, tables)
		require.Empty(t, problems.Errors())
	}
}
