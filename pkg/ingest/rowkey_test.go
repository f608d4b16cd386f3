package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// Columns that together tell the rows of a table without a key apart are found: also where a few rows
// are there twice, and not where one column is enough, where rows are alike anyway, or where it takes
// amounts.
func TestWhatTellsRowsApart(t *testing.T) {
	t.Parallel()
	var trades, gauges, notes, people, alike strings.Builder
	trades.WriteString("amount,trade,year,sex\n")
	gauges.WriteString("state,level,station,month,day\n")
	notes.WriteString("stamp,place\n")
	people.WriteString("ticket,town\n")
	alike.WriteString("kind,size\n")
	for i := range 400 {
		fmt.Fprintf(&trades, "%d,trade %d,%d,%s\n", i*37%391, i%20, 1850+i/40*10, []string{"women", "men"}[i/20%2])
		fmt.Fprintf(&gauges, "%s,%d,station %d,%d,%d\n", []string{"low", "high"}[i%2], i%7, i%5, 1+i/200, 1+i/5%40)
		fmt.Fprintf(&notes, "2030-01-%02d %02d:00:00,place %d\n", 1+i/20, i%20, i%3)
		fmt.Fprintf(&people, "t%03d,town %d\n", i, i%9)
		fmt.Fprintf(&alike, "kind %d,%d\n", i%3, i%5)
	}
	gauges.WriteString("low,3,station 0,1,1\n") // twice
	s := newStore(t)
	_, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{
		"trades.csv": trades.String(), "gauges.csv": gauges.String(), "notes.csv": notes.String(), "people.csv": people.String(), "alike.csv": alike.String(),
	}), ingest.Options{})
	require.NoError(t, err)
	all := tables(t, s)
	require.ElementsMatch(t, []string{"trade", "year", "sex"}, all["trades"].RowKey)
	require.ElementsMatch(t, []string{"station", "month", "day"}, all["gauges"].RowKey, "neither level nor state, which others tell")
	for _, none := range []string{"notes", "people", "alike"} {
		require.Empty(t, all[none].RowKey, none)
	}
}
