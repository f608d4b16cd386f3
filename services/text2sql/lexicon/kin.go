package lexicon

import (
	_ "embed" // kin.tsv.gz
	"fmt"
	"slices"
	"strings"
	"sync"
)

// kin.tsv.gz: words that are derived from one another, by WordNet. See kin.LICENSE and
// scripts/kin.
//
//go:embed kin.tsv.gz
var kinFile []byte

// maxKinBytes bounds the unpacked pairs.
const maxKinBytes = 1 << 20

// kin are unpacked when they are first asked for: most questions need none.
type kin struct {
	load func() error
	of   map[bool]map[string][]string // by whether one of two words is a verb
}

func newKin(file []byte) *kin {
	k := &kin{of: map[bool]map[string][]string{false: {}, true: {}}}
	k.load = sync.OnceValue(func() error { return k.read(file) })
	return k
}

func (k *kin) read(file []byte) error {
	return eachLine("kin", file, maxKinBytes, func(line string) error {
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] != "a" && f[0] != "v" {
			return fmt.Errorf("line %q is no kind and two words", line)
		}
		of := k.of[f[0] == "v"]
		of[f[1]], of[f[2]] = append(of[f[1]], f[2]), append(of[f[2]], f[1])
		return nil
	})
}

// Kin are the words that an English word in lower case is derived from, or that are derived from
// it, those of its commoner senses first: "japan" of "japanese", "wind" of "windy". With verbs,
// also those that tell what is done: "death" of "die".
func (l *Lexicon) Kin(word string, verbs bool) []string {
	if l.kin.load() != nil {
		return nil // TestKin holds that the file can be read
	}
	out := slices.Clone(l.kin.of[false][word])
	if verbs {
		out = append(out, l.kin.of[true][word]...)
	}
	return out
}
