// Package rank orders candidates: the corpus' lists and the lists of what is
// known beyond text (usage, layer, grain, scope, country, freshness, the asker's
// own use) are joined by reciprocal rank fusion. Weights are data (rank.yaml).
package rank

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/preprocess"
)

//go:embed rank.yaml
var weightsFile []byte

// Ranker orders candidates. It may be used concurrently.
type Ranker struct {
	lists map[string]fuse.Weights
	// deprecated is what the score of a table with a successor is multiplied with.
	deprecated float64
	// oneCountry is the same for a table of one country where all are asked for.
	oneCountry float64
	// outdone is the same for a table of which a near twin fits the question better.
	outdone float64
}

// Context is what counts beside the question.
type Context struct {
	Corpus    *retrieval.Corpus
	Countries *country.Coverage
	// Marts are the marts in scope, best first; empty: no preference.
	Marts []string
	// Own is what the asker's own use says for (above 0) or against a table.
	Own map[string]float64 // by catalog.Name.Key()
	// FreshSince is the time after which data counts as fresh.
	FreshSince time.Time
}

// Ranked is a candidate with its place's reasons in figures.
type Ranked struct {
	Table    *catalog.Table
	Score    float64
	Parts    map[string]float64 // what each list gave
	Coverage float64            // how much of the question its document covers
}

// New returns a ranker with the embedded weights.
func New() (*Ranker, error) {
	var f struct {
		Lists      map[string]fuse.Weights `yaml:"lists"`
		Deprecated float64                 `yaml:"deprecated"`
		OneCountry float64                 `yaml:"one_country"`
		Outdone    float64                 `yaml:"outdone"`
	}
	if err := yaml.Unmarshal(weightsFile, &f); err != nil {
		return nil, fmt.Errorf("read the embedded rank weights: %w", err)
	}
	for name, w := range f.Lists {
		if !slices.ContainsFunc(features(), func(f feature) bool { return f.name == name }) {
			return nil, fmt.Errorf("rank weights: there is no list %q", name)
		}
		if w.Weight < 0 || w.K < 0 {
			return nil, fmt.Errorf("rank weights: list %q has a negative figure", name)
		}
	}
	return &Ranker{lists: f.Lists, deprecated: f.Deprecated, oneCountry: f.OneCountry, outdone: f.Outdone}, nil
}

// feature values a table for a question; 0 leaves it out of the list.
type feature struct {
	name  string
	value func(t *catalog.Table, q *preprocess.Question, c *Context) float64
}

// features are the lists beside those of the corpus.
func features() []feature {
	return []feature{
		{"usage", func(t *catalog.Table, _ *preprocess.Question, _ *Context) float64 {
			return math.Floor(2 * math.Log1p(float64(t.QueryCount30d))) // steps: nearly equal use is equal
		}},
		{"layer", layerFit},
		{"grain", grainFit},
		{"mart", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			if i := slices.IndexFunc(c.Marts, func(m string) bool { return strings.EqualFold(m, t.Mart) }); i >= 0 {
				return float64(len(c.Marts) - i)
			}
			return 0
		}},
		{"country", countryFit},
		{"every", func(t *catalog.Table, q *preprocess.Question, c *Context) float64 {
			return truth(q.Every && c.Countries.CoversAll(t))
		}},
		{"fresh", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			return truth(!t.UpdatedAt.IsZero() && t.UpdatedAt.After(c.FreshSince))
		}},
		{"own", func(t *catalog.Table, _ *preprocess.Question, c *Context) float64 {
			return max(0, c.Own[t.Name.Key()])
		}},
		{"conversation", func(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
			return truth(slices.Contains(q.Earlier, t))
		}},
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func layerFit(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
	if i := slices.Index(q.Layers, strings.ToLower(t.Layer)); i >= 0 {
		return float64(len(q.Layers) - i)
	}
	return 0
}

func grainFit(t *catalog.Table, q *preprocess.Question, _ *Context) float64 {
	name := "_" + strings.ToLower(t.Name.Table) + "_"
	for _, g := range q.Grains {
		for _, part := range g.Names {
			if strings.Contains(name, "_"+part+"_") {
				return 1
			}
		}
		for _, word := range g.Words {
			if slices.Contains(strings.FieldsFunc(strings.ToLower(t.Grain), func(r rune) bool { return r == ' ' || r == ',' }), word) {
				return 1
			}
		}
	}
	return 0
}

// countryFit prefers the table that alone covers what is asked.
func countryFit(t *catalog.Table, q *preprocess.Question, c *Context) float64 {
	of := c.Countries.Of(t)
	switch {
	case len(q.Countries) > 1:
		covered := 0
		for _, code := range q.Countries {
			if slices.Contains(of, code) {
				covered++
			}
		}
		return float64(covered)
	case len(q.Countries) == 1:
		return truth(slices.Contains(of, q.Countries[0]))
	case q.Region != "":
		return truth(slices.Contains(of, q.Region))
	}
	return 0
}

// Rank orders the candidates, best first.
func (r *Ranker) Rank(candidates []retrieval.Candidate, q *preprocess.Question, c Context) []Ranked {
	lists := c.Corpus.Lists(candidates)
	for _, f := range features() {
		l := fuse.List{Name: f.name, Weights: r.lists[f.name]}
		for n, candidate := range candidates {
			if v := f.value(candidate.Table, q, &c); v > 0 {
				l.Entries = append(l.Entries, fuse.Entry{Doc: n, Value: v})
			}
		}
		lists = append(lists, l)
	}
	fused := fuse.Ranked(lists)
	ranked := make([]Ranked, 0, len(fused))
	for _, f := range fused {
		candidate := candidates[f.Doc]
		one := Ranked{Table: candidate.Table, Score: f.Score, Parts: f.Parts, Coverage: candidate.Features.Evidence()}
		if q.Every && len(c.Countries.Of(candidate.Table)) == 1 {
			one.Score *= r.oneCountry
		}
		if candidate.Features.HasBetterTwin() {
			one.Score *= r.outdone
		}
		if candidate.Table.Successor != "" {
			one.Score *= r.deprecated
		}
		if own := c.Own[candidate.Table.Name.Key()]; own < 0 {
			one.Score /= 1 - own
		}
		ranked = append(ranked, one)
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return strings.Compare(a.Table.Name.Key(), b.Table.Name.Key())
	})
	return ranked
}
