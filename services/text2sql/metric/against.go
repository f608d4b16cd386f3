package metric

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// grows reads a word that says by how much, and which way, a number changed.
func (r *reader) grows(u *unit) {
	r.growth, r.grew = true, r.pos+1
	way := u.arg("growth")
	if prev := r.around(-2); way != "" && r.direction != "" && way != r.direction && prev != nil && prev.is("growth") {
		way, r.eitherWay = "", true // "rose or fell"
		r.direction = ""
	}
	if r.sorting && r.sort == "" && r.super == "" {
		r.sort, r.sorting = "desc", false
	}
	if way != "" && !r.eitherWay {
		r.direction = way
	}
	r.span(u, "comparison", "change "+u.arg("growth"))
}

// moreThan reads "higher", where another period is what it is higher than.
func (r *reader) moreThan(u *unit) bool {
	than := r.versus && r.last == r.pos
	for i := r.pos + 1; i < len(r.units) && !than; i++ {
		p, found, _ := r.match(i)
		than = p != nil && p.Says == "against" && found[0].is("versus")
	}
	if !than {
		return false
	}
	r.higher = u.arg("more")
	r.span(u, "comparison", "which way: "+r.higher)
	return true
}

// against reads the period that another is compared with.
func (r *reader) against(found []*unit) {
	for _, u := range found {
		switch {
		case u.date != nil:
			r.base = u.date
			r.span(u, "time", "against "+day(u.date.From)+" to "+day(u.date.To))
		case u.is("back"):
			if r.back == "" || r.back == "previous" {
				r.back = u.arg("back")
			}
			r.span(u, "comparison", "against the "+r.back+" before")
		case u.is("cmp"):
			r.higher = map[string]string{">": "up", ">=": "up", "best": "better", "worst": "worse"}[u.arg("cmp")]
			if r.higher == "" {
				r.higher = "down"
			}
		}
	}
	r.versus = true
}

// alike reads a period that lies in another as the question's does in its own.
func (r *reader) alike(found []*unit) {
	r.against(found)
	r.same = true
}

// comparison settles with which period the question's is compared.
func (r *reader) comparison() {
	in := &r.out.Intent
	if r.base == nil && r.second != nil && !r.versus && !r.changed() && r.back == "" {
		r.sideBySide()
		return
	}
	if r.base == nil {
		r.base = r.second
	}
	switch {
	case !r.priorFits():
		r.doubt("two periods of different lengths")
	case r.base != nil:
		r.againstRange()
	case r.back != "":
		r.againstBack()
	case r.growth:
		r.againstWhat()
	case r.changed() && r.dated != nil && r.ends():
	default:
		return // things are compared, not periods
	}
	if in.Time == nil || in.Time.Compare == nil {
		return
	}
	r.compares = false
}

// changed reports whether the question is about a change: it says so, whoever asks says
// so, or a movement is said of two periods, as in 9月和10月的变化. A movement within one
// period is its course.
func (r *reader) changed() bool {
	return r.growth || r.chosen.Change || r.moving && r.second != nil && r.besides
}

// twoEnds reads the two periods of "the change between last week and the week before".
func (r *reader) twoEnds(found []*unit) {
	for _, u := range found {
		switch {
		case u.date != nil && r.dated == nil:
			r.date(u)
		case u.date != nil:
			r.second, r.besides = u.date, true
			r.span(u, "time", day(u.date.From)+" to "+day(u.date.To))
		case u.is("back"):
			r.against([]*unit{u})
			r.versus = false
		}
	}
}

// sideBySide shows two periods that follow each other one by one.
func (r *reader) sideBySide() {
	a, b := *r.dated, *r.second
	if b.From.Before(a.From) {
		a, b = b, a
	}
	unit := spanUnit(a)
	if unit == "" || unit != spanUnit(b) || !a.To.Equal(b.From) || !r.besides {
		r.doubt("two ranges of time")
		return
	}
	r.setRange(a.From, b.To, a.Text+" "+b.Text)
	if !r.grained() {
		r.out.Intent.Time.Grain = unit
	}
}

