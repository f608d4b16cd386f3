package duckdb

import (
	"strconv"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// MaxRecursion is how often a recursive query is repeated; it is Trino's default.
// More is an error, as there.
const MaxRecursion = 10

// depthColumn counts the repetitions of a recursive query. No name reaches it:
// the resolver does not know it.
const depthColumn = "presto_depth"

// recursion is a recursive common table in scope.
type recursion struct {
	table *tree.CommonTable
	self  *tree.Table // the table's own name in its step
}

// recursive writes a common table that reads itself; false: it does not. The
// depth goes along as one more column, which what reads the table does not see.
func (e *emitter) recursive(t *tree.CommonTable) (text string, ok bool) {
	uses := mentions(t.Query, t.Name.Key())
	if len(uses) == 0 {
		return "", false
	}
	q, no := t.Query, func(what string) (string, bool) { return e.no(t, "a recursive query %s", what), true }
	set, isSet := q.Body.(*tree.SetOp)
	if len(t.Columns) == 0 || len(uses) != 1 || !isSet || set.Op != "UNION" || set.Quantifier != tree.QuantifierAll ||
		q.With != nil || q.OrderBy != nil || q.Limit != nil || q.Offset != nil || len(mentions(set.Left, t.Name.Key())) > 0 {
		return no("that is not name(columns) AS (start UNION ALL step)")
	}
	step, isSelect := set.Right.(*tree.Select)
	if !isSelect || step.Quantifier == tree.QuantifierDistinct || step.GroupBy != nil || step.Having != nil {
		return no("whose step is no plain SELECT")
	}
	for _, item := range step.Items {
		if _, isStar := item.(*tree.Star); isStar {
			return no("whose step selects *")
		}
	}
	qualifier := ""
	for _, r := range step.From {
		if qualifier == "" {
			qualifier = joined(r, uses[0], "")
		}
	}
	if qualifier == "" {
		return no("whose step reads itself elsewhere than in FROM or an inner join")
	}
	depth := qualifier + "." + depthColumn
	e.recursions[t.Name.Key()] = recursion{table: t, self: uses[0]}
	e.extra[step] = "CASE WHEN " + depth + " >= " + strconv.Itoa(MaxRecursion) + " THEN presto_error('PRESTO NOT_SUPPORTED: the recursion is deeper than " +
		strconv.Itoa(MaxRecursion) + " steps: end it earlier in its WHERE') ELSE " + depth + " + 1 END"
	return name(t.Name) + "(" + names(t.Columns) + ", " + depthColumn + ") AS (SELECT presto_start.*, 0 FROM (" + e.body(set.Left) +
		") AS presto_start UNION ALL (" + e.body(step) + "))", true
}

// mentions returns the tables of that name below n.
func mentions(n tree.Node, key string) []*tree.Table {
	var out []*tree.Table
	tree.Walk(n, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && len(t.Name.Parts) == 1 && t.Name.Key() == key {
			out = append(out, t)
		}
		return true
	})
	return out
}

// joined returns the name under which a relation's columns know t; empty where t
// is not read there, or rows without it come too.
func joined(r tree.Relation, t *tree.Table, alias string) string {
	switch r := r.(type) {
	case *tree.Table:
		switch {
		case r != t:
			return ""
		case alias != "":
			return alias
		}
		return name(t.Name.Parts[0])
	case *tree.Aliased:
		if len(r.Columns) > 0 {
			return ""
		}
		return joined(r.Relation, t, name(r.Alias))
	case *tree.Join:
		if r.Kind != tree.JoinInner && r.Kind != tree.JoinCross || r.Natural {
			return ""
		}
		if left := joined(r.Left, t, ""); left != "" {
			return left
		}
		return joined(r.Right, t, "")
	}
	return ""
}

// fromRecursion returns what stands for a recursive table outside of its step.
func (e *emitter) fromRecursion(t *tree.Table) (string, bool) {
	if len(t.Name.Parts) != 1 {
		return "", false
	}
	r, ok := e.recursions[t.Name.Key()]
	if !ok || r.self == t {
		return "", false
	}
	return "(SELECT " + names(r.table.Columns) + " FROM " + name(r.table.Name) + ")", true
}
