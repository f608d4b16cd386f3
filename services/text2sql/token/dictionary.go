package token

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// Costs of words in the likeliest cut of a Chinese text. A cost is about minus the
// logarithm of a word's probability.
const (
	ownCost     = 5.0  // of a word added to the dictionary, unless it is more common
	unknownCost = 14.0 // of a character that is no word
	perWord     = 2.0  // of each word: fewer are likelier
)

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
	best := make([]float64, len(text)+1)
	from := make([]int, len(text)+1)
	for i := 1; i <= len(text); i++ {
		best[i] = math.Inf(1)
	}
	for start := 0; start < len(text); {
		_, size := utf8.DecodeRuneInString(text[start:])
		end := start
		for n := 1; end < len(text); n++ {
			_, next := utf8.DecodeRuneInString(text[end:])
			end += next
			cost, known := unknownCost, n == 1
			if d != nil && n <= d.maxRunes {
				if c, ok := d.cost(text[start:end]); ok {
					cost, known = c, true
				}
			}
			if total := best[start] + cost + perWord; known && total < best[end] {
				best[end], from[end] = total, start
			}
			if d == nil || n >= d.maxRunes {
				break
			}
		}
		start += size
	}
	var words []string
	for end := len(text); end > 0; end = from[end] {
		words = append(words, text[from[end]:end])
	}
	for i, j := 0, len(words)-1; i < j; i, j = i+1, j-1 {
		words[i], words[j] = words[j], words[i]
	}
	return words
}
