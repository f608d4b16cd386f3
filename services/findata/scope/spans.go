package scope

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// notebook collects spans, one for each place.
type notebook struct{ spans []*span }

func (n *notebook) at(start, end int, surface string) *span {
	for _, s := range n.spans {
		if s.start == start && s.end == end {
			return s
		}
	}
	s := &span{start: start, end: end, surface: surface, claims: make(map[string]float64), term: make(map[string]bool)}
	n.spans = append(n.spans, s)
	return s
}

// overlaps reports whether a place is taken, in part at least.
func (n *notebook) overlaps(start, end int) bool {
	return slices.ContainsFunc(n.spans, func(s *span) bool { return s.start < end && start < s.end })
}

// spans are the words by which marts call themselves, their business words, and
// what people say of such marts. A word inside a longer one is none: "customer" in
// "customer service".
func (c *Clarifier) spans(r Request, marts map[string]catalog.Mart) []*span {
	n := &notebook{}
	c.ownWords(n, r, marts)
	c.businessWords(n, r, marts)
	c.hintedWords(n, r, marts)
	c.typos(n, r, marts)
	for _, s := range n.spans {
		for mart := range s.claims {
			if marts[mart].Fallback {
				s.claims[mart] *= c.file.Weights.Fallback
			}
		}
	}
	return c.longest(n.spans)
}

func (c *Clarifier) ownWords(n *notebook, r Request, marts map[string]catalog.Mart) {
	for _, m := range r.Volume.Marts.Matches(r.Question.Text) {
		if _, visible := marts[m.Group.ID]; !visible || inNamed(r, m.Start, m.End) || onlyAsks(r, m) || !means(m.Surface, m.Group.Entries) {
			continue
		}
		worth := c.file.Weights.Synonym
		if strings.EqualFold(m.Surface, m.Group.ID) {
			worth = c.file.Weights.Name
		}
		s := n.at(m.Start, m.End, m.Surface)
		s.called, s.own = true, true
		s.claims[m.Group.ID] = max(s.claims[m.Group.ID], worth)
	}
}

func (c *Clarifier) businessWords(n *notebook, r Request, marts map[string]catalog.Mart) {
	w := c.file.Weights
	for _, concept := range r.Question.Query.Concepts {
		for _, t := range concept.Glossary {
			if _, visible := marts[t.Mart]; !visible || !means(concept.Surface, append([]string{t.Term}, t.Synonyms...)) {
				continue
			}
			s := n.at(concept.Span.Start, concept.Span.End, concept.Surface)
			if have := s.claims[t.Mart]; have > 0 && !s.term[t.Mart] {
				s.claims[t.Mart] = max(have, w.Glossary) + w.Both
			} else if have == 0 {
				s.claims[t.Mart] = w.Glossary
			}
			s.term[t.Mart] = true
		}
	}
}

// hintedWords are counted where no mart and no glossary has the word.
func (c *Clarifier) hintedWords(n *notebook, r Request, marts map[string]catalog.Mart) {
	own := slices.Clone(n.spans)
	for _, m := range c.hints.Matches(r.Question.Text) {
		isOwn := slices.ContainsFunc(own, func(s *span) bool {
			return s.start < m.End && m.Start < s.end && (m.Start > s.start || s.end > m.End || s.start == m.Start && s.end == m.End)
		})
		if isOwn || inNamed(r, m.Start, m.End) || onlyAsks(r, m) || !means(m.Surface, m.Group.Entries) {
			continue
		}
		if mart := c.hintedMart(r, m.Group, marts); mart != "" {
			s := n.at(m.Start, m.End, m.Surface)
			s.called = true
			s.claims[mart] = max(s.claims[mart], c.file.Weights.Hint)
		}
	}
}

func (c *Clarifier) hintedMart(r Request, group *synonym.Group, marts map[string]catalog.Mart) string {
	i, err := strconv.Atoi(group.ID)
	if err != nil {
		return ""
	}
	return c.calledBy(r, c.file.Hints[i].Mart, marts)
}

// calledBy returns the visible mart that calls itself by one of the words, the
// first word first; "" where there is none.
func (c *Clarifier) calledBy(r Request, words []string, marts map[string]catalog.Mart) string {
	for _, word := range words {
		for _, m := range r.Volume.Marts.Matches(word) {
			if mart, visible := marts[m.Group.ID]; visible && !mart.Fallback && m.Surface == word && means(word, m.Group.Entries) {
				return m.Group.ID
			}
		}
	}
	return ""
}

// means reports whether a word of a question is one of the entries and not only of
// their stem: "conversations" is no "conversion".
func means(surface string, entries []string) bool {
	const endings = 3 // letters that inflection changes
	word := strings.ToLower(surface)
	if strings.ContainsAny(word, " -") || word[0] >= utf8.RuneSelf {
		return true
	}
	return slices.ContainsFunc(entries, func(entry string) bool {
		entry = strings.ToLower(entry)
		shared := 0
		for shared < min(len(word), len(entry)) && word[shared] == entry[shared] {
			shared++
		}
		return shared == len(word) || shared == len(entry) || len(word)-shared <= endings && len(entry)-shared < endings
	})
}

// onlyAsks reports whether a match is a word of asking that but shares the stem of a
// mart's word: "list the buyers" is not about listings.
func onlyAsks(r Request, m synonym.Match) bool {
	return slices.ContainsFunc(r.Question.Asking, func(a retrieval.Span) bool { return a.Start <= m.Start && m.End <= a.End }) &&
		!slices.ContainsFunc(m.Group.Entries, func(entry string) bool { return strings.EqualFold(entry, m.Surface) })
}

// inNamed reports whether a place is part of a table's name.
func inNamed(r Request, start, end int) bool {
	return slices.ContainsFunc(r.Question.NameSpans, func(n retrieval.Span) bool { return n.Start <= start && end <= n.End })
}
