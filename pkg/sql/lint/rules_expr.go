package lint

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func integerDivision(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if b, ok := n.(*tree.Binary); ok && b.Op == tree.OpDiv && c.isInteger(b.Left) && c.isInteger(b.Right) {
			c.report(b, b.Span().Text())
		}
		return true
	})
}

func (c *checker) isInteger(x tree.Expr) bool { return c.r.TypeOf(x).IsInteger() }

func likeWithoutWildcard(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if like, ok := n.(*tree.Like); ok {
			if p, ok := like.Pattern.(*tree.String); ok && !strings.ContainsAny(p.Value, "%_") {
				c.report(like, like.Span().Text())
			}
		}
		return true
	})
}

func equalsNull(c *checker, q *tree.Query) {
	isNull := func(x tree.Expr) bool { _, ok := x.(*tree.Null); return ok }
	tree.Walk(q, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		if ok && slices.Contains([]string{tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, b.Op) &&
			(isNull(b.Left) || isNull(b.Right)) {
			c.report(b, "")
		}
		return true
	})
}

func notInNull(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if in, ok := n.(*tree.InQuery); ok && in.Not && c.mayGiveNull(in.Query) {
			c.report(in, "")
		}
		return true
	})
}

// mayGiveNull reports whether a query may give a NULL in its first column: it
// does not where that is a constant, a count, a column that is NOT NULL or part
// of a key, or one that a condition IS NOT NULL is about.
func (c *checker) mayGiveNull(q *tree.Query) bool {
	s, ok := q.Body.(*tree.Select)
	if !ok || len(s.Items) != 1 {
		return true
	}
	item, ok := s.Items[0].(*tree.SelectExpr)
	if !ok {
		return true
	}
	switch x := item.Expr.(type) {
	case *tree.Number, *tree.String, *tree.Typed, *tree.Bool:
		return false
	case *tree.Call:
		return x.Name.Key() != "count"
	case *tree.ColumnRef:
		for _, cond := range conjuncts(s.Where) {
			if excludesNull(cond, x) {
				return false
			}
		}
		return c.nullable(x)
	}
	return true
}

// excludesNull reports whether a condition is never true for a NULL in a column.
func excludesNull(cond tree.Expr, x *tree.ColumnRef) bool {
	same := func(y tree.Expr) bool {
		ref, ok := y.(*tree.ColumnRef)
		return ok && ref.Parts[len(ref.Parts)-1].Key() == x.Parts[len(x.Parts)-1].Key()
	}
	switch cond := cond.(type) {
	case *tree.IsNull:
		return cond.Not && same(cond.X)
	case *tree.Binary:
		return cond.Op != tree.OpOr && cond.Op != tree.OpDistinct && cond.Op != tree.OpNotDistinct && (same(cond.Left) || same(cond.Right))
	case *tree.Between:
		return same(cond.X)
	case *tree.InList:
		return same(cond.X)
	case *tree.Like:
		return same(cond.X)
	}
	return false
}

func (c *checker) nullable(x *tree.ColumnRef) bool {
	if !c.options.Catalog {
		return true
	}
	for _, p := range c.r.Places(x) {
		t, ok := p.Relation.(*tree.Table)
		if !ok {
			return true
		}
		stored, ok := c.r.Stored(t)
		if !ok || p.Index >= len(stored.Columns) {
			return true
		}
		if column := stored.Columns[p.Index]; column.NotNull || column.PrimaryKey {
			return false
		}
	}
	return true
}
