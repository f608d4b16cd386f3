// Package prefilter runs a regular expression only over texts that have the literals
// without which it cannot match. A question is held against some hundred patterns of which
// hardly any fits, and the engine of package regexp takes as long for those that do not.
package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a regular expression with what each of its matches has to contain. It may be
// used concurrently.
type Pattern struct {
	re   *regexp.Regexp
	need *need // nil: nothing is known
}

// Text is a text that patterns are held against.
type Text struct {
	text, folded string
}

// Of prepares a text for many patterns.
func Of(text string) Text { return Text{text, fold(text)} }

// Compile is regexp.Compile.
func Compile(expression string) (*Pattern, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &Pattern{re, read(tree.Simplify()).whole()}, nil
}

// SubexpIndex is that of the expression.
func (p *Pattern) SubexpIndex(name string) int { return p.re.SubexpIndex(name) }

// MatchString reports whether the text has a match.
func (p *Pattern) MatchString(t Text) bool { return p.need.in(t.folded) && p.re.MatchString(t.text) }

// FindStringSubmatch is that of the expression.
func (p *Pattern) FindStringSubmatch(t Text) []string {
	if !p.need.in(t.folded) {
		return nil
	}
	return p.re.FindStringSubmatch(t.text)
}

// FindStringSubmatchIndex is that of the expression.
func (p *Pattern) FindStringSubmatchIndex(t Text) []int {
	if !p.need.in(t.folded) {
		return nil
	}
	return p.re.FindStringSubmatchIndex(t.text)
}

// need is a condition on a text: that it has a literal, all of some conditions, or one of
// them. Literals are folded.
type need struct {
	literal  string
	all, any []*need
}

func (n *need) in(folded string) bool {
	holds := func(n *need) bool { return n.in(folded) }
	switch {
	case n == nil:
		return true
	case n.literal != "":
		return strings.Contains(folded, n.literal)
	case n.any != nil:
		return slices.ContainsFunc(n.any, holds)
	default:
		return !slices.ContainsFunc(n.all, func(n *need) bool { return !n.in(folded) })
	}
}

const (
	// leastLiteral is how many bytes a literal has at least that tells anything.
	leastLiteral = 2
	// maxExact bounds the texts of a part that are told one by one.
	maxExact = 32
)

// part is what is known of a part of an expression: all texts that it matches, or else
// what each of them has.
type part struct {
	exact []string // nil: too many
	need  *need    // where exact is nil
}

// whole is what a text needs that has a match of the part.
func (p part) whole() *need {
	if p.exact == nil {
		return p.need
	}
	literals := make([]*need, 0, len(p.exact))
	for _, literal := range p.exact {
		if len(literal) < leastLiteral {
			return nil
		}
		literals = append(literals, &need{literal: literal})
	}
	return oneOf(literals)
}

func oneOf(needs []*need) *need {
	if len(needs) == 1 {
		return needs[0]
	}
	return &need{any: needs}
}

var (
	unknown = part{}
	empty   = part{exact: []string{""}}
)

// read reads an expression as it is after Simplify. What is not listed (a character of any
// kind, what may be left out) tells nothing.
func read(tree *syntax.Regexp) part {
	switch tree.Op {
	case syntax.OpLiteral:
		return part{exact: []string{fold(string(tree.Rune))}}
	case syntax.OpCharClass:
		return ofClass(tree.Rune)
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return empty
	case syntax.OpCapture:
		return read(tree.Sub[0])
	case syntax.OpPlus:
		return part{need: read(tree.Sub[0]).whole()}
	case syntax.OpQuest:
		if one := read(tree.Sub[0]); one.exact != nil {
			return either([]part{one, empty})
		}
		return unknown
	case syntax.OpConcat:
		return inTurn(tree.Sub)
	case syntax.OpAlternate:
		parts := make([]part, 0, len(tree.Sub))
		for _, sub := range tree.Sub {
			parts = append(parts, read(sub))
		}
		return either(parts)
	default:
		return unknown
	}
}

// ofClass reads a class of characters, given as pairs of first and last.
func ofClass(pairs []rune) part {
	var exact []string
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if exact = append(exact, fold(string(r))); len(exact) > maxExact {
				return unknown
			}
		}
	}
	return part{exact: distinct(exact)}
}

// inTurn reads parts that follow each other: as long as all texts of them can be told, they
// are put together; what cannot be told parts them.
func inTurn(list []*syntax.Regexp) part {
	var all []*need
	run := empty
	note := func(n *need) {
		if n != nil {
			all = append(all, n)
		}
	}
	parted := false
	for _, sub := range list {
		p := read(sub)
		switch {
		case p.exact == nil:
			note(run.whole())
			note(p.need)
			run, parted = empty, true
		case len(run.exact)*len(p.exact) > maxExact:
			note(run.whole())
			run, parted = p, true
		default:
			together := make([]string, 0, len(run.exact)*len(p.exact))
			for _, before := range run.exact {
				for _, after := range p.exact {
					together = append(together, before+after)
				}
			}
			run = part{exact: distinct(together)}
		}
	}
	if !parted {
		return run
	}
	note(run.whole())
	switch len(all) {
	case 0:
		return unknown
	case 1:
		return part{need: all[0]}
	}
	return part{need: &need{all: all}}
}

// either reads parts of which one matches.
func either(parts []part) part {
	var exact []string
	for _, p := range parts {
		if p.exact == nil || len(exact)+len(p.exact) > maxExact {
			exact = nil
			break
		}
		exact = append(exact, p.exact...)
	}
	if exact != nil {
		return part{exact: distinct(exact)}
	}
	var needs []*need
	for _, p := range parts {
		n := p.whole()
		if n == nil {
			return unknown
		}
		needs = append(needs, n)
	}
	return part{need: oneOf(needs)}
}

func distinct(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// fold writes each character as the first of those that a pattern without case takes for
// the same.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'a' <= r && r <= 'z' {
				return r - 'a' + 'A'
			}
			return r
		}
		first := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			first = min(first, other)
		}
		return first
	}, text)
}
