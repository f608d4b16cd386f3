// Package scope decides to which marts a question belongs: to one that it names,
// else to those that its words, its business terms and the tables found speak
// for, else it asks. Asking is the last resort: only where the words leave open
// what is meant, and department, region, habit and conversation do not tell.
//
// decide.go decides, evidence.go weighs marts, roles.go tells what a word does in
// the question, ask.go words the options, reply.go reads the answer.
package scope

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
	"github.com/dibrain/dibrain/services/findata/country"
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
	Volume *library.Volume
	View   *catalog.View
	// Shown is a table as the asker sees it.
	Shown func(*catalog.Table) *catalog.Table
	// Marts are those with a table that the asker may see.
	Marts    []catalog.Mart
	Question *preprocess.Question
	Ranked   []rank.Ranked // tables found, best first, before any scope
	// About says that the tables found know the question's subject.
	About bool
	// NoSubject says that data as such are asked for, and no word says of what.
	NoSubject bool
	// Named are marts that the request names outside of the text.
	Named []string
	// Reply is what the person said to the options offered for this question.
	Reply string
	// MakeSure: with two or more, ask.
	MakeSure bool
	// ForSQL: SQL is to be written, so that a metric of the layer is what is meant by its name.
	ForSQL bool
	// Tie-breakers, in their order.
	Department string
	Background string // the asker's own words on role and usual work
	Region     string // country code
	Countries  *country.Coverage
	Frequent   []string // the asker's marts, most used first
	Previous   []string // marts of the conversation, the latest first
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
	// Named says that the request or the question named the marts.
	Named bool
	// Unread says that a reply took none of the options: its words are to be read
	// with the question.
	Unread bool
}

// Clarifier decides by rules. It may be used concurrently.
type Clarifier struct {
	file     file
	senses   *synonym.Dictionary // a group's id is the number of its ambiguous entry
	actors   map[string]bool
	hints    *synonym.Dictionary // a group's id is the number of its entry
	hinted   []string            // their English words, for typing errors
	patterns patterns
	replies  replies
	asked    []*regexp.Regexp // our own questions, as they come back in a conversation
}

// file is scope.yaml.
type file struct {
	Weights struct {
		Name     float64 `yaml:"name"`
		Synonym  float64 `yaml:"synonym"`
		Glossary float64 `yaml:"glossary"`
		Hint     float64 `yaml:"hint"`
		Typo     float64 `yaml:"typo"`
		Both     float64 `yaml:"both"`
		Columns  float64 `yaml:"columns"`
		Others   float64 `yaml:"others"`
		Phrase   float64 `yaml:"phrase"`
		Tables   float64 `yaml:"tables"`
		Fallback float64 `yaml:"fallback"`
	} `yaml:"weights"`
	TopTables  int     `yaml:"top_tables"`
	Looked     int     `yaml:"looked"`
	Clear      float64 `yaml:"clear"`
	Near       float64 `yaml:"near"`
	Sure       float64 `yaml:"sure"`
	Level      float64 `yaml:"level"`
	Aside      float64 `yaml:"aside"`
	Lead       float64 `yaml:"lead"`
	Weak       float64 `yaml:"weak"`
	MaxScopes  int     `yaml:"max_scopes"`
	MaxOptions int     `yaml:"max_options"`
	Roles      struct {
		Dimension float64 `yaml:"dimension"`
		Modifier  float64 `yaml:"modifier"`
		Object    float64 `yaml:"object"`
		Ranked    float64 `yaml:"ranked"`
	} `yaml:"roles"`
	DimensionBefore []string `yaml:"dimension_before"`
	DimensionAfter  []string `yaml:"dimension_after"`
	RankedBy        []string `yaml:"ranked_by"`
	RankedAfter     []string `yaml:"ranked_after"`
	ObjectBefore    []string `yaml:"object_before"`
	Measured        []string `yaml:"measured"`
	Joins           []string `yaml:"joins"`
	Both            []string `yaml:"both"`
	Related         []string `yaml:"related"`
	Lacking         []string `yaml:"lacking"`
	Named           []string `yaml:"named"`
	Ambiguous       []struct {
		Words  []string `yaml:"words"`
		Senses []sense  `yaml:"senses"`
	} `yaml:"ambiguous"`
	Actors []string `yaml:"actors"`
	Hints  []struct {
		Mart []string `yaml:"mart"` // words by which marts of the kind call themselves
		En   []string `yaml:"en"`
		Zh   []string `yaml:"zh"`
	} `yaml:"hints"`
	Replies  replyWords         `yaml:"replies"`
	Messages map[string]message `yaml:"messages"`
}

// sense is one meaning of an ambiguous word.
type sense struct {
	En   string   `yaml:"en"`
	Zh   string   `yaml:"zh"`
	Mart []string `yaml:"mart"` // words by which the marts of this sense call themselves
}

type message struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

// patterns tell what a word does in a question, and find marts named as such.
type patterns struct {
	dimensionBefore, dimensionAfter, rankedBy, rankedAfter, objectBefore, measured, joins, both, related, lacking, named []*regexp.Regexp
}

// New returns a clarifier with the embedded figures and words.
func New() (*Clarifier, error) {
	c := &Clarifier{actors: make(map[string]bool)}
	if err := yaml.Unmarshal(scopeFile, &c.file); err != nil {
		return nil, fmt.Errorf("read the embedded scope rules: %w", err)
	}
	for _, w := range c.file.Actors {
		c.actors[w] = true
	}
	for _, p := range []struct {
		from []string
		to   *[]*regexp.Regexp
	}{
		{c.file.DimensionBefore, &c.patterns.dimensionBefore}, {c.file.DimensionAfter, &c.patterns.dimensionAfter},
		{c.file.RankedBy, &c.patterns.rankedBy}, {c.file.RankedAfter, &c.patterns.rankedAfter}, {c.file.ObjectBefore, &c.patterns.objectBefore}, {c.file.Measured, &c.patterns.measured},
		{c.file.Joins, &c.patterns.joins}, {c.file.Both, &c.patterns.both}, {c.file.Related, &c.patterns.related},
		{c.file.Lacking, &c.patterns.lacking}, {c.file.Named, &c.patterns.named},
	} {
		for _, text := range p.from {
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("scope pattern %q: %w", text, err)
			}
			*p.to = append(*p.to, re)
		}
	}
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	groups := make([]synonym.Group, 0, len(c.file.Hints))
	for i, h := range c.file.Hints {
		groups = append(groups, synonym.Group{ID: strconv.Itoa(i), Entries: append(slices.Clone(h.En), h.Zh...)})
		c.hinted = append(c.hinted, h.En...)
	}
	var words []synonym.Group
	for i, a := range c.file.Ambiguous {
		words = append(words, synonym.Group{ID: strconv.Itoa(i), Entries: a.Words})
	}
	c.senses = synonym.New(analyzer, synonym.Weights{}, words)
	c.hints = synonym.New(analyzer, synonym.Weights{}, groups)
	for _, key := range []string{"ask", "open", "sense", "country"} {
		for _, text := range []string{c.file.Messages[key].En, c.file.Messages[key].Zh} {
			c.asked = append(c.asked, regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(text), `\{word\}`, ".+")))
		}
	}
	if c.replies, err = c.file.Replies.compile(); err != nil {
		return nil, err
	}
	return c, nil
}

// Asked reports whether an earlier message of the conversation is a question that
// Decide worded.
func (c *Clarifier) Asked(text string) bool { return matches(c.asked, text) }
