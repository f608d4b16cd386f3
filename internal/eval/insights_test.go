package eval

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInsightsAreLookedFor in what the analysis says of a table, over a small set of its own.
func TestInsightsAreLookedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) { writeFile(t, filepath.Join(dir, name), text) }
	var rows strings.Builder
	rows.WriteString("ticket,team,price,weight\n")
	for i := range 200 {
		team := []string{"North", "North", "North", "South", "West"}[i%5]
		fmt.Fprintf(&rows, "T-%d,%s,%d,%d\n", i/2, team, 100+i*37%101, 3*(100+i*37%101)+i%7)
	}
	write("insight/insight_bench/csvs/flag-1.csv", rows.String())
	write("insight/insight_bench/flag-1.json", `{"dataset_csv_path": "data/csvs/flag-1.csv", "insight_list": [
		{"question": "Who has most?", "insight": "North has most tickets", "insight_value": {"North": "60%", "tickets": 120}},
		{"question": "How do they go?", "insight": "A positive correlation of price and weight", "insight_value": {"trend": "between 01-2023 and 02-2023"}},
		{"question": "And the teams?", "insight": "Prices are uniform in West", "insight_value": {"West": "149.5"}},
		{"insight": "Hire more people."}]}`)
	var items strings.Builder
	report, err := Execute(t.Context(), Insights{}, Options{Data: dir, Out: &items})
	require.NoError(t, err)
	require.Equal(t, 4, report.N)
	require.Zero(t, report.Errors, items.String())
	for metric, want := range map[string]float64{
		"n.values": 7, "n.number": 3, "n.name": 2, "n.direction": 1, "n.no_difference": 1,
		"found.number": 0.6667, "found.name": 0.5, "found.direction": 1, "found.no_difference": 0, "values_found": 0.5714,
		"all_values": 0.6667, "some_value": 0.6667,
	} {
		require.InDelta(t, want, report.Metrics[metric], 1e-4, "%s: %s", metric, items.String())
	}
	require.Contains(t, strings.Join(report.Notes, " "), "1 insights have no value")

	_, err = Execute(t.Context(), Insights{}, Options{Data: t.TempDir()})
	require.ErrorIs(t, err, ErrData)
}

func TestNumbersOfInsightsAreComparedToTheirLastDigit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gold, told string
		same       bool
	}{
		{"57.0", "57.04", true}, {"57.0", "57.1", false}, {"57", "57.4", true}, {"57", "58", false}, {"8000", "8,000", true},
		{"50.7%", "50.7%", true}, {"50.7%", "50.7", false}, {"71.4", "71.4%", false},
	} {
		require.Equal(t, c.same, sameNumber(c.gold, c.told), "%v", c)
	}
}
