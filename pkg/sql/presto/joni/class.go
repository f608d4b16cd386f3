package joni

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

type set func(r rune) bool

func (s set) not() set { return func(r rune) bool { return !s(r) } }

// folded takes in characters that differ from one of the set in case only, where
// the pattern asks for it.
func (p *parser) folded(s set) set {
	if !p.flags.fold {
		return s
	}
	return func(r rune) bool {
		if s(r) {
			return true
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if s(f) {
				return true
			}
		}
		return false
	}
}

func isSpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isWord(r rune) bool {
	return r == '_' || isDigit(r) || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// escape reads what follows a backslash outside of a class.
func (p *parser) escape() (node, error) {
	if !p.more() {
		return nil, bad("end of the pattern at an escape")
	}
	r := p.rest[0]
	if s, ok, err := p.setEscape(); err != nil || ok {
		return &one{has: s}, err
	}
	switch {
	case r >= '1' && r <= '9':
		return p.numbered()
	case r == 'b', r == 'B', r == 'A', r == 'Z', r == 'z':
		p.rest = p.rest[1:]
		return map[rune]place{
			'b': wordEdge, 'B': func(text string, at int) bool { return !wordEdge(text, at) },
			'A': textBegin, 'Z': lastLineEnd, 'z': textEnd,
		}[r], nil
	case r == 'k':
		p.rest = p.rest[1:]
		if !p.take("<") {
			return nil, bad("invalid back reference")
		}
		name, err := p.name('>')
		if err != nil {
			return nil, err
		}
		if p.names[name] == 0 {
			return nil, bad("undefined name <%s> of a reference", name)
		}
		return &reference{group: p.names[name], fold: p.flags.fold}, nil
	case r == 'Q':
		p.rest = p.rest[1:]
		var out sequence
		for p.more() && !p.take(`\E`) {
			out = append(out, p.character(p.rest[0]))
			p.rest = p.rest[1:]
		}
		return &atomic{part: out}, nil
	}
	c, err := p.characterEscape()
	if err != nil {
		return nil, err
	}
	return p.character(c), nil
}

// numbered reads \1 to \9.
func (p *parser) numbered() (node, error) {
	n := int(p.rest[0] - '0')
	if len(p.rest) > 1 && isDigit(p.rest[1]) {
		return nil, unsupported("a back reference of two digits")
	}
	p.rest = p.rest[1:]
	p.highest = max(p.highest, n)
	return &reference{group: n, fold: p.flags.fold}, nil
}

// setEscape reads \d, \p{...} and their like.
func (p *parser) setEscape() (set, bool, error) {
	r := p.rest[0]
	var s set
	switch unicode.ToLower(r) {
	case 'd':
		s = isDigit
	case 'w':
		s = isWord
	case 's':
		s = isSpace
	case 'p':
		p.rest = p.rest[1:]
		s, err := p.property()
		if err == nil && r == 'P' {
			s = s.not()
		}
		return s, true, err
	default:
		return nil, false, nil
	}
	p.rest = p.rest[1:]
	if unicode.IsUpper(r) {
		s = s.not()
	}
	return s, true, nil
}

// characterEscape reads an escape that stands for one character.
func (p *parser) characterEscape() (rune, error) {
	r := p.rest[0]
	p.rest = p.rest[1:]
	if i := strings.IndexRune("tnrfae", r); i >= 0 {
		return []rune("\t\n\r\f\a\x1b")[i], nil
	}
	switch {
	case r == 'x':
		if p.take("{") {
			return p.braced()
		}
		return p.hex(2)
	case r == 'u':
		return p.hex(4)
	case isWord(r) && r != '_':
		return 0, unsupported(`the escape \%c`, r)
	}
	return r, nil
}

// braced reads a code point up to a closing brace.
func (p *parser) braced() (rune, error) {
	digits, _, ok := strings.Cut(string(p.rest[:min(len(p.rest), 10)]), "}")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil || n > unicode.MaxRune || n >= 0xD800 && n < 0xE000 {
		return 0, bad("invalid code point")
	}
	p.rest = p.rest[len(digits)+1:]
	return rune(n), nil
}

func (p *parser) hex(digits int) (rune, error) {
	if len(p.rest) < digits {
		return 0, bad("too short an escape")
	}
	n, err := strconv.ParseUint(string(p.rest[:digits]), 16, 32)
	if err != nil {
		return 0, bad("too short an escape")
	}
	if n >= 0xD800 && n < 0xE000 || digits == 2 && n > 0x7F {
		return 0, unsupported("an escape of half a character")
	}
	p.rest = p.rest[digits:]
	return rune(n), nil
}

// property reads {name} or one letter after \p.
func (p *parser) property() (set, error) {
	if !p.more() {
		return nil, bad("invalid character property name")
	}
	name := string(p.rest[0])
	if name == "{" {
		end := strings.IndexByte(string(p.rest), '}')
		if end < 0 || end > 40 {
			return nil, bad("invalid character property name")
		}
		name = string(p.rest[1:end])
		p.rest = p.rest[end+1:]
	} else {
		p.rest = p.rest[1:]
	}
	if p.flags.fold && slices.Contains([]string{"Lu", "Ll", "Lt", "upper", "lower", "Upper", "Lower"}, name) {
		return nil, unsupported("the property %s without case", name)
	}
	return propertyNamed(name)
}

func propertyNamed(name string) (set, error) {
	if t, ok := unicode.Categories[name]; ok {
		return func(r rune) bool { return unicode.Is(t, r) }, nil
	}
	if t, ok := unicode.Scripts[name]; ok {
		return func(r rune) bool { return unicode.Is(t, r) }, nil
	}
	if s, ok := posix(strings.ToLower(name)); ok {
		return s, nil
	}
	if strings.HasPrefix(name, "In") || strings.HasPrefix(name, "java") {
		return nil, unsupported("the property %s", name)
	}
	return nil, bad("invalid character property name <%s>", name)
}

// posix are the classes of POSIX, which know all scripts.
func posix(name string) (set, bool) {
	s, ok := map[string]set{
		"alpha": func(r rune) bool {
			return unicode.IsLetter(r) || unicode.Is(unicode.Other_Alphabetic, r) || unicode.Is(unicode.Nl, r)
		},
		"digit": unicode.IsDigit,
		"alnum": func(r rune) bool {
			return unicode.IsLetter(r) || unicode.Is(unicode.Other_Alphabetic, r) || unicode.Is(unicode.Nl, r) || unicode.IsDigit(r)
		},
		"upper":  func(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) },
		"lower":  func(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) },
		"space":  unicode.IsSpace,
		"punct":  unicode.IsPunct,
		"word":   wide,
		"ascii":  func(r rune) bool { return r < 0x80 },
		"xdigit": func(r rune) bool { return isDigit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' },
		"blank":  func(r rune) bool { return r == '\t' || unicode.Is(unicode.Zs, r) },
		"cntrl":  unicode.IsControl,
	}[name]
	return s, ok
}

