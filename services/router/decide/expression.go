package decide

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// expression is a regular expression that knows texts one of which every match
// contains. Most expressions fit no message, and to look for a few texts costs a
// small part of trying the expression at every place.
type expression struct {
	*regexp.Regexp
	needs []string // lower case; empty: nothing is known
}

// maxNeeds bounds the texts that are looked for; with more the expression is
// tried at once.
const maxNeeds = 48

func compile(text string) (expression, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return expression{}, err
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return expression{}, err
	}
	return expression{Regexp: re, needs: needs(parsed.Simplify())}, nil
}

func mustCompile(text string) expression {
	e, err := compile(text)
	if err != nil {
		panic(err) // a constant of this package
	}
	return e
}

// mayFit reports whether the expression can match a text, given in lower case.
func (e expression) mayFit(lower string) bool {
	return len(e.needs) == 0 || slices.ContainsFunc(e.needs, func(n string) bool { return strings.Contains(lower, n) })
}

// fits reports whether the expression matches a text that is in lower case.
func (e expression) fits(lower string) bool { return e.mayFit(lower) && e.MatchString(lower) }

// needs returns texts of which every match of re contains one, in lower case; nil
// where there are none, or too many.
func needs(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpCharClass:
		return ofClass(re.Rune)
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needs(sub); len(n) > 0 && (best == nil || shortest(n) > shortest(best)) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needs(sub)
			if len(n) == 0 || len(all)+len(n) > maxNeeds {
				return nil
			}
			all = append(all, n...)
		}
		return all
	default:
		return nil
	}
}

// ofClass lists the characters of a small class, given as pairs of bounds.
func ofClass(bounds []rune) []string {
	var out []string
	for i := 0; i < len(bounds); i += 2 {
		if bounds[i+1]-bounds[i] > 8 || len(out) > 8 {
			return nil
		}
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			out = append(out, strings.ToLower(string(r)))
		}
	}
	return out
}

// shortest is the length of the shortest text, in characters.
func shortest(texts []string) int {
	n := utf8.RuneCountInString(texts[0])
	for _, t := range texts[1:] {
		n = min(n, utf8.RuneCountInString(t))
	}
	return n
}
