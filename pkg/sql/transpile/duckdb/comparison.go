package duckdb

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// compare writes left op right of values that are not nested.
func (e *emitter) compare(at tree.Node, op string, left, right tree.Expr) string {
	a, b := e.typeOf(left), e.typeOf(right)
	common, ok := types.Common(a, b)
	if !ok || a.IsUnknown() || b.IsUnknown() {
		return e.no(at, "a comparison of %s and %s", orUnknown(a), orUnknown(b))
	}
	isOrder := op == tree.OpLt || op == tree.OpLe || op == tree.OpGt || op == tree.OpGe
	plain := func(x, y string) string { return "(" + x + " " + op + " " + y + ")" }
	switch {
	case a.IsNull() || b.IsNull():
		return plain(e.expr(left), e.expr(right))
	case a.Base == "char" || b.Base == "char":
		if isOrder {
			return e.no(at, "an order of char values")
		}
		return plain(e.withoutBlanks(left), e.withoutBlanks(right))
	case (a.Base == "ipaddress" || a.Base == "json") && isOrder:
		return e.no(at, "an order of %s values", a.Base)
	case common.Base == "timestamp with time zone":
		return plain(e.stamp(left, common), e.stamp(right, common))
	case common.IsFloat() && op != tree.OpDistinct && op != tree.OpNotDistinct && !(e.isNumber(left) && e.isNumber(right)):
		return e.compareFloats(at, op, left, right, common)
	}
	return plain(e.coerced(left, common), e.coerced(right, common))
}

// withoutBlanks writes a text as char values are held: without blanks at its end.
func (e *emitter) withoutBlanks(x tree.Expr) string {
	if e.typeOf(x).Base == "char" {
		return e.expr(x)
	}
	return "rtrim(" + e.expr(x) + ", ' ')"
}

// isNumber reports a value that cannot be NaN.
func (e *emitter) isNumber(x tree.Expr) bool {
	switch y := tree.Unparen(x).(type) {
	case *tree.Number:
		return true
	case *tree.Unary:
		return e.isNumber(y.X)
	}
	t := e.typeOf(x)
	return t.IsInteger() || t.IsDecimal()
}

// compareFloats knows that NaN compares with nothing; DuckDB has it as the
// greatest number, equal to itself.
func (e *emitter) compareFloats(at tree.Node, op string, left, right tree.Expr, common types.Type) string {
	if op == tree.OpGt || op == tree.OpGe {
		left, right = right, left
		op = map[string]string{tree.OpGt: tree.OpLt, tree.OpGe: tree.OpLe}[op]
	}
	if e.isNumber(right) || e.isNumber(left) && (op == tree.OpEq || op == tree.OpNe) {
		return "(" + e.coerced(left, common) + " " + op + " " + e.coerced(right, common) + ")"
	}
	name := map[string]string{tree.OpEq: "presto_double_eq", tree.OpNe: "presto_double_ne", tree.OpLt: "presto_double_lt", tree.OpLe: "presto_double_le"}[op]
	return e.once(at, []tree.Expr{left, right}, func(args []string) string {
		return name + "(" + e.coercedText(at, args[0], e.typeOf(left), common) + ", " + e.coercedText(at, args[1], e.typeOf(right), common) + ")"
	})
}

// isSpecial reports types that DuckDB compares otherwise than Presto.
func (e *emitter) isSpecial(xs ...tree.Expr) bool {
	var special, float, open bool
	for _, x := range xs {
		t := e.typeOf(x)
		special = special || t.Base == "char" || t.Base == "timestamp with time zone" || t.Base == "ipaddress"
		float = float || t.IsFloat()
		open = open || t.IsFloat() && !e.isNumber(x)
	}
	return special || float && open
}

