package reader

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// ofThings takes the mean of what describes things of which the rows have several each, such as the
// rating of films over their weekly takings, over the things. No other figure of it over all rows is
// one that anybody asks for: a film would count as often as it has weeks. The highest and the lowest
// are the same over rows and things, and what has a price may have been paid for in each row.
func (b *composer) ofThings(measures []intent.Output) []intent.Output {
	for i, m := range measures {
		c := b.view.ColumnOf(m.ID)
		if c == nil || !c.DescribesThing() || m.Agg == intent.AggSum && c.Money || m.Calc != nil || m.Base != "" || b.records || !slices.Contains([]intent.Agg{intent.AggAvg, intent.AggSum, intent.AggMedian}, m.Agg) {
			continue
		}
		if m.Agg != intent.AggAvg || len(measures) > 1 || len(b.d.groups)+len(b.d.bests) > 0 || b.d.each || b.d.limit != "" || b.root != c.Of {
			b.fail("a figure over rows of what things of several rows have in common")
			return measures
		}
		b.note("mean_of_each", c.Describes.Expr)
		measures[i] = intent.Output{Agg: intent.AggAvg, Base: intent.AggAvg, Field: m.Field, Per: field(c.Describes)}
	}
	return measures
}

// saysOfThings reports whether what the question says of rows is all of the things that a column holds, of
// which the rows have several each: so many films, and no weeks of films, are those of a kind.
func (b *composer) saysOfThings(thing *schema.Column) bool {
	of := func(id string) bool { c := b.view.ColumnOf(id); return c != nil && c.Describes == thing }
	if len(b.in.Filters)+len(b.in.GroupBy) == 0 {
		return false
	}
	return !slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool { return c.Left == nil || !of(c.Left.ID) }) &&
		!slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool { return !of(f.ID) })
}

// orderedByKey reports whether an order is taken to be by the key of a table of which only the thing was
// said: "by takings" is by no taking_id.
func (b *composer) orderedByKey() bool {
	keyed := func(c *schema.Column) bool {
		if c == nil || !c.Unique() || c.Nature != schema.Identifier {
			return false
		}
		words := c.Words()
		return len(words) > 1 && !strings.Contains(strings.ToLower(b.l.text), words[len(words)-1])
	}
	return keyed(b.d.sort.column) || slices.ContainsFunc(b.d.bests, func(x best) bool { return !x.count && x.agg == "" && keyed(x.column) })
}

// apart reports whether a figure is of rows that have no more to do with those of the question than that
// both are of the same third: the visitors of the year in which a show was are not those of the show.
func (b *composer) apart() bool {
	return slices.ContainsFunc(b.figuresOver(), func(t *schema.Table) bool { return t != b.root && b.view.Meeting(b.root, t) != nil })
}

// figuresOver are the tables whose rows are counted or added up.
func (b *composer) figuresOver() []*schema.Table {
	var out []*schema.Table
	add := func(o *intent.Output) {
		if o == nil || o.Agg == intent.AggNone {
			return
		}
		if t := b.view.ByID(o.ID); t != nil {
			out = append(out, t)
		} else if c := b.view.ColumnOf(o.ID); c != nil {
			out = append(out, c.Of)
		}
	}
	for i := range b.in.Select {
		add(&b.in.Select[i])
	}
	for i := range b.in.Having {
		add(b.in.Having[i].Left)
	}
	for i := range b.in.OrderBy {
		add(&b.in.OrderBy[i].By)
	}
	return out
}

// inOtherUnit reports whether a column is in a unit that is none of money, by its name.
func (b *composer) inOtherUnit(c *schema.Column) bool {
	return slices.ContainsFunc(c.Words(), func(w string) bool {
		quantity, ok := b.reader.units(w)
		return ok && quantity != "money"
	})
}
