// Package rank orders candidates. A learned model says how likely the words of a
// question are about a table; what is known beyond its words (usage, layer, grain,
// scope, country, freshness, the asker's own use) speaks for or against it by
// lists, whose votes weight / (k + rank) are added. Both count in units of the
// model: one unit makes a table e times as likely as before. Weights of lists are
// data (rank.yaml).
package rank

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/preprocess"
)

//go:embed rank.yaml
var weightsFile []byte

// PartText is the name of the model's part of a score.
const PartText = "text"

// Ranker orders candidates. It may be used concurrently.
type Ranker struct {
	model *rankmodel.Scorer
	lists map[Kind]map[string]fuse.Weights
	// deprecated is what a table with a successor loses.
	deprecated float64
	// oneCountry is the same for a table of one country where all are asked for.
	oneCountry float64
	// preferred is what a table gains that a rule of the installation prefers.
	preferred float64
	// rejected is the same for each time that the asker called a table wrong.
	rejected float64
}

// Context is what counts beside the question.
type Context struct {
	Countries *country.Coverage
	// Marts are the marts in scope, best first; empty: no preference.
	Marts []string
	// Own is what the asker's own use says for (above 0) or against a table.
	Own map[string]float64 // by catalog.Name.Key()
	// Recent counts the asker's own use in the last seven days.
	Recent map[string]float64 // by catalog.Name.Key()
	// Preferred reports whether a rule of the installation prefers a table; nil: none.
	Preferred func(*catalog.Table) bool
	// HasMetric reports whether a table has a metric that the question names; nil: none.
	HasMetric func(*catalog.Table) bool
	// FreshSince is the time after which data counts as fresh.
	FreshSince time.Time
}

// Ranked is a candidate with its place's reasons in figures.
type Ranked struct {
	Table *catalog.Table
	// Score is the table's share of the belief that is spread over all candidates,
	// 0 to 1.
	Score    float64
	Parts    Parts   // what the model and each list gave, in the model's units
	Coverage float64 // how much of the question its document covers
}

// Parts are what a score is made of.
type Parts struct {
	names  []string // of all candidates
	values []float64
}

// Numbers of the parts that come before the lists'.
const (
	partText = iota
	partOneCountry
	partDeprecated
	partPreferred
	partRejected
	partLists
)

var partNames = [partLists]string{
	partText: PartText, partOneCountry: "one_country", partDeprecated: "deprecated", partPreferred: "preferred", partRejected: "rejected",
}

// Of returns a part by its name; 0: it gave nothing.
func (p Parts) Of(name string) float64 {
	if i := slices.Index(p.names, name); i >= 0 {
		return p.values[i]
	}
	return 0
}

// All returns the parts that gave something, by name.
func (p Parts) All() map[string]float64 {
	all := make(map[string]float64)
	for i, v := range p.values {
		if v != 0 {
			all[p.names[i]] = v
		}
	}
	return all
}

// Kind is a kind of question, by which lists are weighed.
type Kind string

// Kinds of questions.
const (
	KindTable    Kind = "table"    // which table, or about one
	KindColumn   Kind = "column"   // about columns
	KindSemantic Kind = "semantic" // for what the data say
)

var kinds = []Kind{KindTable, KindColumn, KindSemantic}

func kindOf(q *preprocess.Question) Kind {
	switch q.Intent {
	case preprocess.IntentColumn, preprocess.IntentColumns:
		return KindColumn
	case preprocess.IntentNone, preprocess.IntentTerm, preprocess.IntentInventory:
		return KindSemantic
	default:
		return KindTable
	}
}

// file is rank.yaml, and an installation's own of the same form.
type file struct {
	Lists      map[string]fuse.Weights          `yaml:"lists"`
	Kinds      map[Kind]map[string]fuse.Weights `yaml:"kinds"`
	Deprecated *float64                         `yaml:"deprecated"`
	OneCountry *float64                         `yaml:"one_country"`
	Rejected   *float64                         `yaml:"rejected"`
	Preferred  *float64                         `yaml:"preferred"`
}

