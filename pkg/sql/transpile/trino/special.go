package trino

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// specialCall is the rule for a function that needs more than a template. The rule
// reports false to leave the call to functions.tsv.
func specialCall(name string) (func(*translator, *node) bool, bool) {
	switch name {
	case "cast", "try_cast", "convert", "try_convert", "safe_cast":
		return castCall, true
	case "extract", "date_part", "datepart":
		return extractCall, true
	case "group_concat", "string_agg", "wm_concat", "listagg":
		return joinCall, true
	case "array_agg", "count":
		return aggregateCall, true
	case "decode":
		return decodeCall, true
	case "percentile_cont", "percentile_disc", "mode":
		return quantileCall, true
	case "map":
		return mapCall, true
	case "date", "datetime":
		return modifiedDate, true
	case "concat":
		return concatCall, true
	case "array":
		return arrayQuery, true
	}
	return nil, false
}

// fields of EXTRACT that Presto has under another name, or by a function. %
// stands for the argument.
var extractFields = map[string]string{
	"EPOCH": "to_unixtime(%)", "ISODOW": "day_of_week(%)", "ISOYEAR": "year_of_week(%)", "ISOWEEK": "week(%)",
	"DAYOFYEAR": "day_of_year(%)", "DAYOFMONTH": "day(%)", "MILLENNIUM": "", "CENTURY": "", "DECADE": "CAST(floor(year(%) / 1E1) AS bigint)",
	"MILLISECOND": "(second(%) * 1000 + millisecond(%))", "MILLISECONDS": "(second(%) * 1000 + millisecond(%))",
	"DATE": "CAST(% AS date)", "TIME": "CAST(% AS time)", "WEEKDAY": "(day_of_week(%) - 1)", "MICROSECOND": "", "MICROSECONDS": "",
	"YEARS": "year(%)", "MONTHS": "month(%)", "DAYS": "day(%)", "HOURS": "hour(%)", "MINUTES": "minute(%)", "SECONDS": "second(%)",
}

// extractCall writes EXTRACT and date_part.
func extractCall(t *translator, n *node) bool {
	if len(n.args) != 2 {
		return false
	}
	field := strings.ToUpper(strings.Trim(t.textOf(n.args[0]), `'"`))
	x := n.args[1]
	template := extractFields[field]
	switch field {
	case "DOW":
		if t.dialect != DialectUnknown {
			template = "(day_of_week(%) % 7)"
		}
	case "DAYOFWEEK":
		template = "(day_of_week(%) % 7 + 1)"
		if t.dialect == DialectDuckDB {
			template = "(day_of_week(%) % 7)"
		}
	case "WEEK":
		if t.dialect == DialectBigQuery {
			t.warn("extract", n.lo, "a week begins on Sunday in BigQuery, on Monday in Presto")
		}
	}
	if x.kind == nodeParen && len(x.kids) == 1 {
		x = x.kids[0]
	}
	switch {
	case x.kind == nodeCall && x.op == "age" && len(x.args) == 2:
		return t.agePart(n, x, field)
	case template != "" && field == "EPOCH" && x.kind == nodeBinary && x.op == "-":
		template = "(to_milliseconds(%) / 1E3)"
	case template == "" && n.op != "extract":
		template = "extract(" + field + " FROM %)"
	case template == "":
		_, none := extractFields[field]
		if none {
			t.no(n.lo, "EXTRACT("+field+")")
		}
		return none
	}
	for i, part := range strings.Split(strings.ReplaceAll(template, " % ", "\x00"), "%") {
		if i > 0 {
			t.emit(x)
		}
		t.write(strings.ReplaceAll(part, "\x00", " % "), n.lo)
	}
	t.change("extract", n.lo, n.hi, field+" is no field of EXTRACT in Presto")
	return true
}

// agePart writes a part of age(a, b), which counts in years, months and days.
func (t *translator) agePart(n, age *node, field string) bool {
	unit, modulo := strings.ToLower(field), ""
	switch field {
	case "YEAR":
	case "MONTH":
		modulo = " % 12"
	default:
		t.no(n.lo, "EXTRACT("+field+" FROM AGE())")
		return true
	}
	t.write("(date_diff('"+unit+"', ", n.lo)
	t.emit(age.args[1])
	t.write(", ", n.lo)
	t.emit(age.args[0])
	t.write(")"+modulo+")", n.lo)
	t.change("extract", n.lo, n.hi, "Presto counts units between dates with date_diff")
	return true
}

