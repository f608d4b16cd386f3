package vector

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dibrain/dibrain/pkg/retrieval/vector/internal/checked"
)

// Store keeps the vectors of texts by the text's hash, so that a text is embedded
// once as long as neither it nor the embedder changes.
type Store struct {
	embedder string
	dim      int
	vectors  map[Key][]float32
}

// Key is the hash of a text.
type Key [sha256.Size]byte

// KeyOf returns the key of a text.
func KeyOf(text string) Key { return sha256.Sum256([]byte(text)) }

// NewStore returns an empty store of an embedder.
func NewStore(e Embedder) *Store {
	return &Store{embedder: e.Name(), dim: e.Dim(), vectors: make(map[Key][]float32)}
}

// Of tells whether the vectors are of this embedder.
func (s *Store) Of(e Embedder) bool { return s.embedder == e.Name() && s.dim == e.Dim() }

// Len is the number of vectors.
func (s *Store) Len() int { return len(s.vectors) }

// batchTexts is how many texts are handed to an embedder at once; it cuts them to
// what it can take.
const batchTexts = 512

// Embed returns the vectors of texts, one after the other, and a store of just
// these texts; vectors that s (which may be nil, or of another embedder) has are
// taken from it. progress, if any, is told how many of how many are done. Errors:
// the embedder's, and one for a vector of another dimension.
func (s *Store) Embed(ctx context.Context, e Embedder, texts []string, progress func(done, total int)) (Set, *Store, error) {
	next := NewStore(e)
	if s == nil || !s.Of(e) {
		s = next
	}
	set := Set{Dim: e.Dim(), Data: make([]float32, len(texts)*e.Dim())}
	waiting := make(map[Key]bool)
	var missing []string
	var keys []Key
	for _, text := range texts {
		key := KeyOf(text)
		if v, known := s.vectors[key]; known {
			next.vectors[key] = v
		} else if !waiting[key] {
			waiting[key] = true
			missing, keys = append(missing, text), append(keys, key)
		}
	}
	for from := 0; from < len(missing); from += batchTexts {
		if progress != nil {
			progress(len(texts)-len(missing)+from, len(texts))
		}
		to := min(from+batchTexts, len(missing))
		if err := next.ask(ctx, e, missing[from:to], keys[from:to]); err != nil {
			return Set{}, nil, fmt.Errorf("embed texts %d to %d of %d: %w", from, to, len(missing), err)
		}
	}
	if progress != nil {
		progress(len(texts), len(texts))
	}
	for n, text := range texts {
		copy(set.Row(n), next.vectors[KeyOf(text)])
	}
	return set, next, nil
}

func (s *Store) ask(ctx context.Context, e Embedder, texts []string, keys []Key) error {
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("embedder %s returned %d vectors for %d texts", s.embedder, len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) != s.dim {
			return fmt.Errorf("embedder %s returned a vector of dimension %d instead of %d", s.embedder, len(v), s.dim)
		}
		s.vectors[keys[i]] = v
	}
	return nil
}

const (
	storeKind    = "divec"
	storeVersion = 1
	// MaxStoreBytes bounds a store's file.
	MaxStoreBytes = 4 << 30
)

// Write saves the store.
func (s *Store) Write(w io.Writer) error {
	out := checked.NewWriter(w, storeKind, storeVersion)
	out.Text(s.embedder)
	out.Uint(uint64(s.dim))
	out.Uint(uint64(len(s.vectors)))
	for _, key := range slices.SortedFunc(maps.Keys(s.vectors), func(a, b Key) int { return bytes.Compare(a[:], b[:]) }) {
		out.Text(string(key[:]))
		out.Floats(s.vectors[key])
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("save vectors: %w", err)
	}
	return nil
}

// ReadStore returns a saved store. Errors: ErrDamaged for a file that is not one,
// those of r.
func ReadStore(r io.Reader) (*Store, error) {
	in, err := checked.NewReader(r, storeKind, storeVersion, MaxStoreBytes)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	const limit = 1 << 28
	s := &Store{embedder: in.Text(), dim: int(in.Uint(limit)), vectors: make(map[Key][]float32)}
	for n := in.Uint(limit); n > 0 && in.Err() == nil; n-- {
		key, v := in.Text(), in.Floats()
		if len(key) != len(Key{}) || len(v) != s.dim {
			return nil, fmt.Errorf("read vectors: %w", ErrDamaged)
		}
		s.vectors[Key([]byte(key))] = v
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return s, nil
}

// ErrDamaged says that a file of vectors or of a fitted embedder is not what was
// written, or of another version: make it again.
var ErrDamaged = checked.ErrDamaged
