package reader

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// timeUnits are the units of time by how many milliseconds one is.
var timeUnits = map[float64]string{1000: "seconds", 60_000: "minutes", 3_600_000: "hours", 86_400_000: "days", 604_800_000: "weeks"}

// timeUnit is the unit of time that an item is; "": it is none.
func timeUnit(it *item) string {
	switch text := strings.ToLower(it.text); {
	case slices.Contains([]string{"month", "months", "个月", "月", "月份"}, text):
		return "months"
	case slices.Contains([]string{"year", "years", "年"}, text):
		return "years"
	case slices.Contains([]string{"quarter", "quarters", "季度", "个季度"}, text):
		return "quarters"
	case it.unit.Quantity == "time":
		return timeUnits[it.unit.Factor]
	}
	return ""
}

// onDays reports whether it is asked on how many days something was, and not how many it
// took.
func (l *lattice) onDays(p *part) bool {
	return p.make == "lasting" && p.from > 0 && l.tokens[p.from-1].Lower == "on"
}

// lasts is the time that a question asks for: between the two columns that it names, else
// how long the rows of the root last.
func (b *composer) lasts() *schema.Column {
	if s := b.d.span; s != nil {
		if s.from == nil || s.to == nil || s.from.Of != s.to.Of || !s.from.Time || !s.to.Time || s.from == s.to {
			b.fail("a time between what is no time")
			return nil
		}
		c := b.view.Elapsed(s.from, s.to)
		if c == nil {
			b.fail("a time that is not counted")
		}
		return c
	}
	c, sure := b.view.Lasting(b.root)
	if c == nil {
		b.fail("nothing that lasts")
		return nil
	}
	b.cost += costGuess / 2
	if !sure {
		b.cost += costGuess
	}
	b.tellsLasting(c)
	return c
}

// tellsLasting notes between which columns a time is.
func (b *composer) tellsLasting(c *schema.Column) {
	if c.Elapsed.To == "" {
		return // agesAndLengths does
	}
	from, to := b.view.ColumnOf(c.Elapsed.From), b.view.ColumnOf(c.Elapsed.To)
	b.note("lasting", from.Expr, to.Expr)
}

// agesAndLengths notes from which column ages are told, and that they are those of today. The age of
// one kind of things is none of another: "the age of our customers" is not that of who serves them;
// nor is how long one lasts.
func (b *composer) agesAndLengths() {
	for _, f := range b.in.Fields() {
		c := b.view.ColumnOf(f.ID)
		if c == nil || c.Elapsed == nil {
			continue
		}
		said := b.d.things()
		// "the length of a booking" is none of who booked it, "repair time by technician" is one of repairs
		if c.Elapsed.To != "" && len(said) > 0 && !slices.ContainsFunc(said, func(t *schema.Table) bool { return b.view.OneRow(c.Of, t) }) {
			b.fail("how long something lasts that is not asked for")
			return
		}
		if c.Elapsed.To == "" {
			if len(said) > 0 && !slices.Contains(said, c.Of) {
				b.fail("an age of what is not asked for")
				return
			}
			b.note("age", b.view.ColumnOf(c.Elapsed.From).Expr)
			return
		}
	}
}

// inAskedUnit tells times in the unit that is asked for.
func (b *composer) inAskedUnit() {
	if b.d.unit == "" {
		return
	}
	convert := func(o *intent.Output) {
		if c := b.view.ColumnOf(o.ID); c != nil && c.Elapsed != nil {
			if in := b.view.In(c, b.d.unit); in != nil {
				o.ID = in.ID
			}
		}
	}
	for i := range b.in.Select {
		convert(&b.in.Select[i])
	}
	for i := range b.in.OrderBy {
		convert(&b.in.OrderBy[i].By)
	}
	if !slices.ContainsFunc(b.in.Fields(), b.ofTime) {
		b.fail("a unit of time that nothing is in")
	}
}

// ofTime reports whether the values of a field are told in units of time, or are parts of
// dates.
func (b *composer) ofTime(f intent.Field) bool {
	c := b.view.ColumnOf(f.ID)
	if c == nil {
		return false
	}
	u, ok := b.reader.language.Unit(c.Unit)
	return f.Grain != "" || c.Elapsed != nil || c.Nature == schema.Calendar || ok && u.Quantity == "time" || slices.ContainsFunc(c.Words(), func(w string) bool {
		return slices.Contains([]string{"duration", "length", "age", "hour", "hours", "day", "days", "minute", "minutes", "second", "seconds", "month", "months", "year", "years", "week", "weeks"}, w) || strings.ContainsAny(w, "时天分秒年月周岁")
	})
}
