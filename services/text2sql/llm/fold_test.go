package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// sold is a table of orders of a country, with the ways of paying that are known there.
func sold(region, country string, rows int64, ways ...string) catalog.Table {
	return catalog.Table{
		Name:    catalog.Name{Region: region, Schema: "shop", Table: "dwd_order_di__" + strings.ToLower(country) + "_live"},
		Country: country, Manifest: "dwd_order_di__{cid}_live", Description: "Orders", Grain: "an order", RowCount: rows,
		Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true, Distinct: rows}, {Name: "way", Type: "varchar", Distinct: int64(len(ways)), Samples: ways},
		},
	}
}

func toldOf(question string, most int, tables ...catalog.Table) string {
	d := &desk{cfg: Config{MaxTables: most, MaxSchemaTokens: 4000}}
	return d.schema(&team.Task{Question: question, Tables: tables}, nil)
}

// TestTablesOfOneFormAreToldOnce: tables by country are one entry with the values of all;
// one that has another column, or another type, stands alone.
func TestTablesOfOneFormAreToldOnce(t *testing.T) {
	t.Parallel()
	sg, de, br := sold("eu", "SG", 5, "card", "cash"), sold("eu", "DE", 7, "card"), sold("us", "BR", 3, "pix")
	require.Equal(t, `tables eu.shop.dwd_order_di__{de,sg}_live, us.shop.dwd_order_di__br_live -- 3 tables of the same columns; Orders; one row: an order; 15 rows
  order_id bigint key
  way varchar (values: 'card', 'cash', 'pix')
`, toldOf("x", 9, sg, de, br))
	for name, change := range map[string]func(*catalog.Table){
		"type":    func(x *catalog.Table) { x.Columns[1].Type = "bigint" },
		"column":  func(x *catalog.Table) { x.Columns[1].Name = "paid_by" },
		"more":    func(x *catalog.Table) { x.Columns = append(x.Columns, catalog.Column{Name: "note", Type: "varchar"}) },
		"comment": func(x *catalog.Table) { x.Columns[1].Comment = "in local terms" },
		"persons": func(x *catalog.Table) { x.Columns[1].Personal = &catalog.Personal{Kind: "name"} },
		"key": func(x *catalog.Table) {
			x.ForeignKeys = []catalog.ForeignKey{{Columns: []string{"way"}, RefTable: br.Name, RefColumns: []string{"way"}}}
		},
		"schema": func(x *catalog.Table) { x.Name.Schema = "archive" },
	} {
		other := sold("eu", "DE", 7, "card")
		change(&other)
		require.NotContains(t, toldOf("x", 9, sg, other), "{", name)
	}
	// Of descriptions and values that differ, only what holds for all is told.
	de.Description, de.Columns[1].Distinct = "Orders of Germany", 9
	text := toldOf("x", 9, sg, de)
	require.NotContains(t, text, "Orders")
	require.Contains(t, text, "way varchar (9 values, such as: 'card', 'cash')")
	// As many tables are told as there is room for, families counting once.
	require.Contains(t, toldOf("stock", 2, sg, br, catalog.Table{Name: catalog.Name{Region: "eu", Schema: "shop", Table: "stock"}}), "table eu.shop.stock")
	// A table that is meant by name stands for its family.
	d := &desk{cfg: Config{MaxTables: 9, MaxSchemaTokens: 4000}}
	task := team.Task{Question: "x", Tables: []catalog.Table{sg, br, {Name: catalog.Name{Region: "eu", Schema: "shop", Table: "stock"}}}}
	text = d.schemaOf(&task, []string{"us.shop.dwd_order_di__br_live"})
	require.Contains(t, text, "tables eu.shop.dwd_order_di__sg_live, us.shop.dwd_order_di__br_live")
	require.NotContains(t, text, "stock")
}

func TestNamesOfSeveralTables(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"orders__sg":              {"orders__sg"},
		"orders__{de,sg}_live":    {"orders__de_live", "orders__sg_live"},
		"orders_{de,sg}":          {"orders_de", "orders_sg"},
		"{de,sg}_orders":          {"de_orders", "sg_orders"},
		"orders_{sea,sg}_live":    {"orders_sea_live", "orders_sg_live"},
		"{orders,orders_sg}":      {"orders", "orders_sg"},
		"day_{20300101,20300102}": {"day_20300101", "day_20300102"},
	} {
		require.Equal(t, want, braces(names))
	}
	var many []*catalog.Table
	for i := range maxMembers + 3 {
		many = append(many, &catalog.Table{Name: catalog.Name{Schema: "s", Table: fmt.Sprintf("day_%03d", i)}})
	}
	text := together(many)
	require.True(t, strings.HasPrefix(text, "s.day_{000,001,"))
	require.True(t, strings.HasSuffix(text, ",059}, 3 more"))
}

// TestWhatIsToldBeginsTheSame: the order in which tables were found, and what is asked of few
// of them, changes nothing of what is told: an endpoint remembers it.
func TestWhatIsToldBeginsTheSame(t *testing.T) {
	t.Parallel()
	a, b := sold("eu", "SG", 5, "card", "cash"), catalog.Table{Name: catalog.Name{Region: "eu", Schema: "shop", Table: "stock"}}
	require.Equal(t, toldOf("stock of cash", 9, a, b), toldOf("how many by card?", 9, b, a))
}

// TestSomeOfTheValues: a list that is cut says so, holds what is asked for, and is told in the
// language of the question.
func TestSomeOfTheValues(t *testing.T) {
	t.Parallel()
	x := semantic.Dimension{ID: "shop"}
	for i := range maxValues + 3 {
		x.Values = append(x.Values, semantic.Value{Value: fmt.Sprint("v", i), Synonyms: []string{"第" + fmt.Sprint(i), fmt.Sprint("w", i)}})
	}
	d := &desk{}
	require.Equal(t, "12 of its 15 values: v0 = w0; v1 = w1; v2 = w2; v3 = w3; v4 = w4; v5 = w5; v6 = w6; v7 = w7; v8 = w8; v9 = w9; v10 = w10; v14 = w14", d.values(x, wordsOf("w14"), lang.English))
	x.Values = x.Values[:2]
	require.Equal(t, "values: v0 = 第0; v1 = 第1", d.values(x, wordsOf("w1"), lang.Chinese))
	require.Equal(t, []string{"a"}, spoken([]string{"a"}, lang.Chinese), "where there are no others")
}

// TestPartsOfAShare: without groups a share is that of the one condition.
func TestPartsOfAShare(t *testing.T) {
	t.Parallel()
	share, rows := []readMetric{{ID: "loaves", Aggregate: "share"}}, []readMetric{{ID: "loaves"}}
	rye := []readFilter{{Dimension: "kind", Operator: "in", Values: []string{"rye"}}}
	d := known("x", Config{MaxLayerItems: 10})
	for want, list := range map[string][]read{
		"kind":  {{Metrics: share, Filters: rye}},
		"fresh": {{Metrics: share, NamedFilters: []string{"fresh"}}},
		"": {
			{Metrics: share}, {Metrics: rows, Filters: rye}, {Metrics: share, Dimensions: []string{"shop"}, Filters: rye},
			{Metrics: share, Filters: rye, NamedFilters: []string{"fresh"}},
		},
	} {
		for _, r := range list {
			require.Equal(t, want, d.intent(&r).Part)
		}
	}
	require.Equal(t, intent.AggShare, d.intent(&read{Metrics: share}).Select[0].Agg)
}
