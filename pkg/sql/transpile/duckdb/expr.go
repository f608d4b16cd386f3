package duckdb

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// expr writes an expression. Everything that is more than one word comes in
// parentheses, so that precedences never matter.
func (e *emitter) expr(x tree.Expr) string {
	if e.err != nil {
		return "NULL"
	}
	text := e.write(x)
	if !e.fits(len(text)) {
		return "NULL"
	}
	return text
}

func (e *emitter) write(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return e.column(x)
	case *tree.Paren:
		return e.expr(x.X)
	case *tree.Unary:
		return "(" + x.Op + " " + e.expr(x.X) + ")"
	case *tree.Binary:
		return e.binary(x)
	case *tree.Not:
		return "(NOT " + e.expr(x.X) + ")"
	case *tree.IsNull:
		return "(" + e.expr(x.X) + " IS" + not(x.Not) + " NULL)"
	case *tree.Between:
		if e.isNested(x.X, x.Low, x.High) {
			return e.betweenNested(x)
		}
		return e.betweenExpr(x)
	case *tree.InList:
		if e.isNested(append([]tree.Expr{x.X}, x.List...)...) {
			return e.inNested(x)
		}
		return e.inList(x)
	case *tree.InQuery:
		return e.inQuery(x)
	case *tree.Like:
		return e.likeExpr(x)
	case *tree.Quantified:
		if e.isNested(x.X) {
			return e.no(x, "a comparison of %s values with a query", e.typeOf(x.X).Base)
		}
		quantifier := x.Quantifier
		if quantifier == "SOME" {
			quantifier = "ANY"
		}
		return "(" + e.expr(x.X) + " " + x.Op + " " + quantifier + " (" + e.query(x.Query) + "))"
	case *tree.Exists:
		return "EXISTS (" + e.query(x.Query) + ")"
	case *tree.ScalarQuery:
		return "(" + e.query(x.Query) + ")"
	case *tree.Case:
		return e.caseExpr(x)
	case *tree.Cast:
		return e.nested(x, func() string { return e.cast(x) })
	case *tree.Call:
		return e.call(x)
	case *tree.ListAgg:
		return e.listAgg(x)
	}
	return e.special(x)
}

func not(negated bool) string {
	if negated {
		return " NOT"
	}
	return ""
}

func (e *emitter) column(x *tree.ColumnRef) string {
	if text, ok := e.stands[x]; ok {
		return text
	}
	for _, p := range x.Parts {
		if p.Key() == bound {
			return e.no(x, "the name %s", p.Name)
		}
	}
	if text, ok := e.param(x.Parts[0]); ok {
		t, fields, _ := e.r.Column(x)
		return e.path(x, text, t, fields)
	}
	if aliased, ok := e.aliases[x.Parts[0].Key()]; ok && len(x.Parts) == 1 {
		return e.unaliased(aliased)
	}
	t, fields, ok := e.r.Column(x)
	if !ok || len(fields) == 0 {
		return dotted(x.Parts)
	}
	return e.path(x, dotted(x.Parts[:len(x.Parts)-len(fields)]), t, fields)
}

func (e *emitter) special(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Special:
		return e.clock(x)
	case *tree.Extract:
		return e.extract(x)
	case *tree.Position:
		return "strpos(" + e.expr(x.X) + ", " + e.expr(x.Sub) + ")"
	case *tree.Trim:
		return e.trim(x)
	case *tree.Substring:
		if x.For != nil {
			return e.macro(x, "presto_substr_count", x.X, x.From, x.For)
		}
		return e.macro(x, "presto_substr", x.X, x.From)
	case *tree.Array:
		return e.array(x)
	case *tree.Subscript:
		return e.subscript(x)
	case *tree.Lambda:
		return e.no(x, "a lambda here")
	case *tree.Grouping:
		return "GROUPING(" + join(x.Columns, ", ", func(c *tree.ColumnRef) string { return e.column(c) }) + ")"
	case *tree.Row:
		return e.row(x)
	case *tree.Field:
		return e.path(x, e.expr(x.Base), e.typeOf(x.Base), []*tree.Ident{x.Name})
	case *tree.JSONObject:
		return e.jsonObject(x)
	case *tree.JSONArray:
		return e.jsonArray(x)
	case *tree.JSONExists:
		return e.jsonExists(x)
	case *tree.JSONValue:
		return e.jsonValue(x)
	case *tree.JSONQuery:
		return e.jsonQuery(x)
	case *tree.AtTimeZone:
		return e.atTimeZone(x, x.X, x.Zone)
	case *tree.Normalize:
		return "presto_normalize(" + e.expr(x.X) + ", " + printer.String(strings.ToUpper(x.Form)) + ")"
	}
	return e.literal(x)
}

