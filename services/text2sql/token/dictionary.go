package token

import (
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
)

// ownCost is the cost of a word added to the dictionary, unless it is more common:
// about minus the logarithm of its probability.
const ownCost = 5.0

// maxWordRunes is the length of the longest word that a dictionary takes.
const maxWordRunes = 20

// Language knows how common the words of a language are.
type Language interface {
	// Cost returns minus the logarithm of a word's probability.
	Cost(word string) (float64, bool)
}

// Dictionary is a set of Chinese words, on top of those of the language, by which
// Chinese text is cut.
type Dictionary struct {
	words    map[string]float64
	language Language // nil: none
	maxRunes int
}

// longestGeneral bounds the characters of a word of the language.
const longestGeneral = 8

// NewDictionary returns a dictionary of words; words without a Han character are
// left out.
func NewDictionary(words ...string) *Dictionary {
	d := &Dictionary{words: make(map[string]float64, len(words))}
	d.Add(words...)
	return d
}

// Over returns a dictionary whose words come before those of a language.
func Over(language Language) *Dictionary {
	return &Dictionary{words: map[string]float64{}, language: language, maxRunes: longestGeneral}
}

// Add adds words.
func (d *Dictionary) Add(words ...string) {
	for _, w := range words {
		n, han := 0, false
		for _, r := range w {
			n++
			han = han || unicode.Is(unicode.Han, r)
		}
		if !han || n > maxWordRunes {
			continue
		}
		cost := ownCost
		if d.language != nil {
			if known, ok := d.language.Cost(w); ok {
				cost = min(cost, known)
			}
		}
		d.words[w] = cost
		d.maxRunes = max(d.maxRunes, n)
	}
}

// Clone returns a copy that can be added to.
func (d *Dictionary) Clone() *Dictionary {
	c := &Dictionary{words: make(map[string]float64, len(d.words)), language: d.language, maxRunes: d.maxRunes}
	for w, cost := range d.words {
		c.words[w] = cost
	}
	return c
}

func (d *Dictionary) cost(word string) (float64, bool) {
	if c, ok := d.words[word]; ok {
		return c, true
	}
	if d.language == nil {
		return 0, false
	}
	return d.language.Cost(word)
}

// han cuts a run that begins with Chinese into the words that cost least together.
// A word may hold other letters; what stands alone and is not Chinese is left to
// the other rules.
func (s *splitter) han() {
	run := s.text[s.pos:]
	for i, r := range run {
		if unicode.IsSpace(r) {
			run = run[:i]
			break
		}
		if i > maxRun {
			run = run[:i]
			break
		}
	}
	for _, w := range s.words.cut(run) {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.Is(unicode.Han, r) || len(s.out) >= MaxTokens {
			return
		}
		s.add(Han, s.pos, s.pos+len(w))
	}
}

// Parts returns the likeliest words that a word is made of, at least two, or the
// word itself where it has one character.
func (d *Dictionary) Parts(word string) []string {
	if utf8.RuneCountInString(word) < 2 {
		return []string{word}
	}
	whole := *d
	whole.maxRunes = min(d.maxRunes, utf8.RuneCountInString(word)-1)
	return whole.cut(word)
}

// maxRun bounds the bytes that are cut at a time.
const maxRun = 600

func (d *Dictionary) cut(text string) []string {
	if d == nil {
		return lang.Cut(text, 0, nil)
	}
	return lang.Cut(text, d.maxRunes, d.cost)
}