// joinCall writes GROUP_CONCAT(DISTINCT x ORDER BY y SEPARATOR ';') and
// STRING_AGG(x, ';' ORDER BY y).
func joinCall(t *translator, n *node) bool {
	if len(n.args) == 0 || len(n.args) > 2 && n.op != "group_concat" || t.tok(t.callEnd(n)).is("WITHIN") {
		return false
	}
	var separator *node
	values := n.args
	var sorts []*node
	for _, k := range n.kids {
		switch {
		case k.kind == nodeSort:
			sorts = append(sorts, k)
		case n.unit[1] > 0 && k.hi == n.unit[1]:
			separator = k
		}
	}
	if separator == nil && len(values) == 2 && (t.dialect != DialectMySQL || n.op != "group_concat") {
		separator, values = values[1], values[:1]
	}
	t.write("array_join(array_agg(", n.lo)
	if n.distinct {
		t.write("DISTINCT ", n.lo)
	}
	if len(values) > 1 { // MySQL joins the arguments
		t.write("concat(", n.lo)
		t.list(values)
		t.write(")", n.lo)
	} else {
		t.emit(values[0])
	}
	for i, s := range sorts {
		t.write([]string{" ORDER BY ", ", "}[min(i, 1)], s.lo)
		t.emit(s)
	}
	closing := t.callEnd(n)
	t.write(")", n.lo)
	t.rest(n, closing) // FILTER, OVER
	t.write(", ", n.lo)
	if separator != nil {
		t.emit(separator)
	} else {
		t.write("','", n.lo)
	}
	t.write(")", n.lo)
	t.changeSpecial(n, n.op+" is not Presto")
	return true
}

