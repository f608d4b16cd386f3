package reader

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// on reports whether a condition compares a column as it is stored.
func on(c intent.Cond, id string) bool {
	return c.Left != nil && c.Left.ID == id && c.Left.Agg == "" && c.Left.Calc == nil && c.Left.When == nil && c.Right == nil && c.Sub == nil
}

// condition finds the condition on a column with one of some operators; -1: there is none.
func (b *changer) condition(id string, ops ...intent.Op) int {
	return slices.IndexFunc(b.in.Filters, func(c intent.Cond) bool { return on(c, id) && slices.Contains(ops, c.Op) })
}

func stored(c intent.Cond) []string {
	var out []string
	for _, v := range c.Values {
		out = append(out, v.Text)
	}
	return out
}

// among is a condition that a column has one of some values, or none of them.
func among(c *schema.Column, values []string, deny bool) intent.Cond {
	left := out("", c)
	cond := intent.Cond{Op: intent.Eq, Left: &left}
	switch {
	case deny && len(values) > 1:
		cond.Op = intent.NotIn
	case deny:
		cond.Op = intent.Ne
	case len(values) > 1:
		cond.Op = intent.In
	}
	for _, s := range values {
		cond.Values = append(cond.Values, intent.Literal{Text: s, Number: semantic.IsNumber(c.Type)})
	}
	return cond
}

// valuesChange changes the conditions on stored values, a column after the other.
func (b *changer) valuesChange() {
	var columns []*schema.Column
	said := map[*schema.Column]map[dealing][]string{}
	for _, v := range b.values {
		c := v.what.column
		if c == nil {
			b.fail("a value of nothing")
			return
		}
		if b.view.Distance(b.root, c.Of) >= plan.Unreachable {
			b.refuse(followup.Edit{Do: followup.SetValue, Field: field(c), Values: v.what.stored}, followup.WhyNoJoin)
			return
		}
		if v.what.part {
			b.cost += costPartial
			b.note("begins_with", v.what.stored...)
		}
		if said[c] == nil {
			said[c] = map[dealing][]string{}
			columns = append(columns, c)
		}
		list := v.what.stored
		if len(list) == 0 {
			list = []string{v.what.quoted}
		}
		for _, s := range list {
			if !slices.Contains(said[c][v.how], s) {
				said[c][v.how] = append(said[c][v.how], s)
			}
		}
	}
	for _, c := range columns {
		b.valueChange(c, said[c])
	}
}

func (b *changer) valueChange(c *schema.Column, said map[dealing][]string) {
	at, no := b.condition(c.ID, intent.Eq, intent.In), b.condition(c.ID, intent.Ne, intent.NotIn)
	var have, denied []string
	if at >= 0 {
		have = stored(b.in.Filters[at])
	}
	if no >= 0 {
		denied = stored(b.in.Filters[no])
	}
	set, add, drop := said[replacing], said[adding], said[leaving]
	if len(set) > 0 {
		e := followup.Edit{Do: followup.SetValue, Field: field(c), Values: set}
		if len(drop) > 0 && !within(have, drop) { // "Alsace, not Brittany" says what Alsace takes the place of
			b.refuse(followup.Edit{Do: followup.DropValue, Field: field(c), Values: drop}, followup.WhyNotFiltered)
			return
		}
		b.in.Filters = slices.DeleteFunc(b.in.Filters, func(x intent.Cond) bool { return on(x, c.ID) && x.Op != intent.NotNull })
		b.filter(among(c, set, false))
		b.edit(e)
		return
	}
	if len(add) > 0 {
		b.addValues(c, at, no, have, denied, add)
		return
	}
	b.dropValues(c, at, no, have, denied, drop)
}

