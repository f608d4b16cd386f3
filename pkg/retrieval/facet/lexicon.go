package facet

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

//go:embed lexicon.yaml
var wordings []byte

// meaning is what a wording stands for.
type meaning struct {
	facet mark.Facet
	value string // "" for an exception: the words are a subject
}

// wording is a pattern with its meaning.
type wording struct {
	pattern pattern
	meaning meaning
}

// lexicon knows the wordings of layers, snapshots and copies, and negations.
type lexicon struct {
	byFirst map[string][]wording // by stem, or by word with a leading apostrophe
	chinese []chineseWording
	stems   map[string]string // of the lexicon's own words

	function         map[string]bool
	joins            map[string]bool // words that list things
	negation         map[string]bool
	phrases          []pattern       // negations of several words
	prefixes         map[string]bool // negations that are part of the next word
	through          map[string]bool
	chineseNegations *regexp.Regexp
}

type chineseWording struct {
	expr    *regexp.Regexp
	except  *regexp.Regexp // nil: none
	meaning meaning
}

type wordingGroup struct {
	Value  string   `yaml:"value"`
	En     []string `yaml:"en"`
	Except []string `yaml:"except"`
	Zh     []string `yaml:"zh"`
	// ExceptZh are expressions for words that are a subject, and no part of a wording.
	ExceptZh []string `yaml:"except_zh"`
}

func loadLexicon() (*lexicon, error) {
	var f struct {
		Classes  map[string][]string `yaml:"classes"`
		Layer    []wordingGroup      `yaml:"layer"`
		Snapshot []wordingGroup      `yaml:"snapshot"`
		Copy     []wordingGroup      `yaml:"copy"`
		Function []string            `yaml:"function_words"`
		Joins    []string            `yaml:"joining_words"`
		Negation struct {
			En       []string `yaml:"en"`
			Prefixes []string `yaml:"prefixes"`
			Through  []string `yaml:"through"`
			Zh       []string `yaml:"zh"`
			// ThroughZh may stand between a negation and its object.
			ThroughZh []string `yaml:"through_zh"`
		} `yaml:"negation"`
	}
	if err := yaml.Unmarshal(wordings, &f); err != nil {
		return nil, fmt.Errorf("read the embedded wordings: %w", err)
	}
	l := &lexicon{byFirst: map[string][]wording{}, stems: map[string]string{}, function: setOf(f.Function), joins: setOf(f.Joins), through: setOf(f.Negation.Through), prefixes: setOf(f.Negation.Prefixes), negation: map[string]bool{}}
	classes := make(map[string]map[string]bool, len(f.Classes))
	for name, words := range f.Classes {
		classes[name] = classOf(words)
	}
	for _, part := range []struct {
		facet  mark.Facet
		groups []wordingGroup
	}{{mark.Layer, f.Layer}, {mark.Snapshot, f.Snapshot}, {mark.Copy, f.Copy}} {
		for _, g := range part.groups {
			if err := l.add(part.facet, g, classes); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range f.Negation.En {
		words := strings.Fields(strings.ReplaceAll(n, "'", " "))
		if len(words) == 1 {
			l.negation[words[0]] = true
			continue
		}
		p, err := compile(strings.Join(words, " "), nil)
		if err != nil {
			return nil, err
		}
		l.phrases = append(l.phrases, p)
	}
	var err error
	if l.chineseNegations, err = regexp.Compile("(?:" + strings.Join(f.Negation.Zh, "|") + ")(?:" + strings.Join(f.Negation.ThroughZh, "|") + ")? ?$"); err != nil {
		return nil, fmt.Errorf("negations in Chinese: %w", err)
	}
	for key := range l.byFirst {
		for _, w := range l.byFirst[key] {
			for _, e := range w.pattern {
				l.stems[e.word] = english.Stem(e.word, true)
			}
		}
	}
	return l, nil
}

func (l *lexicon) add(facet mark.Facet, g wordingGroup, classes map[string]map[string]bool) error {
	for value, patterns := range map[string][]string{g.Value: g.En, "": g.Except} {
		for _, text := range patterns {
			p, err := compile(text, classes)
			if err != nil {
				return err
			}
			for _, key := range p.first() {
				l.byFirst[key] = append(l.byFirst[key], wording{p, meaning{facet, value}})
			}
		}
	}
	if len(g.Zh) == 0 {
		return nil
	}
	w := chineseWording{meaning: meaning{facet, g.Value}}
	for _, part := range []struct {
		expr **regexp.Regexp
		any  []string
	}{{&w.expr, g.Zh}, {&w.except, g.ExceptZh}} {
		if len(part.any) == 0 {
			continue
		}
		var err error
		if *part.expr, err = regexp.Compile("(?i)(?:" + strings.Join(part.any, "|") + ")"); err != nil {
			return fmt.Errorf("wordings of %s %s in Chinese: %w", facet, g.Value, err)
		}
	}
	l.chinese = append(l.chinese, w)
	return nil
}

// find returns the longest wordings in a text that do not overlap, in its order;
// of exceptions and wordings of one length the exception.
func (l *lexicon) find(tokens []token) []Mention {
	var found []Mention
	for i := range tokens {
		if tokens[i].quoted {
			continue
		}
		for _, key := range [2]string{tokens[i].stem, "'" + tokens[i].word} {
			for _, w := range l.byFirst[key] {
				n := w.pattern.match(tokens[i:])
				if n == 0 {
					continue
				}
				found = append(found, Mention{
					Facet: w.meaning.facet, Value: w.meaning.value,
					Start: tokens[i].start, End: tokens[i+n-1].end, first: i, last: i + n - 1,
				})
			}
		}
	}
	return longest(found)
}

// findChinese returns the wordings in the Chinese of a text.
func (l *lexicon) findChinese(text string) []Mention {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return nil
	}
	var found []Mention
	for _, w := range l.chinese {
		var subjects [][]int
		if w.except != nil {
			subjects = w.except.FindAllStringIndex(text, -1)
		}
		for _, at := range w.expr.FindAllStringIndex(text, -1) {
			if slices.ContainsFunc(subjects, func(s []int) bool { return s[0] < at[1] && at[0] < s[1] }) {
				continue
			}
			found = append(found, Mention{Facet: w.meaning.facet, Value: w.meaning.value, Start: at[0], End: at[1], first: -1})
		}
	}
	return longest(found)
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
