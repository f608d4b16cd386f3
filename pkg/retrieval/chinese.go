package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

const (
	// laterSense is what each further translation of a word counts against the one
	// before it.
	laterSense = 0.9
	// maxTranslations bounds the translations that are searched for.
	maxTranslations = 6
)

// addChinese turns the Chinese words that are no phrase into concepts: by their
// own characters, and by what they mean in English.
func (q *Query) addChinese(c *Corpus, text string, taken []Span) {
	for start := 0; start < len(text); {
		r, size := utf8.DecodeRuneInString(text[start:])
		if !unicode.Is(unicode.Han, r) {
			start += size
			continue
		}
		end := start
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.Is(unicode.Han, r) {
				break
			}
			end += size
		}
		q.addHan(c, text, Span{start, end}, taken)
		start = end
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
	weight := c.cfg.Synonyms.Cross
	for _, translation := range w.Translations[:min(len(w.Translations), maxTranslations)] {
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
