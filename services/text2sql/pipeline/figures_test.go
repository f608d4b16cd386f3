package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// No reading answers with a number of rows that are figures of things at times, unless these are asked for;
// and which thing has the least of all is not told by the least of each.
func TestFiguresAreNotCounted(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Schema: "s", Table: "trades"}, RowCount: 40 * 2 * 15, RowKey: []string{"trade", "sex", "year"}, Columns: []catalog.Column{
		{Name: "trade", Type: "varchar", NotNull: true, Distinct: 40, Samples: []string{"Weaver", "Miller"}}, {Name: "sex", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"women", "men"}},
		{Name: "year", Type: "bigint", NotNull: true, Distinct: 15, Low: "1850", High: "2000"}, {Name: "wage", Type: "double", NotNull: true, Distinct: 1100},
	}}
	s := p.Prepare([]catalog.Table{table}, nil)
	ask := func(question string) Result {
		return p.Answer(Input{Question: question, Schema: s, Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
	}
	res := ask("What were the ten most common trades in 1900?")
	require.NotContains(t, res.SQL, "count(*)")
	require.Equal(t, p.messages.text("en", "rows_are_figures"), res.Reason)
	require.Contains(t, ask("How many records are there in 1900?").SQL, "count(*)")
	for sql, want := range map[string]bool{
		"SELECT name, min(fee) FROM t GROUP BY name":                     true,
		"SELECT name, min(fee) FROM t GROUP BY name ORDER BY 2 LIMIT 1":  false,
		"SELECT name, min(fee) FROM t GROUP BY name HAVING count(*) = 1": false,
		"SELECT name, count(*) FROM t GROUP BY name":                     false,
		"SELECT min(fee), min(name) FROM t":                              true,
		"SELECT min(fee) FROM t":                                         false,
		"SELECT name FROM t WHERE fee = (SELECT min(fee) FROM t)":        false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, utmostOfAll(stmt), sql)
	}
	require.Empty(t, ask("What is the lowest wage ever paid, and in which trade?").SQL)
}

// Things without something are none that have something else beside it, and a number of things is no mean of years.
func TestThingsBesideOthers(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Schema: "s", Table: "sightings"}, RowCount: 900, RowKey: []string{"lake", "bird", "year"},
		Dependencies: []catalog.Dependency{{Column: "lake", Determines: []string{"shore"}}}, Columns: []catalog.Column{
			{Name: "lake", Type: "varchar", NotNull: true, Distinct: 30, Samples: []string{"Vänern"}}, {Name: "shore", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"rock", "sand", "reed"}},
			{Name: "bird", Type: "varchar", NotNull: true, Distinct: 4, Samples: []string{"heron", "crane"}}, {Name: "year", Type: "bigint", NotNull: true, Distinct: 8, Low: "2001", High: "2008"},
			{Name: "seen", Type: "bigint", NotNull: true, Distinct: 200},
		}}
	s := p.Prepare([]catalog.Table{table}, nil)
	for sql, want := range map[string][2]bool{
		"SELECT count(DISTINCT lake) FROM s.sightings WHERE bird <> 'heron'": {true, false},
		"SELECT count(DISTINCT lake) FROM s.sightings WHERE shore <> 'sand'": {false, false}, // a lake has one
		"SELECT count(DISTINCT lake) FROM s.sightings WHERE bird = 'heron'":  {false, false},
		"SELECT count(*) FROM s.sightings WHERE bird <> 'heron'":             {false, false},
		"SELECT avg(year) FROM s.sightings WHERE bird = 'heron'":             {false, true},
		"SELECT avg(seen) FROM s.sightings":                                  {false, false},
		"SELECT avg(year), count(*) FROM s.sightings":                        {false, false},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{s.countsBesideOthers(stmt), s.averagesDates(stmt)}, sql)
	}
	ask := func(question string) string {
		return p.Answer(Input{Question: question, Schema: s, Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}).SQL
	}
	require.Empty(t, ask("How many lakes had no heron at all in 2004?"))
	require.NotContains(t, ask("What is the average yearly number of herons at Vänern?"), "avg(year)")
}

// The older reading takes no mean over rows of what describes things either.
func TestMeansOverRowsOfThings(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Schema: "s", Table: "trips"}, RowCount: 150, RowKey: []string{"boat", "month", "harbour"},
		Dependencies: []catalog.Dependency{{Column: "boat", Determines: []string{"boat_type", "boat_length_m", "skipper"}}}, Columns: []catalog.Column{
			{Name: "boat", Type: "varchar", NotNull: true, Distinct: 5, Samples: []string{"Wal", "Otter"}}, {Name: "boat_type", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"Segel", "Motor"}},
			{Name: "boat_length_m", Type: "double", NotNull: true, Distinct: 5}, {Name: "skipper", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"Anna", "Boris"}},
			{Name: "month", Type: "date", NotNull: true, Distinct: 12, Low: "2025-01-01", High: "2025-12-01"}, {Name: "harbour", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"North", "South"}},
			{Name: "passengers", Type: "bigint", NotNull: true, Distinct: 40},
		}}
	s := p.Prepare([]catalog.Table{table}, nil)
	for sql, want := range map[string]bool{
		"SELECT avg(boat_length_m) FROM s.trips":                                              true,
		"SELECT harbour, avg(boat_length_m) FROM s.trips GROUP BY harbour":                    true,
		"SELECT boat, avg(boat_length_m) FROM s.trips GROUP BY boat":                          false,
		"SELECT avg(x) FROM (SELECT avg(boat_length_m) AS x FROM s.trips GROUP BY boat) AS g": false,
		"SELECT avg(passengers) FROM s.trips":                                                 false,
		"SELECT max(boat_length_m) FROM s.trips":                                              false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, s.averagesRows(stmt), sql)
	}
	for _, question := range []string{"What is the average boat length by harbour?", "What is the average boat length of Segel boats?", "What is the average boat length of sail boats?", "Average boat length of the boats of Anna"} {
		res := p.Answer(Input{Question: question, Schema: s, Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
		require.NotContains(t, res.SQL, "avg(boat_length_m) AS average", question)
	}
}