// againstRange compares with a range that is named.
func (r *reader) againstRange() {
	base := *r.base
	unit := spanUnit(base)
	if r.dated == nil { // "compared to last month": this month so far
		if unit == "" || r.grained() {
			r.doubt("a comparison of an unknown period")
			return
		}
		current := soFar(unit, r.now)
		r.dated = &current
		r.setRange(current.From, current.To, base.Text)
		r.assume("this_period")
	}
	cur := *r.dated
	own := spanUnit(cur)
	switch {
	case base.From.IsZero() || cur.From.IsZero() || cur.To.IsZero() || base.To.IsZero():
		r.doubt("a comparison with an open period")
	case cur.From.Equal(base.From) && own != "": // "last week vs the previous week"
		r.step(own, 1)
	case cur.From.Equal(base.From) && cur.To.Equal(base.To): // "the last 7 days vs the previous 7 days"
		r.step("day", length(cur))
	case r.grained():
		r.againstBefore(cur, base)
	case r.same && unit != "":
		r.aligned(cur, base, unit)
	case unit != "" && unit == own && !cur.Today:
		if base.From.After(cur.From) {
			cur, base = base, cur
			r.dated = &cur
			r.setRange(cur.From, cur.To, cur.Text)
		}
		r.range2(base)
	case unit != "" && unit == own: // so far, against as many days
		r.aligned(cur, base, unit)
	case unit != "" && length(base) > length(cur):
		r.aligned(cur, base, unit)
	case length(base) == length(cur):
		r.range2(base)
	default:
		r.doubt("two periods of different lengths")
	}
}

// againstBefore compares each step with that of the period that is named: it
// must be the one before by one of its units.
func (r *reader) againstBefore(cur, base dates.Found) {
	for _, unit := range []string{"day", "week", "month", "quarter", "year"} {
		if dates.Back(cur.From, unit, 1).Equal(base.From) && spanUnit(base) == unit {
			r.step(unit, 1)
			return
		}
	}
	r.doubt("a comparison of steps with a period of another length")
}

// aligned compares with the same days of a longer period.
func (r *reader) aligned(cur, base dates.Found, unit string) {
	for n := 1; n <= maxBack; n++ {
		if from := dates.Back(cur.From, unit, n); !from.Before(base.From) && from.Before(base.To) {
			r.step(unit, n)
			r.assume("same_days")
			return
		}
	}
	r.doubt("two periods of different lengths")
}

// maxBack bounds how many of its units before another period may lie.
const maxBack = 60

func (r *reader) step(unit string, n int) {
	r.time().Compare = &intent.Compare{Unit: unit, N: n}
}

func (r *reader) range2(base dates.Found) {
	r.time().Compare = &intent.Compare{From: day(base.From), To: day(base.To)}
}

func (r *reader) grained() bool {
	return r.out.Intent.Time != nil && r.out.Intent.Time.Grain != ""
}

// againstBack compares with the period so far before.
func (r *reader) againstBack() {
	unit := r.back
	switch {
	case unit == "previous" && r.grained():
		r.step(r.out.Intent.Time.Grain, 1)
		return
	case r.grained():
		r.step(unit, 1)
		return
	case r.dated == nil && (unit == "previous" || unit == "year" || unit == "day"):
		r.out.AskPeriod = true
		return
	case r.dated == nil: // the last full one
		f := dates.Found{Unit: unit, N: 1}
		f.From, f.To = f.Calendar(r.now)
		r.dated = &f
		r.setRange(f.From, f.To, "")
		r.assume("last_full_period")
		r.step(unit, 1)
		return
	}
	own := spanUnit(*r.dated)
	switch {
	case unit == "previous" && own != "":
		r.step(own, 1)
	case unit == "previous" && r.dated.Unit != "":
		r.step(r.dated.Unit, r.dated.N)
	case unit == "previous" && !r.dated.To.IsZero():
		r.step("day", length(*r.dated))
	case unit == "previous":
		r.doubt("a comparison with an open period")
	case length(*r.dated) > length(dates.Found{From: dates.Back(dates.Today(r.now), unit, 1), To: dates.Today(r.now)}) && unit != "year":
		r.time().Grain = unit // "month on month this year"
		r.step(unit, 1)
	default:
		r.step(unit, 1)
	}
	if r.dated.Today {
		r.assume("same_days")
	}
}

