package analyse

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
)

func upTo(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

func TestTrendOfAKnownSeries(t *testing.T) {
	t.Parallel()
	// n = 10, strictly rising: S = 45, Var = 125, z = 44/sqrt(125) = 3.9355.
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	got, ok := testTrend(upTo(10), values, 1)
	require.True(t, ok)
	require.InDelta(t, math.Erfc(44/math.Sqrt(125)/math.Sqrt2), got.p, 1e-12)
	require.InDelta(t, 1, got.slope, 1e-12)
	require.InDelta(t, 9/5.5, got.change, 1e-12)
}

func TestTiesLowerTheVariance(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 125, kendallVariance([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 1e-9)
	require.InDelta(t, (10*9*25-3*2*11)/18.0, kendallVariance([]float64{1, 1, 1, 4, 5, 6, 7, 8, 9, 10}), 1e-9)
	_, ok := testTrend(upTo(9), []float64{5, 5, 5, 5, 5, 5, 5, 5, 5}, 1)
	require.False(t, ok)
}

func TestFewPointsTellNothing(t *testing.T) {
	t.Parallel()
	_, ok := testTrend(upTo(7), []float64{1, 2, 3, 4, 5, 6, 7}, 1)
	require.False(t, ok)
}

// Noise has a "trend" at p <= 0.01 about once in a hundred series, with and
// without a weekly season.
func TestNoiseHasNoTrend(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, season := range []int{1, 7} {
		found := 0
		for range 1000 {
			values := make([]float64, 42)
			for i := range values {
				values[i] = 100 + random.NormFloat64() + 50*float64(i%7/5)*float64(season/7)
			}
			if got, ok := testTrend(upTo(len(values)), values, season); ok && got.p <= 0.01 {
				found++
			}
		}
		require.Less(t, found, 25, "season %d", season)
	}
}

// Sentences agree in number and begin with a capital, names as they are written.
func TestPluralsAndCapitals(t *testing.T) {
	t.Parallel()
	m, err := loadMessages()
	require.NoError(t, err)
	en := m.in("en")
	require.Equal(t, "1 row with a.", en.text("table_all", args{"n": "1", "columns": "a"}))
	require.Equal(t, "2 rows with a.", en.text("table_all", args{"n": "2", "columns": "a"}))
	require.Equal(t, "Orders are 5.", en.text("single", args{"label": "orders", "value": "5"}))
	require.Equal(t, "Number of orders is 5.", en.text("single", args{"label": "number of orders", "value": "5"}))
	require.Equal(t, "Status is open.", en.text("single", args{"label": "status", "value": "open"}))
	require.Equal(t, "iPhone is 5.", en.text("single", args{"label": "iPhone", "value": "5"}))
	require.Equal(t, "a, b and c", en.list([]string{"a", "b", "c"}))
	require.Equal(t, "a、b和c", m.in("zh").list([]string{"a", "b", "c"}))
}

// Periods between two points are those of the axis, over ends of years too.
func TestPeriodsBetween(t *testing.T) {
	t.Parallel()
	a, b := time.Date(2023, 10, 1, 22, 0, 0, 0, time.UTC), time.Date(2025, 4, 1, 1, 0, 0, 0, time.UTC)
	for grain, want := range map[result.Grain]int{
		result.GrainYear: 2, result.GrainQuarter: 6, result.GrainMonth: 18, result.GrainWeek: 78, result.GrainDay: 548, result.GrainHour: 548*24 - 21,
		result.GrainSecond: (548*24 - 21) * 3600,
	} {
		w := &work{shape: shape{grain: grain}}
		require.Equal(t, want, w.periodsBetween(a, b))
		require.Zero(t, w.periodsBetween(a, a))
	}
}
