package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) binary(x *tree.Binary) string {
	switch x.Op {
	case tree.OpAnd, tree.OpOr:
		return e.infix(x)
	case tree.OpConcat:
		return e.concat(x)
	case tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv, tree.OpMod:
		return e.arithmetic(x)
	}
	if e.isNested(x.Left, x.Right) {
		return e.compareNested(x)
	}
	return e.infix(x)
}

func (e *emitter) infix(x *tree.Binary) string {
	return "(" + e.expr(x.Left) + " " + x.Op + " " + e.expr(x.Right) + ")"
}

func (e *emitter) concat(x *tree.Binary) string {
	left, right := e.typeOf(x.Left), e.typeOf(x.Right)
	switch {
	case (left.IsText() || left.IsNull()) && (right.IsText() || right.IsNull()):
		return e.concatenation(x, operands(x), "strlen", strconv.Itoa(MaxText))
	case left.Base == "array" || right.Base == "array":
		return e.concatArrays(x)
	}
	return e.no(x, "|| of %s and %s", orUnknown(left), orUnknown(right))
}

func (e *emitter) arithmetic(x *tree.Binary) string {
	left, right := e.typeOf(x.Left), e.typeOf(x.Right)
	switch {
	case left.IsUnknown() || right.IsUnknown():
		return e.no(x, "%s of values whose types are not known", x.Op)
	case left.IsNull() || right.IsNull():
		return "NULL"
	case !left.IsNumeric() || !right.IsNumeric():
		return e.timeArithmetic(x, left, right)
	}
	if x.Op != tree.OpDiv && x.Op != tree.OpMod {
		return e.infix(x)
	}
	switch {
	case left.IsFloat() || right.IsFloat():
		if x.Op == tree.OpDiv {
			return "(CAST(" + e.expr(x.Left) + " AS DOUBLE) / " + e.expr(x.Right) + ")"
		}
		return e.infix(x)
	case left.IsInteger() && right.IsInteger():
		op := x.Op
		if op == tree.OpDiv {
			op = "//"
		}
		return "(" + e.expr(x.Left) + " " + op + " " + e.divisor(x.Right) + ")"
	case x.Op == tree.OpDiv:
		return e.nested(x, func() string {
			return e.decimalDivision(e.expr(x.Left), e.divisor(x.Right), left.AsDecimal(), right.AsDecimal(), e.typeOf(x))
		})
	}
	return "(" + e.expr(x.Left) + " % " + e.divisor(x.Right) + ")"
}

// divisor makes a zero a failure, as in Presto; DuckDB gives NULL.
func (e *emitter) divisor(x tree.Expr) string {
	if n, ok := x.(*tree.Number); ok && strings.Trim(n.Text, "0.") != "" {
		return e.expr(x)
	}
	if c, ok := x.(*tree.Call); ok && c.Name.Key() == "nullif" && len(c.Args) == 2 {
		if n, ok := c.Args[1].(*tree.Number); ok && n.Text == "0" {
			return e.expr(x) // never zero
		}
	}
	if e.trying > 0 {
		return e.macro(x, "nullif", x, tree.Int(0))
	}
	return e.macro(x, "presto_zero", x)
}

// decimalDivision divides exactly and rounds half up: DuckDB would divide as
// doubles. The operands become whole numbers of their smallest units.
func (e *emitter) decimalDivision(left, right string, a, b, result types.Type) string {
	shift := result.Scale - a.Scale + b.Scale
	n := unscaled(left, a)
	if shift > 0 {
		n = fmt.Sprintf("(%s * CAST('1%s' AS HUGEINT))", n, strings.Repeat("0", shift))
	}
	d := unscaled(right, b)
	if shift < 0 {
		d = fmt.Sprintf("(%s * CAST('1%s' AS HUGEINT))", d, strings.Repeat("0", -shift))
	}
	return bind([]operand{{text: n}, {text: d}}, func(args []string) string {
		quotient := "presto_round_div(" + args[0] + ", " + args[1] + ")"
		if result.Scale == 0 {
			return "CAST(" + quotient + " AS " + duckType(result) + ")"
		}
		return fmt.Sprintf("CAST(presto_scaled(%s, %d) AS %s)", quotient, result.Scale, duckType(result))
	})
}

// unscaled returns a decimal as a whole number of its smallest unit.
func unscaled(text string, t types.Type) string {
	if t.Scale == 0 {
		return "CAST(" + text + " AS HUGEINT)"
	}
	// The digits without the point: exact for every precision.
	return "CAST(replace(CAST(CAST(" + text + " AS " + duckType(t) + ") AS VARCHAR), '.', '') AS HUGEINT)"
}
