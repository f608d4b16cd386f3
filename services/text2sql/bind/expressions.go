package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// parts are the values that an expression is made of and that are decided one by
// one: those of arithmetic, and the groups of an aggregate of aggregates.
func parts(e *parse.Expr) []*parse.Expr {
	switch {
	case e == nil:
		return nil
	case e.Calc != nil:
		return append(parts(e.Calc.Left), parts(e.Calc.Right)...)
	case e.Per != nil:
		return []*parse.Expr{e, e.Per}
	}
	return []*parse.Expr{e}
}

// expression is arithmetic as an output; false where a part of it has no meaning.
func (b *builder) expression(e *parse.Expr) (intent.Output, bool) {
	if e.Calc == nil {
		return b.leaf(e)
	}
	left, okL := b.expression(e.Calc.Left)
	right, okR := b.expression(e.Calc.Right)
	if !okL || !okR || left.Aggregates() != right.Aggregates() || e.Agg != "" && left.Aggregates() {
		return intent.Output{}, false
	}
	if left == right {
		b.doubt("calc_same", "a value of itself")
		return intent.Output{}, false
	}
	return intent.Output{Agg: e.Agg, Calc: &intent.Calc{Op: e.Calc.Op, Left: left, Right: right}}, true
}

// leaf is a value in arithmetic: a number or a day, an aggregate, or a count of
// rows, perhaps only of those that fulfil a condition.
func (b *builder) leaf(e *parse.Expr) (intent.Output, bool) {
	if e.Table {
		entity := b.tables[e.Item].entity
		if entity == nil || e.Agg != intent.AggCount {
			return intent.Output{}, false
		}
		o := b.count(entity, false)
		if e.When == nil {
			return o, true
		}
		c, ok := b.condition(e.When)
		o.When = &c
		return o, ok && c.Sub == nil && c.Left != nil && b.tableOf(c.Left.Field) == entity.Table
	}
	c := b.exprs[e]
	if c.dim == nil || c.dim.Role == semantic.RoleKey || !numeric(c.dim) && !b.layer.dated[c.dim.ID] {
		return intent.Output{}, false
	}
	o := intent.Output{Agg: e.Agg, Field: dimField(c.dim)}
	if e.When == nil {
		return o, true
	}
	when, ok := b.condition(e.When)
	if !ok || when.Sub != nil || when.Left == nil || b.layer.graph.Multiplies(c.dim.Table, b.tableOf(when.Left.Field)) {
		return o, false
	}
	o.When = &when
	return o, true
}

// calculate shows arithmetic.
func (b *builder) calculate(e *parse.Expr) {
	o, ok := b.expression(e)
	if !ok {
		b.doubt("calc_unread", "arithmetic that could not be read")
		return
	}
	b.add(o)
}

// between compares two columns.
func (b *builder) between(p *parse.Pred, left choice) (intent.Cond, bool) {
	right := b.exprs[p.Right]
	if right.dim == nil || right.dim == left.dim || b.layer.dated[left.dim.ID] != b.layer.dated[right.dim.ID] || p.Times != "" && b.layer.dated[right.dim.ID] {
		return intent.Cond{}, false
	}
	return intent.Cond{Op: p.Op, Left: &intent.Output{Field: dimField(left.dim)}, Right: &intent.Output{Field: dimField(right.dim), Times: p.Times}}, true
}

// calculated is a condition on arithmetic.
func (b *builder) calculated(p *parse.Pred) (intent.Cond, bool) {
	left, ok := b.expression(p.Left)
	if !ok || left.Aggregates() || len(p.Values) != 1 || !p.Values[0].Number {
		return intent.Cond{}, false
	}
	return intent.Cond{Op: p.Op, Left: &left, Values: []intent.Literal{{Text: p.Values[0].Text, Number: true}}}, true
}

// perGroup is the aggregate of an aggregate: "average number of visits per vet".
func (b *builder) perGroup(e *parse.Expr) {
	o := intent.Output{Agg: e.Agg, Base: e.Inner}
	if e.Table {
		o.Field = intent.Field{Kind: intent.KindEntity, ID: b.tables[e.Item].entity.ID}
	} else if c := b.exprs[e]; c.dim != nil && numeric(c.dim) {
		o.Field = dimField(c.dim)
	}
	c := b.exprs[e.Per]
	if e.Per.Table && c.entity == nil {
		c = b.tables[e.Per.Item]
	}
	switch {
	case c.dim != nil:
		o.Per = dimField(c.dim)
		o.Per.Grain = e.Per.Grain
	case c.entity != nil && len(c.entity.Key) == 1:
		if d := b.column(c.entity.Table, c.entity.Key[0]); d != nil {
			o.Per = dimField(d)
		}
	}
	if o.ID == "" || o.Per.ID == "" || b.tableOf(o.Per) == b.tableOf(o.Field) && c.dim == nil || len(b.draft.Outputs) > 1 || len(b.draft.Groups) > 0 {
		b.doubt("calc_unread", "an aggregate of aggregates that could not be read")
		return
	}
	b.in.Entity = b.tableOf(o.Field)
	b.add(o)
}

// shareTotal is each group's part of the sum of all.
func (b *builder) shareTotal(e *parse.Expr) {
	c := b.exprs[e]
	if c.dim == nil || !numeric(c.dim) || len(b.draft.Groups) == 0 {
		b.doubt("calc_unread", "a share of a total that could not be read")
		return
	}
	b.add(intent.Output{Agg: intent.AggShare, Field: dimField(c.dim), Times: times(e)})
}

func times(e *parse.Expr) string {
	if e.Percent {
		return "100"
	}
	return ""
}

// rateWhen is the part of the rows that fulfil any condition.
func (b *builder) rateWhen(e *parse.Expr) {
	c, ok := b.condition(e.Rate)
	if !ok || c.Sub != nil || c.Left == nil || b.tableOf(c.Left.Field) != b.in.Entity || c.Right != nil && b.tableOf(c.Right.Field) != b.in.Entity {
		b.doubt("share_unread", "a share that could not be read")
		return
	}
	b.add(intent.Output{Agg: intent.AggRate, Field: intent.Field{Kind: intent.KindEntity, ID: b.in.Entity}, When: &c, Times: times(e)})
}

// calcEntity is whose rows arithmetic is about: the table of which the others have
// one row each.
func (b *builder) calcEntity(e *parse.Expr) string {
	var tables []string
	for _, p := range parts(e) {
		t := b.exprs[p].table()
		if p.Table {
			t = b.tables[p.Item].table()
		}
		if t != "" && !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	for _, t := range tables {
		if !slices.ContainsFunc(tables, func(o string) bool { return o != t && b.layer.graph.Multiplies(t, o) }) {
			return t
		}
	}
	return ""
}

// Lasts reports whether a reading tells how long something lasts.
func (r *Reading) Lasts() bool {
	return slices.ContainsFunc(r.Intent.Select, func(o intent.Output) bool {
		return o.Calc != nil && lasting(o.Calc.Op)
	})
}
