package trino

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

//go:embed functions.tsv
var functionsFile string

// functionRule is a line of functions.tsv.
type functionRule struct {
	dialects []string
	name     string
	shapes   []string
	more     bool // any number of arguments behind the last shape
	foreign  bool // no call of Presto looks like that
	rename   string
	template []segment
	no       string // the construct that has no equivalent
	warning  string
	filters  bool // the template has FILTER, which no window has
}

// functionRules are the rules by lower-case name, in order.
type functionRules map[string][]functionRule

// segment of a template: a text, or an argument.
type segment struct {
	text string
	arg  int // from 1; argAll, argRest; 0: a text
	mod  string
	bare bool // stands alone between parentheses and commas
}

const (
	argAll  = -1
	argRest = -2
)

var functionTable = sync.OnceValues(func() (functionRules, error) {
	table := functionRules{}
	n := 0
	for line := range strings.Lines(functionsFile) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) < 4 {
			return nil, fmt.Errorf("functions.tsv:%d: a line has dialects, name, arguments and Presto", n)
		}
		r := functionRule{dialects: strings.Split(cells[0], ","), name: cells[1]}
		shapes, foreign := strings.CutPrefix(cells[2], "!")
		shapes, more := strings.CutSuffix(shapes, "...")
		r.foreign, r.more = foreign, more
		for _, s := range strings.Split(shapes, ",") {
			if s = strings.TrimSpace(s); s != "" {
				r.shapes = append(r.shapes, s)
			}
		}
		if construct, ok := strings.CutPrefix(cells[3], "!"); ok {
			r.no = construct
		} else if !strings.ContainsAny(cells[3], "$(") && len(r.shapes) > 0 && !strings.HasPrefix(cells[3], "current_") && !strings.HasPrefix(cells[3], "local") {
			r.rename = cells[3]
		} else {
			r.template, r.filters = segments(cells[3]), strings.Contains(cells[3], " FILTER (")
		}
		if len(cells) > 4 {
			r.warning = cells[4]
		}
		table[r.name] = append(table[r.name], r)
	}
	return table, nil
})

// modifiers of an argument in a template.
var modifiers = []string{".unit", ".field", ".format", ".joda", ".date", ".time", ".double", ".plain", ".groups", ".raw"}

func segments(template string) []segment {
	var out []segment
	start := 0
	for i := 0; i < len(template); i++ {
		if template[i] != '$' {
			continue
		}
		var s segment
		var length int
		switch rest := template[i+1:]; {
		case strings.HasPrefix(rest, "*"):
			s.arg, length = argAll, 2
		case strings.HasPrefix(rest, "rest"):
			s.arg, length = argRest, 5
		case rest != "" && isDigit(rest[0]):
			s.arg, length = int(rest[0]-'0'), 2
		default:
			continue
		}
		for _, m := range modifiers {
			if strings.HasPrefix(template[i+length:], m) {
				s.mod, length = m[1:], length+len(m)
				break
			}
		}
		before, after := strings.TrimRight(template[:i], " "), template[i+length:]
		opened := strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "[")
		s.bare = opened && (after == "" || strings.ContainsRune("),]", rune(after[0])) || strings.HasPrefix(after, " AS "))
		out = append(out, segment{text: template[start:i]}, s)
		start = i + length
		i = start - 1
	}
	return append(out, segment{text: template[start:]})
}

// callRule writes a call of a function that Presto does not have, or has with
// other arguments.
func (t *translator) callRule(n *node) bool {
	if rule, ok := specialCall(n.op); ok && rule(t, n) {
		return true
	}
	rule := t.functionRule(n)
	if rule == nil {
		return false
	}
	message := n.op + " is not Presto"
	if rule.warning != "" {
		t.warn("function", n.lo, rule.warning)
	}
	switch {
	case rule.no != "":
		t.no(n.lo, rule.no)
	case rule.filters && t.windowed(n):
		t.no(n.lo, n.op+" with OVER")
	case rule.rename != "":
		if rule.rename == n.op {
			return false
		}
		t.write(rule.rename, n.lo)
		t.changeCall(n, n.lo, n.open, message, rule)
		t.splice(&node{lo: n.open, hi: n.hi, kids: n.kids})
	default:
		t.fill(n, rule.template)
		t.changeCall(n, n.lo, n.hi, message, rule)
		t.rest(n, t.callEnd(n)) // FILTER, OVER
	}
	return true
}

