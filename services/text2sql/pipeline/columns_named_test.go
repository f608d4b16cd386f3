package pipeline_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestColumnsTakeNoWordAway: a dimension is called as its column is, but for one that is called as people say something
// else; and as schemas call a Chinese word, but for one that a figure may be called by too.
func TestColumnsTakeNoWordAway(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.yaml"), []byte(`
metrics:
  - {id: fares, names: {en: fares, zh: 票款}, table: main.trip, expr: SUM(paid), time: day, unit: USD}
  - {id: grades, names: {en: grade}, table: main.trip, expr: SUM(marks), time: day}
dimensions:
  - {id: standing, names: {en: standing}, table: main.trip, expr: total}
  - {id: pier, names: {en: landing}, synonyms: [region], table: main.trip, expr: pier_code}
  - {id: league, names: {en: level}, table: main.trip, expr: league}
`), 0o600))
	layer, err := semantic.Load(dir)
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "trip"}, RowCount: 70, Columns: []catalog.Column{
		{Name: "trip_id", Type: "bigint", PrimaryKey: true, Distinct: 70}, {Name: "paid", Type: "bigint", Distinct: 60}, {Name: "marks", Type: "bigint", Distinct: 60},
		{Name: "day", Type: "date", Distinct: 50, Low: "2025-01-01"}, {Name: "total", Type: "varchar", Distinct: 4}, {Name: "pier_code", Type: "varchar", Distinct: 4}, {Name: "league", Type: "varchar", Distinct: 4},
	}}}, p.PrepareLayer(layer))
	ask := func(q string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: q, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	}
	for _, q := range []string{"fares by pier_code last month", "上个月各区域的票款"} {
		res := ask(q)
		require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", q, res.Reason)
		require.Contains(t, res.SQL, "GROUP BY pier_code", q)
	}
	res := ask("total fares last month")
	require.Equal(t, pipeline.Answered, res.Outcome, res.Reason)
	require.NotContains(t, res.SQL, "GROUP BY")
	require.NotContains(t, ask("上个月各等级的票款").SQL, "league", "等级 may be a grade, which is a figure")
}
