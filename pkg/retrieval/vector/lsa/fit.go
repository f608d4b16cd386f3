package lsa

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Fit makes an embedder of documents and returns it with their vectors. Terms are
// weighed by scorer. Errors: ctx's, and one for a corpus without words.
func Fit(ctx context.Context, cfg Config, docs *lexical.Documents, scorer *lexical.Scorer, analyzer vector.Analyzer) (*Model, vector.Set, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, vector.Set{}, err
	}
	f := &fit{cfg: cfg, docs: docs, scorer: scorer}
	f.chooseTerms()
	if len(f.chosen) == 0 {
		return nil, vector.Set{}, ErrEmpty
	}
	f.weighDocuments()
	f.spell()
	m := &Model{cfg: cfg, analyzer: analyzer, terms: make(map[string]int32, len(f.chosen)), rarity: make([]float32, len(f.chosen))}
	if m.byTerm, m.byPiece, err = f.decompose(ctx); err != nil {
		return nil, vector.Set{}, fmt.Errorf("fit an embedder on %d documents: %w", docs.Size(), err)
	}
	for n, id := range f.chosen {
		m.terms[docs.Term(id)] = int32(n)
		m.rarity[n] = float32(scorer.Rarity(id))
	}
	m.unseen = float32(math.Log(1 + 2*float64(docs.Size()))) // as BM25 weighs a term of no document
	if err := m.sign(); err != nil {
		return nil, vector.Set{}, err
	}
	return m, f.documents(m), nil
}

// fit is the state of one Fit: documents are rows over chosen terms, and terms are
// rows over themselves and pieces.
type fit struct {
	cfg    Config
	docs   *lexical.Documents
	scorer *lexical.Scorer

	chosen  []int32 // ids of the terms that have a vector, most frequent first
	number  []int32 // by id: place in chosen; -1: none
	weights *sparse // documents by chosen terms
	byTerm  *sparse // weights by term
	spelled *sparse // chosen terms by pieces
	byPiece *sparse // spelled by piece
}

// chooseTerms takes the terms of at least two documents, the most frequent ones;
// in a small corpus those of one document too.
func (f *fit) chooseTerms() {
	const small = 5000
	least := 1
	if f.docs.Size() > small {
		least = 2
	}
	f.number = make([]int32, f.docs.Terms())
	for id := range f.docs.Terms() {
		f.number[id] = -1
		if f.docs.Frequency(int32(id)) >= least {
			f.chosen = append(f.chosen, int32(id))
		}
	}
	slices.SortFunc(f.chosen, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.docs.Frequency(b), f.docs.Frequency(a)), cmp.Compare(f.docs.Term(a), f.docs.Term(b)))
	})
	f.chosen = f.chosen[:min(len(f.chosen), f.cfg.MaxTerms)]
	for n, id := range f.chosen {
		f.number[id] = int32(n)
	}
}

// weighDocuments gives each document the BM25F weights of its terms, brought to
// length one.
func (f *fit) weighDocuments() {
	w := &sparse{start: make([]uint32, 1, f.docs.Size()+1), cols: len(f.chosen)}
	for doc := range f.docs.Size() {
		from := len(w.value)
		postings := f.docs.Of(doc)
		norms := f.scorer.Norms(postings)
		for i := 0; i < len(postings); {
			term, sum := postings[i].Term, 0.0
			for ; i < len(postings) && postings[i].Term == term; i++ {
				sum += float64(postings[i].Count()) * norms[postings[i].Field()]
			}
			if n := f.number[term]; n >= 0 && sum > 0 {
				w.col = append(w.col, n)
				w.value = append(w.value, float32(f.scorer.Saturated(term, sum)))
			}
		}
		vector.Normalise(w.value[from:])
		w.start = append(w.start, uint32(len(w.value)))
	}
	f.weights, f.byTerm = w, w.transposed()
}

// spell gives each term its pieces; a piece of many terms counts less.
func (f *fit) spell() {
	s := &sparse{start: make([]uint32, 1, len(f.chosen)+1), cols: f.cfg.Buckets}
	for _, id := range f.chosen {
		for _, p := range pieces(f.docs.Term(id), f.cfg) {
			s.col = append(s.col, p.bucket)
			s.value = append(s.value, p.weight*float32(f.cfg.PieceWeight))
		}
		s.start = append(s.start, uint32(len(s.value)))
	}
	f.spelled, f.byPiece = s, s.transposed()
}

// features are the columns of the decomposed matrix: terms, then pieces.
type features struct{ terms, pieces matrix }

// forward multiplies documents with the directions x of their features.
func (f *fit) forward(x features) (terms, documents matrix) {
	terms = f.spelled.times(x.pieces, f.cfg.Workers)
	for i := range x.terms.data {
		terms.data[i] += x.terms.data[i]
	}
	return terms, f.weights.times(terms, f.cfg.Workers)
}

// back multiplies the features with directions y of the documents.
func (f *fit) back(y matrix) features {
	terms := f.byTerm.times(y, f.cfg.Workers)
	return features{terms: terms, pieces: f.byPiece.times(terms, f.cfg.Workers)}
}

// decompose returns the vectors of the terms and of the pieces.
func (f *fit) decompose(ctx context.Context) (terms, pieces matrix, err error) {
	random := rand.New(rand.NewPCG(f.cfg.Seed, 0))
	width := min(f.cfg.Dim+oversample, f.docs.Size(), len(f.chosen))
	x := features{terms: newMatrix(len(f.chosen), width), pieces: newMatrix(f.cfg.Buckets, width)}
	for _, m := range []matrix{x.terms, x.pieces} {
		for i := range m.data {
			m.data[i] = float32(random.NormFloat64())
		}
	}
	for range f.cfg.PowerIterations + 1 {
		if err := ctx.Err(); err != nil {
			return terms, pieces, err
		}
		_, y := f.forward(x)
		turn, ok := y.directions(width)
		if !ok {
			return terms, pieces, ErrEmpty
		}
		x = f.back(y.dense(turn, f.cfg.Workers))
	}
	// x spans the strongest features; their own directions are found among them.
	all := matrix{cols: x.terms.cols, data: append(slices.Clone(x.terms.data), x.pieces.data...)}
	turn, ok := all.directions(f.cfg.Dim)
	if !ok {
		return terms, pieces, ErrEmpty
	}
	x = features{terms: x.terms.dense(turn, f.cfg.Workers), pieces: x.pieces.dense(turn, f.cfg.Workers)}
	terms = f.spelled.times(x.pieces, f.cfg.Workers)
	for i := range x.terms.data {
		terms.data[i] += x.terms.data[i]
	}
	return terms, x.pieces, nil
}

// documents returns the vectors of all documents with their labels.
func (f *fit) documents(m *Model) vector.Set {
	v := f.weights.times(m.byTerm, f.cfg.Workers)
	set := vector.Set{Dim: v.cols, Data: v.data, Labels: make([]lexical.Labels, f.docs.Size())}
	for doc := range set.Labels {
		vector.Normalise(set.Row(doc))
		set.Labels[doc] = f.docs.Labels(doc)
	}
	return set
}
