package presto

import (
	"slices"
	"strings"
)

// condition reads what a filter holds: || binds least.
func (r *pathReader) condition() *pathNode {
	defer func() { r.depth-- }()
	if !r.deeper() {
		return nil
	}
	left := r.conjunction()
	for r.err == nil && r.take("||") {
		left = &pathNode{op: pathOr, left: left, right: r.conjunction()}
	}
	return left
}

func (r *pathReader) conjunction() *pathNode {
	left := r.predicate()
	for r.err == nil && r.take("&&") {
		left = &pathNode{op: pathAnd, left: left, right: r.predicate()}
	}
	return left
}

func (r *pathReader) predicate() *pathNode {
	if r.take("!") {
		if r.peek() != "(" && r.peek() != "exists" {
			r.fail()
			return nil
		}
		return &pathNode{op: pathNot, left: r.delimited()}
	}
	switch r.peek() {
	case "exists":
		return r.delimited()
	case "(": // of a condition, or of a path that is compared
		from, depth := r.at, r.depth
		inner := r.delimited()
		if r.err == nil && r.take("is", "unknown") {
			return &pathNode{op: pathIsUnknown, left: inner}
		}
		if r.err == nil && endsCondition(r.peek()) {
			return inner
		}
		if r.reads > maxPathReads {
			return nil
		}
		r.at, r.depth, r.err = from, depth, nil
	}
	return r.comparison()
}

func endsCondition(token string) bool {
	return token == ")" || token == "&&" || token == "||"
}

// delimited reads exists(path) or (condition).
func (r *pathReader) delimited() *pathNode {
	if r.take("exists") {
		r.expect("(")
		n := &pathNode{op: pathExists, left: r.path(0)}
		r.expect(")")
		return n
	}
	r.expect("(")
	n := r.condition()
	r.expect(")")
	return n
}

func (r *pathReader) comparison() *pathNode {
	left := r.path(0)
	if r.err != nil {
		return nil
	}
	op := r.peek()
	r.at++
	switch op {
	case "==", "<>", "!=", "<", ">", "<=", ">=":
		return &pathNode{op: pathCompare, key: op, left: left, right: r.path(0)}
	case "starts":
		r.expect("with")
		if t := r.peek(); !strings.HasPrefix(t, `"`) {
			r.fail()
			return nil
		}
		return &pathNode{op: pathStarts, left: left, right: r.primary()}
	case "like_regex":
		r.err = unreadable("like_regex")
		return nil
	}
	r.at--
	r.fail()
	return nil
}

// pathTokens splits a path. Words, numbers, texts in quotes and signs are tokens;
// white space between them does not count.
func pathTokens(s string) ([]string, error) {
	var out []string
	for s != "" {
		n := 1
		c := s[0]
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			s = s[1:]
			continue
		case isPathLetter(c):
			n = wordLength(s)
		case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
			n = numberLength(s)
		case c == '"':
			if n = quotedLength(s); n == 0 {
				return nil, unreadable("a text does not end")
			}
		case c == '$' && len(s) > 1 && isPathLetter(s[1]):
			n = 1 + wordLength(s[1:])
		case len(s) > 1 && isPair(s[:2]):
			n = 2
		case strings.IndexByte("$@.*[],?()+-/%!<>", c) < 0:
			return nil, unreadable("it is not understood at '%s'", Short(s))
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out, nil
}

func isPair(token string) bool {
	return slices.Contains([]string{"==", "<>", "!=", "<=", ">=", "&&", "||", ".."}, token)
}

func isPathLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func isPathName(token string) bool { return token != "" && isPathLetter(token[0]) }

func isPathNumber(token string) bool {
	return token != "" && (isDigit(token[0]) || token[0] == '.' && len(token) > 1 && isDigit(token[1]))
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && (isPathLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

func numberLength(s string) int {
	digits := func(n int) int {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		return n
	}
	n := digits(0)
	if n < len(s) && s[n] == '.' {
		n = digits(n + 1)
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if end := digits(m); end > m {
			n = end
		}
	}
	return n
}

// quotedLength is the length of a text in quotes; two quotes in it stand for one.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '"' {
			return i + 1
		}
		i++
	}
	return 0
}
