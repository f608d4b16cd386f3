package passage

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

// concept is a word of a question with all that may stand for it.
type concept struct {
	surface string
	weight  float64 // 1 for a word of the question, less for one of its context
	rarity  float64
	// forms are the word itself first, then its alternatives.
	forms []alternative
	// cross is set for a word that only its translations can find here.
	cross bool
	// before is set for a word of the context.
	before bool
}

// Weights of alternatives against the word itself.
const (
	sameWeight  = 0.4 // an English word for another
	crossWeight = 0.8 // a translation
	// grammar is what a Chinese word of one character counts against others where it is
	// among the commonest ones, whose cost is below common: such are words of grammar.
	grammar    = 0.3
	common     = 6.2
	laterSense = 0.85
	mostSenses = 6
	// mostConcepts bounds the words of a question that are searched for.
	mostConcepts = 48
)

// concepts reads the words of a text that are worth searching.
func (x *Index) concepts(text string, weight float64) []concept {
	var out []concept
	seen := make(map[string]bool)
	add := func(c concept) {
		key := strings.Join(c.forms[0].terms, " ")
		if seen[key] || len(out) == mostConcepts {
			return
		}
		seen[key] = true
		c.weight = weight
		if first, size := utf8.DecodeRuneInString(c.surface); size == len(c.surface) && unicode.Is(unicode.Han, first) {
			if cost, _, known := x.words.bilingual.Find(c.surface); known && cost < common {
				c.weight *= grammar
			}
		}
		out = append(out, c)
	}
	for run := range hanRuns(text) {
		for _, w := range x.words.bilingual.Words(run) {
			if c, ok := x.hanConcept(run[w.Start:w.End], w.Translations); ok {
				add(c)
			}
		}
	}
	for _, t := range x.words.analyzer.Tokens(text) {
		if t.Stop || t.Part || t.Kind == analysis.Han {
			continue
		}
		add(x.wordConcept(t))
	}
	x.weigh(out)
	return out
}

func (x *Index) wordConcept(t analysis.Token) concept {
	c := concept{surface: t.Surface, forms: []alternative{{[]string{t.Term}, 1}}}
	for _, a := range x.words.same[t.Term] {
		c.forms = append(c.forms, alternative{a.terms, sameWeight * a.weight})
	}
	if x.hasHan {
		for _, a := range x.words.chinese[t.Term] {
			c.forms = append(c.forms, alternative{a.terms, crossWeight * a.weight})
		}
	}
	return c
}

// hanConcept reads a Chinese word; ok is false for one that is not worth searching.
func (x *Index) hanConcept(word string, translations []string) (c concept, ok bool) {
	own := x.words.analyzer.Terms(word)
	if len(own) == 0 {
		return c, false
	}
	c = concept{surface: word, forms: []alternative{{own, 1}}}
	weight := crossWeight
	for _, t := range translations[:min(len(translations), mostSenses)] {
		if terms := x.words.analyzer.Terms(t); len(terms) > 0 {
			c.forms = append(c.forms, alternative{terms, weight})
			weight *= laterSense
		}
	}
	return c, true
}

// weigh gives each concept its rarity: that of its rarest form which the passages
// have, so that a translation counts as much as the word would; a word that nothing
// here can stand for counts as the rarest.
func (x *Index) weigh(concepts []concept) {
	for i := range concepts {
		c := &concepts[i]
		c.forms = slices.DeleteFunc(c.forms, func(a alternative) bool {
			return a.weight < 1 && !x.has(a.terms)
		})
		if own := c.forms[0].terms; x.has(own) {
			c.rarity = x.rarity(own)
			continue
		}
		c.rarity, c.cross = x.unseen, true
		for n, form := range c.forms[1:] {
			if r := x.rarity(form.terms); n == 0 || r < c.rarity {
				c.rarity = r
			}
		}
	}
}

// has reports whether the passages know all terms.
func (x *Index) has(terms []string) bool {
	for _, t := range terms {
		if _, known := x.frequency[t]; !known {
			return false
		}
	}
	return true
}

// rarity is the mean rarity of terms.
func (x *Index) rarity(terms []string) float64 {
	var sum float64
	for _, t := range terms {
		sum += x.idf(x.frequency[t])
	}
	return sum / float64(len(terms))
}

// hanRuns yields the runs of Chinese characters.
func hanRuns(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i, r := range text {
			han := unicode.Is(unicode.Han, r)
			if han && start < 0 {
				start = i
			}
			if !han && start >= 0 {
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}
