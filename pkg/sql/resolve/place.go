package resolve

import "github.com/dibrain/dibrain/pkg/sql/tree"

// Place is a column of a relation in a FROM clause.
type Place struct {
	// Relation is a leaf of the FROM clause: a *tree.Table (stored or of WITH),
	// *tree.Derived, *tree.Lateral or another relation that is no join and has no
	// alias of its own.
	Relation tree.Relation
	Index    int // of the column, from 0
}

// places are where a column comes from. A column that a join with USING merged
// comes from more than one place.
type places []Place

// Places returns where the column that x refers to comes from, in the FROM clause
// that x sees or in one around it. It is empty for what is no column reference,
// and for lambda parameters and aliases of expressions.
func (r *Resolution) Places(x tree.Expr) []Place {
	ref, ok := tree.Unparen(x).(*tree.ColumnRef)
	if !ok {
		return nil
	}
	i := r.exprs[ref]
	if i == nil || i.field == nil || i.typ.IsUnknown() || i.parts < len(ref.Parts) { // fewer: a field of the column's row
		return nil
	}
	return i.field.from
}

// Passed returns for each result column of a SELECT where it is passed on from
// unchanged; no place for one that is computed. A Place that is not in the SELECT's
// own FROM clause belongs to a query around it.
func (r *Resolution) Passed(s *tree.Select) [][]Place {
	out := make([][]Place, len(r.passed[s]))
	for i, p := range r.passed[s] {
		out[i] = p
	}
	return out
}

// placed says that columns are those of relation.
func placed(relation tree.Relation, columns []*field) []*field {
	for i, c := range columns {
		c.from = places{{Relation: relation, Index: i}}
	}
	return columns
}

// pass notes where the columns of a SELECT come from.
func (r *resolver) pass(s *tree.Select, columns []*field) {
	passed := make([]places, len(columns))
	for i, c := range columns {
		passed[i] = c.from
	}
	r.out.passed[s] = passed
}

// Merged returns the pairs of stored columns, left and right, that a join with
// USING compares. Columns that are made from several stored ones are left out.
func (r *Resolution) Merged(j *tree.Join) [][2]Origin { return r.merged[j] }

// merge notes a pair of fields that a join with USING compares.
func (r *resolver) merge(j *tree.Join, left, right *field) {
	if len(left.origins) != 1 || len(right.origins) != 1 {
		return
	}
	if r.out.merged == nil {
		r.out.merged = map[*tree.Join][][2]Origin{}
	}
	r.out.merged[j] = append(r.out.merged[j], [2]Origin{left.origins[0], right.origins[0]})
}
