package series

import (
	"math"
	"slices"
	"time"
)

// Bounds of forecasts.
const (
	// MaxDays is how far a forecast reaches at most.
	MaxDays = 90
	// minTraining is how many days a method has to learn from: four weeks.
	minTraining = 4 * week
	minOrigins  = week
	maxOrigins  = 8 * week
	// Coverage is the share of past forecasts that ended within the interval.
	Coverage = 0.8
)

// Method is a way to forecast, simplest first.
type Method string

// Methods: the same weekday of the week before; the mean of the same weekday over four
// weeks; level, trend and weekday by exponential smoothing with a damped trend (Holt and
// Winters, additive; Hyndman and Athanasopoulos, Forecasting, 3rd edition, 8.3).
const (
	Naive       Method = "same_weekday"
	WeekdayMean Method = "weekday_mean"
	HoltWinters Method = "holt_winters"
)

var methods = []struct {
	name Method
	next func(past []float64, days int) []float64
}{{Naive, seasonalNaive}, {WeekdayMean, weekdayMean}, {HoltWinters, holtWinters}}

// Day is a day to come.
type Day struct {
	Day             time.Time
	Value, Low, Top float64
}

// Tried is how far a method was off over past days, on average per day.
type Tried struct {
	Method Method
	// Error is the mean absolute error, Share that error as a part of the mean figure; NaN
	// where that is zero.
	Error, Share float64
}

// Prediction is a forecast with what speaks for it.
type Prediction struct {
	Days   []Day
	Method Method  // the one that was off least
	Tried  []Tried // all of them, simplest first
	// Origins is from how many past days the methods were tried, Filled how many missing
	// days were filled in.
	Origins, Filled int
}

// Need is how many days a forecast needs that reaches so far.
func Need(days int) int { return minTraining + days + minOrigins - 1 }

// Forecast says what the next days will be by the method that would have been off least
// over the past ones: each method is given the figures up to a day in the past and held
// against the days after it, from many such days. The interval is that into which Coverage
// of those forecasts fell, by the weeks that they reached ahead. It assumes that the days to
// come are like those past. Its error is a *TooFewError or a *GapsError.
func Forecast(points []Point, days int) (Prediction, error) {
	days = min(max(days, 1), MaxDays)
	values, first, filled, err := whole(points)
	if err != nil {
		return Prediction{}, err
	}
	if need := Need(days); len(values) < need {
		return Prediction{}, &TooFewError{Have: len(values), Need: need}
	}
	last := len(values) - days // the newest day from which all that is forecast is known
	origins := min(maxOrigins, last-minTraining+1)
	level := 0.0
	for _, v := range values {
		level += v / float64(len(values))
	}
	out := Prediction{Origins: origins, Filled: filled}
	var off [][][]float64 // by method and week ahead
	best := 0
	for i, m := range methods {
		weeks := make([][]float64, (days+week-1)/week)
		sum, n := 0.0, 0
		for origin := last; origin > last-origins; origin-- {
			for step, v := range m.next(values[:origin], days) {
				residual := values[origin+step] - v
				weeks[step/week] = append(weeks[step/week], residual)
				sum, n = sum+math.Abs(residual), n+1
			}
		}
		tried := Tried{Method: m.name, Error: sum / float64(n), Share: math.NaN()}
		if level != 0 {
			tried.Share = tried.Error / math.Abs(level)
		}
		off, out.Tried = append(off, weeks), append(out.Tried, tried)
		if tried.Error < out.Tried[best].Error {
			best = i
		}
	}
	out.Method = methods[best].name
	next := first.AddDate(0, 0, len(values))
	least := math.Inf(-1)
	if slices.Min(values) >= 0 { // what was never below zero, such as a count, will not be
		least = 0
	}
	for step, v := range methods[best].next(values, days) {
		residuals := slices.Sorted(slices.Values(off[best][step/week]))
		out.Days = append(out.Days, Day{
			Day: next.AddDate(0, 0, step), Value: max(least, v),
			Low: max(least, v+min(0, quantile(residuals, (1-Coverage)/2))), Top: max(least, v+max(0, quantile(residuals, (1+Coverage)/2))),
		})
	}
	return out, nil
}

func seasonalNaive(past []float64, days int) []float64 {
	out := make([]float64, days)
	for i := range out {
		out[i] = past[len(past)-week+i%week]
	}
	return out
}

func weekdayMean(past []float64, days int) []float64 {
	const weeks = 4
	out := make([]float64, days)
	for i := range out {
		for w := 1; w <= weeks; w++ {
			out[i] += past[len(past)-w*week+i%week] / weeks
		}
	}
	return out
}

// Weights that Holt-Winters is tried with, and by which the trend fades a day.
var (
	levelWeights  = []float64{0.05, 0.2, 0.5}
	trendWeights  = []float64{0, 0.05}
	seasonWeights = []float64{0.05, 0.2}
)

const damping = 0.98

// holtWinters takes the weights that were off least a day ahead.
func holtWinters(past []float64, days int) []float64 {
	var best []float64
	least := math.Inf(1)
	for _, a := range levelWeights {
		for _, b := range trendWeights {
			for _, c := range seasonWeights {
				if next, off := smooth(past, days, a, b, c); off < least {
					best, least = next, off
				}
			}
		}
	}
	return best
}

// smooth runs the additive method with weights for level, trend and season, and returns the
// days to come and the sum of squares of what it was off a day ahead.
func smooth(past []float64, days int, a, b, c float64) (next []float64, off float64) {
	var season [week]float64
	level, second := 0.0, 0.0
	for i := range week {
		level += past[i] / week
		second += past[week+i] / week
	}
	trend := (second - level) / week
	for i := range week {
		season[i] = past[i] - level
	}
	for i := week; i < len(past); i++ {
		before := level + damping*trend
		miss := past[i] - before - season[i%week]
		off += miss * miss
		old := level
		level = a*(past[i]-season[i%week]) + (1-a)*before
		trend = b*(level-old) + (1-b)*damping*trend
		season[i%week] = c*(past[i]-level) + (1-c)*season[i%week]
	}
	fade, reach := 1.0, 0.0
	for i := range days {
		fade *= damping
		reach += fade
		next = append(next, level+reach*trend+season[(len(past)+i)%week])
	}
	return next, off
}
