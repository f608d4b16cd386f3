package duckdb

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) query(q *tree.Query) string {
	if q == e.r.Statement().Query {
		e.refuseForms(q)
	}
	outer := e.aliases // names of an ORDER BY around this query mean nothing in it
	e.aliases = nil
	defer func() { e.aliases = outer }()
	var b strings.Builder
	if q.With != nil {
		b.WriteString("WITH ")
		if q.With.Recursive {
			b.WriteString("RECURSIVE ")
		}
		b.WriteString(join(q.With.Queries, ", ", func(t *tree.CommonTable) string { return e.commonTable(t, q.With.Recursive) }))
		defer func() {
			for _, t := range q.With.Queries {
				delete(e.recursions, t.Name.Key())
			}
		}()
		b.WriteByte(' ')
	}
	if q.Limit != nil && q.Limit.WithTies && len(q.OrderBy) == 0 {
		return e.no(q.Limit, "WITH TIES without ORDER BY") // Presto has none either
	}
	if q.Limit != nil && q.Limit.WithTies {
		return b.String() + e.withTies(q)
	}
	b.WriteString(e.limited(q))
	if len(q.OrderBy) > 0 {
		b.WriteString(" ORDER BY " + e.orderBy(q))
	}
	if l := q.Limit; l != nil {
		switch {
		case l.Count != nil:
			b.WriteString(" LIMIT " + e.expr(l.Count))
		case l.Fetch:
			b.WriteString(" LIMIT 1")
		}
	}
	if q.Offset != nil {
		b.WriteString(" OFFSET " + e.expr(q.Offset))
	}
	return b.String()
}

// limited writes the body of a query. DuckDB takes one ORDER BY and one LIMIT for
// a query in parentheses and what stands behind them: two make it a query over one.
func (e *emitter) limited(q *tree.Query) string {
	text := e.body(q.Body)
	if p, ok := q.Body.(*tree.ParenQuery); ok && cuts(q) && cutsInside(p) {
		return "SELECT * FROM " + text + " AS presto_r" + e.suffix()
	}
	return text
}

// cuts reports whether a query orders or limits its body's rows.
func cuts(q *tree.Query) bool { return len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil }

// cutsInside reports whether the query in parentheses orders or limits its own.
func cutsInside(p *tree.ParenQuery) bool {
	for {
		if cuts(p.Query) {
			return true
		}
		inner, ok := p.Query.Body.(*tree.ParenQuery)
		if !ok {
			return false
		}
		p = inner
	}
}

func (e *emitter) commonTable(t *tree.CommonTable, recursive bool) string {
	if _, taken := e.recursions[t.Name.Key()]; taken {
		return e.no(t, "a WITH name that hides the recursive query %s", t.Name.Name)
	}
	if recursive {
		if text, ok := e.recursive(t); ok {
			return text
		}
	}
	text := name(t.Name)
	if len(t.Columns) > 0 {
		text += "(" + names(t.Columns) + ")"
	}
	return text + " AS (" + e.query(t.Query) + ")"
}

func (e *emitter) body(b tree.QueryBody) string {
	switch b := b.(type) {
	case *tree.Select:
		return e.selectBody(b)
	case *tree.SetOp:
		return e.setOp(b)
	case *tree.Values:
		return "VALUES " + join(b.Rows, ", ", e.valuesRow)
	case *tree.TableQuery:
		return "SELECT * FROM " + e.relation(b.Table)
	case *tree.ParenQuery:
		return "(" + e.query(b.Query) + ")"
	}
	return e.no(b, "this kind of query")
}

func (e *emitter) setOp(b *tree.SetOp) string {
	op := b.Op
	if b.Quantifier == tree.QuantifierAll {
		op += " ALL"
	} else {
		for _, c := range e.columnsOf(b) {
			if holdsMap(c) {
				return e.no(b, "%s of maps", b.Op)
			}
		}
	}
	if b.Corresponding {
		return e.chosen(b, b.Left) + " " + op + " " + e.chosen(b, b.Right)
	}
	sides := []tree.QueryBody{b.Right} // of a chain of one operation, from the right
	left := b.Left
	for s, ok := left.(*tree.SetOp); ok && s.Op == b.Op && s.Quantifier == b.Quantifier && !s.Corresponding; s, ok = left.(*tree.SetOp) {
		sides, left = append(sides, s.Right), s.Left
	}
	sides = append(sides, left)
	slices.Reverse(sides)
	return join(sides, " "+op+" ", e.side)
}

