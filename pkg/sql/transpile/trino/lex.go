package trino

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

type tokenKind int

const (
	tokenWord   tokenKind = iota // a name or a keyword
	tokenNumber                  // 12, 1.5, 1e3, 0x1f
	tokenString                  // a text
	tokenBytes                   // X'00'
	tokenName                    // a name in quotes
	tokenDouble                  // "x", a name or a text: see double_quotes
	tokenMark                    // operators and punctuation
)

// token is a piece of SQL that means something; blanks and comments are none.
type token struct {
	kind       tokenKind
	start, end int
	text       string // as written; a sign of another keyboard as ours
	value      string // without quotes and escapes
}

// is compares a word or a mark without case.
func (t token) is(text string) bool {
	return (t.kind == tokenWord || t.kind == tokenMark) && strings.EqualFold(t.text, text)
}

// name reports whether the token can be a name.
func (t token) name() bool {
	return t.kind == tokenWord || t.kind == tokenName || t.kind == tokenDouble
}

// marks of more than one character, longest first.
var longMarks = []string{
	"!~~*", "<=>", "~~*", "!~~", "!~*", "->>", "#>>", "::", "==", "&&", "||", "<>", "!=", "<=", ">=", "->", "=>",
	"~~", "~*", "!~", "@>", "<@", "#>", "//", "<<", ">>", ":=", "**", "^@",
}

// lexer reads any text: what is no SQL comes out as marks.
type lexer struct {
	text string
	traits
	tokens []token
	// foreign are comments that Presto would read as something else, by start.
	foreign map[int]int
}

func (l *lexer) scan() {
	for i := 0; i < len(l.text); {
		end := l.comment(i)
		if end == i {
			end = l.next(i)
		}
		i = end
	}
}

