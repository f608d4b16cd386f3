package analyse

import (
	"math"
	"slices"
)

// Bounds of what is looked for in the course of a measure. The p-values are such that
// all tests together find something in at most 2 of 100 series without structure: each
// has a part of that.
const (
	minShiftPoints = 12
	minShiftSide   = 4 // points of a level
	minSeasonWeeks = 4
	minOutlierOf   = 10 // points that an outlier needs around it
	toldOutliers   = 3
	// manyOutliers is the part of all points beyond which what lies far off is the way
	// that the values spread.
	manyOutliers = 0.05
	// normalMAD makes a median of absolute deviations a standard deviation (Iglewicz and
	// Hoaglin, How to Detect and Handle Outliers, 1993).
	normalMAD = 1.4826
	// seasonal is how much further off an outlier has to be where the season is taken
	// out, by medians of one value a week, which lie too close to them: by this divided
	// by the number of weeks. TestOutliersBesideASeason holds it.
	seasonal = 2.0
	// persistent is the least correlation of a value with the one before, in standard
	// errors of none, that is reckoned with.
	persistent = 1.645
)

// shift is a change of the level.
type shift struct {
	at            int     // the first point of the new level
	before, after float64 // medians
	p             float64
}

// outlier is a point far off the others.
type outlier struct {
	at           int
	usual, score float64 // score: distance in robust standard deviations
}

// structure is what the course of a measure has beside noise. Of trend and shift there
// is one at most: the one that explains more.
type structure struct {
	trend    *trend
	shift    *shift
	season   *season
	outliers []outlier
}

// season is a pattern of the week: the median difference of each weekday from the
// course, by day from Sunday on.
type season struct {
	by [week]float64
	p  float64
}

// course is a measure by time as the tests see it.
type course struct {
	index   []int // periods since the first
	values  []float64
	weekday []int // nil where a week means nothing
}

// levels of significance, divided by how many courses are looked at together.
const (
	trendP, shiftP, seasonP = 0.005, 0.004, 0.003
)

// structureOf looks for season, trend or shift, and outliers, in this order: each is
// looked for in what the ones before it leave over. together is the number of courses
// that are searched for the same question.
func structureOf(c course, together int) structure {
	var s structure
	n := len(c.values)
	if n < minTrendPoints {
		return s
	}
	share := 1 / float64(max(together, 1))
	if c.weekday != nil && n >= minSeasonWeeks*week {
		if found, ok := testSeason(c); ok && found.p <= seasonP*share {
			s.season = &found
		}
	}
	left := slices.Clone(c.values)
	if s.season != nil {
		for i := range left {
			left[i] -= s.season.by[c.weekday[i]]
		}
	}
	step := 1
	if c.weekday != nil && n >= minTrendSeasons*week {
		step = week
	}
	if found, ok := testTrend(c.index, c.values, step); ok && found.p <= trendP*share {
		s.trend = &found
	}
	if found, ok := testShift(left); ok && found.p <= shiftP*share {
		s.shift = &found
	}
	flat := median(slices.Clone(left))
	fit := func(int) float64 { return flat }
	if s.trend != nil {
		fit = lineThrough(c.index, left, s.trend.slope)
	}
	if s.shift != nil {
		level := func(i int) float64 {
			if i < s.shift.at {
				return s.shift.before
			}
			return s.shift.after
		}
		if s.trend == nil || misfit(left, level) < misfit(left, fit) {
			s.trend, fit = nil, level
		} else {
			s.shift = nil
		}
	}
	s.outliers = findOutliers(left, fit, s.season != nil, together)
	if s.season != nil {
		for i, o := range s.outliers {
			s.outliers[i].usual += s.season.by[c.weekday[o.at]]
		}
	}
	return s
}

func lineThrough(index []int, values []float64, slope float64) func(int) float64 {
	rest := make([]float64, len(values))
	for i, v := range values {
		rest[i] = v - slope*float64(index[i])
	}
	level := median(rest)
	return func(i int) float64 { return level + slope*float64(index[i]) }
}

func misfit(values []float64, fit func(int) float64) float64 {
	total := 0.0
	for i, v := range values {
		total += math.Abs(v - fit(i))
	}
	return total
}

// testShift finds the point that best parts a course into two levels, by Pettitt's test
// on ranks (Pettitt, A Non-Parametric Approach to the Change-Point Problem, Applied
// Statistics 28, 1979), with its approximation of the p-value. It is false where there
// are too few points.
func testShift(values []float64) (shift, bool) {
	n := len(values)
	if n < minShiftPoints {
		return shift{}, false
	}
	ranks, _ := ranksOf(values)
	best, at, sum := -1.0, 0, 0.0
	for i := 1; i < n; i++ {
		sum += ranks[i-1]
		if i < minShiftSide || n-i < minShiftSide {
			continue
		}
		if k := math.Abs(2*sum - float64(i)*float64(n+1)); k > best {
			best, at = k, i
		}
	}
	size := float64(n)
	found := shift{at: at, before: median(slices.Clone(values[:at])), after: median(slices.Clone(values[at:]))}
	found.p = min(2*math.Exp(-6*best*best/(size*size*size+size*size)), 1)
	r := persistence(values, func(i int) float64 {
		if i < at {
			return found.before
		}
		return found.after
	})
	if r > 0 { // values that hang together make levels of themselves
		found.p = min(2*math.Pow(found.p/2, (1-r)/(1+r)), 1)
	}
	return found, true
}

