package resolve

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// grouping is what a SELECT groups by.
type grouping struct {
	any    bool     // there is a GROUP BY
	own    []*field // columns of FROM; those of an outer query are constants here
	fields map[*field]bool
	texts  map[string]bool // of grouping expressions that are no plain columns
}

func (r *resolver) groupBy(s *tree.Select, from *level) grouping {
	g := grouping{own: from.fields, fields: map[*field]bool{}, texts: map[string]bool{}}
	if s.GroupBy == nil {
		return g
	}
	g.any = true
	for _, e := range s.GroupBy.Elements {
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				r.groupExpr(&g, s, x, from)
			}
		}
	}
	return g
}

func (r *resolver) groupExpr(g *grouping, s *tree.Select, x tree.Expr, from *level) {
	if n, ok := x.(*tree.Number); ok {
		placeholders := make([]*field, 0, len(s.Items))
		star := false
		for _, item := range s.Items {
			if _, ok := item.(*tree.Star); ok {
				star = true
			}
			placeholders = append(placeholders, &field{})
		}
		r.out.types[x] = numberType(n.Text)
		if star {
			g.any = false // what the number means is not worth finding out: no check
			return
		}
		if i := r.ordinal(x, placeholders, "GROUP BY"); i >= 0 {
			item := s.Items[i].(*tree.SelectExpr).Expr
			r.noAggregate(item, "GROUP BY")
			r.note(g, item)
		}
		return
	}
	r.expr(x, from)
	r.noAggregate(x, "GROUP BY")
	r.note(g, x)
}

func (r *resolver) note(g *grouping, x tree.Expr) {
	if f := r.out.fields[unparen(x)]; f != nil {
		g.fields[f] = true
		return
	}
	g.texts[r.text(x)] = true
}

// text is an expression's text in which layout, case and qualifiers do not count.
func (r *resolver) text(x tree.Expr) string {
	bare, err := tree.Rewrite[tree.Expr](unparen(x), func(n tree.Node) tree.Node {
		if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) > 1 && r.out.fields[ref] != nil {
			return &tree.ColumnRef{Parts: ref.Parts[len(ref.Parts)-1:]}
		}
		return n
	})
	if err != nil {
		bare = x
	}
	return strings.ToLower(printer.Format(bare))
}

// isAggregate reports a call that makes one value of many rows.
func isAggregate(x tree.Node) bool {
	switch x := x.(type) {
	case *tree.Call:
		kind, ok := FunctionKind(x.Name.Key())
		return ok && kind == KindAggregate && x.Over == nil
	case *tree.ListAgg:
		return true
	}
	return false
}

// noAggregate notes aggregates where there may be none.
func (r *resolver) noAggregate(x tree.Expr, clause string) {
	tree.Walk(x, func(n tree.Node) bool {
		if _, inner := n.(*tree.Query); inner {
			return false
		}
		if isAggregate(n) {
			r.mistake("EXPRESSION_NOT_SCALAR", n, nil, "%s cannot hold an aggregate: use HAVING or a subquery", clause)
			return false
		}
		return true
	})
}

// checkAggregates notes columns that are neither grouped by nor in an aggregate.
func (r *resolver) checkAggregates(s *tree.Select, order []*tree.SortItem, g grouping) {
	if s.GroupBy != nil && !g.any {
		return
	}
	aggregates := s.Having != nil
	exprs := make([]tree.Expr, 0, len(s.Items))
	for _, item := range s.Items {
		if e, ok := item.(*tree.SelectExpr); ok {
			exprs = append(exprs, e.Expr)
			aggregates = aggregates || r.hasAggregate(e.Expr)
		}
	}
	for _, o := range order {
		aggregates = aggregates || r.hasAggregate(o.Expr)
	}
	if !aggregates && !g.any {
		return
	}
	if s.Having != nil {
		exprs = append(exprs, s.Having)
	}
	for _, x := range exprs {
		r.checkGrouped(x, g)
	}
}

func (r *resolver) hasAggregate(x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if _, inner := n.(*tree.Query); inner || found {
			return false
		}
		found = isAggregate(n)
		return !found
	})
	return found
}

func (r *resolver) checkGrouped(x tree.Expr, g grouping) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query, *tree.Grouping, *tree.Lambda:
			return false
		case *tree.ColumnRef:
			f := r.out.fields[n]
			if f != nil && !f.any && slices.Contains(g.own, f) && !g.fields[f] && !r.grouped(n, g) {
				r.mistake(ExpressionNotAggregate, n, nil,
					"'%s' must be an aggregate or be in GROUP BY", (&tree.Name{Parts: n.Parts}).String())
			}
			return false
		case tree.Expr:
			return !isAggregate(n) && !r.grouped(n, g)
		}
		return true
	})
}

func (r *resolver) grouped(x tree.Expr, g grouping) bool {
	return len(g.texts) > 0 && g.texts[r.text(x)]
}
