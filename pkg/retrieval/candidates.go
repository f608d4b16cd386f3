package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Candidate is a table with what speaks for it.
type Candidate struct {
	Table    *catalog.Table
	Features Features
}

// Candidates returns the tables that share a term with the query and that keep
// accepts (nil: all), best BM25F score first, with their features.
func (c *Corpus) Candidates(ctx context.Context, q Query, keep func(*catalog.Table) bool) ([]Candidate, error) {
	var keepNumber func(int) bool
	if keep != nil {
		keepNumber = func(n int) bool { return keep(c.tables[n]) }
	}
	hits, err := c.text.Search(ctx, lexical.Query{Terms: q.terms(), Limit: c.cfg.Candidates, Keep: keepNumber})
	if err != nil {
		return nil, err
	}
	hits = c.pullIn(hits, keep)
	read := c.ask(&q).read(hits)
	candidates := make([]Candidate, 0, len(read.tables))
	for _, t := range read.features() {
		candidates = append(candidates, Candidate{Table: c.tables[t.n], Features: t.features})
	}
	slices.SortStableFunc(candidates, func(a, b Candidate) int {
		return cmp.Compare(b.Features[featureText], a.Features[featureText])
	})
	return candidates, nil
}

// pullIn adds the tables that are joined with the best hits.
func (c *Corpus) pullIn(hits []lexical.Hit, keep func(*catalog.Table) bool) []lexical.Hit {
	have := make(map[int]bool, len(hits))
	for _, h := range hits {
		have[h.Doc] = true
	}
	pulled := 0
	for _, hub := range hits[:min(len(hits), pullingHubs)] {
		for _, n := range c.neighbours.of(hub.Doc) {
			if pulled == maxPulledIn {
				return hits
			}
			if !have[int(n)] && (keep == nil || keep(c.tables[n])) {
				have[int(n)] = true
				pulled++
				hits = append(hits, lexical.Hit{Doc: int(n)})
			}
		}
	}
	return hits
}

// Lists turns the candidates' features into lists for fusion, where document n is
// candidates[n].
func (c *Corpus) Lists(candidates []Candidate) []fuse.List {
	names := [...]struct {
		list    string
		feature int
	}{{ListText, featureText}, {ListCoverage, featureEvidence}, {ListName, featureNameShare}, {ListSchema, featureSchBest}}
	lists := make([]fuse.List, 0, len(names))
	for _, name := range names {
		l := fuse.List{Name: name.list, Weights: c.cfg.Lists[name.list]}
		for n, candidate := range candidates {
			if v := candidate.Features[name.feature]; v > 0 {
				l.Entries = append(l.Entries, fuse.Entry{Doc: n, Value: v})
			}
		}
		lists = append(lists, l)
	}
	return lists
}
