package retrieval

import (
	"context"

	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// alikeK flattens the ranks of the hits that are joined.
const alikeK = 60

// alike returns the tables whose vectors are near to the question's; none without
// an embedder. An embedder or a server that does not answer is an error: whoever
// asks decides whether words alone will do.
func (c *Corpus) alike(ctx context.Context, q *Query, keep func(int) bool) ([]vector.Hit, error) {
	if c.vectors == nil {
		return nil, nil
	}
	return c.vectors.Find(ctx, vector.Ask{
		Text: q.Text, Terms: q.terms(), Limit: c.cfg.Candidates, Keep: keep,
		Question: vector.Question{Tokens: len(q.Concepts)},
	})
}

// merge joins hits by words and hits by vectors by their ranks: only the order
// counts, for what is chosen is valued by its features.
func merge(hits []lexical.Hit, alike []vector.Hit) []lexical.Hit {
	if len(alike) == 0 {
		return hits
	}
	lists := make([]fuse.List, 2) // words, vectors
	for i := range lists {
		lists[i].Weights = fuse.Weights{Weight: 1, K: alikeK}
	}
	for _, h := range hits {
		lists[0].Entries = append(lists[0].Entries, fuse.Entry{Doc: h.Doc, Value: h.Score})
	}
	for _, h := range alike {
		lists[1].Entries = append(lists[1].Entries, fuse.Entry{Doc: h.Doc, Value: h.Score})
	}
	merged := make([]lexical.Hit, 0, len(hits))
	for _, r := range fuse.Ranked(lists) {
		merged = append(merged, lexical.Hit{Doc: r.Doc, Score: r.Score})
	}
	return merged
}

// likeness sets how near each table's vector is to the question's: over the
// nearest, and between the farthest that was found and the nearest, for cosines of
// one embedder lie close together and those of another far apart. It is 0 for a
// table that is not among the nearest. The vector of a table of which the asker sees
// less tells nothing: it is made of hidden words too.
func (r *reading) likeness(alike []vector.Hit) {
	if len(alike) == 0 || alike[0].Score <= 0 {
		return
	}
	best, least := alike[0].Score, max(0, alike[len(alike)-1].Score)
	bySchema := make(map[int32]float64)
	for _, h := range alike {
		t, candidate := r.at[h.Doc]
		if !candidate || r.c.shown(t.n) != r.c.tables[t.n] {
			continue
		}
		t.features[featureVector] = max(0, h.Score/best)
		if best > least {
			spread := max(0, (h.Score-least)/(best-least))
			t.features[featureVectorSpread] = spread
			bySchema[r.c.schema[t.n]] = max(bySchema[r.c.schema[t.n]], spread)
		}
	}
	for _, t := range r.tables {
		t.features[featureVectorSchema] = bySchema[r.c.schema[t.n]]
	}
}
