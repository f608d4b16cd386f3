package repair

import (
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Term is a word of the business that a semantic layer defines over one table.
type Term struct {
	Names []string // its id, its names and its synonyms, in any language
	Table catalog.Name
	// Expr is a Presto expression over the columns of the table: an aggregate for a
	// metric, else a value of a row.
	Expr   string
	Metric bool
}

// Certainty of what a layer's term stands for.
const (
	certainTerm   = 0.93 // the layer says that the word is this column
	termFormula   = 0.8  // a formula stands where a column was expected
	metricFormula = 0.7  // and a metric makes one row of many
)

// learn gets to know the terms of the statement's tables.
func (e *engine) learn(ctx context.Context, now *reading) error {
	if e.Terms == nil || len(now.unknownColumns()) == 0 {
		return nil
	}
	var tables []catalog.Table
	for _, name := range now.resolution.Tables() {
		if t, ok := now.scope.Catalog.Lookup(name); ok && !slices.Contains(e.learned, t.Name) {
			tables, e.learned = append(tables, *t), append(e.learned, t.Name)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	terms, err := e.Terms(ctx, tables)
	e.terms = append(e.terms, terms...)
	return err
}

// termEdits put in what a word of the business stands for, where it is the name of no
// column and one table in sight has one term of that name.
func (e *engine) termEdits(now *reading) []edit {
	var edits []edit
	for _, ref := range now.unknownColumns() {
		sight := now.inSight(ref)
		if len(ref.Parts) > 1 {
			qualifier := ref.Parts[len(ref.Parts)-2].Name
			sight = slices.DeleteFunc(sight, func(s seen) bool { return !strings.EqualFold(s.name, qualifier) })
		}
		term, of, ok := e.termOf(ref.Parts[len(ref.Parts)-1].Name, sight)
		if !ok {
			continue
		}
		if made, ok := now.termEdit(ref, term, of); ok {
			edits = append(edits, made)
		}
	}
	return edits
}

// termOf is the one term of a name over the relations in sight, and its relation.
func (e *engine) termOf(name string, sight []seen) (found Term, of seen, ok bool) {
	want := strings.Join(smallParts(name), "_")
	for _, s := range sight {
		if s.stored == nil {
			continue
		}
		for _, t := range e.terms {
			if t.Table != s.stored.Name || !slices.ContainsFunc(t.Names, func(n string) bool { return strings.Join(smallParts(n), "_") == want }) {
				continue
			}
			if ok && (t.Expr != found.Expr || s.relation != of.relation) {
				return Term{}, seen{}, false
			}
			found, of, ok = t, s, true
		}
	}
	return found, of, ok
}

// termEdit puts a term's expression in the place of a name.
func (now *reading) termEdit(ref *tree.ColumnRef, term Term, of seen) (edit, bool) {
	expr, columns, ok := termExpr(term.Expr)
	if !ok || slices.ContainsFunc(columns, func(c *tree.ColumnRef) bool { return !of.has(c.Parts[len(c.Parts)-1].Name) }) {
		return edit{}, false
	}
	span := ref.Span()
	made := edit{start: span.Start, end: span.End, class: "business_term", certainty: termFormula, args: map[string]string{"name": span.Text()}}
	alone := len(ref.Parts) == 1 && len(now.inSight(ref)) == 1
	text := func(x tree.Expr) string { return placed(x, of, alone) }
	call, aggregated := now.aggregateAround(ref)
	switch {
	case !term.Metric:
		made.text = text(expr)
		if _, column := expr.(*tree.ColumnRef); column {
			made.certainty = certainTerm
		} else {
			made.text = "(" + made.text + ")"
		}
		return made, true
	case aggregated:
		// sum(gmv) means the column that the metric sums.
		own, ok := expr.(*tree.Call)
		if !ok || len(call.Args) != 1 || call.Args[0] != tree.Expr(ref) || len(own.Args) != 1 || own.Name.Key() != call.Name.Key() || own.Quantifier != call.Quantifier {
			return edit{}, false
		}
		made.text = text(own.Args[0])
		return made, true
	}
	made.certainty = metricFormula
	made.text = text(expr)
	if _, call := expr.(*tree.Call); !call {
		made.text = "(" + made.text + ")"
	}
	if now.isItem(ref) {
		made.text += " AS " + ref.Parts[len(ref.Parts)-1].Span().Text()
	}
	return made, !now.isGroup(ref)
}

// termExpr reads the expression of a term, with the columns in it.
func termExpr(text string) (tree.Expr, []*tree.ColumnRef, bool) {
	stmt, err := parser.Parse("SELECT " + text)
	if err != nil || stmt.Query == nil {
		return nil, nil, false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || len(sel.Items) != 1 || len(sel.From) > 0 {
		return nil, nil, false
	}
	item, ok := sel.Items[0].(*tree.SelectExpr)
	if !ok || item.Alias != nil {
		return nil, nil, false
	}
	return item.Expr, columnsOf(item.Expr), true
}

func columnsOf(x tree.Expr) []*tree.ColumnRef {
	var columns []*tree.ColumnRef
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok {
			columns = append(columns, c)
		}
		return true
	})
	return columns
}

// placed is the text of a term's expression with its columns those of a relation; alone
// says that no other relation is in sight.
func placed(x tree.Expr, of seen, alone bool) string {
	span := x.Span()
	if alone {
		return span.Text()
	}
	text, at := "", 0
	for _, c := range columnsOf(x) {
		s := c.Span()
		text += span.Text()[at:s.Start-span.Start] + of.column(c.Parts[len(c.Parts)-1].Name)
		at = s.End - span.Start
	}
	return text + span.Text()[at:]
}

// aggregateAround is the aggregate whose argument holds a column.
func (now *reading) aggregateAround(ref *tree.ColumnRef) (call *tree.Call, ok bool) {
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if c, is := n.(*tree.Call); is && resolve.Aggregates(c) && !slices.ContainsFunc(c.Args, resolve.Aggregates) && within(c, ref) {
			call, ok = c, true
		}
		return true
	})
	return call, ok
}

// isItem reports whether a column is an item of a SELECT list that has no name of its own.
func (now *reading) isItem(ref *tree.ColumnRef) bool {
	found := false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if item, ok := n.(*tree.SelectExpr); ok && item.Alias == nil && item.Expr == tree.Expr(ref) {
			found = true
		}
		return !found
	})
	return found
}

// isGroup reports whether a query groups by a column.
func (now *reading) isGroup(ref *tree.ColumnRef) bool {
	found := false
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok {
			found = found || slices.ContainsFunc(sel.Groups(), func(x tree.Expr) bool { return within(x, ref) })
		}
		return !found
	})
	return found
}
