package analyse

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// gaps tells of periods that have no row at all: inside the series, and up to the
// ends of the asked range where that is known. Periods at the end that are over
// and not there are late data; the present one is neither.
func (w *work) gaps() {
	if w.shape.grain < result.GrainHour || len(w.shape.moments) < 2 {
		return
	}
	present := map[int64]bool{}
	for _, t := range w.shape.moments {
		present[t.Unix()] = true
	}
	first := slices.MinFunc(w.shape.moments, time.Time.Compare)
	last := slices.MaxFunc(w.shape.moments, time.Time.Compare)

	var missing []time.Time
	expected := 0
	for t := w.firstAsked(first); !t.After(last) && expected < maxExpected; t = w.shape.grain.Next(t) {
		expected++
		if !present[t.Unix()] {
			missing = append(missing, t)
		}
	}
	w.late(last)
	if len(missing) == 0 || float64(len(missing)) > maxMissingShare*float64(expected) {
		return
	}
	a := args{
		"n": count(len(missing)), "unit": w.period(1), "units": w.period(expected),
		"expected": count(expected), "list": w.periods(missing),
	}
	w.find("missing_"+w.grainName()+"s", "find_missing", a, map[string]float64{"missing": float64(len(missing)), "expected": float64(expected)})
	w.warn(WarnMissing, "warn_missing", a)
}

// firstAsked is the first period of the asked range, if that begins before the
// series does and by whole periods.
func (w *work) firstAsked(first time.Time) time.Time {
	from := w.Asked.From
	if from.IsZero() || !from.Before(first) || w.shape.grain == result.GrainWeek {
		return first
	}
	t := from
	for steps := 0; t.Before(first) && steps < maxExpected; steps++ {
		t = w.shape.grain.Next(t)
	}
	if !t.Equal(first) {
		return first
	}
	return from
}

// late warns when the series ends before the last period that is over and asked.
func (w *work) late(last time.Time) {
	if w.Asked.To.IsZero() || w.Limited || w.Picked || w.Now.IsZero() {
		return
	}
	end := w.Asked.To
	if w.Now.Before(end) {
		end = w.Now
	}
	var lastDue time.Time
	for t, steps := w.shape.grain.Next(last), 0; !w.shape.grain.Next(t).After(end) && steps < maxExpected; t, steps = w.shape.grain.Next(t), steps+1 {
		lastDue = t
	}
	if !lastDue.IsZero() {
		w.warn(WarnLate, "warn_late", args{"last": w.at(last), "end": w.at(lastDue)})
	}
}

func (w *work) grainName() string {
	switch w.shape.grain {
	case result.GrainHour:
		return "hour"
	case result.GrainWeek:
		return "week"
	case result.GrainMonth:
		return "month"
	case result.GrainQuarter:
		return "quarter"
	case result.GrainYear:
		return "year"
	}
	return "day"
}
