package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (e *emitter) query(q *tree.Query) string {
	if q == e.r.Statement().Query {
		e.refuseForms(q)
	}
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
	b.WriteString(e.body(q.Body))
	if len(q.OrderBy) > 0 {
		e.checkOrder(q)
		b.WriteString(" ORDER BY " + join(q.OrderBy, ", ", e.sortItem))
	}
	if l := q.Limit; l != nil {
		switch {
		case l.WithTies:
			e.no(l, "FETCH FIRST ... WITH TIES")
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

// sortItem writes where nulls go: Presto puts them last in both directions.
func (e *emitter) sortItem(s *tree.SortItem) string {
	text := e.expr(s.Expr)
	if s.Desc {
		text += " DESC"
	} else {
		text += " ASC"
	}
	if s.Nulls == "FIRST" {
		return text + " NULLS FIRST"
	}
	return text + " NULLS LAST"
}

// checkOrder refuses an ORDER BY expression that uses an alias which hides a
// column: the two engines take the one or the other.
func (e *emitter) checkOrder(q *tree.Query) {
	s, ok := q.Body.(*tree.Select)
	if !ok {
		return
	}
	aliases := map[string]bool{}
	for _, item := range s.Items {
		if x, ok := item.(*tree.SelectExpr); ok && x.Alias != nil {
			ref, plain := x.Expr.(*tree.ColumnRef)
			if !plain || ref.Parts[len(ref.Parts)-1].Key() != x.Alias.Key() {
				aliases[x.Alias.Key()] = true
			}
		}
	}
	for _, item := range q.OrderBy {
		if _, plain := item.Expr.(*tree.ColumnRef); plain {
			continue
		}
		tree.Walk(item.Expr, func(n tree.Node) bool {
			if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) == 1 && aliases[ref.Parts[0].Key()] {
				e.no(ref, "an expression over the alias %s in ORDER BY", ref.Parts[0].Name)
			}
			return true
		})
	}
}

func (e *emitter) body(b tree.QueryBody) string {
	switch b := b.(type) {
	case *tree.Select:
		return e.selectBody(b)
	case *tree.SetOp:
		op := b.Op
		if b.Quantifier == tree.QuantifierAll {
			op += " ALL"
		}
		return e.side(b.Left) + " " + op + " " + e.side(b.Right)
	case *tree.Values:
		return "VALUES " + join(b.Rows, ", ", e.valuesRow)
	case *tree.TableQuery:
		return "SELECT * FROM " + e.relation(b.Table)
	case *tree.ParenQuery:
		return "(" + e.query(b.Query) + ")"
	}
	return e.no(b, "this kind of query")
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
	return "(" + e.expr(x) + ")"
}

func (e *emitter) selectBody(s *tree.Select) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if s.Quantifier == tree.QuantifierDistinct {
		b.WriteString("DISTINCT ")
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
		if s.GroupBy.Quantifier == tree.QuantifierDistinct {
			e.no(s.GroupBy, "GROUP BY DISTINCT")
		}
		e.checkSets(s.GroupBy)
		b.WriteString(" GROUP BY " + join(s.GroupBy.Elements, ", ", e.grouping))
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

func (e *emitter) star(star *tree.Star, s *tree.Select) string {
	if len(star.Aliases) > 0 {
		return e.no(star, "* AS (...)")
	}
	if star.Qualifier != nil {
		ref, ok := star.Qualifier.(*tree.ColumnRef)
		if !ok {
			return e.no(star, "* of a row")
		}
		return dotted(ref.Parts) + ".*"
	}
	for _, r := range s.From {
		tree.Walk(r, func(n tree.Node) bool {
			switch n := n.(type) {
			case *tree.Query:
				return false
			case *tree.Join: // Presto puts the joined columns first, DuckDB leaves them where they are
				if n.Natural || len(n.Using) > 0 {
					e.no(star, "SELECT * over JOIN ... USING or NATURAL JOIN")
				}
			}
			return true
		})
	}
	return "*"
}

func (e *emitter) grouping(g *tree.GroupingElement) string {
	sets := join(g.Sets, ", ", func(s *tree.GroupingSet) string {
		text := join(s.Exprs, ", ", e.expr)
		if s.Parens || len(s.Exprs) != 1 {
			return "(" + text + ")"
		}
		return text
	})
	if g.Kind == tree.GroupingSimple {
		return sets
	}
	return string(g.Kind) + " (" + sets + ")"
}

func (e *emitter) relation(r tree.Relation) string {
	switch r := r.(type) {
	case *tree.Table:
		if stored, ok := e.r.Stored(r); ok {
			n := stored.Name
			return dotted([]*tree.Ident{tree.ID(n.Region), tree.ID(n.Schema), tree.ID(n.Table)})
		}
		if text, ok := e.fromRecursion(r); ok {
			return text + " AS " + name(r.Name.Parts[0])
		}
		return dotted(r.Name.Parts)
	case *tree.Aliased:
		text := e.relation(r.Relation)
		if t, ok := r.Relation.(*tree.Table); ok {
			if from, ok := e.fromRecursion(t); ok {
				text = from
			}
		}
		if _, isTable := r.Relation.(*tree.Join); isTable {
			text = "(" + text + ")"
		}
		text += " AS " + name(r.Alias)
		if len(r.Columns) > 0 {
			text += "(" + names(r.Columns) + ")"
		}
		return text
	case *tree.Derived:
		return "(" + e.query(r.Query) + ")"
	case *tree.Lateral:
		return "LATERAL (" + e.query(r.Query) + ")"
	case *tree.Unnest:
		return e.unnest(r)
	case *tree.ParenRelation:
		return "(" + e.relation(r.Relation) + ")"
	case *tree.Join:
		return e.join(r)
	case *tree.Sampled:
		return e.no(r, "TABLESAMPLE")
	}
	return e.no(r, "a table function")
}

func (e *emitter) unnest(u *tree.Unnest) string {
	if len(u.Exprs) != 1 {
		return e.no(u, "UNNEST of more than one array")
	}
	t := e.typeOf(u.Exprs[0])
	if t.Base != "array" || t.Args[0].Base == "row" || t.Args[0].IsUnknown() {
		return e.no(u, "UNNEST of a %s", orUnknown(t))
	}
	text := "unnest(" + e.expr(u.Exprs[0]) + ")"
	if u.Ordinality {
		text += " WITH ORDINALITY"
	}
	return text
}

func (e *emitter) join(j *tree.Join) string {
	text := e.relation(j.Left)
	if j.Natural {
		text += " NATURAL"
	}
	right := e.relation(j.Right)
	if _, nested := j.Right.(*tree.Join); nested {
		right = "(" + right + ")"
	}
	text += " " + string(j.Kind) + " JOIN " + right
	if j.On != nil {
		text += " ON " + e.expr(j.On)
	}
	if len(j.Using) > 0 {
		text += " USING (" + names(j.Using) + ")"
	}
	return text
}
