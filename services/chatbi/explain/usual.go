package explain

import (
	"math"
	"time"
)

// Constants of usual changes.
const (
	// fewestPairs of earlier periods tell what is usual.
	fewestPairs = 6
	// usualSpreads is how many spreads around the typical change are usual.
	usualSpreads = 2
	week         = 7
)

// usual returns how the metric changed between earlier pairs of periods of the same
// lengths and distance; nil where the course does not reach back far enough. Earlier pairs
// lie whole days back where periods are whole weeks, else whole weeks, so that the days of
// the week are those of the pair in question. Pairs whose later period reaches into After
// would have the change in question in them and are left out.
func usual(in *Input) *Usual {
	if len(in.Daily) == 0 {
		return nil
	}
	c := courseOf(in)
	length, apart := days(in.After.From, in.After.To), days(in.Before.From, in.After.From)
	if apart <= 0 {
		return nil
	}
	step := week
	if apart%week == 0 && length%week == 0 && days(in.Before.From, in.Before.To)%week == 0 {
		step = 1
	}
	var changes []weighted
	for back := step; ; back += step {
		before, after := in.Before.back(back), in.After.back(back)
		if before.From.Before(c.first) {
			break
		}
		if after.To.After(in.After.From) {
			continue
		}
		was, ok := c.over(before, in.Kind)
		is, also := c.over(after, in.Kind)
		if ok && also && was != 0 {
			changes = append(changes, weighted{(is - was) / math.Abs(was), 1})
		}
	}
	if len(changes) < fewestPairs {
		return nil
	}
	middle := quantile(changes, 0.5)
	distances := make([]weighted, len(changes))
	for i, v := range changes {
		distances[i] = weighted{math.Abs(v.value - middle), 1}
	}
	spread := quantile(distances, 0.5) / 0.6745
	// Neighbouring pairs share days, so that there are fewer that tell something new.
	apartPairs := float64(len(changes)*step) / float64(max(length, step))
	around := usualSpreads * spread * (1 + 1/max(apartPairs, 1))
	return &Usual{Low: middle - around, High: middle + around, Pairs: len(changes)}
}

func (p Period) back(n int) Period {
	return Period{p.From.AddDate(0, 0, -n), p.To.AddDate(0, 0, -n)}
}

// days from one midnight UTC to another.
func days(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }

// course is the daily values by day.
type course struct {
	first time.Time
	value map[int]Day
}

func courseOf(in *Input) course {
	c := course{first: in.Daily[0].Date, value: make(map[int]Day, len(in.Daily))}
	for _, d := range in.Daily {
		c.value[days(c.first, d.Date)] = d
	}
	return c
}

// over returns the metric over a period all of whose days are known: the sum of what adds
// up over time, the quotient of the sums of a ratio, the mean of what does not add up.
func (c course) over(p Period, kind Kind) (float64, bool) {
	var value, base float64
	from, to := days(c.first, p.From), days(c.first, p.To)
	for at := from; at < to; at++ {
		d, ok := c.value[at]
		if !ok {
			return 0, false
		}
		value, base = value+d.Value, base+d.Base
	}
	switch kind {
	case Additive:
		return value, true
	case Ratio:
		return quotient(value, base), base != 0
	}
	return value / float64(to-from), true
}
