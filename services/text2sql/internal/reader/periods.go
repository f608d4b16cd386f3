package reader

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// A comparison of two periods over tables: "payments this year versus last". Each figure
// is shown for the first of them beside that of the second, with the change.

// comparesTimes reports whether two times are to be set beside each other. Where the
// figures are wanted by steps of time each step is shown by itself.
func (b *composer) comparesTimes() bool {
	if !b.d.compares || len(b.d.times) != 2 || b.d.share >= 0 || len(b.d.bests) > 0 {
		return false
	}
	a, o := b.d.times[0], b.d.times[1]
	return !a.From.IsZero() && !a.To.IsZero() && !o.From.IsZero() && !o.To.IsZero() && !slices.ContainsFunc(b.d.groups, func(g grouping) bool { return g.grain != "" })
}

// compareTimes sets a period beside another. Where it is not said which way, the earlier
// one is what the later one is compared with. A period that goes on is compared with the
// same days of the other.
func (b *composer) compareTimes(of, with dates.Found) {
	c := b.day()
	if c == nil {
		b.fail("nothing is dated")
		return
	}
	of, with = inYearOf(of, with), inYearOf(with, of)
	if !b.d.directed && of.From.Before(with.From) {
		of, with = with, of
	}
	later, earlier := &of, &with
	if later.From.Before(earlier.From) {
		later, earlier = earlier, later
	}
	if !excludes(*earlier, *later) {
		b.fail("periods that have days in common")
		return
	}
	if today := dates.Today(b.now); later.To.After(today) || later.To.Equal(today) && later.Period != "" && later.To.Before(dates.Next(later.From, later.Period)) {
		if later.To = today; !later.From.Before(today) {
			b.fail("a period that has not begun")
			return
		}
		if to := sameDays(*earlier, *later); to.Before(earlier.To) {
			earlier.To = to
			b.note("same_days")
		}
	}
	b.in.Time = &intent.Time{
		From: day(of.From), To: day(of.To), Text: of.Text, By: c.ID,
		Compare: &intent.Compare{From: day(with.From), To: day(with.To)},
	}
	b.note("compared_periods", day(of.From), day(of.To.AddDate(0, 0, -1)), day(with.From), day(with.To.AddDate(0, 0, -1)))
}

// inYearOf puts a period that is named without its year into that of the other, where that
// one's is said: "Q1 compared with Q2 2030".
func inYearOf(f, other dates.Found) dates.Found {
	if f.Period != "month" && f.Period != "quarter" || saysYear(f.Text) || !saysYear(other.Text) || relative(f.Text) || f.From.Year() == other.From.Year() {
		return f
	}
	years := other.From.Year() - f.From.Year()
	f.From = f.From.AddDate(years, 0, 0)
	f.To = dates.Next(f.From, f.Period)
	return f
}

// saysYear reports whether an expression of time has a year of four digits.
func saysYear(text string) bool {
	return slices.ContainsFunc(language.Split(text), func(t language.Token) bool { return t.Kind == language.Number && len(t.Text) == len("2006") })
}

// sameDays is where an earlier period ends that is compared with a later one as far as that
// one has come: on the same day of its year or month, else after as many days.
func sameDays(earlier, later dates.Found) time.Time {
	if earlier.Period == later.Period && later.Period != "" {
		for n := 1; n <= maxBack; n++ {
			if from := dates.Back(later.From, later.Period, n); from.Equal(earlier.From) {
				return dates.Back(later.To, later.Period, n)
			}
		}
	}
	return earlier.From.Add(later.To.Sub(later.From))
}

// maxBack bounds how many of its units before another period may lie.
const maxBack = 60

// valuesApart takes values of one column that are to be compared for groups: "compare the
// loans in Leith and Portobello".
func (b *composer) valuesApart() {
	d := b.d
	if d.differs || len(d.times) == 2 || len(d.groups) > 0 || d.each || len(d.values) < 2 || !d.compares && !b.allValues() {
		return
	}
	for _, v := range d.values {
		if v.column == nil || v.deny || v.column != d.values[0].column {
			return
		}
	}
	d.each, d.against = true, true
}

// allValues reports whether all values of a column are listed with "and": the number of women and men together
// is that of all, and nobody asks for it by them.
func (b *composer) allValues() bool {
	d := b.d
	if len(d.counts) != 1 || len(d.aggs) > 0 || d.values[0].column == nil || d.share >= 0 || len(d.bests) > 0 || d.rival != nil || b.sides != nil {
		return false
	}
	stored := map[string]bool{}
	for _, v := range d.values {
		if v.deny || v.part || !v.and {
			return false
		}
		for _, s := range v.stored {
			stored[s] = true
		}
	}
	c := d.values[0].column
	return len(stored) > 1 && len(stored) == len(c.Values) && c.Distinct == int64(len(stored))
}

