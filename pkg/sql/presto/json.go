package presto

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonValue is a JSON value. Numbers keep their text.
type jsonValue struct {
	kind    jsonKind
	text    string // of a number or a string
	items   []jsonValue
	members []jsonMember
}

type jsonMember struct {
	key   string
	value jsonValue
}

type jsonKind int

const (
	jsonNull jsonKind = iota
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// maxJSONDepth is how deep values may be in each other, as in Trino.
const maxJSONDepth = 1000

// jsonReader reads a text from its beginning. What comes after the value that is
// asked for is not looked at, so that a text that breaks off later still has it,
// as in Trino.
type jsonReader struct {
	s      string
	at     int
	depth  int
	broken bool // half a pair of surrogates was met: no text of an engine holds it
}

func (r *jsonReader) space() {
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.at]) >= 0 {
		r.at++
	}
}

// peek returns the next byte that is no white space; 0 at the end.
func (r *jsonReader) peek() byte {
	r.space()
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

func (r *jsonReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) value() (v jsonValue, ok bool) {
	if r.depth++; r.depth > maxJSONDepth {
		return v, false
	}
	defer func() { r.depth-- }()
	switch c := r.peek(); {
	case c == '{':
		v.kind = jsonObject
		ok = r.object(func(key string) bool {
			item, ok := r.value()
			v.members = append(v.members, jsonMember{key, item})
			return ok
		})
	case c == '[':
		v.kind = jsonArray
		ok = r.array(func() bool {
			item, ok := r.value()
			v.items = append(v.items, item)
			return ok
		})
	case c == '"':
		v.kind = jsonString
		v.text, ok = r.string()
	case c == '-' || isDigit(c):
		v.kind = jsonNumber
		v.text, ok = r.number()
	default:
		for kind, word := range map[jsonKind]string{jsonNull: "null", jsonTrue: "true", jsonFalse: "false"} {
			if strings.HasPrefix(r.s[r.at:], word) && !r.wordGoesOn(len(word)) {
				r.at += len(word)
				return jsonValue{kind: kind}, true
			}
		}
	}
	return v, ok
}

func (r *jsonReader) wordGoesOn(n int) bool {
	if r.at+n >= len(r.s) {
		return false
	}
	c := r.s[r.at+n]
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// object calls member before each value.
func (r *jsonReader) object(member func(key string) bool) bool {
	r.at++
	if r.take('}') {
		return true
	}
	for {
		if r.peek() != '"' {
			return false
		}
		key, ok := r.string()
		if !ok || !r.take(':') || !member(key) {
			return false
		}
		if r.take('}') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// array calls item before each value.
func (r *jsonReader) array(item func() bool) bool {
	r.at++
	if r.take(']') {
		return true
	}
	for {
		if !item() {
			return false
		}
		if r.take(']') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

func (r *jsonReader) number() (string, bool) {
	start := r.at
	if r.s[r.at] == '-' {
		r.at++
	}
	run := func() int {
		from := r.at
		for r.at < len(r.s) && isDigit(r.s[r.at]) {
			r.at++
		}
		return r.at - from
	}
	first := r.at
	if n := run(); n == 0 || n > 1 && r.s[first] == '0' {
		return "", false
	}
	if r.at < len(r.s) && r.s[r.at] == '.' {
		if r.at++; run() == 0 {
			return "", false
		}
	}
	if r.at < len(r.s) && (r.s[r.at] == 'e' || r.s[r.at] == 'E') {
		r.at++
		if r.at < len(r.s) && (r.s[r.at] == '+' || r.s[r.at] == '-') {
			r.at++
		}
		if run() == 0 {
			return "", false
		}
	}
	if r.wordGoesOn(0) || r.at-start > 1000 {
		return "", false
	}
	return r.s[start:r.at], true
}

// string reads a text.
func (r *jsonReader) string() (string, bool) {
	r.at++
	var b strings.Builder
	for r.at < len(r.s) {
		c := r.s[r.at]
		switch {
		case c == '"':
			r.at++
			return b.String(), true
		case c < 0x20:
			return "", false
		case c != '\\':
			b.WriteByte(c)
			r.at++
			continue
		}
		if r.at+1 >= len(r.s) {
			return "", false
		}
		escape := r.s[r.at+1]
		r.at += 2
		if i := strings.IndexByte(`"\/bfnrt`, escape); i >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[i])
			continue
		}
		unit, ok := r.hex(escape)
		if !ok {
			return "", false
		}
		if utf16.IsSurrogate(unit) && strings.HasPrefix(r.s[r.at:], `\u`) {
			save := r.at
			r.at += 2
			if low, ok := r.hex('u'); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
				b.WriteRune(utf16.DecodeRune(unit, low))
				continue
			}
			r.at = save
		}
		if utf16.IsSurrogate(unit) {
			r.broken = true
			return "", false
		}
		b.WriteRune(unit)
	}
	return "", false
}

func (r *jsonReader) hex(escape byte) (rune, bool) {
	if escape != 'u' || r.at+4 > len(r.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.s[r.at:r.at+4], 16, 16)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(n), true
}

// parseJSON reads a text that is one value and nothing else.
func parseJSON(s string) (jsonValue, bool) {
	r := &jsonReader{s: s}
	v, ok := r.value()
	return v, ok && r.peek() == 0 && r.at == len(r.s)
}

// errBroken refuses what Trino keeps in JSON and the engine cannot.
var errBroken = &Error{"NOT_SUPPORTED", "half a pair of surrogates in JSON is not supported on the embedded engine"}

// write appends Trino's text of a value: numbers with a fraction or an exponent as
// Java writes doubles, whole ones as they are.
func (v jsonValue) write(b *strings.Builder) {
	switch v.kind {
	case jsonNull, jsonMissing:
		b.WriteString("null")
	case jsonVerbatim:
		b.WriteString(v.text)
	case jsonFalse:
		b.WriteString("false")
	case jsonTrue:
		b.WriteString("true")
	case jsonNumber:
		b.WriteString(numberText(v.text))
	case jsonString:
		writeJSONString(b, v.text)
	case jsonArray:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case jsonObject:
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, m.key)
			b.WriteByte(':')
			m.value.write(b)
		}
		b.WriteByte('}')
	}
}

func (v jsonValue) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func isWhole(number string) bool { return !strings.ContainsAny(number, ".eE") }

func numberText(text string) string {
	if isWhole(text) {
		if strings.Trim(text, "-0") == "" {
			return "0"
		}
		return text
	}
	x, _ := strconv.ParseFloat(text, 64) // out of range gives an infinity, as in Java
	return doubleJSON(x)
}

func doubleJSON(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return `"` + DoubleText(x) + `"`
	}
	return javaDouble(x)
}

// writeJSONString escapes what Trino escapes: characters beyond the basic plane
// too.
func writeJSONString(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	unit := func(r rune) {
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(digits[r>>shift&15])
		}
	}
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[i])
		case r < 0x20:
			unit(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			unit(high)
			unit(low)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// sorted orders the members of all objects by their keys; of members with one key
// the last one stays.
func (v jsonValue) sorted() jsonValue {
	switch v.kind {
	case jsonArray:
		items := make([]jsonValue, len(v.items))
		for i, item := range v.items {
			items[i] = item.sorted()
		}
		v.items = items
	case jsonObject:
		members := make([]jsonMember, 0, len(v.members))
		last := make(map[string]int, len(v.members))
		for i, m := range v.members {
			last[m.key] = i
		}
		for i, m := range v.members {
			if last[m.key] == i {
				members = append(members, jsonMember{m.key, m.value.sorted()})
			}
		}
		slices.SortFunc(members, func(a, b jsonMember) int { return compareUTF16(a.key, b.key) })
		v.members = members
	}
	return v
}

// compareUTF16 compares texts by their UTF-16 units, as Java does.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}
