package resolve

import (
	"math/bits"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// mostGroupingSets is Trino's bound of the grouping sets of a GROUP BY.
const mostGroupingSets = 2048

// grouping is what a SELECT groups by.
type grouping struct {
	fields  map[*field]bool // columns of FROM
	exprs   map[uint64]bool // keys of expressions that are no plain columns
	keys    keyer
	unknown bool // what is grouped by is not known: nothing is checked
}

// groupBy resolves GROUP BY.
func (r *resolver) groupBy(sel *selection) {
	g := &sel.groups
	g.fields, g.keys = map[*field]bool{}, keyer{r: r}
	by := sel.node.GroupBy
	if by == nil {
		return
	}
	r.groupingSets(sel)
	for _, e := range by.Elements {
		if e.Kind == tree.GroupingAuto {
			r.groupAuto(sel)
			continue
		}
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				if e.Kind == tree.GroupingSimple {
					r.groupExpr(sel, x)
				} else {
					r.groupColumn(sel, x)
				}
			}
		}
	}
}

// groupingSets bounds how many sets GROUP BY makes.
func (r *resolver) groupingSets(sel *selection) {
	product := uint64(1)
	for _, e := range sel.node.GroupBy.Elements {
		sets := uint64(1)
		switch e.Kind {
		case tree.GroupingCube:
			sets = 1 << min(len(e.Sets), 31)
		case tree.GroupingRollup:
			sets = uint64(len(e.Sets)) + 1
		case tree.GroupingSets:
			sets = uint64(len(e.Sets))
		}
		high, low := bits.Mul64(product, sets)
		if product = low; high > 0 || low > mostGroupingSets {
			r.mistakeAt(TooManyGroupingSets, startOf(sel.node.GroupBy), sel.node.GroupBy, nil,
				"GROUP BY makes more than %d grouping sets", mostGroupingSets)
			return
		}
	}
}

// groupExpr is an expression of a plain GROUP BY: a number means a column of the
// result.
func (r *resolver) groupExpr(sel *selection, x tree.Expr) {
	n, ok := integerLiteral(x)
	if !ok {
		r.noAggregates(x, "GROUP BY")
		r.expr(x, seeing(sel.from))
		r.groupOn(sel, x)
		return
	}
	r.expr(x, seeing(sel.from))
	if n < 1 || n > int64(len(sel.results)) {
		if unknownTable(sel.from.fields) {
			sel.groups.unknown = true
			return
		}
		r.mistake(InvalidColumnReference, x, nil, "GROUP BY %d: there are %d columns", n, len(sel.results))
		return
	}
	res := sel.results[n-1]
	if res.expr == nil {
		sel.groups.fields[res.star] = true
		sel.groups.unknown = sel.groups.unknown || res.star.any
		return
	}
	r.noAggregates(res.expr, "GROUP BY")
	r.groupOn(sel, res.expr)
}

// groupColumn is a column of ROLLUP, CUBE or GROUPING SETS.
func (r *resolver) groupColumn(sel *selection, x tree.Expr) {
	t := r.expr(x, seeing(sel.from))
	if !r.isColumn(x) && !t.IsUnknown() {
		r.mistake(InvalidColumnReference, x, nil, "grouping sets are made of columns")
		return
	}
	r.groupOn(sel, x)
}

// groupAuto groups by all results that are no aggregates.
func (r *resolver) groupAuto(sel *selection) {
	for _, res := range sel.results {
		switch {
		case res.expr == nil:
			sel.groups.fields[res.star] = true
		case !isAggregate(tree.Unparen(res.expr)):
			if _, isCall := tree.Unparen(res.expr).(*tree.Call); !isCall {
				r.noAggregates(res.expr, "GROUP BY")
			}
			r.groupOn(sel, res.expr)
		}
	}
}

// groupOn notes an expression as grouped by.
func (r *resolver) groupOn(sel *selection, x tree.Expr) {
	t := r.typeOf(x)
	if !t.IsComparable() {
		r.mistakeAt(TypeMismatch, startOf(sel.node), x, nil, "GROUP BY compares, and %s does not", t)
	}
	if r.isColumn(x) {
		sel.groups.fields[r.info(tree.Unparen(x)).field] = true
		return
	}
	if t.IsUnknown() {
		sel.groups.unknown = true
	}
	if sel.groups.exprs == nil {
		sel.groups.exprs = map[uint64]bool{}
	}
	sel.groups.exprs[sel.groups.keys.of(x)] = true
}

// isColumn reports a reference to a whole column.
func (r *resolver) isColumn(x tree.Expr) bool {
	ref, ok := tree.Unparen(x).(*tree.ColumnRef)
	if !ok {
		return false
	}
	i := r.out.exprs[ref]
	return i != nil && i.field != nil && i.parts == len(ref.Parts) && !i.field.any
}
