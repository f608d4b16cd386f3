package retrieval

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Span is a part of a text in bytes.
type Span struct{ Start, End int }

// Term is one way to find a concept in a document.
type Term struct {
	Text   string
	Weight float64
	// Entry is the synonym that the term comes from; empty for the question's own word.
	Entry string

	slot int // its place among the query's known terms; unknownTerm where no table has it
}

// unknownTerm is the slot of a term that is in no document.
const unknownTerm = -1

// Concept is a word or phrase of the question with all that stands for it.
type Concept struct {
	Surface  string
	Span     Span
	Terms    []Term
	Glossary []catalog.Term // the business words that it is
	weight   float64
}

// Within reports whether the concept stands in one of some places, wholly or in part.
func (c Concept) Within(places []Span) bool { return overlaps(c.Span, places) }

// Query is a parsed text.
type Query struct {
	Text     string
	Concepts []Concept

	facets facet.Asked
	known  []int32 // ids of the terms that the corpus has, each once
}

// Parse reads a text. The parts in skip are left out: the caller knows what they
// are (a country, a table's name).
func (c *Corpus) Parse(text string, skip []Span) Query {
	if len(text) > c.cfg.MaxQuestionBytes {
		cut := c.cfg.MaxQuestionBytes
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	q := Query{Text: text, facets: c.facets.Read(text)}
	var taken []Span
	// What the caller knows to be something else is no part of a word: of 各国取消率, which some
	// column may be called, 取消率 is left.
	spoken := slices.DeleteFunc(c.spoken.Matches(text), func(m synonym.Match) bool { return overlaps(Span{m.Start, m.End}, skip) })
	whole := c.wholeWords(text)
	for _, m := range c.dictionary.Matches(text) {
		span := Span{m.Start, m.End}
		if slices.ContainsFunc(spoken, func(s synonym.Match) bool { return partOf(span, Span{s.Start, s.End}) }) {
			continue // a part of a word
		}
		_, own := c.glossary[m.Group.ID]
		if !own && slices.ContainsFunc(whole, func(w Span) bool { return partOf(span, w) }) {
			continue // "人" of "人口" is no person; what a company calls its things it may call as it likes
		}
		// A match of stop words alone ("list", "days") is none.
		if overlaps(span, skip) || len(c.analyzer.Terms(m.Surface)) == 0 {
			continue
		}
		taken = append(taken, span)
		q.addMatch(m, c)
	}
	for _, m := range spoken {
		if span := (Span{m.Start, m.End}); !overlaps(span, taken) {
			taken = append(taken, span)
			_, translations, _ := c.bilingual.Find(m.Surface)
			q.addHanWord(c, text, synonym.Word{Start: m.Start, End: m.End, Translations: translations, Known: true})
		}
	}
	q.addWords(c, text, skip, taken)
	q.addChinese(c, text, slices.Concat(skip, taken))
	slices.SortStableFunc(q.Concepts, func(a, b Concept) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	q.Concepts = q.Concepts[:min(len(q.Concepts), c.cfg.MaxConcepts)]
	c.weaken(&q)
	q.lookUp(c.docs)
	return q
}

// partOf reports whether a span is a part of another and not all of it.
func partOf(s, of Span) bool { return of.Start <= s.Start && s.End <= of.End && s != of }

// addWords turns the words that are no phrase into concepts.
func (q *Query) addWords(c *Corpus, text string, skip, taken []Span) {
	tokens := c.analyzer.Tokens(text)
	for from := 0; from < len(tokens); {
		to := from + 1
		for to < len(tokens) && tokens[to].Part {
			to++
		}
		whole, parts := tokens[from], tokens[from+1:to]
		from = to
		span := Span{whole.Start, whole.End}
		if whole.Stop || whole.Kind == analysis.Han || overlaps(span, skip) || overlaps(span, taken) {
			continue
		}
		concept := Concept{Surface: whole.Surface, Span: span, weight: 1, Terms: []Term{{Text: whole.Term, Weight: 1}}}
		if whole.Kind == analysis.Number {
			concept.weight = numberWeight
		}
		concept.addParts(parts, c.cfg.Parts)
		concept.addShort(c, whole)
		q.add(concept)
	}
}

// addParts adds the words that the concept's one runs together.
func (c *Concept) addParts(parts []analysis.Token, weight float64) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(t analysis.Token) bool { return t.Stop })
	words := make([]string, 0, len(parts))
	for _, p := range parts {
		words = append(words, p.Word)
	}
	for _, p := range parts {
		c.Terms = append(c.Terms, Term{Text: p.Term, Weight: weight / float64(len(parts)), Entry: strings.Join(words, " ")})
	}
}

