package analyse

import (
	"math"
	"slices"
)

// Least numbers of points of a trend test. With fewer, the normal approximation
// of Mann-Kendall's S is poor.
const (
	minTrendPoints  = 8
	minTrendSeasons = 3 // of a season's length each
)

// trend is the outcome of a trend test.
type trend struct {
	slope  float64 // Theil-Sen, per period
	change float64 // slope over the whole range, relative to the median level
	p      float64 // two-sided
	n      int
}

// testTrend tests a series, evenly spaced by index, for a monotone trend.
//
// The test is Mann-Kendall's with the normal approximation and correction for
// ties (Kendall, Rank Correlation Methods, 1975); the slope is Theil's and Sen's
// (Sen, JASA 63, 1968). With a season, S and its variance are summed over the
// seasons as in the seasonal Kendall test (Hirsch, Slack and Smith, Water
// Resources Research 18, 1982), so that a week's pattern is neither a trend nor
// hides one. season 1 is the plain test. It is false where there are too few
// points.
func testTrend(index []int, values []float64, season int) (trend, bool) {
	if len(values) < minTrendPoints || season > 1 && len(values) < minTrendSeasons*season {
		return trend{}, false
	}
	var s, variance float64
	var slopes []float64
	for phase := range season {
		var at []int
		var x []float64
		for i, v := range values {
			if index[i]%season == phase {
				at, x = append(at, index[i]), append(x, v)
			}
		}
		for i := range x {
			for j := i + 1; j < len(x); j++ {
				s += float64(sign(x[j] - x[i]))
				slopes = append(slopes, (x[j]-x[i])/float64(at[j]-at[i]))
			}
		}
		variance += kendallVariance(x)
	}
	if variance == 0 || len(slopes) == 0 {
		return trend{}, false
	}
	z := 0.0
	if s != 0 {
		z = (math.Abs(s) - 1) / math.Sqrt(variance) // continuity correction
	}
	t := trend{slope: median(slopes), p: math.Erfc(z / math.Sqrt2), n: len(values)}
	level := math.Abs(median(slices.Clone(values)))
	if level == 0 {
		return trend{}, false
	}
	t.change = t.slope * float64(index[len(index)-1]-index[0]) / level
	return t, true
}

// kendallVariance is the variance of S without a trend: (n(n-1)(2n+5) - sum over
// ties of t(t-1)(2t+5)) / 18.
func kendallVariance(x []float64) float64 {
	term := func(n float64) float64 { return n * (n - 1) * (2*n + 5) }
	ties := map[float64]float64{}
	for _, v := range x {
		ties[v]++
	}
	total := term(float64(len(x)))
	for _, t := range ties {
		total -= term(t)
	}
	return total / 18
}

func sign(f float64) int {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// median sorts its argument.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	if n == 0 {
		return 0
	}
	if n%2 == 1 {
		return x[n/2]
	}
	return (x[n/2-1] + x[n/2]) / 2
}
