package duckdb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

var (
	monthInterval = regexp.MustCompile(`^\s*([+-])?\s*([0-9]{1,9})-([0-9]{1,9})\s*$`)
	plainInterval = regexp.MustCompile(`^\s*([+-])?\s*([0-9]{1,18})(?:\.([0-9]{1,9}))?\s*$`)
)

// interval writes a literal. Intervals of days to seconds are milliseconds in
// Presto, those of years to months are months.
func (e *emitter) interval(x *tree.Interval) string {
	unsupported := func() string { return e.no(x, "the interval '%s'", x.Value) }
	var n int64
	var ok, months bool
	switch x.From {
	case "YEAR", "MONTH":
		months = true
		n, ok = monthsOf(x)
	default:
		n, ok = millisOf(x)
	}
	if !ok {
		return unsupported()
	}
	if x.Negative {
		n = -n
	}
	if months {
		if int64(int32(n)) != n {
			return unsupported()
		}
		return "to_months(CAST(" + strconv.FormatInt(n, 10) + " AS INTEGER))"
	}
	return "to_microseconds(CAST(" + strconv.FormatInt(n*1000, 10) + " AS BIGINT))"
}

func monthsOf(x *tree.Interval) (int64, bool) {
	if x.From == "YEAR" && x.To == "MONTH" {
		m := monthInterval.FindStringSubmatch(x.Value)
		if m == nil {
			return 0, false
		}
		years, _ := strconv.ParseInt(m[2], 10, 64)
		months, _ := strconv.ParseInt(m[3], 10, 64)
		return signed(m[1], years*12+months), true
	}
	m := plainInterval.FindStringSubmatch(x.Value)
	if m == nil || m[3] != "" || x.To != "" && x.To != x.From {
		return 0, false
	}
	n, err := strconv.ParseInt(m[2], 10, 32)
	if x.From == "YEAR" {
		n *= 12
	}
	return signed(m[1], n), err == nil
}

func signed(sign string, n int64) int64 {
	if sign == "-" {
		return -n
	}
	return n
}

// dayUnits are the units from the largest on, in milliseconds.
func dayUnits() []struct {
	name   string
	millis int64
} {
	return []struct {
		name   string
		millis int64
	}{{"DAY", 86_400_000}, {"HOUR", 3_600_000}, {"MINUTE", 60_000}, {"SECOND", 1000}}
}

func millisOf(x *tree.Interval) (int64, bool) {
	from, to := -1, -1
	for i, u := range dayUnits() {
		if u.name == x.From {
			from = i
		}
		if u.name == x.To || x.To == "" && u.name == x.From {
			to = i
		}
	}
	if from < 0 || to < from {
		return 0, false
	}
	value := strings.TrimSpace(x.Value)
	sign := ""
	if value != "" && (value[0] == '-' || value[0] == '+') {
		sign, value = value[:1], strings.TrimSpace(value[1:])
	}
	fields := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ':' })
	if len(fields) == 0 || len(fields) > to-from+1 || strings.Count(value, ":")+strings.Count(value, " ") != len(fields)-1 {
		return 0, false
	}
	total := int64(0)
	for i, f := range fields {
		unit := dayUnits()[from+i]
		whole, fraction, hasFraction := strings.Cut(f, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || n < 0 || n > 1<<52/unit.millis || hasFraction && unit.name != "SECOND" {
			return 0, false
		}
		total += n * unit.millis
		if hasFraction {
			f, err := strconv.ParseInt((fraction + "000")[:3], 10, 64)
			if err != nil || len(fraction) > 3 {
				return 0, false
			}
			total += f
		}
	}
	return signed(sign, total), true
}

