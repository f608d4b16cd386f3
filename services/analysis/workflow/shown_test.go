package workflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/series"
)

// TestFiguresOfASweepHaveTheirUnits: a rate is a percentage and no small number beside "%".
func TestFiguresOfASweepHaveTheirUnits(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		v    float64
		unit string
	}{"76.7%": {0.767, "%"}, "12.5%": {0.125, "fraction"}, "62,502.19 USD": {62502.191, "USD"}, "1,762": {1762, ""}} {
		require.Equal(t, want, shown(c.v, c.unit))
	}
}

// TestTheDaysThatASweepTells: all of a series, or the newest ones.
func TestTheDaysThatASweepTells(t *testing.T) {
	t.Parallel()
	day := func(d int) series.Point { return series.Point{Day: time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC)} }
	points := []series.Point{day(9), day(2), day(20)}
	require.Equal(t, []any{"2026-10-02", "2026-10-20"}, daysTold(points, 0))
	require.Equal(t, []any{"2026-10-19", "2026-10-20"}, daysTold(points, 2))
	require.Equal(t, []any{"2026-10-02", "2026-10-20"}, daysTold(points, 40))
	require.Equal(t, []any{nil, nil}, daysTold(nil, 2))
}

// TestAForecastReachesTheDaysThatAreAskedFor: beyond the days that are not there yet.
func TestAForecastReachesTheDaysThatAreAskedFor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	for want, last := range map[int]int{7: 23, 9: 21, 14: 16} {
		require.Equal(t, want, reach([]series.Point{{Day: time.Date(2026, 11, last, 0, 0, 0, 0, time.UTC)}, {Day: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}}, 7, now))
	}
	require.Equal(t, 7, reach([]series.Point{{Day: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)}}, 7, now), "too long ago")
	require.Equal(t, series.MaxDays, reach([]series.Point{{Day: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}}, series.MaxDays, now))
}
