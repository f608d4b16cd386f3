package duckdb

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// conditionalCall writes coalesce, if, nullif and try; results are of the type of
// the whole.
func (e *emitter) conditionalCall(fn string, c *tree.Call) (text string, done bool) {
	n, t := len(c.Args), e.typeOf(c)
	switch {
	case fn == "coalesce" && n > 0:
		return "coalesce(" + join(c.Args, ", ", func(a tree.Expr) string { return e.coerced(a, t) }) + ")", true
	case fn == "if" && n == 2:
		return "CASE WHEN " + e.expr(c.Args[0]) + " THEN " + e.coerced(c.Args[1], t) + " END", true
	case fn == "if" && n == 3:
		return "CASE WHEN " + e.expr(c.Args[0]) + " THEN " + e.coerced(c.Args[1], t) + " ELSE " + e.coerced(c.Args[2], t) + " END", true
	case fn == "nullif" && n == 2 && !e.isNested(c.Args...):
		return e.nullIf(c), true
	case fn == "try" && n == 1:
		return "TRY(" + e.expr(c.Args[0]) + ")", true
	}
	return "", false
}

// isConditional reports functions that choose among their arguments.
func isConditional(fn string) bool {
	switch fn {
	case "coalesce", "if", "nullif", "try", "greatest", "least":
		return true
	}
	return false
}

func (e *emitter) nullIf(c *tree.Call) string {
	a, b := e.typeOf(c.Args[0]), e.typeOf(c.Args[1])
	if a.IsNull() || b.IsNull() {
		return e.expr(c.Args[0])
	}
	return e.once(c, c.Args, func(args []string) string {
		equal := e.compare(c, tree.OpEq, e.copyOf(c.Args[0], args[0], a), e.copyOf(c.Args[1], args[1], b))
		return "CASE WHEN " + equal + " THEN NULL ELSE " + args[0] + " END"
	})
}

// copyOf stands for an expression that is written already; literals stay
// themselves.
func (e *emitter) copyOf(x tree.Expr, text string, t types.Type) tree.Expr {
	if e.isNumber(x) {
		if _, ok := tree.Unparen(x).(*tree.Number); ok {
			return x
		}
	}
	return e.stand(text, t)
}
