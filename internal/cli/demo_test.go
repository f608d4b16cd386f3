package cli

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/demo/load"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func TestDemoLoadPlaces(t *testing.T) {
	t.Parallel()
	regions := []string{"sg", "useast"}
	for name, tc := range map[string]struct {
		catalogs []string
		prefix   string
		want     map[string]source.TrinoPlace
		err      string
	}{
		"one":         {catalogs: []string{"memory"}, want: map[string]source.TrinoPlace{"sg": {Catalog: "memory", SchemaPrefix: "sg_"}, "useast": {Catalog: "memory", SchemaPrefix: "useast_"}}},
		"one, prefix": {catalogs: []string{"memory"}, prefix: "p_", want: map[string]source.TrinoPlace{"sg": {Catalog: "memory", SchemaPrefix: "p_sg_"}, "useast": {Catalog: "memory", SchemaPrefix: "p_useast_"}}},
		"two":         {catalogs: []string{"sg=a", "useast=b"}, want: map[string]source.TrinoPlace{"sg": {Catalog: "a"}, "useast": {Catalog: "b"}}},
		"two in one":  {catalogs: []string{"sg=a", "useast=a.us_"}, prefix: "p_", want: map[string]source.TrinoPlace{"sg": {Catalog: "a", SchemaPrefix: "p_"}, "useast": {Catalog: "a", SchemaPrefix: "p_us_"}}},
		"none":        {err: "--catalog"},
		"the same":    {catalogs: []string{"sg=a", "useast=a"}, err: "same schemas"},
		"twice":       {catalogs: []string{"sg=a", "sg=b"}, err: "named twice"},
		"no catalog":  {catalogs: []string{"sg="}, err: "region=catalog"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := demoLoadOptions{catalogs: tc.catalogs, schemaPrefix: tc.prefix}
			places, err := o.places(regions)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, places)
		})
	}
}

// demoQuestions are of the kinds that the demo answers, in both languages.
var demoQuestions = []string{
	"What was the daily GMV in Singapore over the past 30 days?",
	"过去30天新加坡每天的GMV是多少？",
	"top 5 categories by GMV last month",
	"GMV of Brazil by month this year",
	"上个月各国的订单数",
	"Average order value by country last month",
	"过去7天印尼的取消率",
	"refund rate by month in Thailand last quarter",
	"Which 10 sellers in Singapore had the highest GMV last month?",
	"on-time rate by hub in Brazil last month",
	"巴西各分拨中心上个月的平均配送天数",
	"How many tickets per issue category last month?",
	"CSAT by country over the past 30 days",
	"上个月每天的活跃用户数",
	"number of buyers who ordered in Vietnam by month over the past 6 months",
	"上周台湾按支付方式的订单数",
	"weekly GMV of the Philippines over the past 12 weeks",
	"share of cancelled orders by payment method in Indonesia last month",
	"average weight of parcels by country last month",
	"过去30天巴西每天的退款金额",
	"top 3 brands by GMV in Thailand last month",
	"average first response minutes by channel last month",
	"page views by platform in Singapore yesterday",
	"各品类的库存",
}

// demoDay is the one now of all questions.
var demoDay = time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)

// smallDemos makes the same small demo twice: a source on DuckDB, and one on Trino
// with a data centre in each of two catalogs.
func smallDemos(t *testing.T, dataDir string) {
	t.Helper()
	connection := trinotest.Plain(t)
	store, err := source.Open(dataDir)
	require.NoError(t, err)
	g, err := store.Make(t.Context(), "small", func(ctx context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		return demo.Make(ctx, dir, demo.Config{Today: demoDay, Scale: demo.MinScale})
	})
	require.NoError(t, err)
	prefix := trinotest.Schema(t, "memory") + "_"
	connection.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "memory", SchemaPrefix: prefix}, "useast": {Catalog: "iceberg", SchemaPrefix: prefix}}
	s, err := g.Snapshot()
	require.NoError(t, err)
	t.Cleanup(func() {
		for schema := range placesOf(s, connection.Regions) {
			trinotest.Exec(t, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		}
	})
	_, err = load.Load(t.Context(), store, "small_trino", g, connection, load.Options{})
	require.NoError(t, err)
}

func placesOf(s *catalog.Snapshot, regions map[string]source.TrinoPlace) map[string]bool {
	schemas := make(map[string]bool)
	for _, table := range s.Tables {
		at := regions[table.Name.Region]
		schemas[at.Catalog+"."+at.SchemaPrefix+table.Name.Schema] = true
	}
	return schemas
}

// TestDemoIsTheSameOnTrino holds that a question has the same rows, value by
// value, the same SQL and the same answer on both engines.
func TestDemoIsTheSameOnTrino(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallDemos(t, dir)
	f := &Factory{
		IO:      &IO{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Width: func() int { return 80 }},
		Environ: []string{"XDG_CONFIG_HOME=" + dir, "DIBRAIN_DATA_DIR=" + dir},
		Getenv:  func(string) string { return "" },
		Clock:   func() time.Time { return demoDay },
	}
	f.addFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	services, err := openServices(t.Context(), f, remoteFlags{}, "small")
	require.NoError(t, err)
	t.Cleanup(services.Close)
	ask := func(t *testing.T, name, question string) *routerv1.Answer {
		t.Helper()
		turn := (&turnFlags{source: name, timeZone: "UTC"}).turn(question)
		turn.PageSize = maxPage
		answer, err := runTurn(t.Context(), services.Router, turn, nil)
		require.NoError(t, err)
		return answer
	}
	for _, question := range demoQuestions {
		t.Run(question, func(t *testing.T) {
			here, there := ask(t, "small", question), ask(t, "small_trino", question)
			require.NotEmpty(t, here.GetToolCalls())
			embedded := here.GetToolCalls()[len(here.GetToolCalls())-1].GetExecute()
			remote := there.GetToolCalls()[len(there.GetToolCalls())-1].GetExecute()
			require.NotEmpty(t, embedded.GetPage().GetRows(), here.GetText())
			require.Equal(t, embedded.GetExecutedSql(), remote.GetExecutedSql())
			require.Equal(t, rowsOf(t, embedded.GetPage()), rowsOf(t, remote.GetPage()), embedded.GetExecutedSql())
			require.Equal(t, here.GetText(), there.GetText())
			require.Equal(t, len(embedded.GetFindings()), len(remote.GetFindings()))
		})
	}
}

// rowsOf are the values of a page, a line a row.
func rowsOf(t *testing.T, page *commonv1.ResultPage) []string {
	t.Helper()
	require.Empty(t, page.GetNextPageToken(), "the whole result is on one page")
	var rows []string
	for _, row := range page.GetRows() {
		values := make([]any, len(row.GetValues()))
		for i, v := range row.GetValues() {
			values[i] = v.AsInterface()
		}
		line, err := json.Marshal(values)
		require.NoError(t, err)
		rows = append(rows, string(line))
	}
	return rows
}
