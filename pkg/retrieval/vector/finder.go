package vector

import (
	"context"
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Corpus is what vectors are made of.
type Corpus struct {
	Docs   *lexical.Documents
	Scorer *lexical.Scorer
	// Analyzer splits texts as the documents were split.
	Analyzer Analyzer
	// Text returns a document as text, for embedders that read.
	Text func(doc int) string
}

// Labels returns the labels of all documents.
func (c Corpus) Labels() []lexical.Labels {
	labels := make([]lexical.Labels, c.Docs.Size())
	for n := range labels {
		labels[n] = c.Docs.Labels(n)
	}
	return labels
}

// Analyzer splits a text into terms.
type Analyzer interface{ Terms(text string) []string }

// TermEmbedder is an Embedder that knows words by themselves: it is asked for a
// question's words together with their synonyms and translations.
type TermEmbedder interface {
	EmbedTerms(terms []lexical.Term) []float32
}

// Finder finds documents by what a question means: an embedder with the index of
// its vectors.
type Finder struct {
	embedder Embedder
	index    Index
	efforts  Efforts
}

// NewFinder returns a finder, which closes the index.
func NewFinder(e Embedder, x Index, efforts Efforts) (*Finder, error) {
	efforts, err := efforts.Complete()
	if err != nil {
		return nil, err
	}
	return &Finder{embedder: e, index: x, efforts: efforts}, nil
}

// Ask is a question.
type Ask struct {
	Text string
	// Terms of the question with their synonyms and translations, for embedders that
	// know words; empty: Text counts.
	Terms []lexical.Term
	Question
	Filter lexical.Filter
	Limit  int
	Keep   func(doc int) bool
}

// Find returns the nearest documents, nearest first. Errors: the embedder's and
// the index'.
func (f *Finder) Find(ctx context.Context, a Ask) ([]Hit, error) {
	direction, err := f.direction(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	effort := f.efforts.For(a.Question)
	return f.index.Search(ctx, Query{
		Vector: direction, Filter: a.Filter, Limit: a.Limit, Keep: a.Keep, Effort: effort,
		MaxDistance: f.embedder.Calibration().Distance(effort.Threshold),
	})
}

func (f *Finder) direction(ctx context.Context, a Ask) ([]float32, error) {
	if words, ok := f.embedder.(TermEmbedder); ok && len(a.Terms) > 0 {
		return words.EmbedTerms(a.Terms), nil
	}
	vectors, err := f.embedder.Embed(ctx, []string{a.Text})
	if err != nil {
		return nil, err
	}
	if len(vectors) != 1 {
		return nil, errors.New("no vector for one text")
	}
	return vectors[0], nil
}

// Embedder returns the name of the embedder.
func (f *Finder) Embedder() string { return f.embedder.Name() }

// Close closes the index. No search may be under way.
func (f *Finder) Close() error { return f.index.Close() }
