package series_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/series"
)

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// figures are n days by a rule, with noise of a fixed source.
func figures(n int, noise float64, of func(i int) float64) []series.Point {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	out := make([]series.Point, n)
	for i := range out {
		out[i] = series.Point{Day: monday.AddDate(0, 0, i), Value: of(i) + noise*random.NormFloat64()}
	}
	return out
}

func weekly(i int) float64 { return 100 + 10*float64(i%7) }

func TestForecastOfAPlainWeekIsThatWeek(t *testing.T) {
	t.Parallel()
	p, err := series.Forecast(figures(series.Need(14), 0, weekly), 14)
	require.NoError(t, err)
	require.Len(t, p.Days, 14)
	require.Equal(t, series.Naive, p.Method, "of methods that are equally good the simplest is taken")
	for i, d := range p.Days {
		at := series.Need(14) + i
		require.Equal(t, monday.AddDate(0, 0, at), d.Day)
		require.InDelta(t, weekly(at), d.Value, 1e-9)
		require.InDelta(t, d.Value, d.Low, 1e-9)
		require.InDelta(t, d.Value, d.Top, 1e-9)
	}
}

// TestForecastFollowsATrend: a method that knows trends is off least where there is one, and
// the intervals hold what comes about as often as they say.
func TestForecastFollowsATrend(t *testing.T) {
	t.Parallel()
	of := func(i int) float64 { return weekly(i) + 2*float64(i) }
	all := figures(240, 3, of)
	p, err := series.Forecast(all[:212], 28)
	require.NoError(t, err)
	require.Equal(t, series.HoltWinters, p.Method)
	held := 0
	for i, d := range p.Days {
		require.InDelta(t, of(212+i), d.Value, 0.1*of(212+i))
		require.LessOrEqual(t, d.Low, d.Value)
		require.LessOrEqual(t, d.Value, d.Top)
		if v := all[212+i].Value; v >= d.Low && v <= d.Top {
			held++
		}
	}
	require.Greater(t, held, 14)
	require.Len(t, p.Tried, 3)
	for _, m := range p.Tried {
		require.False(t, math.IsNaN(m.Share))
		if m.Method == series.Naive {
			require.Greater(t, m.Error, 14.0, "a week behind a trend of two a day")
		}
	}
}

// TestForecastErrorsAreByHand: over a plain rise of one a day the same weekday of the week
// before is seven off in the first week and fourteen in the second.
func TestForecastErrorsAreByHand(t *testing.T) {
	t.Parallel()
	p, err := series.Forecast(figures(series.Need(14), 0, func(i int) float64 { return float64(i) }), 14)
	require.NoError(t, err)
	require.InDelta(t, 10.5, p.Tried[0].Error, 1e-9)
	require.InDelta(t, 21.0, p.Tried[1].Error, 1e-9, "the mean of four weeks is two and a half weeks old, and a week older a week ahead")
	require.Equal(t, 7, p.Origins)
}

func TestTooFewDaysAndGaps(t *testing.T) {
	t.Parallel()
	_, err := series.Forecast(figures(series.Need(14)-1, 0, weekly), 14)
	few := (*series.TooFewError)(nil)
	require.ErrorAs(t, err, &few)
	require.Equal(t, series.Need(14), few.Need)
	_, err = series.Forecast(nil, 14)
	require.ErrorAs(t, err, &few)
	var holes []series.Point
	for i, p := range figures(100, 0, weekly) {
		if i%5 != 2 {
			holes = append(holes, p)
		}
	}
	gaps := (*series.GapsError)(nil)
	_, err = series.Forecast(holes, 14)
	require.ErrorAs(t, err, &gaps)
	_, err = series.Anomalies(holes, 0)
	require.ErrorAs(t, err, &gaps)
	_, err = series.Anomalies(figures(27, 0, weekly), 0)
	require.ErrorAs(t, err, &few)
	some := figures(100, 0, weekly)
	some = append(some[:40], some[43:]...)
	p, err := series.Forecast(some, 7)
	require.NoError(t, err)
	require.Equal(t, 3, p.Filled)
	require.InDelta(t, weekly(100), p.Days[0].Value, 1e-9, "a filled day is as its weekday is")
}

