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

// ferries is a schema under a layer with a metric of each day and one without a time; its
// data end on last, "" where that is not known.
func ferries(t *testing.T, p *pipeline.Pipeline, last string) *pipeline.Schema {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "layer.yaml"), []byte(`
metrics:
  - {id: fares, names: {en: fares, zh: 票款}, synonyms: [ticket money], description: {en: What passengers paid., zh: 乘客支付的票款。}, table: main.trip, expr: SUM(paid), time: day, unit: USD}
  - {id: quays, names: {en: quays, zh: 码头数}, table: main.quay, expr: COUNT(*)}
`), 0o600))
	layer, err := semantic.Load(dir)
	require.NoError(t, err)
	return p.Prepare([]catalog.Table{
		{Name: catalog.Name{Region: "eu", Schema: "main", Table: "trip"}, RowCount: 70, Columns: []catalog.Column{
			{Name: "trip_id", Type: "bigint", PrimaryKey: true, Distinct: 70}, {Name: "paid", Type: "bigint", Distinct: 60},
			{Name: "day", Type: "date", Distinct: 50, Low: "2025-01-01", High: last},
		}},
		{Name: catalog.Name{Region: "eu", Schema: "main", Table: "quay"}, RowCount: 7, Columns: []catalog.Column{{Name: "quay_id", Type: "bigint", PrimaryKey: true, Distinct: 7}}},
	}, p.PrepareLayer(layer))
}

// TestWhatAMetricMeans: a question for it has the definition, and the figure of the newest day
// that the data have; a question for the figure, or for more than the metric, has none.
func TestWhatAMetricMeans(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	ask := func(q, last string) pipeline.Result {
		return p.Answer(pipeline.Input{Question: q, Schema: ferries(t, p, last), Now: now})
	}
	for _, q := range []string{"What is fares?", "what's ticket money", "What does fares mean?", "what is meant by fares", "define fares", "How is fares defined?", "what is the definition of fares"} {
		res := ask(q, "")
		require.Equal(t, "fares means: What passengers paid.", res.Meaning, q)
		require.Equal(t, pipeline.Answered, res.Outcome, q)
		require.Contains(t, res.SQL, "day >= DATE '2026-11-19' AND day < DATE '2026-11-20'", q)
		require.Equal(t, pipeline.KindDefinition, res.Understood[0].Kind, q)
	}
	for _, q := range []string{"票款是什么？", "什么是票款", "票款是什么意思", "票款的定义", "票款是怎么定义的"} {
		require.Equal(t, "票款的含义：乘客支付的票款。", ask(q, "").Meaning, q)
	}
	require.Contains(t, ask("What is fares?", "2025-03-04").SQL, "day >= DATE '2025-03-04' AND day < DATE '2025-03-05'", "the data ended")
	res := ask("what are quays?", "")
	require.Equal(t, "quays is computed as COUNT(*).", res.Meaning)
	require.NotContains(t, res.SQL, "WHERE")
	for _, q := range []string{"What is the fares?", "What are our fares?", "What is fares of last month?", "fares", "What is paid?", "票款是多少"} {
		require.Empty(t, ask(q, "").Meaning, q)
	}
}

// TestAChangedQuestionIsSaidWhole: a question, and after a change the whole question, is said from its intent,
// and read anew it has the same SQL.
func TestAChangedQuestionIsSaidWhole(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	s := ferries(t, p, "")
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	first := p.Answer(pipeline.Input{Question: "fares last month", Schema: s, Now: now})
	require.Equal(t, pipeline.Answered, first.Outcome)
	require.Equal(t, "fares; from 2026-10-01 to 2026-10-31", first.Restated)
	previous := *first.Intent
	changed := p.Answer(pipeline.Input{Question: "by week", FollowUp: "by week", Previous: &previous, Schema: s, Now: now})
	require.Equal(t, pipeline.Answered, changed.Outcome, changed.Reason)
	require.Equal(t, "fares by week; from 2026-10-01 to 2026-10-31", changed.Restated)
	require.Equal(t, changed.SQL, p.Answer(pipeline.Input{Question: changed.Restated, Schema: s, Now: now}).SQL)
}