// addShort adds what a word may be short for, and its short forms.
func (c *Concept) addShort(corpus *Corpus, word analysis.Token) {
	if word.Kind != analysis.Word {
		return
	}
	for _, guesses := range [][]analysis.Guess{corpus.short.Shorts(word.Word), corpus.short.Longs(word.Word)} {
		for _, g := range guesses {
			term := corpus.analyzer.Stem(g.Word)
			if !slices.ContainsFunc(c.Terms, func(t Term) bool { return t.Text == term }) {
				c.Terms = append(c.Terms, Term{Text: term, Weight: corpus.cfg.Abbreviation * g.Weight, Entry: g.Word})
			}
		}
	}
}

// lookUp numbers the terms that the documents have.
func (q *Query) lookUp(docs *lexical.Documents) {
	q.known = nil
	slots := make(map[int32]int)
	for i := range q.Concepts {
		for j := range q.Concepts[i].Terms {
			t := &q.Concepts[i].Terms[j]
			t.slot = unknownTerm
			id, known := docs.ID(t.Text)
			if !known || docs.Frequency(id) == 0 {
				continue
			}
			slot, have := slots[id]
			if !have {
				slot = len(q.known)
				slots[id] = slot
				q.known = append(q.known, id)
			}
			t.slot = slot
		}
	}
}

// addMatch turns a recognised phrase into a concept, or adds to the one that the
// same phrase of another group made.
func (q *Query) addMatch(m synonym.Match, c *Corpus) {
	concept := Concept{Surface: m.Surface, Span: Span{m.Start, m.End}, weight: 1}
	own := c.analyzer.Terms(m.Surface)
	for _, t := range own {
		concept.Terms = append(concept.Terms, Term{Text: t, Weight: 1 / float64(len(own))})
	}
	if term, ok := c.glossary[m.Group.ID]; ok {
		concept.Glossary = []catalog.Term{term}
	}
	concept.Terms = append(concept.Terms, c.defined[m.Group.ID]...)
	for _, t := range m.Terms {
		concept.Terms = append(concept.Terms, Term{Text: t.Text, Weight: t.Weight, Entry: t.Entry})
	}
	if tokens := c.analyzer.Tokens(m.Surface); len(tokens) == 1 {
		concept.addShort(c, tokens[0])
	}
	q.add(concept)
}

// add appends a concept; one that stands twice in the text counts once.
func (q *Query) add(c Concept) {
	for i := range q.Concepts {
		have := &q.Concepts[i]
		if have.Span != c.Span && !strings.EqualFold(have.Surface, c.Surface) {
			continue
		}
		for _, t := range c.Terms {
			if !slices.ContainsFunc(have.Terms, func(h Term) bool { return h.Text == t.Text }) {
				have.Terms = append(have.Terms, t)
			}
		}
		for _, g := range c.Glossary {
			if !slices.ContainsFunc(have.Glossary, func(h catalog.Term) bool { return h.Term == g.Term && h.Mart == g.Mart }) {
				have.Glossary = append(have.Glossary, g)
			}
		}
		return
	}
	q.Concepts = append(q.Concepts, c)
}

// terms returns what BM25 searches for: each term once, with its best weight,
// heaviest first.
func (q Query) terms() []lexical.Term {
	best := make(map[string]float64)
	for _, c := range q.Concepts {
		for _, t := range c.Terms {
			best[t.Text] = max(best[t.Text], t.Weight*c.weight)
		}
	}
	terms := make([]lexical.Term, 0, len(best))
	for text, weight := range best {
		terms = append(terms, lexical.Term{Text: text, Weight: weight})
	}
	slices.SortFunc(terms, func(a, b lexical.Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	return terms
}

func overlaps(s Span, in []Span) bool {
	return slices.ContainsFunc(in, func(o Span) bool { return s.Start < o.End && o.Start < s.End })
}
