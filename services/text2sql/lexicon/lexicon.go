// Package lexicon holds the words of questions as data: phrases and what they
// do, adjectives and the attributes they order, shorthand and synonyms of schema
// words, dates, and Chinese words. The files in data say where they come from.
package lexicon

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

//go:embed data/*.yaml
var files embed.FS

// Tag says what a phrase does, with its argument: "cmp" and ">".
type Tag struct {
	Name string
	Arg  string
}

// Adjective orders by an attribute.
type Adjective struct {
	Superlatives []string `yaml:"superlatives"`
	Comparatives []string `yaml:"comparatives"`
	Desc         bool     `yaml:"desc"`
	Attributes   []string `yaml:"attributes"`
	Inverse      []string `yaml:"inverse"`
}

// ValueWords are words for stored codes.
type ValueWords struct {
	Words []string `yaml:"words"`
	Codes []string `yaml:"codes"`
}

// Lexicon is read-only after Load.
type Lexicon struct {
	phrases    map[string][]Tag
	maxWords   int
	adjectives map[string]*Adjective
	abbrev     map[string][]string
	short      map[string][]string // what data modellers write everywhere, by its stem: stems of what it is short for
	groups     map[string][]int    // stem -> synonym groups
	codes      map[string][]string
	opposites  [][2]ValueWords
	ends       map[string][]string // state -> what ends it
	weak       map[string]bool
	chinese    *Chinese
	meanings   *meanings
	kin        *kin
	morphemes  *morphemes
}

// Load reads the embedded files.
func Load() (*Lexicon, error) {
	l := &Lexicon{meanings: newMeanings(meaningsFile), kin: newKin(kinFile), morphemes: newMorphemes(morphemesFile), phrases: map[string][]Tag{}, adjectives: map[string]*Adjective{}, abbrev: map[string][]string{}, groups: map[string][]int{}, codes: map[string][]string{}, ends: map[string][]string{}, weak: map[string]bool{}}
	var phrases map[string][]string
	if err := read("phrases", &phrases); err != nil {
		return nil, err
	}
	for key, list := range phrases {
		name, arg, _ := strings.Cut(key, ":")
		for _, p := range list {
			if name == WeakTag {
				l.weak[p] = true
				continue
			}
			l.addPhrase(p, Tag{Name: name, Arg: arg})
		}
	}
	var adjectives []*Adjective
	if err := read("adjectives", &adjectives); err != nil {
		return nil, err
	}
	for _, a := range adjectives {
		for _, s := range a.Superlatives {
			l.adjectives[s] = a
			l.addPhrase(s, Tag{Name: "adjective", Arg: "superlative"})
		}
		for _, c := range a.Comparatives {
			l.adjectives[c+" than"] = a
			l.addPhrase(c+" than", Tag{Name: "adjective", Arg: "comparative"})
		}
	}
	var words struct {
		Abbreviations map[string][]string `yaml:"abbreviations"`
		Synonyms      [][]string          `yaml:"synonyms"`
		Opposites     [][2]ValueWords     `yaml:"opposites"`
		Ends          map[string][]string `yaml:"ends"`
	}
	if err := read("words", &words); err != nil {
		return nil, err
	}
	l.abbrev, l.ends = words.Abbreviations, words.Ends
	known, err := analysis.Known()
	if err != nil {
		return nil, err
	}
	l.short = make(map[string][]string, len(known))
	for short := range words.Abbreviations { // lat is no language
		delete(known, short)
		l.short[token.Stem(short)] = nil // they are written out
	}
	for short, longs := range known {
		for _, long := range longs {
			l.short[token.Stem(short)] = append(l.short[token.Stem(short)], token.Stem(long))
		}
	}
	for i, group := range words.Synonyms {
		for _, w := range group {
			s := token.Stem(w)
			l.groups[s] = append(l.groups[s], i)
		}
	}
	l.opposites = words.Opposites
	for _, pair := range words.Opposites {
		for _, v := range pair {
			for _, w := range v.Words {
				l.codes[w] = v.Codes
			}
		}
	}
	l.chinese, err = l.loadChinese()
	return l, err
}

