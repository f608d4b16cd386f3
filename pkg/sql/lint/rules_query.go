package lint

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// selectStar leaves EXISTS out, where the columns do not matter, and stars of
// queries that name their columns.
func selectStar(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if _, ok := n.(*tree.Exists); ok {
			return false
		}
		s, ok := n.(*tree.Select)
		if !ok {
			return true
		}
		for _, item := range s.Items {
			if star, ok := item.(*tree.Star); ok && c.starOfStored(s, star) {
				c.report(star, "")
			}
		}
		return true
	})
}

func (c *checker) starOfStored(s *tree.Select, star *tree.Star) bool {
	qualifier := ""
	if star.Qualifier != nil {
		ref, ok := star.Qualifier.(*tree.ColumnRef)
		if !ok {
			return false // the fields of a row
		}
		qualifier = ref.Parts[len(ref.Parts)-1].Key()
	}
	for _, from := range s.From {
		for name, leaf := range leaves(from) {
			if t, ok := leaf.(*tree.Table); ok && c.stored[t] && (qualifier == "" || qualifier == name) {
				return true
			}
		}
	}
	return false
}

func missingPartition(c *checker, _ *tree.Query) {
	for _, read := range cost.Reads(c.r, cost.Options{Now: c.options.Now}) {
		columns := read.Table.PartitionColumns()
		if len(columns) > 0 && !slices.ContainsFunc(columns, read.Restricted) {
			c.reportTable(read.Node, read.Table, columns)
		}
	}
}

func orderInSubquery(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if inner, ok := n.(*tree.Query); ok && inner != q && len(inner.OrderBy) > 0 && inner.Limit == nil && inner.Offset == nil {
			if _, parens := q.Body.(*tree.ParenQuery); !parens || q.Body.(*tree.ParenQuery).Query != inner {
				c.report(inner.OrderBy[0], "")
			}
		}
		return true
	})
}

// limitWithoutOrder looks at the outermost query only: a LIMIT inside is often
// meant to be any rows. One row of an aggregate needs no order.
func limitWithoutOrder(c *checker, q *tree.Query) {
	if q.Limit == nil || q.Limit.Count == nil || len(q.OrderBy) > 0 {
		return
	}
	if s, ok := q.Body.(*tree.Select); ok && (len(s.From) == 0 || s.GroupBy == nil && aggregated(s)) {
		return
	}
	c.report(q.Limit, "")
}

// aggregated reports a SELECT list with an aggregate of its own.
func aggregated(s *tree.Select) bool {
	return slices.ContainsFunc(s.Items, func(item tree.SelectItem) bool {
		x, ok := item.(*tree.SelectExpr)
		return ok && resolve.Aggregates(x.Expr)
	})
}

func unionDistinct(c *checker, q *tree.Query) {
	tree.Walk(q, func(n tree.Node) bool {
		if op, ok := n.(*tree.SetOp); ok && op.Op == "UNION" && op.Quantifier == tree.QuantifierNone {
			c.report(op.Right, "")
		}
		return true
	})
}

func ordinal(c *checker, q *tree.Query) {
	number := func(x tree.Expr) {
		if _, ok := x.(*tree.Number); ok {
			c.report(x, "")
		}
	}
	tree.Walk(q, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			for _, s := range n.OrderBy {
				number(s.Expr)
			}
		case *tree.GroupingSet:
			for _, x := range n.Exprs {
				number(x)
			}
		}
		return true
	})
}
