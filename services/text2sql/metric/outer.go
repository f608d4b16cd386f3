package metric

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// outer computes what an intent shows from the values of the query inside.
func (c *composer) outer(inner *tree.Query) (*tree.Select, error) {
	sel := &tree.Select{From: []tree.Relation{tree.Alias(&tree.Derived{Query: inner}, "grouped")}}
	for _, name := range c.names {
		sel.Items = append(sel.Items, tree.Item(tree.Col(name), ""))
	}
	shown := slices.Clone(c.in.Select)
	for _, o := range c.in.OrderBy {
		if o.By.Kind == intent.KindMetric && !slices.Contains(shown, o.By) {
			shown = append(shown, o.By)
		}
	}
	for _, o := range shown {
		if o.Agg == intent.AggShare && c.in.Part == "" && len(c.blocks()) == 1 { // written beside it
			sel.Items = append(sel.Items, tree.Item(tree.Col(Base(o.ID)), ""))
		}
		if err := c.show(sel, o); err != nil {
			return nil, err
		}
	}
	var conds []tree.Expr
	if c.leadIn() > 0 {
		conds = append(conds, tree.Op(tree.OpGe, tree.Col(c.steps), tree.TypedLit("date", c.in.Time.From)))
	}
	for _, h := range c.in.Having {
		x, err := c.value(*h.Left, false, 0)
		if err != nil {
			return nil, err
		}
		conds = append(conds, condition(x, h))
	}
	if t := c.in.Time; t != nil && t.Compare != nil && t.Grain != "" {
		x, err := c.present()
		if err != nil {
			return nil, err
		}
		conds = append(conds, x)
	}
	sel.Where = tree.And(conds...)
	return sel, nil
}

// show adds the column of a value.
func (c *composer) show(sel *tree.Select, o intent.Output) error {
	x, err := c.value(o, false, 0)
	if err != nil {
		return err
	}
	name := Column(o)
	if col, ok := x.(*tree.ColumnRef); ok && col.Parts[len(col.Parts)-1].Name == name {
		name = ""
	}
	sel.Items = append(sel.Items, tree.Item(x, name))
	return nil
}

// present leaves out the steps of time that only the compared period has: those
// after the end.
func (c *composer) present() (tree.Expr, error) {
	var conds []tree.Expr
	for _, p := range c.plan.Parts {
		for _, o := range p.Outputs {
			conds = append(conds, &tree.IsNull{X: tree.Col(Column(o)), Not: true})
		}
	}
	if len(conds) == 0 {
		return nil, &Problem{Code: "NO_PERIOD"}
	}
	if len(conds) == 1 {
		return conds[0], nil
	}
	return &tree.Paren{X: tree.Or(conds...)}, nil
}

// value is what an output is, over the columns of the query inside; previous
// takes it from the compared period.
func (c *composer) value(o intent.Output, previous bool, depth int) (tree.Expr, error) {
	if depth > maxDepth {
		return nil, &Problem{Code: "COMPOSED", What: []string{o.ID}}
	}
	switch o.Agg {
	case intent.AggPrevious:
		return c.value(underlying(o), true, depth+1)
	case intent.AggChange, intent.AggChangeRate:
		return c.change(o, depth)
	case intent.AggRatio:
		x, err := c.value(plain(o.ID), previous, depth+1)
		if err != nil {
			return nil, err
		}
		by, err := c.value(plain(o.Per.ID), previous, depth+1)
		if err != nil {
			return nil, err
		}
		if o.Times != "" {
			return tree.Op(tree.OpMul, quotient(x, by), number(intent.Literal{Text: o.Times})), nil
		}
		return quotient(x, by), nil
	}
	m, ok := c.layer.Metric(o.ID)
	if !ok || !m.Composed() {
		column := Column(o)
		if previous {
			column = previousColumn(column)
		}
		if ok && c.absentIsNone() && countsUp(m) {
			return tree.Fn("coalesce", tree.Col(column), &tree.Number{Text: "0"}), nil
		}
		return tree.Col(column), nil
	}
	if m.Kind() == semantic.Cumulative {
		of, err := accumulated(m, c.in)
		if err != nil {
			return nil, err
		}
		return c.value(of, previous, depth+1)
	}
	formula, err := m.Formula()
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", m.ID, err)
	}
	return c.formula(formula, previous, depth)
}

// absentIsNone reports whether a group that one of two periods lacks has had nothing
// in it: a seller without orders in October sold for 0. A step of time that is missing
// may be data that is missing, and stays so.
func (c *composer) absentIsNone() bool {
	t := c.in.Time
	return t != nil && t.Compare != nil && t.Grain == "" && len(c.in.GroupBy) > 0
}

// countsUp reports whether a metric of nothing is 0: a sum or a count, no mean.
func countsUp(m *semantic.Metric) bool {
	return m.Kind() == semantic.DistinctCount || m.Kind() == semantic.Simple && m.Additivity != semantic.NonAdditive
}