func (b *changer) addValues(c *schema.Column, at, no int, have, denied, add []string) {
	e := followup.Edit{Do: followup.AddValue, Field: field(c), Values: add}
	switch {
	case at >= 0 && within(have, add), at < 0 && no < 0 && slices.Contains(b.in.GroupBy, field(c)):
		b.refuse(e, followup.WhyAllThere)
	case at >= 0:
		b.in.Filters[at] = among(c, append(have, missing(have, add)...), false)
		b.edit(e)
	case no >= 0:
		switch left := missing(add, denied); len(left) {
		case len(denied): // they were never left out
			b.refuse(e, followup.WhyAllThere)
			return
		case 0:
			b.in.Filters = slices.Delete(b.in.Filters, no, no+1)
		default:
			b.in.Filters[no] = among(c, left, true)
		}
		b.edit(e)
	default: // one more condition, which nothing but "also" says
		b.cost += costGuess
		b.filter(among(c, add, false))
		b.edit(followup.Edit{Do: followup.SetValue, Field: field(c), Values: add})
	}
}

func (b *changer) dropValues(c *schema.Column, at, no int, have, denied, drop []string) {
	e := followup.Edit{Do: followup.DropValue, Field: field(c), Values: drop}
	switch {
	case at >= 0 && !within(have, drop):
		b.refuse(e, followup.WhyNotFiltered)
	case at >= 0 && len(missing(drop, have)) > 0:
		b.in.Filters[at] = among(c, missing(drop, have), false)
		b.edit(e)
	case at >= 0 && (b.takesBack || b.fork(2) == 0): // it was all that was asked for: any value, or any other one?
		b.in.Filters = slices.Delete(b.in.Filters, at, at+1)
		b.edit(followup.Edit{Do: followup.DropFilter, Field: field(c)})
	case at >= 0:
		b.in.Filters[at] = among(c, drop, true)
		b.edit(e)
	case no >= 0 && b.takesBack: // they were left out, and are not any more
		if left := missing(drop, denied); len(left) > 0 {
			b.in.Filters[no] = among(c, left, true)
		} else {
			b.in.Filters = slices.Delete(b.in.Filters, no, no+1)
		}
		b.edit(followup.Edit{Do: followup.DropFilter, Field: field(c)})
	case no >= 0:
		b.in.Filters[no] = among(c, append(denied, missing(denied, drop)...), true)
		b.edit(e)
	default:
		b.filter(among(c, drop, true))
		b.edit(e)
	}
}

// within reports whether all of some are among others.
func within(have, want []string) bool { return len(missing(have, want)) == 0 }

// missing are those of want that are not among have.
func missing(have, want []string) []string {
	var list []string
	for _, w := range want {
		if !slices.Contains(have, w) {
			list = append(list, w)
		}
	}
	return list
}

// ofTime reports whether a condition is one of when: on days, or on years and months.
func (b *changer) ofTime(c intent.Cond) bool {
	if c.Op == intent.And {
		return len(c.Args) > 0 && !slices.ContainsFunc(c.Args, func(a intent.Cond) bool { return !b.ofTime(a) })
	}
	if c.Left == nil || c.Sub != nil || c.Right != nil || c.Left.Agg != "" {
		return false
	}
	x := b.view.ColumnOf(c.Left.ID)
	return x != nil && len(c.Values) > 0 && (x.Time || x.Nature == schema.Calendar)
}

// timed is the first column of days that the intent compares or is cut by; nil: none.
func (b *changer) timed() *schema.Column {
	for _, c := range b.in.Filters {
		if b.ofTime(c) && c.Left != nil {
			if x := b.view.ColumnOf(c.Left.ID); x.Time {
				return x
			}
		}
	}
	for _, f := range b.in.GroupBy {
		if x := b.view.ColumnOf(f.ID); x != nil && x.Time {
			return x
		}
	}
	return nil
}

// whenItHappened changes when that was by which rows are kept, "without visits in 2026", to
// another time, or leaves it out where that is nil. It reports whether it was at any time.
func (b *changer) whenItHappened(f *dates.Found) bool {
	if slices.ContainsFunc(b.in.Filters, b.ofTime) {
		return false
	}
	for i, c := range b.in.Filters {
		if c.Sub == nil {
			continue
		}
		at := slices.IndexFunc(c.Sub.Filters, b.ofTime)
		if at < 0 || c.Sub.Filters[at].Left == nil {
			continue
		}
		day := b.view.ColumnOf(c.Sub.Filters[at].Left.ID)
		sub := *c.Sub // that of the earlier question stays
		sub.Filters = slices.DeleteFunc(slices.Clone(sub.Filters), b.ofTime)
		if f != nil {
			sub.Filters = append(sub.Filters, during(day, *f)...)
		}
		b.in.Filters[i].Sub = &sub
		return true
	}
	return false
}

