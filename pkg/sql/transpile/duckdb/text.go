package duckdb

import (
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// regexpCall writes the functions of regular expressions. A literal pattern is
// tried here, so that what is not supported is refused before the statement runs.
func (e *emitter) regexpCall(fn string, c *tree.Call) string {
	n := len(c.Args)
	if n < 2 || n > 4 || !e.typeOf(c.Args[0]).IsText() && !e.typeOf(c.Args[0]).IsNull() {
		return e.no(c, "%s of these arguments", fn)
	}
	if p, ok := tree.Unparen(c.Args[1]).(*tree.String); ok {
		var failed *presto.Error
		if err := presto.CheckRegexp(p.Value); errors.As(err, &failed) && failed.Name == "NOT_SUPPORTED" {
			return e.no(p, "the regular expression '%s'", presto.Short(p.Value))
		}
	}
	if n == 3 {
		if l, ok := lambdaOf(c.Args[2]); ok {
			return e.regexpLambda(c, l)
		}
	}
	args := e.exprs(c.Args)
	call := func(name string, args ...string) string {
		text := name + "("
		for i, a := range args {
			if i > 0 {
				text += ", "
			}
			text += a
		}
		return text + ")"
	}
	switch {
	case (fn == "regexp_like" || fn == "regexp_count" || fn == "regexp_split") && n == 2:
		return call("presto_"+fn, args...)
	case (fn == "regexp_extract" || fn == "regexp_extract_all") && n == 2:
		return call("presto_"+fn, append(args, "0")...)
	case (fn == "regexp_extract" || fn == "regexp_extract_all") && n == 3:
		return call("presto_"+fn, args...)
	case fn == "regexp_replace" && n == 2:
		return call("presto_regexp_replace", append(args, "''")...)
	case fn == "regexp_replace" && n == 3:
		e.grows(c, MaxText)
		return call("presto_regexp_replace", args...)
	case fn == "regexp_position":
		for len(args) < 4 {
			args = append(args, "1")
		}
		return "CAST(" + call("presto_regexp_position", args...) + " AS INTEGER)"
	}
	return e.no(c, "the function %s", fn)
}

// regexpLambda writes regexp_replace with a lambda of the groups of a match.
func (e *emitter) regexpLambda(c *tree.Call, l *tree.Lambda) string {
	e.grows(c, MaxText)
	return e.once(c, c.Args[:2], func(args []string) string {
		v := "presto_x" + e.suffix()
		groups := "struct_extract(" + v + ", 'g')"
		part := "struct_extract(" + v + ", 't') || CASE WHEN " + groups + " IS NULL THEN '' ELSE coalesce(" + e.apply(l, []string{groups}) + ", '') END"
		return "presto_text_of(list_transform(presto_regexp_matches(" + args[0] + ", " + args[1] + "), lambda " + v + ": " + part + "))"
	})
}

// formatCall writes format(): each argument is a text with the tag of its type.
func (e *emitter) formatCall(c *tree.Call) string {
	e.grows(c, MaxText)
	text := "presto_format(" + e.expr(c.Args[0])
	for _, a := range c.Args[1:] {
		tagged := e.tagged(a)
		if tagged == "" {
			return e.no(a, "format of a %s", orUnknown(e.typeOf(a)))
		}
		text += ", " + tagged
	}
	return text + ")"
}

// tagged writes an argument of presto_format; empty where its type is not
// supported.
func (e *emitter) tagged(x tree.Expr) string {
	t, text := e.typeOf(x), e.expr(x)
	tag := func(tag, value string) string { return "('" + tag + "' || " + value + ")" }
	plain := "CAST(" + text + " AS VARCHAR)"
	switch {
	case t.IsNull():
		return "CAST(NULL AS VARCHAR)"
	case t.IsInteger():
		return tag(presto.TagInteger, plain)
	case t.IsDecimal():
		return tag(presto.TagDecimal, asText(text, t))
	}
	switch t.Base {
	case "boolean":
		return tag(presto.TagBoolean, plain)
	case "double":
		return tag(presto.TagDouble, plain)
	case "real":
		return tag(presto.TagReal, plain)
	case "date":
		return tag(presto.TagDate, "presto_date_text("+text+")")
	case "timestamp":
		if t.Precision <= 6 {
			return tag(presto.TagTimestamp, "CAST(epoch_us("+text+") AS VARCHAR)")
		}
	case "time":
		return tag(presto.TagTime, "CAST(epoch_us(DATE '1970-01-01' + "+text+") AS VARCHAR)")
	case "timestamp with time zone":
		if t.Precision <= 6 {
			return e.once(x, []tree.Expr{x}, func(args []string) string {
				return tag(presto.TagInstant, "CAST(epoch_us(struct_extract("+args[0]+", 't')) AS VARCHAR) || ' ' || struct_extract("+args[0]+", 'z')")
			})
		}
	case "varchar", "json", "ipaddress":
		return tag(presto.TagText, text)
	case "char", "uuid", "interval day to second", "interval year to month":
		return tag(presto.TagText, e.castToText(text, t, types.Varchar()))
	}
	return ""
}

// toISO8601 writes to_iso8601.
func (e *emitter) toISO8601(c *tree.Call) string {
	t, text := e.typeOf(c.Args[0]), e.expr(c.Args[0])
	switch {
	case t.Base == "date":
		return "presto_iso_date(" + text + ")"
	case t.Precision > 6:
	case t.Base == "timestamp":
		return fmt.Sprintf("presto_iso_timestamp(%s, %d)", text, t.Precision)
	case t.Base == "timestamp with time zone":
		return e.once(c, c.Args, func(args []string) string { return fmt.Sprintf("presto_tz_iso(%s, %d)", args[0], t.Precision) })
	}
	return e.no(c, "to_iso8601 of %s", orUnknown(t))
}

// bytesText writes a literal of bytes.
func bytesText(hex string) string { return "unhex(" + printer.String(hex) + ")" }
