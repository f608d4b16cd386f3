package scope

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// level are the marts between which the tables found leave the question open: the best
// table of each knows its subjects as well as the best of all, and no mart calls itself by
// one of them. What one mart explains in its glossary, or what people say of such marts,
// does not tell then whose is meant; a metric does, where SQL is to be written by it.
func (c *Clarifier) level(r Request, spans []*span, found []weighed, marts map[string]catalog.Mart) []weighed {
	if !r.About || slices.ContainsFunc(spans, func(s *span) bool { return s.own }) {
		return nil
	}
	known, byMetric := c.known(r, marts)
	if byMetric && r.ForSQL {
		return nil
	}
	var best, general float64
	for mart, worth := range known {
		if marts[mart].Fallback {
			general = worth
		} else {
			best = max(best, worth)
		}
	}
	if best == 0 || best < c.file.Level*general {
		return nil // the general layer knows more than any other
	}
	var between []weighed
	n := 0
	for _, w := range found {
		isLevel := known[w.mart] >= c.file.Level*best && !marts[w.mart].Fallback
		if isLevel {
			n++
		}
		if isLevel || w.called && w.mart == found[0].mart {
			between = append(between, w)
		}
	}
	if n < 2 {
		return nil
	}
	slices.SortStableFunc(between, func(a, b weighed) int { return cmp.Compare(b.score, a.score) })
	return between
}

// ownWords are the words of a table in Latin letters: of its name, its columns and what is said of them.
func ownWords(t *catalog.Table) []string {
	words := letters(t.Name.Table + " " + t.Description)
	for i := range t.Columns {
		words = append(words, letters(t.Columns[i].Name+" "+t.Columns[i].Comment)...)
	}
	return words
}

// says reports whether words have those of a subject themselves and not only their stems:
// "conversations" are no "conversion". Chinese has no stems.
func says(words []string, surface string) bool {
	return !slices.ContainsFunc(letters(surface), func(word string) bool { return !means(word, words) })
}

// letters are the words of a text in Latin letters.
func letters(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
}

// known is how much of the question's subjects the best table of each visible mart knows,
// in evidence, and whether a metric is one of them.
func (c *Clarifier) known(r Request, marts map[string]catalog.Mart) (by map[string]float64, byMetric bool) {
	by = make(map[string]float64)
	for _, found := range r.Ranked[:min(len(r.Ranked), c.file.Looked)] {
		mart := found.Table.Mart
		if _, visible := marts[mart]; !visible {
			continue
		}
		var worth float64
		words := sync.OnceValue(func() []string { return ownWords(r.Shown(found.Table)) })
		for _, e := range r.Volume.Corpus.Why(r.Question.Query, found.Table) {
			if e.Field == retrieval.FieldLayer || e.Field == retrieval.FieldOwner ||
				!slices.ContainsFunc(r.Question.Content, func(s retrieval.Concept) bool { return s.Span == e.Concept.Span }) {
				continue
			}
			isMetric := e.Meaning != nil && e.Meaning.Metric
			byMetric = byMetric || isMetric
			if !isMetric && (e.Entry != "" || !says(words(), e.Concept.Surface)) {
				e.Worth *= c.file.Weights.Others
			}
			if e.Field == retrieval.FieldValue { // a value is what figures are of, not which figures
				e.Worth *= c.file.Roles.Dimension
			}
			worth += e.Worth
		}
		by[mart] = max(by[mart], worth)
	}
	return by, byMetric
}
