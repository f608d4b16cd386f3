package synonym

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// zh-en.tsv.gz: common Chinese words, most frequent first, with English
// translations. See zh-en.LICENSE and scripts/make-zh-en.py.
//
//go:embed zh-en.tsv.gz
var chineseEnglish []byte

const (
	// maxLexiconBytes bounds the unpacked lexicon.
	maxLexiconBytes = 8 << 20
	// unknownCharacter is the cost of a character that is no word.
	unknownCharacter = 14
	// classifiers stand before what is counted ("which table" is 哪张表) and mean
	// nothing by themselves.
	classifiers = "张个条份只位件笔批辆篇座艘枚颗棵匹"
	// perWord is the cost of each word: fewer are likelier.
	perWord = 2
)

// Bilingual cuts Chinese into words and knows English ones for them. It never
// changes and may be used concurrently.
type Bilingual struct {
	words   map[string]chinese
	longest int // bytes of the longest word
}

type chinese struct {
	cost         float64 // minus the logarithm of the word's probability
	translations string  // separated by tabs
}

// Word is a word of a Chinese text.
type Word struct {
	Start, End   int      // bytes in the text
	Translations []string // English, the first sense first; none for a name or a word of grammar
	Known        bool     // the lexicon has it
}

// NewBilingual reads the embedded lexicon.
func NewBilingual() (*Bilingual, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(chineseEnglish))
	if err != nil {
		return nil, fmt.Errorf("read the embedded Chinese words: %w", err)
	}
	b := &Bilingual{words: make(map[string]chinese, 1<<15)}
	lines := bufio.NewScanner(io.LimitReader(unpacked, maxLexiconBytes))
	for rank := 0; lines.Scan(); rank++ {
		word, translations, _ := strings.Cut(lines.Text(), "\t")
		if utf8.RuneCountInString(word) == 1 && strings.Contains(classifiers, word) {
			translations = ""
		}
		b.words[word] = chinese{cost: math.Log(float64(rank + 10)), translations: translations}
		b.longest = max(b.longest, len(word))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the embedded Chinese words: %w", err)
	}
	return b, nil
}

// Words cuts a text of Chinese characters into its likeliest words: those whose
// costs are least together.
func (b *Bilingual) Words(text string) []Word {
	best := make([]float64, len(text)+1)
	from := make([]int, len(text)+1)
	for i := 1; i <= len(text); i++ {
		best[i] = math.Inf(1)
	}
	for start := 0; start < len(text); {
		_, size := utf8.DecodeRuneInString(text[start:])
		if !math.IsInf(best[start], 1) {
			b.extend(text, start, size, best, from)
		}
		start += size
	}
	var words []Word
	for end := len(text); end > 0; end = from[end] {
		words = append(words, b.word(text, from[end], end))
	}
	for i, j := 0, len(words)-1; i < j; i, j = i+1, j-1 {
		words[i], words[j] = words[j], words[i]
	}
	return words
}

// Find returns what a word costs (minus the logarithm of its probability) and its
// translations, the first sense first.
func (b *Bilingual) Find(word string) (cost float64, translations []string, known bool) {
	w, known := b.words[word]
	if w.translations != "" {
		translations = strings.Split(w.translations, "\t")
	}
	return w.cost, translations, known
}

// extend tries all words that begin at start, where a character has size bytes.
func (b *Bilingual) extend(text string, start, size int, best []float64, from []int) {
	try := func(end int, cost float64) {
		if cost += best[start] + perWord; cost < best[end] {
			best[end], from[end] = cost, start
		}
	}
	try(start+size, unknownCharacter)
	for end := start + size; end <= min(start+b.longest, len(text)); {
		if w, known := b.words[text[start:end]]; known {
			try(end, w.cost)
		}
		if end == len(text) {
			return
		}
		_, next := utf8.DecodeRuneInString(text[end:])
		end += next
	}
}

func (b *Bilingual) word(text string, start, end int) Word {
	w := Word{Start: start, End: end}
	known, ok := b.words[text[start:end]]
	w.Known = ok
	if known.translations != "" {
		w.Translations = strings.Split(known.translations, "\t")
	}
	return w
}
