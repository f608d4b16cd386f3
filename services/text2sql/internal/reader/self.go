package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Rows may point to others of their own table: who supervises whom, who recommended whom. "Who
// supervises the most people" is of those that are pointed to, and counts those that point.

// selfPointer is the mention, or the target, of a column that points to rows of its own table.
func (b *composer) selfPointer() *schema.Column {
	for _, t := range slices.Concat(b.d.mentions, b.d.targets) {
		if c := t.column; c != nil && c.Points && !t.key && len(c.Of.Key) == 1 && !c.Unique() && b.view.ThingOf(c) == c.Of {
			return c
		}
	}
	return nil
}

// pointedTo takes a number of things that is said of those of their own table that point to them
// for what chooses the latter, and returns whether it is so.
func (b *composer) pointedTo() bool {
	d := b.d
	c := b.selfPointer()
	if c == nil || len(d.counts)+len(d.aggs)+len(d.groups) > 0 || d.share >= 0 {
		return false
	}
	t := c.Of
	own := func(x thing) bool { return x.none() || x.table == t && x.column == nil || x.column == c }
	if !d.who && !slices.ContainsFunc(slices.Concat(d.targets, d.mentions), func(x thing) bool { return x.table == t }) ||
		slices.ContainsFunc(d.targets, func(x thing) bool { return !own(x) }) {
		return false
	}
	pointer, key := out("", c), out("", t.Key[0])
	count := rowsOf(t)
	sub := &intent.Intent{
		Type: intent.Basic, Entity: t.ID, Select: []intent.Output{pointer}, GroupBy: []intent.Field{field(c)},
		Filters: []intent.Cond{{Op: intent.NotNull, Left: &pointer}},
	}
	cond := intent.Cond{Op: intent.In, Left: &key, Sub: sub}
	switch {
	case len(d.bests) == 1 && len(d.compared) == 0 && d.bests[0].count && own(d.bests[0].thing) && d.bests[0].n == "" && d.limit == "":
		cond.Op = intent.Eq
		sub.OrderBy, sub.Limit = []intent.Order{{By: count, Desc: d.bests[0].desc}}, 1
		d.bests = nil
	case len(d.bests) == 0 && len(d.compared) == 1 && d.compared[0].counts && own(d.compared[0].thing) && len(d.compared[0].number) == 1 && !d.compared[0].different:
		sub.Having = []intent.Cond{{Op: d.compared[0].op, Left: &count, Values: []intent.Literal{number(d.compared[0].number[0])}}}
		d.compared = nil
	default:
		return false
	}
	if len(d.values)+len(d.times)+len(d.lacks) > 0 {
		b.fail("conditions of those that point or of those that are pointed to")
		return false
	}
	b.root = t
	d.targets = []thing{{table: t}}
	d.mentions = slices.DeleteFunc(d.mentions, func(x thing) bool { return own(x) })
	b.note("pointed_to", t.Names.EN, c.Expr)
	b.filter(cond)
	return true
}