// read reads weights over those that are there already; unknown names are errors.
func (r *Ranker) read(raw []byte) error {
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	put := func(lists map[string]fuse.Weights, of ...Kind) error {
		for name, w := range lists {
			if !slices.ContainsFunc(features(), func(f feature) bool { return f.name == name }) {
				return fmt.Errorf("there is no list %q", name)
			}
			if w.Weight < 0 || w.K < 0 {
				return fmt.Errorf("list %q has a negative figure", name)
			}
			for _, kind := range of {
				r.lists[kind][name] = w
			}
		}
		return nil
	}
	if err := put(f.Lists, kinds...); err != nil {
		return err
	}
	for kind, lists := range f.Kinds {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("there is no kind of question %q: use table, column or semantic", kind)
		}
		if err := put(lists, kind); err != nil {
			return err
		}
	}
	for _, to := range []struct{ from, to *float64 }{{f.Deprecated, &r.deprecated}, {f.OneCountry, &r.oneCountry}, {f.Rejected, &r.rejected}, {f.Preferred, &r.preferred}} {
		if to.from != nil {
			*to.to = *to.from
		}
	}
	return nil
}

// New returns a ranker with a model, nil for the embedded one, and the embedded
// weights of lists.
func New(model *rankmodel.Model) (*Ranker, error) { return NewWith(model, nil) }

// NewWith is New with an installation's own weights over the embedded ones, in the form
// of rank.yaml: what it does not write stays.
func NewWith(model *rankmodel.Model, own []byte) (*Ranker, error) {
	r := &Ranker{lists: make(map[Kind]map[string]fuse.Weights)}
	for _, kind := range kinds {
		r.lists[kind] = make(map[string]fuse.Weights)
	}
	if err := r.read(weightsFile); err != nil {
		return nil, fmt.Errorf("read the embedded rank weights: %w", err)
	}
	if err := r.read(own); err != nil {
		return nil, fmt.Errorf("read the rank weights: %w", err)
	}
	if model == nil {
		var err error
		if model, err = rankmodel.Default(); err != nil {
			return nil, err
		}
	}
	scorer, err := model.Bind(retrieval.FeatureNames())
	if err != nil {
		return nil, err
	}
	r.model = scorer
	return r, nil
}

// Rank orders the candidates, best first.
func (r *Ranker) Rank(candidates []retrieval.Candidate, q *preprocess.Question, c Context) []Ranked {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(c retrieval.Candidate) bool { return !c.Features.Found() })
	if len(candidates) == 0 {
		return nil
	}
	lists := r.lists[kindOf(q)]
	names := slices.Clone(partNames[:])
	of := features()
	for _, f := range of {
		names = append(names, f.name)
	}
	ranked := make([]Ranked, len(candidates))
	values := make([]float64, len(candidates)*len(names))
	for n, candidate := range candidates {
		parts := Parts{names, values[n*len(names) : (n+1)*len(names)]}
		parts.values[partText] = r.model.Score(candidate.Features)
		ranked[n] = Ranked{
			Table: candidate.Table, Score: parts.values[partText], Parts: parts, Coverage: candidate.Features.Evidence(),
		}
		r.correct(&ranked[n], q, &c)
	}
	votes := make([]float64, len(candidates))
	l := fuse.List{Entries: make([]fuse.Entry, 0, len(candidates))}
	for i, f := range of {
		if l.Weights = lists[f.name]; l.Weights.Weight == 0 {
			continue
		}
		l.Entries = l.Entries[:0]
		for n, candidate := range candidates {
			if v := f.value(candidate.Table, q, &c); v > 0 {
				l.Entries = append(l.Entries, fuse.Entry{Doc: n, Value: v})
			}
		}
		l.Votes(func(n int, vote float64) {
			votes[n] += vote
			ranked[n].Parts.values[partLists+i] = vote
		})
	}
	for n, vote := range votes {
		ranked[n].Score += vote
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c // before the keys are made, which costs more than all else here
		}
		return strings.Compare(a.Table.Name.Key(), b.Table.Name.Key())
	})
	share(ranked)
	return ranked
}

// correct takes from a table's score what speaks against it.
func (r *Ranker) correct(one *Ranked, q *preprocess.Question, c *Context) {
	add := func(part int, units float64) {
		one.Score += units
		one.Parts.values[part] = units
	}
	if q.Every && len(c.Countries.Of(one.Table)) == 1 {
		add(partOneCountry, -r.oneCountry)
	}
	if one.Table.Successor != "" {
		add(partDeprecated, -r.deprecated)
	}
	if c.Preferred != nil && c.Preferred(one.Table) {
		add(partPreferred, r.preferred)
	}
	if own := ownOf(c, one.Table); own < 0 {
		add(partRejected, own*r.rejected)
	}
}

// share turns scores into shares of all candidates' likelihood.
func share(ranked []Ranked) {
	var all float64
	for i := len(ranked) - 1; i >= 0; i-- {
		ranked[i].Score = math.Exp(ranked[i].Score - ranked[0].Score)
		all += ranked[i].Score
	}
	for i := range ranked {
		ranked[i].Score /= all
	}
}