func (c *composer) change(o intent.Output, depth int) (tree.Expr, error) {
	now, err := c.value(underlying(o), false, depth+1)
	if err != nil {
		return nil, err
	}
	then, err := c.value(underlying(o), true, depth+1)
	if err != nil {
		return nil, err
	}
	difference := tree.Op(tree.OpSub, bracket(now), bracket(then))
	if o.Agg == intent.AggChange {
		return difference, nil
	}
	return quotient(difference, then), nil
}

// formula puts the values of metrics in the place of their ids.
func (c *composer) formula(x tree.Expr, previous bool, depth int) (tree.Expr, error) {
	var failed error
	out, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		col, ok := n.(*tree.ColumnRef)
		if !ok || len(col.Parts) != 1 || failed != nil {
			return n
		}
		in, err := c.value(plain(col.Parts[0].Name), previous, depth+1)
		if err != nil {
			failed = err
			return n
		}
		return bracket(in)
	})
	if failed != nil {
		return nil, failed
	}
	return out, err
}

// bracket keeps a sum or a quotient together.
func bracket(x tree.Expr) tree.Expr {
	if _, ok := x.(*tree.Binary); ok {
		return &tree.Paren{X: x}
	}
	return x
}

// compared are the operators of conditions on results.
var compared = map[intent.Op]string{
	intent.Gt: tree.OpGt, intent.Ge: tree.OpGe, intent.Lt: tree.OpLt, intent.Le: tree.OpLe, intent.Eq: tree.OpEq, intent.Ne: tree.OpNe,
}

// decimalForm is how numbers of conditions are written.
var decimalForm = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

func condition(x tree.Expr, h intent.Cond) tree.Expr {
	if h.Op == intent.Between && len(h.Values) == 2 {
		return tree.And(tree.Op(tree.OpGe, x, number(h.Values[0])), tree.Op(tree.OpLe, x, number(h.Values[1])))
	}
	return tree.Op(compared[h.Op], x, number(h.Values[0]))
}

func number(l intent.Literal) tree.Expr {
	text, negative := strings.CutPrefix(l.Text, "-")
	var x tree.Expr = &tree.Number{Text: text}
	if negative {
		x = &tree.Unary{Op: tree.OpSub, X: x}
	}
	return x
}

// counted counts the rows of a query.
func (c *composer) counted(q *tree.Query) *tree.Select {
	name := "number_of_rows"
	for _, f := range c.in.GroupBy {
		name = "number_of_" + f.ID
	}
	if t := c.in.Time; len(c.in.GroupBy) == 0 && t != nil && t.Grain != "" {
		name = "number_of_" + t.Grain
	}
	return &tree.Select{
		Items: []tree.SelectItem{tree.Item(tree.CountStar(), name)},
		From:  []tree.Relation{tree.Alias(&tree.Derived{Query: q}, "counted")},
	}
}

func (c *composer) order(by []intent.Order) []*tree.SortItem {
	var out []*tree.SortItem
	for _, o := range by {
		if name := c.orderName(o); name != "" {
			item := tree.By(tree.Col(name), o.Desc)
			if o.Desc && o.By.Kind == intent.KindMetric && (derived(o.By) || len(c.plan.Parts) > 1 || c.in.Time != nil && c.in.Time.Compare != nil) {
				item.Nulls = "LAST" // nothing to compare with is not the most
			}
			out = append(out, item)
		}
	}
	return out
}

// orderName is the column of the result that an order goes by; empty where the
// column is not in it.
func (c *composer) orderName(o intent.Order) string {
	name := o.By.ID
	switch o.By.Kind {
	case intent.KindTime:
		name = c.steps
	case intent.KindEntity:
		k := c.plan.Parts[0].Entities[o.By.ID]
		name = k.Name(k.Entity.Key[0])
	case intent.KindMetric:
		return Column(o.By)
	}
	if slices.Contains(c.names, name) {
		return name
	}
	return ""
}

// ranked keeps the first rows of each group: the rows of the query get their
// rank in a second one, and a third one cuts.
func (c *composer) ranked(sel *tree.Select, q *tree.Query) *tree.Select {
	over := &tree.Window{}
	var rest []intent.Order
	for _, o := range c.in.OrderBy {
		if !slices.Contains(c.in.LimitPer, o.By.Field) || o.By.Agg != intent.AggNone {
			rest = append(rest, o)
		} else if name := c.orderName(o); name != "" {
			over.PartitionBy = append(over.PartitionBy, tree.Col(name))
		}
	}
	over.OrderBy = c.order(rest)
	rank := tree.Fn("row_number")
	rank.Over = &tree.Over{Spec: over}
	const rankName = "rank_no"
	inner, outer := &tree.Select{}, &tree.Select{}
	for _, item := range sel.Items {
		name := itemName(item)
		inner.Items = append(inner.Items, tree.Item(tree.Col(name), ""))
		outer.Items = append(outer.Items, tree.Item(tree.Col(name), ""))
	}
	inner.Items = append(inner.Items, tree.Item(rank, rankName))
	inner.From = []tree.Relation{tree.Alias(&tree.Derived{Query: q}, "ranking")}
	outer.From = []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(inner)}, "ranked")}
	outer.Where = tree.Op(tree.OpLe, tree.Col(rankName), tree.Int(c.in.Limit))
	return outer
}
