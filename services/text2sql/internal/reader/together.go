package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// aboveMean keeps the rows whose number is above or below what it is on average, over all rows
// of its table: "members older than the average". What many rows of a thing come to together is
// compared with no average of the rows.
func (b *composer) aboveMean(x *compared, c *schema.Column) {
	switch {
	case c == nil || !c.Numeric() || c.Nature == schema.Identifier || c.Nature == schema.Calendar || c.Nature == schema.Flag:
		b.fail("an average of what is no number")
		return
	case c.Of != b.root && !b.view.OneRow(b.root, c.Of):
		b.fail("an average of what many rows come to")
		return
	}
	for _, t := range slices.Concat(b.d.targets, b.things()) {
		if t.table != nil && t.table != c.Of && b.view.OneRow(c.Of, t.table) || t.column != nil && t.column.Of == c.Of && t.column.Nature == schema.Category && b.d.pick {
			b.fail("an average of what many rows come to")
			return
		}
	}
	left := out("", c)
	b.note("mean_of_all", c.Expr, c.Of.Names.EN)
	b.filter(intent.Cond{Op: x.op, Left: &left, Sub: &intent.Intent{Type: intent.Basic, Entity: c.Of.ID, Select: []intent.Output{out(intent.AggAvg, c)}}})
}

// things are the mentions, where nothing else is asked for.
func (b *composer) things() []thing {
	if len(b.d.targets)+len(b.d.counts)+len(b.d.aggs) > 0 {
		return nil
	}
	return b.d.mentions
}

// bothOf adds the conditions that things have each of two stored values, and returns the others.
// One row has one value of a column: the things are those that more rows are of, or those by
// which rows are put together.
func (b *composer) bothOf(values []valued) (others []valued) {
	var both []valued
	for _, v := range values {
		if v.both || v.and && b.eachOfMany(v, values) {
			both = append(both, v)
		} else {
			others = append(others, v)
		}
	}
	switch {
	case len(both) == 0:
		return others
	case slices.ContainsFunc(both, func(v valued) bool { return v.column == nil || v.quoted != "" && len(v.stored) == 0 }):
		b.fail("both of what is not stored")
		return others
	case slices.ContainsFunc(both[1:], func(v valued) bool { return v.column != both[0].column }):
		return append(others, both...) // of two columns a row may have both
	}
	c := both[0].column
	ofMany := c.Of != b.root && !b.view.OneRow(b.root, c.Of)
	var t thing
	if !ofMany {
		if t = b.manyOf(); t.none() || t.of() == nil || t.column == c || t.table == b.root || t.column != nil && (t.column.Of != b.root || t.column.Unique()) {
			b.fail("both of what has one")
			return others
		}
		b.in.GroupBy = b.fieldsOf(t)
	}
	for _, v := range both {
		cond := oneOf(c, v.stored)
		if ofMany {
			b.filter(rowsWith(intent.Exists, c, v.stored))
			continue
		}
		count := b.rows()
		count.When = &cond
		b.in.Having = append(b.in.Having, intent.Cond{Op: intent.Gt, Left: &count, Values: []intent.Literal{number("0")}})
	}
	return others
}

// eachOfMany reports whether a value that stands beside another with "and" is one of several that
// a thing may have: "players who speak German and French" speak both.
func (b *composer) eachOfMany(v valued, values []valued) bool {
	c := v.column
	return c != nil && !v.deny && len(v.stored) > 0 && b.view.Owns(b.root, c.Of) &&
		!slices.ContainsFunc(values, func(o valued) bool { return o.column == c && (!o.and || o.deny || len(o.stored) == 0) })
}

// rowsWith is the condition that related rows with one of some stored values are there, or with
// NotExists that none is.
func rowsWith(op intent.Op, c *schema.Column, values []string) intent.Cond {
	return intent.Cond{Op: op, Sub: &intent.Intent{Entity: c.Of.ID, Filters: []intent.Cond{oneOf(c, values)}}}
}

// oneOf is the condition that a column has one of some stored values.
func oneOf(c *schema.Column, values []string) intent.Cond {
	left := out("", c)
	cond := intent.Cond{Op: intent.Eq, Left: &left}
	if len(values) > 1 {
		cond.Op = intent.In
	}
	for _, s := range values {
		cond.Values = append(cond.Values, intent.Literal{Text: s, Number: c.Numeric()})
	}
	return cond
}
