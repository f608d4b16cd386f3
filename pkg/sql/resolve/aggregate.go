package resolve

import (
	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// checkGrouping refuses GROUPING without GROUP BY.
func (r *resolver) checkGrouping(sel *selection) {
	for _, o := range sel.order {
		r.survey(&sel.ordered, o.Expr)
	}
	for _, res := range sel.results {
		if res.expr != nil {
			r.survey(&sel.listed, res.expr)
		}
	}
	if sel.node.GroupBy != nil {
		return
	}
	for _, s := range []*survey{&sel.listed, &sel.having, &sel.ordered} {
		if len(s.groupings) > 0 {
			r.mistakeAt(MissingGroupBy, startOf(sel.node), s.groupings[0], nil, "GROUPING needs GROUP BY")
			return
		}
	}
}

// checkAggregates notes what is neither grouped by nor in an aggregate, and
// aggregates inside aggregates.
func (r *resolver) checkAggregates(sel *selection) {
	aggregates := len(sel.listed.aggregates) + len(sel.ordered.aggregates)
	if sel.node.GroupBy == nil && aggregates == 0 && sel.node.Having == nil || sel.groups.unknown {
		return
	}
	c := &aggregation{resolver: r, sel: sel}
	for _, res := range sel.results {
		if res.expr == nil {
			c.star(res.star)
		} else {
			c.whole(res.expr)
		}
	}
	if sel.node.Having != nil {
		c.whole(sel.node.Having)
	}
	for _, w := range sel.node.Windows {
		for _, x := range w.Spec.PartitionBy {
			c.whole(x)
		}
		for _, o := range w.Spec.OrderBy {
			c.whole(o.Expr)
		}
		if w.Spec.Frame != nil {
			for _, b := range []*tree.Bound{w.Spec.Frame.Start, w.Spec.Frame.End} {
				if b != nil && b.X != nil {
					c.whole(b.X)
				}
			}
		}
	}
	c.ordering = true
	for _, o := range sel.order {
		if _, ok := integerLiteral(o.Expr); !ok {
			c.whole(o.Expr)
		}
	}
}

// aggregation checks the expressions of a SELECT that groups its rows.
type aggregation struct {
	*resolver
	sel      *selection
	ordering bool        // in ORDER BY, which sees the result's columns too
	bad      []tree.Expr // columns that are not grouped by, in the part that is looked at
	starred  bool        // a star's column was reported
}

// star checks a column that a star stands for.
func (c *aggregation) star(f *field) {
	if f.any || c.sel.groups.fields[f] || c.starred {
		return
	}
	c.starred = true
	for _, item := range c.sel.node.Items {
		if s, ok := item.(*tree.Star); ok {
			c.mistakeAt(ExpressionNotAggregate, spot{}, s, nil, "'%s' is neither in an aggregate nor in GROUP BY", f.name)
			return
		}
	}
}

// whole checks an expression; a mistake is reported at its place.
func (c *aggregation) whole(x tree.Expr) { c.part(x, x, "") }

// part checks an expression and reports at the place of at.
func (c *aggregation) part(x, at tree.Expr, what string) {
	outer := c.bad
	c.bad = nil
	c.walk(x)
	for _, b := range c.bad {
		name := b.Span().Text()
		if ref, ok := b.(*tree.ColumnRef); ok {
			name = (&tree.Name{Parts: ref.Parts}).String()
		}
		c.mistakeAt(ExpressionNotAggregate, spotOf(at), b, nil, "%s'%s' is neither in an aggregate nor in GROUP BY", what, name)
	}
	c.bad = outer
}

func (c *aggregation) walk(x tree.Expr) {
	if c.grouped(x) {
		return
	}
	switch x := x.(type) {
	case *tree.ColumnRef:
		c.column(x)
		return
	case *tree.Call:
		if !c.call(x) {
			return
		}
	case *tree.ListAgg:
		c.aggregate(x, x.OrderBy, x.Quantifier, []tree.Expr{x.X}, x.Filter)
		return
	case *tree.Grouping:
		c.grouping(x)
		return
	}
	c.children(x)
}

// children walks the expressions right below one; a subquery is looked through for
// columns of this SELECT.
func (c *aggregation) children(x tree.Expr) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			c.subquery(n)
			return false
		case *tree.Window:
			c.window(n)
			return false
		case tree.Expr:
			if n == x {
				return true
			}
			c.walk(n)
			return false
		}
		return true
	})
}

// grouped reports an expression that GROUP BY has.
func (c *aggregation) grouped(x tree.Expr) bool {
	g := &c.sel.groups
	if len(g.exprs) == 0 || !g.exprs[g.keys.of(x)] {
		return false
	}
	return !c.ordering || c.outputReference(x) == nil
}