// changeCall notes what became of a call.
func (t *translator) changeCall(n *node, lo, hi int, message string, rule *functionRule) {
	t.change("function", lo, hi, message)
	var of []string
	for _, d := range rule.dialects {
		if d != "*" && d != "-" {
			of = append(of, d)
		}
	}
	last := &t.changes[len(t.changes)-1]
	last.Name, last.Dialect = n.op, strings.Join(of, ", ")
}

// changeSpecial notes what became of a call that needed more than a template.
func (t *translator) changeSpecial(n *node, message string) {
	t.changeCall(n, n.lo, n.hi, message, &functionRule{})
}

// functionRule is the first rule for a call; nil where it stays.
func (t *translator) functionRule(n *node) *functionRule {
	rules := t.rules[n.op]
	if t.dialect != DialectUnknown {
		for i, r := range rules {
			if (slices.Contains(r.dialects, string(t.dialect)) || slices.Contains(r.dialects, "*")) && t.fits(&rules[i], n) {
				return &rules[i]
			}
		}
		return nil
	}
	_, ours := resolve.FunctionKind(n.op)
	var best *functionRule
	votes := 0.0
	for i, r := range rules {
		if slices.Contains(r.dialects, "-") && (!ours || r.foreign) && t.fits(&rules[i], n) {
			return &rules[i]
		}
	}
	for i, r := range rules {
		if ours && !r.foreign || !t.fits(&rules[i], n) {
			continue
		}
		if slices.Contains(r.dialects, "*") {
			if best == nil {
				return &rules[i]
			}
			return best
		}
		v := 1.0
		for _, d := range r.dialects {
			v = max(v, 1+t.votes[Dialect(d)])
		}
		if v > votes {
			best, votes = &rules[i], v
		}
	}
	return best
}

func (t *translator) fits(r *functionRule, n *node) bool {
	if len(n.args) != len(r.shapes) && !(r.more && len(n.args) >= len(r.shapes)) {
		return false
	}
	for i, shape := range r.shapes {
		if !t.hasShape(n.args[i], shape) {
			return false
		}
	}
	return true
}

// hasShape reports whether an argument looks as a rule wants it.
func (t *translator) hasShape(n *node, shape string) bool {
	text, isText := t.literal(n)
	switch shape {
	case "any":
		return n.hi > n.lo
	case "string":
		return isText
	case "number":
		tok := t.tok(n.hi - 1)
		return tok.kind == tokenNumber && (n.kind == nodeLiteral || n.kind == nodePrefix)
	case "unit":
		return t.unitWord(n) != ""
	case "whole":
		u := t.unitWord(n)
		return u == "DAY" || u == "HOUR" || u == "MINUTE" || u == "SECOND"
	case "ustring":
		return isText && unitOf(text) != ""
	case "interval":
		return n.kind == nodeInterval
	case "grouped":
		return isText && hasGroup(text)
	case "plain":
		_, ok := plainPattern(text)
		return isText && ok
	case "anchored":
		return isText && anchored(text)
	case "datefmt":
		return isText && !strings.ContainsAny(strings.NewReplacer("%H", "\x00", "%i", "\x00", "%s", "\x00", "%S", "\x00", "%T", "\x00", "%k", "\x00", "%h", "\x00", "%f", "\x00", "%r", "\x00").Replace(text), "\x00")
	}
	if quoted, ok := strings.CutPrefix(shape, "'"); ok {
		return isText && strings.EqualFold(text, strings.TrimSuffix(quoted, "'"))
	}
	return strings.EqualFold(strings.ReplaceAll(t.textOf(n), " ", ""), shape)
}

