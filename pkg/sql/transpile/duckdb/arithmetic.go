package duckdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) binary(x *tree.Binary) string {
	switch x.Op {
	case tree.OpAnd, tree.OpOr:
		return e.chain(x)
	case tree.OpConcat:
		return e.concat(x)
	case tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv, tree.OpMod:
		return e.arithmetic(x)
	}
	if e.isNested(x.Left, x.Right) {
		return e.compareNested(x)
	}
	return e.compare(x, x.Op, x.Left, x.Right)
}

func (e *emitter) infix(x *tree.Binary) string {
	return "(" + e.expr(x.Left) + " " + x.Op + " " + e.expr(x.Right) + ")"
}

// chain writes a chain of one of the operators AND and OR in one go, in time
// proportional to its length.
func (e *emitter) chain(x *tree.Binary) string {
	parts := []tree.Expr{x.Right}
	left := x.Left
	for b, ok := left.(*tree.Binary); ok && b.Op == x.Op; b, ok = left.(*tree.Binary) {
		parts, left = append(parts, b.Right), b.Left
	}
	parts = append(parts, left)
	slices.Reverse(parts)
	return "(" + join(parts, " "+x.Op+" ", e.expr) + ")"
}

func (e *emitter) concat(x *tree.Binary) string {
	left, right := e.typeOf(x.Left), e.typeOf(x.Right)
	switch {
	case (left.IsText() || left.IsNull()) && (right.IsText() || right.IsNull()):
		return e.charText(x, e.concatenation(x, e.withBlanks(operands(x)), "strlen", strconv.Itoa(MaxText)))
	case left.Base == "varbinary" && right.Base == "varbinary":
		return "(" + e.expr(x.Left) + " || " + e.expr(x.Right) + ")"
	case left.Base == "array" || right.Base == "array":
		return e.concatArrays(x)
	}
	return e.no(x, "|| of %s and %s", orUnknown(left), orUnknown(right))
}

// withBlanks puts texts with their blanks in the place of chars.
func (e *emitter) withBlanks(xs []tree.Expr) []tree.Expr {
	out := slices.Clone(xs)
	for i, x := range xs {
		if e.typeOf(x).Base == "char" {
			out[i] = e.stand(e.coerced(x, types.Varchar()), types.Varchar())
		}
	}
	return out
}

// charText takes the blanks at the end off a text that is a char.
func (e *emitter) charText(x tree.Expr, text string) string {
	if e.typeOf(x).Base == "char" {
		return "rtrim(" + text + ", ' ')"
	}
	return text
}

func (e *emitter) arithmetic(x *tree.Binary) string {
	left, right, t := e.typeOf(x.Left), e.typeOf(x.Right), e.typeOf(x)
	switch {
	case left.IsUnknown() || right.IsUnknown():
		return e.no(x, "%s of values whose types are not known", x.Op)
	case left.IsNull() || right.IsNull():
		if typ := duckType(t); typ != "" {
			return "CAST(NULL AS " + typ + ")"
		}
		return "NULL"
	case !left.IsNumeric() || !right.IsNumeric():
		return e.timeArithmetic(x, left, right)
	case t.IsDecimal():
		return e.decimalArithmetic(x, left, right, t)
	}
	common, ok := types.Common(left, right)
	if !ok {
		return e.no(x, "%s %s %s", left, x.Op, right)
	}
	a, op := e.coerced(x.Left, common), x.Op
	switch {
	case common.IsInteger() && (op == tree.OpDiv || op == tree.OpMod):
		if op == tree.OpDiv {
			op = "//"
		}
		return "(" + a + " " + op + " " + e.divisor(x.Right, common, "presto_zero") + ")"
	case common.Base == "real" && op == tree.OpDiv:
		return "CAST(" + a + " / " + e.coerced(x.Right, common) + " AS REAL)"
	}
	return "(" + a + " " + op + " " + e.coerced(x.Right, common) + ")"
}

// divisor makes a zero a failure, as in Presto; DuckDB gives NULL.
func (e *emitter) divisor(x tree.Expr, t types.Type, check string) string {
	if n, ok := x.(*tree.Number); ok && strings.Trim(n.Text, "0123456789") == "" && strings.Trim(n.Text, "0") != "" {
		return e.coerced(x, t)
	}
	if c, ok := x.(*tree.Call); ok && c.Name.Key() == "nullif" && len(c.Args) == 2 {
		if n, ok := c.Args[1].(*tree.Number); ok && n.Text == "0" {
			return e.coerced(x, t) // never zero
		}
	}
	return e.once(x, []tree.Expr{x}, func(args []string) string {
		return check + "(" + e.coercedText(x, args[0], e.typeOf(x), t) + ")"
	})
}

// decimalArithmetic gives results the type that Presto gives them; what does not
// fit is an error.
func (e *emitter) decimalArithmetic(x *tree.Binary, left, right, t types.Type) string {
	typ := duckType(t)
	a, b := left.AsDecimal(), right.AsDecimal()
	if typ == "" || t.Scale > 38 {
		return e.no(x, "%s %s %s", left, x.Op, right)
	}
	switch x.Op {
	case tree.OpDiv:
		return e.decimalDivision(e.coerced(x.Left, a), e.coerced(x.Right, b), a, b, t)
	case tree.OpMod:
		return fmt.Sprintf("CAST(presto_decimal_modulus(%s, %s, %d, %d) AS %s)",
			asText(e.coerced(x.Left, a), a), asText(e.coerced(x.Right, b), b), t.Precision, t.Scale, typ)
	case tree.OpMul:
		return "CAST(" + e.exactly(x.Left, a) + " * " + e.exactly(x.Right, b) + " AS " + typ + ")"
	}
	return "CAST(" + e.exactly(x.Left, t) + " " + x.Op + " " + e.exactly(x.Right, t) + " AS " + typ + ")"
}

// exactly writes a number as a decimal of just this type.
func (e *emitter) exactly(x tree.Expr, t types.Type) string {
	return "CAST(" + e.expr(x) + " AS " + duckType(t) + ")"
}

// decimalDivision divides exactly and rounds half up: DuckDB would divide as
// doubles.
func (e *emitter) decimalDivision(left, right string, a, b, result types.Type) string {
	return fmt.Sprintf("CAST(presto_decimal_divide(%s, %s, %d, %d) AS %s)", asText(left, a), asText(right, b), result.Precision, result.Scale, duckType(result))
}
