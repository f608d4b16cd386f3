package duckdb

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// fails writes a failure that happens when the value is needed.
func fails(name, message string, t types.Type) string {
	text := "presto_error(" + printer.String("PRESTO "+name+": "+message) + ")"
	if typ := duckType(t); typ != "" {
		return "CAST(" + text + " AS " + typ + ")"
	}
	return text
}

// clockText writes a time as a literal of a timestamp.
func clockText(t time.Time) string {
	return "CAST('" + t.UTC().Format("2006-01-02 15:04:05.000000") + "' AS TIMESTAMP)"
}

// clock writes the functions without parentheses; those of time tell the one time
// at which the statement runs.
func (e *emitter) clock(x *tree.Special) string {
	t := e.typeOf(x)
	if t.Precision > 6 {
		return e.no(x, "%s(%d)", x.Name, t.Precision)
	}
	unit := time.Second
	for range max(t.Precision, 0) {
		unit /= 10
	}
	now := e.options.Now.UTC().Truncate(unit)
	switch x.Name {
	case "CURRENT_DATE":
		return "DATE '" + now.Format(time.DateOnly) + "'"
	case "CURRENT_TIMESTAMP":
		return "presto_tz(" + clockText(now) + ", 'UTC')"
	case "LOCALTIMESTAMP":
		return clockText(now)
	case "LOCALTIME":
		return "CAST(" + clockText(now) + " AS TIME)"
	case "CURRENT_USER":
		if e.options.User != "" {
			return printer.String(e.options.User)
		}
	case "CURRENT_CATALOG":
		if e.options.Catalog != "" {
			return printer.String(e.options.Catalog)
		}
	case "CURRENT_SCHEMA":
		if e.options.Schema != "" {
			return printer.String(e.options.Schema)
		}
	}
	return e.no(x, "%s", x.Name)
}

// extract writes EXTRACT, whose fields are functions too.
func (e *emitter) extract(x *tree.Extract) string {
	field := strings.ToLower(x.Field)
	t := e.typeOf(x.X)
	if _, known := mappings()[field]; !known {
		return e.no(x, "EXTRACT(%s)", x.Field)
	}
	call := &tree.Call{Meta: tree.At(x.Span()), Name: tree.NameOf(field), Args: []tree.Expr{x.X}}
	e.given[call] = types.Bigint()
	for _, m := range mappings()[field] {
		if _, fits := m.fits([]types.Type{t}); fits {
			return e.call(call)
		}
	}
	return e.no(x, "EXTRACT(%s FROM %s)", x.Field, orUnknown(t))
}

// unit returns the literal unit of date_trunc, date_add and date_diff.
func unit(x tree.Expr) string {
	if s, ok := tree.Unparen(x).(*tree.String); ok {
		return strings.ToLower(s.Value)
	}
	return ""
}

// unitsOf are the units that a type of time has.
func unitsOf(t types.Type) []string {
	days := []string{"day", "week", "month", "quarter", "year"}
	clock := []string{"millisecond", "second", "minute", "hour"}
	switch t.Base {
	case "date":
		return days
	case "time":
		return clock
	case "timestamp", "timestamp with time zone":
		return append(clock, days...)
	}
	return nil
}

// checkUnit returns a text where a call cannot be written: a refusal, or Presto's
// own failure.
func (e *emitter) checkUnit(c *tree.Call, t types.Type) string {
	u, units := unit(c.Args[0]), unitsOf(t)
	switch {
	case units == nil || t.Precision > 6:
		return e.no(c, "%s of %s", c.Name, orUnknown(t))
	case u == "":
		return e.no(c, "%s of a unit that is no literal", c.Name)
	case !slices.Contains(units, u):
		return fails(presto.InvalidArgument, "'"+presto.Short(u)+"' is not a valid unit of a "+t.Base, e.typeOf(c))
	}
	return ""
}

// onLocal writes a change of the clock of a timestamp with a zone: of its local
// time, which is then looked up in the zone again.
func (e *emitter) onLocal(at tree.Node, x tree.Expr, change func(local string) string) string {
	return e.once(at, []tree.Expr{x}, func(args []string) string {
		v := args[0]
		zone := "struct_extract(" + v + ", 'z')"
		return "CASE WHEN " + v + " IS NULL THEN NULL ELSE {'t': presto_zone_instant(" + change("presto_local("+v+")") + ", " + zone + "), 'z': " + zone + "} END"
	})
}

