package retrieval

import (
	"context"
	"errors"
	"strings"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Makers makes the indices of a corpus: in memory here, or what package backend is
// configured for.
type Makers interface {
	// Lexical returns the lexical index of a source's documents.
	Lexical(ctx context.Context, source string, cfg lexical.Config, docs *lexical.Documents, scorer *lexical.Scorer) (lexical.Index, error)
	// Vectors returns what finds a source's documents by vector; nil: nothing does.
	Vectors(ctx context.Context, source string, corpus vector.Corpus) (Finder, error)
}

// Finder finds documents by what a question means.
type Finder interface {
	// Find returns the nearest documents, nearest first.
	Find(ctx context.Context, a vector.Ask) ([]vector.Hit, error)
	// Close frees what the finder holds. No search may be under way.
	Close() error
}

// inMemory is the embedded index without vectors.
type inMemory struct{}

// Lexical implements Makers.
func (inMemory) Lexical(_ context.Context, _ string, cfg lexical.Config, docs *lexical.Documents, scorer *lexical.Scorer) (lexical.Index, error) {
	return lexical.New(cfg, docs, scorer)
}

// Vectors implements Makers.
func (inMemory) Vectors(context.Context, string, vector.Corpus) (Finder, error) {
	return nil, nil
}

func (c *Corpus) make(ctx context.Context, makers Makers, source string) error {
	var err error
	if c.text, err = makers.Lexical(ctx, source, c.cfg.Lexical, c.docs, c.scorer); err != nil {
		return err
	}
	c.vectors, err = makers.Vectors(ctx, source, vector.Corpus{Docs: c.docs, Scorer: c.scorer, Analyzer: c.analyzer, Text: c.asText})
	if err != nil {
		return errors.Join(err, c.text.Close())
	}
	return nil
}

// maxTextColumns bounds the columns that are told of a table to an embedder that
// reads.
const maxTextColumns = 60

// asText returns what a table is, for embedders that read: words, not identifiers.
func (c *Corpus) asText(n int) string {
	t := c.tables[n]
	var b strings.Builder
	b.WriteString(c.words(c.index.Marks(t).Text) + " | " + c.words(t.Name.Schema) + " | " + t.Description + " | ")
	for i := range t.Columns[:min(len(t.Columns), maxTextColumns)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.words(t.Columns[i].Name))
	}
	return b.String()
}

// words returns an identifier as its words, run-together ones apart.
func (c *Corpus) words(identifier string) string {
	var words []string
	tokens := c.analyzer.Tokens(identifier)
	for i, t := range tokens {
		if !t.Part && i+1 < len(tokens) && tokens[i+1].Part {
			continue // its parts follow
		}
		words = append(words, t.Word)
	}
	return strings.Join(words, " ")
}
