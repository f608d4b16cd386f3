package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// survey is what an expression holds of calls that work on more than one row.
// What is in its subqueries does not count.
type survey struct {
	aggregates []tree.Expr
	over       []tree.Expr  // calls with OVER, and measures of windows
	windows    []*tree.Call // of window functions, which have no OVER
	groupings  []*tree.Grouping
}

func (s *survey) isEmpty() bool {
	return len(s.aggregates) == 0 && len(s.over) == 0 && len(s.windows) == 0 && len(s.groupings) == 0
}

func (s *survey) firstWindow() tree.Expr {
	switch {
	case len(s.over) > 0:
		return s.over[0]
	case len(s.windows) > 0:
		return s.windows[0]
	}
	return nil
}

// survey adds to s what an expression holds.
func (r *resolver) survey(s *survey, x tree.Expr) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.Call:
			kind := callKind(n)
			switch {
			case n.Over != nil:
				s.over = append(s.over, n)
			case kind == signature.KindAggregate || n.Filter != nil || len(n.OrderBy) > 0:
				s.aggregates = append(s.aggregates, n)
			case kind == signature.KindWindow:
				s.windows = append(s.windows, n)
			}
		case *tree.ListAgg:
			s.aggregates = append(s.aggregates, n)
		case *tree.WindowMeasure:
			s.over = append(s.over, n)
		case *tree.Grouping:
			s.groupings = append(s.groupings, n)
		}
		return true
	})
}

// callKind is the kind of the function that a call names; empty where there is
// none.
func callKind(c *tree.Call) signature.Kind {
	kind, _ := FunctionKind(functionName(c.Name))
	return kind
}

// functionName is a function's name as the table of functions has it: the built-in
// functions can be written with their catalog and schema.
func functionName(n *tree.Name) string {
	if len(n.Parts) == 1 {
		return n.Parts[0].Key()
	}
	key := n.Key()
	if rest, ok := strings.CutPrefix(key, "system.builtin."); ok && len(n.Parts) == 3 {
		return rest
	}
	return key
}

// isAggregate reports a call that makes one value of many rows.
func isAggregate(n tree.Node) bool {
	switch n := n.(type) {
	case *tree.Call:
		return n.Over == nil && callKind(n) == signature.KindAggregate
	case *tree.ListAgg:
		return true
	}
	return false
}

// innermost returns the deepest first window among nodes: the one that Trino meets
// first, as it looks at parts before wholes.
func innermost(nodes ...tree.Node) tree.Expr {
	var first tree.Expr
	for {
		next := firstOver(nodes)
		if next == nil {
			return first
		}
		first, nodes = next, overParts(next)
	}
}

func firstOver(nodes []tree.Node) tree.Expr {
	var first tree.Expr
	for _, n := range nodes {
		tree.Walk(n, func(n tree.Node) bool {
			switch n := n.(type) {
			case *tree.Query:
				return false
			case *tree.Call:
				if first == nil && n.Over != nil {
					first = n
				}
			case *tree.WindowMeasure:
				if first == nil {
					first = n
				}
			}
			return first == nil
		})
	}
	return first
}

// overParts are the parts of a call with OVER that can hold others.
func overParts(x tree.Expr) []tree.Node {
	var parts []tree.Node
	if c, ok := x.(*tree.Call); ok {
		for _, a := range c.Args {
			parts = append(parts, a)
		}
		for _, o := range c.OrderBy {
			parts = append(parts, o)
		}
		if c.Over.Spec != nil {
			parts = append(parts, c.Over.Spec)
		}
		if c.Filter != nil {
			parts = append(parts, c.Filter)
		}
	}
	return parts
}

// noAggregates notes aggregates, windows and GROUPING where there may be none.
func (r *resolver) noAggregates(x tree.Expr, clause string) {
	var found survey
	if r.survey(&found, x); !found.isEmpty() {
		r.mistake(ExpressionNotScalar, x, nil, "%s cannot hold aggregates, window functions or GROUPING", clause)
	}
}
