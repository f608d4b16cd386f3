package fixsql

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenWord   tokenKind = iota // a name or a keyword
	tokenNumber                  // 12, 1.5, 1e3
	tokenString                  // '...'
	tokenQuoted                  // "..."
	tokenTick                    // `...`
	tokenMark                    // operators and punctuation
)

// token is a piece of SQL that means something; blanks and comments are none.
type token struct {
	kind       tokenKind
	start, end int
	text       string // as written
}

// is compares a word or a mark without case.
func (t token) is(text string) bool {
	return (t.kind == tokenWord || t.kind == tokenMark) && strings.EqualFold(t.text, text)
}

// marks of more than one character, longest first.
var longMarks = []string{"<=>", "::", "==", "&&", "||", "<>", "!=", "<=", ">=", "->"}

// scan reads any text: what is no SQL comes out as marks. It is for statements
// that the parser cannot read yet; what can be parsed is worked on as a tree.
func scan(text string) []token {
	var tokens []token
	for i := 0; i < len(text); {
		end, kind, skip := next(text, i)
		if !skip {
			tokens = append(tokens, token{kind: kind, start: i, end: end, text: text[i:end]})
		}
		i = end
	}
	return tokens
}

func next(text string, i int) (end int, kind tokenKind, skip bool) {
	rest := text[i:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		return i + size, 0, true
	case strings.HasPrefix(rest, "--"):
		return i + until(rest, "\n"), 0, true
	case strings.HasPrefix(rest, "/*"):
		return i + until(rest, "*/"), 0, true
	case r == '\'':
		return i + quoted(rest, '\''), tokenString, false
	case r == '"':
		return i + quoted(rest, '"'), tokenQuoted, false
	case r == '`':
		return i + quoted(rest, '`'), tokenTick, false
	case r >= '0' && r <= '9':
		return i + span(rest, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsLetter(r) || r == '.' || r == '_' }), tokenNumber, false
	case unicode.IsLetter(r) || r == '_':
		return i + span(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }), tokenWord, false
	}
	for _, mark := range longMarks {
		if strings.HasPrefix(rest, mark) {
			return i + len(mark), tokenMark, false
		}
	}
	return i + size, tokenMark, false
}

// until is the length of s up to and with stop, or all of it.
func until(s, stop string) int {
	if n := strings.Index(s, stop); n >= 0 {
		return n + len(stop)
	}
	return len(s)
}

// quoted is the length of a quoted piece, in which a doubled quote is a quote.
func quoted(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
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

// closing is the index of the token that closes the parenthesis at open; -1.
func closing(tokens []token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// operandEnd is the index after the operand that begins at i: a literal, a
// dotted name, a call, or something in parentheses; i where there is none.
func operandEnd(tokens []token, i int) int {
	if i >= len(tokens) {
		return i
	}
	switch t := tokens[i]; {
	case t.kind == tokenString || t.kind == tokenNumber:
		return i + 1
	case t.is("("):
		return closing(tokens, i) + 1
	case t.kind == tokenMark:
		return i
	}
	for i++; i+1 < len(tokens) && tokens[i].is(".") && tokens[i+1].kind != tokenMark; i += 2 {
	}
	if i < len(tokens) && tokens[i].is("(") {
		if end := closing(tokens, i); end > 0 {
			return end + 1
		}
	}
	return i
}

// operandStart is the index of the first token of the operand that ends before
// end; end where there is none.
func operandStart(tokens []token, end int) int {
	i := end - 1
	if i < 0 {
		return end
	}
	if tokens[i].is(")") {
		depth := 0
		for ; i >= 0; i-- {
			if tokens[i].is(")") {
				depth++
			} else if tokens[i].is("(") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if i <= 0 || tokens[i-1].kind == tokenMark || isKeyword(tokens[i-1]) {
			return max(i, 0)
		}
		i-- // a call
	}
	if tokens[i].kind == tokenMark {
		return end
	}
	for i >= 2 && tokens[i-1].is(".") && tokens[i-2].kind != tokenMark {
		i -= 2
	}
	return i
}

// isKeyword reports a word after which a parenthesis is no call.
func isKeyword(t token) bool {
	switch strings.ToUpper(t.text) {
	case "SELECT", "WHERE", "AND", "OR", "NOT", "IN", "ON", "BY", "HAVING", "WHEN", "THEN", "ELSE", "FROM", "AS", "LIKE", "BETWEEN", "CASE", "IS":
		return t.kind == tokenWord
	}
	return false
}
