package facet_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// catalogOf makes a catalog of tables of one schema.
func catalogOf(tables ...string) *catalog.Index {
	s := &catalog.Snapshot{}
	for _, t := range tables {
		s.Tables = append(s.Tables, catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: t}})
	}
	return catalog.NewIndex(s, catalog.Defaults{})
}

// best returns the tables of a base that fit a question best, by name.
func best(t testing.TB, index *catalog.Index, question, base string, visible func(int) bool) []string {
	x, err := facet.New(index)
	require.NoError(t, err)
	r := x.For(x.Read(question), visible)
	var names []string
	for n, table := range index.All().Tables() {
		if index.Marks(table).Base == base && (visible == nil || visible(n)) && r.IsBest(n) {
			names = append(names, table.Name.Table)
		}
	}
	return names
}

func twins() []string {
	tables := []string{"orders_bak_20240131", "stg_orders", "tmp_orders", "orders_old", "orders_test", "orders_2022", "orders_2023"}
	for _, layer := range []string{"", "dwd_", "dws_", "ads_"} {
		for _, country := range []string{"", "_br", "_sg", "_id"} {
			for _, snapshot := range []string{"", "_di", "_df"} {
				tables = append(tables, layer+"orders"+country+snapshot)
			}
		}
	}
	return tables
}

func TestTheTwinThatIsAskedForFitsBest(t *testing.T) {
	t.Parallel()
	index := catalogOf(twins()...)
	for question, want := range map[string]string{
		"how many orders are there":                          "orders",
		"orders in Brazil":                                   "orders_br",
		"aggregated orders of the SG site":                   "dws_orders_sg",
		"order detail data for Indonesia, only new rows":     "dwd_orders_id_di",
		"report-ready orders as a full snapshot":             "ads_orders_df",
		"raw orders":                                         "orders",
		"orders outside Brazil, daily increment":             "orders_di",
		"backup of the orders":                               "orders_bak_20240131",
		"staging table of orders":                            "stg_orders",
		"the old version of orders":                          "orders_old",
		"test copy of orders":                                "orders_test",
		"orders in 2022":                                     "orders_2022",
		"新加坡站订单汇总的每日增量":                                      "dws_orders_sg_di",
		"巴西明细全量订单":                                           "dwd_orders_br_df",
		"orders in Peru":                                     "orders", // no table is kept for it
		"the production orders table, not the staging table": "orders",
	} {
		require.Equal(t, []string{want}, best(t, index, question, "orders", nil), question)
	}
}

func TestWhatTheAskerMayNotSeeIsNoTwin(t *testing.T) {
	t.Parallel()
	index := catalogOf("orders", "orders_br", "orders_sg", "dws_orders_br")
	number := make(map[string]int)
	for n, table := range index.All().Tables() {
		number[table.Name.Table] = n
	}
	visible := func(n int) bool { return n != number["orders_br"] }
	require.Equal(t, []string{"orders_br"}, best(t, index, "orders in Brazil", "orders", nil))
	require.Equal(t, []string{"dws_orders_br"}, best(t, index, "orders in Brazil", "orders", visible))
}

func TestShards(t *testing.T) {
	t.Parallel()
	index := catalogOf("storms_1999", "storms_2000", "storms_2001", "visits_20240101", "visits_20240131", "visits_20240201")
	for question, want := range map[string]string{
		"storms":                      "storms_2001",
		"storms in 1999":              "storms_1999",
		"visits":                      "visits_20240201",
		"visits in January 2024":      "visits_20240201",
		"visits on 2024-01-31":        "visits_20240131",
		"visits in 2024-01":           "visits_20240131",
		"storms 2000 named 'in 1999'": "storms_2000",
	} {
		base, _, _ := strings.Cut(want, "_")
		require.Equal(t, []string{want}, best(t, index, question, base, nil), question)
	}
}

// A catalog without marks reads no facets: its questions stay what they are.
func TestNoMarksNoFacets(t *testing.T) {
	t.Parallel()
	x, err := facet.New(catalogOf("countries", "singers", "concerts"))
	require.NoError(t, err)
	require.Empty(t, x.Read("raw backup of the daily snapshot of singers in Brazil, not the test copy").Mentions)
	require.False(t, x.Has(mark.Country))
}

