package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// impliedTotals sums up arithmetic that is asked for things of which each has many
// rows, where no word says how: "clicks divided by views per page" are all clicks of
// a page divided by all its views, "price minus cost per maker" is the sum of the
// differences. Arithmetic of each row stays, and a ratio of no group is of all rows.
func (b *builder) impliedTotals() {
	d := b.draft
	if len(d.Outputs) != 1 || len(d.Having) > 0 || d.Superlative || len(d.Orders) > 0 {
		return
	}
	e := d.Outputs[0]
	if e.Calc == nil || e.Agg != "" || e.Aggregates() || !b.addsUp(e) {
		return
	}
	ratio := e.Calc.Op == intent.Over || e.Calc.Op == intent.Percent
	if !ratio && (len(d.Groups) == 0 || !slices.ContainsFunc(d.Groups, func(g *parse.Expr) bool { return g.Prep == "per" || g.Prep == "by" })) {
		return
	}
	if slices.ContainsFunc(d.Groups, func(g *parse.Expr) bool { return b.eachRow(g, e) }) {
		return
	}
	shown, out := *d, *e
	if ratio {
		calc := *e.Calc
		calc.Left, calc.Right = b.summed(calc.Left), b.summed(calc.Right)
		out.Calc = &calc
	} else {
		out.Agg = intent.AggSum
	}
	b.doubt("sum_implied", "no word says how what is calculated is summed up")
	shown.Outputs = []*parse.Expr{&out}
	b.draft = &shown
}

// summed is the sum of a value.
func (b *builder) summed(e *parse.Expr) *parse.Expr {
	out := *e
	out.Agg = intent.AggSum
	if c, ok := b.exprs[e]; ok {
		b.exprs[&out] = c
	}
	return &out
}

// unitWords are words of the names of amounts of one piece, whose sum tells nothing.
var unitWords = []string{"unit", "list", "per", "each", "single"}

// addsUp reports whether all values of arithmetic may be summed though no word says
// so. Ratios are made of plain columns, whatever their prices are of.
func (b *builder) addsUp(e *parse.Expr) bool {
	ratio := e.Calc.Op == intent.Over || e.Calc.Op == intent.Percent
	if ratio && (e.Calc.Left.Calc != nil || e.Calc.Right.Calc != nil) || lasting(e.Calc.Op) {
		return false
	}
	for _, p := range parts(e) {
		c := b.exprs[p]
		if c.dim == nil || !semantic.IsNumber(c.dim.Type) || !b.layer.may(c.dim, implied, false) {
			return false
		}
		if e.Calc.Op != intent.Product && slices.ContainsFunc(b.layer.words[c.dim.ID], func(w string) bool { return slices.Contains(unitWords, w) }) {
			return false
		}
	}
	return true
}

// eachRow reports whether a group has one row of what arithmetic is made of.
func (b *builder) eachRow(g, of *parse.Expr) bool {
	c := b.exprs[g]
	if g.Table {
		c = b.tables[g.Item]
	}
	for _, p := range parts(of) {
		t := b.exprs[p].table()
		if t != c.table() {
			continue
		}
		if c.dim == nil || c.dim.Role == semantic.RoleKey && !b.layer.points[c.dim.ID] || c.dim.Role == semantic.RoleLabel {
			return true
		}
	}
	return false
}
