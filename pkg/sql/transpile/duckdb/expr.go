package duckdb

import (
	"strings"

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
		return "(" + e.expr(x.X) + not(x.Not) + " BETWEEN " + e.expr(x.Low) + " AND " + e.expr(x.High) + ")"
	case *tree.InList:
		if e.isNested(append([]tree.Expr{x.X}, x.List...)...) {
			return e.inNested(x)
		}
		return "(" + e.expr(x.X) + not(x.Not) + " IN (" + join(x.List, ", ", e.expr) + "))"
	case *tree.InQuery:
		return e.inQuery(x)
	case *tree.Like:
		text := "(" + e.expr(x.X) + not(x.Not) + " LIKE " + e.expr(x.Pattern)
		if x.Escape != nil {
			text += " ESCAPE " + e.expr(x.Escape)
		}
		return text + ")"
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

func (e *emitter) caseExpr(c *tree.Case) string {
	var b strings.Builder
	b.WriteString("CASE")
	if c.Operand != nil {
		before := e.hidden
		text := e.expr(c.Operand)
		e.copied(len(c.Whens)-1, text, before) // DuckDB's parser makes a comparison of each WHEN
		b.WriteString(" " + text)
	}
	for _, w := range c.Whens {
		b.WriteString(" WHEN " + e.expr(w.Cond) + " THEN " + e.expr(w.Result))
	}
	if c.Else != nil {
		b.WriteString(" ELSE " + e.expr(c.Else))
	}
	return b.String() + " END"
}

func (e *emitter) special(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Special:
		switch x.Name {
		case "CURRENT_DATE":
			return "current_date"
		case "CURRENT_TIMESTAMP":
			return "now()"
		case "LOCALTIMESTAMP":
			return "CAST(now() AS TIMESTAMP)"
		}
		return e.no(x, "%s", x.Name)
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
	case *tree.AtTimeZone:
		return e.no(x, "AT TIME ZONE")
	case *tree.Normalize:
		return e.no(x, "NORMALIZE")
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
	return function + "(" + e.expr(x.X) + ", " + e.expr(x.Chars) + ")"
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
		return x.Text
	case *tree.String:
		if strings.ContainsRune(x.Value, 0) {
			return e.no(x, "a text with a zero character")
		}
		return printer.String(x.Value)
	case *tree.Typed:
		return e.typed(x)
	case *tree.Interval:
		return e.interval(x)
	}
	return e.no(x, "this expression")
}

func (e *emitter) typed(x *tree.Typed) string {
	t := e.typeOf(x)
	value := printer.String(strings.TrimSpace(x.Value))
	switch {
	case t.Base == "date" && datePattern.MatchString(x.Value):
		return "DATE " + value
	case t.Base == "timestamp" && t.Precision <= 6 && timestampPattern.MatchString(x.Value):
		return "CAST(" + value + " AS TIMESTAMP)"
	case t.IsDecimal() && t.Precision <= 38:
		return "CAST(" + value + " AS " + duckType(t) + ")"
	case t.IsInteger() || t.Base == "double":
		return "CAST(" + value + " AS " + duckType(t) + ")"
	case t.Base == "varchar":
		return printer.String(x.Value)
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
	case "varchar":
		return "VARCHAR"
	case "timestamp":
		if t.Precision <= 6 {
			return "TIMESTAMP"
		}
	case "timestamp with time zone":
		return "TIMESTAMPTZ"
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
