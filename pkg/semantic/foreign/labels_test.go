package foreign

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

const dbtLabels = `{
  "semantic_models": [{
    "name": "fct_orders", "label": "Orders", "node_relation": {"alias": "fct_orders", "schema_name": "mart"},
    "config": {"meta": {"synonyms": ["purchases", "订单"], "owner": {"team": "sales"}}},
    "defaults": {"agg_time_dimension": "ordered_at"},
    "entities": [{"name": "order_id", "type": "primary"}],
    "dimensions": [
      {"name": "ordered_at", "label": "Order date", "type": "time", "type_params": {"time_granularity": "day"}},
      {"name": "shipped_at", "label": "Shipping date", "type": "time", "type_params": {"time_granularity": "day"}, "config": {"meta": {"synonyms": ["shipped", "发货日期"]}}},
      {"name": "pay_type", "label": "Payment method", "description": "How it was paid", "type": "categorical", "config": {"meta": {"synonyms": "way of payment, 支付方式"}}}
    ],
    "measures": [{"name": "amount", "agg": "sum"}]
  }],
  "metrics": [{
    "name": "gmv", "label": "Gross value", "description": "All\norders", "type": "simple", "type_params": {"measure": {"name": "amount"}},
    "config": {"meta": {"synonyms": ["成交额", "Gross value", 7]}}
  }]
}`

const cubeLabels = `cubes:
  - name: orders
    title: Customer orders
    sql_table: mart.orders
    meta: {synonyms: [purchases], tier: 1}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: pay_type, title: Payment method, description: How it was paid, sql: pay_type, type: string, meta: {synonyms: [支付方式]}}
      - {name: created_at, title: Order date, sql: created_at, type: time}
      - {name: shipped_at, title: Shipping date, sql: shipped_at, type: time, meta: {synonyms: [shipped]}}
    measures:
      - {name: gmv, title: Gross value, description: All orders, sql: amount, type: sum, meta: {synonyms: [成交额]}}
    segments:
      - {name: is_big, title: Big orders, description: Over a thousand, sql: "{CUBE}.amount >= 1000", meta: {synonyms: [大单]}}
`

const openMetadataLabels = `{"data": [
  {"name": "gmv", "displayName": "Gross value", "description": "All orders", "metricExpression": {"language": "SQL", "code": "SELECT SUM(amount) FROM mart.orders"}},
  {"name": "Mall", "displayName": "Brand mall", "description": "Shops of\nbrands", "synonyms": ["flagship", "商城"], "glossary": {"id": "8c2ab1f3-0c1f-4b4a-9a55-2c7c6c1f0a11", "type": "glossary"}},
  {"name": "Empty", "glossary": {"id": "8c2ab1f3-0c1f-4b4a-9a55-2c7c6c1f0a11", "type": "glossary"}}
]}`

// TestLabelsOfImports takes the words that people see: labels and titles become names;
// what an item is called in code, and the synonyms of its metadata, other words for it.
func TestLabelsOfImports(t *testing.T) {
	t.Parallel()
	read := func(text string, f func([]byte) (*semantic.Layer, []Skipped, error)) (*semantic.Layer, []Skipped) {
		layer, skipped, err := f([]byte(text))
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, semantic.Write(&b, "", layer))
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "x.yaml"), b.Bytes(), 0o600))
		_, problems := semantic.Check(dir, nil)
		require.Empty(t, problems, b.String())
		return layer, skipped
	}
	en := func(name string) semantic.Text { return semantic.Text{EN: name} }

	dbt, _ := read(dbtLabels, DBT)
	require.Equal(t, en("Orders"), dbt.Entities[0].Names)
	require.Equal(t, []string{"purchases", "订单", "fct orders"}, dbt.Entities[0].Synonyms)
	require.Equal(t, en("Payment method"), dbt.Dimensions[2].Names)
	require.Equal(t, en("How it was paid"), dbt.Dimensions[2].Description)
	require.Equal(t, []string{"way of payment", "支付方式", "pay type"}, dbt.Dimensions[2].Synonyms)
	require.Equal(t, en("Gross value"), dbt.Metrics[0].Names)
	require.Equal(t, en("All orders"), dbt.Metrics[0].Description)
	require.Equal(t, []string{"成交额", "gmv"}, dbt.Metrics[0].Synonyms, "its own name once, and texts only")
	require.Len(t, dbt.Dates, 2)
	require.Equal(t, semantic.DateColumn{ID: "shipped_at", Names: en("Shipping date"), Synonyms: []string{"shipped", "发货日期", "shipped at"}, Table: "mart.fct_orders", Expr: "shipped_at"}, dbt.Dates[1])

	cube, _ := read(cubeLabels, Cube)
	require.Equal(t, en("Customer orders"), cube.Entities[0].Names)
	require.Equal(t, []string{"purchases", "orders"}, cube.Entities[0].Synonyms)
	require.Equal(t, []string{"支付方式", "pay type"}, cube.Dimensions[1].Synonyms)
	require.Equal(t, []string{"成交额", "gmv"}, cube.Metrics[0].Synonyms)
	require.Equal(t, semantic.Filter{ID: "is_big", Names: en("Big orders"), Synonyms: []string{"大单", "is big"}, Description: en("Over a thousand"), Table: "mart.orders", Expr: "amount >= 1000"}, cube.Filters[0])
	require.Len(t, cube.Dates, 2)
	require.Equal(t, "created_at", cube.Metrics[0].Time)

	om, skipped := read(openMetadataLabels, OpenMetadata)
	require.Equal(t, en("Gross value"), om.Metrics[0].Names)
	require.Equal(t, []string{"gmv"}, om.Metrics[0].Synonyms)
	require.Equal(t, []semantic.Term{{ID: "mall", Names: en("Brand mall"), Synonyms: []string{"flagship", "商城", "mall"}, Text: en("Shops of brands")}}, om.Glossary)
	require.Equal(t, []Skipped{{What: "term Empty", Why: "it has no description"}}, skipped)
}
