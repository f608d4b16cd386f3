package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// trades are how many worked in each trade, by year and sex.
func trades() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "trades"}, RowCount: 40 * 2 * 15, RowKey: []string{"trade", "sex", "year"}, Columns: []catalog.Column{
		{Name: "trade", Type: "varchar", NotNull: true, Distinct: 40, Samples: []string{"Weaver", "Cooper", "Miller"}}, {Name: "sex", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"women", "men"}},
		{Name: "year", Type: "bigint", NotNull: true, Distinct: 15, Low: "1850", High: "2000"}, {Name: "count", Type: "bigint", NotNull: true, Distinct: 1100}, {Name: "share", Type: "double", NotNull: true, Distinct: 1190},
	}}
}

// floods are what rivers did in floods that have names, every few hours.
func floods() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "floods"}, RowCount: 9000, RowKey: []string{"name", "year", "month", "day", "hour"}, Columns: []catalog.Column{
		{Name: "name", Type: "varchar", NotNull: true, Distinct: 200, Samples: []string{"Ada", "Bo"}},
		{Name: "year", Type: "bigint", NotNull: true, Distinct: 40, Low: "1980", High: "2020"}, {Name: "month", Type: "bigint", NotNull: true, Distinct: 9}, {Name: "day", Type: "bigint", NotNull: true, Distinct: 31}, {Name: "hour", Type: "bigint", NotNull: true, Distinct: 24},
		{Name: "status", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"swell", "surge", "ebb"}}, {Name: "depth", Type: "double", NotNull: true, Distinct: 300}, {Name: "surge_width_m", Type: "double", NotNull: true, Distinct: 300},
	}}
}

// A row that is a figure of things at a time is none of them: what counts is added up, and the things are
// told by their names.
func TestRowsThatAreFigures(t *testing.T) {
	t.Parallel()
	open(t, trades()).answers(t, map[string]string{
		"How many weavers were there in 1900?":                 "SELECT sum(count) AS total_count FROM trades WHERE trade = 'Weaver' AND year = 1900",
		"Number of weavers by sex":                             "SELECT sex, sum(count) AS total_count FROM trades WHERE trade = 'Weaver' GROUP BY sex ORDER BY total_count DESC, sex",
		"How many trades are there?":                           "SELECT count(DISTINCT trade) AS number_of_trades FROM trades",
		"In which year were there the most millers?":           "SELECT year FROM trades WHERE trade = 'Miller' GROUP BY year ORDER BY sum(count) DESC LIMIT 1",
		"How many records are there for weavers in the 1950s?": "SELECT count(*) AS number_of_trades FROM trades WHERE trade = 'Weaver' AND year >= 1950 AND year < 1960",
		"1900年的记录有多少条？":                                        "SELECT count(*) AS number_of_trades FROM trades WHERE year = 1900",
	})
	open(t, floods()).answers(t, map[string]string{
		"How many floods were there each year?":       "SELECT year, count(DISTINCT name) AS number_of_names FROM floods GROUP BY year ORDER BY year",
		"Which floods had a depth above 4?":           "SELECT DISTINCT name FROM floods WHERE depth > 4",
		"Top 3 floods in 2005 with the highest depth": "SELECT name FROM floods WHERE year = 2005 GROUP BY name ORDER BY max(depth) DESC LIMIT 3",
		"Which year had the most surges?":             "SELECT year FROM floods WHERE status = 'surge' GROUP BY year ORDER BY count(DISTINCT name) DESC LIMIT 1",
		"How many records are there for Ada?":         "SELECT count(*) AS number_of_floods FROM floods WHERE name = 'Ada'",
	})
}

// Rows that have a key of their own, that are told apart by times of no name of theirs, or hardly a row for each
// thing and time, are things.
func TestRowsThatAreThings(t *testing.T) {
	t.Parallel()
	const count = "SELECT count(*) AS number_of_floods FROM floods WHERE year = 2005"
	keyed := floods()
	keyed.Columns = append([]catalog.Column{key("id")}, keyed.Columns...)
	single := floods()
	single.RowCount = 400
	unknown := floods()
	unknown.RowKey = nil
	for name, table := range map[string]catalog.Table{"a key": keyed, "as many names as rows": single, "nothing is known": unknown} {
		got, _ := open(t, table).ask(t, "How many floods were there in 2005?")
		require.Equal(t, count, got, name)
	}
	calls := catalog.Table{Name: catalog.Name{Table: "calls"}, RowCount: 900, RowKey: []string{"caller", "day"}, Columns: []catalog.Column{
		{Name: "caller", Type: "varchar", NotNull: true, Distinct: 200}, {Name: "day", Type: "date", NotNull: true, Distinct: 300}, {Name: "minutes", Type: "bigint", NotNull: true, Distinct: 90},
	}}
	got, _ := open(t, calls).ask(t, "How many calls were there?")
	require.Equal(t, "SELECT count(*) AS number_of_calls FROM calls", got)
	calls.RowCount = 200*300 - 99
	got, _ = open(t, calls).ask(t, "How many calls were there?")
	require.NotContains(t, got, "count(*)", "a row for each caller and day")
}

// Nothing is the largest of parts of dates, and of things of which one has more than another it is not known
// how many there are.
func TestWhatHasNoSize(t *testing.T) {
	t.Parallel()
	got, _ := open(t, floods()).ask(t, "每天的最大是多少？")
	require.NotContains(t, got, "max(day)")
	got, read := open(t, trades()).ask(t, "2000年有多少种trade的women人数超过men？")
	require.False(t, strings.Contains(got, "count(DISTINCT trade)") && len(read.Unread) == 0, got)
}
