package trino

import "strings"

// similarToRegexp turns a pattern of SIMILAR TO into a regular expression for the
// whole text.
func similarToRegexp(pattern string) string {
	var b strings.Builder
	b.WriteString("^(?:")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteByte('.')
		case '.', '^', '$':
			b.WriteString(`\` + string(c))
		case '\\':
			b.WriteByte(c)
			if i++; i < len(pattern) {
				b.WriteByte(pattern[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + ")$"
}

// globToRegexp turns a pattern of GLOB into a regular expression.
func globToRegexp(pattern string) string {
	var b strings.Builder
	b.WriteByte('^')
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[', ']', '-':
			b.WriteByte(c)
		case '.', '^', '$', '(', ')', '+', '{', '}', '|', '\\':
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "$"
}

// hasGroup reports whether a regular expression has a group that is kept.
func hasGroup(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '(':
			if !strings.HasPrefix(pattern[i:], "(?") {
				return true
			}
		}
	}
	return false
}

// plainPattern returns the text that a regular expression without signs stands for.
func plainPattern(pattern string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern) && strings.IndexByte(`.|*+?()[]{}^$\`, pattern[i+1]) >= 0:
			i++
			b.WriteByte(pattern[i])
		case strings.IndexByte(`.|*+?()[]{}^$\`, c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), b.Len() > 0
}

// anchored reports whether a regular expression can match once only.
func anchored(pattern string) bool {
	return !strings.Contains(pattern, "|") && (strings.HasPrefix(pattern, "^") || strings.HasSuffix(pattern, "$") && !strings.HasSuffix(pattern, `\$`))
}

// dollarGroups turns \1 into $1, and a $ of its own into \$.
func dollarGroups(replacement string) string {
	var b strings.Builder
	for i := 0; i < len(replacement); i++ {
		switch c := replacement[i]; {
		case c == '\\' && i+1 < len(replacement) && isDigit(replacement[i+1]):
			b.WriteByte('$')
		case c == '$':
			b.WriteString(`\$`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