// againstWhat settles a change whose other period is not named: over steps of
// time it is from each to the next, else it is asked.
func (r *reader) againstWhat() {
	switch {
	case r.grained():
		r.step(r.out.Intent.Time.Grain, 1)
	case r.chosen.Period != "":
		r.step(r.chosen.Period, 1)
	case r.dated == nil:
		r.out.AskPeriod = true
	case r.ends():
	default:
		r.out.AskBase = true
	}
}

// ends reads the two periods that a change is between, where one range is named by them:
// October is compared with September in "grew from September to October" and in "the
// change between September and October". The days between two days are no two periods.
func (r *reader) ends() bool {
	f := *r.dated
	if f.Ends == "" {
		return false
	}
	first := dates.Found{From: f.From, To: dates.Next(f.From, f.Ends), Text: f.Text, Period: f.Ends}
	last := dates.Found{From: dates.Beginning(f.To.AddDate(0, 0, -1), f.Ends), To: f.To, Text: f.Text, Period: f.Ends, Today: f.Today}
	if first.From.Equal(last.From) {
		return false
	}
	r.dated, r.base = &last, &first
	r.setRange(last.From, last.To, f.Text)
	r.againstRange()
	return true
}

// compareOf is a value as compared with that of the other period.
func compareOf(o intent.Output, agg intent.Agg) intent.Output {
	o.Base, o.Agg = o.Agg, agg
	return o
}

// changes shows each metric beside its other value, the change, and the change as
// a part, and reads what is asked of the change.
func (r *reader) changes() {
	in := &r.out.Intent
	if in.Time == nil || in.Time.Compare == nil || len(in.Select) == 0 {
		return
	}
	r.direction, r.higher = r.towards(r.direction), r.towards(r.higher)
	if r.share > 0 && len(r.values) == 0 && len(in.GroupBy) == 0 { // by what percentage
		r.share = 0
	}
	for _, o := range slices.Clone(in.Select) {
		if o.Agg != intent.AggNone && o.Agg != intent.AggAvg && o.Agg != intent.AggShare {
			r.doubt("a comparison of parts")
			return
		}
		for _, agg := range []intent.Agg{intent.AggPrevious, intent.AggChange, intent.AggChangeRate} {
			in.Select = append(in.Select, compareOf(o, agg))
		}
	}
	if r.share > 0 && r.ofOther() {
		r.doubt("a part of the figure of another time")
	}
	if r.absolute && len(r.names.metricsOf(in.Select)) > 1 {
		r.doubt("what was lost or gained, and to what")
	}
	way := r.higher
	if way == "" && r.growth && !r.grownBy() && (r.super != "" || r.which || r.many || r.filteredGroups()) {
		way = r.direction // what fell the most is among what fell
	}
	if way != "" && len(in.GroupBy) > 0 {
		left := compareOf(in.Select[0], intent.AggChange)
		op := intent.Gt
		if way == "down" {
			op = intent.Lt
		}
		in.Having = append(in.Having, intent.Cond{Op: op, Left: &left, Values: []intent.Literal{{Text: "0", Number: true}}})
	}
}

// grownBy reports whether a threshold is about the change.
func (r *reader) grownBy() bool {
	return slices.ContainsFunc(r.thresholds, func(t threshold) bool { return t.from-r.grew >= 0 && t.from-r.grew <= 1 })
}

// filteredGroups reports whether groups are named together with what they did:
// "countries whose GMV fell".
func (r *reader) filteredGroups() bool {
	return slices.ContainsFunc(r.units, func(u unit) bool {
		return u.is("rel") && (u.tokens[0].Lower == "whose" || u.tokens[0].Lower == "where")
	})
}

// spanUnit is the calendar unit that a range is one of, whole or so far; empty for
// none.
func spanUnit(f dates.Found) string {
	if f.Period != "" || f.From.IsZero() || f.To.IsZero() {
		return f.Period
	}
	return dates.UnitOf(f.From, f.To)
}

// length counts the days of a range.
func length(f dates.Found) int {
	const day = 24 * time.Hour
	return int(f.To.Sub(f.From) / day)
}

// soFar is the current period up to yesterday.
func soFar(unit string, now time.Time) dates.Found {
	f := dates.Found{Unit: unit, N: 1, Period: unit}
	_, f.From = f.Calendar(now)
	f.To = dates.Today(now)
	f.Today = true
	if !f.From.Before(f.To) {
		f.To = f.To.AddDate(0, 0, 1)
	}
	return f
}