func TestSubjectsKeepTheirWords(t *testing.T) {
	t.Parallel()
	x, err := facet.New(catalogOf("dwd_orders", "dws_orders", "dwd_dashboard", "dws_dashboard"))
	require.NoError(t, err)
	for question, text := range map[string]float64{"orders by dashboard": 0.5, "aggregated orders": 0} {
		mentions := x.Read(question).Mentions
		require.Len(t, mentions, 1, question)
		require.Equal(t, text, mentions[0].Text, question)
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	index := catalogOf(twins()...)
	x, err := facet.New(index)
	require.NoError(t, err)
	r := x.For(x.Read("aggregated orders in Brazil"), nil)
	values := make([]float64, facet.Features)
	of := make(map[string]map[string]float64)
	for n, table := range index.All().Tables() {
		r.Features(n, values)
		of[table.Name.Table] = make(map[string]float64)
		for i, name := range facet.FeatureNames() {
			of[table.Name.Table][name] = values[i]
		}
	}
	for table, want := range map[string]map[string]float64{
		"dws_orders_br":    {"facet.best": 1, "facet.gap": 0, "facet.country.equal": 1, "facet.layer.equal": 1, "facet.unasked": 0},
		"dws_orders_br_di": {"facet.best": 0, "facet.country.equal": 1, "facet.layer.equal": 1, "facet.unasked": 1},
		"dwd_orders_sg":    {"facet.best": 0, "facet.country.equal": 0, "facet.country.other": 1, "facet.layer.other": 1},
		"tmp_orders":       {"facet.best": 0, "facet.copy.other": 1},
		"orders":           {"facet.best": 0, "facet.country.other": 0, "facet.layer.other": 0},
	} {
		for name, v := range want {
			require.InDelta(t, v, of[table][name], 1e-9, "%s of %s", name, table)
		}
	}
	require.Negative(t, of["orders"]["facet.gap"])
	require.Greater(t, of["orders"]["facet.fit"], of["tmp_orders"]["facet.fit"])
}

func TestReadKeepsToTheText(t *testing.T) {
	t.Parallel()
	r, err := facet.NewReader()
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"raw", "Brazil", "巴西", "站", "增量", "only new rows", "'", "\"", "“", "ID", ".", ",", " ", "-", "não", "İstanbul", "\xff", "backup", "not", "非", "é", "SG_", "@", "2024-01-31"}
	mentions := 0
	for range 2_000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		text := b.String()
		for _, m := range r.Read(text, nil, nil).Mentions {
			require.True(t, 0 <= m.Start && m.Start < m.End && m.End <= len(text), "%q: %+v", text, m)
			mentions++
		}
	}
	require.Positive(t, mentions)
	require.NotPanics(t, func() { r.Read(strings.Repeat("巴西 raw ", 10_000), nil, nil) })
}

func largeCatalog() *catalog.Index {
	var names []string
	for i := range 1_000 {
		for _, layer := range []string{"", "dwd_", "dws_", "ads_"} {
			for _, end := range []string{"", "_br", "_sg", "_id", "_br_di", "_sg_di", "_df", "_di", "_br_df", "_sg_df", "_id_df", "_id_di"} {
				names = append(names, fmt.Sprint(layer, "customer_", i, "x_item", end))
			}
		}
	}
	return catalogOf(names...)
}

func BenchmarkNew(b *testing.B) {
	index := largeCatalog()
	for b.Loop() {
		_, err := facet.New(index)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(index.Len()), "tables")
}

func BenchmarkRead(b *testing.B) {
	x, err := facet.New(largeCatalog())
	require.NoError(b, err)
	for b.Loop() {
		x.Read("What is the payment method of the customer that has purchased the least quantity of items at detail level for the Brazilian market, only new rows?")
		x.Read("巴西站每日增量的订单明细，不要备份表")
	}
}

func BenchmarkFeaturesOf400(b *testing.B) {
	index := largeCatalog()
	x, err := facet.New(index)
	require.NoError(b, err)
	asked := x.Read("aggregated items in Brazil, daily increment")
	values := make([]float64, facet.Features)
	for b.Loop() {
		r := x.For(asked, nil)
		for n := range 400 {
			r.Features(n*101%index.Len(), values)
		}
	}
}
