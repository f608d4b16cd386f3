package duckdb

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) cast(x *tree.Cast) string {
	from, to := e.typeOf(x.X), e.typeOf(x)
	if text, ok := tree.Unparen(x.X).(*tree.String); ok {
		if literal, ok := timeLiteral(text.Value, to); ok {
			return literal
		}
	}
	if len(from.Args) > 0 && len(to.Args) > 0 {
		return e.castNested(x, e.expr(x.X), from, to, x.Try)
	}
	text := e.castValue(x, e.expr(x.X), from, to)
	if x.Try {
		return "TRY(" + text + ")"
	}
	return text
}

// castValue writes CAST(text AS to), where text is a value of type from. Casts that
// check or round as Presto does are functions of pkg/sql/presto.
func (e *emitter) castValue(at tree.Node, text string, from, to types.Type) string {
	typ := duckType(to)
	if typ == "" || from.IsUnknown() {
		return e.no(at, "a cast from %s to %s", orUnknown(from), orUnknown(to))
	}
	if from.IsNull() || to.IsNull() {
		return "CAST(" + text + " AS " + typ + ")"
	}
	var out string
	switch {
	case from.Equal(to) && len(from.Args) == 0:
		return text
	case to.Base == "json":
		out = e.toJSON(at, text, from)
	case from.Base == "json":
		out = e.fromJSON(at, text, to)
	case to.Base == "varchar":
		out = e.castToText(text, from, to)
	case to.Base == "char" && from.IsText():
		out = "rtrim(left(" + text + ", " + strconv.Itoa(to.Precision) + "), ' ')"
	case to.IsInteger():
		out = castToInteger(text, typ, from, to)
	case to.IsFloat():
		out = castToFloat(text, typ, from, to)
	case to.IsDecimal():
		out = castToDecimal(text, typ, from, to)
	case to.Base == "boolean":
		out = castToBoolean(text, from)
	case to.IsTime():
		out = e.castToTime(text, from, to)
	case to.Base == "varbinary" && from.Base == "varchar":
		out = "encode(" + text + ")"
	case to.Base == "uuid" && from.Base == "varchar":
		out = "CAST(presto_text_uuid(" + text + ") AS UUID)"
	case to.Base == "ipaddress" && from.Base == "varchar":
		out = "presto_text_ip(" + text + ")"
	}
	if out == "" {
		return e.no(at, "a cast from %s to %s", orUnknown(from), orUnknown(to))
	}
	return out
}

// asText writes a decimal as the text that functions of decimals take.
func asText(text string, t types.Type) string {
	if !t.IsDecimal() {
		return "CAST(" + text + " AS VARCHAR)"
	}
	if t.Precision == t.Scale { // DuckDB writes .5 then
		return fmt.Sprintf("presto_decimal_decimal(CAST(%s AS VARCHAR), 38, %d)", text, t.Scale)
	}
	return "CAST(CAST(" + text + " AS " + duckType(t) + ") AS VARCHAR)" // a literal may be held with another scale
}

func (e *emitter) castToText(text string, from, to types.Type) string {
	switch from.Base {
	case "varchar":
		if to.Precision >= 0 && (from.Precision < 0 || from.Precision > to.Precision) {
			return fmt.Sprintf("left(%s, %d)", text, to.Precision)
		}
		return text
	case "char":
		text = fmt.Sprintf("presto_pad_char(%s, %d)", text, from.Precision)
		if to.Precision >= 0 && from.Precision > to.Precision {
			text = fmt.Sprintf("left(%s, %d)", text, to.Precision)
		}
		return text
	case "boolean", "json":
		if to.Precision >= 0 { // another error than other types have
			return ""
		}
	}
	out := plainText(text, from)
	if out == "" || to.Precision < 0 {
		return out
	}
	return fmt.Sprintf("presto_fit(%s, %d)", out, to.Precision)
}

