package lineage

import (
	"strings"

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
	text := func(x tree.Expr) string { return strings.Join(strings.Fields(printer.Format(x)), " ") }
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
		return text(x.X) + not(x.Not, " is among the values of a subquery", " is not among the values of a subquery")
	case *tree.Exists:
		return "a subquery finds a row"
	case *tree.Not:
		return "not: " + words(x.X)
	case *tree.Paren:
		return words(x.X)
	}
	return text(x)
}

func comparisons() map[string]string {
	return map[string]string{
		tree.OpEq: "is", tree.OpNe: "is not", tree.OpLt: "is less than", tree.OpLe: "is at most",
		tree.OpGt: "is more than", tree.OpGe: "is at least",
	}
}
