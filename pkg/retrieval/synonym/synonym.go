// Package synonym recognises the words of a question that have other words in
// the warehouse: synonyms, abbreviations and translations. A group is a set of
// entries that mean about the same; finding one of them in a question gives the
// search terms of the others, with a weight, and remembers which word it was, so
// that the answer can say why a table is there.
package synonym

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

//go:embed general.yaml
var general []byte

// Group is a set of words for one thing. The first entry names it.
type Group struct {
	// ID tells where the group comes from, such as "term:GMV".
	ID string
	// Entries are words or phrases in any language.
	Entries []string
	// AsWritten: entries in letters are found as they are written, regardless of case, and
	// in no other form of their words.
	AsWritten bool
}

// Weights says how much a term counts that stands for a word of the question
// without being in it.
type Weights struct {
	// Same is for another word in the same script.
	Same float64 `yaml:"same"`
	// Cross is for a translation: the question's own word cannot match there.
	Cross float64 `yaml:"cross"`
}

// Match is an entry found in a question.
type Match struct {
	Group      *Group
	Surface    string // as it stands in the question
	Start, End int    // its bytes there
	Terms      []Term // of the group's other entries
}

// Term is a search term that stands for the match.
type Term struct {
	Text   string
	Weight float64
	Entry  string // the entry that it comes from
}

// Dictionary finds entries. It never changes and may be used concurrently.
type Dictionary struct {
	analyzer *analysis.Analyzer
	weights  Weights
	groups   []Group
	spelled  []atomic.Pointer[[]spelledEntry] // of each group, once it was found
	// Entries in letters, by their first stem, longest first.
	words map[string][]wordEntry
	// Entries in Chinese, by text; the bytes of the longest by its first character.
	han        map[string][]int
	longestHan map[rune]int
}

// spelledEntry is an entry with its terms.
type spelledEntry struct {
	text  string
	terms []string
	key   string // the terms, joined
	han   bool
}

type wordEntry struct {
	stems []string
	words []string // as they have to be written; nil: in any form
	group int
}