// persistence is the correlation of what a fit leaves over with what is one point
// before, where that is more than chance makes; else 0.
func persistence(values []float64, fit func(int) float64) float64 {
	rest := make([]float64, len(values))
	total := 0.0
	for i, v := range values {
		rest[i] = v - fit(i)
		total += rest[i]
	}
	mean, cross, square := total/float64(len(rest)), 0.0, 0.0
	for i, r := range rest {
		square += (r - mean) * (r - mean)
		if i > 0 {
			cross += (r - mean) * (rest[i-1] - mean)
		}
	}
	if square == 0 {
		return 0
	}
	r := cross / square
	if r < persistent/math.Sqrt(float64(len(rest))) {
		return 0
	}
	return min(r, 0.95)
}

// ranksOf are the ranks from 1, ties by their mean; ties is the sum of t³-t over them.
func ranksOf(values []float64) (ranks []float64, ties float64) {
	type placed struct {
		value float64
		at    int
	}
	order := make([]placed, len(values))
	for i, v := range values {
		order[i] = placed{v, i}
	}
	slices.SortFunc(order, func(a, b placed) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	ranks = make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && order[j].value == order[i].value {
			j++
		}
		for k := i; k < j; k++ {
			ranks[order[k].at] = float64(i+j+1) / 2
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}

// testSeason tests whether weekdays differ, by the test of Kruskal and Wallis (JASA 47,
// 1952) on what a trend leaves over. It is false where a weekday has too few points.
func testSeason(c course) (season, bool) {
	t, ok := testTrend(c.index, c.values, week)
	if !ok {
		return season{}, false
	}
	fit := lineThrough(c.index, c.values, t.slope)
	rest := make([]float64, len(c.values))
	var by [week][]float64
	for i, v := range c.values {
		rest[i] = v - fit(i)
		by[c.weekday[i]] = append(by[c.weekday[i]], rest[i])
	}
	ranks, ties := ranksOf(rest)
	var sums [week]float64
	for i, r := range ranks {
		sums[c.weekday[i]] += r
	}
	var s season
	n, h := float64(len(rest)), 0.0
	for d := range by {
		if len(by[d]) < minSeasonWeeks-1 {
			return season{}, false
		}
		h += sums[d] * sums[d] / float64(len(by[d]))
		s.by[d] = median(by[d])
	}
	correction := 1 - ties/(n*n*n-n)
	if correction <= 0 {
		return season{}, false
	}
	h = (12/(n*(n+1))*h - 3*(n+1)) / correction
	s.p = chiSquare(h, week-1)
	return s, true
}

// findOutliers are the points further off the fit than noise comes, farthest first.
// They have to be so on two scales, as they are and with large values drawn together,
// or the long tail of amounts would be one outlier after another.
func findOutliers(values []float64, fit func(int) float64, season bool, together int) []outlier {
	n := len(values)
	if n < minOutlierOf {
		return nil
	}
	bound := outlierBound(n, together)
	if season {
		bound *= 1 + seasonal*week/float64(n)
	}
	rest := make([]float64, n)
	drawn := make([]float64, n)
	positive, whole := true, true
	for i, v := range values {
		rest[i] = v - fit(i)
		positive = positive && v > 0 && fit(i) > 0
		whole = whole && v >= 0 && fit(i) >= 0
	}
	for i, v := range values {
		switch {
		case positive:
			drawn[i] = math.Log(v) - math.Log(fit(i))
		case whole:
			drawn[i] = math.Sqrt(v) - math.Sqrt(fit(i))
		default:
			drawn[i] = rest[i]
		}
	}
	spread, spreadDrawn := spreadOf(rest), spreadOf(drawn)
	if whole && !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) }) {
		// Things that are counted spread by the root of their number at least (Poisson).
		spread = max(spread, math.Sqrt(median(slices.Clone(values))))
	}
	if spread == 0 || spreadDrawn == 0 {
		return nil
	}
	var out []outlier
	for i := range rest {
		score := min(math.Abs(rest[i])/spread, math.Abs(drawn[i])/spreadDrawn)
		if score > bound {
			out = append(out, outlier{at: i, usual: fit(i), score: score})
		}
	}
	if len(out) > max(1, int(manyOutliers*float64(n))) {
		return nil
	}
	slices.SortStableFunc(out, func(a, b outlier) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return out[:min(len(out), toldOutliers)]
}

// spreadOf is a robust standard deviation around 0: that of the median of absolute
// deviations, or where more than half have none, of their mean.
func spreadOf(rest []float64) float64 {
	absolute := make([]float64, len(rest))
	total := 0.0
	for i, r := range rest {
		absolute[i] = math.Abs(r)
		total += absolute[i]
	}
	if m := median(absolute); m > 0 {
		return normalMAD * m
	}
	return 1.2533 * total / float64(len(rest)) // the mean of absolute deviations of a normal distribution
}

// outlierBound is how far off, in robust standard deviations, the farthest of n points
// of noise comes in 3 of 1,000 courses; few points tell little of their spread. The
// numbers are fitted to simulated noise: TestNoiseHasNoFindings holds them.
func outlierBound(n, together int) float64 {
	return (4.5 + 38/float64(n)) * (1 + 0.12*math.Log2(float64(max(together, 1))))
}
