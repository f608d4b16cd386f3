package metric

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// window writes a metric over the steps of time up to each one. A sum of ratios
// means nothing: of a ratio the parts are summed, and then divided.
func (w *writer) window(x tree.Expr, m semantic.Metric, o intent.Output, groups []tree.Expr) (tree.Expr, error) {
	grain := w.grain()
	if grain == "" || len(groups) == 0 {
		return nil, &Problem{Code: "NO_GRAIN", What: []string{o.ID}}
	}
	cut, err := w.timeCut(grain)
	if err != nil {
		return nil, err
	}
	spec := func() *tree.Window {
		frame := &tree.Frame{Unit: "RANGE", Start: &tree.Bound{Kind: "UNBOUNDED PRECEDING"}, End: &tree.Bound{Kind: "CURRENT ROW"}}
		if o.Window.N > 0 {
			frame.Start = &tree.Bound{Kind: "PRECEDING", X: stepsBack(o.Window)}
		}
		return &tree.Window{PartitionBy: groups[1:], OrderBy: []*tree.SortItem{tree.By(cut, false)}, Frame: frame}
	}
	over := func(name string, arg tree.Expr) tree.Expr {
		call := tree.Fn(name, arg)
		call.Over = &tree.Over{Spec: spec()}
		return call
	}
	switch {
	case ratio(m):
		return overParts(x, m, over)
	case o.Window.Agg == intent.AggAvg:
		return over("avg", tree.CastTo(x, "double")), nil
	case m.Additivity != "" && m.Additivity != semantic.Additive:
		return nil, &Problem{Code: "NO_SUM", What: []string{m.ID}}
	}
	return over("sum", x), nil
}

// stepsBack is how far before a step its window begins: the step itself is in it.
func stepsBack(w intent.Window) tree.Expr {
	n, unit := w.N-1, w.Unit
	switch unit {
	case "week":
		n, unit = 7*n, "day"
	case "quarter":
		n, unit = 3*n, "month"
	}
	return &tree.Interval{Value: strconv.Itoa(n), From: strings.ToUpper(unit)}
}

// overParts puts a window around each aggregate of an expression.
func overParts(x tree.Expr, m semantic.Metric, over func(string, tree.Expr) tree.Expr) (tree.Expr, error) {
	summable := true
	out, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		c, ok := n.(*tree.Call)
		if !ok || c.Over != nil || len(c.Name.Parts) != 1 {
			return n
		}
		name := strings.ToLower(c.Name.Parts[0].Name)
		switch {
		case !slices.Contains(aggregates, name):
			return n
		case c.Quantifier == "" && (name == "sum" || name == "count"):
			return over("sum", c)
		case c.Quantifier == "" && name == "avg" && len(c.Args) == 1:
			sum := &tree.Call{Name: tree.NameOf("sum"), Args: c.Args, Filter: c.Filter}
			count := &tree.Call{Name: tree.NameOf("count"), Args: c.Args, Filter: c.Filter}
			return quotient(over("sum", sum), over("sum", count))
		}
		summable = false
		return n
	})
	if err != nil {
		return nil, err
	}
	if !summable {
		return nil, &Problem{Code: "NO_SUM", What: []string{m.ID}}
	}
	return out, nil
}
