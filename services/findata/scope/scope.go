// Package scope decides to which marts a question belongs: to one that it names,
// else to those that its words, its business terms and the tables found speak
// for, else it asks. Asking is the last resort: only when the words alone leave
// open what is meant.
package scope

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/library"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
)

//go:embed scope.yaml
var scopeFile []byte

// Outcome is the result of clarification.
type Outcome int

// Outcomes.
const (
	NoMarts    Outcome = iota // the source has none: nothing to decide
	Identified                // one to four marts
	Ask                       // the question says too little
	NoMatch                   // no mart fits: the general layer answers
)

// OptionPrefix begins the id of an option; the mart's name follows.
const OptionPrefix = "mart:"

// GroupPrefix begins the id of a mart as a table group.
const GroupPrefix = "datamart_"

// Request is what a decision is made from.
type Request struct {
	Volume   *library.Volume
	View     *catalog.View
	Question *preprocess.Question
	Ranked   []rank.Ranked // tables found, best first, before any scope
	// Named are marts that the request names outside of the text.
	Named []string
	// MakeSure: with two or more, ask.
	MakeSure bool
	// Tie-breakers, in their order.
	Department string
	Frequent   []string // the asker's marts, most used first
	Previous   []string // marts of the conversation
}

// Candidate is a mart that fits.
type Candidate struct {
	Mart   string
	Reason string
	Score  float64 // share of all evidence, 0 to 1
}

// Option is a choice offered.
type Option struct{ ID, Label, Description string }

// Result is a decision.
type Result struct {
	Outcome  Outcome
	Scopes   []Candidate
	Text     string // of the question to ask
	Options  []Option
	Fallback string // the mart of the general layer, with NoMatch
}

// Clarifier decides by rules. It may be used concurrently.
type Clarifier struct {
	file      scopeConfig
	ambiguous map[string]int // word in lower case: index of its entry
	named     []*regexp.Regexp
}

type scopeConfig struct {
	Weights struct {
		Word     float64 `yaml:"word"`
		Glossary float64 `yaml:"glossary"`
		Tables   float64 `yaml:"tables"`
		TieBreak float64 `yaml:"tie_break"`
	} `yaml:"weights"`
	TopTables int      `yaml:"top_tables"`
	Clear     float64  `yaml:"clear"`
	Near      float64  `yaml:"near"`
	Sure      float64  `yaml:"sure"`
	MaxScopes int      `yaml:"max_scopes"`
	Named     []string `yaml:"named"`
	Ambiguous []struct {
		Words  []string `yaml:"words"`
		Senses []struct {
			En   string   `yaml:"en"`
			Zh   string   `yaml:"zh"`
			Mart []string `yaml:"mart"`
		} `yaml:"senses"`
	} `yaml:"ambiguous"`
	Messages map[string]struct {
		En string `yaml:"en"`
		Zh string `yaml:"zh"`
	} `yaml:"messages"`
}

// New returns a clarifier with the embedded figures and words.
func New() (*Clarifier, error) {
	c := &Clarifier{ambiguous: make(map[string]int)}
	if err := yaml.Unmarshal(scopeFile, &c.file); err != nil {
		return nil, fmt.Errorf("read the embedded scope rules: %w", err)
	}
	for i, a := range c.file.Ambiguous {
		for _, w := range a.Words {
			c.ambiguous[strings.ToLower(w)] = i
		}
	}
	for _, p := range c.file.Named {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %q for a named mart: %w", p, err)
		}
		c.named = append(c.named, re)
	}
	return c, nil
}

// Decide returns the scope of a question.
func (c *Clarifier) Decide(r Request) Result {
	marts := visibleMarts(r)
	if len(marts) == 0 {
		return Result{Outcome: NoMarts}
	}
	if named := c.namedMarts(r, marts); len(named) > 0 {
		return Result{Outcome: Identified, Scopes: c.candidates(named, r.Question.Language)}
	}
	if result, asks := c.askSense(r, marts); asks {
		return result
	}
	found := c.weigh(r, marts)
	if len(found) == 0 || r.Question.OffTopic {
		return Result{Outcome: NoMatch, Fallback: fallback(marts)}
	}
	return c.choose(r, found, marts)
}

