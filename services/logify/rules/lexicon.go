// Package rules turns a question about logs into LogQL without a model: it reads
// slots (what is asked, which streams, which lines, which part of a line, how long
// ago, grouped by what) and builds a tree from them. lexicon.yaml holds the words;
// what programs write is learnt from sample lines (package drain).
package rules

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/kljensen/snowball/english"
	"go.yaml.in/yaml/v3"
)

//go:embed lexicon.yaml
var lexiconYAML []byte

type lexiconFile struct {
	Counts      []string            `yaml:"counts"`
	NumbersOf   []string            `yaml:"numbers_of"`
	HowLong     []string            `yaml:"how_long"`
	Sorts       []string            `yaml:"sorts"`
	Unique      []string            `yaml:"unique"`
	Lists       []string            `yaml:"lists"`
	Top         []string            `yaml:"top"`
	Most        []string            `yaml:"most"`
	Bottom      []string            `yaml:"bottom"`
	Intervals   map[string][]string `yaml:"intervals"`
	OverTime    []string            `yaml:"over_time"`
	Rates       []string            `yaml:"rates"`
	Latest      []string            `yaml:"latest"`
	Measures    map[string][]string `yaml:"measures"`
	Groups      []string            `yaml:"groups"`
	Above       []string            `yaml:"above"`
	Least       []string            `yaml:"least"`
	Empty       []string            `yaml:"empty"`
	Levels      map[string][]string `yaml:"levels"`
	LevelLabels []string            `yaml:"level_labels"`
	Alike       [][]string          `yaml:"alike"`
	Outcomes    []string            `yaml:"outcomes"`
	Time        struct {
		Units     map[string][]string `yaml:"units"`
		Last      []string            `yaml:"last"`
		Today     []string            `yaml:"today"`
		Yesterday []string            `yaml:"yesterday"`
		Since     []string            `yaml:"since"`
	} `yaml:"time"`
	Numbers map[string]float64 `yaml:"numbers"`
}

// named is an expression for each of several meanings.
type named struct {
	name string
	re   *regexp.Regexp
}

type lexicon struct {
	numbersOf, howLong, sorts                               *regexp.Regexp
	counts, unique, lists, top, most, bottom, rates, latest *regexp.Regexp
	above, least, overTime                                  *regexp.Regexp
	last, today, yesterday, since                           *regexp.Regexp
	groups                                                  []*regexp.Regexp
	measures, levels, units, intervals                      []named
	levelLabels                                             []string
	empty                                                   map[string]bool
	// alike gives the numbers of the groups in which a stem is; han the stems of a
	// Chinese word.
	alike map[string][]int
	han   map[string]string
	// hanWords are the Chinese words, the longest first: 用户名 is no 用户.
	hanWords  []string
	translate *strings.Replacer
	numbers   map[string]float64
	// outcomes are the stems of how something ended, and of what is alike.
	outcomes map[string]bool
}

const hanWords = `(?P<words>[\p{Han}A-Za-z_]{1,12}?)`

// groupEnd are the words before which a phrase that is grouped by ends.
const groupWords = `(?P<words>[a-z_][\w-]*(?: (?:ip|address|id|name|code|type|node|addresses|reasons?|level))*)`