// comment returns the end of the blanks or the comment at i; i where there is none.
func (l *lexer) comment(i int) int {
	rest := l.text[i:]
	if r, size := utf8.DecodeRuneInString(rest); unicode.IsSpace(r) {
		return i + size
	}
	switch {
	case strings.HasPrefix(rest, "--") && !(l.LooseDashes && len(rest) > 2 && rest[2] > ' '):
		return i + until(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		return i + until(rest, "*/")
	case rest[0] == '#' && l.HashComment && !strings.HasPrefix(rest, "#>"):
		end := i + until(rest, "\n")
		l.foreign[i] = end
		return end
	}
	return i
}

// next reads the token at i and returns its end.
func (l *lexer) next(i int) int {
	rest := l.text[i:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\'' || r == '"' && l.DoubleQuotes == "string" || r == '"':
		return l.quoted(i, i, false, l.Backslash)
	case r == '`':
		return l.delimited(i, '`')
	case r == '[' && (l.Brackets && l.bracketName(i) || l.bracketWords(i)):
		return l.delimited(i, ']')
	case r == '$':
		if end, ok := l.dollar(i); ok {
			return end
		}
	case r >= '0' && r <= '9', r == '.' && len(rest) > 1 && isDigit(rest[1]) && !l.afterName():
		return l.number(i)
	case isLetter(r):
		return l.word(i)
	}
	for _, mark := range longMarks {
		if strings.HasPrefix(rest, mark) {
			return l.add(tokenMark, i, i+len(mark), "")
		}
	}
	return l.add(tokenMark, i, i+size, "")
}

// wideMarks are signs of another keyboard.
var wideMarks = map[string]string{
	"，": ",", "（": "(", "）": ")", "；": ";", "＝": "=", "＞": ">", "＜": "<", "＊": "*",
}

func (l *lexer) add(kind tokenKind, start, end int, value string) int {
	t := token{kind: kind, start: start, end: end, text: l.text[start:end], value: value}
	if mark, ok := wideMarks[t.text]; ok && kind == tokenMark {
		t.text = mark
	}
	l.tokens = append(l.tokens, t)
	return end
}

// afterName reports whether a point here would join names, as in t.1.
func (l *lexer) afterName() bool {
	n := len(l.tokens)
	if n == 0 {
		return false
	}
	last := l.tokens[n-1]
	return last.name() || last.is(")") || last.is("]")
}

// word reads a word, or the string that it is the prefix of: E”, r”, X”, N”.
func (l *lexer) word(i int) int {
	end := i + span(l.text[i:], func(r rune) bool { return isLetter(r) || unicode.IsDigit(r) || r == '$' })
	if strings.EqualFold(l.text[i:end], "u") && strings.HasPrefix(l.text[end:], "&'") {
		stop := end + 1 + quotedLength(l.text[end+1:], '\'', false)
		return l.add(tokenString, i, stop, l.text[end+2:max(end+2, stop-1)])
	}
	if end < len(l.text) && (l.text[end] == '\'' || l.text[end] == '"' && l.DoubleQuotes == "string") {
		switch strings.ToLower(l.text[i:end]) {
		case "e":
			return l.quoted(i, end, false, true)
		case "r":
			return l.quoted(i, end, true, false)
		case "n", "_utf8", "_utf8mb4":
			return l.quoted(i, end, false, l.Backslash)
		case "x":
			return l.add(tokenBytes, i, end+quotedLength(l.text[end:], l.text[end], false), "")
		}
	}
	return l.add(tokenWord, i, end, l.text[i:end])
}

// quoted reads a string, or a name, whose quote is at open.
func (l *lexer) quoted(start, open int, raw, backslash bool) int {
	quote := l.text[open]
	if l.TripleQuotes && strings.HasPrefix(l.text[open:], strings.Repeat(string(quote), 3)) {
		body := l.text[open+3:]
		length := strings.Index(body, strings.Repeat(string(quote), 3))
		if length >= 0 {
			value := body[:length]
			if !raw {
				value = unescape(value)
			}
			return l.add(tokenString, start, open+3+length+3, value)
		}
	}
	end := open + quotedLength(l.text[open:], quote, backslash || raw)
	value := l.text[open+1 : max(open+1, end-1)]
	if !raw {
		if backslash {
			value = unescape(value)
		}
		value = strings.ReplaceAll(value, string([]byte{quote, quote}), string(quote))
	}
	kind := tokenString
	if quote == '"' && start == open {
		kind = tokenDouble
	}
	return l.add(kind, start, end, value)
}

func (l *lexer) delimited(i int, closing byte) int {
	end := i + quotedLength(l.text[i:], closing, false)
	value := strings.ReplaceAll(l.text[i+1:max(i+1, end-1)], string([]byte{closing, closing}), string(closing))
	return l.add(tokenName, i, end, value)
}

// bracketName tells [a name] from an index or an array.
func (l *lexer) bracketName(i int) bool {
	end := strings.IndexByte(l.text[i:], ']')
	return end > 1 && isLetter(rune(l.text[i+1])) && !strings.ContainsAny(l.text[i:i+end], "',")
}

// bracketWords tells [a name] of several words, which is no array in any dialect.
func (l *lexer) bracketWords(i int) bool {
	end := strings.IndexByte(l.text[i:], ']')
	if end < 0 || !l.bracketName(i) {
		return false
	}
	words := parser.Words(l.text[i+1 : i+end])
	return len(words) > 1 && !slices.ContainsFunc(words, func(w parser.Word) bool { return w.Kind != parser.WordName })
}

// dollar reads $$text$$ and $tag$text$tag$.
func (l *lexer) dollar(i int) (int, bool) {
	second := strings.IndexByte(l.text[i+1:], '$')
	if second < 0 || span(l.text[i+1:], isLetter) < second {
		return 0, false
	}
	tag := l.text[i : i+second+2]
	length := strings.Index(l.text[i+len(tag):], tag)
	if length < 0 {
		return 0, false
	}
	end := i + len(tag) + length + len(tag)
	return l.add(tokenString, i, end, l.text[i+len(tag):i+len(tag)+length]), true
}

// number reads a number with the suffix that Hive and Spark give it: 1L, 2BD.
func (l *lexer) number(i int) int {
	rest := l.text[i:]
	if strings.HasPrefix(rest, "0x") || strings.HasPrefix(rest, "0X") {
		end := i + 2 + span(rest[2:], func(r rune) bool { return unicode.Is(unicode.ASCII_Hex_Digit, r) })
		return l.add(tokenNumber, i, end, l.text[i:end])
	}
	n := digits(rest)
	if n < len(rest) && rest[n] == '.' {
		n += 1 + digits(rest[n+1:])
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '+' || rest[m] == '-') {
			m++
		}
		if d := digits(rest[m:]); d > 0 {
			n = m + d
		}
	}
	value := strings.ReplaceAll(rest[:n], "_", "")
	n += span(rest[n:], isLetter)
	return l.add(tokenNumber, i, i+n, value)
}

func digits(s string) int {
	return span(s, func(r rune) bool { return r >= '0' && r <= '9' || r == '_' })
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '@' }

// until is the length of s up to and with stop, or all of it.
func until(s, stop string) int {
	if n := strings.Index(s, stop); n >= 0 {
		return n + len(stop)
	}
	return len(s)
}

// quotedLength is the length of a quoted piece, in which a doubled quote, and
// with backslash an escaped one, is a quote.
func quotedLength(s string, quote byte, backslash bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

func span(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

// escapes of a backslash; \% and \_ stay for LIKE.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", '0': "\x00", 'Z': "\x1a", '%': `\%`, '_': `\_`,
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if text, ok := escapes[s[i]]; ok {
			b.WriteString(text)
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
