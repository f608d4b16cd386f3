package duckdb

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

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
		e.checkOn(j)
		text += " ON " + e.expr(j.On)
	}
	if len(j.Using) > 0 {
		text += " USING (" + names(j.Using) + ")"
	}
	return text
}

// checkOn refuses a subquery in the condition of an outer join. DuckDB takes one in
// a part of the condition that has only columns of the side whose rows may be
// missing, because it can test that part before it joins.
func (e *emitter) checkOn(j *tree.Join) {
	var optional tree.Relation
	switch j.Kind {
	case tree.JoinLeft:
		optional = j.Right
	case tree.JoinRight:
		optional = j.Left
	case tree.JoinFull:
	default:
		return
	}
	for _, part := range tree.Conjuncts(j.On) {
		if holdsQuery(part) && (optional == nil || !e.ofOne(optional, part)) {
			e.no(part, "a subquery in the condition of an outer join")
			return
		}
	}
}

func holdsQuery(x tree.Expr) bool {
	return anyNode(x, func(n tree.Node) bool {
		_, ok := n.(*tree.Query)
		return ok
	})
}

// ofOne reports whether all columns of an expression are written as those of a
// relation, and there are some; those in its subqueries do not count.
func (e *emitter) ofOne(r tree.Relation, x tree.Expr) bool {
	var names []string
	for _, s := range e.segments(r) {
		names = append(names, s.qualifier)
	}
	some, all := false, true
	tree.Walk(x, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			some = true
			all = all && len(ref.Parts) == 2 && slices.Contains(names, name(ref.Parts[0]))
		}
		_, isQuery := n.(*tree.Query)
		return !isQuery
	})
	return some && all
}
