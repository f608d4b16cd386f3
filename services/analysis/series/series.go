// Package series computes over figures by day what no SQL of a question says: the days to
// come with an interval (forecast.go), and the days and shifts of level that are unusual
// (anomalies.go). It is arithmetic over what a step came to; it knows no service.
package series

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// week is the season of figures by day.
const week = 7

// Point is a figure of a day.
type Point struct {
	Day   time.Time // midnight UTC
	Value float64
}

// TooFewError says that a series is too short for what is asked of it.
type TooFewError struct{ Have, Need int }

// Error implements error.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("%d days, and %d are needed", e.Have, e.Need)
}

// GapsError says that a series lacks too many of its days.
type GapsError struct{ Missing, Days int }

// Error implements error.
func (e *GapsError) Error() string {
	return fmt.Sprintf("%d of %d days are missing", e.Missing, e.Days)
}

// maxGaps is the share of days that may be missing and are filled in.
const maxGaps = 0.1

// whole returns a value for each day from the first to the last, and how many were filled
// in: a missing day gets the value of the same weekday nearest before it, else after it.
func whole(points []Point) (values []float64, first time.Time, filled int, err error) {
	if len(points) == 0 {
		return nil, time.Time{}, 0, &TooFewError{Need: 1}
	}
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return a.Day.Compare(b.Day) })
	first = points[0].Day
	days := int(points[len(points)-1].Day.Sub(first)/(24*time.Hour)) + 1
	if missing := days - len(points); float64(missing) > maxGaps*float64(days) {
		return nil, first, 0, &GapsError{Missing: missing, Days: days}
	}
	values = make([]float64, days)
	for i := range values {
		values[i] = math.NaN()
	}
	for _, p := range points {
		values[int(p.Day.Sub(first)/(24*time.Hour))] = p.Value
	}
	known := slices.Clone(values)
	for i := range values {
		if !math.IsNaN(known[i]) {
			continue
		}
		filled++
		for away := week; math.IsNaN(values[i]) && away < days; away += week {
			for _, at := range []int{i - away, i + away} {
				if at >= 0 && at < days && !math.IsNaN(known[at]) && math.IsNaN(values[i]) {
					values[i] = known[at]
				}
			}
		}
		if math.IsNaN(values[i]) {
			return nil, first, 0, &GapsError{Missing: days - len(points), Days: days}
		}
	}
	return values, first, filled, nil
}

// median of values, which stay as they are.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// spread is the median absolute deviation times 1.4826, which is the standard deviation of
// what is normally distributed (Rousseeuw and Croux, JASA 88, 1993); where half of the
// values are equal, 1.2533 times the mean absolute deviation.
func spread(values []float64) float64 {
	middle := median(values)
	away := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		away[i] = math.Abs(v - middle)
		sum += away[i]
	}
	if mad := median(away); mad > 0 {
		return 1.4826 * mad
	}
	return 1.2533 * sum / float64(max(1, len(values)))
}

// quantile of sorted values, between their neighbours by proportion.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
