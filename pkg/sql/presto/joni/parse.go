package joni

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// flags that a pattern can set for what follows in its group.
type flags struct{ fold, lines, dots, spaces bool }

type parser struct {
	rest    []rune
	flags   flags
	groups  int
	highest int // group that is referred to
	folds   bool
	names   map[string]int
}

func (p *parser) more() bool { return len(p.rest) > 0 }

func (p *parser) take(s string) bool {
	if strings.HasPrefix(string(p.rest[:min(len(p.rest), len(s))]), s) {
		p.rest = p.rest[len([]rune(s)):]
		return true
	}
	return false
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPattern, fmt.Sprintf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// alternation reads up to a closing parenthesis or the end.
func (p *parser) alternation(depth int) (node, error) {
	if depth > maxDepth {
		return nil, unsupported("more than %d groups in each other", maxDepth)
	}
	saved := p.flags
	defer func() { p.flags = saved }()
	var parts choice
	for {
		part, err := p.sequence(depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if !p.take("|") {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

func (p *parser) sequence(depth int) (node, error) {
	var out sequence
	for p.more() && p.rest[0] != '|' && p.rest[0] != ')' {
		if p.flags.spaces && p.skipSpace() {
			continue
		}
		part, err := p.atom(depth)
		if err != nil {
			return nil, err
		}
		if part == nil { // flags or a comment
			continue
		}
		if part, err = p.quantified(part); err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

// skipSpace skips white space and comments of (?x).
func (p *parser) skipSpace() bool {
	switch {
	case strings.ContainsRune(" \t\n\r\f\v", p.rest[0]):
		p.rest = p.rest[1:]
	case p.rest[0] == '#':
		for p.more() && p.rest[0] != '\n' {
			p.rest = p.rest[1:]
		}
	default:
		return false
	}
	return true
}

// quantified reads *, +, ?, {n,m} with ? for lazy and + for possessive.
func (p *parser) quantified(part node) (node, error) {
	first := true
	for p.more() {
		least, most := 0, -1
		switch {
		case p.take("*"):
		case p.take("+"):
			least = 1
		case p.take("?"):
			most = 1
		case p.rest[0] == '{':
			var ok bool
			var err error
			if least, most, ok, err = p.bounds(); err != nil {
				return nil, err
			} else if !ok {
				return part, nil
			}
		default:
			return part, nil
		}
		if !first {
			return nil, unsupported("a repetition of a repetition")
		}
		first = false
		if p, ok := part.(place); ok && p != nil {
			return nil, unsupported("a repetition of a place")
		}
		if _, ok := part.(*look); ok {
			return nil, unsupported("a repetition of a look around")
		}
		r := &repeat{part: part, least: least, most: most}
		part = r
		switch {
		case p.take("?"):
			r.lazy = true
		case p.take("+"):
			part = &atomic{part: r}
		}
	}
	return part, nil
}

// bounds reads {n}, {n,} or {n,m}; anything else is text.
func (p *parser) bounds() (least, most int, ok bool, err error) {
	end := -1
	for i, r := range p.rest {
		if r == '}' {
			end = i
			break
		}
		if i > 0 && r != ',' && (r < '0' || r > '9') {
			return 0, 0, false, nil
		}
	}
	if end < 0 {
		return 0, 0, false, nil
	}
	low, high, comma := strings.Cut(string(p.rest[1:end]), ",")
	if low == "" {
		return 0, 0, false, nil
	}
	if least, err = strconv.Atoi(low); err != nil || strings.Contains(high, ",") {
		return 0, 0, false, nil //nolint:nilerr // then it is text
	}
	most = least
	if comma {
		most = -1
		if high != "" {
			if most, err = strconv.Atoi(high); err != nil {
				return 0, 0, false, bad("too big a number of repetitions")
			}
		}
	}
	if most >= 0 && most < least {
		return 0, 0, false, bad("the upper bound of a repetition is smaller than the lower one")
	}
	if least > maxRepeat || most > maxRepeat {
		return 0, 0, false, unsupported("more than %d repetitions", maxRepeat)
	}
	p.rest = p.rest[end+1:]
	return least, most, true, nil
}

func (p *parser) atom(depth int) (node, error) {
	r := p.rest[0]
	p.rest = p.rest[1:]
	switch r {
	case '.':
		if p.flags.dots {
			return &one{has: func(rune) bool { return true }}, nil
		}
		return &one{has: func(r rune) bool { return r != '\n' }}, nil
	case '^':
		if p.flags.lines {
			return place(lineBegin), nil
		}
		return place(textBegin), nil
	case '$':
		if p.flags.lines {
			return place(lineEnd), nil
		}
		return place(lastLineEnd), nil
	case '(':
		return p.group(depth)
	case '[':
		set, err := p.class(depth)
		if err != nil {
			return nil, err
		}
		return &one{has: set}, nil
	case '\\':
		return p.escape()
	case '*', '+', '?':
		return nil, bad("there is nothing to repeat")
	}
	return p.character(r), nil
}

func (p *parser) character(want rune) node {
	return &one{has: p.folded(func(r rune) bool { return r == want })}
}

func (p *parser) group(depth int) (node, error) {
	if !p.take("?") {
		return p.capturing(depth, "")
	}
	wrap := func(n node) node { return n }
	switch {
	case p.take("#"):
		for p.more() && !p.take(")") {
			p.rest = p.rest[1:]
		}
		return nil, nil
	case p.take(":"):
	case p.take(">"):
		wrap = func(n node) node { return &atomic{part: n} }
	case p.take("="):
		wrap = func(n node) node { return &look{part: n} }
	case p.take("!"):
		wrap = func(n node) node { return &look{part: n, negate: true} }
	case p.take("<="):
		return p.behind(depth, false)
	case p.take("<!"):
		return p.behind(depth, true)
	case p.take("<"):
		name, err := p.name('>')
		if err != nil {
			return nil, err
		}
		return p.capturing(depth, name)
	default:
		return p.inlineFlags(depth)
	}
	part, err := p.inside(depth)
	if err != nil {
		return nil, err
	}
	return wrap(part), nil
}

// inside reads up to the closing parenthesis of a group.
func (p *parser) inside(depth int) (node, error) {
	part, err := p.alternation(depth + 1)
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, bad("end of the pattern with an unmatched parenthesis")
	}
	return part, nil
}

func (p *parser) capturing(depth int, name string) (node, error) {
	p.groups++
	group := p.groups
	if name != "" {
		if p.names[name] > 0 {
			return nil, unsupported("two groups of one name")
		}
		p.names[name] = group
	}
	part, err := p.inside(depth)
	if err != nil {
		return nil, err
	}
	return &capture{part: part, group: group}, nil
}

func (p *parser) behind(depth int, negate bool) (node, error) {
	before := p.groups
	part, err := p.inside(depth)
	if err != nil {
		return nil, err
	}
	if negate && p.groups > before {
		return nil, bad("a group in a negative look behind")
	}
	widths, ok := widthsOf(part, true)
	if !ok {
		return nil, bad("invalid pattern in a look behind")
	}
	return &look{part: part, behind: true, negate: negate, widths: widths}, nil
}

// widthsOf returns how many characters a part takes. Only the alternatives of the
// look behind itself may differ.
func widthsOf(n node, top bool) ([]int, bool) {
	switch n := n.(type) {
	case *one:
		return []int{1}, true
	case place, *look:
		return []int{0}, true
	case sequence:
		total := 0
		for _, part := range n {
			w, ok := widthsOf(part, false)
			if !ok {
				return nil, false
			}
			total += w[0]
		}
		return []int{total}, true
	case choice:
		var all []int
		for _, part := range n {
			w, ok := widthsOf(part, false)
			if !ok || !top && len(all) > 0 && w[0] != all[0] {
				return nil, false
			}
			all = append(all, w...)
		}
		return all, true
	case *capture:
		return widthsOf(n.part, false)
	case *atomic:
		return widthsOf(n.part, false)
	case *repeat:
		w, ok := widthsOf(n.part, false)
		if !ok || n.least != n.most {
			return nil, false
		}
		return []int{w[0] * n.least}, true
	}
	return nil, false
}

// inlineFlags reads (?i), (?i-s) and (?i:...).
func (p *parser) inlineFlags(depth int) (node, error) {
	set := p.flags
	on := true
	for p.more() {
		r := p.rest[0]
		p.rest = p.rest[1:]
		switch r {
		case '-':
			on = false
		case 'i':
			set.fold = on
			p.folds = true
		case 'm':
			set.lines = on
		case 's':
			set.dots = on
		case 'x':
			set.spaces = on
		case ')':
			p.flags = set // to the end of the group
			return nil, nil
		case ':':
			saved := p.flags
			p.flags = set
			part, err := p.inside(depth)
			p.flags = saved
			return part, err
		default:
			return nil, bad("undefined group option")
		}
	}
	return nil, bad("end of the pattern in a group")
}

// name reads up to a character.
func (p *parser) name(end rune) (string, error) {
	for i, r := range p.rest {
		if r == end {
			name := string(p.rest[:i])
			p.rest = p.rest[i+1:]
			if name == "" || unicode.IsDigit([]rune(name)[0]) {
				return "", bad("invalid group name <%s>", name)
			}
			return name, nil
		}
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
	}
	return "", bad("invalid group name")
}
