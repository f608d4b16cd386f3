package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// couriers is a schema of people, with two dates in one table.
func couriers() []catalog.Table {
	name := func(table string) catalog.Name { return catalog.Name{Table: table} }
	return []catalog.Table{
		{Name: name("workers"), RowCount: 60, Columns: []catalog.Column{
			{Name: "worker_id", Type: "bigint", PrimaryKey: true, Distinct: 60}, {Name: "full_name", Type: "varchar", Distinct: 60},
			{Name: "depot_id", Type: "bigint", Distinct: 8}, {Name: "wage", Type: "bigint", Distinct: 40},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"depot_id"}, RefTable: name("depots"), RefColumns: []string{"depot_id"}}}},
		{Name: name("depots"), RowCount: 8, Columns: []catalog.Column{
			{Name: "depot_id", Type: "bigint", PrimaryKey: true, Distinct: 8},
			{Name: "city", Type: "varchar", Distinct: 2, Samples: []string{"Berlin", "Lyon"}},
		}},
		{Name: name("parcels"), RowCount: 3000, Columns: []catalog.Column{
			{Name: "parcel_id", Type: "bigint", PrimaryKey: true}, {Name: "sent_date", Type: "date"}, {Name: "arrival_date", Type: "date"},
		}},
	}
}

func TestWhoIsAName(t *testing.T) {
	t.Parallel()
	check(t, couriers(), [][2]string{
		{"Who has the highest wage?", "SELECT full_name FROM workers ORDER BY wage DESC LIMIT 1"},
		{"Who has the lowest wage?", "SELECT full_name FROM workers ORDER BY wage LIMIT 1"},
	})
}

// TestNamesHaveNoOrder: whatever else is read, no name is compared by order.
func TestNamesHaveNoOrder(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare(couriers(), nil)
	for _, q := range []string{"workers who get more than 50000 in Berlin", "depots with more than Berlin"} {
		list, _ := p.Candidates(pipeline.Input{Question: q, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
		for _, c := range list {
			require.NotContains(t, c.SQL, "> 'Berlin'", q)
		}
	}
}

// TestOneIdeaOfTime: a month and a year of one question are of the same column.
func TestOneIdeaOfTime(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	list, _ := p.Candidates(pipeline.Input{
		Question: "number of parcels per month in 2025", Schema: p.Prepare(couriers(), nil), Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC),
	})
	require.Len(t, list, 2)
	for _, c := range list {
		require.NotRegexp(t, "(?s)sent_date.*arrival_date|arrival_date.*sent_date", c.SQL)
	}
}
