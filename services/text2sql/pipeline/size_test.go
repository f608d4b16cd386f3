package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Words that tables and columns of any number are named with.
var (
	departments = []string{"Harbour", "Orchard", "Quarry", "Foundry", "Nursery", "Brewery", "Archive", "Depot", "Dairy", "Mill"}
	things      = []string{"contract", "inspection", "shipment", "permit", "machine", "repair"}
	figures     = []string{"cost", "weight", "duration", "capacity", "score"}
)

// manyTables makes n tables of twelve columns, half of them each with a key to
// the one before.
func manyTables(n int) []catalog.Table {
	out := make([]catalog.Table, n)
	for i := range out {
		department, thing := departments[i%len(departments)], things[i/len(departments)%len(things)]
		table := strings.ToLower(department) + "_" + thing
		if set := i / len(departments) / len(things); set > 0 {
			table += fmt.Sprint("_", set+1)
		}
		t := catalog.Table{Name: catalog.Name{Schema: "works", Table: table}, RowCount: int64(100 + i), Columns: []catalog.Column{
			{Name: "id", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: int64(100 + i)},
			{Name: thing + "_name", Type: "varchar", Distinct: 90},
			{Name: "status", Type: "varchar", Distinct: 3, Samples: []string{"open", "closed", "late"}},
			{Name: "town", Type: "varchar", Distinct: 4, Samples: []string{"Lyon", "Kyoto", "Oslo", "Lima"}},
			{Name: "signed_on", Type: "date"},
		}}
		for _, f := range figures {
			t.Columns = append(t.Columns, catalog.Column{Name: f, Type: "double", Distinct: 80})
		}
		if i%2 == 1 {
			before := out[i-1].Name
			t.Columns = append(t.Columns, catalog.Column{Name: before.Table + "_id", Type: "bigint"})
			t.ForeignKeys = []catalog.ForeignKey{{Columns: []string{before.Table + "_id"}, RefTable: before, RefColumns: []string{"id"}}}
		}
		out[i] = t
	}
	return out
}

// asked are questions of several shapes, in both languages.
var asked = []string{
	"How many harbour contracts are there?",
	"What is the average cost of orchard contracts in Oslo?",
	"List the name and weight of quarry contracts that are late, heaviest first",
	"Which town has the most foundry contracts?",
	"How many nursery contracts are open for each town?",
	"有多少个 harbour contract？",
}

// TestTheSameQuestionGivesTheSameSQL a hundred times, from nothing each time.
func TestTheSameQuestionGivesTheSameSQL(t *testing.T) {
	t.Parallel()
	tables := manyTables(12)
	first := map[string]pipeline.Result{}
	var made *pipeline.Pipeline
	for n := range 100 {
		if n%25 == 0 {
			made = freshPipeline(t)
		}
		schema := made.Prepare(tables, nil)
		for _, q := range asked {
			got := made.Answer(saying(q, schema))
			if n == 0 {
				first[q] = got
			}
			require.Equal(t, first[q].SQL, got.SQL, q)
			require.Equal(t, first[q].Draft, got.Draft, q)
			require.InDelta(t, first[q].Confidence, got.Confidence, 0, q)
		}
	}
	answered := 0
	for _, r := range first {
		if r.Outcome == pipeline.Answered {
			answered++
		}
	}
	require.GreaterOrEqual(t, answered, len(asked)/2, "it is not the same because nothing is answered")
}

func freshPipeline(tb testing.TB) *pipeline.Pipeline {
	tb.Helper()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(tb, err)
	return p
}

func saying(question string, schema *pipeline.Schema) pipeline.Input {
	return pipeline.Input{Question: question, Language: lang.Detect(question), Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Schema: schema}
}

// BenchmarkQuestion measures a question over tables that were seen before, and
// making tables ready, which the service does once for a set of them.
func BenchmarkQuestion(b *testing.B) {
	p := freshPipeline(b)
	for _, n := range []int{50, 500} {
		tables := manyTables(n)
		b.Run(fmt.Sprint("question over ", n), func(b *testing.B) {
			schema := p.Prepare(tables, nil)
			for i := 0; b.Loop(); i++ {
				p.Answer(saying(asked[i%len(asked)], schema))
			}
		})
		b.Run(fmt.Sprint("make ready ", n), func(b *testing.B) {
			for b.Loop() {
				p.Prepare(tables, nil)
			}
		})
	}
}
