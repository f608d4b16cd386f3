package logql

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind int

const (
	tokEnd kind = iota
	tokWord
	tokText     // a quoted string; text is its value
	tokNumber   // 5, 0.5, 1e3
	tokAmount   // a number with a unit: 5m, 1h30m, 20KB
	tokFlag     // --strict
	tokOperator // everything else
)

type token struct {
	kind kind
	text string
	pos  Pos
	end  Pos
}

// operators are the longest first.
var operators = [...]string{
	"|=", "|~", "|>", "!=", "!~", "!>", "=~", "==", ">=", "<=",
	"|", "{", "}", "(", ")", "[", "]", ",", "=", ">", "<", "+", "-", "*", "/", "%", "^",
}

// lex cuts a query into tokens, the last of which is tokEnd.
func lex(text string) ([]token, *Error) {
	if len(text) > MaxBytes {
		return nil, errorAt(text, 0, "the query has %d bytes: at most %d are read", len(text), MaxBytes)
	}
	if !utf8.ValidString(text) {
		return nil, errorAt(text, 0, "the query is not valid UTF-8")
	}
	var out []token
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.IsSpace(r):
			at += size
		case r == '#':
			if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
				at += end
			} else {
				at = len(text)
			}
		case r == '"' || r == '`':
			t, err := lexText(text, at)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			at = int(t.end)
		case r == '$':
			e := errorAt(text, Pos(at), "variables such as $__interval are Grafana's, which puts values in their place: write the value")
			e.NotSupported = "Grafana variable"
			return nil, e
		case r == '\'':
			return nil, errorAt(text, Pos(at), "a string stands in double quotes or backticks, not in single quotes")
		case isDigit(r) || r == '.' && at+1 < len(text) && isDigit(rune(text[at+1])):
			t := lexNumber(text, at)
			out = append(out, t)
			at = int(t.end)
		case isWordStart(r):
			end := at + 1
			for end < len(text) && (isWordStart(rune(text[end])) || isDigit(rune(text[end]))) {
				end++
			}
			out = append(out, token{kind: tokWord, text: text[at:end], pos: Pos(at), end: Pos(end)})
			at = end
		case strings.HasPrefix(text[at:], "--") && at+2 < len(text) && isWordStart(rune(text[at+2])):
			end := at + 2
			for end < len(text) && (isWordStart(rune(text[end])) || text[end] == '-') {
				end++
			}
			out = append(out, token{kind: tokFlag, text: text[at:end], pos: Pos(at), end: Pos(end)})
			at = end
		default:
			op := operatorAt(text[at:])
			if op == "" {
				return nil, errorAt(text, Pos(at), "%q means nothing here", r)
			}
			out = append(out, token{kind: tokOperator, text: op, pos: Pos(at), end: Pos(at + len(op))})
			at += len(op)
		}
	}
	return append(out, token{kind: tokEnd, pos: Pos(len(text)), end: Pos(len(text))}), nil
}

func operatorAt(text string) string {
	for _, op := range operators {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isWordStart(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// lexText reads a quoted string. Double quotes take the escapes of Go, backticks
// none.
func lexText(text string, at int) (token, *Error) {
	quote := text[at]
	end := at + 1
	for ; ; end++ {
		switch {
		case end >= len(text) || quote == '"' && text[end] == '\n':
			return token{}, errorAt(text, Pos(at), "the string that begins here has no closing %c", quote)
		case text[end] == quote:
			end++
			value, bad := unquote(text[at:end])
			if bad >= 0 {
				return token{}, errorAt(text, Pos(at+bad), "%s is no escape within double quotes: double the backslash, or put the string in backticks",
					strconv.Quote(text[at+bad:min(at+bad+2, end)]))
			}
			return token{kind: tokText, text: value, pos: Pos(at), end: Pos(end)}, nil
		case quote == '"' && text[end] == '\\':
			end++
		}
	}
}

// unquote returns the value of a quoted string and -1, or the place of an escape
// that is none.
func unquote(quoted string) (string, int) {
	if quoted[0] == '`' {
		return quoted[1 : len(quoted)-1], -1
	}
	inner := quoted[1 : len(quoted)-1]
	var out strings.Builder
	for rest := inner; rest != ""; {
		r, multibyte, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			return "", 1 + len(inner) - len(rest)
		}
		if r < utf8.RuneSelf || !multibyte {
			out.WriteByte(byte(r))
		} else {
			out.WriteRune(r)
		}
		rest = tail
	}
	if !utf8.ValidString(out.String()) {
		return "", 0
	}
	return out.String(), -1
}

// lexNumber reads a number, or a number with units such as 1h30m or 20KB.
func lexNumber(text string, at int) token {
	end := at
	digits := func() {
		for end < len(text) && (isDigit(rune(text[end])) || text[end] == '.') {
			end++
		}
	}
	digits()
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exp := end + 1
		if exp < len(text) && (text[exp] == '+' || text[exp] == '-') {
			exp++
		}
		if exp < len(text) && isDigit(rune(text[exp])) {
			end = exp
			digits()
			return token{kind: tokNumber, text: text[at:end], pos: Pos(at), end: Pos(end)}
		}
	}
	k := tokNumber
	for {
		unit := end
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.IsLetter(r) {
				break
			}
			end += size
		}
		if end == unit {
			break
		}
		k = tokAmount
		if end >= len(text) || !isDigit(rune(text[end])) {
			break
		}
		digits()
	}
	return token{kind: k, text: text[at:end], pos: Pos(at), end: Pos(end)}
}
