package passage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Words knows which words can stand for which: English for Chinese and the reverse by
// the bilingual lexicon, and English for English where the lexicon translates the same
// Chinese words into both. It never changes and may be used concurrently.
type Words struct {
	analyzer  *analysis.Analyzer
	bilingual *synonym.Bilingual
	same      map[string][]alternative // English term to English terms, nearest first
	chinese   map[string][]alternative // English term to Chinese words, nearest first
}

// alternative is what may stand for a word, with how near it is: 0 to 1.
type alternative struct {
	terms  []string
	weight float64
}

const (
	// leastShared is how many Chinese words two English ones translate to count as
	// alike: one is chance, since each has several senses.
	leastShared = 2
	// leastAlike is the least share of their Chinese words that two English ones have
	// in common.
	leastAlike = 0.1
	// mostAlternatives bounds what stands for one word.
	mostAlternatives = 8
)

// NewWords returns the words of the embedded lexicons, which are read once.
func NewWords() (*Words, error) { return embedded() }

var embedded = sync.OnceValues(readWords)

func readWords() (*Words, error) {
	w := &Words{same: make(map[string][]alternative), chinese: make(map[string][]alternative)}
	var err error
	if w.analyzer, err = analysis.New(); err != nil {
		return nil, err
	}
	if w.bilingual, err = synonym.NewBilingual(); err != nil {
		return nil, fmt.Errorf("words of passages: %w", err)
	}
	count := make(map[string]float64)             // Chinese words of an English term
	shared := make(map[string]map[string]float64) // of two of them
	reverse := make(map[string][]string)
	for word, translations := range w.bilingual.All() {
		terms := w.single(translations)
		for _, a := range terms {
			count[a]++
			reverse[a] = append(reverse[a], word)
			for _, b := range terms {
				if a == b {
					continue
				}
				if shared[a] == nil {
					shared[a] = make(map[string]float64)
				}
				shared[a][b]++
			}
		}
	}
	for a, others := range shared {
		for b, n := range others {
			if alike := n / math.Sqrt(count[a]*count[b]); n >= leastShared && alike >= leastAlike {
				w.same[a] = append(w.same[a], alternative{[]string{b}, alike})
			}
		}
		w.same[a] = nearest(w.same[a])
	}
	for a, words := range reverse {
		for _, word := range words {
			w.chinese[a] = append(w.chinese[a], alternative{w.analyzer.Terms(word), 1 / float64(len(w.single(w.translations(word))))})
		}
		w.chinese[a] = nearest(w.chinese[a])
	}
	return w, nil
}

// single returns the terms of the translations that are one word.
func (w *Words) single(translations []string) []string {
	var out []string
	for _, t := range translations {
		if terms := w.analyzer.Terms(t); len(terms) == 1 && !strings.Contains(t, " ") && !slices.Contains(out, terms[0]) {
			out = append(out, terms[0])
		}
	}
	return out
}

func (w *Words) translations(word string) []string {
	_, translations, _ := w.bilingual.Find(word)
	return translations
}

func nearest(list []alternative) []alternative {
	slices.SortFunc(list, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.terms, b.terms))
	})
	list = slices.DeleteFunc(list, func(a alternative) bool { return len(a.terms) == 0 })
	return slices.Clip(list[:min(len(list), mostAlternatives)])
}

// Terms returns the terms of a text that are worth searching.
func (w *Words) Terms(text string) map[string]bool {
	terms := make(map[string]bool)
	for _, t := range w.analyzer.Terms(text) {
		terms[t] = true
	}
	return terms
}

// Count is how many words of a text are worth searching.
func (w *Words) Count(text string) int {
	n := 0
	for run := range hanRuns(text) {
		for _, word := range w.bilingual.Words(run) {
			if len(w.analyzer.Terms(run[word.Start:word.End])) > 0 {
				n++
			}
		}
	}
	for _, t := range w.analyzer.Tokens(text) {
		if !t.Stop && !t.Part && t.Kind != analysis.Han {
			n++
		}
	}
	return n
}

// Share is the share of a text's terms that another text has: 0 to 1, 1 for a text
// without any.
func (w *Words) Share(of, in string) float64 {
	theirs, mine := w.Terms(in), w.Terms(of)
	have := 0
	for t := range mine {
		if theirs[t] {
			have++
		}
	}
	if len(mine) == 0 {
		return 1
	}
	return float64(have) / float64(len(mine))
}