// datedBy takes a column of days that is named beside a time for what the time is of: "signed up
// in 2023" asks for no split by the day, and "in 2023, by sign-up date" hardly does where the answer
// is split by something else.
func (b *changer) datedBy() {
	if len(b.times) != 1 || b.times[0].how == leaving {
		return
	}
	of := func(n dealt[thing]) bool { return n.what.column != nil && n.what.column.Time && n.how != leaving }
	if at := slices.IndexFunc(b.names, of); at >= 0 && b.view.Distance(b.root, b.names[at].what.column.Of) < plan.Unreachable {
		b.dated = b.names[at].what.column
		b.names = slices.Delete(b.names, at, at+1)
		return
	}
	at := slices.IndexFunc(b.groups, func(g dealt[grouping]) bool {
		return g.what.grain == "" && g.what.column != nil && g.what.column.Time && g.how == replacing
	})
	switch {
	case at < 0 || len(b.in.GroupBy) == 0 || b.trend() || b.view.Distance(b.root, b.groups[at].what.column.Of) >= plan.Unreachable:
	case b.fork(2) == 0:
		b.dated = b.groups[at].what.column
		b.groups = slices.Delete(b.groups, at, at+1)
	default:
		b.cost += costGuess
	}
}

// timesChange changes when things were.
func (b *changer) timesChange() {
	for _, s := range b.backs {
		b.shiftTime(s)
	}
	if len(b.times) > 1 {
		b.fail("two times")
		return
	}
	for _, t := range b.times {
		b.timeChange(t.what, t.how)
	}
}

func (b *changer) timeChange(f dates.Found, how dealing) {
	e := followup.Edit{Do: followup.SetRange, Date: &f}
	switch how {
	case leaving:
		before := len(b.in.Filters)
		b.in.Filters = slices.DeleteFunc(b.in.Filters, b.ofTime)
		b.in.Time = nil
		if len(b.in.Filters) == before && !b.whenItHappened(nil) {
			b.refuse(followup.Edit{Do: followup.DropFilter, Date: &f}, followup.WhyNotFiltered)
			return
		}
		b.edit(followup.Edit{Do: followup.AllTime})
		return
	case adding:
		b.refuse(e, followup.WhyUnknownTime)
		return
	}
	f = b.openEnded(b.inYear(f))
	if b.whenItHappened(&f) {
		e.Date = &f
		b.edit(e)
		return
	}
	only := func(c intent.Cond) bool { return b.ofTime(c) }
	if months := b.calendar("month"); months != nil && b.day() == nil && f.Period == "month" && !digitsIn(f.Text) {
		only = func(c intent.Cond) bool { return b.ofTime(c) && c.Left != nil && c.Left.ID == months.ID } // the year stays
	}
	switch x := b.timed(); {
	case b.dated != nil: // another time than that before stays beside it
		b.d.mentions = []thing{{column: b.dated}}
		only = func(c intent.Cond) bool { return b.ofTime(c) && c.Left != nil && c.Left.ID == b.dated.ID }
	case x != nil: // by which the rows were dated before
		b.d.mentions = []thing{{column: x}}
	}
	b.in.Filters = slices.DeleteFunc(b.in.Filters, only)
	b.in.Time = nil
	failed := b.failed
	b.composer.within(f)
	if b.failed != failed {
		b.refuse(e, followup.WhyUndated)
		return
	}
	e.Date = &f
	b.edit(e)
}

func digitsIn(text string) bool {
	return strings.ContainsAny(text, "0123456789")
}

// inYear puts a month that is named without its year into the year that the earlier
// question was about.
func (b *changer) inYear(f dates.Found) dates.Found {
	from, to, ok := b.span()
	if !ok || f.Period != "month" || digitsIn(f.Text) || f.From.IsZero() || from.Year() != to.AddDate(0, 0, -1).Year() || from.Year() == f.From.Year() {
		return f
	}
	if !f.From.Before(dates.Today(b.now).AddDate(-1, 0, 0)) && relative(f.Text) {
		return f
	}
	years := from.Year() - f.From.Year()
	f.From, f.To = f.From.AddDate(years, 0, 0), f.To.AddDate(years, 0, 0)
	return f
}

