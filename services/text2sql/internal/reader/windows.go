package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Columns may hold what was in a stretch of time, and say so in their names: logins_7d. "The
// logins of the last 7 days" names such a column, and is no condition on when rows are.

// windowOf is how well a column fits a stretch of time that a question names.
type windowOf int

const (
	noWindow    windowOf = iota // its name says none
	thisWindow                  // it is of just that
	otherWindow                 // it is of another
)

func windowIn(c *schema.Column, f dates.Found) windowOf {
	n, unit, ok := c.Window()
	switch {
	case !ok || f.N == 0 || f.Unit == "":
		return noWindow
	case n == f.N && unit == f.Unit:
		return thisWindow
	}
	return otherWindow
}

// stretches are the stretches of time up to now that a cover names.
func (c *cover) stretches() []dates.Found {
	var out []dates.Found
	for _, p := range c.parts {
		for _, it := range p.all(classPeriod) {
			if it.period.N > 0 && it.period.Unit != "" {
				out = append(out, it.period)
			}
		}
	}
	return out
}

// windowed reports whether the numbers that are asked for are of a stretch of time by their
// names, so that it is no condition.
func (b *composer) windowed(f dates.Found) bool {
	found := false
	for _, c := range b.d.columnsAsked() {
		switch windowIn(c, f) {
		case thisWindow:
			b.note("in_window", f.Text, c.Expr)
			found = true
		case otherWindow:
			b.fail("numbers of another stretch of time")
		}
	}
	return found
}

// columnsAsked are the columns that are asked for, or that what is asked for is ordered by.
func (d *draft) columnsAsked() []*schema.Column {
	var asked []*schema.Column
	add := func(t thing) {
		if t.column != nil {
			asked = append(asked, t.column)
		}
	}
	for _, m := range slices.Concat(d.aggs, d.counts) {
		add(m.thing)
	}
	for _, x := range d.bests {
		add(x.thing)
	}
	for _, t := range slices.Concat(d.targets, d.mentions) {
		add(t)
	}
	return asked
}
