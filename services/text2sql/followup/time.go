package followup

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// when changes the range, the grain or the comparison.
func (a *applier) when(e Edit) Why {
	in := a.in
	t := intent.Time{}
	if in.Time != nil {
		t = *in.Time
	}
	switch e.Do {
	case SetRange:
		if e.Date == nil { // "without last week"
			return WhyNotFiltered
		}
		t.From, t.To = calendar(e.Date, t.Grain, a.over.Now)
		t.Text = e.Date.Text
		if t.Compare != nil && t.Compare.Unit == "" { // it was with a range of its own
			return WhyUnknownTime
		}
	case ShiftRange:
		from, to, why := shifted(t, e.Unit)
		if why != "" {
			return why
		}
		t.From, t.To, t.Text = from, to, ""
	case AllTime:
		if t.Compare != nil {
			return WhyNoPeriod
		}
		t.From, t.To, t.Text = "", "", ""
	case SetGrain:
		a.regrain(t.Grain, e.Unit)
		t.Grain = e.Unit
	case DropGrain:
		if t.Grain == "" || e.Unit != t.Grain {
			return WhyNotFiltered
		}
		a.regrain(t.Grain, "")
		t.Grain = ""
	case Compare:
		if slices.ContainsFunc(in.Select, func(o intent.Output) bool {
			return o.Agg != intent.AggNone && o.Agg != intent.AggShare && o.Agg != intent.AggAvg && !ofComparison(o)
		}) {
			return WhyNoComparison
		}
		c, why := a.compare(t, e)
		if why != "" {
			return why
		}
		t.Compare = &c
	case NoCompare:
		if t.Compare == nil {
			return WhyNotFiltered
		}
		t.Compare = nil
		in.Having = slices.DeleteFunc(in.Having, func(c intent.Cond) bool { return c.Left != nil && ofComparison(*c.Left) })
		in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return ofComparison(o.By) })
	}
	in.Time = &t
	if t == (intent.Time{}) {
		in.Time = nil
	}
	return ""
}

// ofComparison reports whether a figure is one of a comparison.
func ofComparison(o intent.Output) bool {
	return o.Agg == intent.AggPrevious || o.Agg == intent.AggChange || o.Agg == intent.AggChangeRate
}

// compared shows each metric with that of the period it is compared with, as long as
// there is one.
func (a *applier) compared() {
	in := a.in
	in.Select = slices.DeleteFunc(in.Select, ofComparison)
	if in.Time == nil || in.Time.Compare == nil {
		return
	}
	for _, o := range slices.Clone(in.Select) {
		for _, agg := range []intent.Agg{intent.AggPrevious, intent.AggChange, intent.AggChangeRate} {
			c := o
			c.Base, c.Agg = o.Agg, agg
			in.Select = append(in.Select, c)
		}
	}
}

// regrain cuts what stood by the old grain by the new one.
func (a *applier) regrain(before, now string) {
	cut := func(f intent.Field) intent.Field {
		if f.Kind == intent.KindTime && f.Grain == before {
			f.Grain = now
		}
		return f
	}
	in := a.in
	for i := range in.OrderBy {
		in.OrderBy[i].By.Field = cut(in.OrderBy[i].By.Field)
	}
	for i := range in.LimitPer {
		in.LimitPer[i] = cut(in.LimitPer[i])
	}
	gone := func(f intent.Field) bool { return f.Kind == intent.KindTime && f.Grain == "" }
	in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return gone(o.By.Field) })
	in.LimitPer = slices.DeleteFunc(in.LimitPer, gone)
}

// compare finds with what the period is compared: the one before, the same days some
// units earlier, or, with a grain, each step with the one so much earlier.
func (a *applier) compare(t intent.Time, e Edit) (intent.Compare, Why) {
	from, errFrom := time.Parse(time.DateOnly, t.From)
	to, errTo := time.Parse(time.DateOnly, t.To)
	ranged := errFrom == nil && errTo == nil
	unit := e.Unit
	switch {
	case !ranged && t.Grain == "":
		return intent.Compare{}, WhyNoPeriod
	case e.Date != nil:
		return a.compareWith(from, to, ranged, t.Grain, e.Date)
	case unit == "previous" && t.Grain != "":
		unit = t.Grain
	case unit == "previous":
		if unit = dates.UnitOf(from, to); unit == "" { // as many days before
			days := int(to.Sub(from).Hours() / 24)
			return intent.Compare{Unit: "day", N: days}, ""
		}
	}
	if t.Grain != "" && rank(unit) < rank(t.Grain) {
		return intent.Compare{}, WhyUnknownTime
	}
	return intent.Compare{Unit: unit, N: 1}, ""
}

// shifted is a range so much earlier: by a unit, or by its own length.
func shifted(t intent.Time, unit string) (from, to string, why Why) {
	a, errFrom := time.Parse(time.DateOnly, t.From)
	b, errTo := time.Parse(time.DateOnly, t.To)
	if errFrom != nil || errTo != nil || t.Compare != nil && t.Compare.Unit == "" {
		return "", "", WhyNoPeriod
	}
	if unit == "previous" {
		if unit = dates.UnitOf(a, b); unit == "" {
			return dayOf(a.Add(-b.Sub(a))), dayOf(a), ""
		}
	}
	return dayOf(dates.Back(a, unit, 1)), dayOf(dates.EndBack(b, unit, 1)), ""
}

// compareWith compares with a period that is named: its unit says how far back the
// same days lie.
func (a *applier) compareWith(from, to time.Time, ranged bool, grain string, f *dates.Found) (intent.Compare, Why) {
	base, end := f.From, f.To
	if base.IsZero() || end.IsZero() {
		return intent.Compare{}, WhyUnknownTime
	}
	if own := dates.UnitOf(base, end); ranged && own != "" && base.Equal(from) && end.Equal(to) { // with itself: the one before is meant
		return intent.Compare{Unit: own, N: 1}, ""
	}
	if !ranged { // steps against the steps of the unit that is named
		if unit := dates.UnitOf(base, end); unit != "" && rank(unit) >= rank(grain) {
			return intent.Compare{Unit: unit, N: 1}, ""
		}
		return intent.Compare{}, WhyUnknownTime
	}
	for _, unit := range []string{"year", "quarter", "month", "week", "day"} {
		if dates.UnitOf(base, end) != unit {
			continue
		}
		for n := 1; n <= maxBack; n++ {
			if at := dates.Back(from, unit, n); !at.Before(base) && at.Before(end) {
				if grain != "" && rank(unit) < rank(grain) {
					return intent.Compare{}, WhyUnknownTime
				}
				return intent.Compare{Unit: unit, N: n}, ""
			}
		}
	}
	if grain == "" && end.Sub(base) == to.Sub(from) && !base.Equal(from) {
		return intent.Compare{From: dayOf(base), To: dayOf(end)}, ""
	}
	return intent.Compare{}, WhyUnknownTime
}

// maxBack bounds how many of its units before another period may lie.
const maxBack = 60

var units = []string{"hour", "day", "week", "month", "quarter", "year"}

func rank(unit string) int { return slices.Index(units, unit) }
