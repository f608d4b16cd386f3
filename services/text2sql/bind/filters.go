package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// filters turns predicates into conditions, in order.
func (b *builder) filters() {
	b.negations()
	var both []intent.Cond
	for _, p := range b.draft.Preds {
		if b.inner[p] {
			continue
		}
		c, ok := b.condition(p)
		if !ok {
			b.doubt("condition_unread", "a condition that could not be read")
			continue
		}
		if p.Both {
			both = append(both, c)
			continue
		}
		if n := len(b.in.Filters); p.OrPrev && n > 0 {
			b.in.Filters[n-1] = intent.Cond{Op: intent.Or, Args: []intent.Cond{b.in.Filters[n-1], c}}
			continue
		}
		b.in.Filters = append(b.in.Filters, c)
	}
	if left := intent.Impossible(b.in.Filters); left != nil {
		b.doubt("contradiction", "two values of %s at once", left.ID)
	}
	b.both(both)
}

// both are conditions that must hold for one thing over different rows: the
// intersection of two questions.
func (b *builder) both(conds []intent.Cond) {
	switch len(conds) {
	case 0:
	case 2:
		if b.bothOfOne(conds) {
			return
		}
		right := b.in
		right.Filters = append(slices.Clone(b.in.Filters), conds[1])
		b.in.Filters = append(slices.Clone(b.in.Filters), conds[0])
		b.in.Set = &intent.Set{Op: "intersect", Right: right}
		if b.in.HasAggregate() || len(b.draft.Groups) > 0 || b.draft.Superlative {
			b.doubt("aggregate_over_both", "an aggregate over both")
		}
	default:
		b.in.Filters = append(b.in.Filters, conds...)
		b.doubt("both_unclear", "both")
	}
}

// bothOfOne says that a thing has both kinds of rows, where things are asked for by
// their name: two of one name are not one. False where anything else is asked for,
// such as the cities of things.
func (b *builder) bothOfOne(conds []intent.Cond) bool {
	if len(b.draft.Groups) > 0 || b.draft.Superlative || len(b.tableKey(b.in.Entity)) == 0 {
		return false
	}
	for _, o := range b.in.Select {
		d := b.layer.byID[o.ID]
		if o.Agg != "" || d == nil || d.Table != b.in.Entity || d.Role == semantic.RoleCategory {
			return false
		}
	}
	exist := make([]intent.Cond, 0, len(conds))
	for _, c := range conds {
		t := ""
		if c.Left != nil {
			t = b.tableOf(c.Left.Field)
		}
		if t == "" || t == b.in.Entity || c.Sub != nil || !b.layer.graph.Multiplies(b.in.Entity, t) {
			return false
		}
		exist = append(exist, intent.Cond{Op: intent.Exists, Sub: &intent.Intent{Type: intent.Basic, Entity: t, Filters: []intent.Cond{c}}})
		b.in.With = slices.DeleteFunc(b.in.With, func(id string) bool { return id == t })
	}
	b.in.Filters = append(b.in.Filters, exist...)
	return true
}

// negations moves what a not-exists is about into it, and turns "who do not have
// a cat", where cats are other rows, into one.
func (b *builder) negations() {
	for i, p := range b.draft.Preds {
		if p.Op == intent.NotExists {
			for _, q := range b.draft.Preds[i+1:] {
				if c, ok := b.preds[q]; ok && c.table() != b.in.Entity && !b.named(c.table()) {
					b.within[p] = append(b.within[p], q)
					b.inner[q] = true
				}
			}
		}
	}
}

// named reports whether the question joins the table for another reason.
func (b *builder) named(table string) bool {
	for _, it := range b.draft.Tables {
		if b.tables[it].table() == table {
			return true
		}
	}
	for _, e := range b.draft.Outputs {
		if c, ok := b.exprs[e]; ok && c.table() == table {
			return true
		}
	}
	return false
}

func (b *builder) condition(p *parse.Pred) (intent.Cond, bool) {
	if p.Op == intent.NotExists {
		return b.notExists(p)
	}
	if p.Left != nil && p.Left.Calc != nil {
		return b.calculated(p)
	}
	c, ok := b.preds[p]
	if !ok || c.dim == nil {
		return intent.Cond{}, false
	}
	if p.Right != nil {
		return b.between(p, c)
	}
	if p.Left != nil && p.Left.Owner != nil && link.Flag(c.dim) && b.tables[p.Left.Owner].table() != "" && b.tables[p.Left.Owner].table() != c.dim.Table {
		b.doubt("flag_elsewhere", "%s is not a flag of %s", c.dim.ID, p.Left.Owner.Text) // "active stations" where members are
	}
	if p.Op == intent.IsNull && b.in.Entity != c.dim.Table { // "singers without an album title": no such row
		if !b.layer.graph.Multiplies(b.in.Entity, c.dim.Table) {
			b.doubt("null_elsewhere", "%s of another table is empty", c.dim.ID)
		} else {
			has := intent.Cond{Op: intent.NotNull, Left: &intent.Output{Field: dimField(c.dim)}}
			return intent.Cond{Op: intent.NotExists, Sub: &intent.Intent{Type: intent.Basic, Entity: c.dim.Table, Filters: []intent.Cond{has}}}, true
		}
	}
	if (p.Op == intent.IsNull || p.Op == intent.NotNull) && c.dim.Role == semantic.RoleKey {
		b.doubt("null_key", "%s is a key", c.dim.ID)
	}
	if p.Neg && b.in.Entity != c.dim.Table && b.layer.graph.Multiplies(b.in.Entity, c.dim.Table) {
		q := *p
		q.Neg = false
		inner, ok := b.plain(&q, c)
		sub := &intent.Intent{Type: intent.Basic, Entity: c.dim.Table, Filters: []intent.Cond{inner}}
		b.in.With = slices.DeleteFunc(b.in.With, func(id string) bool { return id == c.dim.Table })
		return intent.Cond{Op: intent.NotExists, Sub: sub}, ok
	}
	return b.plain(p, c)
}

