package lint

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// crossJoin finds FROM a, b and joins ON TRUE where no condition of the SELECT is
// about both sides. An explicit CROSS JOIN is taken for meant, unless WHERE is
// empty too and both sides are stored tables.
func crossJoin(c *checker, q *tree.Query) {
	selects(q, func(s *tree.Select) {
		for i := 1; i < len(s.From); i++ {
			if c.unlinked(s, s.From[i]) {
				c.report(s.From[i], "")
			}
		}
		for _, from := range s.From {
			tree.Walk(from, func(n tree.Node) bool {
				j, ok := n.(*tree.Join)
				if !ok {
					_, query := n.(*tree.Query)
					return !query
				}
				switch {
				case j.Natural || len(j.Using) > 0:
				case j.Kind == tree.JoinCross:
					if s.Where == nil && c.anyStored(j.Left) && c.anyStored(j.Right) {
						c.report(j.Right, "")
					}
				case isTrue(j.On) && c.unlinked(s, j.Right):
					c.report(j.Right, "")
				}
				return true
			})
		}
	})
}

func isTrue(x tree.Expr) bool {
	b, ok := x.(*tree.Bool)
	return ok && b.Value
}

// unlinked reports whether a relation holds a stored table and no condition in
// WHERE can be about it and another one. A column without a qualifier may be
// about anything.
func (c *checker) unlinked(s *tree.Select, r tree.Relation) bool {
	if !c.anyStored(r) {
		return false
	}
	here := leaves(r)
	for _, cond := range conjuncts(s.Where) {
		names, bare := qualifiers(cond)
		inside, outside := false, false
		for name := range names {
			if _, ok := here[name]; ok {
				inside = true
			} else {
				outside = true
			}
		}
		if inside && (outside || bare) || bare && len(names) == 0 && columns(cond) > 1 || bare && outside {
			return false
		}
	}
	return true
}

func columns(x tree.Expr) int {
	n := 0
	tree.Walk(x, func(node tree.Node) bool {
		if _, ok := node.(*tree.ColumnRef); ok {
			n++
		}
		return true
	})
	return n
}

func (c *checker) anyStored(r tree.Relation) bool {
	for _, leaf := range leaves(r) {
		if t, ok := leaf.(*tree.Table); ok && c.stored[t] {
			return true
		}
	}
	return false
}

// leftJoinFilter finds conditions in WHERE that a row without a partner on the
// right side of a LEFT JOIN cannot meet.
func leftJoinFilter(c *checker, q *tree.Query) {
	selects(q, func(s *tree.Select) {
		optional := map[string]bool{}
		for _, from := range s.From {
			tree.Walk(from, func(n tree.Node) bool {
				if j, ok := n.(*tree.Join); ok && j.Kind == tree.JoinLeft {
					for name := range leaves(j.Right) {
						optional[name] = true
					}
				}
				_, query := n.(*tree.Query)
				return !query
			})
		}
		for _, cond := range conjuncts(s.Where) {
			if b, ok := cond.(*tree.Binary); ok && b.Op != tree.OpOr && b.Op != tree.OpDistinct && b.Op != tree.OpNotDistinct {
				if name := optionalSide(b.Left, optional) + optionalSide(b.Right, optional); name != "" {
					c.report(cond, name)
				}
			}
		}
	})
}

// optionalSide returns the qualifier of a plain column of an optional side.
func optionalSide(x tree.Expr, optional map[string]bool) string {
	if ref, ok := x.(*tree.ColumnRef); ok && len(ref.Parts) > 1 && optional[ref.Parts[len(ref.Parts)-2].Key()] {
		return ref.Parts[len(ref.Parts)-2].Name
	}
	return ""
}

// fanOut finds joins with a stored table on a part of its key only, below an
// aggregate that adds up.
func fanOut(c *checker, q *tree.Query) {
	selects(q, func(s *tree.Select) {
		if !addsUp(s) {
			return
		}
		for _, from := range s.From {
			tree.Walk(from, func(n tree.Node) bool {
				if j, ok := n.(*tree.Join); ok {
					if repeated := c.repeated(j, s); repeated != nil {
						c.reportTable(j.Right, repeated, repeated.PrimaryKey())
					}
				}
				_, query := n.(*tree.Query)
				return !query
			})
		}
	})
}

func addsUp(s *tree.Select) bool {
	found := false
	for _, item := range s.Items {
		tree.Walk(item, func(n tree.Node) bool {
			if call, ok := n.(*tree.Call); ok && call.Quantifier != tree.QuantifierDistinct {
				name := call.Name.Key()
				found = found || name == "sum" || name == "avg" || name == "count" || name == "count_if"
			}
			_, query := n.(*tree.Query)
			return !query
		})
	}
	return found
}

// repeated returns the right side of a join where it is a stored table with a
// known key of which the conditions do not fix every column; else nil.
func (c *checker) repeated(j *tree.Join, s *tree.Select) *catalog.Table {
	var right *tree.Table
	for _, leaf := range leaves(j.Right) {
		t, ok := leaf.(*tree.Table)
		if !ok || right != nil {
			return nil
		}
		right = t
	}
	if right == nil {
		return nil
	}
	stored, ok := c.r.Stored(right)
	if !ok || len(stored.PrimaryKey()) == 0 || j.Natural {
		return nil
	}
	fixed := map[string]bool{}
	for _, id := range j.Using {
		fixed[id.Key()] = true
	}
	for _, cond := range append(conjuncts(j.On), conjuncts(s.Where)...) {
		b, ok := cond.(*tree.Binary)
		if !ok || b.Op != tree.OpEq {
			continue
		}
		for _, side := range []tree.Expr{b.Left, b.Right} {
			for _, place := range c.r.Places(side) {
				if place.Relation == tree.Relation(right) && place.Index < len(stored.Columns) {
					fixed[strings.ToLower(stored.Columns[place.Index].Name)] = true
				}
			}
		}
	}
	for _, key := range stored.PrimaryKey() {
		if !fixed[strings.ToLower(key)] {
			return stored
		}
	}
	return nil
}
