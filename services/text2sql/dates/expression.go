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
	maxNeedTexts = 32 // of parts side by side: the months, with their short forms
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
	if texts := textsOf(re); texts != nil {
		return needOf(texts)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var all []need
		run := []string{""} // what the parts before may be, one beside the other
		for _, sub := range re.Sub {
			texts := textsOf(sub)
			if longer := joined(run, texts); longer != nil {
				run = longer
				continue
			}
			all = append(all, needOf(run)...)
			if run = texts; texts == nil {
				all, run = append(all, needsOf(sub)...), []string{""}
			}
		}
		return append(all, needOf(run)...)
	case syntax.OpAlternate:
		var one []string
		for _, sub := range re.Sub {
			needs := needsOf(sub)
			if len(needs) == 0 {
				return nil
			}
			one = append(one, slices.MaxFunc(needs, need.compare)...)
		}
		if len(one) <= maxNeedParts {
			return needOf(one)
		}
	default:
	}
	return nil
}

// textsOf are all texts that an expression matches; nil: there are many, or more is asked of them than their
// letters.
func textsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if int(re.Rune[i+1]-re.Rune[i]) >= maxNeedRunes-len(out) {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, string(r))
			}
		}
		return out
	case syntax.OpCapture:
		return textsOf(re.Sub[0])
	case syntax.OpQuest:
		if texts := textsOf(re.Sub[0]); texts != nil && len(texts) < maxNeedTexts {
			return append(texts, "")
		}
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			if out = joined(out, textsOf(sub)); out == nil {
				return nil
			}
		}
		return out
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			texts := textsOf(sub)
			if texts == nil || len(out)+len(texts) > maxNeedTexts {
				return nil
			}
			out = append(out, texts...)
		}
		return out
	default:
	}
	return nil
}

// joined are the texts of one list, each before those of another; nil: too many.
func joined(before, after []string) []string {
	if len(before)*len(after) > maxNeedTexts {
		return nil
	}
	var out []string
	for _, b := range before {
		for _, a := range after {
			out = append(out, b+a)
		}
	}
	return out
}

// needOf is the need of texts of which each match has one, the shortest first, without those that have another in
// them; none where one of them is empty.
func needOf(texts []string) []need {
	if slices.Contains(texts, "") {
		return nil
	}
	var n need
	for _, t := range slices.SortedStableFunc(slices.Values(texts), func(a, b string) int { return len(a) - len(b) }) {
		if !slices.ContainsFunc(n, func(short string) bool { return strings.Contains(t, short) }) {
			n = append(n, t)
		}
	}
	return []need{n}
}

// rare is how long a part is of which hardly a text has one by chance.
const rare = 3

// compare tells which of two needs fewer texts have: longer parts as far as that tells, then fewer of them.
func (n need) compare(o need) int {
	shortest := func(n need) int {
		return min(rare, len(n[0]))
	}
	if a, b := shortest(n), shortest(o); a != b {
		return a - b
	}
	return len(o) - len(n)
}