func read(name string, into any) error {
	text, err := files.ReadFile("data/" + name + ".yaml")
	if err != nil {
		return fmt.Errorf("lexicon %s: %w", name, err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("lexicon %s: %w", name, err)
	}
	return nil
}

func (l *Lexicon) addPhrase(p string, t Tag) {
	words := strings.Fields(p)
	l.maxWords = max(l.maxWords, len(words))
	key := strings.Join(words, " ")
	l.phrases[key] = append(l.phrases[key], t)
}

// Phrase returns the tags of a phrase of lower-case words.
func (l *Lexicon) Phrase(words string) []Tag { return l.phrases[words] }

// WeakTag is the tag of words that carry nothing where nothing of a schema is
// called so.
const WeakTag = "weak"

// Weak reports whether a word in lower case is one of those.
func (l *Lexicon) Weak(word string) bool { return l.weak[word] }

// MaxWords is the length of the longest phrase.
func (l *Lexicon) MaxWords() int { return l.maxWords }

// Adjective returns the adjective of a superlative, or of a comparative with
// "than".
func (l *Lexicon) Adjective(words string) (*Adjective, bool) {
	a, ok := l.adjectives[words]
	return a, ok
}

// Expand writes shorthand in an identifier's words out.
func (l *Lexicon) Expand(words []string) []string {
	out := l.written(words, func(full []string, pair bool) bool { return pair || len(words) > 1 || len(full) > 0 })
	if len(out) == 0 {
		return words
	}
	return out
}

// Written writes the shorthand that several words have out, and leaves the rest as it is.
func (l *Lexicon) Written(words []string) []string {
	return l.written(words, func(full []string, _ bool) bool { return len(full) > 1 })
}

// written writes shorthand of a word, or of a pair of them as of LName, out where its full words are taken.
func (l *Lexicon) written(words []string, takes func(full []string, pair bool) bool) []string {
	out := make([]string, 0, len(words)+1)
	for i := 0; i < len(words); i++ {
		if i+1 < len(words) {
			if full, ok := l.abbrev[words[i]+words[i+1]]; ok && takes(full, true) {
				out = append(out, full...)
				i++
				continue
			}
		}
		if full, ok := l.abbrev[words[i]]; ok && takes(full, false) {
			out = append(out, full...)
			continue
		}
		out = append(out, words[i])
	}
	return out
}

// Full returns the stem that a shorthand word stands for, empty where it is none.
func (l *Lexicon) Full(word string) string {
	if full := l.abbrev[word]; len(full) == 1 {
		return token.Stem(full[0])
	}
	return ""
}

// Short reports whether a stem of a name is short for another stem: by what data modellers write
// everywhere, or, where they write nothing so, as it has the other's letters without the vowels.
func (l *Lexicon) Short(name, stem string) bool {
	if known, ok := l.short[name]; ok {
		return slices.Contains(known, stem)
	}
	return analysis.Bare(name, stem)
}

// Synonymous reports whether two stems share a group.
func (l *Lexicon) Synonymous(a, b string) bool {
	for _, g := range l.groups[a] {
		for _, h := range l.groups[b] {
			if g == h {
				return true
			}
		}
	}
	return false
}

// Ends returns the words for what ends a state: closed, of "open".
func (l *Lexicon) Ends(state string) []string { return l.ends[state] }

// Opposites are the words for the two values of columns that have no other.
func (l *Lexicon) Opposites() [][2]ValueWords { return l.opposites }

// Codes returns stored codes that a word may stand for.
func (l *Lexicon) Codes(word string) []string { return l.codes[word] }

// Chinese returns the Chinese part.
func (l *Lexicon) Chinese() *Chinese { return l.chinese }
