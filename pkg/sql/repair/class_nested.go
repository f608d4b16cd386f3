package repair

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// nestedEdits take an aggregate out of another one: SELECT max(count(*)) FROM t GROUP BY g
// is the greatest of the counts, which a subquery makes. The groups, or that there are
// none, may not be what was meant: it is never certain.
func nestedEdits(_ *engine, now *reading) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		sel, ok := n.(*tree.Select)
		if !ok || sel.Having != nil || len(sel.Items) != 1 || len(sel.From) == 0 {
			return true
		}
		item, ok := sel.Items[0].(*tree.SelectExpr)
		if !ok {
			return true
		}
		inner := nestedIn(item.Expr)
		wrong := slices.ContainsFunc(now.diagnostics, func(d resolve.Diagnostic) bool {
			return d.Code == resolve.NestedAggregation && inner != nil && within(item.Expr, d.Node)
		})
		if !wrong {
			return true
		}
		if sel.GroupBy == nil { // of one group there is one value: the outer aggregate gives it back
			if around, ok := item.Expr.(*tree.Call); ok && len(around.Args) == 1 && around.Args[0] == tree.Expr(inner) && givesBack(around.Name.Key()) {
				edits = append(edits, edit{start: around.Span().Start, end: around.Span().End, text: inner.Span().Text(), class: "nested_aggregate", certainty: likely})
			}
			return true
		}
		name := printer.Ident(inner.Name.Key() + "_1")
		span, from := inner.Span(), sel.From[0].Span().Start
		end := sel.GroupBy.Span().End
		edits = append(
			edits,
			edit{start: span.Start, end: span.End, text: name, class: "nested_aggregate", certainty: 0.8},
			edit{start: from, end: from, text: "(SELECT " + span.Text() + " AS " + name + " FROM ", class: "nested_aggregate", certainty: 0.8},
			edit{start: end, end: end, text: ")", class: "nested_aggregate", certainty: 0.8},
		)
		return false
	})
	return edits
}

// nestedIn is the one aggregate inside another; nil where there is none or several.
func nestedIn(x tree.Expr) *tree.Call {
	var found []*tree.Call
	inside := 0
	var visit func(n tree.Node)
	visit = func(n tree.Node) {
		tree.Walk(n, func(at tree.Node) bool {
			call, ok := at.(*tree.Call)
			switch {
			case at == n:
				return true
			case !ok || call.Over != nil || !aggregate(call):
				return true
			case inside > 0:
				found = append(found, call)
				return false
			}
			inside++
			visit(call)
			inside--
			return false
		})
	}
	visit(&tree.Paren{X: x})
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// aggregate reports a call that is an aggregate itself.
func aggregate(c *tree.Call) bool {
	plain := *c
	plain.Args = nil
	return resolve.Aggregates(&plain)
}

// givesBack reports an aggregate that gives back the value of a single row.
func givesBack(name string) bool {
	return slices.Contains([]string{"min", "max", "avg", "sum", "any_value", "arbitrary"}, name)
}
