package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// replaceDate makes literals of days comparable however the printer writes the
// type's name.
var replaceDate = strings.NewReplacer("DATE '", "date '")

// shopTables are the tables of the example layer for two countries.
func shopTables() []catalog.Table {
	var out []catalog.Table
	for _, c := range []struct{ cid, country, region string }{{"sg", "SG", "sg"}, {"br", "BR", "useast"}} {
		add := func(schema, table string, columns ...catalog.Column) {
			out = append(out, catalog.Table{
				Name:    catalog.Name{Region: c.region, Schema: schema, Table: strings.ReplaceAll(table, "{cid}", c.cid)},
				Country: c.country, Manifest: schema + "." + table, Columns: columns,
			})
		}
		day := catalog.Column{Name: "grass_date", Type: "date", Partition: true}
		add("mp_order", "dws_seller_gmv_1d__{cid}_s0_live", day, catalog.Column{Name: "seller_id", Type: "bigint"},
			catalog.Column{Name: "gmv_usd", Type: "decimal(18,2)"}, catalog.Column{Name: "orders", Type: "bigint"}, catalog.Column{Name: "tz_type", Type: "varchar"})
		add("mp_user", "dim_seller__{cid}_s0_live", catalog.Column{Name: "seller_id", Type: "bigint", PrimaryKey: true},
			catalog.Column{Name: "seller_type", Type: "varchar"}, catalog.Column{Name: "is_official", Type: "integer"})
	}
	return out
}

func TestMetricQuestions(t *testing.T) {
	t.Parallel()
	layer, err := semantic.Load("../../../pkg/semantic/testdata/shop")
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(shopTables(), p.PrepareLayer(layer))
	const (
		sg    = "sg.mp_order.dws_seller_gmv_1d__sg_s0_live"
		daily = "SELECT grass_date, SUM(gmv_usd) AS gmv FROM " + sg +
			" WHERE grass_date >= date '2026-10-21' AND grass_date < date '2026-11-20' AND tz_type = 'local' GROUP BY grass_date ORDER BY grass_date"
		byType = "SELECT t2.seller_type, SUM(t1.gmv_usd) AS gmv FROM " + sg + " AS t1 LEFT JOIN sg.mp_user.dim_seller__sg_s0_live AS t2 ON t1.seller_id = t2.seller_id" +
			" WHERE t1.grass_date >= date '2026-10-01' AND t1.grass_date < date '2026-11-01' AND t1.tz_type = 'local' GROUP BY t2.seller_type ORDER BY gmv DESC, seller_type"
	)
	cases := []struct{ question, sql string }{
		{"What was the daily GMV in Singapore over the past 30 days?", daily},
		{"过去30天新加坡每天的GMV是多少？", daily},
		{"GMV by seller type in Singapore last month", byType},
		{"上个月新加坡各卖家类型的成交额", byType},
		{"which seller type had the highest GMV in Singapore last month", strings.Replace(byType, " GROUP BY", " AND t2.seller_type IS NOT NULL GROUP BY", 1) + " LIMIT 1"},
		{"AOV in Brazil yesterday", "SELECT SUM(gmv_usd) / NULLIF(SUM(orders), 0) AS average_order_value FROM useast.mp_order.dws_seller_gmv_1d__br_s0_live" +
			" WHERE grass_date >= date '2026-11-19' AND grass_date < date '2026-11-20' AND tz_type = 'local'"},
		{"weekly GMV in SG in October", "SELECT date_trunc('week', grass_date) AS week, SUM(gmv_usd) AS gmv FROM " + sg +
			" WHERE grass_date >= date '2026-10-01' AND grass_date < date '2026-11-01' AND tz_type = 'local' GROUP BY date_trunc('week', grass_date) ORDER BY week"},
	}
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Now: now})
			require.Equal(t, c.sql, strings.Join(strings.Fields(normal(res.SQL)), " "), "%s %v %v", res.Reason, res.NotUnderstood, res.Doubts)
			require.NotEmpty(t, res.Metrics)
			require.NotEmpty(t, res.Assumptions)
		})
	}
	t.Run("a country has to be chosen, and the choice is taken", func(t *testing.T) {
		t.Parallel()
		in := pipeline.Input{Question: "GMV yesterday", Schema: schema, Now: now}
		res := p.Answer(in)
		require.Equal(t, pipeline.Asked, res.Outcome)
		require.Equal(t, pipeline.Option{ID: "country:SG", Label: "Singapore"}, res.Options[0])
		in.Chosen = "country:BR"
		require.Contains(t, p.Answer(in).SQL, "__br_s0_live")
	})
	t.Run("abstentions", func(t *testing.T) {
		t.Parallel()
		for question, want := range map[string]string{
			"GMV of unicorns in Singapore":            "unicorns",
			"GMV in Singapore by category last month": "category",
			"新加坡独角兽的成交额":                              "没有理解",
		} {
			res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
			require.Equal(t, pipeline.Abstained, res.Outcome, question)
			require.Contains(t, res.Reason, want)
		}
	})
	t.Run("a table that is not there is named to the service and not to the asker", func(t *testing.T) {
		t.Parallel()
		few := p.Prepare(shopTables()[:2], p.PrepareLayer(layer))
		res := p.Answer(pipeline.Input{Question: "GMV in Brazil yesterday", Schema: few, Now: now})
		require.Equal(t, pipeline.Abstained, res.Outcome)
		require.Equal(t, []string{"mp_order.dws_seller_gmv_1d__br_s0_live"}, res.MissingTables)
		require.NotContains(t, strings.Join(append(res.Doubts, res.Reason, res.Question), " "), "dws_seller", "the asker may not know of it")
	})
}
