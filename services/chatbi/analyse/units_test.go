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
		int64(1899): false, int64(1900): true, int64(2026): true, int64(2100): true, int64(2101): false, "2026": true, "2026.5": false, "1899": false, 2026.0: false, nil: false,
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
		require.Equal(t, c.wanted, timeline(c.given, result.GrainDay, c.most), name)
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

// TestWholePeriods: the ends of a series that are of a part only are left out, of one
// that is nothing else all of it.
func TestWholePeriods(t *testing.T) {
	t.Parallel()
	month := func(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		asked   Range
		given   []time.Time
		first   time.Month // of what is left
		howMany int
	}{
		"all whole":              {Range{}, []time.Time{month(8), month(9)}, 8, 2},
		"the last is not over":   {Range{}, []time.Time{month(10), month(11)}, 10, 1},
		"only one, not over":     {Range{}, []time.Time{month(11)}, 0, 0},
		"none":                   {Range{}, nil, 0, 0},
		"the first is cut":       {Range{From: month(8).AddDate(0, 0, 4)}, []time.Time{month(8), month(9)}, 9, 1},
		"asked from its start":   {Range{From: month(8), To: month(10)}, []time.Time{month(8), month(9)}, 8, 2},
		"the last is cut":        {Range{To: month(9).AddDate(0, 0, 1)}, []time.Time{month(8), month(9)}, 8, 1},
		"both are cut":           {Range{From: month(8).AddDate(0, 0, 1), To: month(9).AddDate(0, 0, 1)}, []time.Time{month(8), month(9)}, 0, 0},
		"only one, cut at start": {Range{From: month(8).AddDate(0, 0, 1)}, []time.Time{month(8)}, 0, 0},
	} {
		w := &work{Input: Input{Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Asked: c.asked}}
		w.shape.grain = result.GrainMonth
		l := line{moments: c.given}
		for i := range c.given {
			l.numbers = append(l.numbers, result.Int(int64(i)))
		}
		l = l.complete(w)
		require.Len(t, l.moments, c.howMany, name)
		require.Len(t, l.numbers, c.howMany, name)
		if c.howMany > 0 {
			require.Equal(t, c.first, l.moments[0].Month(), name)
		}
	}
}

// TestTrendsAnywhere: a trend does not depend on where its index begins.
func TestTrendsAnywhere(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	from := func(first int) trend {
		index := upTo(len(values))
		for i := range index {
			index[i] += first
		}
		got, ok := testTrend(index, values, 1)
		require.True(t, ok)
		return got
	}
	require.Equal(t, from(0), from(100))
	require.Equal(t, from(0), from(-3))
}

// TestConcentrationIsToldOnce: where the first has most of the whole, nothing is said
// of the first three; of few items nothing is said of three at all.
func TestConcentrationIsToldOnce(t *testing.T) {
	t.Parallel()
	a, err := New(DefaultThresholds())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		values []int64
		want   []float64 // the shares told
	}{
		"the headline has it":   {[]int64{900, 20, 10, 9, 8, 7, 6, 5, 4, 3}, nil},
		"two of ten have most":  {[]int64{500, 400, 10, 9, 8, 7, 6, 5, 4, 3}, []float64{900.0 / 952}},
		"three of ten":          {[]int64{330, 320, 310, 9, 8, 7, 6, 5, 4, 3}, nil},
		"two of nine":           {[]int64{500, 400, 10, 9, 8, 7, 6, 5, 4}, nil},
		"all alike":             {[]int64{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, nil},
		"one is less than none": {[]int64{500, 400, 10, 9, 8, 7, 6, 5, 4, -3}, nil},
	} {
		in := Input{
			Table:    result.Table{Columns: []result.Column{{Name: "country", Type: "varchar"}, {Name: "gmv", Type: "bigint"}}},
			Columns:  make([]Column, 2),
			Language: lang.English, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		}
		for i, v := range c.values {
			in.Table.Rows = append(in.Table.Rows, []any{string(rune('a' + i)), v})
		}
		var told []float64
		for _, f := range a.Analyse(in).Findings {
			if f.Kind == "concentration" {
				told = append(told, f.Evidence["share"])
			}
		}
		require.Equal(t, c.want, told, name)
	}
}
