package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// groupEdits add to GROUP BY what is selected, or sorted by, without an aggregate. That
// is certain where it changes no group: there is no GROUP BY yet, or it has the whole
// key of the table that the column is of.
func groupEdits(_ *engine, now *reading) []edit {
	var columns []*tree.ColumnRef
	for _, d := range now.diagnostics {
		if d.Code == resolve.FunctionNotFound {
			return nil // it may be an aggregate that is misspelt
		}
		if ref, ok := d.Node.(*tree.ColumnRef); ok && d.Code == resolve.ExpressionNotAggregate {
			columns = append(columns, ref)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	var edits []edit
	query := map[*tree.Select]*tree.Query{}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			if sel, ok := n.Body.(*tree.Select); ok {
				query[sel] = n
			}
		case *tree.Select:
			if e, ok := now.groupEdit(n, query[n], columns); ok {
				edits = append(edits, e)
			}
		}
		return true
	})
	return edits
}

// asksForSets reports grouping(), which is there for ROLLUP, CUBE or GROUPING SETS: those are
// missing then, and not the columns alone.
func asksForSets(sel *tree.Select) bool {
	found := false
	for _, item := range sel.Items {
		tree.Walk(item, func(n tree.Node) bool {
			_, is := n.(*tree.Grouping)
			found = found || is
			return !found
		})
	}
	return found
}

func (now *reading) groupEdit(sel *tree.Select, q *tree.Query, columns []*tree.ColumnRef) (edit, bool) {
	if sel.GroupBy != nil && slices.ContainsFunc(sel.GroupBy.Elements, func(e *tree.GroupingElement) bool { return e.Kind != tree.GroupingSimple }) {
		return edit{}, false // what ROLLUP makes of it is for a person to say
	}
	var missing []string
	certain, lost := true, sel.GroupBy == nil && asksForSets(sel)
	for _, x := range ungroupedOf(sel, q, columns) {
		if _, paren := x.(*tree.Paren); paren {
			lost = true // a function may be missing before it
		}
		text := x.Span().Text()
		if !containsFold(missing, text) {
			missing = append(missing, text)
			certain = certain && now.keyIsGrouped(sel, x)
		}
	}
	if len(missing) == 0 {
		return edit{}, false
	}
	e := edit{class: "group_by", certainty: 0.75, text: " GROUP BY " + strings.Join(missing, ", "), start: groupAt(sel)}
	switch {
	case lost:
	case sel.GroupBy == nil:
		e.certainty = Certain
	case certain:
		e.certainty = 0.95
	}
	if sel.GroupBy != nil {
		e.text = ", " + strings.Join(missing, ", ")
	}
	e.end = e.start
	return e, true
}

// keyIsGrouped reports whether GROUP BY holds the whole key of the one stored table
// that an expression's columns are of.
func (now *reading) keyIsGrouped(sel *tree.Select, x tree.Expr) bool {
	origins := now.resolution.Origins(x)
	if len(origins) == 0 {
		return false
	}
	table, ok := now.scope.Catalog.Lookup(origins[0].Table)
	if !ok || len(table.PrimaryKey()) == 0 {
		return false
	}
	grouped := map[string]bool{}
	for _, g := range sel.Groups() {
		for _, o := range now.resolution.Origins(g) {
			if o.Table == origins[0].Table {
				grouped[strings.ToLower(o.Column)] = true
			}
		}
	}
	for _, o := range origins {
		if o.Table != origins[0].Table {
			return false
		}
	}
	return !slices.ContainsFunc(table.PrimaryKey(), func(key string) bool { return !grouped[strings.ToLower(key)] })
}

// groupAt is the offset where GROUP BY, or a further element of it, belongs.
func groupAt(sel *tree.Select) int {
	switch {
	case sel.GroupBy != nil:
		return sel.GroupBy.Span().End
	case sel.Where != nil:
		return sel.Where.Span().End
	case len(sel.From) > 0:
		return sel.From[len(sel.From)-1].Span().End
	}
	return sel.Span().End
}

// ungroupedOf are the expressions of one SELECT that have to be grouped: the
// whole item of the list where it has no aggregate, else the column alone.
func ungroupedOf(sel *tree.Select, q *tree.Query, columns []*tree.ColumnRef) []tree.Expr {
	var out []tree.Expr
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			continue
		}
		for _, c := range columns {
			switch {
			case !within(x.Expr, c):
			case resolve.Aggregates(x.Expr):
				out = append(out, c)
			default:
				out = append(out, x.Expr)
			}
		}
	}
	for _, c := range columns {
		if sel.Having != nil && within(sel.Having, c) {
			out = append(out, c)
		}
		if q == nil {
			continue
		}
		for _, key := range q.OrderBy {
			if within(key.Expr, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// within reports whether an expression holds a node, subqueries left out.
func within(x tree.Expr, node tree.Node) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if n == node {
			found = true
		}
		_, query := n.(*tree.Query)
		return !found && !query
	})
	return found
}

func containsFold(list []string, s string) bool {
	for _, have := range list {
		if strings.EqualFold(have, s) {
			return true
		}
	}
	return false
}
