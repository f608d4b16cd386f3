package parser

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// number reads a numeric literal; a minus in front of it is an operator.
func (p *reader) number() tree.Expr {
	from := p.at
	negative := p.accept(tMinus)
	at := p.at
	if !p.isNumber(0) {
		p.fail()
		return nil
	}
	p.at++
	n := &tree.Number{Meta: p.since(at), Text: p.textSince(at)}
	if p.tokens[at].kind == tIntegerValue {
		n.Text = p.integer(from, n.Text, negative)
	} else {
		n.Text = strings.ReplaceAll(n.Text, "_", "")
	}
	if negative {
		return &tree.Unary{Meta: p.since(from), Op: "-", X: n}
	}
	return n
}

// integer returns the decimal form of an integer literal. The smallest bigint has
// no positive twin.
func (p *reader) integer(from int, text string, negative bool) string {
	if len(text) < 18 && plainDigits(text) && !(len(text) > 1 && text[0] == '0' && isLetter(text[1])) {
		return text
	}
	text = strings.ReplaceAll(text, "_", "")
	base := 10
	if len(text) > 1 && text[0] == '0' && isLetter(text[1]) {
		base = map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
	}
	digits := text
	if base != 10 {
		digits = text[2:]
	}
	value, ok := new(big.Int).SetString(digits, base)
	limit := new(big.Int).SetUint64(1 << 63)
	if !ok || value.Cmp(limit) > 0 || value.Cmp(limit) == 0 && !negative {
		p.wrong(from, "the number "+text+" is larger than a bigint: write it as DECIMAL '"+text+"'")
		return text
	}
	if base == 10 {
		return text
	}
	return value.String()
}

func (p *reader) str() *tree.String {
	from := p.at
	s := &tree.String{}
	switch {
	case p.accept(tString):
		s.Value = unquote(p.textSince(from), "'")
	case p.accept(tUnicodeString):
		raw, escape := unquote(p.textSince(from)[2:], "'"), `\`
		if p.accept(tUescape) {
			at := p.at
			if !p.accept(tString) {
				p.fail()
				return s
			}
			escape = unquote(p.textSince(at), "'")
		}
		value, ok := unescape(raw, escape)
		if !ok {
			p.wrong(from, "the unicode literal has a wrong escape: write \\XXXX or \\+XXXXXX")
		}
		s.Value = value
	default:
		p.fail()
	}
	s.Meta = p.since(from)
	return s
}

// unescape reads the escapes of U&'...': \XXXX, \+XXXXXX and \\.
func unescape(s, escape string) (string, bool) {
	esc, size := utf8.DecodeRuneInString(escape)
	if size != len(escape) || size == 0 || strings.ContainsRune("+'\" ", esc) || unicode.Is(unicode.ASCII_Hex_Digit, esc) {
		return "", false
	}
	var b strings.Builder
	for s != "" {
		i := strings.Index(s, escape)
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i+size:]
		digits := 4
		switch {
		case strings.HasPrefix(s, escape):
			b.WriteString(escape)
			s = s[size:]
			continue
		case strings.HasPrefix(s, "+"):
			digits, s = 6, s[1:]
		}
		if len(s) < digits {
			return "", false
		}
		code, err := strconv.ParseUint(s[:digits], 16, 32)
		if err != nil || code > unicode.MaxRune || !utf8.ValidRune(rune(code)) {
			return "", false
		}
		b.WriteRune(rune(code))
		s = s[digits:]
	}
	b.WriteString(s)
	return b.String(), true
}

// binary reads X'...'.
func (p *reader) binary() tree.Expr {
	from := p.at
	p.expect(tBinaryLiteral)
	text := p.textSince(from)
	hex := strings.ToUpper(strings.Join(strings.Fields(text[2:len(text)-1]), ""))
	if len(hex)%2 != 0 || strings.Trim(hex, "0123456789ABCDEF") != "" {
		p.wrong(from, "a binary literal holds pairs of hexadecimal digits")
	}
	return &tree.Bytes{Meta: p.since(from), Hex: hex}
}

// intervalFollows tells an interval from a column of that name, or a literal of a
// type of that name: it ends with a field.
func (p *reader) intervalFollows() bool {
	n := 1
	if k := p.ahead(n); k == tPlus || k == tMinus {
		n++
	}
	switch p.ahead(n) {
	case tString:
		n++
	case tUnicodeString:
		if n++; p.ahead(n) == tUescape {
			n += 2
		}
	default:
		return false
	}
	return isIntervalField(p.ahead(n))
}

func isIntervalField(k kind) bool {
	switch k {
	case tYear, tMonth, tDay, tHour, tMinute, tSecond:
		return true
	}
	return false
}

func (p *reader) interval() *tree.Interval {
	from := p.at
	p.expect(tInterval)
	i := &tree.Interval{Negative: p.accept(tMinus)}
	if !i.Negative {
		p.accept(tPlus)
	}
	i.Value = p.str().Value
	i.From, i.To = p.intervalFields()
	i.Meta = p.since(from)
	return i
}

// intervalFields reads a field, and TO with another where it is there.
func (p *reader) intervalFields() (from, to string) {
	from = p.oneOf(tYear, tMonth, tDay, tHour, tMinute, tSecond)
	if p.peek() == tTo && isIntervalField(p.ahead(1)) {
		p.at++
		to = p.word()
	}
	return from, to
}
