package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// What is late was done after the day on which it was due, and what is owed has no day on which it
// was paid: general words for two columns of days, where a table has them and calls nothing else so.

// ownWords leaves out the words for what is late or owed where the data call something so themselves.
func (l *lattice) ownWords() {
	for i, at := range l.at {
		l.at[i] = slices.DeleteFunc(at, func(it *item) bool {
			return it.is("late", "owed") && slices.ContainsFunc(at, func(o *item) bool {
				return o.to == it.to && (o.class == className && o.hits[0].Score >= knownName || o.class == classValue && len(o.values) > 0 && !o.values[0].Part)
			})
		})
	}
}

// dueRoot is the table whose rows are late or owed where no table is named: the only one that can
// be; nil: there is none, or more.
func (b *composer) dueRoot() *schema.Table {
	if b.d.late == nil && b.d.owed == nil {
		return nil
	}
	var found *schema.Table
	for _, t := range b.view.Tables {
		due, _ := t.Due()
		if b.d.late != nil && due == nil || b.d.owed != nil && t.Paid() == nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// ends reports whether some table says of its rows when they came to an end.
func ends(v *schema.View) bool {
	return v != nil && slices.ContainsFunc(v.Tables, func(t *schema.Table) bool { return t.Ended() != nil })
}

// current is the word that says that something goes on, unless a condition follows that says it
// itself, "still open", or it is part of a name; nil: there is none.
func (l *lattice) current() *item {
	for _, at := range l.at {
		for _, it := range at {
			if it.is("current") && !l.whole(it.from, it.to) && !l.saysHow(it.to) {
				return it
			}
		}
	}
	return nil
}

// saysHow reports whether at a token stands how something is.
func (l *lattice) saysHow(i int) bool {
	return i < len(l.at) && slices.ContainsFunc(l.at[i], func(it *item) bool {
		switch it.class {
		case classValue:
			return true
		case className:
			c := it.hits[0].Column
			return c != nil && (c.Nature == schema.Flag || c == c.Of.Ended())
		}
		return it.is("not", "never", "late", "owed", "missing")
	})
}

// goingOn keeps the rows that have not come to their end, where the question says that they go on.
func (b *composer) goingOn() {
	it := b.l.current()
	if it == nil {
		return
	}
	ended := b.root.Ended()
	if ended == nil {
		if !b.l.has(it.from, language.Stop) {
			b.fail("what goes on has no end")
		}
		return
	}
	if slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool { return c.Left != nil && c.Left.ID == ended.ID }) {
		return
	}
	left := out("", ended)
	null := intent.Cond{Op: intent.IsNull, Left: &left}
	if b.planned(ended) { // some will end
		null = b.untilToday(ended, null, false)
	}
	b.filter(null)
}

// owing takes how much is owed for the total of the one amount of money of the rows that are.
func (b *composer) owing() {
	d := b.d
	if d.owed == nil || b.root == nil || b.root.Paid() == nil {
		return
	}
	amount := onlyAmount(b.root)
	if amount == nil {
		if len(d.bests) == 1 && d.bests[0].count && d.bests[0].none() && slices.ContainsFunc(b.root.Columns, func(c *schema.Column) bool { return c.Nature == schema.Amount && c.Money }) {
			b.fail("what is owed, of several amounts") // 欠费最多 is no number of bills
		}
		return
	}
	if d.money && !amount.Money && b.inOtherUnit(amount) {
		b.fail("what is owed is no money") // but so many kilos
		return
	}
	counts := slices.ContainsFunc(d.counts, func(m measure) bool { return m.none() || m.column == amount || m.plain && m.table == b.root })
	switch {
	case len(d.bests) == 1 && d.bests[0].count && (d.bests[0].none() || d.bests[0].table == b.root): // who owes the most
		d.bests[0].thing, d.bests[0].count = thing{column: amount}, false
	case len(d.aggs) > 0 || len(d.bests) > 0 || d.share >= 0 || len(d.counts) > 0 && !counts:
		return
	case counts && len(d.counts) == 1 || d.amount || d.money || d.number && len(d.targets) == 0:
		d.counts = nil
		d.aggs = append(d.aggs, measure{agg: intent.AggSum, thing: thing{column: amount}})
		b.note("summed", amount.Expr)
	}
}

// due keeps the rows that are late, that are not, or that are owed.
func (b *composer) due() {
	if it := b.d.late; it != nil {
		due, done := b.root.Due()
		if due == nil {
			b.fail("late by what is not said")
			return
		}
		left, right := out("", done), out("", due)
		op := intent.Gt
		if it.tag.Arg == "not" {
			op = intent.Le
		}
		b.note("late", it.text, done.Expr, due.Expr)
		b.filter(intent.Cond{Op: op, Left: &left, Right: &right})
	}
	if it := b.d.owed; it != nil {
		paid := b.root.Paid()
		if paid == nil {
			b.fail("owed by what is not said")
			return
		}
		left := out("", paid)
		b.note("owed", it.text, paid.Expr)
		b.filter(intent.Cond{Op: intent.IsNull, Left: &left})
	}
}
