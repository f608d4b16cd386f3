package statistics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/statistics"
)

// TestTestsAgreeWithOthers: the figures are those of scipy 1.17 (pearsonr, spearmanr,
// ttest_ind with equal_var=False, mannwhitneyu asymptotic, fisher_exact) and of the
// textbook's two-proportion z-test.
func TestTestsAgreeWithOthers(t *testing.T) {
	t.Parallel()
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	y := []float64{2.1, 1.9, 3.5, 3.9, 5.6, 4.8, 7.1, 9.9, 8.2, 8.2, 12.5, 10.1}
	c, err := statistics.Correlate(x, y, false)
	require.NoError(t, err)
	require.InDelta(t, 0.9400322893740272, c.Pearson, 1e-9)
	require.InDelta(t, 0.9562186292818428, c.Spearman, 1e-9)
	require.InDelta(t, 5.5198770131697715e-06, c.P, 1e-9)
	require.Equal(t, 12., c.Effective)

	var a, b []float64
	for i := range 40 {
		a, b = append(a, float64(i*7%40)), append(b, float64(i*11%40)*1.5+3)
	}
	d, err := statistics.Compare(a, b)
	require.NoError(t, err)
	require.Equal(t, statistics.Welch, d.Test)
	require.InDelta(t, 0.00028563209840634483, d.P, 1e-9)
	require.InDelta(t, -19.399575505660586, d.Low, 1e-6)
	require.InDelta(t, -6.100424494339412, d.High, 1e-6)

	d, err = statistics.Compare(y[:6], []float64{3.5, 8, 9, 9, 12, 14, 3.9})
	require.NoError(t, err)
	require.Equal(t, statistics.MannWhitney, d.Test)
	require.InDelta(t, 0.03752389954864233, d.P, 1e-9)

	d, err = statistics.CompareShares(30, 200, 55, 220)
	require.NoError(t, err)
	require.Equal(t, statistics.ZTest, d.Test)
	require.InDelta(t, 0.010848887104829457, d.P, 1e-9)
	d, err = statistics.CompareShares(1, 10, 7, 12)
	require.NoError(t, err)
	require.Equal(t, statistics.Fisher, d.Test)
	require.InDelta(t, 0.030959752321981428, d.P, 1e-9)

	require.Equal(t, []float64{.03, .06, .06}, statistics.Adjusted([]float64{.01, .03, .04}))
}

// TestChanceIsSeldomTakenForMore: of pairs, groups and days that have nothing to do with
// each other, about one in twenty is told; of series that wander on their own too, which a
// test that takes days for independent tells half of the time.
func TestChanceIsSeldomTakenForMore(t *testing.T) {
	t.Parallel()
	const times = 400
	wander := func(seed uint64) []float64 {
		random, out, at := source(seed), make([]float64, 120), 0.
		for i := range out {
			at = .9*at + random.NormFloat64()
			out[i] = at
		}
		return out
	}
	pairs, naive, groups, days := 0, 0, 0, 0
	for i := range uint64(times) {
		x, y := wander(2*i), wander(2*i+1)
		ordered, err := statistics.Correlate(x, y, true)
		require.NoError(t, err)
		plain, err := statistics.Correlate(x, y, false)
		require.NoError(t, err)
		paired, err := statistics.ComparePaired(x, y)
		require.NoError(t, err)
		random := source(i)
		a, b := make([]float64, 12), make([]float64, 20)
		for j := range a {
			a[j] = math.Exp(random.NormFloat64())
		}
		for j := range b {
			b[j] = math.Exp(random.NormFloat64())
		}
		group, err := statistics.Compare(a, b)
		require.NoError(t, err)
		for p, count := range map[float64]*int{ordered.P: &pairs, plain.P: &naive, paired.P: &days, group.P: &groups} {
			if p < statistics.Significant {
				*count++
			}
		}
	}
	require.Greater(t, naive, times/4, "the days are not independent")
	for name, count := range map[string]int{"pairs": pairs, "groups": groups, "days": days} {
		require.Less(t, count, times/10, name)
	}
}

func TestWhatIsThereIsFound(t *testing.T) {
	t.Parallel()
	random := source(5)
	x, y := make([]float64, 90), make([]float64, 90)
	for i := range x {
		x[i] = random.NormFloat64()
		y[i] = x[i] + .5*random.NormFloat64()
	}
	c, err := statistics.Correlate(x, y, true)
	require.NoError(t, err)
	require.Less(t, c.P, 1e-6)
	for i := range y {
		y[i] -= 1
	}
	d, err := statistics.ComparePaired(x, y)
	require.NoError(t, err)
	require.Less(t, d.P, 1e-6)
	require.Less(t, d.Low, 1.)
	require.Greater(t, d.High, 1.)
}

func TestTooFewRowsMakeNoTest(t *testing.T) {
	t.Parallel()
	few := make([]float64, statistics.MinGroup-1)
	_, err := statistics.Compare(few, make([]float64, 50))
	require.ErrorAs(t, err, new(*statistics.TooFewError))
	_, err = statistics.Correlate(few, few, false)
	require.ErrorAs(t, err, new(*statistics.TooFewError))
	_, err = statistics.ComparePaired(few, few)
	require.ErrorAs(t, err, new(*statistics.TooFewError))
	_, err = statistics.CompareShares(1, 4, 1, 50)
	require.ErrorAs(t, err, new(*statistics.TooFewError))
	_, err = statistics.Correlate(make([]float64, 20), make([]float64, 20), false)
	require.ErrorAs(t, err, new(*statistics.ConstantError))
}
