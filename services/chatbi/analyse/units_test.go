package analyse

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestYears: numbers that are years lie between 1900 and 2100.
func TestYears(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]bool{
		int64(1899): false, int64(1900): true, int64(2026): true, int64(2100): true, int64(2101): false, "2026": false, 2026.0: false, nil: false,
	} {
		require.Equal(t, want, isYear(value), "%v", value)
	}
}

// TestMedians of an odd and an even number of values, in whatever order.
func TestMedians(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 4}, 4}, {[]float64{9, 1, 4, 6}, 5}, {[]float64{-1, -1, 7, 7}, 3}} {
		require.Equal(t, c.want, median(c.of))
	}
}

// TestProbabilities are told to three places; those below are told as below.
func TestProbabilities(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{0: "< 0.001", 0.00099: "< 0.001", 0.001: "= 0.001", 0.0449: "= 0.045", 1: "= 1.000"} {
		require.Equal(t, want, formatP(p))
	}
}

// TestNamesThatSayNothing, in both languages, with whatever number at their end.
func TestNamesThatSayNothing(t *testing.T) {
	t.Parallel()
	l, err := loadLexicon()
	require.NoError(t, err)
	for _, words := range [][]string{l.Nameless.En, l.Nameless.Zh} {
		for _, word := range words {
			require.True(t, l.nameless(word), word)
			require.True(t, l.nameless(word+"12"), word)
		}
	}
	for name, want := range map[string]bool{"": true, "7": true, "_COL3": true, "gmv": false, "values": false, "结果集": false} {
		require.Equal(t, want, l.nameless(name), name)
	}
}

// TestLanguagesOfASpeaker: what is neither of the two is English.
func TestLanguagesOfASpeaker(t *testing.T) {
	t.Parallel()
	for of, want := range map[lang.Language]lang.Language{lang.Chinese: lang.Chinese, lang.English: lang.English, lang.Language("fr"): lang.English} {
		require.Equal(t, want, (messages{}).in(of).language)
	}
}

// axisOf is the time axis of moments at a grain.
func axisOf(grain result.Grain, most int, moments ...time.Time) []time.Time {
	w := &work{Input: Input{MaxPoints: most}}
	w.shape.grain, w.shape.moments = grain, moments
	points, _ := w.axis()
	return points
}

// TestAxesOfTime have a place for each period, in order, for those without data too,
// and for a point that is off the grid; where there are too many, the newest stay.
func TestAxesOfTime(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		most   int
		given  []time.Time
		wanted []time.Time
	}{
		"in order, once":   {10, []time.Time{at(2, 0), at(1, 0), at(2, 0)}, []time.Time{at(1, 0), at(2, 0)}},
		"with a gap":       {10, []time.Time{at(1, 0), at(4, 0)}, []time.Time{at(1, 0), at(2, 0), at(3, 0), at(4, 0)}},
		"off the grid":     {10, []time.Time{at(1, 0), at(2, 7), at(3, 0)}, []time.Time{at(1, 0), at(2, 0), at(2, 7), at(3, 0)}},
		"too many for one": {2, []time.Time{at(1, 0), at(2, 0), at(3, 0)}, []time.Time{at(2, 0), at(3, 0)}},
		"one":              {2, []time.Time{at(1, 0)}, []time.Time{at(1, 0)}},
	} {
		require.Equal(t, c.wanted, axisOf(result.GrainDay, c.most, c.given...), name)
	}
}

// TestNumbersOfCharts: what is no finite number is in no sentence and no chart.
func TestNumbersOfCharts(t *testing.T) {
	t.Parallel()
	a, err := New(DefaultThresholds())
	require.NoError(t, err)
	for name, rows := range map[string][][]any{
		"values": {{"a", 1.5}, {"b", 2.5}, {"c", nil}}, "no values": {{"a", nil}, {"b", nil}, {"c", nil}},
		"not finite": {{"a", math.NaN()}, {"b", math.Inf(1)}, {"c", 2.0}},
	} {
		out := a.Analyse(Input{
			Table:    result.Table{Columns: []result.Column{{Name: "country", Type: "varchar"}, {Name: "gmv", Type: "double"}}, Rows: rows},
			Columns:  make([]Column, 2),
			Language: lang.English, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		})
		require.NotContains(t, out.Answer, "NaN", name)
		require.NotContains(t, out.Chart.Option, "NaN", name)
		if name == "no values" {
			require.Equal(t, "There are no values of GMV for the 3 values of country.", out.Answer)
		}
	}
}
