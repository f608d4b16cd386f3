package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// periodsOf are the conditions of the two periods that an intent over tables compares:
// that of its own, and that of the one it is compared with. ok is false where it compares
// none.
func periodsOf(in *intent.Intent) (own, previous intent.Cond, ok bool) {
	if !in.ComparesPeriods() {
		return own, previous, false
	}
	left := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: in.Time.By}}
	within := func(from, to string) intent.Cond {
		day := func(s string) []intent.Literal { return []intent.Literal{{Text: s, Date: true}} }
		return intent.Cond{Op: intent.And, Args: []intent.Cond{{Op: intent.Ge, Left: &left, Values: day(from)}, {Op: intent.Lt, Left: &left, Values: day(to)}}}
	}
	c := in.Time.Compare
	return within(in.Time.From, in.Time.To), within(c.From, c.To), true
}

// compared writes an intent that compares two periods: a query inside has each figure of
// both, the one around it what lies between.
func (g *Generator) compared(in *intent.Intent, own, previous intent.Cond) (*tree.Query, error) {
	if len(in.Having) > 0 || in.Distinct || in.Set != nil {
		return nil, fmt.Errorf("%w: periods compared of some groups alone", ErrShape)
	}
	names := g.Columns(in)
	inner := *in
	inner.Filters = append(slices.Clone(in.Filters), intent.Cond{Op: intent.Or, Args: []intent.Cond{own, previous}})
	inner.Select = slices.DeleteFunc(slices.Clone(in.Select), func(o intent.Output) bool {
		return o.Agg == intent.AggChange || o.Agg == intent.AggChangeRate
	})
	w := &writer{g: g, in: &inner, own: &own, previous: &previous}
	sel, err := w.sel()
	if err != nil {
		return nil, err
	}
	columns := map[intent.Output]tree.Expr{}
	for i, o := range inner.Select {
		item, ok := sel.Items[i].(*tree.SelectExpr)
		if !ok {
			return nil, fmt.Errorf("%w: a comparison of all columns", ErrShape)
		}
		name := names[slices.Index(in.Select, o)]
		sel.Items[i] = tree.Item(item.Expr, name)
		columns[o] = tree.Col(name)
	}
	outer := &tree.Select{From: []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(sel)}, innerAlias)}}
	for i, o := range in.Select {
		x, err := between(o, columns)
		if err != nil {
			return nil, err
		}
		alias := ""
		if columns[o] == nil {
			alias = names[i]
		}
		outer.Items = append(outer.Items, tree.Item(x, alias))
	}
	q := tree.QueryOf(outer)
	for _, o := range in.OrderBy {
		at := slices.Index(in.Select, o.By)
		if at < 0 {
			return nil, fmt.Errorf("%w: a comparison ordered by what is not shown", ErrShape)
		}
		q.OrderBy = append(q.OrderBy, tree.By(tree.Col(names[at]), o.Desc))
	}
	if in.Limit > 0 {
		q.Limit = tree.LimitTo(in.Limit)
	}
	return q, nil
}

// between is an output of a comparison over the columns of the query inside: a column of
// its own, or what lies between the figures of the two periods.
func between(o intent.Output, columns map[intent.Output]tree.Expr) (tree.Expr, error) {
	if x, ok := columns[o]; ok {
		return x, nil
	}
	was := o
	was.Agg = intent.AggPrevious
	own, previous := columns[o.Compared()], columns[was]
	if own == nil || previous == nil {
		return nil, fmt.Errorf("%w: a change without what it is of", ErrShape)
	}
	change := tree.Op(tree.OpSub, own, previous)
	if o.Agg == intent.AggChange {
		return change, nil
	}
	return tree.Op(tree.OpDiv, tree.CastTo(change, "double"), tree.Fn("abs", tree.Fn("nullif", previous, tree.Int(0)))), nil
}

// during is a figure of one of two periods that are compared.
func (w *writer) during(o intent.Output) (tree.Expr, error) {
	when := w.own
	if o.Agg == intent.AggPrevious {
		when = w.previous
	}
	c, err := w.cond(*when)
	if err != nil {
		return nil, err
	}
	plain := *w
	plain.own, plain.previous = nil, nil
	x, err := plain.output(o.Compared())
	if err != nil {
		return nil, err
	}
	if err := restrict(x, c); err != nil {
		return nil, err
	}
	if o.Compared().Agg == intent.AggSum { // of no rows there is nothing, and not an unknown
		x = tree.Fn("coalesce", x, tree.Int(0))
	}
	return x, nil
}

// aggregating are the functions whose rows a period restricts.
var aggregating = []string{"count", "count_if", "sum", "avg", "min", "max", "array_agg", "approx_percentile"}

// restrict makes the aggregates of an expression those of the rows that fulfil a condition.
func restrict(x tree.Expr, when tree.Expr) error {
	found, window := false, false
	tree.Walk(x, func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		if !ok {
			return true
		}
		window = window || c.Over != nil
		if slices.Contains(aggregating, strings.ToLower(c.Name.String())) {
			found = true
			if c.Filter = when; c.Over != nil {
				return false
			}
		}
		return true
	})
	if !found || window {
		return fmt.Errorf("%w: a comparison of what is no aggregate", ErrShape)
	}
	return nil
}