func (e *emitter) trim(x *tree.Trim) string {
	function := map[string]string{"LEADING": "ltrim", "TRAILING": "rtrim"}[x.Side]
	if function == "" {
		function = "trim"
	}
	if x.Chars == nil {
		return "presto_" + function + "(" + e.expr(x.X) + ")"
	}
	return "presto_" + function + "_chars(" + e.expr(x.X) + ", " + e.expr(x.Chars) + ")"
}

func (e *emitter) literal(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Null:
		return "NULL"
	case *tree.Bool:
		if x.Value {
			return "true"
		}
		return "false"
	case *tree.Number:
		if t := e.typeOf(x); t.IsDecimal() && t.Precision > 38 {
			return e.no(x, "a number of more than 38 digits")
		}
		return numberText(x.Text)
	case *tree.Bytes:
		return bytesText(x.Hex)
	case *tree.String:
		if strings.ContainsRune(x.Value, 0) {
			return e.no(x, "a text with a zero character")
		}
		return printer.String(x.Value)
	case *tree.Typed:
		if strings.ContainsRune(x.Value, 0) {
			return e.no(x, "a text with a zero character")
		}
		return e.typed(x)
	case *tree.Interval:
		return e.interval(x)
	}
	return e.no(x, "this expression")
}

// numberText writes a number without underscores, and whole ones in decimal digits.
func numberText(text string) string {
	text = strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && len(text) > 1 && text[0] == '0' && !isDigit(text[1]) {
		return strconv.FormatInt(n, 10)
	}
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' }

func (e *emitter) typed(x *tree.Typed) string {
	t := e.typeOf(x)
	if literal, ok := timeLiteral(x.Value, t); ok && t.Base == "timestamp" {
		return literal
	}
	switch {
	case t.Base == "timestamp with time zone":
		return e.zonedLiteral(x, t)
	case t.Base == "date":
		if literal, ok := timeLiteral(x.Value, t); ok {
			return literal
		}
		return e.no(x, "the date '%s'", presto.Short(x.Value))
	case t.Base == "timestamp" && t.Precision > 6 && t.Precision <= 9:
		return "CAST(" + printer.String(strings.TrimSpace(x.Value)) + " AS TIMESTAMP_NS)"
	case t.IsTime() && t.Precision <= 6, t.IsDecimal() && t.Precision <= 38, t.IsInteger(), t.IsFloat(),
		t.Base == "uuid", t.Base == "ipaddress", t.Base == "boolean":
		if t.IsDecimal() {
			return e.castValue(x, printer.String(strings.TrimSpace(x.Value)), types.Varchar(), t)
		}
		return e.castValue(x, printer.String(x.Value), types.Varchar(), t)
	case t.Base == "json":
		return "presto_json_parse(" + printer.String(x.Value) + ")"
	case t.Base == "varchar":
		return printer.String(x.Value)
	case t.Base == "char":
		return printer.String(strings.TrimRight(x.Value, " "))
	}
	return e.no(x, "a literal of type %s", strings.ToUpper(x.Type))
}

func orUnknown(t types.Type) string {
	if t.IsUnknown() {
		return "value of unknown type"
	}
	return t.String()
}

// duckType returns DuckDB's name of a type; empty where there is no equivalent.
func duckType(t types.Type) string {
	switch t.Base {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "double", "real", "date":
		return strings.ToUpper(t.Base)
	case "decimal":
		if t.Precision <= 38 {
			return strings.ToUpper(t.String())
		}
	case "varchar", "char", "json", "ipaddress":
		return "VARCHAR"
	case "varbinary":
		return "BLOB"
	case "uuid":
		return "UUID"
	case "interval day to second", "interval year to month":
		return "INTERVAL"
	case "time":
		if t.Precision <= 6 {
			return "TIME"
		}
	case "timestamp":
		switch {
		case t.Precision <= 6:
			return "TIMESTAMP"
		case t.Precision <= 9:
			return "TIMESTAMP_NS"
		}
	case "timestamp with time zone":
		switch {
		case t.Precision <= 6:
			return "STRUCT(t TIMESTAMP, z VARCHAR)"
		case t.Precision <= 9:
			return "STRUCT(t TIMESTAMP_NS, z VARCHAR)"
		}
	case "array":
		if element := duckType(t.Args[0]); element != "" {
			return element + "[]"
		}
	case "map":
		key, value := duckType(t.Args[0]), duckType(t.Args[1])
		if key != "" && value != "" {
			return "MAP(" + key + ", " + value + ")"
		}
	case "row":
		return duckStruct(t)
	case "unknown":
		return `"NULL"`
	}
	return ""
}
