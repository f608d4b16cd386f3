package types

import (
	"strconv"
	"strings"
)

// Parse reads Presto's text of a type. What cannot be read is Unknown. Default
// precisions are filled in: decimal is decimal(38,0), timestamp is timestamp(3).
func Parse(text string) Type {
	p := parser{rest: strings.ToLower(strings.TrimSpace(text))}
	t := p.parse()
	if strings.TrimSpace(p.rest) != "" || p.failed {
		return Unknown()
	}
	return t
}

type parser struct {
	rest   string
	failed bool
	depth  int
}

func (p *parser) parse() Type {
	if p.depth++; p.depth > 64 {
		p.failed = true
		return Unknown()
	}
	defer func() { p.depth-- }()
	for _, whole := range []string{"interval year to month", "interval day to second", "double precision"} {
		if rest, ok := strings.CutPrefix(p.rest, whole); ok {
			p.rest = rest
			return simple(strings.TrimSuffix(whole, " precision"))
		}
	}
	base := p.word()
	switch base {
	case "":
		p.failed = true
		return Unknown()
	case "int":
		base = "integer"
	case "array", "map", "row", "function":
		return p.container(base)
	case "string", "text":
		base = "varchar"
	}
	t := simple(base)
	args := p.numbers()
	switch base {
	case "decimal", "numeric", "dec":
		t.Base, t.Precision, t.Scale = "decimal", 38, 0
		if len(args) > 0 {
			t.Precision = args[0]
		}
		if len(args) > 1 {
			t.Scale = args[1]
		}
		return t
	case "timestamp", "time":
		t.Precision = 3
		p.skip()
		if rest, ok := strings.CutPrefix(p.rest, "with time zone"); ok {
			t.Base, p.rest = base+" with time zone", rest
		} else if rest, ok := strings.CutPrefix(p.rest, "without time zone"); ok {
			p.rest = rest
		}
	case "char":
		t.Precision = 1
	}
	if len(args) > 0 {
		t.Precision = args[0]
	}
	return t
}

func (p *parser) container(base string) Type {
	t := simple(base)
	closing := byte(')')
	p.skip()
	if p.rest == "" || p.rest[0] != '(' && p.rest[0] != '<' {
		p.failed = true
		return t
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
	if base == "array" && len(t.Args) != 1 || base == "map" && len(t.Args) != 2 {
		p.failed = true
	}
	return t
}

// fieldName reads "name " before a type; empty where the field has none.
func (p *parser) fieldName() string {
	p.skip()
	if strings.HasPrefix(p.rest, `"`) {
		if end := strings.IndexByte(p.rest[1:], '"'); end >= 0 {
			name := p.rest[1 : end+1]
			p.rest = p.rest[end+2:]
			p.skip()
			return name
		}
	}
	save := p.rest
	name := p.word()
	if !strings.HasPrefix(p.rest, " ") {
		p.rest = save
		return ""
	}
	p.skip()
	for _, phrase := range []string{"with ", "year to", "day to", "precision"} {
		if strings.HasPrefix(p.rest, phrase) {
			p.rest = save
			return ""
		}
	}
	return name
}

func (p *parser) numbers() []int {
	p.skip()
	if !strings.HasPrefix(p.rest, "(") {
		return nil
	}
	end := strings.IndexByte(p.rest, ')')
	if end < 0 {
		p.failed = true
		return nil
	}
	var out []int
	for _, part := range strings.Split(p.rest[1:end], ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			p.failed = true
			return nil
		}
		out = append(out, n)
	}
	p.rest = p.rest[end+1:]
	return out
}

func (p *parser) word() string {
	p.skip()
	i := 0
	for i < len(p.rest) && (p.rest[i] == '_' || p.rest[i] >= 'a' && p.rest[i] <= 'z' || p.rest[i] >= '0' && p.rest[i] <= '9') {
		i++
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " ") }
