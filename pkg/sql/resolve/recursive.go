package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// recursive resolves a common table that refers to itself; false where it does
// not, or not in a way that makes it recursive.
func (r *resolver) recursive(t *tree.CommonTable, here *level) bool {
	if len(t.Columns) == 0 {
		r.mistake(MissingColumnAliases, t, nil, "a recursive WITH query needs column names: %s(...)", t.Name.Name)
	}
	tree.Walk(t.Query, func(n tree.Node) bool {
		if w, ok := n.(*tree.With); ok && w.Recursive {
			r.mistake(NestedRecursive, w, nil, "WITH RECURSIVE cannot be nested")
		}
		return true
	})
	set, ok := t.Query.Body.(*tree.SetOp)
	if !ok || set.Op != "UNION" {
		return false
	}
	if refs := references(set.Left, t.Name); len(refs) > 0 {
		r.mistake(InvalidRecursive, refs[0], nil, "the first part of a recursive query may not refer to '%s'", t.Name.Name)
		return false
	}
	refs := references(set.Right, t.Name)
	switch {
	case len(refs) > 1:
		r.mistake(InvalidRecursive, refs[1], nil, "the second part of a recursive query may refer to '%s' once only", t.Name.Name)
	case len(refs) == 0:
		return false
	}
	r.recursionShape(t, set, refs[0])
	r.recursion(t, set, here)
	return true
}

// recursionShape checks that the query refers to itself in a FROM clause, and has
// nothing around its two parts.
func (r *resolver) recursionShape(t *tree.CommonTable, set *tree.SetOp, ref *tree.Table) {
	step := set.Right
	for {
		paren, ok := step.(*tree.ParenQuery)
		if !ok {
			break
		}
		step = paren.Query.Body
		if _, plain := step.(*tree.Select); !plain && paren.Query.Limit != nil {
			r.mistake(InvalidLimitClause, paren.Query.Limit, nil, "the second part of a recursive query may have no LIMIT")
		}
	}
	sel, ok := step.(*tree.Select)
	inFrom := false
	if ok {
		for _, rel := range sel.From {
			inFrom = inFrom || len(references(rel, t.Name)) > 0
		}
	}
	if !inFrom {
		r.mistake(InvalidRecursive, ref, nil, "'%s' may be referred to in FROM only", t.Name.Name)
		return
	}
	q := t.Query
	if q.With != nil {
		r.mistake(NotSupported, q.With, nil, "a recursive query may have no WITH of its own")
	}
	if len(q.OrderBy) > 0 {
		r.mistakeAt(NotSupported, behind(q.Body, q), q.OrderBy[0], nil, "a recursive query may have no ORDER BY around it")
	}
	if q.Offset != nil {
		r.mistakeAt(NotSupported, behind(beforeOffset(q), q), q.Offset, nil, "a recursive query may have no OFFSET around it")
	}
	if q.Limit != nil {
		r.mistake(InvalidLimitClause, q.Limit, nil, "a recursive query may have no LIMIT around it")
	}
	for _, rel := range sel.From {
		r.recursionSides(rel, t.Name)
	}
}

func beforeOffset(q *tree.Query) tree.Node {
	if n := len(q.OrderBy); n > 0 {
		return q.OrderBy[n-1]
	}
	return q.Body
}

// recursionSides refuses references on the side of an outer join that may be
// missing, and where rows are taken away.
func (r *resolver) recursionSides(from tree.Relation, name *tree.Ident) {
	refuse := func(part tree.Node, where string) {
		if refs := references(part, name); len(refs) > 0 {
			r.mistake(InvalidRecursive, refs[0], nil, "'%s' may not be referred to %s", name.Name, where)
		}
	}
	tree.Walk(from, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Join:
			if n.Kind == tree.JoinRight || n.Kind == tree.JoinFull {
				refuse(n.Left, "on the left of a "+string(n.Kind)+" JOIN")
			}
			if n.Kind == tree.JoinLeft || n.Kind == tree.JoinFull {
				refuse(n.Right, "on the right of a "+string(n.Kind)+" JOIN")
			}
		case *tree.SetOp:
			all := n.Quantifier == tree.QuantifierAll
			switch {
			case n.Op == "INTERSECT" && all:
				refuse(n, "in INTERSECT ALL")
			case n.Op == "EXCEPT":
				refuse(n.Right, "on the right of EXCEPT")
				if all {
					refuse(n.Left, "in EXCEPT ALL")
				}
			}
		}
		return true
	})
}

// recursion resolves both parts; the columns are those of the first.
func (r *resolver) recursion(t *tree.CommonTable, set *tree.SetOp, here *level) {
	anchor := r.body(set.Left, here)
	r.columnAliases(t.Columns, anchor)
	columns := renamed(anchor, t.Columns, nil)
	before, hidden := here.tables[t.Name.Key()]
	here.tables[t.Name.Key()] = &common{name: t.Name.Name, fields: columns}
	step := r.body(set.Right, here)
	if hidden {
		here.tables[t.Name.Key()] = before
	}
	switch {
	case unknownTable(anchor) || unknownTable(step):
	case len(anchor) != len(step):
		r.mistake(TypeMismatch, set.Right, nil, "the two parts of the recursive query have %d and %d columns", len(anchor), len(step))
	default:
		for i, f := range step {
			if !types.Coercible(f.typ, anchor[i].typ) {
				r.mistake(TypeMismatch, set.Right, nil, "column %d is %s in the first part of the recursive query and %s in the second", i+1, anchor[i].typ, f.typ)
			}
			columns[i].origins = union(columns[i].origins, f.origins)
			columns[i].from = nil
		}
	}
	r.output(t.Query, columns)
}

// references returns the tables of a node that are called name, but for those in
// queries that have a common table of that name.
func references(n tree.Node, name *tree.Ident) []*tree.Table {
	var out []*tree.Table
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			if n.With != nil {
				for _, t := range n.With.Queries {
					if strings.EqualFold(t.Name.Name, name.Name) {
						return false
					}
				}
			}
		case *tree.Table:
			if len(n.Name.Parts) == 1 && strings.EqualFold(n.Name.Parts[0].Name, name.Name) {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}
