package trino

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed types.tsv
var typesFile string

type typeRule struct {
	dialects []string
	to       string
}

// typeTable is types.tsv by name.
var typeTable = sync.OnceValue(func() map[string][]typeRule {
	table := map[string][]typeRule{}
	for line := range strings.Lines(typesFile) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		table[cells[1]] = append(table[cells[1]], typeRule{strings.Split(cells[0], ","), cells[2]})
	}
	return table
})

// typeRule writes a type in Presto's words.
func (t *translator) typeRule(n *node) bool {
	text, ok := t.typeText(n.lo, n.hi)
	blank := strings.NewReplacer(" ", "", "\n", "", "\t", "")
	if !ok || strings.EqualFold(blank.Replace(text), blank.Replace(t.textOf(n))) {
		return false
	}
	t.write(text, n.lo)
	t.change("type", n.lo, n.hi, "the type is "+text+" in Presto")
	return true
}

// typeText is Presto's text of the type in tokens [lo, hi).
func (t *translator) typeText(lo, hi int) (string, bool) {
	for hi-lo > 2 && t.tok(hi-2).is("[") && t.tok(hi-1).is("]") { // int[]
		element, ok := t.typeText(lo, hi-2)
		return "array(" + element + ")", ok
	}
	var words []string
	i := lo
	for ; i < hi && t.tok(i).kind != tokenMark; i++ {
		words = append(words, strings.ToLower(t.tok(i).text))
	}
	name := strings.Join(words, " ")
	switch {
	case i < hi && t.tok(i).is("<"):
		return t.nestedType(name, i+1, hi-1)
	case i < hi && t.tok(i).is("("):
		arguments, zone := "", ""
		for ; i < hi; i++ {
			switch tok := t.tok(i); {
			case tok.is("WITH"), tok.is("WITHOUT"):
				for ; i < hi; i++ {
					zone += " " + strings.ToLower(t.tok(i).text)
				}
			case tok.kind == tokenWord && strings.EqualFold(tok.text, "unsigned"):
			default:
				arguments += tok.text
			}
		}
		if slices.Contains([]string{"int", "integer", "tinyint", "smallint", "bigint", "mediumint", "double", "double precision", "float", "real", "date"}, name) {
			arguments = "" // the width that MySQL shows
		}
		to := t.typeName(name, arguments)
		if strings.Contains(to, "(") {
			return to, true
		}
		return to + arguments + strings.ReplaceAll(zone, " without time zone", ""), true
	}
	name = strings.TrimSuffix(name, " without time zone")
	name = strings.Replace(name, "with local time zone", "with time zone", 1)
	return t.typeName(name, ""), true
}

func (t *translator) typeName(name, arguments string) string {
	keys := []string{name}
	if arguments == "" {
		keys = []string{name + "()", name}
	}
	for _, key := range keys {
		for _, r := range typeTable()[key] {
			mine := string(t.dialect)
			if t.dialect == DialectUnknown {
				mine = "-"
			}
			if slices.Contains(r.dialects, mine) || slices.Contains(r.dialects, "*") {
				return r.to
			}
		}
	}
	return name
}

// nestedType reads the inside of ARRAY<...>, MAP<...> and STRUCT<...>.
func (t *translator) nestedType(name string, lo, hi int) (string, bool) {
	var parts []string
	depth, start := 0, lo
	add := func(end int) bool {
		field := ""
		if name == "struct" {
			field = strings.ToLower(t.tok(start).text) + " "
			if start++; t.tok(start).is(":") {
				start++
			}
		}
		text, ok := t.typeText(start, end)
		parts = append(parts, field+text)
		start = end + 1
		return ok && end > start-2
	}
	for i := lo; i < hi; i++ {
		switch tok := t.tok(i); {
		case tok.is("<"), tok.is("("):
			depth++
		case tok.is(">"), tok.is(")"):
			depth--
		case tok.is(","):
			if depth == 0 && !add(i) {
				return "", false
			}
		}
	}
	if start >= hi || !add(hi) {
		return "", false
	}
	if name == "struct" {
		name = "row"
	}
	return name + "(" + strings.Join(parts, ", ") + ")", name == "row" || name == "array" || name == "map"
}

// castOperator writes x::type.
func (t *translator) castOperator(n *node) bool {
	if len(n.kids) != 2 {
		return false
	}
	if text, ok := t.literal(n.kids[0]); ok && t.tok(n.kids[1].lo).is("interval") {
		if parts, ok := parseInterval(text, ""); ok && len(parts) == 1 {
			t.write(parts[0].text(), n.lo)
			t.change("interval", n.lo, n.hi, "Presto writes intervals as INTERVAL '7' DAY")
			return true
		}
	}
	t.write("CAST(", n.lo)
	t.emit(n.kids[0])
	t.write(" AS ", n.kids[1].lo)
	t.emit(n.kids[1])
	t.write(")", n.kids[1].lo)
	t.change("cast_operator", n.lo, n.hi, ":: is CAST in Presto")
	return true
}

// castCall writes CONVERT, SAFE_CAST and CASTs to types that are none.
func castCall(t *translator, n *node) bool {
	if len(n.args) != 2 || n.args[1].kind != nodeType {
		if n.op == "convert" && len(n.args) == 1 { // CONVERT(x USING utf8)
			t.emit(n.args[0])
			t.change("convert", n.lo, n.hi, "texts have one encoding in Presto")
			return true
		}
		return false
	}
	x, typ := n.args[0], n.args[1]
	if n.op == "convert" && t.tok(x.hi).is(",") || n.op == "try_convert" || n.op == "safe_cast" {
		name := "CAST"
		if n.op != "convert" {
			name = "TRY_CAST"
		}
		t.write(name+"(", n.lo)
		t.emit(x)
		t.write(" AS ", typ.lo)
		t.emit(typ)
		t.write(")", typ.lo)
		t.change("convert", n.lo, n.hi, strings.ToUpper(n.op)+" is "+name+" in Presto")
		return true
	}
	return false
}
