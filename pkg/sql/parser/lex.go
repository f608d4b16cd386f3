package parser

import "strings"

// kind is the kind of a token: the grammar's number of it, or one of ours for
// what the grammar does not know.
type kind uint16

// Kinds that the grammar lacks.
const (
	kAuto          kind = 1000 + iota // GROUP BY AUTO
	kCorresponding                    // UNION CORRESPONDING
	kDollarString                     // $$...$$
	kEnd                              // the end of the text
)

// token is a word or sign of the text; blanks and comments are left out.
type token struct {
	kind       kind
	start, end int // byte offsets
}

// lex splits a text into tokens, the last of them kEnd. It cannot fail: what no
// rule knows is a token of the kind UNRECOGNIZED, one character long.
func lex(text string, w *work) []token {
	l := lexer{text: text, work: w, words: vocabulary(), tokens: make([]token, 0, len(text)/5+8)}
	for l.at < len(text) {
		l.next()
	}
	return append(l.tokens, token{kEnd, len(text), len(text)})
}

type lexer struct {
	text   string
	at     int
	words  *keywords
	open   bool // a comment was begun that nothing closes
	tokens []token
	work   *work
}

func (l *lexer) peek(ahead int) byte {
	if i := l.at + ahead; i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// emit makes a token of the next n bytes.
func (l *lexer) emit(k kind, n int) {
	l.tokens = append(l.tokens, token{k, l.at, l.at + n})
	l.at += n
}

func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		l.at++
	case isLetter(c) || c == '_':
		l.word(c)
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.emit(number(l.text[l.at:]))
	case c == '\'':
		l.quoted(tString, 0)
	case c == '"':
		l.quoted(tQuotedIdentifier, 0)
	case c == '`':
		l.quoted(tBackquotedIdentifier, 0)
	case c == '-' && l.peek(1) == '-':
		l.lineComment()
	case c == '/' && l.peek(1) == '*' && l.blockComment():
	case c == '$' && l.peek(1) == '$' && l.dollarString():
	default:
		l.sign(c)
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// word reads a name, a key word, or one of the literals that begin with a letter.
func (l *lexer) word(c byte) {
	if c|0x20 == 'u' && l.peek(1) == '&' && l.peek(2) == '\'' && l.quoted(tUnicodeString, 2) {
		return
	}
	if c|0x20 == 'x' && l.peek(1) == '\'' && l.binary() {
		return
	}
	n := 1
	for isLetter(l.peek(n)) || isDigit(l.peek(n)) || l.peek(n) == '_' {
		n++
	}
	l.emit(l.words.kind(l.text[l.at:l.at+n]), n)
}

// quoted reads what stands in quotes, doubled quotes included; prefix bytes come
// before the first one. Where no quote closes it, the longest part that is whole
// counts: 'a” is 'a' and a stray quote. It reports false, having read nothing,
// where there is a prefix and no such part.
func (l *lexer) quoted(k kind, prefix int) bool {
	quote := l.text[l.at+prefix]
	whole := 0
	i := l.at + prefix + 1
	for ; i < len(l.text); i++ {
		if l.text[i] != quote {
			continue
		}
		whole = i + 1 - l.at
		if i+1 == len(l.text) || l.text[i+1] != quote {
			break
		}
		i++
	}
	l.work.searched += i - l.at
	switch {
	case whole > 0:
		l.emit(k, whole)
	case prefix > 0:
		return false
	default:
		l.emit(tUnrecognized, 1)
	}
	return true
}

// binary reads X'...'.
func (l *lexer) binary() bool {
	n := strings.IndexByte(l.text[l.at+2:], '\'')
	l.work.search(n, len(l.text)-l.at)
	if n >= 0 {
		l.emit(tBinaryLiteral, 2+n+1)
	}
	return n >= 0
}

func (l *lexer) lineComment() {
	for l.at < len(l.text) && l.text[l.at] != '\n' && l.text[l.at] != '\r' {
		l.at++
	}
}

// blockComment reads a comment that is closed. Where one is not, no later one is
// either: looking for the end each time would take forever.
func (l *lexer) blockComment() bool {
	if l.open {
		return false
	}
	n := strings.Index(l.text[l.at+2:], "*/")
	l.work.search(n, len(l.text)-l.at)
	if n < 0 {
		l.open = true
		return false
	}
	l.at += 2 + n + 2
	return true
}

func (l *lexer) dollarString() bool {
	n := strings.Index(l.text[l.at+2:], "$$")
	l.work.search(n, len(l.text)-l.at)
	if n >= 0 {
		l.emit(kDollarString, 2+n+2)
	}
	return n >= 0
}

// search notes a search that found something n bytes on, or below 0 nothing in what
// is left of the text.
func (w *work) search(n, left int) {
	if n < 0 {
		n = left
	}
	w.searched += n
}

// sign reads an operator or a punctuation mark, the longest that fits.
func (l *lexer) sign(c byte) {
	if k := pair(c, l.peek(1)); k != 0 {
		l.emit(k, 2)
		return
	}
	if k := signs[c]; k != 0 {
		l.emit(k, 1)
		return
	}
	n := 1
	for c >= 0x80 && l.peek(n)&0xC0 == 0x80 { // the rest of the character
		n++
	}
	l.emit(tUnrecognized, n)
}

// pair returns the kind of a sign of two characters, 0 where they are none.
func pair(c, next byte) kind {
	switch {
	case c == '<' && next == '>', c == '!' && next == '=':
		return tNeq
	case c == '<' && next == '=':
		return tLte
	case c == '>' && next == '=':
		return tGte
	case c == '|' && next == '|':
		return tConcat
	case c == '-' && next == '>':
		return tArrow
	case c == '=' && next == '>':
		return tDoubleArrow
	case c == '{' && next == '-':
		return tLCurlyHyphen
	case c == '-' && next == '}':
		return tRCurlyHyphen
	}
	return 0
}

var signs = [256]kind{
	'=': tEq, '<': tLt, '>': tGt, '+': tPlus, '-': tMinus, '*': tAsterisk, '/': tSlash, '%': tPercent, '?': tQuestionMark,
	';': tSemicolon, '.': tDot, ',': tComma, ':': tColon, '(': tLParen, ')': tRParen, '[': tLSquare, ']': tRSquare,
	'{': tLCurly, '}': tRCurly, '|': tVBar, '$': tDollar, '^': tCaret,
}

// number returns the kind and the length of the number, or of the name beginning
// with a digit, that s begins with.
func number(s string) (kind, int) {
	k, n := tIntegerValue, digits(s, isDigit)
	if radix := radixDigits(s); radix > 0 {
		n = radix
	} else {
		k, n = fraction(s, n)
	}
	word := 0
	for isDigit(s[0]) && word < len(s) && (isLetter(s[word]) || isDigit(s[word]) || s[word] == '_') {
		word++
	}
	if word > n {
		return tDigitIdentifier, word
	}
	return k, n
}

// fraction reads on from an integer of n bytes: a point, digits, an exponent.
func fraction(s string, n int) (kind, int) {
	k := tIntegerValue
	if n < len(s) && s[n] == '.' {
		k = tDecimalValue
		n++
		n += digits(s[n:], isDigit)
	}
	if n < len(s) && s[n]|0x20 == 'e' && plainDigits(s[:n]) {
		sign := n + 1
		if sign < len(s) && (s[sign] == '+' || s[sign] == '-') {
			sign++
		}
		if exponent := plain(s[sign:]); exponent > 0 {
			return tDoubleValue, sign + exponent
		}
	}
	return k, n
}

// digits counts digits with single underscores between them.
func digits(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) {
		switch {
		case is(s[n]):
			n++
		case s[n] == '_' && n > 0 && n+1 < len(s) && is(s[n+1]):
			n += 2
		default:
			return n
		}
	}
	return n
}

// plain counts digits without underscores.
func plain(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func plainDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '_' {
			return false
		}
	}
	return true
}

// radixDigits returns the length of a hexadecimal, octal or binary integer, 0 for
// all else.
func radixDigits(s string) int {
	if len(s) < 3 || s[0] != '0' {
		return 0
	}
	var is func(byte) bool
	switch s[1] | 0x20 {
	case 'x':
		is = func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	case 'o':
		is = func(c byte) bool { return c >= '0' && c <= '7' }
	case 'b':
		is = func(c byte) bool { return c == '0' || c == '1' }
	default:
		return 0
	}
	rest := s[2:]
	lead := 0
	if rest[0] == '_' {
		lead = 1
	}
	if n := digits(rest[lead:], is); n > 0 {
		return 2 + lead + n
	}
	return 0
}
