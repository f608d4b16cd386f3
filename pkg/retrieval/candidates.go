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

// Lists turns the candidates' features into lists for fusion, where document n is
// candidates[n].
func (c *Corpus) Lists(candidates []Candidate) []fuse.List {
	names := [...]struct {
		list    string
		feature int
	}{{ListText, featureText}, {ListCoverage, featureEvidence}, {ListName, featureNameShare}, {ListSchema, featureSchemaBest}}
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
