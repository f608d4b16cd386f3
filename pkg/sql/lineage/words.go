package lineage

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// words says a condition in English; what has no words is its SQL.
func words(x tree.Expr) string {
	not := func(negated bool, yes, no string) string {
		if negated {
			return no
		}
		return yes
	}
	switch x := x.(type) {
	case *tree.Binary:
		if x.Op == tree.OpAnd {
			return words(x.Left) + " and " + words(x.Right)
		}
		if phrase, ok := comparisons()[x.Op]; ok {
			return text(x.Left) + " " + phrase + " " + text(x.Right)
		}
	case *tree.Between:
		return text(x.X) + not(x.Not, " is between ", " is not between ") + text(x.Low) + " and " + text(x.High)
	case *tree.InList:
		items := make([]string, len(x.List))
		for i, item := range x.List {
			items[i] = text(item)
		}
		return text(x.X) + not(x.Not, " is one of ", " is none of ") + strings.Join(items, ", ")
	case *tree.IsNull:
		return text(x.X) + not(x.Not, " is missing", " is not missing")
	case *tree.Like:
		return text(x.X) + not(x.Not, " matches ", " does not match ") + text(x.Pattern)
	case *tree.InQuery:
		return text(x.X) + not(x.Not, " is among ", " is not among ") + values(x.Query)
	case *tree.Exists:
		return "there is a matching row in " + rows(x.Query)
	case *tree.Not:
		if e, ok := x.X.(*tree.Exists); ok {
			return "there is no matching row in " + rows(e.Query)
		}
		return "not: " + words(x.X)
	case *tree.Paren:
		return words(x.X)
	}
	return text(x)
}

// rows says which rows a subquery reads: its tables and its conditions, without
// those that only tie columns together.
func rows(q *tree.Query) string {
	const any = "a subquery"
	s, ok := q.Body.(*tree.Select)
	if !ok || q.With != nil || s.GroupBy != nil || s.Having != nil {
		return any
	}
	var tables []string
	for _, relation := range s.From {
		tree.Walk(relation, func(n tree.Node) bool {
			if t, ok := n.(*tree.Table); ok {
				tables = append(tables, t.Name.Parts[len(t.Name.Parts)-1].Name)
			}
			return true
		})
	}
	if len(tables) == 0 {
		return any
	}
	var conditions []string
	for _, c := range tree.Conjuncts(s.Where) {
		if !ties(c) {
			conditions = append(conditions, words(c))
		}
	}
	out := strings.Join(tables, " and ")
	if len(conditions) > 0 {
		out += " with " + strings.Join(conditions, " and ")
	}
	return out
}

// values says what a subquery of one column gives.
func values(q *tree.Query) string {
	of := rows(q)
	if s, ok := q.Body.(*tree.Select); ok && len(s.Items) == 1 && q.Limit == nil {
		if e, ok := s.Items[0].(*tree.SelectExpr); ok {
			return "the values of " + text(e.Expr) + " in " + of
		}
	}
	return "the values of a subquery"
}

// ties says whether a condition only says that two columns are the same.
func ties(x tree.Expr) bool {
	b, ok := x.(*tree.Binary)
	if !ok || b.Op != tree.OpEq {
		return false
	}
	return column(b.Left) && column(b.Right)
}

func column(x tree.Expr) bool {
	_, ok := x.(*tree.ColumnRef)
	return ok
}

// text is an expression as SQL on one line.
func text(x tree.Expr) string { return lang.OneLine(printer.Format(x)) }

func comparisons() map[string]string {
	return map[string]string{
		tree.OpEq: "is", tree.OpNe: "is not", tree.OpLt: "is less than", tree.OpLe: "is at most",
		tree.OpGt: "is more than", tree.OpGe: "is at least",
	}
}