func TestAnomaliesAreThosePlanted(t *testing.T) {
	t.Parallel()
	quiet, err := series.Anomalies(figures(120, 4, weekly), 0)
	require.NoError(t, err)
	require.Empty(t, quiet, "noise is nothing unusual")
	rising, err := series.Anomalies(figures(120, 4, func(i int) float64 { return weekly(i) + float64(i) }), 0)
	require.NoError(t, err)
	require.Empty(t, rising, "a trend is no shift")
	flat, err := series.Anomalies(figures(60, 0, func(int) float64 { return 3 }), 0)
	require.NoError(t, err)
	require.Empty(t, flat)

	found, err := series.Anomalies(figures(120, 4, func(i int) float64 {
		v := weekly(i)
		if i == 50 {
			v += 90
		}
		if i == 20 {
			v -= 60
		}
		return v
	}), 0)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, []any{series.Outlier, monday.AddDate(0, 0, 50)}, []any{found[0].Kind, found[0].Day}, "the most telling first")
	require.InDelta(t, weekly(50), found[0].Usual, 12)
	require.Equal(t, monday.AddDate(0, 0, 20), found[1].Day)
	for newest, want := range map[int]int{69: 0, 70: 1, 99: 1, 100: 2} { // day 50 is the 70th from the end, day 20 the 100th
		told, err := series.Anomalies(figures(120, 4, func(i int) float64 {
			return weekly(i) + map[int]float64{50: 90, 20: -60}[i]
		}), newest)
		require.NoError(t, err)
		require.Len(t, told, want, "of the last %d days", newest)
	}

	found, err = series.Anomalies(figures(120, 4, func(i int) float64 {
		if i >= 70 {
			return weekly(i) + 60
		}
		return weekly(i)
	}), 0)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	require.Equal(t, series.Shift, found[0].Kind)
	require.WithinDuration(t, monday.AddDate(0, 0, 70), found[0].Day, 2*24*time.Hour)
	require.InDelta(t, 60, found[0].Value-found[0].Usual, 6)
}

// TestWhatWasNeverBelowZeroIsNotForecastSo: a count falls to zero and no further, what has
// been below zero may be so again.
func TestWhatWasNeverBelowZeroIsNotForecastSo(t *testing.T) {
	t.Parallel()
	falling := func(base float64) []series.Point {
		return figures(60, 6, func(i int) float64 { return max(0, 120-2.5*float64(i)) + base })
	}
	count := falling(0)
	for i := range count {
		count[i].Value = max(0, count[i].Value)
	}
	p, err := series.Forecast(count, 14)
	require.NoError(t, err)
	low := math.Inf(1)
	for _, d := range p.Days {
		low = min(low, d.Low, d.Value, d.Top)
	}
	require.Zero(t, low)
	p, err = series.Forecast(falling(-20), 14)
	require.NoError(t, err)
	require.Negative(t, p.Days[13].Low)
}

// TestOrderDoesNotMatter: days come in whatever order a statement has them.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	list := figures(90, 5, weekly)
	want, err := series.Forecast(list, 10)
	require.NoError(t, err)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	got, err := series.Forecast(list, 10)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestForecastByFormulas: errors, values and bounds as another program computed them from
// the formulas of the three methods.
func TestForecastByFormulas(t *testing.T) {
	t.Parallel()
	p, err := series.Forecast(figures(90, 0, func(i int) float64 { return weekly(i) + 2*float64(i) + float64(i*37%11) }), 10)
	require.NoError(t, err)
	require.Equal(t, series.HoltWinters, p.Method)
	require.Equal(t, 53, p.Origins)
	for i, want := range []struct{ off, share float64 }{{18.175471698113206, 0.08128565160157963}, {39.18349056603773, 0.1752392243561616}, {5.951363030267843, 0.026616113731072644}} {
		require.InDelta(t, want.off, p.Tried[i].Error, 1e-9, p.Tried[i].Method)
		require.InDelta(t, want.share, p.Tried[i].Share, 1e-12, p.Tried[i].Method)
	}
	require.InDelta(t, 341.5635055118388, p.Days[0].Value, 1e-9)
	require.InDelta(t, 302.9576944777579, p.Days[9].Value, 1e-9)
	require.InDelta(t, 339.79737223224834, p.Days[0].Low, 1e-9)
	require.InDelta(t, 316.4146699027265, p.Days[9].Top, 1e-9, "of the second week ahead")
}

// TestWhatIsToldOfOneSeriesIsBounded, and how many days there were is said.
func TestWhatIsToldOfOneSeriesIsBounded(t *testing.T) {
	t.Parallel()
	found, err := series.Anomalies(figures(140, 1, func(i int) float64 {
		if i%11 == 5 {
			return 900 + float64(i)
		}
		return 100
	}), 0)
	require.NoError(t, err)
	require.Len(t, found, series.MaxOfOne)
	for i := 1; i < len(found); i++ {
		require.GreaterOrEqual(t, found[i-1].Score, found[i].Score)
	}
	few := (*series.TooFewError)(nil)
	_, err = series.Anomalies(figures(20, 0, weekly), 0)
	require.ErrorAs(t, err, &few)
	require.Equal(t, 20, few.Have)
	_, err = series.Forecast(figures(30, 0, weekly), 14)
	require.ErrorAs(t, err, &few)
	require.Equal(t, 30, few.Have)
}

// TestAShiftIsItsOwnWholeLevels: a plain step has exactly its two levels.
func TestAShiftIsItsOwnWholeLevels(t *testing.T) {
	t.Parallel()
	found, err := series.Anomalies(figures(84, 0, func(i int) float64 {
		v := weekly(i) + float64(i%3)
		if i >= 42 {
			v += 50
		}
		return v
	}), 0)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	require.Equal(t, series.Shift, found[0].Kind)
	require.Equal(t, monday.AddDate(0, 0, 42), found[0].Day)
	require.InDelta(t, 50, found[0].Value-found[0].Usual, 1)
}
