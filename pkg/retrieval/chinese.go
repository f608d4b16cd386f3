package retrieval

import (
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

const (
	// laterSense is what each further translation of a word counts against the one
	// before it.
	laterSense = 0.9
	// maxTranslations bounds the translations that are searched for.
	maxTranslations = 6
)

// hanRuns yields the runs of Chinese characters in a text.
func hanRuns(text string) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		start := -1
		for i, r := range text {
			switch han := unicode.Is(unicode.Han, r); {
			case han && start < 0:
				start = i
			case !han && start >= 0:
				if !yield(Span{start, i}) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(Span{start, len(text)})
		}
	}
}

// wholeWords returns the Chinese words of a text that the lexicon can translate:
// what stands inside of one is no word of its own.
func (c *Corpus) wholeWords(text string) []Span {
	var spans []Span
	for run := range hanRuns(text) {
		for _, w := range c.bilingual.Words(text[run.Start:run.End]) {
			if len(w.Translations) > 0 {
				spans = append(spans, Span{run.Start + w.Start, run.Start + w.End})
			}
		}
	}
	return spans
}

// addChinese turns the Chinese words that are no phrase into concepts: by their
// own characters, and by what they mean in English.
func (q *Query) addChinese(c *Corpus, text string, taken []Span) {
	for run := range hanRuns(text) {
		q.addHan(c, text, run, taken)
	}
}

// addHan reads a run of Chinese. What the lexicon does not know in a row is one
// word, a name perhaps.
func (q *Query) addHan(c *Corpus, text string, run Span, taken []Span) {
	words := c.bilingual.Words(text[run.Start:run.End])
	for from := 0; from < len(words); {
		to := from + 1
		for !words[from].Known && to < len(words) && !words[to].Known {
			to++
		}
		w := synonym.Word{Start: run.Start + words[from].Start, End: run.Start + words[to-1].End, Translations: words[from].Translations}
		from = to
		span := Span{w.Start, w.End}
		if overlaps(span, taken) {
			continue
		}
		q.addHanWord(c, text, w)
	}
}

func (q *Query) addHanWord(c *Corpus, text string, w synonym.Word) {
	concept := Concept{Surface: text[w.Start:w.End], Span: Span{w.Start, w.End}, weight: 1}
	own := c.analyzer.Terms(concept.Surface)
	if len(own) == 0 { // stop words
		return
	}
	for _, t := range own {
		concept.Terms = append(concept.Terms, Term{Text: t, Weight: 1 / float64(len(own))})
	}
	weight, most := c.cfg.Synonyms.Cross, maxTranslations
	if c.weak.says(concept.Surface) {
		most = 1 // what says little is not searched for by what it rarely means
	}
	for _, translation := range w.Translations[:min(len(w.Translations), most)] {
		terms := c.analyzer.Terms(translation)
		for _, t := range terms {
			concept.Terms = append(concept.Terms, Term{Text: t, Weight: weight / float64(len(terms)), Entry: translation})
		}
		if len(terms) > 0 && strings.TrimSpace(translation) != "" {
			weight *= laterSense
		}
	}
	q.add(concept)
}
