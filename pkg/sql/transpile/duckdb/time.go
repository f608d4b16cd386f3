package duckdb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

var (
	datePattern      = regexp.MustCompile(`^\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\s*$`)
	timestampPattern = regexp.MustCompile(`^\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?\s*$`)
)

func (e *emitter) interval(x *tree.Interval) string {
	n, err := strconv.ParseInt(strings.TrimSpace(x.Value), 10, 32)
	if err != nil || x.To != "" {
		return e.no(x, "the interval '%s'", x.Value)
	}
	if x.Negative {
		n = -n
	}
	return "to_" + strings.ToLower(x.From) + "s(" + strconv.FormatInt(n, 10) + ")"
}

// timeArithmetic writes + and - of dates, timestamps and intervals.
func (e *emitter) timeArithmetic(x *tree.Binary, left, right types.Type) string {
	switch {
	case left.IsTime() && right.IsInterval():
		return e.shift(x, x.Left, x.Right)
	case left.IsInterval() && right.IsTime() && x.Op == tree.OpAdd:
		return e.shift(x, x.Right, x.Left)
	case left.Base == "date" && right.Base == "date" && x.Op == tree.OpSub:
		return "to_days(CAST(" + e.expr(x.Left) + " - " + e.expr(x.Right) + " AS INTEGER))"
	case left.Base == "timestamp" && right.Base == "timestamp" && x.Op == tree.OpSub:
		return e.infix(x)
	case left.IsInterval() && right.IsInterval() && left.Equal(right):
		return e.infix(x)
	case left.IsInterval() && right.IsInteger() && x.Op == tree.OpMul:
		return e.infix(x)
	case left.IsInteger() && right.IsInterval() && x.Op == tree.OpMul:
		return e.infix(x)
	}
	return e.no(x, "%s %s %s", orUnknown(left), x.Op, orUnknown(right))
}

// shift writes a point in time moved by an interval; a date stays a date.
func (e *emitter) shift(x *tree.Binary, point, by tree.Expr) string {
	text := "(" + e.expr(point) + " " + x.Op + " " + e.expr(by) + ")"
	switch e.typeOf(point).Base {
	case "date":
		ok := true
		tree.Walk(by, func(n tree.Node) bool {
			if i, is := n.(*tree.Interval); is && (i.From == "HOUR" || i.From == "MINUTE" || i.From == "SECOND") {
				ok = false
			}
			return true
		})
		if !ok {
			return e.no(x, "hours, minutes or seconds added to a date")
		}
		return "CAST(" + text + " AS DATE)"
	case "timestamp", "timestamp with time zone":
		return text
	}
	return e.no(x, "an interval added to %s", orUnknown(e.typeOf(point)))
}

func (e *emitter) extract(x *tree.Extract) string {
	t := e.typeOf(x.X)
	field := strings.ToLower(x.Field)
	m, ok := mappings()[field]
	if !ok {
		return e.no(x, "EXTRACT(%s)", x.Field)
	}
	for _, candidate := range m {
		if _, fits := candidate.fits([]types.Type{t}); fits {
			return candidate.fillTexts([]string{e.expr(x.X)})
		}
	}
	return e.no(x, "EXTRACT(%s FROM %s)", x.Field, orUnknown(t))
}

// unit returns the literal unit of date_trunc, date_add and date_diff.
func unit(x tree.Expr) string {
	if s, ok := x.(*tree.String); ok {
		return strings.ToLower(s.Value)
	}
	return ""
}

func (e *emitter) dateTrunc(c *tree.Call) string {
	u, t := unit(c.Args[0]), e.typeOf(c.Args[1])
	switch u {
	case "second", "minute", "hour":
		if t.Base == "date" {
			return e.no(c, "date_trunc('%s', date)", u)
		}
	case "day", "week", "month", "quarter", "year":
	default:
		return e.no(c, "date_trunc of this unit")
	}
	text := "date_trunc(" + printer.String(u) + ", " + e.expr(c.Args[1]) + ")"
	switch t.Base {
	case "date":
		return "CAST(" + text + " AS DATE)"
	case "timestamp", "timestamp with time zone":
		return text
	}
	return e.no(c, "date_trunc of %s", orUnknown(t))
}

