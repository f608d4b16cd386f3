package examples

import (
	"slices"
	"strings"
)

// Replacement is a constant of an example for which a question has another.
type Replacement struct {
	kind     kind
	Old, New string
}

// String is what people read of it.
func (r Replacement) String() string { return r.Old + " -> " + r.New }

// Match is an example that answers a question.
type Match struct {
	Example Example
	// Exact says that the question is the same; else it has the same content words,
	// and Replaced are the constants in which it differs.
	Exact    bool
	Replaced []Replacement
	prepared *Prepared
}

// Bounds of what may stand in the place of a constant of a text, in words and in
// Chinese characters.
const (
	maxValueWords = 5
	maxValueHan   = 10
)

// Find returns the approved examples that a question matches, best first: the same
// question, then those with the fewest constants replaced.
func Find(q Question, of []*Prepared) []Match {
	var out []Match
	for _, p := range of {
		if p.question.Key == q.Key {
			out = append(out, Match{Example: p.Example, Exact: true, prepared: p})
			continue
		}
		if replaced, ok := p.align(p.question.content, q.content, nil); ok {
			out = append(out, Match{Example: p.Example, Replaced: replaced, prepared: p})
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int {
		if a.Exact != b.Exact {
			if a.Exact {
				return -1
			}
			return 1
		}
		return len(a.Replaced) - len(b.Replaced)
	})
	return out
}

// Tied reports whether another match is as good as the first and answers by another
// SQL: then neither says what is meant.
func Tied(found []Match) bool {
	if len(found) < 2 || found[0].Exact != found[1].Exact || len(found[0].Replaced) != len(found[1].Replaced) {
		return false
	}
	return found[0].Example.SQL != found[1].Example.SQL
}

// maxReplaced bounds the constants in which a question may differ.
const maxReplaced = 4

// align walks through the words of the example and of the question. They have to be
// the same in the same order, but for constants that the SQL shows.
func (p *Prepared) align(have, asked []word, replaced []Replacement) ([]Replacement, bool) {
	for len(have) > 0 && len(asked) > 0 && have[0] == asked[0] {
		if out, ok := p.text(have, asked, replaced); ok { // "New York" and "New Delhi" begin alike
			return out, true
		}
		have, asked = have[1:], asked[1:]
	}
	switch {
	case len(have) == 0 || len(asked) == 0:
		return replaced, len(have) == len(asked) && (len(replaced) > 0 || len(p.question.content) > 0)
	case len(replaced) == maxReplaced:
		return nil, false
	case have[0].kind == asked[0].kind && (have[0].kind == kindNumber || have[0].kind == kindDate):
		return p.align(have[1:], asked[1:], append(slices.Clone(replaced), Replacement{have[0].kind, have[0].text, asked[0].text}))
	}
	return p.text(have, asked, replaced)
}

// text puts other words in the place of a text constant of the SQL.
func (p *Prepared) text(have, asked []word, replaced []Replacement) ([]Replacement, bool) {
	if len(replaced) == maxReplaced {
		return nil, false
	}
	for _, c := range p.texts {
		n := len(c.words)
		if n > len(have) || !slices.Equal(c.words, have[:n]) || n <= len(asked) && slices.Equal(c.words, asked[:n]) {
			continue
		}
		for m := 1; m <= len(asked) && valueFits(asked[:m]); m++ {
			r := Replacement{kindWord, c.text, joined(asked[:m])}
			if out, ok := p.align(have[n:], asked[m:], append(slices.Clone(replaced), r)); ok {
				return out, true
			}
		}
	}
	return nil, false
}

func valueFits(words []word) bool {
	han := 0
	for _, w := range words {
		if w.kind == kindHan {
			han++
		}
	}
	return han <= maxValueHan && len(words)-han <= maxValueWords
}

// joined writes words as a value is written: spaces between words, none in Chinese.
func joined(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && (w.kind != kindHan || words[i-1].kind != kindHan) {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}