// composeComparison shows figures of two periods beside each other.
func (b *composer) composeComparison(measures []intent.Output, groups []intent.Field) {
	if len(measures) == 0 {
		measures = []intent.Output{b.inAll()}
	}
	if b.failed != "" {
		return
	}
	if len(b.in.Having) > 0 || b.d.limit != "" || b.d.distinct || len(b.in.GroupBy) > 0 {
		b.fail("a comparison of periods with more than groups")
		return
	}
	b.composeMeasures(measures, groups)
	for _, m := range measures {
		if !m.Aggregates() || m.Calc != nil || m.Per.ID != "" {
			b.fail("a comparison of what is no figure")
			return
		}
		at := slices.Index(b.in.Select, m)
		b.in.Select = slices.Insert(b.in.Select, at+1, m.Against()...)
	}
}

// inAll is the figure that is compared where none is asked for: the sum of the amount that
// is named, or of the one amount of money of rows that are called as money is
// ("payments"), else the number of the rows.
func (b *composer) inAll() intent.Output {
	b.d.mentions = append(b.d.mentions, b.d.targets...) // "what was the revenue": as if it were named alone
	b.d.targets = nil
	switch c := b.amount(); {
	case c == nil:
	case c.Nature == schema.Amount:
		b.cost += costSum
		b.note("summed", c.Expr)
		return out(intent.AggSum, c)
	case c.Nature == schema.Level:
		b.cost += costSum
		b.note("averaged", c.Expr)
		return out(intent.AggAvg, c)
	}
	if slices.ContainsFunc(b.d.mentions, func(t thing) bool {
		return t.column != nil && t.column.Numeric() && t.column.Nature != schema.Identifier
	}) {
		b.fail("a comparison of what is not said")
		return intent.Output{}
	}
	if c := b.money(b.root); c != nil {
		b.cost += costSum
		b.note("summed", c.Expr)
		return out(intent.AggSum, c)
	}
	if !slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.table == b.root || t.column != nil && t.column.Of == b.root }) {
		b.fail("a comparison of what is not said")
	}
	if slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.beside && t.table == b.root }) {
		b.fail("rows that a word beside their name is of")
	}
	return b.rows()
}

// money is the one amount of money of a table whose rows are called as money is; nil:
// there is none, or more.
func (b *composer) money(t *schema.Table) *schema.Column {
	words := schema.SplitName(t.Names.EN)
	if !slices.ContainsFunc(words, func(w string) bool { return b.reader.language.Alike(w, "amount") }) {
		return nil
	}
	var found *schema.Column
	for _, c := range t.Columns {
		if b.reader.holdsMoney(c) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// holdsMoney reports whether a column is an amount of money, by its unit or its name.
func (r *Reader) holdsMoney(c *schema.Column) bool {
	return c.Nature == schema.Amount && (c.Money || r.takings(c))
}

// takings reports whether a column is called as amounts of money that were taken or spent are, and not as
// a part of them is.
func (r *Reader) takings(c *schema.Column) bool {
	return slices.ContainsFunc(c.Words(), func(w string) bool { return r.language.Alike(w, "amount") })
}

// periodsKept takes the comparison out of an earlier question that sets two periods beside
// each other, so that a change is made of its own period alone. again puts it back into what
// comes of that: where the time is another one, that has taken its place, and so has a list.
func periodsKept(prev *intent.Intent) (plain *intent.Intent, again func(*intent.Intent)) {
	if !prev.ComparesPeriods() {
		return prev, func(*intent.Intent) {}
	}
	in := copied(*prev)
	in.Select = slices.DeleteFunc(in.Select, intent.Output.OfComparison)
	left := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: prev.Time.By}}
	own := []intent.Cond{
		{Op: intent.Ge, Left: &left, Values: []intent.Literal{{Text: prev.Time.From, Date: true}}},
		{Op: intent.Lt, Left: &left, Values: []intent.Literal{{Text: prev.Time.To, Date: true}}},
	}
	in.Filters = append(in.Filters, own...)
	in.Time = &intent.Time{From: prev.Time.From, To: prev.Time.To, Text: prev.Time.Text}
	isOwn := func(c intent.Cond) bool {
		return slices.ContainsFunc(own, func(o intent.Cond) bool {
			return c.Op == o.Op && c.Left != nil && c.Left.ID == left.ID && slices.Equal(c.Values, o.Values)
		})
	}
	return &in, func(out *intent.Intent) {
		kept := 0
		for _, c := range out.Filters {
			if isOwn(c) {
				kept++
			}
		}
		figures := func(o intent.Output) bool { return o.Aggregates() && o.Calc == nil && o.Per.ID == "" }
		steps := slices.ContainsFunc(out.GroupBy, func(f intent.Field) bool { return f.Grain != "" })
		if kept != len(own) || steps || len(out.Having) > 0 || out.Distinct || len(out.LimitPer) > 0 || !slices.ContainsFunc(out.Select, figures) ||
			slices.ContainsFunc(out.Select, func(o intent.Output) bool { return o.Aggregates() && !figures(o) }) ||
			slices.ContainsFunc(out.OrderBy, func(o intent.Order) bool { return !slices.Contains(out.Select, o.By) }) {
			return
		}
		out.Filters = slices.DeleteFunc(out.Filters, isOwn)
		var list []intent.Output
		for _, o := range out.Select {
			if list = append(list, o); figures(o) {
				list = append(list, o.Against()...)
			}
		}
		out.Select = list
		t, c := *prev.Time, *prev.Time.Compare
		t.Compare = &c
		out.Time = &t
	}
}
