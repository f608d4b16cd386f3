package retrieval

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Meaning is something that a table holds and that people ask for in words of their
// own: a metric, what numbers are told by, or what queries call it. Its words find the table as those of a
// glossary do.
type Meaning struct {
	Names  map[lang.Language]string
	Words  []string
	Metric bool
	// Queried: the words are those of queries, not of a semantic layer.
	Queried bool
	// Needs are what the asker has to see to know of it.
	Needs []Need
}

// Need is that one of some tables is seen with some columns. Names that a table does
// not have as columns count for nothing.
type Need struct {
	Any     []*catalog.Table
	Columns []string
}

// Meanings are those of each table.
type Meanings map[*catalog.Table][]Meaning

// wordOfMeaning is told in the place of a field with the words of meanings: they
// stand with the glossary's where a table does not say them by itself.
const wordOfMeaning = fields

// eachWord tells the words of meanings.
func eachWord(meanings []Meaning, tell func(field int, text string)) {
	for i := range meanings {
		for _, w := range meanings[i].Words {
			if w != "" {
				tell(wordOfMeaning, w)
			}
		}
	}
}

// spokenWords finds the Chinese words for what the asker may know of: nothing else
// tells where they end.
func (c *Corpus) spokenWords() *synonym.Dictionary {
	seen := make(map[string]bool)
	var groups []synonym.Group
	for n := range c.tables {
		eachWord(c.meaningsOf(n), func(_ int, word string) {
			if lang.Detect(word) == lang.Chinese && !seen[word] {
				seen[word] = true
				groups = append(groups, synonym.Group{ID: word, Entries: []string{word}})
			}
		})
	}
	return synonym.New(c.analyzer, c.cfg.Synonyms, groups)
}

func (c *Corpus) numberMeanings(of Meanings) {
	c.meanings = make(map[int][]Meaning, len(of))
	for t, list := range of {
		if n, known := c.number[t]; known && len(list) > 0 {
			c.meanings[n] = list
		}
	}
}

// meaningsOf returns those of table n that the asker may know of.
func (c *Corpus) meaningsOf(n int) []Meaning {
	if c.view != nil {
		if less, is := c.view.meanings[n]; is {
			return less
		}
	}
	return c.meanings[n]
}

// meaningsSeen returns what is seen of the meanings of those tables of which it is
// not all.
func (c *Corpus) meaningsSeen(s Sight) map[int][]Meaning {
	less := make(map[int][]Meaning)
	for n, list := range c.meanings {
		seen := slices.DeleteFunc(slices.Clone(list), func(m Meaning) bool {
			return slices.ContainsFunc(m.Needs, func(need Need) bool { return !need.met(s) })
		})
		if len(seen) < len(list) {
			less[n] = seen
		}
	}
	return less
}

// met reports whether somebody sees what is needed.
func (need Need) met(s Sight) bool {
	return slices.ContainsFunc(need.Any, func(t *catalog.Table) bool {
		if s.Permitted != nil && !s.Permitted(t) {
			return false
		}
		shown := s.Visible(t)
		return shown == t || !slices.ContainsFunc(need.Columns, func(name string) bool {
			_, stored := t.Column(name)
			_, visible := shown.Column(name)
			return stored && !visible
		})
	})
}

// addMeanings says of the evidence for table n which meanings the words stand for,
// wherever they were found.
func (c *Corpus) addMeanings(n int, q *Query, all []Evidence) {
	meanings := c.meaningsOf(n)
	if len(meanings) == 0 {
		return
	}
	asked := make(map[string]bool)
	for i := range q.Concepts {
		for _, term := range q.Concepts[i].Terms {
			if term.Entry == "" {
				asked[term.Text] = true
			}
		}
	}
	for i := range all {
		all[i].Meaning = c.meaningOf(meanings, q, all[i], asked)
	}
}

// meaningOf returns the meaning that has a word of which all was asked for, all that
// was found among it, and of several the one with the longest such word; nil: none
// has.
func (c *Corpus) meaningOf(meanings []Meaning, q *Query, e Evidence, asked map[string]bool) *Meaning {
	var entry []string // what was found: the concept's own word, or another for it
	for _, t := range e.Concept.Terms {
		if t.Entry == e.Entry {
			entry = append(entry, t.Text)
		}
	}
	var best *Meaning
	longest := 0
	for i := range meanings {
		for _, word := range meanings[i].Words {
			terms := c.wholeTerms(word)
			if len(terms) >= longest && strings.EqualFold(word, e.Concept.Surface) { // whatever it was found by
				best, longest = &meanings[i], len(terms)
				continue
			}
			written := lang.Detect(word) == lang.Chinese && strings.Contains(q.Text, word) // words that are too common to search for too
			said := func(t string) bool { return written || asked[t] || slices.Contains(entry, t) }
			if len(terms) <= longest || slices.ContainsFunc(terms, func(t string) bool { return !said(t) }) {
				continue
			}
			in := func(t string) bool { return slices.Contains(terms, t) }
			if e.Entry == "" && slices.ContainsFunc(entry, in) || e.Entry != "" && !slices.ContainsFunc(entry, func(t string) bool { return !in(t) }) {
				best, longest = &meanings[i], len(terms)
			}
		}
	}
	return best
}

// wholeTerms returns the terms of a text without the parts of run-together words.
func (c *Corpus) wholeTerms(text string) []string {
	var terms []string
	for _, t := range c.analyzer.Tokens(text) {
		if !t.Part && !t.Stop {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

// HasMetric reports whether table t holds a metric that the question calls exactly by
// one of its words.
func (c *Corpus) HasMetric(q Query, t *catalog.Table) bool {
	n, ok := c.number[t]
	if !ok {
		return false
	}
	for _, m := range c.meaningsOf(n) {
		if m.Metric && slices.ContainsFunc(m.Words, func(word string) bool {
			return slices.ContainsFunc(q.Concepts, func(k Concept) bool { return strings.EqualFold(k.Surface, word) })
		}) {
			return true
		}
	}
	return false
}

// HasMeanings reports whether any table has a meaning that the asker may know of.
func (c *Corpus) HasMeanings() bool {
	for n := range c.meanings {
		if len(c.meaningsOf(n)) > 0 {
			return true
		}
	}
	return false
}
