package repair

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// havingEdits take aggregates out of WHERE. In a query that groups they are conditions
// of the groups and go to HAVING; in one that does not, rows are compared with a figure
// of the whole table, which is a subquery.
func havingEdits(_ *engine, now *reading) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		sel, ok := n.(*tree.Select)
		if !ok || sel.Where == nil {
			return true
		}
		for _, d := range now.diagnostics {
			if d.Code == resolve.ExpressionNotScalar && d.Node == tree.Node(sel.Where) {
				if sel.GroupBy != nil || allAggregates(sel) {
					edits = append(edits, toHaving(sel)...)
				} else {
					edits = append(edits, toSubquery(sel)...)
				}
				return true
			}
		}
		return true
	})
	return edits
}

// allAggregates reports a SELECT list of aggregates alone.
func allAggregates(sel *tree.Select) bool {
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok || !resolve.Aggregates(x.Expr) {
			return false
		}
	}
	return true
}

func toHaving(sel *tree.Select) []edit {
	var rows, groups []string
	for _, c := range tree.Conjuncts(sel.Where) {
		switch {
		case holdsWindow(c):
			return nil
		case resolve.Aggregates(c):
			groups = append(groups, c.Span().Text())
		default:
			rows = append(rows, c.Span().Text())
		}
	}
	if len(groups) == 0 || len(sel.From) == 0 {
		return nil
	}
	where := edit{start: sel.From[len(sel.From)-1].Span().End, end: sel.Where.Span().End, class: "having", certainty: 0.93}
	if len(rows) > 0 {
		where.text = " WHERE " + strings.Join(rows, " AND ")
	}
	condition := strings.Join(groups, " AND ")
	switch {
	case sel.Having != nil:
		return []edit{where, {start: sel.Having.Span().Start, end: sel.Having.Span().Start, text: condition + " AND ", class: "having", certainty: 0.85}}
	case sel.GroupBy != nil:
		at := sel.GroupBy.Span().End
		return []edit{where, {start: at, end: at, text: " HAVING " + condition, class: "having", certainty: 0.93}}
	}
	where.text += " HAVING " + condition
	return []edit{where}
}

// toSubquery replaces the aggregates of a query over one table.
func toSubquery(sel *tree.Select) []edit {
	if len(sel.From) != 1 {
		return nil
	}
	table := sel.From[0]
	if a, ok := table.(*tree.Aliased); ok {
		table = a.Relation
	}
	if _, ok := table.(*tree.Table); !ok {
		return nil
	}
	var edits []edit
	tree.Walk(sel.Where, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.Call:
			if n.Over == nil && resolve.Aggregates(n) {
				s := n.Span()
				edits = append(edits, edit{
					start: s.Start, end: s.End, class: "aggregate_subquery", certainty: 0.75,
					text: "(SELECT " + s.Text() + " FROM " + sel.From[0].Span().Text() + ")",
				})
				return false
			}
		}
		return true
	})
	return edits
}

func holdsWindow(x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok && c.Over != nil {
			found = true
		}
		return !found
	})
	return found
}
