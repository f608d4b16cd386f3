package duckdb

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) cast(x *tree.Cast) string {
	from, to := e.typeOf(x.X), e.typeOf(x)
	if len(from.Args) > 0 && len(to.Args) > 0 {
		return e.castNested(x, e.expr(x.X), from, to, x.Try)
	}
	lenient := x.Try || e.trying > 0
	word := "CAST"
	if lenient {
		word = "TRY_CAST"
	}
	inner := ""
	if from.Base != "varchar" && from.Base != "char" || to.Base == "varchar" {
		inner = e.expr(x.X)
	}
	plain := func(text string) string { return word + "(" + text + " AS " + duckType(to) + ")" }
	checked := func(macro string) string {
		if lenient {
			macro += "_try"
		}
		return plain(e.macro(x, macro, x.X))
	}
	unsupported := func() string { return e.no(x, "a cast from %s to %s", orUnknown(from), x.Type.Text) }
	if duckType(to) == "" || from.IsUnknown() {
		return unsupported()
	}
	switch {
	case from.IsNull(), from.Base == to.Base && from.Base != "varchar" && from.Base != "timestamp" && len(from.Args) == 0:
		return plain(inner)
	case to.Base == "varchar":
		return e.castToText(x, inner, from, to, unsupported)
	case from.Base == "varchar" || from.Base == "char":
		return castText(to, checked, unsupported)
	case to.IsInteger() && from.IsFloat():
		return plain("round(" + inner + ")")
	case to.IsDecimal() && from.IsFloat(): // Presto rounds the shortest decimal text, not the binary value
		return plain("CAST(" + inner + " AS VARCHAR)")
	case to.IsNumeric() && (from.IsNumeric() || from.Base == "boolean"):
		return plain(inner)
	case to.Base == "boolean" && from.IsNumeric():
		return plain(inner)
	case to.Base == "date" && (from.Base == "timestamp" || from.Base == "timestamp with time zone"):
		return plain(inner)
	case to.Base == "timestamp" && (from.Base == "date" || from.Base == "timestamp" && from.Precision <= to.Precision):
		return plain(inner)
	case to.Base == "timestamp" && from.Base == "timestamp with time zone" && from.Precision <= to.Precision:
		return plain(inner)
	case to.Base == "timestamp with time zone" && (from.Base == "date" || from.Base == "timestamp"):
		return plain(inner)
	}
	return unsupported()
}

// castText checks the text before the cast: DuckDB reads more forms than Presto.
func castText(to types.Type, checked func(string) string, unsupported func() string) string {
	switch {
	case to.IsInteger():
		return checked("presto_integer_text")
	case to.IsDecimal(), to.Base == "double", to.Base == "real":
		return checked("presto_number_text")
	case to.Base == "date":
		return checked("presto_date_text")
	case to.Base == "timestamp" && to.Precision >= 3:
		return checked("presto_timestamp_text")
	case to.Base == "boolean":
		return checked("presto_boolean_text")
	}
	return unsupported()
}

func (e *emitter) castToText(x *tree.Cast, inner string, from, to types.Type, unsupported func() string) string {
	var text string
	switch {
	case from.IsText():
		text = inner
		if to.Precision >= 0 {
			return fmt.Sprintf("left(%s, %d)", inner, to.Precision)
		}
	case from.IsInteger(), from.IsDecimal(), from.Base == "boolean", from.Base == "date":
		text = "CAST(" + inner + " AS VARCHAR)"
		if from.IsDecimal() {
			text = "CAST(CAST(" + inner + " AS " + duckType(from) + ") AS VARCHAR)"
		}
	case from.Base == "timestamp" && from.Precision == 0:
		text = "strftime(" + inner + ", '%Y-%m-%d %H:%M:%S')"
	case from.Base == "timestamp" && from.Precision == 3:
		text = "strftime(" + inner + ", '%Y-%m-%d %H:%M:%S.%g')"
	case from.Base == "timestamp" && from.Precision == 6:
		text = "strftime(" + inner + ", '%Y-%m-%d %H:%M:%S.%f')"
	default:
		return unsupported()
	}
	if to.Precision >= 0 { // Presto fails where the text is too long
		otherwise := fmt.Sprintf(" ELSE error('PRESTO INVALID_CAST_ARGUMENT: the value does not fit in %s') END", to)
		if x.Try || e.trying > 0 {
			otherwise = " END"
		}
		return onceText(text, func(text string) string {
			return fmt.Sprintf("CASE WHEN %s IS NULL OR length(%s) <= %d THEN %s", text, text, to.Precision, text) + otherwise
		})
	}
	return text
}