// General returns the groups of common warehouse words, English and Chinese,
// that the package embeds.
func General() ([]Group, error) {
	var file struct {
		Groups []struct {
			En []string `yaml:"en"`
			Zh []string `yaml:"zh"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(general, &file); err != nil {
		return nil, fmt.Errorf("read the embedded synonyms: %w", err)
	}
	groups := make([]Group, 0, len(file.Groups))
	for i, g := range file.Groups {
		entries := append(slices.Clone(g.En), g.Zh...)
		if len(entries) < 2 {
			return nil, fmt.Errorf("embedded synonyms: group %d has fewer than two entries", i+1)
		}
		groups = append(groups, Group{ID: "general:" + entries[0], Entries: entries})
	}
	return groups, nil
}

// New makes a dictionary of groups. Without weights its matches have no terms.
func New(a *analysis.Analyzer, w Weights, groups []Group) *Dictionary {
	d := &Dictionary{analyzer: a, weights: w, groups: groups, spelled: make([]atomic.Pointer[[]spelledEntry], len(groups)), words: make(map[string][]wordEntry), han: make(map[string][]int), longestHan: make(map[rune]int)}
	for i, g := range groups {
		for _, e := range g.Entries {
			d.add(strings.TrimSpace(e), i)
		}
	}
	for _, list := range d.words {
		slices.SortStableFunc(list, func(a, b wordEntry) int { return len(b.stems) - len(a.stems) })
	}
	return d
}

func (d *Dictionary) add(entry string, group int) {
	if hasHan(entry) {
		key := strings.ToLower(entry)
		d.han[key] = append(d.han[key], group)
		first, _ := utf8.DecodeRuneInString(key)
		d.longestHan[first] = max(d.longestHan[first], len(key))
		return
	}
	tokens := d.analyzer.Tokens(entry)
	stems := stemsOf(tokens)
	if len(stems) == 0 {
		return
	}
	one := wordEntry{stems: stems, group: group}
	if d.groups[group].AsWritten {
		for _, t := range tokens {
			one.words = append(one.words, t.Word)
		}
	}
	d.words[stems[0]] = append(d.words[stems[0]], one)
}

// Matches returns the entries found in a text in its order, the longest at each
// place; one that belongs to several groups is found once for each.
func (d *Dictionary) Matches(text string) []Match {
	var matches []Match
	d.find(text, func(group, start, end int) {
		matches = append(matches, d.match(group, text[start:end], start, end))
	})
	slices.SortStableFunc(matches, func(a, b Match) int { return a.Start - b.Start })
	return matches
}

// Groups returns the groups of which an entry stands in a text, each once. It
// costs less than Matches and is for long texts.
func (d *Dictionary) Groups(text string) []*Group {
	var groups []*Group
	seen := make(map[int]bool)
	d.find(text, func(group, _, _ int) {
		if !seen[group] {
			seen[group] = true
			groups = append(groups, &d.groups[group])
		}
	})
	return groups
}

// find tells found of each entry in a text, entries in letters first.
func (d *Dictionary) find(text string, found func(group, start, end int)) {
	var tokens []analysis.Token
	for _, t := range d.analyzer.Tokens(text) {
		if t.Kind != analysis.Han {
			tokens = append(tokens, t)
		}
	}
	for i := 0; i < len(tokens); {
		n := 0
		for _, e := range d.words[tokens[i].Term] {
			if len(e.stems) < n || !e.begins(tokens[i:]) {
				continue
			}
			n = len(e.stems)
			found(e.group, tokens[i].Start, tokens[i+n-1].End)
		}
		i += max(n, 1)
	}
	d.findHan(text, found)
}

func (d *Dictionary) findHan(text string, found func(group, start, end int)) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // a letter whose lower case has another length: places would not fit
		lower = text
	}
	for i := 0; i < len(lower); {
		r, size := utf8.DecodeRuneInString(lower[i:])
		n := 0
		for end := min(i+d.longestHan[r], len(lower)); end > i; end-- {
			groups, ok := d.han[lower[i:end]]
			if !ok {
				continue
			}
			for _, g := range groups {
				found(g, i, end)
			}
			n = end - i
			break
		}
		i += max(n, size)
	}
}

// match gives the terms of the group's entries other than the one found. A
// phrase's weight is shared by its terms.
func (d *Dictionary) match(group int, surface string, start, end int) Match {
	g := &d.groups[group]
	m := Match{Group: g, Surface: surface, Start: start, End: end}
	if d.weights == (Weights{}) {
		return m
	}
	own, han := strings.Join(d.analyzer.Terms(surface), " "), hasHan(surface)
	entries := d.spell(group)
	size := 0
	for i := range entries {
		size += len(entries[i].terms)
	}
	m.Terms = make([]Term, 0, size)
	for _, e := range entries {
		if len(e.terms) == 0 || e.key == own {
			continue
		}
		weight := d.weights.Same
		if e.han != han {
			weight = d.weights.Cross
		}
		for _, t := range e.terms {
			m.Terms = append(m.Terms, Term{Text: t, Weight: weight / float64(len(e.terms)), Entry: e.text})
		}
	}
	return m
}

// spell returns the entries of a group with their terms. They are found with the first
// match: most groups are never found.
func (d *Dictionary) spell(group int) []spelledEntry {
	if have := d.spelled[group].Load(); have != nil {
		return *have
	}
	entries := make([]spelledEntry, 0, len(d.groups[group].Entries))
	for _, e := range d.groups[group].Entries {
		terms := d.analyzer.Terms(e)
		entries = append(entries, spelledEntry{e, terms, strings.Join(terms, " "), hasHan(e)})
	}
	d.spelled[group].Store(&entries)
	return entries
}

// begins reports whether tokens begin with the entry.
func (e wordEntry) begins(tokens []analysis.Token) bool {
	if len(tokens) < len(e.stems) {
		return false
	}
	for i, s := range e.stems {
		if tokens[i].Term != s || e.words != nil && tokens[i].Word != e.words[i] {
			return false
		}
	}
	return true
}

// stemsOf keeps stop words: "number of orders" is an entry.
func stemsOf(tokens []analysis.Token) []string {
	stems := make([]string, 0, len(tokens))
	for _, t := range tokens {
		stems = append(stems, t.Term)
	}
	return stems
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