// chosen writes a side of a set operation whose columns are matched by name.
func (e *emitter) chosen(b *tree.SetOp, side tree.QueryBody) string {
	columns := e.r.Corresponding(b)
	if len(columns) == 0 || slices.Contains(columns, "") || len(b.CorrespondingBy) > 0 {
		return e.no(b, "CORRESPONDING of columns that are not known")
	}
	return "SELECT " + join(columns, ", ", printer.Quote) + " FROM (" + e.body(side) + ") AS presto_r" + e.suffix()
}

// columnsOf returns the types of a body's columns, as far as they are at hand.
func (e *emitter) columnsOf(b tree.QueryBody) []types.Type {
	switch b := b.(type) {
	case *tree.SetOp:
		return e.columnsOf(b.Left)
	case *tree.ParenQuery:
		var out []types.Type
		for _, c := range e.r.OutputOf(b.Query) {
			out = append(out, c.Type)
		}
		return out
	case *tree.Select:
		var out []types.Type
		for _, item := range b.Items {
			if x, ok := item.(*tree.SelectExpr); ok {
				out = append(out, e.typeOf(x.Expr))
			}
		}
		return out
	}
	return nil
}

// holdsMap reports a map, or a type that one is in: DuckDB takes the order of its
// entries for part of its value.
func holdsMap(t types.Type) bool {
	return t.Base == "map" || slices.ContainsFunc(t.Args, holdsMap)
}

// side keeps the grouping of the tree, whatever DuckDB's precedences are.
func (e *emitter) side(b tree.QueryBody) string {
	switch b.(type) {
	case *tree.SetOp, *tree.Values:
		return "(" + e.body(b) + ")"
	}
	return e.body(b)
}

func (e *emitter) valuesRow(x tree.Expr) string {
	if row, ok := x.(*tree.Row); ok {
		return "(" + join(row.Items, ", ", e.expr) + ")"
	}
	if t := e.typeOf(x); t.Base == "row" { // its fields are the columns
		return "(" + strings.Join(e.fieldsOf(x, t), ", ") + ")"
	}
	return "(" + e.expr(x) + ")"
}

func (e *emitter) selectBody(s *tree.Select) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if s.Quantifier == tree.QuantifierDistinct {
		b.WriteString("DISTINCT ")
		if slices.ContainsFunc(e.columnsOf(s), holdsMap) {
			e.no(s, "DISTINCT of maps")
		}
	}
	b.WriteString(join(s.Items, ", ", func(item tree.SelectItem) string { return e.item(item, s) }))
	if extra := e.extra[s]; extra != "" {
		b.WriteString(", " + extra)
	}
	if len(s.From) > 0 {
		b.WriteString(" FROM " + join(s.From, ", ", e.relation))
	}
	if s.Where != nil {
		b.WriteString(" WHERE " + e.expr(s.Where))
	}
	if s.GroupBy != nil {
		b.WriteString(" GROUP BY " + e.groupBy(s.GroupBy))
	}
	if s.Having != nil {
		b.WriteString(" HAVING " + e.expr(s.Having))
	}
	if len(s.Windows) > 0 {
		b.WriteString(" WINDOW " + join(s.Windows, ", ", func(w *tree.NamedWindow) string {
			return name(w.Name) + " AS (" + e.window(w.Spec) + ")"
		}))
	}
	return b.String()
}

func (e *emitter) item(item tree.SelectItem, s *tree.Select) string {
	switch item := item.(type) {
	case *tree.SelectExpr:
		text := e.expr(item.Expr)
		if item.Alias != nil {
			text += " AS " + name(item.Alias)
		}
		return text
	case *tree.Star:
		return e.star(item, s)
	}
	return e.no(item, "this element of SELECT")
}
