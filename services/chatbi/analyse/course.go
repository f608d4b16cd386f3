package analyse

import (
	"math"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// courseOf is a line as the tests see it, the newest points of it.
func (w *work) courseOf(l line) (course, line) {
	if n := len(l.numbers); n > maxTrendPoints {
		l.moments, l.numbers = l.moments[n-maxTrendPoints:], l.numbers[n-maxTrendPoints:]
	}
	var c course
	for i, n := range l.numbers {
		c.index, c.values = append(c.index, w.periodsBetween(l.moments[0], l.moments[i])), append(c.values, n.Float64())
		if w.shape.grain == result.GrainDay {
			c.weekday = append(c.weekday, int(l.moments[i].Weekday()))
		}
	}
	return c, l
}

// findStructure tells what the course of a measure has beside noise. together is the
// number of courses that are looked at for the same question.
func (w *work) findStructure(l line, label string, together int) {
	if len(l.numbers) == 0 {
		return
	}
	c, l := w.courseOf(l)
	s := structureOf(c, together)
	level := math.Abs(median(append([]float64(nil), c.values...)))
	for _, o := range s.outliers {
		w.findOutlier(l, label, o)
	}
	if s.shift != nil {
		w.findShift(l, label, *s.shift)
	}
	if s.trend != nil {
		w.findTrend(l, label, *s.trend)
	}
	if s.season != nil && level > 0 {
		w.findSeason(l, label, c, *s.season, level)
	}
}

// statistic writes a statistic of a measure, which is no value of it.
func (w *work) statistic(v float64, column int) (string, bool) {
	n, ok := result.Float(v)
	if !ok {
		return "", false
	}
	return w.number(n, column), true
}

func (w *work) findOutlier(l line, label string, o outlier) {
	value := l.numbers[o.at]
	usual, ok := w.statistic(o.usual, l.column)
	distance := math.Abs(value.Float64() - o.usual)
	if !ok || distance < w.thresholds.Spread*math.Abs(o.usual) {
		return
	}
	key := "find_outlier_high"
	if value.Float64() < o.usual {
		key = "find_outlier_low"
	}
	w.find("outlier", key, args{
		"label": label, "at": w.at(l.moments[o.at]), "value": w.number(value, l.column), "usual": usual, "score": oneDecimal(o.score),
	}, map[string]float64{"value": value.Float64(), "usual": o.usual, "distance": value.Float64() - o.usual, "score": o.score, "n": float64(len(l.numbers))})
}

func oneDecimal(v float64) string {
	n, _ := result.Float(math.Round(v*10) / 10)
	return n.String()
}

func (w *work) findShift(l line, label string, s shift) {
	change := s.after - s.before
	before, a := w.statistic(s.before, l.column)
	after, b := w.statistic(s.after, l.column)
	if !a || !b || math.Abs(change) < w.thresholds.Change*math.Abs(s.before) {
		return
	}
	key := "find_shift_up"
	if change < 0 {
		key = "find_shift_down"
	}
	w.find("shift", key, args{"label": label, "at": w.at(l.moments[s.at]), "before": before, "after": after, "p": formatP(s.p)},
		map[string]float64{"before": s.before, "after": s.after, "change": change, "p": s.p, "n": float64(len(l.numbers)), "n_before": float64(s.at)})
}

func (w *work) findTrend(l line, label string, t trend) {
	slope, ok := w.statistic(math.Abs(t.slope), l.column)
	if !ok || math.Abs(t.change) < w.thresholds.Change {
		return
	}
	key := "find_trend_up"
	if t.slope < 0 {
		key = "find_trend_down"
	}
	w.find("trend", key, args{
		"label": label, "slope": slope, "change": w.percent(math.Abs(t.change)),
		"p": formatP(t.p), "period": w.period(1),
	}, map[string]float64{"slope": t.slope, "change": t.change, "p": t.p, "n": float64(t.n)})
}

// findSeason tells the highest and the lowest day of the week, where they differ by more
// than is worth passing over.
func (w *work) findSeason(l line, label string, c course, s season, level float64) {
	low, high := 0, 0
	for d, v := range s.by {
		if v < s.by[low] {
			low = d
		}
		if v > s.by[high] {
			high = d
		}
	}
	spread := (s.by[high] - s.by[low]) / level
	if spread < w.thresholds.Spread {
		return
	}
	middle := func(day int) float64 {
		var values []float64
		for i, v := range c.values {
			if c.weekday[i] == day {
				values = append(values, v)
			}
		}
		return median(values)
	}
	highest, a := w.statistic(middle(high), l.column)
	lowest, b := w.statistic(middle(low), l.column)
	if !a || !b {
		return
	}
	w.find("season", "find_season", args{
		"label": label, "high_day": w.weekday(time.Weekday(high)), "low_day": w.weekday(time.Weekday(low)),
		"high": highest, "low": lowest, "p": formatP(s.p),
	}, map[string]float64{"high": middle(high), "low": middle(low), "spread": spread, "p": s.p, "n": float64(len(c.values))})
}

func (w *work) weekday(d time.Weekday) string {
	return w.say.text([...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}[d], nil)
}