// plainText writes CAST(text AS varchar); empty where Presto has no such cast.
func plainText(text string, from types.Type) string {
	switch {
	case from.IsInteger(), from.IsDecimal(), from.Base == "boolean":
		return asText(text, from)
	case from.Base == "uuid":
		return "CAST(" + text + " AS VARCHAR)"
	case from.Base == "ipaddress":
		return text
	}
	switch from.Base {
	case "double":
		return "presto_double_text(" + text + ")"
	case "real":
		return "presto_real_text(" + text + ")"
	case "date":
		return "presto_date_text(" + text + ")"
	case "timestamp":
		if from.Precision > 6 {
			return fmt.Sprintf("left(strftime(%s, '%%Y-%%m-%%d %%H:%%M:%%S.%%n'), %d)", text, 20+from.Precision)
		}
		return fmt.Sprintf("presto_timestamp_text(%s, %d)", text, from.Precision)
	case "timestamp with time zone":
		if from.Precision > 6 {
			return ""
		}
		return fmt.Sprintf("presto_tz_text(%s, %d)", text, from.Precision)
	case "time":
		return fmt.Sprintf("substr(presto_timestamp_text(DATE '1970-01-01' + %s, %d), 12)", text, from.Precision)
	case "interval day to second":
		return "presto_day_interval_text(presto_millis(" + text + "))"
	case "interval year to month":
		return "presto_month_interval_text(presto_interval_months(" + text + "))"
	}
	return ""
}

