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

// libraryLayer has two places: where a reader lives and where a desk stands.
const libraryLayer = `
dimensions:
  - {id: home, names: {en: home town, zh: 居住地}, table: main.reader, values: [{value: Gent, synonyms: [根特]}, {value: Brugge}]}
  - {id: desk, names: {en: desk, zh: 服务台}, table: main.clerk, values: [{value: Gent, synonyms: [根特]}, {value: Leuven}]}
metrics:
  - {id: loans, names: {en: loans, zh: 借阅量}, table: main.loan, expr: COUNT(*), unit: loans, time: lent_on, grain: day}
  - {id: fines, names: {en: fines, zh: 罚款}, table: main.loan, expr: SUM(fine), unit: EUR, time: lent_on, grain: day}
joins:
  - {from: main.loan, columns: [reader_id], to: main.reader, to_columns: [reader_id]}
  - {from: main.loan, columns: [clerk_id], to: main.clerk, to_columns: [clerk_id]}
`

func libraryTables() []catalog.Table {
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "library", Schema: "main", Table: name}, Columns: columns}
	}
	number, text := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "bigint"} }, func(name string) catalog.Column { return catalog.Column{Name: name, Type: "varchar"} }
	return []catalog.Table{
		table("loan", number("reader_id"), number("clerk_id"), number("fine"), catalog.Column{Name: "lent_on", Type: "date"}),
		table("reader", catalog.Column{Name: "reader_id", Type: "bigint", PrimaryKey: true}, text("home")),
		table("clerk", catalog.Column{Name: "clerk_id", Type: "bigint", PrimaryKey: true}, text("desk")),
	}
}

// TestMetricDoubts: what may mean two things of the layer is not guessed, and a
// question for money is not answered by a count.
func TestMetricDoubts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "library.yaml"), []byte(libraryLayer), 0o600))
	layer, err := semantic.Load(dir)
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(libraryTables(), p.PrepareLayer(layer))
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for question, want := range map[string]pipeline.Outcome{
		"loans in Gent last month":               pipeline.Abstained, // readers or desks of Gent
		"上个月根特的借阅量":                              pipeline.Abstained,
		"loans in Leuven last month":             pipeline.Answered,
		"loans of the Gent desk last month":      pipeline.Answered,
		"loans with home town Gent last month":   pipeline.Answered,
		"how much did we make from loans in May": pipeline.Abstained,
		"5月的借阅赚了多少":                              pipeline.Abstained,
		"how much did we make in fines in May":   pipeline.Answered,
	} {
		res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: now})
		require.Equal(t, want, res.Outcome, "%s: %s %v %v %s", question, res.Reason, res.NotUnderstood, res.Doubts, res.SQL)
	}
}