// betweenExpr writes BETWEEN as two comparisons where DuckDB's own is another one.
func (e *emitter) betweenExpr(x *tree.Between) string {
	common, ok := types.Common(e.typeOf(x.Low), e.typeOf(x.High))
	if ok {
		common, ok = types.Common(common, e.typeOf(x.X))
	}
	if !ok || common.IsUnknown() {
		return e.no(x, "BETWEEN of %s", orUnknown(e.typeOf(x.X)))
	}
	if !e.isSpecial(x.X, x.Low, x.High) || common.IsFloat() && e.isNumber(x.Low) && e.isNumber(x.High) {
		return "(" + e.coerced(x.X, common) + not(x.Not) + " BETWEEN " + e.coerced(x.Low, common) + " AND " + e.coerced(x.High, common) + ")"
	}
	return e.once(x, []tree.Expr{x.X}, func(args []string) string {
		v := e.stand(args[0], e.typeOf(x.X))
		text := "(" + e.compare(x, tree.OpGe, v, x.Low) + " AND " + e.compare(x, tree.OpLe, v, x.High) + ")"
		if x.Not {
			return "(NOT " + text + ")"
		}
		return text
	})
}

// inList writes IN (values).
func (e *emitter) inList(x *tree.InList) string {
	common := e.typeOf(x.X)
	for _, item := range x.List {
		var ok bool
		if common, ok = types.Common(common, e.typeOf(item)); !ok || common.IsUnknown() {
			return e.no(x, "IN of %s", orUnknown(e.typeOf(x.X)))
		}
	}
	numbers := true
	for _, item := range x.List {
		numbers = numbers && e.isNumber(item)
	}
	if !e.isSpecial(append([]tree.Expr{x.X}, x.List...)...) || common.IsFloat() && numbers {
		list := join(x.List, ", ", func(item tree.Expr) string { return e.coerced(item, common) })
		return "(" + e.coerced(x.X, common) + not(x.Not) + " IN (" + list + "))"
	}
	return e.once(x, []tree.Expr{x.X}, func(args []string) string {
		v := e.stand(args[0], e.typeOf(x.X))
		text := "(" + join(x.List, " OR ", func(item tree.Expr) string { return e.compare(x, tree.OpEq, v, item) }) + ")"
		if x.Not {
			return "(NOT " + text + ")"
		}
		return text
	})
}

// likeExpr writes LIKE; blanks at the end of a char count.
func (e *emitter) likeExpr(x *tree.Like) string {
	text := e.coerced(x.X, types.Varchar())
	if x.Escape == nil {
		return "(" + text + not(x.Not) + " LIKE " + e.coerced(x.Pattern, types.Varchar()) + ")"
	}
	out := "presto_like(" + text + ", " + e.coerced(x.Pattern, types.Varchar()) + ", " + e.coerced(x.Escape, types.Varchar()) + ")"
	if x.Not {
		return "(NOT " + out + ")"
	}
	return out
}

// caseExpr writes CASE; results are of the type of the whole.
func (e *emitter) caseExpr(c *tree.Case) string {
	if c.Operand != nil {
		all := []tree.Expr{c.Operand}
		for _, w := range c.Whens {
			all = append(all, w.Cond)
		}
		if e.isNested(all...) {
			return e.no(c, "CASE of a %s", orUnknown(e.typeOf(c.Operand)))
		}
		if e.isSpecial(all...) || !e.alike(all...) {
			return e.once(c, []tree.Expr{c.Operand}, func(args []string) string {
				v := e.stand(args[0], e.typeOf(c.Operand))
				return e.caseText(c, "", func(w *tree.When) string { return e.compare(c, tree.OpEq, v, w.Cond) })
			})
		}
		before := e.hidden
		text := e.expr(c.Operand)
		e.copied(len(c.Whens)-1, text, before) // DuckDB's parser makes a comparison of each WHEN
		return e.caseText(c, " "+text, func(w *tree.When) string { return e.expr(w.Cond) })
	}
	return e.caseText(c, "", func(w *tree.When) string { return e.expr(w.Cond) })
}

func (e *emitter) caseText(c *tree.Case, operand string, condition func(*tree.When) string) string {
	t := e.typeOf(c)
	text := "CASE" + operand
	for _, w := range c.Whens {
		text += " WHEN " + condition(w) + " THEN " + e.coerced(w.Result, t)
	}
	if c.Else != nil {
		text += " ELSE " + e.coerced(c.Else, t)
	}
	return text + " END"
}

// alike reports values that DuckDB holds alike.
func (e *emitter) alike(xs ...tree.Expr) bool {
	for _, x := range xs[1:] {
		if t := e.typeOf(x); !t.IsNull() && !sameStorage(t, e.typeOf(xs[0])) {
			return false
		}
	}
	return true
}
