package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// Whether a question is in the language of the names tells how sure a reading is, and the two directions are
// signs of their own.
func TestQuestionsInAnotherLanguage(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	for _, sign := range signs {
		require.Contains(t, p.sureness.Weights, sign)
	}
	chinese := catalog.Table{Name: catalog.Name{Table: "顾客"}, RowCount: 90, Columns: []catalog.Column{{Name: "顾客编号", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "城市", Type: "varchar", Distinct: 4}}}
	english := catalog.Table{Name: catalog.Name{Table: "customer"}, RowCount: 90, Columns: []catalog.Column{{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "city", Type: "varchar", Distinct: 4}}}
	for _, c := range []struct {
		table    catalog.Table
		question string
		sign     string
	}{
		{chinese, "How many customers per city?", "over_chinese"},
		{english, "每个城市有多少顾客？", "over_others"},
		{chinese, "每个城市有多少顾客？", ""},
		{english, "How many customers per city?", ""},
	} {
		rooms := p.Rooms(Input{Question: c.question, Schema: p.Prepare([]catalog.Table{c.table}, nil), Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
		require.NotEmpty(t, rooms.Readings, c.question)
		for _, sign := range []string{"over_chinese", "over_others"} {
			want := 0.0
			if sign == c.sign {
				want = 1
			}
			require.InDelta(t, want, rooms.Readings[0].Signs[sign], 0, "%s %s", c.question, sign)
		}
	}
}

// How much more one has than another is no number of rows.
func TestHowMuchMoreIsNoNumberOfRows(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Table: "fees"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "town", Type: "varchar", Distinct: 2, Samples: []string{"Bern", "Basel"}}, {Name: "amount", Type: "double", Distinct: 80},
	}}
	for sql, unmet := range map[string]bool{
		"SELECT town, count(*) FROM fees GROUP BY town":    true,
		"SELECT town, sum(amount) FROM fees GROUP BY town": false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err)
		in := p.ask(Input{Question: "How much more amount came from Bern than from Basel?", Schema: p.Prepare([]catalog.Table{table}, nil), Now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
		if unmet {
			require.Contains(t, p.unmet(in, nil, stmt), "How much more")
		} else {
			require.NotContains(t, p.unmet(in, nil, stmt), "How much more")
		}
	}
}
