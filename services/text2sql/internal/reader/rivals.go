package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// rivals adds the number by which values or times that stand beside each other are compared, where
// it is asked which of them has more: each is shown with its own, of values the first in front.
func (b *composer) rivals(measures []intent.Output) []intent.Output {
	x := b.d.rival
	if x == nil {
		return measures
	}
	column := b.besides()
	times := column == nil && len(b.d.times) == 2 && (excludes(b.d.times[0], b.d.times[1]) || excludes(b.d.times[1], b.d.times[0]))
	switch {
	case column == nil && !times:
		b.fail("which of what has more")
		return measures
	case len(b.d.bests) > 0 || len(b.d.groups) > 0 || len(measures) > 1 || !x.none() && len(measures) > 0:
		b.fail("which has more, and of what else")
		return measures
	}
	b.d.each = true
	if !times { // times stand in their own order
		b.d.against = true
		if !x.desc {
			b.d.order = "asc"
		}
	}
	if x.none() && len(measures) == 0 {
		if c := b.amount(); c != nil {
			x.column = c
		}
	}
	switch c := x.column; {
	case x.agg == intent.AggRate:
		return []intent.Output{b.rate(x)}
	case c == nil && x.none() && len(measures) == 1:
		return measures
	case c == nil:
		if x.rows != nil {
			b.asRows(x.rows)
		}
		if x.agg != "" {
			b.fail("an aggregate of rows")
		}
		return []intent.Output{b.rows()}
	case x.agg == "" && c.Nature == schema.Amount:
		b.cost += costSum
		b.note("summed", c.Expr)
		return []intent.Output{out(intent.AggSum, c)}
	case x.agg == "" && c.Nature == schema.Level:
		b.cost += costSum
		b.note("averaged", c.Expr)
		return []intent.Output{out(intent.AggAvg, c)}
	case x.agg == "" || !b.sums(x.agg, c):
		b.fail("which has more of " + c.ID)
		return nil
	}
	return []intent.Output{out(x.agg, x.column)}
}

// besides is the column of which a question names more than one value, and no value of
// another more than once; nil: there is none.
func (b *composer) besides() *schema.Column {
	n := map[*schema.Column]int{}
	var order []*schema.Column
	for _, v := range b.d.values {
		if v.column == nil || v.deny {
			return nil
		}
		if n[v.column] == 0 {
			order = append(order, v.column)
		}
		n[v.column]++
	}
	order = slices.DeleteFunc(order, func(c *schema.Column) bool { return n[c] < 2 })
	if len(order) != 1 {
		return nil
	}
	return order[0]
}