// integerBits is the size of an integer type.
func integerBits(t types.Type) int {
	return map[string]int{"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}[t.Base]
}

func castToInteger(text, typ string, from, to types.Type) string {
	bits := integerBits(to)
	var out string
	switch {
	case from.IsInteger(), from.Base == "boolean":
		out = text
	case from.Base == "varchar":
		out = fmt.Sprintf("presto_text_integer(%s, %d, 1)", text, bits)
	case from.IsDecimal():
		out = fmt.Sprintf("presto_decimal_integer(%s, %d, 0)", asText(text, from), bits)
	case from.IsFloat():
		wide := 0
		if bits == 64 {
			wide = 1
		}
		out = fmt.Sprintf("presto_double_integer(%s, %d, %d)", text, bits, wide)
	default:
		return ""
	}
	return "CAST(" + out + " AS " + typ + ")"
}

func castToFloat(text, typ string, from, to types.Type) string {
	switch {
	case from.IsInteger():
		return "CAST(" + text + " AS " + typ + ")"
	case from.Base == "boolean":
		return "CAST(CAST(" + text + " AS INTEGER) AS " + typ + ")"
	case from.Base == "double" && to.Base == "real":
		return "presto_double_real(" + text + ")"
	case from.Base == "real":
		return "CAST(" + text + " AS DOUBLE)"
	case from.Base == "varchar":
		return "presto_text_" + to.Base + "(" + text + ")"
	case from.IsDecimal() && from.Precision <= 15:
		return "CAST(" + text + " AS " + typ + ")"
	case from.IsDecimal() && from.Precision <= 18: // Presto divides the digits, which a double may not hold
		return fmt.Sprintf("CAST(CAST(CAST(replace(%s, '.', '') AS BIGINT) AS DOUBLE) / 1e%d AS %s)", asText(text, from), from.Scale, typ)
	case from.IsDecimal():
		return "CAST(" + asText(text, from) + " AS " + typ + ")"
	}
	return ""
}

func castToDecimal(text, typ string, from, to types.Type) string {
	digits := fmt.Sprintf(", %d, %d)", to.Precision, to.Scale)
	switch {
	case from.IsInteger(), from.IsDecimal():
		if wide := from.AsDecimal(); to.Precision-to.Scale >= wide.Precision-wide.Scale && to.Scale >= wide.Scale {
			return "CAST(" + text + " AS " + typ + ")"
		}
		return "CAST(presto_decimal_decimal(" + asText(text, from) + digits + " AS " + typ + ")"
	case from.Base == "boolean":
		return "CAST(CAST(" + text + " AS INTEGER) AS " + typ + ")"
	case from.IsFloat():
		return "CAST(presto_" + from.Base + "_decimal(" + text + digits + " AS " + typ + ")"
	case from.Base == "varchar":
		return "CAST(presto_text_decimal(" + text + digits + " AS " + typ + ")"
	}
	return ""
}

func castToBoolean(text string, from types.Type) string {
	switch {
	case from.IsNumeric():
		return "(" + text + " <> 0)"
	case from.Base == "varchar":
		return "presto_text_boolean(" + text + ")"
	}
	return ""
}

// castToTime writes casts to dates, times and timestamps. Digits of a second that
// the new type has not are rounded.
func (e *emitter) castToTime(text string, from, to types.Type) string {
	p := strconv.Itoa(to.Precision)
	rounded := func(stamp string, have int) string {
		if have > to.Precision {
			return "presto_round_timestamp(" + stamp + ", " + p + ")"
		}
		return stamp
	}
	if from.IsTime() && from.Precision > 6 || to.Precision > 6 {
		return castNanos(text, from, to)
	}
	switch from.Base + " " + to.Base {
	case "varchar date":
		return "CAST(presto_text_date(" + text + ") AS DATE)"
	case "timestamp date":
		return "CAST(" + text + " AS DATE)"
	case "timestamp with time zone date":
		return "CAST(presto_local(" + text + ") AS DATE)"
	case "varchar timestamp":
		return "presto_text_timestamp(" + text + ", " + p + ")"
	case "date timestamp":
		return "CAST(" + text + " AS TIMESTAMP)"
	case "timestamp timestamp":
		return rounded(text, from.Precision)
	case "timestamp with time zone timestamp":
		return rounded("presto_local("+text+")", from.Precision)
	case "varchar timestamp with time zone":
		return "presto_text_tz(" + text + ", " + p + ")"
	case "date timestamp with time zone":
		return "presto_tz(CAST(" + text + " AS TIMESTAMP), 'UTC')"
	case "timestamp timestamp with time zone":
		return "presto_tz(" + rounded(text, from.Precision) + ", 'UTC')"
	case "timestamp with time zone timestamp with time zone":
		if from.Precision <= to.Precision {
			return text
		}
		return "presto_round_tz(" + text + ", " + p + ")"
	case "varchar time":
		return "CAST(presto_text_time(" + text + ", " + p + ") AS TIME)"
	case "time time":
		if from.Precision <= to.Precision {
			return text
		}
		return "CAST(presto_round_timestamp(DATE '1970-01-01' + " + text + ", " + p + ") AS TIME)"
	case "timestamp time":
		return "presto_clock(" + rounded(text, from.Precision) + ")"
	case "timestamp with time zone time":
		return "presto_clock(" + rounded("presto_local("+text+")", from.Precision) + ")"
	}
	return ""
}

// timeLiteral writes CAST(text AS t) as a literal of DuckDB's, which it compares
// with the columns' statistics before it reads them. It is false for other types,
// texts that are no such value, and years that DuckDB would write another way.
func timeLiteral(text string, t types.Type) (string, bool) {
	var at time.Time
	var err error
	switch {
	case t.Base == "date":
		at, err = presto.TextDate(text)
	case t.Base == "timestamp" && t.Precision >= 0 && t.Precision <= 6:
		at, err = presto.TextTimestamp(text, t.Precision)
	default:
		return "", false
	}
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		return "", false
	}
	if t.Base == "date" {
		return "DATE '" + at.Format(time.DateOnly) + "'", true
	}
	return "TIMESTAMP '" + at.Format("2006-01-02 15:04:05.000000") + "'", true
}

// castNanos writes casts of timestamps of seven to nine digits, which DuckDB holds
// in a type of their own.
func castNanos(text string, from, to types.Type) string {
	if from.Base != "timestamp" && from.Base != "date" || to.Base != "timestamp" && to.Base != "date" || from.Precision > 9 || to.Precision > 9 {
		return ""
	}
	switch {
	case to.Base == "date":
		return "CAST(" + text + " AS DATE)"
	case from.Precision <= to.Precision:
		return "CAST(" + text + " AS TIMESTAMP_NS)"
	}
	unit := "1"
	for i := to.Precision; i < 9; i++ {
		unit += "0"
	}
	nanos := onceText("epoch_ns("+text+") + "+unit+" // 2", func(n string) string { // // rounds towards zero
		return "(" + n + " - ((" + n + " % " + unit + ") + " + unit + ") % " + unit + ")"
	})
	return "CAST(make_timestamp_ns(" + nanos + ") AS " + duckType(to) + ")"
}
