package series

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Bounds of what is unusual.
const (
	minSwept   = 4 * week
	window     = 2 * week // days to either side of which the middle is the level of a day
	minSide    = 2 * week // days on either side of a shift
	MaxOfOne   = 10       // of one series
	outlierAt  = 5.0      // spreads from what is usual
	shiftAt    = 4.0      // spreads between the levels
	shiftShare = 0.1      // of the level before
	lineShare  = 0.8      // two levels have to fit this much better than a line does
)

// Kind says what is unusual.
type Kind string

// Kinds: one day, or all days from one on.
const (
	Outlier Kind = "outlier"
	Shift   Kind = "shift"
)

// Anomaly is something unusual in a series.
type Anomaly struct {
	Kind Kind
	Day  time.Time // of a shift the first one
	// Value is the day's figure, Usual what it would be by its weekday and the weeks around
	// it. Of a shift they are the middle figures after and before.
	Value, Usual float64
	// Score is how many spreads of the usual days they are apart.
	Score float64
}

// Anomalies finds what is unusual in figures by day, most telling first. What is usual of a
// day is the median of the four weeks around it and of its weekday; a day is an outlier
// that is outlierAt robust spreads away (Hampel's rule; Leys and others, J. Exp. Soc.
// Psychol. 49, 2013, with a stricter threshold since many days are looked at). A shift
// divides the days in two whose medians, without weekdays, differ by shiftAt spreads and
// fit better than a line does. newest is how many days at the end are told; 0: all, and the
// others only say what is usual. Its error is a *TooFewError or a *GapsError.
func Anomalies(points []Point, newest int) ([]Anomaly, error) {
	values, first, _, err := whole(points)
	if err != nil {
		return nil, err
	}
	if len(values) < minSwept {
		return nil, &TooFewError{Have: len(values), Need: minSwept}
	}
	weekday := weekdays(awayFromLevel(values))
	flat := make([]float64, len(values))
	for i, v := range values {
		flat[i] = v - weekday[i%week]
	}
	rest := awayFromLevel(flat)
	usual := spread(rest)
	if usual == 0 {
		return nil, nil // all days are as usual
	}
	var found []Anomaly
	odd := make([]bool, len(values))
	for i, r := range rest {
		if score := math.Abs(r) / usual; score >= outlierAt {
			odd[i] = true
			found = append(found, Anomaly{Kind: Outlier, Day: first.AddDate(0, 0, i), Value: values[i], Usual: values[i] - r, Score: score})
		}
	}
	if s, ok := shift(flat, odd); ok {
		s.Day = first.AddDate(0, 0, int(s.Day.Sub(time.Time{})/(24*time.Hour)))
		found = append(found, s)
	}
	if newest > 0 {
		since := first.AddDate(0, 0, len(values)-newest)
		found = slices.DeleteFunc(found, func(a Anomaly) bool { return a.Day.Before(since) })
	}
	slices.SortStableFunc(found, func(a, b Anomaly) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(len(found), MaxOfOne)], nil
}

// awayFromLevel are values less the median of the four weeks around each, those at the ends
// the four weeks there.
func awayFromLevel(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		from := max(0, min(i-window, len(values)-2*window-1))
		out[i] = v - median(values[from:min(len(values), from+2*window+1)])
	}
	return out
}

// weekdays are the medians of values by their place in the week, which are zero on average.
func weekdays(values []float64) [week]float64 {
	var out [week]float64
	mean := 0.0
	for day := range week {
		var own []float64
		for i := day; i < len(values); i += week {
			own = append(own, values[i])
		}
		out[day] = median(own)
		mean += out[day] / week
	}
	for day := range out {
		out[day] -= mean
	}
	return out
}

// shift finds the day that divides figures without their weekdays best in two levels. Its Day counts from the
// zero time.
func shift(flat []float64, odd []bool) (Anomaly, bool) {
	usualOf := func(from, to int) []float64 {
		var out []float64
		for i := from; i < to; i++ {
			if !odd[i] {
				out = append(out, flat[i])
			}
		}
		return out
	}
	away := func(list []float64, from float64) (sum float64) {
		for _, v := range list {
			sum += math.Abs(v - from)
		}
		return sum
	}
	best, least := -1, math.Inf(1)
	for at := minSide; at <= len(flat)-minSide; at++ {
		left, right := usualOf(0, at), usualOf(at, len(flat))
		if len(left) < minSide/2 || len(right) < minSide/2 {
			continue
		}
		if sum := away(left, median(left)) + away(right, median(right)); sum < least {
			best, least = at, sum
		}
	}
	if best < 0 {
		return Anomaly{}, false
	}
	left, right := usualOf(0, best), usualOf(best, len(flat))
	before, after := median(left), median(right)
	within := make([]float64, 0, len(flat))
	for _, v := range left {
		within = append(within, v-before)
	}
	for _, v := range right {
		within = append(within, v-after)
	}
	usual := spread(within)
	change := math.Abs(after - before)
	if change == 0 || change < shiftShare*math.Abs(before) || change < shiftAt*usual || least > lineShare*awayFromLine(flat, odd) {
		return Anomaly{}, false
	}
	score := math.Inf(1)
	if usual > 0 {
		score = change / usual
	}
	score = min(score, 1e6) // a level without any spread
	return Anomaly{Kind: Shift, Day: time.Time{}.AddDate(0, 0, best), Value: after, Usual: before, Score: score}, true
}

// awayFromLine is how far the usual days are from the line of Theil and Sen, all together.
func awayFromLine(flat []float64, odd []bool) float64 {
	var slopes []float64
	for i := range flat {
		for j := i + 1; j < len(flat); j++ {
			if !odd[i] && !odd[j] {
				slopes = append(slopes, (flat[j]-flat[i])/float64(j-i))
			}
		}
	}
	slope := median(slopes)
	var bare []float64
	for i, v := range flat {
		if !odd[i] {
			bare = append(bare, v-slope*float64(i))
		}
	}
	middle, sum := median(bare), 0.0
	for _, v := range bare {
		sum += math.Abs(v - middle)
	}
	return sum
}
