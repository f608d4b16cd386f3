package duckdb

import "github.com/dibrain/dibrain/pkg/sql/tree"

// refuseForms refuses the parts of nodes that the embedded engine has nothing for
// and that are easily overlooked: they are fields of nodes that are written
// without them.
func (e *emitter) refuseForms(q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Table:
			if n.Version != nil {
				e.no(n.Version, "FOR %s AS OF", n.Version.Kind)
			}
		case *tree.GroupingElement:
			if n.Kind == tree.GroupingAuto {
				e.no(n, "GROUP BY AUTO")
			}
		case *tree.Frame:
			if n.Pattern != nil || len(n.Measures) > 0 || n.Skip != "" || n.Search != "" || len(n.Subsets) > 0 || len(n.Define) > 0 {
				e.no(n, "row pattern recognition")
			}
		case *tree.Call:
			if n.Label != nil || n.Mode != "" {
				e.no(n, "row pattern recognition")
			}
		case *tree.ListAgg:
			if n.Over != nil {
				e.no(n, "LISTAGG with OVER")
			}
		}
		return e.err == nil
	})
}