// timeArithmetic writes + and - of dates, timestamps and intervals, and * and / of
// intervals.
func (e *emitter) timeArithmetic(x *tree.Binary, left, right types.Type) string {
	switch {
	case left.IsTime() && right.IsInterval():
		return e.shift(x, x.Left, x.Right)
	case left.IsInterval() && right.IsTime() && x.Op == tree.OpAdd:
		return e.shift(x, x.Right, x.Left)
	case left.IsTime() && right.IsTime() && x.Op == tree.OpSub:
		return e.between(x, left, right)
	case left.IsInterval() && right.IsInterval() && left.Equal(right):
		return e.infix(x)
	case left.IsInterval() && right.IsNumeric() && (x.Op == tree.OpMul || x.Op == tree.OpDiv):
		return e.scaled(x, x.Left, x.Right)
	case left.IsNumeric() && right.IsInterval() && x.Op == tree.OpMul:
		return e.scaled(x, x.Right, x.Left)
	}
	return e.no(x, "%s %s %s", orUnknown(left), x.Op, orUnknown(right))
}

// between writes the time between two points.
func (e *emitter) between(x *tree.Binary, left, right types.Type) string {
	if left.Base == "time" && right.Base == "time" {
		return fmt.Sprintf("to_microseconds((epoch_us(DATE '1970-01-01' + %s) - epoch_us(DATE '1970-01-01' + %s)) // 1000 * 1000)", e.expr(x.Left), e.expr(x.Right))
	}
	common, ok := types.Common(left, right)
	if !ok || common.Precision > 6 || left.Base == "time" || right.Base == "time" || strings.HasPrefix(common.Base, "time with") {
		return e.no(x, "%s - %s", left, right)
	}
	a, b := e.stamp(x.Left, common), e.stamp(x.Right, common)
	return "presto_between(" + a + ", " + b + ")"
}

// stamp writes a point of time as an instant, a TIMESTAMP in UTC.
func (e *emitter) stamp(x tree.Expr, common types.Type) string {
	text := e.coerced(x, common)
	switch common.Base {
	case "timestamp with time zone":
		return "struct_extract(" + text + ", 't')"
	case "date":
		return "CAST(" + text + " AS TIMESTAMP)"
	}
	return text
}

// scaled writes an interval times or over a number.
func (e *emitter) scaled(x *tree.Binary, interval, number tree.Expr) string {
	n := e.coerced(number, types.Double())
	macro := "presto_times_"
	if x.Op == tree.OpDiv {
		macro = "presto_over_"
	}
	if e.typeOf(number).IsInteger() {
		macro += "whole_"
		n = e.expr(number)
	}
	unit := "millis"
	if e.typeOf(interval).Base == "interval year to month" {
		unit = "months"
	}
	return macro + unit + "(" + e.expr(interval) + ", " + n + ")"
}

// shift writes a point in time moved by an interval; a date stays a date.
func (e *emitter) shift(x *tree.Binary, point, by tree.Expr) string {
	t, result := e.typeOf(point), e.typeOf(x)
	months := e.typeOf(by).Base == "interval year to month"
	switch t.Base {
	case "date":
		if !months {
			return fmt.Sprintf("presto_shift_date(%s, %s presto_millis(%s))", e.expr(point), sign(x.Op), e.expr(by))
		}
		return "CAST((" + e.expr(point) + " " + x.Op + " " + e.expr(by) + ") AS DATE)"
	case "timestamp":
		if result.Precision > 6 {
			break
		}
		return "(" + e.coerced(point, result) + " " + x.Op + " " + e.expr(by) + ")"
	case "timestamp with time zone":
		if result.Precision > 6 {
			break
		}
		if months {
			return fmt.Sprintf("presto_shift_local(%s, %s presto_interval_months(%s))", e.coerced(point, result), sign(x.Op), e.expr(by))
		}
		return fmt.Sprintf("presto_shift_instant(%s, %s presto_millis(%s))", e.coerced(point, result), sign(x.Op), e.expr(by))
	case "time":
		if !months && result.Precision <= 6 {
			return "CAST(DATE '1970-01-01' + " + e.expr(point) + " " + x.Op + " " + e.expr(by) + " AS TIME)"
		}
	}
	return e.no(x, "an interval added to %s", orUnknown(t))
}

func sign(op string) string {
	if op == tree.OpSub {
		return "-"
	}
	return ""
}
