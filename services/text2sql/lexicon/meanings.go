package lexicon

import (
	_ "embed" // meanings.tsv.gz
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// meanings.tsv.gz: of each common noun, the words of names that it may mean. See
// meanings.LICENSE and scripts/meanings.
//
//go:embed meanings.tsv.gz
var meaningsFile []byte

// maxMeaningsBytes bounds the unpacked meanings, maxMeanings those of one word: words of
// one stem share theirs.
const (
	maxMeaningsBytes = 16 << 20
	maxMeanings      = 64
)

// Meaning is a word of names that a word of a question may mean.
type Meaning struct {
	Stem  string
	Logit float64 // how likely it is meant, before what a name adds
}

// meanings are unpacked when they are first asked for: most questions need none.
type meanings struct {
	load  func() error
	stems []string
	at    map[string][]meaning
}

type meaning struct {
	stem uint32 // of stems
	near int16  // hundredths of a logit
}

func newMeanings(file []byte) *meanings {
	m := &meanings{}
	m.load = sync.OnceValue(func() error { return m.read(file) })
	return m
}

func (m *meanings) read(file []byte) error {
	m.at = map[string][]meaning{}
	number := map[string]uint32{} // of each word, that of its stem
	stems := map[string]uint32{}
	numberOf := func(word string) uint32 {
		if n, ok := number[word]; ok {
			return n
		}
		s := token.Stem(word)
		n, ok := stems[s]
		if !ok {
			n = uint32(len(m.stems)) //nolint:gosec // the file is bounded
			stems[s] = n
			m.stems = append(m.stems, s)
		}
		number[strings.Clone(word)] = n
		return n
	}
	err := eachLine("meanings", file, maxMeaningsBytes, func(line string) error {
		word, rest, _ := strings.Cut(line, "\t")
		said := m.stemOf(numberOf(word))
		for pair := range strings.FieldsSeq(rest) {
			named, near, _ := strings.Cut(pair, ":")
			n, err := strconv.ParseInt(near, 10, 16)
			if err != nil {
				return err
			}
			m.at[said] = append(m.at[said], meaning{stem: numberOf(named), near: int16(n)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for said, list := range m.at {
		slices.SortStableFunc(list, func(a, b meaning) int { return int(b.near) - int(a.near) })
		seen := map[uint32]bool{}
		list = slices.DeleteFunc(list, func(x meaning) bool {
			was := seen[x.stem] || m.stemOf(x.stem) == said
			seen[x.stem] = true
			return was
		})
		m.at[said] = slices.Clip(list[:min(len(list), maxMeanings)])
	}
	return nil
}

func (m *meanings) stemOf(n uint32) string { return m.stems[n] }

// Meanings are the words of names that a stem may mean by general language, likeliest
// first; none for words that have no common meaning as a noun.
func (l *Lexicon) Meanings(stem string) []Meaning {
	if l.meanings.load() != nil {
		return nil // TestMeanings holds that the file can be read
	}
	list := l.meanings.at[stem]
	out := make([]Meaning, len(list))
	for i, m := range list {
		out[i] = Meaning{Stem: l.meanings.stemOf(m.stem), Logit: float64(m.near) / 100}
	}
	return out
}
