package scope

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/spelling"
)

// typed is what may be a mistyped word.
var typed = regexp.MustCompile(`[A-Za-z]{5,}`)

// farWord is the length from which a word may have two mistakes.
const farWord = 9

// typos are words that nothing knows but that are nearly a word of a mart.
func (c *Clarifier) typos(n *notebook, r Request, marts map[string]catalog.Mart) {
	c.hanTypos(n, r, marts)
	for _, at := range typed.FindAllStringIndex(r.Question.Text, maxTyped) {
		isSubject := slices.ContainsFunc(r.Question.Content, func(s retrieval.Concept) bool { return s.Span.Start == at[0] && s.Span.End == at[1] })
		if !isSubject || n.overlaps(at[0], at[1]) || inNamed(r, at[0], at[1]) || c.isKnown(r, at[0]) {
			continue
		}
		word := strings.ToLower(r.Question.Text[at[0]:at[1]])
		if meant := c.nearest(word, r.Marts); meant != "" {
			for mart, worth := range c.claimsOf(meant, r, marts) {
				s := n.at(at[0], at[1], r.Question.Text[at[0]:at[1]])
				s.called = true
				s.claims[mart] = worth * c.file.Weights.Typo
			}
		}
	}
}

// maxTyped bounds the words of a question that are looked at for mistakes.
const maxTyped = 40

// isKnown reports whether a table found has the word that begins at a place.
func (c *Clarifier) isKnown(r Request, start int) bool {
	for _, found := range r.Ranked[:min(len(r.Ranked), c.file.TopTables)] {
		for _, e := range r.Volume.Corpus.Why(r.Question.Query, found.Table) {
			if e.Concept.Span.Start == start {
				return true
			}
		}
	}
	return false
}

// nearest returns the word of marts or hints that is one mistake away, of a long
// word two; "" where there is none.
func (c *Clarifier) nearest(word string, marts []catalog.Mart) string {
	best, bestAway := "", 1
	if len(word) >= farWord {
		bestAway = 2
	}
	try := func(candidate string) {
		candidate = strings.ToLower(candidate)
		if len(candidate) < 5 || candidate[0] != word[0] || max(len(candidate)-len(word), len(word)-len(candidate)) > bestAway {
			return
		}
		if away := spelling.Distance(word, candidate); away < bestAway || away == bestAway && best == "" {
			best, bestAway = candidate, away
		}
	}
	for _, m := range marts {
		for _, w := range append([]string{m.Name}, m.Synonyms...) {
			try(w)
		}
	}
	for _, w := range c.hinted {
		try(w)
	}
	return best
}

// claimsOf are the marts that a word of theirs, or of the hints, speaks for.
func (c *Clarifier) claimsOf(word string, r Request, marts map[string]catalog.Mart) map[string]float64 {
	claims := make(map[string]float64)
	for _, m := range r.Volume.Marts.Matches(word) {
		if _, visible := marts[m.Group.ID]; visible {
			claims[m.Group.ID] = c.file.Weights.Synonym
		}
	}
	if len(claims) > 0 {
		return claims
	}
	for _, m := range c.hints.Matches(word) {
		if mart := c.hintedMart(r, m.Group, marts); mart != "" {
			claims[mart] = c.file.Weights.Hint
		}
	}
	return claims
}

// hanRun is Chinese text without anything else in it.
var hanRun = regexp.MustCompile(`\p{Han}{3,}`)

// shortestHan is the number of characters from which a Chinese word with one wrong
// character is still recognised.
const shortestHan = 3

// hanTypos are Chinese words with one wrong character, such as one of the same
// sound, where the characters are part of no known word.
func (c *Clarifier) hanTypos(n *notebook, r Request, marts map[string]catalog.Mart) {
	for _, run := range hanRun.FindAllStringIndex(r.Question.Text, maxTyped) {
		for at := run[0]; at < run[1]; {
			_, size := utf8.DecodeRuneInString(r.Question.Text[at:])
			for _, word := range c.hanWords(r.Marts) {
				end := at + len(word)
				if end > run[1] || n.overlaps(at, end) || !isSubjectIn(r, at, end) || !oneWrong(r.Question.Text[at:end], word) {
					continue
				}
				for mart, worth := range c.claimsOf(word, r, marts) {
					s := n.at(at, end, r.Question.Text[at:end])
					s.called = true
					s.claims[mart] = worth * c.file.Weights.Typo
				}
				break
			}
			at += size
		}
	}
}

// hanWords are the Chinese words of marts and hints that are long enough.
func (c *Clarifier) hanWords(marts []catalog.Mart) []string {
	var words []string
	add := func(all []string) {
		for _, w := range all {
			if r, _ := utf8.DecodeRuneInString(w); r >= utf8.RuneSelf && utf8.RuneCountInString(w) >= shortestHan {
				words = append(words, w)
			}
		}
	}
	for _, m := range marts {
		add(m.Synonyms)
	}
	for _, h := range c.file.Hints {
		add(h.Zh)
	}
	return words
}

// isSubjectIn reports whether a subject of the question lies in a place.
func isSubjectIn(r Request, start, end int) bool {
	return slices.ContainsFunc(r.Question.Content, func(s retrieval.Concept) bool { return start <= s.Span.Start && s.Span.End <= end })
}

// oneWrong reports whether two texts of equal length differ in one character.
func oneWrong(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	wrong := 0
	for i := range x {
		if x[i] != y[i] {
			wrong++
		}
	}
	return wrong == 1
}
