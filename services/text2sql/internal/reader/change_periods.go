package reader

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// versusChange decides which periods are set beside each other: that of the earlier
// question and the one that is named or lies so much earlier, else the one before it. Two
// that are named are both taken.
func (b *changer) versusChange() {
	b.told = true
	e := followup.Edit{Do: followup.Compare, Unit: "previous"}
	if len(b.values)+len(b.names) > 0 || len(b.times)+len(b.backs) > 2 || len(b.times) > 0 && len(b.backs) > 0 {
		b.refuse(e, followup.WhyNotOver) // of other things than periods
		return
	}
	var of, with dates.Found
	switch from, to, ok := b.span(); {
	case len(b.times) == 2:
		of, with = b.times[0].what, b.times[1].what
		e.Unit, e.Date = "", &with
		b.d.directed = b.directed
	case !ok:
		b.refuse(e, followup.WhyNoPeriod)
		return
	default:
		of = dates.Found{From: from, To: to, Text: day(from) + " – " + day(to.AddDate(0, 0, -1)), Period: periodOf(from, to)}
		b.d.directed = true
		switch {
		case len(b.times) == 1:
			if with = b.inYear(b.times[0].what); of.Period != "" && with.From.Equal(of.From) && with.To.Equal(of.To) { // "last year" of what was last year's
				with.From, with.To = dates.Back(from, of.Period, 1), from
				break
			}
			e.Unit, e.Date = "", &with
		case len(b.backs) == 1:
			with = of
			with.From, with.To = moved(from, b.backs[0]), moved(to, b.backs[0])
			e.Unit = b.backs[0].unit
		case of.Period != "":
			with = of
			with.From, with.To = dates.Back(from, of.Period, 1), from
		default:
			with = of
			with.From, with.To = from.Add(from.Sub(to)), from
		}
	}
	if of.From.IsZero() || of.To.IsZero() || with.From.IsZero() || with.To.IsZero() {
		b.refuse(e, followup.WhyUnknownTime)
		return
	}
	if x := b.timed(); x != nil { // by which the rows were dated before
		b.d.mentions = []thing{{column: x}}
	}
	failed := b.failed
	before := b.in.Filters
	b.in.Filters = slices.DeleteFunc(slices.Clone(before), b.ofTime)
	b.in.Time = nil
	if b.compareTimes(of, with); b.failed != failed {
		b.in.Filters, b.failed = before, failed
		b.refuse(e, followup.WhyUnknownTime)
		return
	}
	b.times, b.backs, b.against = nil, nil, &e
}

// periodOf is the unit of the calendar that a range of days is one of; empty: of none.
func periodOf(from, to time.Time) string {
	for _, unit := range []string{"day", "week", "month", "quarter", "year"} {
		begins := unit != "week" && from.Day() == 1 || unit == "week" && from.Weekday() == time.Monday || unit == "day"
		if begins && dates.Next(from, unit).Equal(to) {
			return unit
		}
	}
	return ""
}

// againstChange shows each figure beside that of the other period.
func (b *changer) againstChange() {
	if b.against == nil || b.why != nil {
		return
	}
	in := &b.in
	steps := slices.ContainsFunc(in.GroupBy, func(f intent.Field) bool { return f.Grain != "" })
	fits := func(o intent.Output) bool { return !o.Aggregates() || plain(o) && o.Agg != intent.AggShare }
	if len(b.figures()) == 0 || steps || len(in.Having) > 0 || in.Distinct || in.Limit > 0 || slices.ContainsFunc(in.Select, func(o intent.Output) bool { return !fits(o) }) ||
		slices.ContainsFunc(in.OrderBy, func(o intent.Order) bool { return !slices.Contains(in.Select, o.By) }) {
		b.refuse(*b.against, followup.WhyNotOver)
		return
	}
	var list []intent.Output
	for _, o := range in.Select {
		if list = append(list, o); o.Aggregates() {
			list = append(list, o.Against()...)
		}
	}
	in.Select = list
	b.edit(*b.against)
}
