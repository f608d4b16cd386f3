package analysis

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// words.txt.gz: 40,000 English words of three letters and more, most frequent
// first. See words.LICENSE.
//
//go:embed words.txt.gz
var generalWords []byte

// maxWordsBytes bounds the unpacked list.
const maxWordsBytes = 1 << 20

// lexicon holds what is known of words in general.
type lexicon struct {
	rank map[string]int // 0 for the most frequent
}

// generalLexicon is that of the embedded words, which nothing changes.
var generalLexicon = sync.OnceValues(readLexicon)

func readLexicon() (*lexicon, error) {
	words, err := unpack(generalWords)
	if err != nil {
		return nil, fmt.Errorf("read the embedded words: %w", err)
	}
	l := &lexicon{rank: make(map[string]int, len(words))}
	for i, w := range words {
		l.rank[w] = i
	}
	return l, nil
}

// nouns.txt.gz: English words, not among the most common, that are nouns nearly always. See
// nouns.LICENSE.
//
//go:embed nouns.txt.gz
var nounWords []byte

// notnouns.txt.gz: English words that are hardly ever nouns. See
// notnouns.LICENSE.
//
//go:embed notnouns.txt.gz
var notNounWords []byte

var (
	nouns    = sync.OnceValues(func() (map[string]bool, error) { return wordSet("nouns", nounWords) })
	notNouns = sync.OnceValues(func() (map[string]bool, error) { return wordSet("words that are no nouns", notNounWords) })
)

func wordSet(what string, packed []byte) (map[string]bool, error) {
	words, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("read the embedded %s: %w", what, err)
	}
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set, nil
}

// Nouns reports whether an English word, in the singular or the plural, is a noun nearly
// always and not one of those that are said around any subject.
func Nouns() (is func(word string) bool, err error) {
	set, err := nouns()
	if err != nil {
		return nil, err
	}
	return func(word string) bool {
		word = strings.ToLower(word)
		for _, plural := range [][2]string{{"", ""}, {"ies", "y"}, {"es", ""}, {"s", ""}} {
			if one, ok := strings.CutSuffix(word, plural[0]); ok && set[one+plural[1]] {
				return true
			}
		}
		return false
	}, nil
}

// NotNouns reports whether an English word is hardly ever a noun: a verb's form, an adjective,
// an adverb.
func NotNouns() (is func(word string) bool, err error) {
	set, err := notNouns()
	if err != nil {
		return nil, err
	}
	return func(word string) bool { return set[strings.ToLower(word)] }, nil
}

// Irregular returns the base of each English word in lower case that a stemmer leaves apart from it:
// "led" and "lead". The source is in irregular.LICENSE.
func Irregular() (map[string]string, error) {
	words, err := unpack(irregularWords)
	if err != nil || len(words)%2 != 0 {
		return nil, fmt.Errorf("read the embedded irregular words: %d words: %w", len(words), err)
	}
	bases := make(map[string]string, len(words)/2)
	for pair := range slices.Chunk(words, 2) {
		bases[pair[0]] = pair[1]
	}
	return bases, nil
}

// unpack returns the words of a compressed list.
func unpack(packed []byte) ([]string, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxWordsBytes))
	return strings.Fields(string(text)), err
}

// realWords is how many of the words, most frequent first, are taken to be words: slips
// that many people make come after them.
const realWords = 36000

// IsWord reports whether a text in lower case is one of the 36,000 most frequent words of
// English.
func IsWord(text string) bool {
	l, err := generalLexicon()
	if err != nil { // New reports what is wrong with the list
		return false
	}
	rank, known := l.rank[text]
	return known && rank < realWords
}

// cost is minus the logarithm of a word's probability, by Zipf's law over its
// rank.
func (l *lexicon) cost(word string) (float64, bool) {
	rank, known := l.rank[word]
	if !known {
		return 0, false
	}
	return math.Log(float64(rank+10)) + math.Log(math.Log(float64(len(l.rank)))), true
}
