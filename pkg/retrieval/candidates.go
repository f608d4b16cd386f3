package retrieval

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Candidate is a table with what speaks for it.
type Candidate struct {
	Table    *catalog.Table
	Features Features
}

// Limits of choosing candidates.
const (
	// firstSearch and lastSearch are how many hits are looked at for one candidate:
	// many of them may be twins.
	firstSearch = 2
	lastSearch  = 6
	// maxTwins is how many of near twins are candidates, those whose facets fit best.
	maxTwins = 2
)

// Candidates returns the tables that share a term with the query and that keep
// accepts (nil: all), and such that are joined with the best of them, with their
// features, best BM25F score first. Of near twins only those are among them whose
// facets fit the question best. What keep does not accept must not be hidden from
// the asker: for that there is Through. A list that does not answer is an error: who
// would rather have less asks Find.
func (c *Corpus) Candidates(ctx context.Context, q Query, keep func(*catalog.Table) bool) ([]Candidate, error) {
	found, err := c.Find(ctx, q, keep)
	for _, m := range found.Missing {
		err = errors.Join(err, m.Err)
	}
	if err != nil {
		return nil, err
	}
	return found.Candidates, nil
}

// Names of the lists that candidates come from.
const (
	ListWords   = "words"
	ListVectors = "vectors"
)

// Found is what a search found, and what it had to do without.
type Found struct {
	Candidates []Candidate
	Missing    []Missing
}

// Missing is a list that did not answer.
type Missing struct {
	List string // ListWords, for which the index in memory stood in, or ListVectors
	Err  error
}

// Find is Candidates that goes on with the other lists where one does not answer. For
// words the index in memory stands in. Errors: ctx's, and those of all lists together.
func (c *Corpus) Find(ctx context.Context, q Query, keep func(*catalog.Table) bool) (Found, error) {
	var found Found
	lent := c.scratches.lend()
	defer c.scratches.takeBack(lent)
	var keepNumber func(int) bool
	if keep != nil {
		keepNumber = func(n int) bool { return keep(c.tables[n]) }
	}
	alike, err := c.alike(ctx, &q, keepNumber)
	if err != nil {
		if ctx.Err() != nil {
			return found, err
		}
		found.Missing = append(found.Missing, Missing{ListVectors, err})
	}
	if keep != nil { // from here on nothing is asked at the same time
		keepNumber = lent.once(len(c.tables), keepNumber)
	}
	fit := c.facets.For(q.facets, keepNumber)
	chosen, missing, err := c.choose(ctx, &q, alike, fit, keepNumber)
	if err != nil {
		return found, err
	}
	found.Missing = append(found.Missing, missing...)
	chosen = c.pullIn(chosen, fit, keepNumber)
	read := c.ask(&q).read(chosen, lent)
	read.all = c.view == nil
	candidates := make([]Candidate, 0, len(read.tables))
	read.likeness(alike)
	tables := read.features()
	read.shareText()
	read.history(keepNumber)
	for _, t := range tables {
		fit.Features(t.n, t.features[features:])
		candidates = append(candidates, Candidate{Table: c.tables[t.n], Features: t.features})
	}
	slices.SortStableFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(
			cmp.Compare(b.Features[featureText], a.Features[featureText]),
			cmp.Compare(b.Features[features+facet.FeatureGap], a.Features[features+facet.FeatureGap]),
		)
	})
	found.Candidates = candidates
	return found, nil
}

// shareText gives all of near twins the features of the one that has most of the
// question: what a table is about does not change with its country or its copy, and
// an aggregate has lost the columns that tell it.
func (r *reading) shareText() {
	for _, t := range r.tables {
		if !t.leads {
			copy(t.features[:features], r.leading[r.c.facets.Kin(t.n)[0]].features[:features])
		}
	}
}

