package scope

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// askSense asks where the question's subject is a word that has several meanings
// here, and neither its other words nor the asker's department or habit tell which.
func (c *Clarifier) askSense(r Request, spans []*span, marts map[string]catalog.Mart) (Result, bool) {
	word, entry, ok := c.openWord(r, spans, marts)
	if !ok || !r.About && hasStrange(r, spans, word) {
		return Result{}, false
	}
	between, labels := c.meanings(r, word, entry, spans, marts)
	if len(between) < 2 {
		return Result{}, false
	}
	if (c.putFirst(spans, word, between) || c.breakTieOfFew(r, between, marts)) && !r.MakeSure {
		return c.identified(between[:1], between, r), true
	}
	l := r.Question.Language
	result := Result{Outcome: Ask, Text: strings.ReplaceAll(c.say("sense", l), "{word}", word.Surface), Fallback: fallback(marts)}
	for _, w := range between {
		result.Options = append(result.Options, Option{ID: OptionPrefix + w.mart, Label: labels[w.mart], Description: inLanguage(marts[w.mart].Description, l)})
	}
	return result, true
}

// hasStrange reports whether a subject beside the ambiguous word speaks for no mart: in
// "wine ratings" it is wine that the data would have to know.
func hasStrange(r Request, spans []*span, word synonym.Match) bool {
	return slices.ContainsFunc(r.Question.Content, func(c retrieval.Concept) bool {
		at := c.Span
		// A single Chinese character is rarely a word, and tells nothing strange.
		return utf8.RuneCountInString(c.Surface) > 1 && (at.End <= word.Start || word.End <= at.Start) &&
			!slices.ContainsFunc(spans, func(s *span) bool { return s.start < at.End && at.Start < s.end })
	})
}

// openWord returns the ambiguous word of a question where no other word of it
// belongs to a mart; people before the word do not count.
func (c *Clarifier) openWord(r Request, spans []*span, marts map[string]catalog.Mart) (word synonym.Match, entry int, ok bool) {
	if len(r.Question.Named) > 0 {
		return word, 0, false
	}
	var open []synonym.Match
	for _, m := range c.senses.Matches(r.Question.Text) {
		if means(m.Surface, m.Group.Entries) && !c.isWithin(r, spans, m) {
			open = append(open, m)
		}
	}
	if len(open) == 0 {
		return word, 0, false
	}
	word = open[len(open)-1] // the head is last
	entry, err := strconv.Atoi(word.Group.ID)
	if err != nil {
		return word, 0, false
	}
	for _, s := range spans {
		isOpen := slices.ContainsFunc(open, func(m synonym.Match) bool { return s.start < m.End && m.Start < s.end })
		if (s.called || len(s.term) > 0) && !isOpen && !c.isActor(r.Question.Text, s, word) {
			return word, 0, false
		}
	}
	return word, entry, true
}

// isActor reports whether a span is but the people of an ambiguous word: "customer
// conversations". Where one of its meanings is theirs, they do tell.
func (c *Clarifier) isActor(text string, s *span, word synonym.Match) bool {
	return c.actors[strings.ToLower(s.surface)] && s.end <= word.Start && matches(c.patterns.joins, text[s.end:word.Start])
}

// isWithin reports whether an ambiguous word is part of a longer one that means
// something of its own, or is itself a business word.
func (c *Clarifier) isWithin(r Request, spans []*span, m synonym.Match) bool {
	for _, s := range spans {
		if s.start <= m.Start && m.End <= s.end && (len(s.term) > 0 || s.end-s.start > m.End-m.Start && s.called) {
			return true
		}
	}
	for _, concept := range r.Question.Query.Concepts {
		at := concept.Span
		isKnown := len(concept.Terms) > 0 && concept.Terms[len(concept.Terms)-1].Entry != ""
		if isKnown && at.Start <= m.Start && m.End <= at.End && at.End-at.Start > m.End-m.Start {
			return true
		}
	}
	// A subject across its edge: it is part of a longer word that nothing knows.
	if slices.ContainsFunc(r.Question.Content, func(concept retrieval.Concept) bool {
		at := concept.Span
		return at.Start < m.Start && m.Start < at.End && at.End < m.End || m.Start < at.Start && at.Start < m.End && m.End < at.End
	}) {
		return true
	}
	return inNamed(r, m.Start, m.End)
}

// meanings are the marts of an ambiguous word's senses with their labels. Where the
// tables of two or more of them have the word, the others are left out.
func (c *Clarifier) meanings(r Request, word synonym.Match, entry int, spans []*span, marts map[string]catalog.Mart) ([]weighed, map[string]string) {
	l := r.Question.Language
	labels := make(map[string]string)
	var all, known []weighed
	for _, s := range c.file.Ambiguous[entry].Senses {
		mart := c.calledBy(r, s.Mart, marts)
		if mart == "" || labels[mart] != "" {
			continue
		}
		labels[mart] = l.Pick(s.En, s.Zh) + " → " + mart
		w := weighed{mart: mart, score: 1, words: []string{word.Surface}}
		all = append(all, w)
		for _, o := range spans {
			if o.start < word.End && word.Start < o.end && o.claims[mart] >= c.file.Weights.Columns*c.file.Weights.Others {
				known = append(known, w)
				break
			}
		}
	}
	if len(known) > 1 {
		return known, labels
	}
	return all, labels
}

// putFirst puts the meaning first in which the tables found know the rest of the
// question much better than in the others. It reports whether there is one.
func (c *Clarifier) putFirst(spans []*span, word synonym.Match, between []weighed) bool {
	rest := make(map[string]float64)
	for _, w := range between {
		for _, s := range spans {
			if s.end <= word.Start || word.End <= s.start {
				rest[w.mart] += s.shares()[w.mart]
			}
		}
	}
	slices.SortStableFunc(between, func(a, b weighed) int { return cmp.Compare(rest[b.mart], rest[a.mart]) })
	return rest[between[0].mart]-rest[between[1].mart] >= c.file.Lead
}