// class reads a class up to its closing bracket.
func (p *parser) class(depth int) (set, error) {
	if depth > maxDepth {
		return nil, unsupported("more than %d classes in each other", maxDepth)
	}
	negate := p.take("^")
	var all []set // to be intersected
	var parts []set
	first := true
	for {
		if !p.more() {
			return nil, bad("premature end of a character class")
		}
		switch {
		case p.rest[0] == ']' && !first:
			p.rest = p.rest[1:]
			s := intersection(append(all, union(parts)))
			if negate {
				s = s.not()
			}
			return s, nil
		case p.take("&&"):
			all = append(all, union(parts))
			parts = nil
		default:
			s, err := p.member(depth)
			if err != nil {
				return nil, err
			}
			parts = append(parts, s)
		}
		first = false
	}
}

func union(parts []set) set {
	if len(parts) == 1 {
		return parts[0]
	}
	return func(r rune) bool {
		for _, s := range parts {
			if s(r) {
				return true
			}
		}
		return false
	}
}

func intersection(all []set) set {
	if len(all) == 1 {
		return all[0]
	}
	return func(r rune) bool {
		for _, s := range all {
			if !s(r) {
				return false
			}
		}
		return true
	}
}

// member reads a class in the class, a set, a range or a character.
func (p *parser) member(depth int) (set, error) {
	if p.rest[0] == '[' {
		if s, ok, err := p.posixClass(); ok || err != nil {
			return s, err
		}
		p.rest = p.rest[1:]
		return p.class(depth + 1)
	}
	low, s, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if s != nil {
		if len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != ']' {
			return nil, unsupported("a range that begins with a set")
		}
		return s, nil
	}
	if len(p.rest) < 2 || p.rest[0] != '-' || p.rest[1] == ']' {
		return p.folded(func(r rune) bool { return r == low }), nil
	}
	p.rest = p.rest[1:]
	if p.rest[0] == '[' || p.rest[0] == '&' {
		return nil, unsupported("a range that ends with this")
	}
	high, s, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if s != nil {
		return nil, unsupported("a range that ends with a set")
	}
	if high < low {
		return nil, bad("an empty range in a character class")
	}
	if len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != ']' {
		return nil, unsupported("a hyphen after a range")
	}
	return p.folded(func(r rune) bool { return r >= low && r <= high }), nil
}

// classAtom reads a character, or a set that an escape stands for.
func (p *parser) classAtom() (rune, set, error) {
	r := p.rest[0]
	p.rest = p.rest[1:]
	if r != '\\' {
		return r, nil, nil
	}
	if !p.more() {
		return 0, nil, bad("end of the pattern at an escape")
	}
	if p.rest[0] == 'b' {
		p.rest = p.rest[1:]
		return '\b', nil, nil
	}
	if s, ok, err := p.setEscape(); ok || err != nil {
		return 0, s, err
	}
	c, err := p.characterEscape()
	return c, nil, err
}

// posixClass reads [:name:].
func (p *parser) posixClass() (set, bool, error) {
	text := string(p.rest[:min(len(p.rest), 20)])
	rest, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return nil, false, nil
	}
	name, _, ok := strings.Cut(rest, ":]")
	if !ok {
		return nil, false, unsupported("[: in a class")
	}
	p.rest = p.rest[len([]rune(name))+4:]
	bare, negate := strings.CutPrefix(name, "^")
	s, known := posix(bare)
	if !known {
		return nil, true, unsupported("the class [:%s:]", name)
	}
	if negate {
		s = s.not()
	}
	return s, true, nil
}
