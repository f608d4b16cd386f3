package fixsql

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// treeEdits are the repairs of what the resolver finds.
func treeEdits(stmt *tree.Statement, res *resolve.Resolution, scope resolve.Scope, diagnostics []resolve.Diagnostic) []edit {
	var edits []edit
	var ungrouped []*tree.ColumnRef
	for _, d := range diagnostics {
		switch n := d.Node.(type) {
		case *tree.ColumnRef:
			switch d.Code {
			case resolve.ColumnNotFound:
				found := columnEdit(n, d)
				if len(found) == 0 && len(n.Parts) == 1 && n.Parts[0].Quoted {
					found = append(signsEdit(stmt, n), quotesEdit(stmt, res, scope, n)...)
				}
				edits = append(edits, found...)
			case resolve.ExpressionNotAggregate:
				ungrouped = append(ungrouped, n)
			}
		case *tree.Table:
			if d.Code == resolve.TableNotFound {
				edits = append(edits, tableEdit(n, d)...)
			}
		case *tree.Call:
			if d.Code == resolve.FunctionNotFound {
				edits = append(edits, nameEdit(n, d)...)
			}
		}
	}
	return append(edits, groupEdits(stmt, ungrouped)...)
}

// columnEdit takes the nearest column.
func columnEdit(c *tree.ColumnRef, d resolve.Diagnostic) []edit {
	last := c.Parts[len(c.Parts)-1]
	span := c.Span()
	best, certainty, ok := nearestOf(last.Name, d.Suggestions)
	if !ok {
		return nil
	}
	if strings.EqualFold(best, last.Name) { // the column is there, under another table
		if len(c.Parts) == 1 {
			return nil
		}
		return []edit{{start: span.Start, end: span.End, text: printer.Ident(best), class: classColumn, why: "qualifier", certainty: 0.7}}
	}
	at := last.Span()
	return []edit{{start: at.Start, end: at.End, text: printer.Ident(best), class: classColumn, why: "nearest_column", certainty: certainty}}
}

func tableEdit(t *tree.Table, d resolve.Diagnostic) []edit {
	name := t.Name.Parts
	// Candidates are whole names; what was written may be the last parts only.
	short := map[string]string{}
	var candidates []string
	for _, s := range d.Suggestions {
		parts := strings.Split(s, ".")
		tail := strings.Join(parts[max(0, len(parts)-len(name)):], ".")
		short[tail] = s
		candidates = append(candidates, tail)
	}
	best, certainty, ok := nearestOf(t.Name.String(), candidates)
	if !ok {
		return nil
	}
	text := best
	if strings.EqualFold(best, t.Name.String()) {
		text = short[best] // the same name elsewhere
	}
	parts := strings.Split(text, ".")
	for i, p := range parts {
		parts[i] = printer.Ident(p)
	}
	span := t.Name.Span()
	return []edit{{start: span.Start, end: span.End, text: strings.Join(parts, "."), class: classTable, why: "nearest_table", certainty: certainty - 0.05}}
}

func nameEdit(c *tree.Call, d resolve.Diagnostic) []edit {
	best, certainty, ok := nearestOf(c.Name.String(), d.Suggestions)
	if !ok {
		return nil
	}
	span := c.Name.Span()
	return []edit{{
		start: span.Start, end: span.End, text: best, class: classFunction, why: "nearest_function", certainty: certainty - 0.1,
		args: map[string]string{"name": c.Name.String()},
	}}
}

// groupEdits add what is selected without an aggregate to GROUP BY.
func groupEdits(stmt *tree.Statement, columns []*tree.ColumnRef) []edit {
	if len(columns) == 0 {
		return nil
	}
	var edits []edit
	tree.Walk(stmt, func(n tree.Node) bool {
		sel, ok := n.(*tree.Select)
		if !ok {
			return true
		}
		var missing []string
		for _, x := range ungroupedOf(sel, columns) {
			text := x.Span().Text()
			if !containsFold(missing, text) {
				missing = append(missing, text)
			}
		}
		if len(missing) == 0 {
			return true
		}
		e := edit{class: classAggregate, why: "group_by", certainty: 0.85, text: " GROUP BY " + strings.Join(missing, ", ")}
		e.start = groupAt(sel)
		if sel.GroupBy != nil {
			e.text = ", " + strings.Join(missing, ", ")
		}
		e.end = e.start
		edits = append(edits, e)
		return true
	})
	return edits
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
func ungroupedOf(sel *tree.Select, columns []*tree.ColumnRef) []tree.Expr {
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
