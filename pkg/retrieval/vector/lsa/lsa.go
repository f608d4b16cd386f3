// Package lsa makes vectors of text with nothing but the corpus: words that stand
// in the same tables, and words that are spelled alike, get near vectors. A
// document is its BM25F weights by term, a term is itself and its pieces of a few
// characters, and the strongest directions of that matrix (a truncated singular
// value decomposition; Deerwester et al., JASIS 1990) are the dimensions. They are
// found by randomised range finding with power iterations (Halko, Martinsson and
// Tropp, SIAM Review 2011): the same seed and corpus give the same vectors. A word
// that the corpus does not have is known by its pieces.
package lsa

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Config bounds and weighs a fit. The zero value of a field means its default.
type Config struct {
	// Dim is the dimension of the vectors; a corpus of less variety has fewer.
	Dim int `koanf:"dim"`
	// MaxTerms bounds the terms that have a vector of their own, the most frequent
	// ones; the others are known by their pieces.
	MaxTerms int `koanf:"max_terms"`
	// PieceWeight is what a word's spelling counts against the word itself.
	PieceWeight float64 `koanf:"piece_weight"`
	// ShortestPiece and LongestPiece are characters of a piece, the marks of a
	// word's beginning and end counted.
	ShortestPiece int `koanf:"shortest_piece"`
	LongestPiece  int `koanf:"longest_piece"`
	// Buckets is how many different pieces are told apart.
	Buckets int `koanf:"buckets"`
	// PowerIterations sharpen the directions.
	PowerIterations int `koanf:"power_iterations"`
	// Seed of the random directions to begin with.
	Seed uint64 `koanf:"seed"`
	// MaxTextTerms bounds the terms of one text to embed.
	MaxTextTerms int `koanf:"max_text_terms"`
	// Workers bounds the goroutines of a fit.
	Workers int `koanf:"workers"`
}

// Defaults of Config.
const (
	DefaultDim             = 128
	DefaultMaxTerms        = 60_000
	DefaultPieceWeight     = 1.0
	DefaultShortestPiece   = 3
	DefaultLongestPiece    = 5
	DefaultBuckets         = 1 << 15
	DefaultPowerIterations = 2
	DefaultMaxTextTerms    = 256
	DefaultWorkers         = 2
	// oversample directions are tried beyond those that are kept.
	oversample = 16
	maxDim     = 1024
)

// Complete fills in defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		name  string
		value *int
		byDef int
	}{
		{"dim", &c.Dim, DefaultDim}, {"max_terms", &c.MaxTerms, DefaultMaxTerms},
		{"shortest_piece", &c.ShortestPiece, DefaultShortestPiece}, {"longest_piece", &c.LongestPiece, DefaultLongestPiece},
		{"buckets", &c.Buckets, DefaultBuckets}, {"power_iterations", &c.PowerIterations, DefaultPowerIterations},
		{"max_text_terms", &c.MaxTextTerms, DefaultMaxTextTerms}, {"workers", &c.Workers, DefaultWorkers},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 0 {
			return c, fmt.Errorf("lsa: %s is %d: it has to be at least 1", f.name, *f.value)
		}
	}
	if c.PieceWeight == 0 {
		c.PieceWeight = DefaultPieceWeight
	}
	switch {
	case c.Dim > maxDim:
		return c, fmt.Errorf("lsa: dim is %d: use at most %d", c.Dim, maxDim)
	case c.PieceWeight < 0:
		return c, fmt.Errorf("lsa: piece_weight is %g: use 0 or more", c.PieceWeight)
	case c.ShortestPiece > c.LongestPiece:
		return c, fmt.Errorf("lsa: shortest_piece is %d, longest_piece %d", c.ShortestPiece, c.LongestPiece)
	}
	return c, nil
}

// Model is a fitted embedder. It never changes and may be used concurrently.
type Model struct {
	cfg      Config
	analyzer vector.Analyzer
	terms    map[string]int32
	rarity   []float32 // by term: its inverse document frequency
	unseen   float32   // that of a term that the corpus does not have
	byTerm   matrix    // vectors of terms
	byPiece  matrix    // directions of pieces, weighed by their rarity
	print    uint64    // fingerprint of all of it
}

// Name tells fits apart.
func (m *Model) Name() string { return "corpus:" + strconv.FormatUint(m.print, 16) }

// Dim implements vector.Embedder.
func (m *Model) Dim() int { return m.byTerm.cols }

// Calibration implements vector.Embedder. Of the tables that answer a question, 99
// of 100 are within 1.78 of it (training questions of a corpus with readable names,
// and a corpus with cryptic ones), which is what a threshold of 550 stands for.
func (m *Model) Calibration() vector.Calibration {
	return vector.Calibration{Metric: "L2", MaxDistance: 1.94}
}

// Embed implements vector.Embedder.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed texts: %w", err)
		}
		terms := m.analyzer.Terms(text)
		weighted := make([]lexical.Term, 0, len(terms))
		for _, t := range terms[:min(len(terms), m.cfg.MaxTextTerms)] {
			weighted = append(weighted, lexical.Term{Text: t, Weight: 1})
		}
		out[i] = m.EmbedTerms(weighted)
	}
	return out, nil
}

// EmbedTerms returns the vector of weighted terms, each of which counts once: of a
// question whose words are known together with their synonyms.
func (m *Model) EmbedTerms(terms []lexical.Term) []float32 {
	v := make([]float32, m.Dim())
	seen := make(map[string]bool, len(terms))
	for _, t := range terms {
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		if id, known := m.terms[t.Text]; known {
			add(v, float32(t.Weight)*m.rarity[id], m.byTerm.row(int(id)))
			continue
		}
		for _, p := range pieces(t.Text, m.cfg) {
			add(v, float32(t.Weight)*m.unseen*p.weight*float32(m.cfg.PieceWeight), m.byPiece.row(int(p.bucket)))
		}
	}
	vector.Normalise(v)
	return v
}

// ErrEmpty says that there is nothing to fit on.
var ErrEmpty = errors.New("lsa: the corpus has no words to fit on")