// choose finds the tables to look at. Where twins fill most of the hits, it looks
// at more of them. Where the index of words does not answer, the one in memory does.
func (c *Corpus) choose(ctx context.Context, q *Query, alike []vector.Hit, fit *facet.Reading, keep func(int) bool) (chosen []int, missing []Missing, err error) {
	terms, text := q.terms(), c.text
	for per := firstSearch; ; per = lastSearch {
		asked := lexical.Query{Terms: terms, Limit: per * c.cfg.Candidates, Keep: keep}
		hits, err := text.Search(ctx, asked)
		if err != nil && ctx.Err() == nil && len(missing) == 0 {
			missing = []Missing{{ListWords, err}}
			if text, err = c.spare.index(c); err == nil {
				hits, err = text.Search(ctx, asked)
			} else {
				err = errors.Join(missing[0].Err, err)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		chosen := c.fitting(merge(hits, alike), fit, keep)
		if per == lastSearch || len(hits) < asked.Limit || 2*len(chosen) >= c.cfg.Candidates {
			return chosen, missing, nil
		}
	}
}

// spare is the index of words in memory. It is made with the first search that a
// server does not answer.
type spare struct {
	once sync.Once
	made lexical.Index
	err  error
}

func (s *spare) index(c *Corpus) (lexical.Index, error) {
	s.once.Do(func() { s.made, s.err = lexical.New(c.cfg.Lexical, c.docs, c.scorer) })
	return s.made, s.err
}

// fitting takes the best hits' kin: of each the one hit, and those tables that fit
// best, whether they are among the hits or not.
func (c *Corpus) fitting(hits []lexical.Hit, fit *facet.Reading, keep func(int) bool) []int {
	chosen := make([]int, 0, c.cfg.Candidates)
	have := make(map[int32]bool) // first table of each kin
	for _, h := range hits {
		kin := c.facets.Kin(h.Doc)
		if len(kin) == 1 {
			chosen = append(chosen, h.Doc)
		} else if !have[kin[0]] {
			have[kin[0]] = true
			twins := bestTwins(kin, fit, keep)
			if !slices.Contains(twins, h.Doc) {
				chosen = append(chosen, h.Doc)
			}
			chosen = append(chosen, twins...)
		}
		if len(chosen) >= c.cfg.Candidates {
			return chosen[:c.cfg.Candidates]
		}
	}
	return chosen
}

// bestTwins returns the tables among twins that fit best.
func bestTwins(kin []int32, fit *facet.Reading, keep func(int) bool) []int {
	type fitted struct {
		n   int
		fit float64
	}
	var room [maxTwins + 1]fitted
	top := room[:0]
	for _, k := range kin {
		n := int(k)
		if keep != nil && !keep(n) {
			continue
		}
		one := fitted{n, fit.Fit(n)}
		if fit.IsBest(n) {
			one.fit = math.Inf(1)
		}
		at := len(top)
		for at > 0 && (top[at-1].fit < one.fit || top[at-1].fit == one.fit && top[at-1].n > one.n) {
			at--
		}
		if at < maxTwins {
			top = slices.Insert(top, at, one)
			top = top[:min(len(top), maxTwins)]
		}
	}
	chosen := make([]int, 0, len(top))
	for _, t := range top {
		chosen = append(chosen, t.n)
	}
	return chosen
}

// pullIn adds the tables that are joined with the best ones.
func (c *Corpus) pullIn(tables []int, fit *facet.Reading, keep func(int) bool) []int {
	have := make(map[int]bool, len(tables))
	for _, n := range tables {
		have[n] = true
	}
	pulled := 0
	for _, hub := range tables[:min(len(tables), pullingHubs)] {
		for _, near := range c.neighbours.of(hub) {
			n := fit.BestOf(int(near)) // a key names one of twins, and the question another
			if pulled == maxPulledIn {
				return tables
			}
			if !have[n] && (keep == nil || keep(n)) {
				have[n] = true
				pulled++
				tables = append(tables, n)
			}
		}
	}
	return tables
}
