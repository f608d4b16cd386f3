package lexicon

import (
	_ "embed" // morphemes.tsv.gz
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// morphemes.tsv.gz: of common English words, the Chinese characters that several of their
// translations share. See morphemes.LICENSE and scripts/morphemes, which says how often such a
// character leads to the right name.
//
//go:embed morphemes.tsv.gz
var morphemesFile []byte

// maxMorphemesBytes bounds the unpacked characters.
const maxMorphemesBytes = 4 << 20

// Morpheme is a Chinese character that translations of a word share.
type Morpheme struct {
	Character string
	Share     float64 // of the translations, 0 to 1, the first ones weighing most
}

// morphemes are unpacked when they are first asked for: questions in the language of the
// names need none.
type morphemes struct {
	load func() error
	of   map[string][]Morpheme
}

func newMorphemes(file []byte) *morphemes {
	m := &morphemes{of: map[string][]Morpheme{}}
	m.load = sync.OnceValue(func() error { return m.read(file) })
	return m
}

func (m *morphemes) read(file []byte) error {
	return eachLine("morphemes", file, maxMorphemesBytes, func(line string) error {
		word, rest, _ := strings.Cut(line, "\t")
		for pair := range strings.FieldsSeq(rest) {
			character, share, _ := strings.Cut(pair, ":")
			n, err := strconv.ParseUint(share, 10, 8)
			if err != nil || n > 100 {
				return fmt.Errorf("%q of %q is no share in hundredths", share, word)
			}
			m.of[word] = append(m.of[word], Morpheme{Character: character, Share: float64(n) / 100})
		}
		return nil
	})
}

// Morphemes are the Chinese characters that several translations of an English word in lower
// case share, the most shared first: 借 of "loan".
func (l *Lexicon) Morphemes(word string) []Morpheme {
	if l.morphemes.load() != nil {
		return nil // TestMorphemes holds that the file can be read
	}
	return l.morphemes.of[word]
}