func (e *emitter) dateAdd(c *tree.Call) string {
	u, n, t := unit(c.Args[0]), e.expr(c.Args[1]), e.typeOf(c.Args[2])
	if !e.typeOf(c.Args[1]).IsInteger() {
		return e.no(c, "date_add of %s", orUnknown(e.typeOf(c.Args[1])))
	}
	var interval string
	switch u {
	case "day", "month", "year":
		interval = "to_" + u + "s(CAST(" + n + " AS INTEGER))"
	case "week":
		interval = "to_days(CAST(7 * " + n + " AS INTEGER))"
	case "quarter":
		interval = "to_months(CAST(3 * " + n + " AS INTEGER))"
	case "hour", "minute", "second":
		interval = "to_" + u + "s(" + n + ")"
		if t.Base == "date" {
			return e.no(c, "date_add('%s', ..., date)", u)
		}
	default:
		return e.no(c, "date_add of this unit")
	}
	text := "(" + e.expr(c.Args[2]) + " + " + interval + ")"
	switch t.Base {
	case "date":
		return "CAST(" + text + " AS DATE)"
	case "timestamp", "timestamp with time zone":
		return text
	}
	return e.no(c, "date_add to %s", orUnknown(t))
}

// dateDiff counts whole units, as Presto does; DuckDB's date_diff counts borders.
func (e *emitter) dateDiff(c *tree.Call) string {
	u := unit(c.Args[0])
	a, b := e.typeOf(c.Args[1]), e.typeOf(c.Args[2])
	for _, t := range []types.Type{a, b} {
		switch t.Base {
		case "date", "timestamp", "timestamp with time zone":
		default:
			return e.no(c, "date_diff of %s", orUnknown(t))
		}
	}
	if a.Base != b.Base && (a.Base == "timestamp with time zone" || b.Base == "timestamp with time zone") {
		return e.no(c, "date_diff of %s and %s", a, b)
	}
	months := map[string]int{"month": 1, "quarter": 3, "year": 12}[u]
	millis := map[string]int64{"millisecond": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000}[u]
	switch {
	case months > 0:
		text := e.once(c, c.Args[1:], func(args []string) string {
			if a.Base != b.Base {
				return "presto_months(CAST(" + args[0] + " AS TIMESTAMP), CAST(" + args[1] + " AS TIMESTAMP))"
			}
			return "presto_months(" + args[0] + ", " + args[1] + ")"
		})
		return fmt.Sprintf("(%s // %d)", text, months)
	case a.Base == "date" && b.Base == "date" && (u == "day" || u == "week"):
		days := millis / 86_400_000
		return fmt.Sprintf("(date_diff('day', %s, %s) // %d)", e.expr(c.Args[1]), e.expr(c.Args[2]), days)
	case millis > 0:
		return fmt.Sprintf("((epoch_ms(%s) - epoch_ms(%s)) // %d)", e.expr(c.Args[2]), e.expr(c.Args[1]), millis)
	}
	return e.no(c, "date_diff of this unit")
}

// mysqlFormats maps the codes of date_format to DuckDB's.
func mysqlFormats() map[byte]string {
	return map[byte]string{
		'Y': "%Y", 'y': "%y", 'm': "%m", 'c': "%-m", 'd': "%d", 'e': "%-d", 'H': "%H", 'k': "%-H", 'h': "%I", 'I': "%I", 'l': "%-I",
		'i': "%M", 's': "%S", 'S': "%S", 'f': "%f", 'p': "%p", 'a': "%a", 'b': "%b", 'M': "%B", 'W': "%A", 'j': "%j",
		'T': "%H:%M:%S", 'r': "%I:%M:%S %p", '%': "%%",
	}
}

// format turns a literal MySQL format into DuckDB's.
func (e *emitter) format(x tree.Expr) string {
	s, ok := x.(*tree.String)
	if !ok {
		return e.no(x, "a date format that is no literal")
	}
	var b strings.Builder
	for i := 0; i < len(s.Value); i++ {
		if s.Value[i] != '%' {
			b.WriteByte(s.Value[i])
			continue
		}
		i++
		code := ""
		if i < len(s.Value) {
			code = mysqlFormats()[s.Value[i]]
		}
		if code == "" {
			return e.no(x, "the date format '%s'", s.Value)
		}
		b.WriteString(code)
	}
	return printer.String(b.String())
}

func (e *emitter) dateFormat(c *tree.Call) string {
	switch t := e.typeOf(c.Args[0]); t.Base {
	case "date", "timestamp", "timestamp with time zone":
		return "strftime(" + e.expr(c.Args[0]) + ", " + e.format(c.Args[1]) + ")"
	default:
		return e.no(c, "date_format of %s", orUnknown(t))
	}
}

func (e *emitter) dateParse(c *tree.Call) string {
	function := "strptime"
	if e.trying > 0 {
		function = "try_strptime"
	}
	return function + "(" + e.expr(c.Args[0]) + ", " + e.format(c.Args[1]) + ")"
}
