package lsa

import (
	"cmp"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/internal/checked"
)

const (
	fileKind    = "dilsa"
	fileVersion = 1
	// MaxFileBytes bounds a model's file.
	MaxFileBytes = 1 << 30
)

// Write saves the model, all but its analyzer.
func (m *Model) Write(w io.Writer) error {
	out := checked.NewWriter(w, fileKind, fileVersion)
	for _, v := range []int{m.cfg.ShortestPiece, m.cfg.LongestPiece, m.cfg.Buckets, m.cfg.MaxTextTerms, m.Dim(), len(m.terms)} {
		out.Uint(uint64(v))
	}
	out.Floats([]float32{float32(m.cfg.PieceWeight), m.unseen})
	for _, term := range m.inOrder() {
		out.Text(term)
	}
	for _, list := range [][]float32{m.rarity, m.byTerm.data, m.byPiece.data} {
		out.Floats(list)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("save the fitted embedder: %w", err)
	}
	return nil
}

// Read returns a saved model; analyzer has to split as the one that it was fitted
// with. Errors: vector.ErrDamaged for a file that is not one, those of r.
func Read(r io.Reader, analyzer vector.Analyzer) (*Model, error) {
	in, err := checked.NewReader(r, fileKind, fileVersion, MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("read a fitted embedder: %w", err)
	}
	m := &Model{analyzer: analyzer}
	const limit = 1 << 28
	var terms int
	for _, v := range []*int{&m.cfg.ShortestPiece, &m.cfg.LongestPiece, &m.cfg.Buckets, &m.cfg.MaxTextTerms, &m.cfg.Dim, &terms} {
		*v = int(in.Uint(limit))
	}
	weights := in.Floats()
	m.terms = make(map[string]int32)
	for n := 0; n < terms && in.Err() == nil; n++ {
		m.terms[in.Text()] = int32(n)
	}
	m.rarity = in.Floats()
	m.byTerm = matrix{cols: m.cfg.Dim, data: in.Floats()}
	m.byPiece = matrix{cols: m.cfg.Dim, data: in.Floats()}
	whole := in.Err() == nil && len(weights) == 2 && m.cfg.Dim > 0 && m.cfg.Buckets > 0 && len(m.terms) == terms &&
		len(m.rarity) == terms && len(m.byTerm.data) == terms*m.cfg.Dim && len(m.byPiece.data) == m.cfg.Buckets*m.cfg.Dim
	if !whole {
		return nil, fmt.Errorf("read a fitted embedder: %w", checked.ErrDamaged)
	}
	m.cfg.PieceWeight, m.unseen = float64(weights[0]), weights[1]
	return m, m.sign()
}

// inOrder returns the terms by their number.
func (m *Model) inOrder() []string {
	return slices.SortedFunc(maps.Keys(m.terms), func(a, b string) int { return cmp.Compare(m.terms[a], m.terms[b]) })
}

// sign sets the fingerprint: a sum over all that an embedding depends on.
func (m *Model) sign() error {
	var sum hash.Hash64 = xxhash.New()
	if err := m.Write(sum); err != nil {
		return err
	}
	m.print = sum.Sum64()
	return nil
}
