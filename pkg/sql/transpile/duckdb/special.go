package duckdb

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) exprs(xs []tree.Expr) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = e.expr(x)
	}
	return out
}

// specialCall writes the functions whose form depends on their arguments.
func (e *emitter) specialCall(fn string, c *tree.Call) (text string, done bool) {
	if text, done := e.conditionalCall(fn, c); done {
		return text, true
	}
	if text, done := e.timeCall(fn, c); done {
		return text, true
	}
	if text, done := e.textCall(fn, c); done {
		return text, true
	}
	return e.numberCall(fn, c)
}

func (e *emitter) timeCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	switch {
	case fn == "date_trunc" && n == 2:
		return e.dateTrunc(c), true
	case fn == "date_add" && n == 3:
		return e.dateAdd(c), true
	case fn == "date_diff" && n == 3:
		return e.dateDiff(c), true
	case fn == "date_format" && n == 2:
		return e.dateFormat(c), true
	case fn == "format_datetime" && n == 2:
		return e.formatDatetime(c), true
	case fn == "parse_datetime" && n == 2:
		return e.parseDatetime(c), true
	case (fn == "to_char" || fn == "to_date" || fn == "to_timestamp") && n == 2:
		return e.teradata(fn, c), true
	case fn == "at_timezone" && n == 2:
		return e.atTimeZone(c, c.Args[0], c.Args[1]), true
	case fn == "to_iso8601" && n == 1:
		return e.toISO8601(c), true
	case (fn == "now" || fn == "current_timezone") && n == 0:
		if fn == "now" {
			return "presto_tz(" + clockText(e.options.Now.UTC().Truncate(time.Millisecond)) + ", 'UTC')", true
		}
		return "'UTC'", true
	}
	return "", false
}

func (e *emitter) textCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	switch {
	case fn == "concat" && n > 1 && e.typeOf(c.Args[0]).Base != "array":
		return e.concatCall(c), true
	case fn == "concat_ws" && n > 1 && e.typeOf(c.Args[1]).Base != "array":
		return e.concatWS(c), true
	case strings.HasPrefix(fn, "regexp_"):
		return e.regexpCall(fn, c), true
	case (fn == "lpad" || fn == "rpad") && n == 3 && e.typeOf(c.Args[0]).Base != "varbinary":
		return e.pad(fn, c), true
	case fn == "replace" && n >= 2:
		return e.replaceCall(c), true
	case fn == "format" && n > 1:
		return e.formatCall(c), true
	case fn == "typeof" && n == 1:
		if t := e.typeOf(c.Args[0]); !t.IsUnknown() {
			return printer.String(t.String()), true
		}
	case fn == "contains" && n == 2 && e.typeOf(c.Args[1]).Base == "ipaddress":
		return "presto_ip_in(" + e.expr(c.Args[0]) + ", " + e.expr(c.Args[1]) + ")", true
	}
	return "", false
}

func (e *emitter) numberCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	switch {
	case (fn == "greatest" || fn == "least") && n > 0:
		return e.extreme(fn, c), true
	case fn == "mod" && n == 2:
		return e.mod(c), true
	case fn == "round" && n > 0 && e.typeOf(c.Args[0]).IsDecimal(), fn == "truncate" && n > 0 && e.typeOf(c.Args[0]).IsDecimal():
		return e.cutDecimal(fn, c), true
	case (fn == "ceil" || fn == "ceiling" || fn == "floor" || fn == "abs" || fn == "sign") && n == 1 && e.typeOf(c.Args[0]).IsDecimal():
		return e.wholeDecimal(fn, c), true
	case strings.HasPrefix(fn, "bitwise_") && strings.Contains(fn, "_shift") && n == 2:
		return e.bitShift(fn, c), true
	case fn == "avg" && n == 1 && e.typeOf(c.Args[0]).IsDecimal():
		return e.avgDecimal(c), true
	}
	return "", false
}

// concatCall writes || because DuckDB's concat leaves nulls out.
func (e *emitter) concatCall(c *tree.Call) string {
	if e.typeOf(c).Base == "varbinary" {
		return "(" + join(c.Args, " || ", e.expr) + ")"
	}
	for _, a := range c.Args {
		if t := e.typeOf(a); !t.IsText() && !t.IsNull() {
			return e.no(c, "concat of %s", orUnknown(t))
		}
	}
	return e.concatenation(c, c.Args, "strlen", strconv.Itoa(MaxText))
}

// extreme writes greatest and least, which are null where an argument is.
func (e *emitter) extreme(fn string, c *tree.Call) string {
	common := e.typeOf(c)
	if common.Base == "array" || common.Base == "row" {
		return e.extremeNested(fn, c, common)
	}
	if common.IsUnknown() || len(common.Args) > 0 || common.Base == "char" || common.Base == "ipaddress" || common.Base == "timestamp with time zone" {
		return e.no(c, "%s of %s", fn, orUnknown(common))
	}
	return e.nested(c, func() string {
		operands := make([]operand, len(c.Args))
		for i, a := range c.Args {
			operands[i].text = e.coerced(a, common)
			operands[i].cheap, operands[i].literal = cheap(a)
		}
		return bind(operands, func(args []string) string {
			all := strings.Join(args, ", ")
			call := fn + "(" + all + ")"
			if common.IsFloat() {
				call = "CAST(presto_" + fn + "([" + all + "]) AS " + duckType(common) + ")"
			}
			return "CASE WHEN " + strings.Join(args, " IS NULL OR ") + " IS NULL THEN NULL ELSE " + call + " END"
		})
	})
}