// visibleMarts are the marts with a table that the asker may see.
func visibleMarts(r Request) map[string]catalog.Mart {
	with := make(map[string]bool)
	for _, t := range r.View.Tables() {
		with[t.Mart] = true
	}
	marts := make(map[string]catalog.Mart)
	for _, m := range r.Volume.Index.Snapshot().Marts {
		if with[m.Name] {
			marts[m.Name] = m
		}
	}
	return marts
}

func fallback(marts map[string]catalog.Mart) string {
	for name, m := range marts {
		if m.Fallback {
			return name
		}
	}
	return ""
}

// namedMarts finds marts named by the request or, as marts, by the text.
func (c *Clarifier) namedMarts(r Request, marts map[string]catalog.Mart) []string {
	var named []string
	add := func(name string) {
		for have := range marts {
			if strings.EqualFold(have, name) && !slices.Contains(named, have) {
				named = append(named, have)
			}
		}
	}
	for _, n := range r.Named {
		add(strings.TrimPrefix(strings.TrimPrefix(n, GroupPrefix), OptionPrefix))
	}
	if len(named) > 0 {
		return named
	}
	for _, re := range c.named {
		for _, found := range re.FindAllStringSubmatch(r.Question.Text, 8) {
			for _, m := range r.Volume.Marts.Matches(found[1]) {
				add(m.Group.ID)
			}
		}
	}
	return named
}

type weighed struct {
	mart  string
	score float64
	words []string // of the question that speak for it
	term  bool     // a business word of the mart
}

// weigh adds up the evidence for each mart, best first.
func (c *Clarifier) weigh(r Request, marts map[string]catalog.Mart) []weighed {
	by := make(map[string]*weighed)
	add := func(mart string, score float64, word string, term bool) {
		if _, visible := marts[mart]; !visible {
			return
		}
		w, ok := by[mart]
		if !ok {
			w = &weighed{mart: mart}
			by[mart] = w
		}
		w.score += score
		w.term = w.term || term
		if word != "" && !slices.Contains(w.words, word) {
			w.words = append(w.words, word)
		}
	}
	perSpan := make(map[[2]int]float64)
	matches := r.Volume.Marts.Matches(r.Question.Text)
	for _, m := range matches {
		perSpan[[2]int{m.Start, m.End}]++
	}
	for _, m := range matches { // a word of several marts is shared by them
		add(m.Group.ID, c.file.Weights.Word/perSpan[[2]int{m.Start, m.End}], m.Surface, false)
	}
	for _, concept := range r.Question.Query.Concepts {
		for _, t := range concept.Glossary {
			add(t.Mart, c.file.Weights.Glossary/float64(len(concept.Glossary)), concept.Surface, true)
		}
	}
	top := r.Ranked[:min(len(r.Ranked), c.file.TopTables)]
	var sum float64
	for i := range top {
		sum += 1 / float64(i+1)
	}
	for i, t := range top {
		add(t.Table.Mart, c.file.Weights.Tables/float64(i+1)/sum, "", false)
	}
	for _, w := range by {
		w.score += c.tieBreak(r, w.mart, marts[w.mart])
	}
	out := make([]weighed, 0, len(by))
	for _, w := range by {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.mart, b.mart)) })
	return out
}

// tieBreak is small: it decides between equals, department before habit before
// the conversation.
func (c *Clarifier) tieBreak(r Request, name string, m catalog.Mart) float64 {
	unit := c.file.Weights.TieBreak
	var score float64
	department := strings.ToLower(r.Department)
	if department != "" && slices.ContainsFunc(append([]string{m.Name}, m.Synonyms...), func(w string) bool { return strings.Contains(department, strings.ToLower(w)) }) {
		score += 3 * unit
	}
	if slices.Contains(r.Frequent, name) {
		score += 2 * unit
	}
	if slices.Contains(r.Previous, name) {
		score += unit
	}
	return score
}

