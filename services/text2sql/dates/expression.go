package dates

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Bounds of what is known of an expression before it is tried.
const (
	maxNeedRunes = 16 // of a class of characters: digits are one
	maxNeedParts = 96
)

// expression is a regular expression that is tried where a text has what each of its matches
// has. There are a hundred of them, most find nothing in most questions, and to look for parts
// of a text is much cheaper than to try them.
type expression struct {
	*regexp.Regexp
	needs []need
}

// need are parts of which each match has one at least.
type need []string

func compileExpression(text string) (expression, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return expression{}, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return expression{}, err
	}
	return expression{Regexp: re, needs: needsOf(tree)}, nil
}

// mayMatch reports whether a text has what each match has.
func (e expression) mayMatch(text string) bool {
	for _, n := range e.needs {
		if !slices.ContainsFunc(n, func(part string) bool { return strings.Contains(text, part) }) {
			return false
		}
	}
	return true
}

// find is FindAllStringSubmatchIndex.
func (e expression) find(text string) [][]int {
	if !e.mayMatch(text) {
		return nil
	}
	return e.FindAllStringSubmatchIndex(text, -1)
}

// needsOf are what each match of an expression has; nil: nothing is known.
func needsOf(re *syntax.Regexp) []need {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []need{{string(re.Rune)}}
		}
	case syntax.OpCharClass:
		var n need
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if int(re.Rune[i+1]-re.Rune[i]) >= maxNeedRunes-len(n) {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				n = append(n, string(r))
			}
		}
		return []need{n}
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var all []need
		for _, sub := range re.Sub {
			all = append(all, needsOf(sub)...)
		}
		return all
	case syntax.OpAlternate:
		var one need
		for _, sub := range re.Sub {
			needs := needsOf(sub)
			if len(needs) == 0 {
				return nil
			}
			one = append(one, slices.MaxFunc(needs, need.compare)...)
		}
		if len(one) <= maxNeedParts {
			return []need{one}
		}
	default:
	}
	return nil
}

// compare tells which of two needs fewer texts have: longer parts, then fewer of them.
func (n need) compare(o need) int {
	shortest := func(n need) int {
		return len(slices.MinFunc(n, func(a, b string) int { return len(a) - len(b) }))
	}
	if a, b := shortest(n), shortest(o); a != b {
		return a - b
	}
	return len(o) - len(n)
}
