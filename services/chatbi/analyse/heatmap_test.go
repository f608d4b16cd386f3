package analyse_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestAHeatmapHasOneValueAPlace: two categories are drawn as a grid where each pair of
// them, as it is written, is there once, most are there, and the sides can be read.
func TestAHeatmapHasOneValueAPlace(t *testing.T) {
	t.Parallel()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	rows := func(x, y int) (all [][]any) {
		for i := range x {
			for j := range y {
				all = append(all, []any{fmt.Sprint("x", i), fmt.Sprint("y", j), float64(i*j + 1)})
			}
		}
		return all
	}
	long := strings.Repeat("the same beginning ", 10)
	for name, c := range map[string]struct {
		rows [][]any
		want bool
	}{
		"all pairs":                             {rows(3, 4), true},
		"the least":                             {rows(2, 2), true},
		"the widest":                            {rows(50, 3), true},
		"the highest":                           {rows(3, 50), true},
		"too wide":                              {rows(51, 3), false},
		"too high":                              {rows(3, 51), false},
		"a line":                                {append(rows(1, 4), []any{"x0", "y9", nil}, []any{"x0", "y0", 2.0}), false},
		"a pair that is there twice":            {append(rows(3, 4), []any{"x1", "y1", 7.0}), false},
		"twice, with the same value":            {append(rows(3, 4), []any{"x1", "y1", 2.0}), false},
		"twice, at the end and without value":   {append(rows(3, 4), []any{"x2", "y3", nil}), false},
		"nobody's pairs, once":                  {append(rows(3, 4), []any{nil, "y1", 7.0}, []any{nil, "y2", 7.0}), true},
		"nobody's pair, twice":                  {append(rows(3, 4), []any{nil, "y1", 7.0}, []any{nil, "y1", 7.0}), false},
		"two that are written alike":            {append(rows(3, 4), []any{long + "a", "y1", 7.0}, []any{long + "b", "y1", 8.0}), false},
		"two that are written alike, elsewhere": {append(rows(3, 4), []any{long + "a", "y1", 7.0}, []any{long + "b", "y2", 8.0}), true},
		"a third of the places":                 {[][]any{{"a", "p", 1.0}, {"a", "q", 1.0}, {"b", "q", 1.0}, {"b", "r", 1.0}, {"c", "r", 1.0}}, true},
		"fewer":                                 {[][]any{{"a", "p", 1.0}, {"b", "q", 1.0}, {"b", "q2", 1.0}, {"c", "r", 1.0}, {"d", "s", 1.0}, {"d", "p", 1.0}, {"e", "t", 1.0}}, false},
	} {
		for _, wanted := range []chart.Kind{chart.None, chart.Heatmap} {
			in := analyse.Input{Table: table("x varchar, y varchar, value double", c.rows...), Language: lang.English, Now: now, MaxPoints: 5000, Wanted: wanted}
			drawn := a.Analyse(in).Chart
			require.Equal(t, c.want, drawn.Kind == chart.Heatmap, "%s, wanted %d: %d", name, wanted, drawn.Kind)
			if !c.want {
				continue
			}
			var option struct {
				Series []struct{ Data [][]any }
			}
			require.NoError(t, json.Unmarshal([]byte(drawn.Option), &option))
			places := map[string]bool{}
			for _, d := range option.Series[0].Data {
				place := fmt.Sprint(d[0], " ", d[1])
				require.False(t, places[place], "%s: two values at %s", name, place)
				places[place] = true
			}
			require.Len(t, places, len(c.rows), name)
		}
	}
}

// TestASeriesHasOneValueAPoint: rows of which two are of the same time, or of the same time
// and thing, are no course of time.
func TestASeriesHasOneValueAPoint(t *testing.T) {
	t.Parallel()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	days := func(extra ...[]any) [][]any {
		return append([][]any{{"2026-01-01", "a", 1.0}, {"2026-01-02", "a", 5.0}, {"2026-01-03", "a", 9.0}}, extra...)
	}
	for name, c := range map[string]struct {
		rows  [][]any
		plain bool // a series of the days alone
		by    bool // one of each thing
	}{
		"each day once":                {days(), true, true},
		"a day twice":                  {days([]any{"2026-01-02", "a", 7.0}), false, false},
		"the same day and value twice": {days([]any{"2026-01-03", "a", 9.0}), false, false},
		"the day at another hour":      {days([]any{"2026-01-02 00:00:00", "a", 7.0}), false, false},
		"another thing":                {days([]any{"2026-01-02", "b", 7.0}), false, true},
		"nothing and nothing":          {days([]any{"2026-01-02", nil, 7.0}, []any{"2026-01-02", nil, 8.0}), false, false},
	} {
		plain := make([][]any, len(c.rows))
		for i, row := range c.rows {
			plain[i] = []any{row[0], row[2]}
		}
		draws := func(columns string, rows [][]any) bool {
			in := analyse.Input{Table: table(columns, rows...), Language: lang.English, Now: now, MaxPoints: 100, Wanted: chart.Line}
			return a.Analyse(in).Chart.Kind == chart.Line
		}
		require.Equal(t, c.plain, draws("day varchar, amount double", plain), name)
		require.Equal(t, c.by, draws("day varchar, thing varchar, amount double", c.rows), name)
	}
}
