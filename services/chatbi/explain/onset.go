package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Constants of the test for a break.
const (
	// fewestDays is the shortest course that is tested, longestCourse how many of its last
	// days are looked at, and shortest the fewest days of a level.
	fewestDays, longestCourse, shortest = 8 * week, 180, 4
	// greatestP is the greatest p-value of a finding.
	greatestP = 0.0035
	// spike is how many spreads a single day may be off the days around it.
	spike = 2.5
	// stickiest is the greatest correlation of a day with the one before that is believed:
	// beyond it, levels wander of themselves.
	stickiest = 0.8
	// nuisance are the fitted numbers beside a break: level, trend, break.
	nuisance = 3
)

// onset finds the break of the course between the periods, if there is one.
func onset(in *Input, limits Limits) (*Onset, *Refusal) {
	if len(in.Daily) == 0 {
		return nil, nil
	}
	s, reason := seriesOf(in)
	if reason != "" {
		return nil, &Refusal{Split: ByTime, Reason: reason}
	}
	b, ok := s.findBreak(in.Seed, limits.Permutations)
	if !ok {
		return nil, nil
	}
	within := func(at time.Time) bool { return at.After(in.Before.From) && at.Before(in.After.To) }
	o := s.describe(b)
	if !within(o.Date) && (o.Ended == nil || !within(*o.Ended)) {
		return nil, nil
	}
	return o, nil
}

// series is a course made ready: logarithms where all is above zero, so that what grows
// in proportion is even; without the week's season; without spikes of single days.
type series struct {
	dates     []time.Time
	level     []float64 // without season, with spikes
	values    []float64 // without season and spikes
	logarithm bool
}

func seriesOf(in *Input) (*series, Reason) {
	daily := in.Daily[max(len(in.Daily)-longestCourse, 0):]
	s := &series{logarithm: in.Kind != Ratio}
	for _, d := range daily {
		value := d.Value
		if in.Kind == Ratio {
			if d.Base <= 0 {
				continue
			}
			value /= d.Base
		}
		s.dates, s.level = append(s.dates, d.Date), append(s.level, value)
		s.logarithm = s.logarithm && value > 0
	}
	if len(s.level) < fewestDays {
		return nil, ReasonFewDays
	}
	if s.logarithm {
		for i, v := range s.level {
			s.level[i] = math.Log(v)
		}
	}
	s.level = withoutSeason(s.dates, s.level)
	s.values = withoutSpikes(s.level)
	if spreadOf(differences(s.values)) == 0 {
		return nil, ReasonFlat
	}
	return s, ""
}

// around is the median of the days from three before to three after, as many as there are.
func around(x []float64, at int) float64 {
	return medianOf(x[max(at-week/2, 0):min(at+week/2+1, len(x))])
}

// withoutSeason takes the typical distance of each day of the week from the days around
// it away. Medians keep a break out of the season.
func withoutSeason(dates []time.Time, x []float64) []float64 {
	var off [week][]float64
	for i := week / 2; i < len(x)-week/2; i++ {
		off[dates[i].Weekday()] = append(off[dates[i].Weekday()], x[i]-around(x, i))
	}
	var season [week]float64
	sum := 0.0
	for d := range season {
		season[d] = medianOf(off[d])
		sum += season[d]
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - season[dates[i].Weekday()] + sum/week
	}
	return out
}

// withoutSpikes moves days that are far off the days around them to the edge of what
// usually is: a campaign's day is no new level.
func withoutSpikes(x []float64) []float64 {
	off := make([]float64, len(x))
	for i, v := range x {
		off[i] = v - around(x, i)
	}
	most := spike * spreadOf(off)
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - off[i] + min(max(off[i], -most), most)
	}
	return out
}

func differences(x []float64) []float64 {
	out := make([]float64, len(x)-1)
	for i := range out {
		out[i] = x[i+1] - x[i]
	}
	return out
}

// spreadOf is the median absolute value, as a standard deviation.
func spreadOf(x []float64) float64 {
	abs := make([]float64, len(x))
	for i, v := range x {
		abs[i] = math.Abs(v)
	}
	return medianOf(abs) / 0.6745
}

func medianOf(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// fit is the best break of a course: another level from the day from to the day before
// to, with the same trend before, in and after it.
type fit struct {
	from, to  int
	step      float64 // height of the break
	statistic float64 // F: how much better the course is told with the break
	sticky    float64 // correlation of a day with the one before, the break aside
	unbroken  float64 // that correlation, were there no break but only a trend
	spread    float64 // of innovations
	rest      []float64
}

// findBreak returns the best break, with its p-value, where it is significant.
//
// The courses that it is compared with have the same correlation from day to day and the
// same innovations in random order, and go through all that this one went through, the
// choice of the best days too (the bootstrap of a sup-F test; Andrews, Econometrica 61,
// 1993). So trends, and series whose days hang together, are not taken for breaks.
func (s *series) findBreak(seed uint64, permutations int) (broken, bool) {
	scan := newScanner(len(s.values))
	best := scan.best(s.values)
	random := rand.New(rand.NewPCG(seed, uint64(len(s.values)))) //nolint:gosec // no secret
	x := make([]float64, len(s.values))
	greater := 0
	p := func(greater int) float64 { return float64(greater+1) / float64(permutations+1) }
	for range permutations {
		best.simulate(random, x)
		if scan.best(x).statistic >= best.statistic {
			greater++
		}
		if p(greater) > greatestP {
			return broken{}, false
		}
	}
	return broken{fit: best, p: p(greater)}, p(greater) <= greatestP
}

// broken is a significant break.
type broken struct {
	fit
	p float64
}

// simulate fills x with a course that has no break.
func (f *fit) simulate(random *rand.Rand, x []float64) {
	v := 0.0
	for i := -week; i < len(x); i++ {
		v = f.unbroken*v + f.rest[random.IntN(len(f.rest))]
		if i >= 0 {
			x[i] = v
		}
	}
}

// describe says what a break is in the course's own unit.
func (s *series) describe(b broken) *Onset {
	level := func(from, to int) float64 {
		v := medianOf(s.level[max(from, 0):to])
		if s.logarithm {
			return math.Exp(v)
		}
		return v
	}
	o := &Onset{
		Date: s.dates[b.from], P: b.p, Size: b.step * math.Sqrt(1-square(b.sticky)) / b.spread,
		Before: level(b.from-4*week, b.from), After: level(b.from, b.to),
	}
	if b.to < len(s.dates) {
		o.Ended = &s.dates[b.to]
	}
	return o
}
