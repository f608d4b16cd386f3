package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// An order by what a condition fixes has no first, and groups of one row each are not chosen by how many they have.
func TestOrdersAndChoicesInVain(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Schema: "s", Table: "floods"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "flood_no", Type: "bigint", NotNull: true, Distinct: 300, PrimaryKey: true}, {Name: "river", Type: "varchar", NotNull: true, Distinct: 12, Samples: []string{"Severn", "Trent"}},
		{Name: "name", Type: "varchar", NotNull: true, Distinct: 250, Samples: []string{"Candlemas", "Lady Day"}}, {Name: "year", Type: "bigint", NotNull: true, Distinct: 40, Low: "1960", High: "2000"},
	}}}, nil)
	for sql, want := range map[string]string{
		"SELECT name FROM s.floods WHERE year = 1990 ORDER BY year DESC LIMIT 1":              "year",
		"SELECT name FROM s.floods WHERE river = 'Trent' ORDER BY year DESC LIMIT 1":          "",
		"SELECT name FROM s.floods WHERE year = 1990 ORDER BY year, flood_no LIMIT 1":         "",
		"SELECT name FROM s.floods WHERE year = 1990 ORDER BY year":                           "",
		"SELECT name FROM s.floods WHERE year > 1990 ORDER BY year LIMIT 1":                   "",
		"SELECT name FROM s.floods WHERE year = flood_no ORDER BY year LIMIT 1":               "",
		"SELECT name FROM (SELECT * FROM s.floods WHERE year = 1 ORDER BY year LIMIT 1) AS t": "year",
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, ordersOneValue(stmt), sql)
	}
	for sql, want := range map[string]bool{
		"SELECT flood_no FROM s.floods GROUP BY flood_no HAVING count(*) < 5":  true,
		"SELECT flood_no FROM s.floods GROUP BY flood_no HAVING max(year) < 5": false,
		"SELECT river FROM s.floods GROUP BY river HAVING count(*) < 5":        false,
		"SELECT flood_no, count(*) FROM s.floods GROUP BY flood_no":            false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		require.Equal(t, want, s.choosesEachOnce(stmt) != nil, sql)
	}
	res := p.Answer(Input{Question: "What was the last flood of 1990?", Schema: s, Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
	require.Equal(t, Abstained, res.Outcome, res.SQL)
}
