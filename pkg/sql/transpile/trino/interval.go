package trino

import (
	"strconv"
	"strings"
)

// quantity is a part of an interval: an amount as written, and a unit.
type quantity struct {
	amount, unit string
}

func (q quantity) text() string { return "INTERVAL '" + q.amount + "' " + q.unit }

// longer units than Presto has, and shorter ones, as multiples of its own.
var intervalUnits = map[string]struct {
	factor float64
	unit   string
}{
	"WEEK": {7, "DAY"}, "QUARTER": {3, "MONTH"}, "DECADE": {10, "YEAR"}, "CENTURY": {100, "YEAR"}, "MILLENNIUM": {1000, "YEAR"},
	"MILLISECOND": {1e-3, "SECOND"}, "MICROSECOND": {1e-6, "SECOND"}, "ISOWEEK": {7, "DAY"},
}

// ranges of MySQL: INTERVAL '1:30' HOUR_MINUTE.
var unitRanges = map[string]string{
	"DAY_HOUR": "DAY TO HOUR", "DAY_MINUTE": "DAY TO MINUTE", "DAY_SECOND": "DAY TO SECOND",
	"HOUR_MINUTE": "HOUR TO MINUTE", "HOUR_SECOND": "HOUR TO SECOND", "MINUTE_SECOND": "MINUTE TO SECOND", "YEAR_MONTH": "YEAR TO MONTH",
}

// scaled brings a quantity to a unit of Presto.
func scaled(amount, unit string) (quantity, bool) {
	longer, ok := intervalUnits[unit]
	if !ok {
		return quantity{amount, unit}, true
	}
	f, err := strconv.ParseFloat(amount, 64)
	if err != nil {
		return quantity{}, false
	}
	return quantity{strconv.FormatFloat(f*longer.factor, 'f', -1, 64), longer.unit}, true
}

// intervalRule writes INTERVAL 7 DAY, INTERVAL '7 days' and INTERVAL (n) DAY.
func (t *translator) intervalRule(n *node) bool {
	if parts, ok := t.intervalParts(n); ok && len(parts) > 0 {
		if t.isPrestoInterval(n) {
			return false
		}
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = p.text()
		}
		text := strings.Join(texts, " + ")
		if len(parts) > 1 {
			text = "(" + text + ")"
		}
		t.write(text, n.lo)
		t.change("interval", n.lo, n.hi, "Presto writes intervals as INTERVAL '7' DAY")
		return true
	}
	if n.unit[0] == n.unit[1] || t.tok(n.lo+1).kind == tokenString {
		return false
	}
	one, ok := scaled("1", unitOf(t.tok(n.unit[0]).text))
	if !ok || unitRanges[one.unit] != "" {
		return false
	}
	t.write("(", n.lo)
	if n.op == "-" {
		t.write("-", n.lo)
	}
	t.operand(n.kids[0])
	t.write(" * "+one.text()+")", n.lo)
	t.change("interval", n.lo, n.hi, "an interval of Presto is a literal: multiply it")
	return true
}

// isPrestoInterval reports INTERVAL '7' DAY.
func (t *translator) isPrestoInterval(n *node) bool {
	if t.tok(n.kids[0].lo).kind != tokenString || n.unit[1]-n.unit[0] != 1 {
		return n.unit[1]-n.unit[0] == 3
	}
	value, unit := t.tok(n.kids[0].lo).value, strings.ToUpper(t.tok(n.unit[0]).text)
	_, longer := intervalUnits[unit]
	return !longer && unitOf(unit) == unit && unitRanges[unit] == "" && strings.TrimLeft(value, "0123456789.+-") == ""
}

// intervalParts reads an interval whose amount is known.
func (t *translator) intervalParts(n *node) ([]quantity, bool) {
	amount := n.kids[0]
	if amount.kind != nodeLiteral || amount.hi != amount.lo+1 {
		return nil, false
	}
	value := strings.TrimSpace(t.tok(amount.lo).value)
	sign := strings.Trim(n.op, "+")
	if n.unit[1] > n.unit[0] {
		unit := unitOf(t.tok(n.unit[0]).text)
		if n.unit[1]-n.unit[0] == 3 {
			return []quantity{{sign + value, strings.ToUpper(unit + " TO " + t.tok(n.unit[1]-1).text)}}, true
		}
		if to, ok := unitRanges[unit]; ok {
			return []quantity{{sign + value, to}}, true
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return nil, false
		}
		q, ok := scaled(sign+value, unit)
		return []quantity{q}, ok
	}
	return parseInterval(value, sign)
}

// parseInterval reads '1 year 2 months', '-3 days' and '02:30:00'.
func parseInterval(value, sign string) ([]quantity, bool) {
	words := strings.Fields(spaced(value))
	var out []quantity
	for i := 0; i < len(words); i++ {
		word := words[i]
		if strings.Count(word, ":") == 2 {
			out = append(out, quantity{sign + word, "HOUR TO SECOND"})
			continue
		}
		if _, err := strconv.ParseFloat(word, 64); err != nil || i+1 == len(words) {
			return nil, false
		}
		i++
		unit := unitOf(words[i])
		q, ok := scaled(negated(word, sign), unit)
		if unit == "" || !ok {
			return nil, false
		}
		out = append(out, q)
	}
	return out, len(out) > 0
}

func negated(amount, sign string) string {
	if sign != "-" {
		return amount
	}
	if rest, ok := strings.CutPrefix(amount, "-"); ok {
		return rest
	}
	return "-" + amount
}

// spaced puts a blank between an amount and its unit, as in 7d or 1day.
func spaced(value string) string {
	var b strings.Builder
	for i := range len(value) {
		if i > 0 && isDigit(value[i-1]) && isLetter(rune(value[i])) {
			b.WriteByte(' ')
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