func (b *builder) notExists(p *parse.Pred) (intent.Cond, bool) {
	e := b.tables[p.Related].entity
	if e.Table == b.in.Entity {
		return intent.Cond{}, false
	}
	sub := &intent.Intent{Type: intent.Basic, Entity: e.Table}
	for _, q := range slices.Concat(p.Inner, b.within[p]) {
		c, ok := b.condition(q)
		if !ok {
			return intent.Cond{}, false
		}
		sub.Filters = append(sub.Filters, c)
	}
	return intent.Cond{Op: intent.NotExists, Sub: sub}, true
}

// plain is a comparison of a column with constants or with an aggregate.
func (b *builder) plain(p *parse.Pred, c choice) (intent.Cond, bool) {
	left := &intent.Output{Field: dimField(c.dim)}
	op := p.Op
	if c.inverse {
		op = op.Turned()
	}
	if p.SubAgg != "" {
		of := b.exprs[p.SubOf]
		if of.dim == nil {
			of = c
		}
		if !numeric(of.dim) {
			b.doubt("aggregate_of_text", "aggregate of a text")
		}
		sub := &intent.Intent{Type: intent.Basic, Entity: of.dim.Table, Select: []intent.Output{{Agg: p.SubAgg, Field: dimField(of.dim)}}}
		return intent.Cond{Op: op, Left: left, Sub: sub}, true
	}
	if op == intent.IsNull || op == intent.NotNull {
		return intent.Cond{Op: op, Left: left}, true
	}
	values := make([]intent.Literal, 0, len(p.Values))
	if p.Neg && op == intent.Eq && len(p.Values) == 1 && link.Flag(c.dim) {
		if no := link.Falsehoods(c.dim); len(no) > 0 && slices.Contains(link.Truths(c.dim), p.Values[0].Text) {
			lit := intent.Literal{Text: no[0], Number: semantic.IsNumber(c.dim.Type)}
			return intent.Cond{Op: op, Left: left, Values: []intent.Literal{lit}}, true
		}
	}
	for _, v := range p.Values {
		lit, ok := b.literal(c.dim, v, op)
		if !ok {
			return intent.Cond{}, false
		}
		values = append(values, lit)
	}
	negative := p.Neg || op == intent.Ne
	if len(values) > 1 && (op == intent.Eq || op == intent.Ne) {
		op = intent.In
		if negative {
			op = intent.NotIn
		}
		return intent.Cond{Op: op, Left: left, Values: values}, true
	}
	if p.Neg && op == intent.Eq {
		op = intent.Ne
	} else if p.Neg {
		return intent.Cond{Op: intent.Not, Args: []intent.Cond{{Op: op, Left: left, Values: values}}}, true
	}
	return intent.Cond{Op: op, Left: left, Values: values}, true
}

// literal gives a constant the form that the column stores.
func (b *builder) literal(d *semantic.Dimension, v parse.Value, op intent.Op) (intent.Literal, bool) {
	if op == intent.Contains || op == intent.StartsWith || op == intent.EndsWith {
		return intent.Literal{Text: v.Text}, true
	}
	ordered := op != intent.Eq && op != intent.Ne
	for _, m := range v.Item.Values {
		if m.Dim == d {
			if ordered && semantic.IsText(d.Type) && !allNumbers(d) && !b.layer.dated[d.ID] {
				b.doubt("name_by_order", "%s is text and is compared by order", d.ID)
			}
			return intent.Literal{Text: m.Value, Number: semantic.IsNumber(d.Type)}, true
		}
	}
	switch {
	case v.Number && semantic.IsNumber(d.Type):
		return intent.Literal{Text: v.Text, Number: true}, true
	case v.Date:
		return intent.Literal{Text: v.Text, Date: true}, b.layer.dated[d.ID]
	case v.Number && b.layer.dated[d.ID]:
		return intent.Literal{Text: v.Text, Number: true}, len(v.Text) == 4
	case v.Number && ordered && allNumbers(d):
		return intent.Literal{Text: v.Text, Number: true}, true
	case v.Number && ordered:
		b.doubt("text_with_number", "%s holds text that is compared with a number", d.ID)
		return intent.Literal{Text: v.Text, Number: true}, false
	case ordered && semantic.IsText(d.Type):
		b.doubt("text_by_order", "%s is text and is compared by order", d.ID)
	case semantic.IsNumber(d.Type):
		return intent.Literal{}, false
	}
	if d.Complete {
		b.doubt("value_absent", "%s holds no %q", d.ID, v.Text)
	} else {
		b.doubt("value_unseen", "%q was not seen in %s", v.Text, d.ID)
	}
	return intent.Literal{Text: v.Text}, true
}
