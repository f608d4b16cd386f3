package types

import (
	"strconv"
	"strings"
)

// Parse reads a type of a catalog: Presto's text of it, or a name that other
// engines have for it. What cannot be read is Unknown. Default precisions are
// filled in: decimal is decimal(38,0), timestamp is timestamp(3).
func Parse(text string) Type {
	if base := plain(text); base != "" { // nearly all columns, without work
		return simple(base)
	}
	p := parser{rest: strings.TrimSpace(text), lenient: true}
	t := p.parse()
	if strings.TrimSpace(p.rest) != "" || p.failed {
		return Unknown()
	}
	return t
}

// Read reads a type as a statement names it. ok is false where Presto has no such
// type.
func Read(text string) (t Type, ok bool) {
	if base := plain(text); base != "" {
		return simple(base), true
	}
	p := parser{rest: strings.TrimSpace(text)}
	t = p.parse()
	if strings.TrimSpace(p.rest) != "" || p.failed {
		return Unknown(), false
	}
	return t, true
}

// plain returns the text where it is one of the most frequent types, which have no
// parameters.
func plain(text string) string {
	switch text {
	case "bigint", "integer", "smallint", "tinyint", "double", "real", "boolean", "varchar", "date", "varbinary", "json", "uuid":
		return text
	}
	return ""
}

// isBase reports the names of types without parameters.
func isBase(base string) bool {
	if plain(base) != "" {
		return true
	}
	switch base {
	case "ipaddress", "hyperloglog", "p4hyperloglog", "setdigest", "tdigest", "color", "joniregexp", "re2jregexp", "jsonpath", "codepoints",
		"geometry", "sphericalgeography", "bingtile", "kdbtree", "model", "regressor", "json2016", "unknown":
		return true
	}
	return false
}

type parser struct {
	rest    string
	lenient bool
	failed  bool
	depth   int
}

func (p *parser) fail() Type {
	p.failed = true
	return Unknown()
}

func (p *parser) parse() Type {
	if p.depth++; p.depth > 64 {
		return p.fail()
	}
	defer func() { p.depth-- }()
	for _, whole := range []string{"interval year to month", "interval day to second", "double precision"} {
		if p.take(whole) {
			return simple(strings.TrimSuffix(whole, " precision"))
		}
	}
	base := strings.ToLower(p.word())
	switch base {
	case "":
		return p.fail()
	case "array", "map", "row", "function", "qdigest", "classifier":
		return p.container(base)
	case "int":
		base = "integer"
	}
	if p.lenient {
		base = foreign(base)
	}
	args, ok := p.numbers()
	if !ok {
		return p.fail()
	}
	return p.scalar(base, args)
}

// foreign returns Presto's name for a type that other engines call base.
func foreign(base string) string {
	switch base {
	case "string", "text":
		return "varchar"
	case "numeric", "dec":
		return "decimal"
	}
	return base
}

// scalar returns the type of a base with numbers behind it.
func (p *parser) scalar(base string, args []int) Type {
	t := simple(base)
	switch base {
	case "decimal":
		t.Precision = MaxDecimal
		if len(args) > 1 {
			t.Scale = args[1]
		}
	case "timestamp", "time":
		t.Precision = 3
		p.skip()
		if p.take("with time zone") {
			t.Base = base + " with time zone"
		} else {
			p.take("without time zone")
		}
	case "char":
		t.Precision = 1
	case "varchar":
	default:
		if len(args) > 0 || !isBase(base) && !p.lenient {
			return p.fail()
		}
		return t
	}
	if len(args) > 0 {
		t.Precision = args[0]
	}
	if !p.lenient && !inBounds(t, len(args)) {
		return p.fail()
	}
	return t
}

// inBounds reports whether a type has as many parameters as it can, and none that
// is too large. A decimal's are checked where it is used.
func inBounds(t Type, args int) bool {
	switch t.Base {
	case "decimal":
		return args <= 2
	case "varchar":
		return args <= 1
	case "char":
		return args <= 1 && t.Precision <= MaxChar
	}
	return args <= 1 && t.Precision <= 12
}

func (p *parser) container(base string) Type {
	t := simple(base)
	closing := byte(')')
	p.skip()
	if p.rest == "" || p.rest[0] != '(' && p.rest[0] != '<' {
		return p.fail()
	}
	if p.rest[0] == '<' {
		closing = '>'
	}
	p.rest = p.rest[1:]
	for !p.failed {
		name := ""
		if base == "row" {
			name = p.fieldName()
		}
		t.Args = append(t.Args, p.parse())
		t.Names = append(t.Names, name)
		p.skip()
		if p.rest == "" || p.rest[0] != ',' && p.rest[0] != closing {
			p.failed = true
			break
		}
		last := p.rest[0] == closing
		p.rest = p.rest[1:]
		if last {
			break
		}
		p.skip()
	}
	if base != "row" {
		t.Names = nil
	}
	if base == "map" && len(t.Args) != 2 || (base == "array" || base == "qdigest" || base == "classifier") && len(t.Args) != 1 {
		p.failed = true
	}
	return t
}

// fieldName reads "name " before a type; empty where the field has none.
func (p *parser) fieldName() string {
	p.skip()
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	save := p.rest
	name := p.word()
	if !strings.HasPrefix(p.rest, " ") {
		p.rest = save
		return ""
	}
	p.skip()
	for _, phrase := range []string{"with ", "year to", "day to", "precision"} {
		if p.ahead(phrase) {
			p.rest = save
			return ""
		}
	}
	return name
}

// quoted reads a name in double quotes, and the blanks behind it.
func (p *parser) quoted() string {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch {
		case p.rest[i] != '"':
			b.WriteByte(p.rest[i])
		case i+1 < len(p.rest) && p.rest[i+1] == '"':
			b.WriteByte('"')
			i++
		default:
			p.rest = p.rest[i+1:]
			p.skip()
			return b.String()
		}
	}
	p.failed = true
	return ""
}

// numbers reads the parameters of a type, if there are any.
func (p *parser) numbers() (args []int, ok bool) {
	p.skip()
	if !strings.HasPrefix(p.rest, "(") {
		return nil, true
	}
	end := strings.IndexByte(p.rest, ')')
	if end < 0 {
		return nil, false
	}
	for part := range strings.SplitSeq(p.rest[1:end], ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, false
		}
		args = append(args, n)
	}
	p.rest = p.rest[end+1:]
	return args, true
}

func (p *parser) word() string {
	p.skip()
	i := 0
	for i < len(p.rest) && isWord(p.rest[i]) {
		i++
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// ahead reports whether phrase, in lower case, comes next.
func (p *parser) ahead(phrase string) bool {
	return len(p.rest) >= len(phrase) && strings.EqualFold(p.rest[:len(phrase)], phrase)
}

func (p *parser) take(phrase string) bool {
	if !p.ahead(phrase) {
		return false
	}
	p.rest = p.rest[len(phrase):]
	return true
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " ") }
