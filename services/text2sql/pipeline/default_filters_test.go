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

// TestAMetricKeepsItsFilters: a metric with filters of its own is not read as the sum of
// its column where the layer does not cover the question.
func TestAMetricKeepsItsFilters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.yaml"), []byte(`
metrics:
  - {id: revenue, names: {en: amount, zh: 收入}, table: main.booking, expr: SUM(amount), unit: USD, default_filters: ["status <> 'cancelled'"]}
`), 0o600))
	layer, err := semantic.Load(dir)
	require.NoError(t, err)
	text := func(n string, v ...string) catalog.Column {
		return catalog.Column{Name: n, Type: "varchar", Samples: v, Distinct: int64(len(v))}
	}
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "booking"}, RowCount: 70, Columns: []catalog.Column{
		{Name: "booking_id", Type: "bigint", PrimaryKey: true, Distinct: 70}, text("guest", "Ann", "Bob"), text("town", "Rome", "Oslo"), text("status", "cancelled", "paid"),
		{Name: "amount", Type: "bigint", Distinct: 60}, {Name: "nights", Type: "bigint", Distinct: 9}, {Name: "day", Type: "date", Distinct: 50},
	}}}
	p := newPipeline(t)
	s := p.Prepare(tables, p.PrepareLayer(layer))
	for _, q := range []string{
		"total amount per guest", "total amount in Rome", "amount per town", "which guest has the highest amount", "total amount for Ann",
	} {
		res := p.Answer(pipeline.Input{Question: q, Schema: s, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
		if res.Outcome == pipeline.Answered {
			require.Contains(t, res.SQL, "'cancelled'", q)
		}
	}
}