// unitWord is the unit that an argument names without quotes; empty for others.
func (t *translator) unitWord(n *node) string {
	if n.kind != nodeName || n.hi != n.lo+1 || t.tok(n.lo).kind != tokenWord {
		return ""
	}
	return unitOf(t.tok(n.lo).text)
}

// fill writes a template with the arguments of a call.
func (t *translator) fill(n *node, template []segment) {
	for _, s := range template {
		switch {
		case s.arg == 0:
			t.write(s.text, n.lo)
		case s.arg == argAll:
			t.list(n.args)
		case s.arg == argRest:
			t.list(n.args[1:])
		case s.arg <= len(n.args):
			t.argument(n, n.args[s.arg-1], s)
		}
	}
}

// argument writes one argument as a template wants it.
func (t *translator) argument(call, x *node, s segment) {
	text, isText := t.literal(x)
	switch s.mod {
	case "unit":
		t.write("'"+strings.ToLower(strings.TrimPrefix(t.unitWord(x), "ISO"))+"'", x.lo)
	case "field":
		t.write(strings.ToUpper(text), x.lo)
	case "format":
		t.format(x, text, patternLanguage(call.op))
	case "joda":
		t.format(x, text, "java")
	case "date":
		t.asType(x, "date", isText)
	case "time":
		t.asType(x, "timestamp", isText)
	case "double":
		t.asDouble(x)
	case "plain":
		plain, _ := plainPattern(text)
		t.write(printer.String(plain), x.lo)
	case "groups":
		t.write(printer.String(dollarGroups(text)), x.lo)
	case "raw":
		if !isText {
			text = t.textOf(x)
		}
		t.write(strings.ReplaceAll(text, "'", "''"), x.lo)
	default:
		if s.bare {
			t.emit(x)
		} else {
			t.operand(x)
		}
	}
}

// asType writes x as a date or timestamp: a literal with the type's name, what
// shows to be one as it is, all else in a cast.
func (t *translator) asType(x *node, typ string, isText bool) {
	text, _ := t.literal(x)
	name, padded, isTime := timeLiteral(text)
	switch {
	case isText && isTime && (name == "DATE" || typ == "timestamp"):
		t.write(name+" "+printer.String(padded), x.lo)
	case x.kind == nodeLiteral && (x.op == "DATE" || x.op == "TIMESTAMP" && typ == "timestamp"), t.tok(x.lo).is("CURRENT_DATE"),
		x.kind == nodeCall && typ == "date" && slices.Contains([]string{"date", "curdate", "to_date", "last_day"}, x.op),
		x.kind == nodeCall && typ == "timestamp" && x.op == "date":
		t.emit(x)
	default:
		t.write("CAST(", x.lo)
		t.emit(x)
		t.write(" AS "+typ+")", x.lo)
	}
}

// asDouble writes x as a double.
func (t *translator) asDouble(x *node) {
	if digits, ok := t.whole(x); ok {
		t.write(digits+"E0", x.lo)
		return
	}
	t.write("CAST(", x.lo)
	t.emit(x)
	t.write(" AS double)", x.lo)
}

// vote counts which dialects' functions and signs a text of an unknown dialect has.
func (t *translator) vote(root *node) {
	if t.dialect != DialectUnknown {
		return
	}
	t.votes = map[Dialect]float64{}
	root.walk(func(n *node) bool {
		switch {
		case n.kind == nodeCast:
			t.votes[DialectPostgreSQL]++
			t.votes[DialectDuckDB] += 0.5
		case n.kind == nodeCall:
			for i, r := range t.rules[n.op] {
				if r.dialects[0] == "*" || !t.fits(&t.rules[n.op][i], n) {
					continue
				}
				for _, d := range r.dialects {
					t.votes[Dialect(d)] += 1 / float64(len(r.dialects))
				}
			}
		}
		return true
	})
	for _, tok := range t.tokens {
		if tok.kind == tokenName {
			t.votes[DialectMySQL] += 0.2
			t.votes[DialectHive] += 0.1
			t.votes[DialectBigQuery] += 0.1
		}
	}
}