func loadLexicon() (*lexicon, error) {
	var f lexiconFile
	dec := yaml.NewDecoder(bytes.NewReader(lexiconYAML))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("lexicon.yaml: %w", err)
	}
	l := &lexicon{empty: map[string]bool{}, alike: map[string][]int{}, han: map[string]string{}, outcomes: map[string]bool{}, numbers: f.Numbers, levelLabels: f.LevelLabels}
	var words []string
	for w := range f.Numbers {
		words = append(words, regexp.QuoteMeta(w))
	}
	longestFirst(words)
	number := `(?P<n>\d+(?:\.\d+)?|` + strings.Join(words, "|") + `)`
	var units []string
	for _, name := range sortedKeys(f.Time.Units) {
		units = append(units, f.Time.Units[name]...)
	}
	longestFirst(units)
	unit := `(?P<unit>` + strings.Join(units, "|") + `)`
	expand := strings.NewReplacer("{n}", number, "{unit}", unit, "{words}", groupWords, "{han}", hanWords)
	var err error
	compile := func(alternatives []string) *regexp.Regexp {
		re, wrong := regexp.Compile(expand.Replace("(?:" + strings.Join(alternatives, "|") + ")"))
		if wrong != nil && err == nil {
			err = fmt.Errorf("lexicon.yaml: %w", wrong)
		}
		return re
	}
	for _, c := range []struct {
		into *(*regexp.Regexp)
		from []string
	}{
		{&l.counts, f.Counts}, {&l.numbersOf, f.NumbersOf}, {&l.howLong, f.HowLong}, {&l.sorts, f.Sorts}, {&l.unique, f.Unique}, {&l.lists, f.Lists}, {&l.top, f.Top}, {&l.most, f.Most}, {&l.bottom, f.Bottom}, {&l.rates, f.Rates}, {&l.overTime, f.OverTime},
		{&l.latest, f.Latest}, {&l.above, f.Above}, {&l.least, f.Least}, {&l.last, f.Time.Last}, {&l.today, f.Time.Today},
		{&l.yesterday, f.Time.Yesterday}, {&l.since, f.Time.Since},
	} {
		*c.into = compile(c.from)
	}
	for _, g := range f.Groups {
		l.groups = append(l.groups, compile([]string{g}))
	}
	for _, c := range []struct {
		into *[]named
		from map[string][]string
	}{{&l.measures, f.Measures}, {&l.levels, f.Levels}, {&l.intervals, f.Intervals}} {
		for _, name := range sortedKeys(c.from) {
			*c.into = append(*c.into, named{name, compile(c.from[name])})
		}
	}
	for _, name := range sortedKeys(f.Time.Units) {
		l.units = append(l.units, named{name, compile([]string{"^(?:" + strings.Join(f.Time.Units[name], "|") + ")$"})})
	}
	for _, w := range f.Empty {
		l.empty[stem(w)] = true
	}
	l.readAlike(f.Alike, f.Outcomes)
	return l, err
}

func (l *lexicon) readAlike(groups [][]string, outcomes []string) {
	for i, group := range groups {
		for _, w := range group {
			if isHan(w) {
				l.han[w] = group[0]
				continue
			}
			if s := stem(w); !slices.Contains(l.alike[s], i) {
				l.alike[s] = append(l.alike[s], i)
			}
		}
	}
	l.hanWords = sortedKeys(l.han)
	longestFirst(l.hanWords)
	var pairs []string
	for _, w := range l.hanWords {
		pairs = append(pairs, w, " "+l.han[w]+" ")
	}
	l.translate = strings.NewReplacer(pairs...)
	for _, w := range outcomes {
		l.outcomes[stem(w)] = true
		for other := range l.alike {
			if l.alikeStems(stem(w), other) {
				l.outcomes[other] = true
			}
		}
	}
}

func isHan(w string) bool { return w != "" && w[0] >= 0x80 }

func longestFirst(words []string) {
	sort.Slice(words, func(i, j int) bool {
		if len(words[i]) != len(words[j]) {
			return len(words[i]) > len(words[j])
		}
		return words[i] < words[j]
	})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func stem(w string) string { return english.Stem(strings.ToLower(w), true) }

// number reads digits or a word.
func (l *lexicon) number(text string) (float64, bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, true
	}
	v, ok := l.numbers[text]
	return v, ok
}

// unit returns how long a unit of time is; a month has 30 days, a year 365.
func (l *lexicon) unit(text string) (time.Duration, bool) {
	for _, u := range l.units {
		if u.re.MatchString(text) {
			return lengthOf(u.name), true
		}
	}
	return 0, false
}

// lengthOf is how long a unit is by its name in the lexicon.
func lengthOf(unit string) time.Duration {
	return map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": day,
		"week": 7 * day, "millisecond": time.Millisecond, "month": 30 * day, "year": 365 * day}[unit]
}

const day = 24 * time.Hour

// phrasal reports a verb and its particle that are written in one word elsewhere:
// "logged in" is login, "timed out" is timeout.
func (l *lexicon) phrasal(verb, particle string) bool {
	return slices.Contains([]string{"in", "on", "out", "off", "up", "down"}, particle) && l.alike[stem(stem(verb)+particle)] != nil
}

// alikeStems reports stems that are in one group of the lexicon.
func (l *lexicon) alikeStems(a, b string) bool {
	for _, g := range l.alike[a] {
		if slices.Contains(l.alike[b], g) {
			return true
		}
	}
	return false
}