// relative reports whether a month is named by how far it lies back.
func relative(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"last", "this", "previous", "past", "current", "上", "本", "这", "当", "今", "去", "前", "昨"}, func(w string) bool { return strings.Contains(lower, w) })
}

// span is the range of days that the intent is limited to.
func (b *changer) span() (from, to time.Time, ok bool) {
	for _, c := range b.in.Filters {
		if !b.ofTime(c) || c.Left == nil || len(c.Values) != 1 {
			continue
		}
		day, err := time.Parse(time.DateOnly, c.Values[0].Text)
		if err != nil {
			continue
		}
		switch c.Op {
		case intent.Ge:
			from = day
		case intent.Lt:
			to = day
		}
	}
	return from, to, !from.IsZero() && !to.IsZero()
}

// shiftTime moves the range by a unit.
func (b *changer) shiftTime(s shift) {
	e := followup.Edit{Do: followup.ShiftRange, Unit: s.unit}
	if from, to, ok := b.span(); ok {
		from, to = moved(from, s), moved(to, s)
		b.timeChange(dates.Found{From: from, To: to, Text: day(from) + " – " + day(to.AddDate(0, 0, -1))}, replacing)
		return
	}
	for i, c := range b.in.Filters {
		if x := columnOf(b.view, c); x != nil && x.Nature == schema.Calendar && c.Op == intent.Eq && len(c.Values) == 1 && s.unit == "year" && len(c.Values[0].Text) == 4 {
			n, err := strconv.ParseInt(c.Values[0].Text, 10, 64)
			if err != nil {
				continue
			}
			c.Values = []intent.Literal{{Text: itoa(n + int64(s.n)), Number: c.Values[0].Number}}
			b.in.Filters[i] = c
			b.edit(followup.Edit{Do: followup.SetValue, Field: field(x), Values: stored(c)})
			return
		}
	}
	b.refuse(e, followup.WhyNoPeriod)
}

func columnOf(v *schema.View, c intent.Cond) *schema.Column {
	if c.Left == nil {
		return nil
	}
	return v.ColumnOf(c.Left.ID)
}

func moved(t time.Time, s shift) time.Time {
	switch s.unit {
	case "year":
		return t.AddDate(s.n, 0, 0)
	case "quarter":
		return t.AddDate(0, 3*s.n, 0)
	case "month":
		return t.AddDate(0, s.n, 0)
	case "week":
		return t.AddDate(0, 0, 7*s.n)
	}
	return t.AddDate(0, 0, s.n)
}

// boundsChange adds comparisons with numbers: of figures where there are groups, else
// of columns. A comparison takes the place of an earlier one of the same kind on the
// same thing.
func (b *changer) boundsChange() {
	for i := range b.compared {
		b.boundChange(&b.compared[i])
	}
	for _, x := range b.contains {
		left := out("", x.column)
		b.filter(intent.Cond{Op: intent.Contains, Left: &left, Values: []intent.Literal{{Text: x.text}}})
		b.edit(followup.Edit{Do: followup.SetValue, Field: field(x.column), Values: []string{x.text}})
	}
}

