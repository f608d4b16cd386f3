package synonym

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
)

// zh-en.tsv.gz: common Chinese words, most frequent first, with English
// translations. See zh-en.LICENSE and scripts/make-zh-en.py.
//
//go:embed zh-en.tsv.gz
var chineseEnglish []byte

const (
	// maxLexiconBytes bounds the unpacked lexicon.
	maxLexiconBytes = 8 << 20
	// classifiers stand before what is counted ("which table" is 哪张表) and mean
	// nothing by themselves.
	classifiers = "张个条份只位件笔批辆篇座艘枚颗棵匹"
)

// Bilingual cuts Chinese into words and knows English ones for them. It never
// changes and may be used concurrently.
type Bilingual struct {
	words   map[string]chinese
	longest int // characters of the longest word
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
		characters := utf8.RuneCountInString(word)
		if characters == 1 && strings.Contains(classifiers, word) {
			translations = ""
		}
		b.words[word] = chinese{cost: math.Log(float64(rank + 10)), translations: translations}
		b.longest = max(b.longest, characters)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the embedded Chinese words: %w", err)
	}
	return b, nil
}

// Words cuts a text of Chinese characters into its likeliest words: those whose
// costs are least together.
func (b *Bilingual) Words(text string) []Word {
	var words []Word
	at := 0
	for _, w := range lang.Cut(text, b.longest, b.cost) {
		_, translations, known := b.Find(w)
		words = append(words, Word{Start: at, End: at + len(w), Translations: translations, Known: known})
		at += len(w)
	}
	return words
}

func (b *Bilingual) cost(word string) (float64, bool) {
	w, known := b.words[word]
	return w.cost, known
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

// All yields the Chinese words that have translations, with them, in no order.
func (b *Bilingual) All() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for word, w := range b.words {
			if w.translations != "" && !yield(word, strings.Split(w.translations, "\t")) {
				return
			}
		}
	}
}