// choose decides between marts that have evidence.
func (c *Clarifier) choose(r Request, found []weighed, marts map[string]catalog.Mart) Result {
	best := found[0]
	near := found[:1]
	for _, w := range found[1:] {
		if w.score >= c.file.Near*best.score {
			near = append(near, w)
		}
	}
	isClear := len(found) == 1 || best.score >= c.file.Clear*found[1].score || best.term
	if r.MakeSure {
		sure := found[:1]
		for _, w := range found[1:] {
			if w.score >= c.file.Sure*best.score {
				sure = append(sure, w)
			}
		}
		if len(sure) > 1 {
			return c.ask(r, sure, marts)
		}
	}
	vague := len(r.Question.Content) <= 1 && len(r.Question.Named) == 0
	if !isClear && (len(near) > c.file.MaxScopes || vague && len(near) > 1) {
		return c.ask(r, near, marts)
	}
	if isClear && !best.term {
		near = near[:1]
	}
	var total float64
	for _, w := range found {
		total += w.score
	}
	result := Result{Outcome: Identified}
	for _, w := range near[:min(len(near), c.file.MaxScopes)] {
		result.Scopes = append(result.Scopes, Candidate{Mart: w.mart, Score: w.score / total, Reason: c.reason(w, r.Question.Language)})
	}
	return result
}

func (c *Clarifier) reason(w weighed, l lang.Language) string {
	if len(w.words) == 0 {
		return c.say("tables", l)
	}
	return strings.ReplaceAll(c.say("words", l), "{words}", strings.Join(w.words, l.Pick(", ", "、")))
}

func (c *Clarifier) say(key string, l lang.Language) string {
	m := c.file.Messages[key]
	return l.Pick(m.En, m.Zh)
}

func (c *Clarifier) candidates(names []string, l lang.Language) []Candidate {
	var out []Candidate
	for _, n := range names[:min(len(names), c.file.MaxScopes)] {
		out = append(out, Candidate{Mart: n, Score: 1 / float64(len(names)), Reason: c.say("named", l)})
	}
	return out
}

func (c *Clarifier) ask(r Request, between []weighed, marts map[string]catalog.Mart) Result {
	l := r.Question.Language
	result := Result{Outcome: Ask, Text: c.say("ask", l), Fallback: fallback(marts)}
	for _, w := range between {
		result.Options = append(result.Options, Option{ID: OptionPrefix + w.mart, Label: w.mart, Description: inLanguage(marts[w.mart].Description, l)})
	}
	return result
}

// askSense asks when the question's one subject is a word that has several
// meanings here, and nothing else in it tells which.
func (c *Clarifier) askSense(r Request, marts map[string]catalog.Mart) (Result, bool) {
	q := r.Question
	if len(q.Content) != 1 || len(q.Named) > 0 || len(q.Countries) > 0 || len(q.Grains) > 0 || q.Every || r.Department != "" || len(r.Previous) > 0 || len(r.Frequent) > 0 {
		return Result{}, false
	}
	i, ok := c.ambiguous[strings.ToLower(q.Content[0].Surface)]
	if !ok {
		return Result{}, false
	}
	l := q.Language
	result := Result{Outcome: Ask, Text: strings.ReplaceAll(c.say("sense", l), "{word}", q.Content[0].Surface)}
	for _, sense := range c.file.Ambiguous[i].Senses {
		for _, m := range r.Volume.Marts.Matches(strings.Join(sense.Mart, " ; ")) {
			name := m.Group.ID
			_, visible := marts[name]
			if !visible || marts[name].Fallback || slices.ContainsFunc(result.Options, func(o Option) bool { return o.ID == OptionPrefix+name }) {
				continue
			}
			result.Options = append(result.Options, Option{ID: OptionPrefix + name, Label: l.Pick(sense.En, sense.Zh) + " → " + name, Description: inLanguage(marts[name].Description, l)})
			break
		}
	}
	return result, len(result.Options) > 1
}

// inLanguage returns the line of a description in two languages that is in l,
// the first where none is.
func inLanguage(text string, l lang.Language) string {
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if lang.Detect(line) == l {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(lines[0])
}
