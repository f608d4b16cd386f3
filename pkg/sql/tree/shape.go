package tree

import "strconv"

// Unparen returns an expression without the parentheses around it.
func Unparen(x Expr) Expr {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// Conjuncts are the conditions that AND joins, each as it is written; none for nil.
func Conjuncts(x Expr) []Expr {
	if x == nil {
		return nil
	}
	if b, ok := Unparen(x).(*Binary); ok && b.Op == OpAnd {
		return append(Conjuncts(b.Left), Conjuncts(b.Right)...)
	}
	return []Expr{x}
}

// Outermost is the SELECT that makes the rows of a query; nil for set operations
// and VALUES.
func (q *Query) Outermost() *Select {
	for q != nil {
		switch body := q.Body.(type) {
		case *Select:
			return body
		case *ParenQuery:
			q = body.Query
		default:
			return nil
		}
	}
	return nil
}

// Groups are the grouping expressions of a SELECT in order; a position stands for
// its item.
func (s *Select) Groups() []Expr {
	if s == nil || s.GroupBy == nil {
		return nil
	}
	var out []Expr
	for _, e := range s.GroupBy.Elements {
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				out = append(out, s.Positioned(x))
			}
		}
	}
	return out
}

// Positioned returns the item that a number in GROUP BY or ORDER BY stands for; x
// itself where it is no number, or where a star before the item makes it uncertain.
func (s *Select) Positioned(x Expr) Expr {
	n, ok := x.(*Number)
	if !ok {
		return x
	}
	at, err := strconv.Atoi(n.Text)
	if err != nil || at < 1 || at > len(s.Items) {
		return x
	}
	for _, item := range s.Items[:at] {
		if _, ok := item.(*SelectExpr); !ok {
			return x
		}
	}
	return s.Items[at-1].(*SelectExpr).Expr
}