// callEnd is the token behind the parenthesis that closes a call.
func (t *translator) callEnd(n *node) int {
	depth := 0
	for i := n.open; i < n.hi; i++ {
		switch {
		case t.tok(i).is("("):
			depth++
		case t.tok(i).is(")"):
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return n.hi
}

// rest writes what stands behind the arguments of a call.
func (t *translator) rest(n *node, lo int) {
	if lo >= n.hi {
		return
	}
	var kids []*node
	for _, k := range n.kids {
		if k.lo >= lo {
			kids = append(kids, k)
		}
	}
	t.gap(lo)
	t.splice(&node{lo: lo, hi: n.hi, kids: kids})
}

// aggregateCall writes array_agg(x IGNORE NULLS) and count(DISTINCT a, b).
func aggregateCall(t *translator, n *node) bool {
	if n.op != "count" || !n.distinct || len(n.args) < 2 {
		return false
	}
	t.write("count(DISTINCT CASE WHEN ", n.lo)
	for i, a := range n.args {
		if i > 0 {
			t.write(" AND ", n.lo)
		}
		t.operand(a)
		t.write(" IS NOT NULL", n.lo)
	}
	t.write(" THEN ROW(", n.lo)
	t.list(n.args)
	t.write(") END)", n.lo)
	t.rest(n, t.callEnd(n))
	t.changeSpecial(n, "Presto counts distinct values of one expression")
	return true
}

// decodeCall writes DECODE(x, a, 1, b, 2, 0), which takes NULL for equal to NULL.
func decodeCall(t *translator, n *node) bool {
	if len(n.args) < 3 {
		return false
	}
	t.write("CASE", n.lo)
	rest := n.args[1:]
	for len(rest) > 1 {
		t.write(" WHEN ", n.lo)
		t.operand(n.args[0])
		if t.tok(rest[0].lo).is("NULL") {
			t.write(" IS NULL", n.lo)
		} else {
			t.write(" = ", n.lo)
			t.operand(rest[0])
		}
		t.write(" THEN ", n.lo)
		t.emit(rest[1])
		rest = rest[2:]
	}
	if len(rest) == 1 {
		t.write(" ELSE ", n.lo)
		t.emit(rest[0])
	}
	t.write(" END", n.lo)
	t.changeSpecial(n, "decode is CASE in Presto")
	return true
}

// quantileCall writes percentile_cont(p) WITHIN GROUP (ORDER BY x).
func quantileCall(t *translator, n *node) bool {
	var order *node
	for _, k := range n.kids {
		for _, s := range k.kids {
			if s.kind == nodeSort && k.lo > n.open {
				order = s
			}
		}
	}
	if order == nil || !t.tok(t.callEnd(n)).is("WITHIN") || len(n.args) > 1 {
		return false
	}
	if n.op == "mode" || order.sort.desc || t.tok(n.hi-2).is("OVER") {
		t.no(n.lo, strings.ToUpper(n.op)+" WITHIN GROUP")
		return true
	}
	name := map[string]string{"percentile_cont": "quantile_cont", "percentile_disc": "quantile_disc"}[n.op]
	for _, r := range t.rules[name] {
		call := *n
		call.args = []*node{order.sort.expr, n.args[0]}
		t.fill(&call, r.template)
		t.changeSpecial(n, n.op+" is not Presto, which has approximate quantiles only: the values are sorted and picked")
		return true
	}
	return false
}

// mapCall writes Hive's map('a', 1, 'b', 2).
func mapCall(t *translator, n *node) bool {
	if t.dialect != DialectHive && t.dialect != DialectSpark || len(n.args) < 2 || len(n.args)%2 != 0 {
		return false
	}
	t.write("map(ARRAY[", n.lo)
	for start, between := 0, "], ARRAY["; start < 2; start, between = start+1, "])" {
		for i := start; i < len(n.args); i += 2 {
			if i > 1 {
				t.write(", ", n.lo)
			}
			t.emit(n.args[i])
		}
		t.write(between, n.lo)
	}
	t.changeSpecial(n, "map takes an array of keys and one of values in Presto")
	return true
}

// modifiedDate writes SQLite's date(x, '-7 days', 'start of month').
func modifiedDate(t *translator, n *node) bool {
	if t.dialect != DialectSQLite || len(n.args) < 2 {
		return false
	}
	base := func() {
		if text, ok := t.literal(n.args[0]); ok && strings.EqualFold(text, "now") {
			t.write(map[string]string{"date": "current_date", "datetime": "localtimestamp"}[n.op], n.lo)
			return
		}
		t.asType(n.args[0], map[string]string{"date": "date", "datetime": "timestamp"}[n.op], true)
	}
	before, after := "", ""
	for _, a := range n.args[1:] {
		text, ok := t.literal(a)
		if !ok {
			t.no(a.lo, n.op+" with a modifier that is no literal")
			return true
		}
		if unit, ok := strings.CutPrefix(strings.ToLower(text), "start of "); ok {
			before, after = "date_trunc("+printer.String(unit)+", "+before, after+")"
			continue
		}
		parts, ok := parseInterval(strings.TrimPrefix(text, "+"), "")
		if !ok {
			t.no(a.lo, n.op+" with the modifier "+printer.String(text))
			return true
		}
		before = "(" + before
		for _, p := range parts {
			after += " + " + p.text()
		}
		after += ")"
	}
	t.write(before, n.lo)
	base()
	t.write(after, n.lo)
	t.changeSpecial(n, n.op+" takes no modifiers in Presto")
	return true
}

// concatCall leaves concat of one argument to its argument.
func concatCall(t *translator, n *node) bool {
	if len(n.args) != 1 || t.dialect == DialectUnknown {
		return false
	}
	t.write("CAST(", n.lo)
	t.emit(n.args[0])
	t.write(" AS varchar)", n.lo)
	t.changeSpecial(n, "concat takes two arguments or more in Presto")
	return true
}

// arrayQuery writes ARRAY(SELECT x ...).
func arrayQuery(t *translator, n *node) bool {
	if len(n.args) != 1 || n.args[0].kind != nodeQuery {
		return false
	}
	name := t.name("element")
	t.write("(SELECT coalesce(array_agg("+name+"), ARRAY[]) FROM (", n.lo)
	t.emit(n.args[0])
	t.write(") AS "+t.name("elements")+" ("+name+"))", n.lo)
	t.change("array", n.lo, n.hi, "Presto makes an array of a query with array_agg")
	return true
}
