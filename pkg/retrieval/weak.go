package retrieval

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed weak.yaml
var weakWords []byte

// What words count that are seldom what a table is about.
const (
	// numberWeight is of a bare number: a limit, a day or a value far more often than
	// part of a name.
	numberWeight = 0.2
	// quotedWeight is of a quoted word: a value, likewise.
	quotedWeight = 0.25
	// facetWeight is at least of a word that asks for a facet ("Brazil", "daily"): it
	// is told apart by marks, but may stand in a table's text as well.
	facetWeight = 0.1
	// weakWeight is of a word that says what to do with the data.
	weakWeight = 0.4
)

// weak knows such words of a question.
type weak struct {
	words  map[string]struct{}
	phrase *regexp.Regexp
}

func readWeak() (*weak, error) {
	var file struct {
		Weak   map[string][]string `yaml:"weak"`
		Phrase string              `yaml:"phrase"`
	}
	if err := yaml.Unmarshal(weakWords, &file); err != nil {
		return nil, fmt.Errorf("read the embedded weak words: %w", err)
	}
	w := &weak{words: make(map[string]struct{})}
	for _, words := range file.Weak {
		for _, word := range words {
			w.words[word] = struct{}{}
		}
	}
	var err error
	if w.phrase, err = regexp.Compile(file.Phrase); err != nil {
		return nil, fmt.Errorf("read the embedded weak words: %w", err)
	}
	return w, nil
}

// says reports whether a word says little.
func (w *weak) says(word string) bool {
	_, known := w.words[strings.ToLower(word)]
	return known
}

// terms returns the terms of the words.
func (w *weak) terms(of func(word string) []int32) map[int32]bool {
	terms := make(map[int32]bool)
	for word := range w.words {
		if list := of(word); len(list) == 1 {
			terms[list[0]] = true
		}
	}
	return terms
}

// quoted finds what stands in quotes; quoteMarks are what it may begin with.
var quoted = regexp.MustCompile(`"[^"]{1,60}"|“[^”]{1,60}”|(?:^|[^\pL])'[^']{1,60}'(?:[^\pL]|$)|「[^」]{1,60}」|‘[^’]{1,60}’`)

const quoteMarks = "\"“'「‘"

// Weaken bounds the weight of the concepts for which pick answers true: words
// that tell what to do with the data rather than what it is about.
func (q *Query) Weaken(weight float64, pick func(Concept) bool) {
	for i := range q.Concepts {
		if pick(q.Concepts[i]) {
			q.Concepts[i].weight = min(q.Concepts[i].weight, weight)
		}
	}
}

// weaken bounds the weights of words that are seldom what a table is about. A
// business word is none of them.
func (c *Corpus) weaken(q *Query) {
	for _, m := range q.facets.Mentions {
		q.Weaken(max(m.Text, facetWeight), func(concept Concept) bool { return m.Start <= concept.Span.Start && concept.Span.End <= m.End })
	}
	if strings.ContainsAny(q.Text, quoteMarks) { // most questions have none, and the expression is slow
		inQuotes := spans(quoted, q.Text)
		q.Weaken(quotedWeight, func(concept Concept) bool { return overlaps(concept.Span, inQuotes) })
	}
	inPhrases := spans(c.weak.phrase, q.Text)
	q.Weaken(weakWeight, func(concept Concept) bool {
		return len(concept.Glossary) == 0 && (c.weak.says(concept.Surface) || overlaps(concept.Span, inPhrases))
	})
}

func spans(of *regexp.Regexp, text string) []Span {
	var list []Span
	for _, at := range of.FindAllStringIndex(text, -1) {
		list = append(list, Span{at[0], at[1]})
	}
	return list
}
