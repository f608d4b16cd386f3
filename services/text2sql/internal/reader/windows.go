package reader

import (
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
	var asked []*schema.Column
	for _, m := range b.d.aggs {
		asked = append(asked, m.column)
	}
	for _, m := range b.d.counts {
		asked = append(asked, m.column)
	}
	for _, x := range b.d.bests {
		asked = append(asked, x.column)
	}
	for _, t := range b.d.targets {
		asked = append(asked, t.column)
	}
	for _, t := range b.d.mentions {
		asked = append(asked, t.column)
	}
	found := false
	for _, c := range asked {
		if c == nil {
			continue
		}
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
