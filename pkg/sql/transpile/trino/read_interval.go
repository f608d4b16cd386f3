package trino

import (
	"strings"
)

// units of intervals and of date functions, singular.
var units = map[string]bool{
	"MICROSECOND": true, "MILLISECOND": true, "SECOND": true, "MINUTE": true, "HOUR": true, "DAY": true, "WEEK": true,
	"MONTH": true, "QUARTER": true, "YEAR": true, "DECADE": true, "CENTURY": true, "MILLENNIUM": true,
	"ISOWEEK": true, "ISOYEAR": true, "DAYOFWEEK": true, "DAYOFYEAR": true,
	"DAY_HOUR": true, "DAY_MINUTE": true, "DAY_SECOND": true, "HOUR_MINUTE": true, "HOUR_SECOND": true, "MINUTE_SECOND": true, "YEAR_MONTH": true,
}

// unitOf reads a unit in any number and case; empty for other words.
func unitOf(text string) string {
	text = strings.ToUpper(text)
	if units[text] {
		return text
	}
	if short, ok := strings.CutSuffix(text, "S"); ok && units[short] {
		return short
	}
	switch text {
	case "MON", "MONS":
		return "MONTH"
	case "SEC", "SECS":
		return "SECOND"
	case "MIN", "MINS":
		return "MINUTE"
	case "HR", "HRS":
		return "HOUR"
	case "YR", "YRS":
		return "YEAR"
	case "CENTURIES":
		return "CENTURY"
	}
	return ""
}

// interval reads INTERVAL 7 DAY, INTERVAL '7' DAY, INTERVAL '7 days' and
// INTERVAL (n) DAY; nil for a column of that name.
func (r *reader) interval() *node {
	n := &node{kind: nodeInterval, lo: r.i}
	start := r.i
	r.i++
	if r.peek().is("-") || r.peek().is("+") {
		n.op = r.peek().text
		r.i++
	}
	var amount *node
	if next := r.peek(); r.startsOperand(r.i) && !next.is("AS") {
		amount = r.expr(powerAdd)
	}
	if amount == nil {
		r.i = start
		return nil
	}
	n.add(amount)
	n.unit = [2]int{r.i, r.i}
	switch {
	case r.peek().kind == tokenWord && unitOf(r.peek().text) != "":
		r.i++
		if r.peek().is("TO") && unitOf(r.at(r.i+1).text) != "" {
			r.i += 2
		}
		n.unit[1] = r.i
	case amount.kind != nodeLiteral || r.at(amount.lo).kind == tokenNumber || amount.hi != r.i:
		r.i = start
		return nil
	}
	n.hi = r.i
	return n
}
