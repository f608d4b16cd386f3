package resolve

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// from resolves the relations of a FROM clause: the more than one are joined.
func (r *resolver) from(relations []tree.Relation, outer *level) []*field {
	var fields []*field
	for i, rel := range relations {
		if i == 0 {
			fields = r.relation(rel, outer)
			continue
		}
		fields = slices.Concat(fields, r.right(rel, outer, fields))
	}
	return fields
}

// right resolves the right side of a join, which sees the left side only where it
// is lateral.
func (r *resolver) right(rel tree.Relation, outer *level, left []*field) []*field {
	if isLateral(rel) {
		return r.relation(rel, &level{parent: outer, fields: left})
	}
	return r.relation(rel, outer)
}

// isLateral reports relations that see the columns to their left.
func isLateral(rel tree.Relation) bool {
	switch rel := bare(rel).(type) {
	case *tree.Aliased:
		return isLateral(rel.Relation)
	case *tree.Unnest, *tree.Lateral, *tree.JSONTable:
		return true
	}
	return false
}

// bare returns a relation without the parentheses around it.
func bare(rel tree.Relation) tree.Relation {
	for {
		p, ok := rel.(*tree.ParenRelation)
		if !ok {
			return rel
		}
		rel = p.Relation
	}
}

func (r *resolver) join(j *tree.Join, outer *level) []*field {
	if j.Natural {
		r.mistake(NotSupported, j, nil, "NATURAL JOIN is not supported: write USING")
	}
	left := r.relation(j.Left, outer)
	seen := &level{parent: outer, fields: left}
	var right []*field
	if isLateral(j.Right) {
		right = r.relation(j.Right, seen)
		r.lateralJoin(j, seen)
	} else {
		right = r.relation(j.Right, outer)
	}
	if len(j.Using) > 0 {
		return r.using(j, outer, left, right)
	}
	both := slices.Concat(left, right)
	if j.On != nil {
		r.noAggregates(j.On, "JOIN ... ON")
		here := &level{parent: outer, fields: both}
		r.condition(j.On, env{here: here, noOuter: j.Kind != tree.JoinInner}, "ON")
	}
	return both
}

// lateralJoin refuses joins that cannot be made with a right side that depends on
// the left.
func (r *resolver) lateralJoin(j *tree.Join, left *level) {
	if j.Kind == tree.JoinRight || j.Kind == tree.JoinFull {
		if ref := r.referenceTo(j.Right, left); ref != nil {
			r.mistake(InvalidColumnReference, ref, nil, "a %s JOIN cannot depend on its left side", j.Kind)
		}
	}
	if j.Kind == tree.JoinCross || isTrue(j.On) {
		return
	}
	rel := bare(j.Right)
	if a, ok := rel.(*tree.Aliased); ok {
		rel = bare(a.Relation)
	}
	if _, query := rel.(*tree.Lateral); query && j.Kind != tree.JoinFull {
		return
	}
	var at tree.Node = j
	if j.On != nil {
		at = j.On
	}
	r.mistake(NotSupported, at, nil, "a join with UNNEST or LATERAL needs ON TRUE")
}

func isTrue(x tree.Expr) bool {
	if x == nil {
		return false
	}
	b, ok := tree.Unparen(x).(*tree.Bool)
	return ok && b.Value
}

// referenceTo returns the first column of a level that a part refers to.
func (r *resolver) referenceTo(part tree.Node, l *level) tree.Expr {
	var ref tree.Expr
	tree.Walk(part, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok && ref == nil {
			if i := r.out.exprs[c]; i != nil && i.level == l && i.field != nil {
				ref = c
			}
		}
		return ref == nil
	})
	return ref
}

// using joins two sides by columns of the same name: they come first, once, and
// then the others.
func (r *resolver) using(j *tree.Join, outer *level, left, right []*field) []*field {
	sides := [2][]*field{left, right}
	taken := map[*field]bool{}
	names := map[string]bool{}
	var merged []*field
	for _, id := range j.Using {
		if names[id.Key()] {
			r.mistake(DuplicateColumnName, id, nil, "the column '%s' is in USING twice", id.Name)
			continue
		}
		names[id.Key()] = true
		var pair [2]*field
		for s, side := range sides {
			pair[s] = r.usingSide(id, &level{parent: outer, fields: side}, s)
		}
		if pair[0] == nil || pair[1] == nil {
			merged = append(merged, newField(id.Name, types.Unknown(), nil))
			continue
		}
		r.merge(j, pair[0], pair[1])
		merged = append(merged, r.mergeUsing(id, pair))
		taken[pair[0]], taken[pair[1]] = !pair[0].any, !pair[1].any
	}
	for _, f := range slices.Concat(left, right) {
		if !taken[f] {
			merged = append(merged, f)
		}
	}
	return merged
}

func (r *resolver) usingSide(id *tree.Ident, side *level, s int) *field {
	found := side.find([]*tree.Ident{id})
	switch {
	case found.count == 0:
		r.mistake(ColumnNotFound, id, nearest(id.Name, (&level{fields: side.fields}).names()),
			"the column '%s' of USING is not on the %s of the join", id.Name, [...]string{"left", "right"}[s])
	case found.count > 1:
		r.mistake(AmbiguousName, id, nil, "the column '%s' of USING is there more than once", id.Name)
	}
	return found.field
}

func (r *resolver) mergeUsing(id *tree.Ident, pair [2]*field) *field {
	a, b := pair[0], pair[1]
	m := newField(id.Name, types.Unknown(), union(a.origins, b.origins))
	common, ok := types.Common(a.typ, b.typ)
	if !ok || !common.IsComparable() {
		r.mistake(TypeMismatch, id, nil, "the column '%s' is %s on the left and %s on the right", id.Name, a.typ, b.typ)
		return m
	}
	m.typ = common
	for _, f := range pair { // places whose values it takes on unchanged
		if f.typ.Equal(m.typ) {
			m.from = append(m.from, f.from...)
		}
	}
	return m
}
