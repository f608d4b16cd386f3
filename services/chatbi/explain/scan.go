package explain

import "math"

// scanner fits breaks to courses of one length. It is not safe for concurrent use.
type scanner struct {
	n                    int
	level, trend         []float64 // orthonormal, over the days after the first
	whitened, tail       []float64
	tailLevel, tailTrend []float64
}

func newScanner(n int) *scanner {
	s := &scanner{n: n}
	for _, x := range []*[]float64{&s.level, &s.trend, &s.whitened} {
		*x = make([]float64, n)
	}
	for _, x := range []*[]float64{&s.tail, &s.tailLevel, &s.tailTrend} {
		*x = make([]float64, n+1)
	}
	m := float64(n - 1)
	length := math.Sqrt(m * (m*m - 1) / 12)
	for t := 1; t < n; t++ {
		s.level[t] = 1 / math.Sqrt(m)
		s.trend[t] = (float64(t) - (m+1)/2) / length
	}
	return s
}

// best fits the best break. How days hang together is told from what the best break
// leaves without that, so that the break itself is not taken for it.
func (s *scanner) best(x []float64) fit {
	first := s.fit(x, 0)
	unbroken := stickiness(s.whitened[1:], nuisance-1)
	f := s.fit(x, stickiness(first.rest, nuisance))
	f.unbroken = max((unbroken+f.sticky)/2, f.sticky)
	return f
}

// stickiness is the correlation of a day's rest with that of the day before, without the
// bias that fitting gives it in short courses (Kendall, Biometrika 41, 1954, by order).
func stickiness(rest []float64, fitted float64) float64 {
	var with, all float64
	for i, v := range rest {
		all += v * v
		if i > 0 {
			with += v * rest[i-1]
		}
	}
	if all == 0 {
		return 0
	}
	r, n := with/all, float64(len(rest))
	return min(max(r+(fitted+4*r)/n, 0), stickiest)
}

// fit finds the break that tells most, each day less sticky times the one before: what is
// left of a course whose days hang together so is independent. A level then is a constant
// and a trend a trend; a break from a day on is 1 on it and 1-sticky after it.
func (s *scanner) fit(x []float64, sticky float64) fit {
	onLevel, onTrend := 0.0, 0.0
	for t := 1; t < s.n; t++ {
		v := x[t] - sticky*x[t-1]
		s.whitened[t] = v
		onLevel, onTrend = onLevel+v*s.level[t], onTrend+v*s.trend[t]
	}
	total := 0.0
	for t := 1; t < s.n; t++ {
		s.whitened[t] -= onLevel*s.level[t] + onTrend*s.trend[t]
		total += square(s.whitened[t])
	}
	// tail[t] is what a break from day t on has in common with the course; with the
	// nuisances so that they can be taken out of it.
	keep := 1 - sticky
	var sum, sumLevel, sumTrend float64
	for t := s.n - 1; t >= 1; t-- {
		s.tail[t] = s.whitened[t] + keep*sum
		s.tailLevel[t], s.tailTrend[t] = s.level[t]+keep*sumLevel, s.trend[t]+keep*sumTrend
		sum, sumLevel, sumTrend = sum+s.whitened[t], sumLevel+s.level[t], sumTrend+s.trend[t]
	}
	s.tail[s.n], s.tailLevel[s.n], s.tailTrend[s.n] = 0, 0, 0
	best, gain := fit{sticky: sticky, from: shortest, to: s.n}, -1.0
	var passing struct {
		from, to   int
		step, gain float64
	}
	own := func(t int) float64 { // a break from day t on, times itself
		if t == s.n {
			return 0
		}
		return 1 + keep*keep*float64(s.n-1-t)
	}
	for from := shortest; from <= s.n-shortest; from++ {
		for to := s.n; to >= from+shortest; to-- {
			if to < s.n && to > s.n-shortest {
				continue
			}
			common := s.tail[from] - s.tail[to]
			length := own(from) + own(to)
			if to < s.n {
				length -= 2 * (keep + keep*keep*float64(s.n-1-to))
			}
			length -= square(s.tailLevel[from]-s.tailLevel[to]) + square(s.tailTrend[from]-s.tailTrend[to])
			if length <= 1e-9 {
				continue
			}
			g := common * common / length
			if to == s.n {
				if g > gain {
					gain, best.from, best.to, best.step = g, from, to, common/length
				}
			} else if g > passing.gain {
				passing.gain, passing.from, passing.to, passing.step = g, from, to, common/length
			}
		}
	}
	// A level that passes has one more day to choose: by Schwarz's criterion it must tell
	// that much more.
	if (total-passing.gain)*math.Pow(float64(s.n), 2/float64(s.n)) < total-gain {
		gain, best.from, best.to, best.step = passing.gain, passing.from, passing.to, passing.step
	}
	free := float64(s.n - 1 - nuisance)
	best.spread = math.Sqrt(max(total-gain, 0) / free)
	best.statistic = gain / max((total-gain)/free, 1e-12*total/free+math.SmallestNonzeroFloat64)
	best.rest = s.rest(best, keep)
	return best
}

// rest is what a break leaves of the course, by day.
func (s *scanner) rest(f fit, keep float64) []float64 {
	onLevel := s.tailLevel[f.from] - s.tailLevel[f.to]
	onTrend := s.tailTrend[f.from] - s.tailTrend[f.to]
	out := make([]float64, 0, s.n-1)
	for t := 1; t < s.n; t++ {
		shape := 0.0
		switch {
		case t == f.from:
			shape = 1
		case t > f.from && t < f.to:
			shape = keep
		case t == f.to:
			shape = keep - 1
		}
		out = append(out, s.whitened[t]-f.step*(shape-onLevel*s.level[t]-onTrend*s.trend[t]))
	}
	return out
}
