package analysis

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"
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

func readLexicon() (*lexicon, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(generalWords))
	if err != nil {
		return nil, fmt.Errorf("read the embedded words: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxWordsBytes))
	if err != nil {
		return nil, fmt.Errorf("read the embedded words: %w", err)
	}
	words := strings.Fields(string(text))
	l := &lexicon{rank: make(map[string]int, len(words))}
	for i, w := range words {
		l.rank[w] = i
	}
	return l, nil
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
