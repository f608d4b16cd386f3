package language

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

//go:embed words.yaml units.yaml
var files embed.FS

// Tag says what a phrase does: a name and, for some, an argument.
type Tag struct{ Name, Arg string }

// Stop is the tag of words that carry nothing.
const Stop = "stop"

// Words are the general words of questions. Read-only after Load.
type Words struct {
	phrases    map[string][]Tag
	adjectives map[string]*Adjective
	ends       map[string]bool // superlatives of adjectives that are said of any order
	units      map[string]Unit
	alike      map[string]int             // group, by word
	single     map[string]bool            // each word of the phrases
	classes    map[string]map[string]bool // words of closed classes, by class and key
	longest    int                        // tokens of the longest phrase
}

// Adjective orders things by an attribute that it does not name: "longest" by a
// length, 最早 by a date.
type Adjective struct {
	Most       []string `yaml:"most"` // superlatives
	More       []string `yaml:"more"` // comparatives, with what follows them: "longer than"
	Down       bool     `yaml:"down"` // most of it first: longest, not shortest
	How        []string `yaml:"how"`  // asks how much of it there is: "how long"
	Attributes []string `yaml:"attributes"`
	Time       bool     `yaml:"time"` // by when it was
	Mean       bool     `yaml:"mean"` // of many by how they are on the whole: best
}

// Unit is one of a quantity: 1 of it is Factor of the quantity's smallest.
type Unit struct {
	Quantity string
	Factor   float64
	Of       []string // what it is always of: years old of an age
}

func newWords() *Words {
	return &Words{phrases: map[string][]Tag{}, single: map[string]bool{}, adjectives: map[string]*Adjective{}, ends: map[string]bool{}, units: map[string]Unit{}, alike: map[string]int{}, classes: map[string]map[string]bool{}}
}

// Load reads the embedded words.
func Load() (*Words, error) {
	w := newWords()
	var in struct {
		Tags       map[string][]string `yaml:"tags"`
		Adjectives []*Adjective        `yaml:"adjectives"`
		Alike      [][]string          `yaml:"alike"`
		Classes    map[string][]string `yaml:"classes"`
	}
	if err := read("words.yaml", &in); err != nil {
		return nil, err
	}
	for key, list := range in.Tags {
		for _, phrase := range list {
			w.add(phrase, tagOf(key))
		}
	}
	for name, list := range in.Classes {
		w.classes[name] = make(map[string]bool, len(list))
		for _, phrase := range list {
			w.classes[name][key(Split(phrase))] = true
		}
	}
	for i, group := range in.Alike {
		for _, word := range group {
			w.alike[word], w.alike[token.Stem(word)] = i+1, i+1
		}
	}
	for _, a := range in.Adjectives {
		dir := map[bool]string{true: "hi", false: "lo"}[a.Down]
		for _, s := range a.Most {
			k := key(Split(s))
			w.ends[k] = slices.ContainsFunc(w.phrases[k], func(t Tag) bool { return t.Name == "super" })
			w.adjectives[k] = a
			w.add(s, Tag{"super", dir})
			if plain, ok := strings.CutPrefix(s, "最"); ok && len(a.Attributes) > 0 {
				for _, by := range []string{"多少", "了多少", "几"} {
					w.compared(plain+by, "gap", dir, a)
				}
			}
		}
		for _, s := range a.How {
			w.adjectives[key(Split(s))] = a
			w.add(s, Tag{Name: "howbig"})
		}
		for _, s := range a.More {
			w.adjectives[key(Split(s))] = a
			w.add(s, Tag{"cmp", map[bool]string{true: ">", false: "<"}[a.Down]})
			if plain, ok := strings.CutSuffix(s, " than"); ok {
				w.compared(plain, "comparative", dir, a)
			}
		}
	}
	var units map[string][]struct {
		Factor float64  `yaml:"factor"`
		Names  []string `yaml:"names"`
		Of     []string `yaml:"of"`
	}
	if err := read("units.yaml", &units); err != nil {
		return nil, err
	}
	for quantity, list := range units {
		for _, u := range list {
			for _, name := range u.Names {
				w.units[key(Split(name))] = Unit{quantity, u.Factor, u.Of}
				w.longest = max(w.longest, len(Split(name)))
			}
		}
	}
	return w, nil
}

// compared adds a comparative, or the wish for a difference with one in it, where no list has it.
func (w *Words) compared(phrase, tag, dir string, a *Adjective) {
	k := key(Split(phrase))
	if w.adjectives[k] == nil && len(a.Attributes) > 0 {
		w.adjectives[k] = a
	}
	w.add(phrase, Tag{tag, dir})
}

func read(name string, into any) error {
	text, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("words of questions: %w", err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("words of questions, %s: %w", name, err)
	}
	return nil
}

// tagOf reads the name of a list of words: a tag, or a tag and its argument.
func tagOf(key string) Tag {
	name, arg, _ := strings.Cut(key, ":")
	return Tag{name, arg}
}

func (w *Words) add(phrase string, t Tag) {
	tokens := Split(phrase)
	w.longest = max(w.longest, len(tokens))
	k := key(tokens)
	w.phrases[k] = append(w.phrases[k], t)
	for _, t := range tokens {
		if t.Kind == Word {
			w.single[t.Lower] = true
		}
	}
}

// Slips are the words of phrases that a word in lower case is with one slip of the hand.
func (w *Words) Slips(word string) []string {
	var out []string
	for known := range w.single {
		if token.Slip(word, known) {
			out = append(out, known)
		}
	}
	slices.Sort(out)
	return out
}

// key is how tokens are looked up: words in lower case with a blank between them,
// Chinese characters without.
func key(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.Kind != Han || tokens[i-1].Kind != Han) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Lower)
	}
	return b.String()
}

// Key is the form in which texts are compared.
func Key(tokens []Token) string { return key(tokens) }

// Longest is how many tokens the longest phrase has.
func (w *Words) Longest() int { return w.longest }

// Tags are those of a phrase, by its key.
func (w *Words) Tags(key string) []Tag { return w.phrases[key] }

// IsOf reports whether a phrase, by its key, is of a closed class. Words of one are no general words of questions by that.
func (w *Words) IsOf(class, key string) bool { return w.classes[class][key] }

// Adjective is what a superlative or a comparative orders by; nil: no attribute of
// its own.
func (w *Words) Adjective(key string) *Adjective { return w.adjectives[key] }

// EndsAnyOrder reports whether the superlative of an attribute is said of any other order too: 最高
// is the tallest, and the highest of whatever it is.
func (w *Words) EndsAnyOrder(key string) bool { return w.ends[key] }

// Alike reports whether two words, or their stems, stand for each other.
func (w *Words) Alike(a, b string) bool { return w.alike[a] != 0 && w.alike[a] == w.alike[b] }

// Group is a number that words which stand for each other share; 0: it has none.
func (w *Words) Group(word string) int { return w.alike[word] }

// Others are the words that stand for a word, without it.
func (w *Words) Others(word string) []string {
	group := w.alike[word]
	if group == 0 {
		return nil
	}
	var out []string
	for other, g := range w.alike {
		if g == group && other != word {
			out = append(out, other)
		}
	}
	slices.Sort(out)
	return out
}

// Unit is what a word measures in.
func (w *Words) Unit(key string) (Unit, bool) {
	u, ok := w.units[key]
	return u, ok
}