// extremeNested writes greatest and least of arrays and rows, in which a null has
// no place.
func (e *emitter) extremeNested(fn string, c *tree.Call, common types.Type) string {
	function := map[string]string{"greatest": "list_max", "least": "list_min"}[fn]
	return e.nested(c, func() string {
		operands := make([]operand, len(c.Args))
		for i, a := range c.Args {
			operands[i].text = e.coerced(a, common)
		}
		return bind(operands, func(args []string) string {
			items := join(args, ", ", func(a string) string { return e.orderable(c, a, common) })
			return "CASE WHEN " + strings.Join(args, " IS NULL OR ") + " IS NULL THEN NULL ELSE " + function + "([" + items + "]) END"
		})
	})
}

func (e *emitter) mod(c *tree.Call) string {
	left, right := e.typeOf(c.Args[0]), e.typeOf(c.Args[1])
	common, ok := types.Common(left, right)
	switch {
	case !ok || !common.IsNumeric():
		return e.no(c, "mod of %s and %s", orUnknown(left), orUnknown(right))
	case common.IsInteger():
		return "(" + e.coerced(c.Args[0], common) + " % " + e.divisor(c.Args[1], common, "presto_mod_zero") + ")"
	case common.IsDecimal():
		a, b := left.AsDecimal(), right.AsDecimal()
		t := e.typeOf(c)
		if scale := max(a.Scale, b.Scale); !t.IsDecimal() || t.Scale != scale || t.Precision != min(38, min(a.Precision-a.Scale, b.Precision-b.Scale)+scale) {
			return e.no(c, "mod of %s and %s", left, right)
		}
		return fmt.Sprintf("CAST(presto_decimal_modulus(%s, %s, %d, %d) AS %s)",
			asText(e.coerced(c.Args[0], a), a), asText(e.coerced(c.Args[1], b), b), t.Precision, t.Scale, duckType(t))
	}
	return "(" + e.coerced(c.Args[0], common) + " % " + e.coerced(c.Args[1], common) + ")"
}

// cutDecimal writes round and truncate of decimals.
func (e *emitter) cutDecimal(fn string, c *tree.Call) string {
	digits := "0"
	if len(c.Args) > 1 {
		digits = e.expr(c.Args[1])
	}
	from, t := e.typeOf(c.Args[0]), e.typeOf(c)
	if duckType(t) == "" || duckType(from) == "" || !t.IsDecimal() {
		return e.no(c, "%s of %s", fn, from)
	}
	return fmt.Sprintf("CAST(presto_decimal_%s(%s, %s, %d, %d) AS %s)", fn, asText(e.expr(c.Args[0]), from), digits, t.Precision, t.Scale, duckType(t))
}

// wholeDecimal writes functions of decimals that DuckDB has too, with their type.
func (e *emitter) wholeDecimal(fn string, c *tree.Call) string {
	from, t := e.typeOf(c.Args[0]), e.typeOf(c)
	if duckType(from) == "" || duckType(t) == "" || !t.IsDecimal() {
		return e.no(c, "%s of %s", fn, orUnknown(from))
	}
	if fn == "ceiling" {
		fn = "ceil"
	}
	return "CAST(" + fn + "(" + e.exactly(c.Args[0], from) + ") AS " + duckType(t) + ")"
}

// bitShift writes shifts of numbers of so many bits.
func (e *emitter) bitShift(fn string, c *tree.Call) string {
	t := e.typeOf(c.Args[0])
	if !t.IsInteger() || !e.typeOf(c.Args[1]).IsInteger() {
		return e.no(c, "%s of %s", fn, orUnknown(t))
	}
	args := e.expr(c.Args[0]) + ", " + e.expr(c.Args[1])
	call := map[string]string{
		"bitwise_left_shift":             fmt.Sprintf("presto_shift_left(%s, %d)", args, integerBits(t)),
		"bitwise_right_shift":            fmt.Sprintf("presto_shift_right(%s, %d)", args, integerBits(t)),
		"bitwise_right_shift_arithmetic": "presto_shift_right_arithmetic(" + args + ")",
	}[fn]
	if call == "" {
		return e.no(c, "the function %s", fn)
	}
	return "CAST(" + call + " AS " + duckType(t) + ")"
}

// avgDecimal divides exactly: DuckDB's avg of decimals is a double.
func (e *emitter) avgDecimal(c *tree.Call) string {
	t := e.typeOf(c.Args[0])
	x := e.expr(c.Args[0])
	sum, count := e.modified("sum("+x+")", c), e.modified("count("+x+")", c)
	total := types.Decimal(38, t.Scale)
	return e.decimalDivision(sum, "nullif("+count+", 0)", total, types.Decimal(19, 0), t)
}