// onInstant writes a change of the instant of a timestamp with a zone.
func (e *emitter) onInstant(at tree.Node, x tree.Expr, change func(instant string) string) string {
	return e.once(at, []tree.Expr{x}, func(args []string) string {
		v := args[0]
		return "CASE WHEN " + v + " IS NULL THEN NULL ELSE {'t': " + change("struct_extract("+v+", 't')") + ", 'z': struct_extract(" + v + ", 'z')} END"
	})
}

func (e *emitter) dateTrunc(c *tree.Call) string {
	t := e.typeOf(c.Args[1])
	if text := e.checkUnit(c, t); text != "" {
		return text
	}
	truncated := func(text string) string { return "date_trunc(" + printer.String(unit(c.Args[0])) + ", " + text + ")" }
	switch t.Base {
	case "date":
		return "CAST(" + truncated(e.expr(c.Args[1])) + " AS DATE)"
	case "time":
		return "CAST(" + truncated("DATE '1970-01-01' + "+e.expr(c.Args[1])) + " AS TIME)"
	case "timestamp with time zone":
		return e.onLocal(c, c.Args[1], truncated)
	}
	return truncated(e.expr(c.Args[1]))
}

func (e *emitter) dateAdd(c *tree.Call) string {
	t := e.typeOf(c.Args[2])
	if text := e.checkUnit(c, t); text != "" {
		return text
	}
	if n := e.typeOf(c.Args[1]); !n.IsInteger() && !n.IsNull() {
		return e.no(c, "date_add of %s", orUnknown(n))
	}
	u := unit(c.Args[0])
	n := "CAST(" + e.expr(c.Args[1]) + " AS BIGINT)"
	var by string
	switch u {
	case "day":
		by = "to_days(CAST(" + n + " AS INTEGER))"
	case "week":
		by = "to_days(CAST(7 * " + n + " AS INTEGER))"
	case "month":
		by = "to_months(CAST(" + n + " AS INTEGER))"
	case "quarter":
		by = "to_months(CAST(3 * " + n + " AS INTEGER))"
	case "year":
		by = "to_months(CAST(12 * " + n + " AS INTEGER))"
	default:
		by = fmt.Sprintf("to_microseconds(%d * %s)", map[string]int64{"millisecond": 1000, "second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000}[u], n)
	}
	moved := func(text string) string {
		out := "(" + text + " + " + by + ")"
		if t.Base == "timestamp" && u == "millisecond" && t.Precision < 3 {
			return fmt.Sprintf("presto_round_timestamp(%s, %d)", out, t.Precision)
		}
		return out
	}
	switch t.Base {
	case "date":
		return "CAST(" + moved(e.expr(c.Args[2])) + " AS DATE)"
	case "time":
		return "CAST(" + moved("DATE '1970-01-01' + "+e.expr(c.Args[2])) + " AS TIME)"
	case "timestamp with time zone":
		if t.Precision < 3 && u == "millisecond" {
			return e.no(c, "date_add of milliseconds to %s", t)
		}
		if slices.Contains(unitsOf(types.Date()), u) {
			return e.onLocal(c, c.Args[2], moved)
		}
		return e.onInstant(c, c.Args[2], moved)
	}
	return moved(e.expr(c.Args[2]))
}

// dateDiff counts whole units, as Presto does; DuckDB's date_diff counts borders.
func (e *emitter) dateDiff(c *tree.Call) string {
	common, ok := types.Common(e.typeOf(c.Args[1]), e.typeOf(c.Args[2]))
	if !ok {
		return e.no(c, "date_diff of %s and %s", orUnknown(e.typeOf(c.Args[1])), orUnknown(e.typeOf(c.Args[2])))
	}
	if text := e.checkUnit(c, common); text != "" {
		return text
	}
	u := unit(c.Args[0])
	months := map[string]int{"month": 1, "quarter": 3, "year": 12}[u]
	micros := map[string]int64{"millisecond": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000}[u]
	return e.nested(c, func() string {
		operands := []operand{{text: e.coerced(c.Args[1], common)}, {text: e.coerced(c.Args[2], common)}}
		return bind(operands, func(args []string) string {
			a, b := args[0], args[1]
			switch {
			case common.Base == "time":
				a, b = "(DATE '1970-01-01' + "+a+")", "(DATE '1970-01-01' + "+b+")"
			case common.Base == "timestamp with time zone" && (months > 0 || micros >= 86_400_000):
				zone := "struct_extract(" + a + ", 'z')" // both on the clock of the first
				b = "presto_zone_local(struct_extract(" + b + ", 't'), " + zone + ")"
				a = "presto_local(" + a + ")"
			case common.Base == "timestamp with time zone":
				a, b = "struct_extract("+a+", 't')", "struct_extract("+b+", 't')"
			}
			if months > 0 {
				return fmt.Sprintf("(presto_months(CAST(%s AS TIMESTAMP), CAST(%s AS TIMESTAMP)) // %d)", a, b, months)
			}
			return fmt.Sprintf("((presto_epoch_ms(CAST(%s AS TIMESTAMP)) - presto_epoch_ms(CAST(%s AS TIMESTAMP))) // %d)", b, a, micros)
		})
	})
}

// localTime writes a date or a timestamp as what its clock shows.
func (e *emitter) localTime(c *tree.Call, x tree.Expr) string {
	switch t := e.typeOf(x); {
	case t.Precision > 6:
	case t.Base == "date", t.Base == "timestamp":
		return "CAST(" + e.expr(x) + " AS TIMESTAMP)"
	case t.Base == "timestamp with time zone":
		return e.macro(c, "presto_local", x)
	}
	return e.no(c, "%s of %s", c.Name, orUnknown(e.typeOf(x)))
}

func (e *emitter) dateFormat(c *tree.Call) string {
	return "presto_date_format(" + e.localTime(c, c.Args[0]) + ", " + e.expr(c.Args[1]) + ")"
}

// formatDatetime writes format_datetime. What has no zone has none to write.
func (e *emitter) formatDatetime(c *tree.Call) string {
	format, ok := tree.Unparen(c.Args[1]).(*tree.String)
	if !ok {
		return e.no(c, "format_datetime with a format that is no literal")
	}
	zoned, named := presto.UsesZone(format.Value)
	t := e.typeOf(c.Args[0])
	switch {
	case t.Base == "timestamp with time zone" && named:
		return e.no(c.Args[1], "the name of a zone in a date format")
	case t.Base == "timestamp with time zone" && t.Precision <= 6:
		return e.once(c, c.Args[:1], func(args []string) string {
			return "presto_format_datetime(struct_extract(" + args[0] + ", 't'), struct_extract(" + args[0] + ", 'z'), " + e.expr(format) + ")"
		})
	case zoned:
		return fails(presto.InvalidArgument, "the format writes a zone, and the value has none", types.Varchar())
	}
	return "presto_format_datetime(" + e.localTime(c, c.Args[0]) + ", 'UTC', " + e.expr(format) + ")"
}

// parseDatetime writes parse_datetime: the instant and the zone are two readings.
func (e *emitter) parseDatetime(c *tree.Call) string {
	format, ok := tree.Unparen(c.Args[1]).(*tree.String)
	if !ok {
		return e.no(c, "parse_datetime with a format that is no literal")
	}
	if _, named := presto.UsesZone(format.Value); named {
		return e.no(c.Args[1], "the name of a zone in a date format")
	}
	thisYear := 0
	if presto.UsesThisYear(format.Value) {
		thisYear = e.options.Now.UTC().Year()
	}
	return e.once(c, c.Args[:1], func(args []string) string {
		rest := fmt.Sprintf("(%s, %s, %d)", args[0], e.expr(format), thisYear)
		return "presto_tz(presto_parse_instant" + rest + ", presto_parse_zone" + rest + ")"
	})
}

// atTimeZone writes AT TIME ZONE and at_timezone.
func (e *emitter) atTimeZone(at tree.Node, x, zone tree.Expr) string {
	t := e.typeOf(x)
	if t.Precision > 6 || t.Base != "timestamp" && t.Base != "timestamp with time zone" {
		return e.no(at, "AT TIME ZONE of %s", orUnknown(t))
	}
	target := types.Type{Base: "timestamp with time zone", Precision: t.Precision}
	var name string
	switch zt := e.typeOf(zone); {
	case zt.Base == "interval day to second":
		name = e.macro(at, "presto_interval_zone", zone)
	case zt.IsText():
		name = "presto_zone(" + e.expr(zone) + ")"
	default:
		return e.no(at, "AT TIME ZONE with %s", orUnknown(zt))
	}
	return "presto_tz(struct_extract(" + e.coerced(x, target) + ", 't'), " + name + ")"
}

// zonedLiteral writes a literal of a timestamp with a zone.
func (e *emitter) zonedLiteral(x *tree.Typed, t types.Type) string {
	if t.Precision > 6 {
		return e.no(x, "a literal of type %s", t)
	}
	instant, zone, err := presto.TextInstant(x.Value, t.Precision)
	if err != nil {
		return e.no(x, "the timestamp '%s'", presto.Short(x.Value))
	}
	return "{'t': " + clockText(instant) + ", 'z': " + printer.String(zone) + "}"
}
