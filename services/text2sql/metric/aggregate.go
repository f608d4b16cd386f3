package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// metrics writes the numbers. Conditions that not all of them have go into the
// aggregates.
func (w *writer) metrics(sel *tree.Select, groups []tree.Expr) error {
	shared := w.sharedFilters()
	for i, m := range w.c.Metrics {
		x, err := w.figure(m, shared)
		if err != nil {
			return err
		}
		o := w.in.Select[i]
		if o.Agg == intent.AggShare && w.in.Part == "" && !w.together {
			sel.Items = append(sel.Items, tree.Item(x, Base(m.ID)))
		}
		if x, err = w.aggregate(x, m, o, groups); err != nil {
			return err
		}
		sel.Items = append(sel.Items, tree.Item(x, Column(o)))
	}
	return nil
}

// figure is the aggregate of a metric under those of its conditions that are not shared.
func (w *writer) figure(m semantic.Metric, shared []string) (tree.Expr, error) {
	x, err := w.expr(m.Expr, m.Table)
	if err != nil {
		return nil, err
	}
	var own []tree.Expr
	for _, f := range m.DefaultFilters {
		if slices.Contains(shared, f) {
			continue
		}
		cond, err := w.expr(f, m.Table)
		if err != nil {
			return nil, err
		}
		own = append(own, cond)
	}
	return only(x, own...)
}

// sharedFilters are the default filters that all metrics have.
func (w *writer) sharedFilters() []string {
	shared := slices.Clone(w.c.Metrics[0].DefaultFilters)
	for _, m := range w.c.Metrics[1:] {
		shared = slices.DeleteFunc(shared, func(f string) bool { return !slices.Contains(m.DefaultFilters, f) })
	}
	return shared
}

// aggregate makes a share or a mean over days of a metric's expression.
func (w *writer) aggregate(x tree.Expr, m semantic.Metric, o intent.Output, groups []tree.Expr) (tree.Expr, error) {
	switch o.Agg {
	case intent.AggShare:
		if w.in.Part != "" {
			cond, err := w.partCondition()
			if err != nil {
				return nil, err
			}
			part, err := only(x, cond)
			if err != nil {
				return nil, err
			}
			return quotient(part, x), nil
		}
		if len(groups) == 0 {
			return nil, &Problem{Code: "NO_DIMENSION", What: []string{m.ID}}
		}
		over := &tree.Window{}
		if grain := w.grain(); grain != "" {
			cut, err := w.timeCut(grain)
			if err != nil {
				return nil, err
			}
			over.PartitionBy = []tree.Expr{cut}
		}
		for _, f := range w.in.ShareOf {
			if d, ok, err := w.dimension(f.ID); err == nil && ok {
				over.PartitionBy = append(over.PartitionBy, d)
			}
		}
		whole := tree.Fn("sum", x)
		whole.Over = &tree.Over{Spec: over}
		return quotient(x, whole), nil
	case intent.AggAvg:
		return w.mean(x, o)
	case intent.AggWindow:
		return w.window(x, m, o, groups)
	}
	return x, nil
}

// mean is the mean of a sum over the days or other units that have rows, or over
// the entities that have.
func (w *writer) mean(x tree.Expr, o intent.Output) (tree.Expr, error) {
	if o.Per.Kind == intent.KindEntity {
		k := w.c.Entities[o.Per.ID]
		if len(k.Columns) != 1 {
			return nil, &Problem{Code: "NO_AVERAGE", What: []string{o.ID}}
		}
		return quotient(x, tree.FnDistinct("count", w.column(k.Table, k.Columns[0]))), nil
	}
	if grain := o.Per.Grain; grain != "" {
		cut, err := w.timeCut(grain)
		if err != nil {
			return nil, err
		}
		return quotient(x, tree.FnDistinct("count", cut)), nil
	}
	t, _, err := w.timeColumn()
	if err != nil {
		return nil, err
	}
	return quotient(x, tree.FnDistinct("count", t)), nil
}

func quotient(x, by tree.Expr) tree.Expr {
	return tree.Op(tree.OpDiv, tree.CastTo(x, "double"), tree.Fn("nullif", by, tree.Int(0)))
}

// only restricts the aggregates of an expression to rows.
func only(x tree.Expr, conds ...tree.Expr) (tree.Expr, error) {
	if len(conds) == 0 {
		return x, nil
	}
	return tree.Rewrite(x, func(n tree.Node) tree.Node {
		c, ok := n.(*tree.Call)
		if !ok || c.Over != nil || len(c.Name.Parts) != 1 || !slices.Contains(aggregates, strings.ToLower(c.Name.Parts[0].Name)) {
			return n
		}
		all := conds
		if c.Filter != nil {
			all = append([]tree.Expr{c.Filter}, conds...)
		}
		return &tree.Call{Name: c.Name, Quantifier: c.Quantifier, Args: c.Args, Star: c.Star, OrderBy: c.OrderBy, Filter: tree.And(all...), Nulls: c.Nulls}
	})
}

// aggregates are the functions that metrics are made of.
var aggregates = []string{"sum", "count", "avg", "min", "max", "approx_distinct", "approx_percentile"}

// partCondition is the filter of the dimension, or the named filter, that a share
// is of.
func (w *writer) partCondition() (tree.Expr, error) {
	for _, f := range w.in.Filters {
		if f.Left != nil && f.Left.ID == w.in.Part {
			return w.condition(f)
		}
	}
	for _, f := range w.c.Named {
		if f.ID == w.in.Part {
			return w.named(f)
		}
	}
	return nil, &Problem{Code: "NO_DIMENSION", What: []string{w.in.Part}}
}

// countsKey reports whether an expression counts the rows of an entity.
func countsKey(expr string, key []string) bool {
	return len(key) == 1 && strings.EqualFold(strings.ReplaceAll(expr, " ", ""), "count(distinct"+key[0]+")")
}