func (c *aggregation) column(x *tree.ColumnRef) {
	i := c.out.exprs[x]
	if i == nil || i.field == nil || i.field.any || i.level != c.sel.from || c.sel.groups.fields[i.field] {
		return
	}
	c.bad = append(c.bad, x)
}

// subquery notes columns of this SELECT that a subquery uses and that are not
// grouped by.
func (c *aggregation) subquery(q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		ref, ok := n.(*tree.ColumnRef)
		if !ok {
			return true
		}
		i := c.out.exprs[ref]
		if i != nil && i.field != nil && !i.field.any && i.level == c.sel.from && !c.sel.groups.fields[i.field] {
			c.mistake(ExpressionNotAggregate, ref, nil, "'%s', which a subquery uses, is not in GROUP BY", (&tree.Name{Parts: ref.Parts}).String())
		}
		return true
	})
}

// call checks a call and reports whether its parts are still to be looked at.
func (c *aggregation) call(x *tree.Call) bool {
	if callKind(x) == signature.KindAggregate {
		if x.Over == nil {
			c.aggregate(x, x.OrderBy, x.Quantifier, x.Args, x.Filter)
			return false
		}
		return true
	}
	if x.Filter != nil {
		c.mistake(FunctionNotAggregate, x, nil, "FILTER is for aggregates, and '%s' is none", x.Name)
	} else if len(x.OrderBy) > 0 {
		c.mistake(FunctionNotAggregate, x, nil, "ORDER BY is for aggregates, and '%s' is none", x.Name)
	}
	return true
}

// aggregate checks the parts of an aggregate.
func (c *aggregation) aggregate(x tree.Expr, order []*tree.SortItem, quantifier tree.Quantifier, args []tree.Expr, filter tree.Expr) {
	var inside survey
	for _, a := range args {
		c.survey(&inside, a)
	}
	switch {
	case len(inside.aggregates) > 0:
		c.mistakeAt(NestedAggregation, spotOf(x), inside.aggregates[0], nil, "an aggregate cannot hold another: use a subquery")
	case len(inside.over) > 0:
		c.mistakeAt(NestedWindow, spotOf(x), inside.over[0], nil, "an aggregate cannot hold a window function: use a subquery")
	}
	if quantifier == tree.QuantifierDistinct {
		c.distinctOrder(order, args)
	}
	if !c.ordering {
		return
	}
	parts := append([]tree.Expr(nil), args...)
	for _, o := range order {
		parts = append([]tree.Expr{o.Expr}, parts...)
	}
	if filter != nil {
		parts = append(parts, filter)
	}
	for _, p := range parts {
		if ref := c.outputReference(p); ref != nil {
			c.mistake(ColumnNotFound, ref, nil, "an aggregate of ORDER BY sees the columns of FROM only")
		}
	}
}

// distinctOrder asks that what an aggregate with DISTINCT is ordered by is among its
// arguments.
func (c *aggregation) distinctOrder(order []*tree.SortItem, args []tree.Expr) {
	keys := &c.sel.groups.keys
	for _, o := range order {
		found := false
		for _, a := range args {
			found = found || keys.of(a) == keys.of(o.Expr)
		}
		if !found {
			c.mistake(ExpressionNotInDistinct, o.Expr, nil, "an aggregate with DISTINCT can be ordered by its arguments only")
		}
	}
}

// outputReference returns a column of the result that an expression of ORDER BY
// refers to.
func (c *aggregation) outputReference(x tree.Expr) tree.Expr { return c.referenceTo(x, c.sel.sorted) }

func (c *aggregation) window(w *tree.Window) {
	for _, x := range w.PartitionBy {
		c.part(x, x, "PARTITION BY: ")
	}
	for _, o := range w.OrderBy {
		c.part(o.Expr, o.Expr, "ORDER BY: ")
	}
	if w.Frame == nil {
		return
	}
	for _, b := range []*tree.Bound{w.Frame.Start, w.Frame.End} {
		if b != nil && b.X != nil {
			c.part(b.X, b.X, "")
		}
	}
	for _, m := range w.Frame.Measures {
		c.part(m.X, m.X, "")
	}
	for _, d := range w.Frame.Define {
		c.part(d.Cond, d.Cond, "")
	}
}

func (c *aggregation) grouping(g *tree.Grouping) {
	for _, x := range g.Columns {
		if c.ordering && c.outputReference(x) != nil {
			c.mistake(InvalidArguments, x, nil, "GROUPING in ORDER BY sees the columns of FROM only")
			continue
		}
		i := c.out.exprs[x]
		if i == nil || i.field == nil || i.field.any {
			continue
		}
		if !c.isColumn(x) || i.level == c.sel.from && !c.sel.groups.fields[i.field] {
			c.mistakeAt(InvalidArguments, startOf(g), x, nil, "GROUPING is asked of a column that GROUP BY does not have")
		}
	}
}