func (b *changer) boundChange(x *compared) {
	figures := b.figures()
	var cond intent.Cond
	for _, n := range x.number {
		cond.Values = append(cond.Values, number(n))
	}
	cond.Op = x.op
	e := followup.Edit{Do: followup.Bound, Cond: &cond}
	figure := -1
	for i, f := range figures {
		if x.unit != nil && f.Agg == intent.AggCount { // "more than 60 minutes" are no rows
			continue
		}
		if c := x.column; c == nil && (x.table == nil || f.Kind == intent.KindEntity && f.ID == x.table.ID) || c != nil && f.ID == c.ID && f.Agg != intent.AggCountDistinct {
			figure = i
		}
	}
	switch {
	case x.table != nil && len(b.in.GroupBy) > 0:
		o, ok := b.countOf(measure{agg: intent.AggCount, thing: x.thing})
		if !ok {
			return
		}
		cond.Left = &o
		b.in.Having = append(slices.DeleteFunc(b.in.Having, func(y intent.Cond) bool { return y.Left != nil && *y.Left == o && sameSide(y.Op, cond.Op) }), cond)
		b.edit(e)
	case figure >= 0 && len(b.in.GroupBy) > 0 && (x.column == nil || len(figures) == 1):
		left := figures[figure]
		cond.Left = &left
		if c := b.view.ColumnOf(left.ID); c != nil && x.unit != nil {
			for i, v := range cond.Values {
				cond.Values[i] = number(b.inUnit(v.Text, x.unit, c))
			}
		}
		b.in.Having = slices.DeleteFunc(b.in.Having, func(o intent.Cond) bool {
			return o.Left != nil && *o.Left == left && sameSide(o.Op, cond.Op)
		})
		b.in.Having = append(b.in.Having, cond)
		b.edit(e)
	case x.column != nil && x.column.Numeric() && x.column.Nature != schema.Identifier:
		b.in.Filters = slices.DeleteFunc(b.in.Filters, func(o intent.Cond) bool {
			return on(o, x.column.ID) && sameSide(o.Op, x.op) || x.column.Nature == schema.Calendar && b.ofTime(o)
		})
		before := len(b.in.Filters)
		b.compare(x, nil)
		if len(b.in.Filters) > before {
			added := b.in.Filters[len(b.in.Filters)-1]
			b.edit(followup.Edit{Do: followup.Bound, Cond: &added})
		}
	case x.column == nil && x.table == nil && b.boundBefore(cond) >= 0: // another number for the same comparison
		at := b.boundBefore(cond)
		cond.Left = b.in.Filters[at].Left
		b.in.Filters[at] = cond
		b.edit(e)
	case x.column == nil && x.table == nil && b.boundOtherwise(cond) >= 0: // from the other side, so that no row is left of the one before
		at := b.boundOtherwise(cond)
		cond.Left = b.in.Filters[at].Left
		b.in.Filters[at] = cond
		b.edit(e)
	case x.column == nil && x.table == nil && len(figures) == 0 && len(b.in.OrderBy) > 0 && b.in.OrderBy[0].By.Agg == "" && b.orderedByNumber():
		left := b.in.OrderBy[0].By
		cond.Left = &left
		b.filter(cond)
		b.edit(e)
	default:
		b.fail("a comparison of what is not said")
		b.refuse(followup.Edit{Do: followup.Bound}, followup.WhyNotSaid)
	}
}

// orderedByNumber reports whether rows come in the order of a column of numbers.
func (b *changer) orderedByNumber() bool {
	c := b.view.ColumnOf(b.in.OrderBy[0].By.ID)
	return c != nil && c.Numeric()
}

// boundOtherwise finds the one number that the earlier question limits from the other side, where no
// row could meet both: "under 30", and then "40 and over". -1: there is none.
func (b *changer) boundOtherwise(c intent.Cond) int {
	other := map[intent.Op]intent.Op{intent.Lt: intent.Gt, intent.Le: intent.Gt, intent.Gt: intent.Lt, intent.Ge: intent.Lt}[c.Op]
	if other == "" || len(c.Values) != 1 {
		return -1
	}
	at := b.boundBefore(intent.Cond{Op: other})
	if at < 0 || len(b.in.Filters[at].Values) != 1 {
		return -1
	}
	left := b.in.Filters[at]
	both := c
	both.Left = left.Left
	if intent.Impossible([]intent.Cond{left, both}) == nil {
		return -1
	}
	return at
}

// boundBefore finds the one condition of the earlier question that limits a number from the same
// side; -1: there is none, or more than one.
func (b *changer) boundBefore(c intent.Cond) int {
	found := -1
	for i, f := range b.in.Filters {
		if f.Left == nil || !on(f, f.Left.ID) || b.ofTime(f) || !sameSide(f.Op, c.Op) || len(f.Values) == 0 || !f.Values[0].Number || f.Op == intent.Eq {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// sameSide reports whether two comparisons limit a number from the same side.
func sameSide(a, b intent.Op) bool {
	side := map[intent.Op]int{intent.Lt: 1, intent.Le: 1, intent.Gt: 2, intent.Ge: 2, intent.Eq: 3, intent.Between: 3}
	return side[a]&side[b] != 0
}
