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
