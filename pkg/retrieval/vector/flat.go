package vector

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// DefaultWorkers bounds the goroutines of one search.
const DefaultWorkers = 4

// block is how many vectors a worker scores between two looks at the context;
// fewer are not worth a goroutine.
const block = 2048

// FlatConfig bounds an exact scan.
type FlatConfig struct {
	// Workers bounds the goroutines of one search; 0: one a processor, at most
	// DefaultWorkers.
	Workers int
}

// Flat compares a question with every document: exact, in memory, 4 bytes a
// number. It never changes.
type Flat struct {
	dim     int
	rows    []float32 // vectors of length one, each filled up to stride with zeros
	stride  int
	groups  lexical.Groups
	empty   []bool // documents without a direction
	workers int
}

// NewFlat makes an index of the set, which it copies.
func NewFlat(cfg FlatConfig, set Set) (*Flat, error) {
	if err := set.Check(); err != nil {
		return nil, err
	}
	x := &Flat{dim: set.Dim, stride: padded(set.Dim), empty: make([]bool, set.Len()), workers: cfg.Workers}
	if x.workers <= 0 {
		x.workers = min(runtime.GOMAXPROCS(0), DefaultWorkers)
	}
	x.rows = make([]float32, set.Len()*x.stride)
	for n := range x.empty {
		copy(x.row(n), set.Row(n))
		x.empty[n] = !Normalise(x.row(n))
	}
	labels := set.Labels
	if labels == nil {
		labels = make([]lexical.Labels, set.Len())
	}
	x.groups = lexical.GroupsOf(labels)
	return x, nil
}

// padded is the number of floats that a vector takes. Rows that begin at the same
// place of a cache line are added up in the same order, so that equal vectors have
// equal scores to the last bit.
func padded(dim int) int {
	const line = 16
	return (dim + line - 1) / line * line
}

func (x *Flat) row(n int) []float32 { return x.rows[n*x.stride : (n+1)*x.stride] }

// Search implements Index.
func (x *Flat) Search(ctx context.Context, q Query) ([]Hit, error) {
	if len(q.Vector) != x.dim {
		return nil, fmt.Errorf("vector: the question has %d dimensions, the index %d", len(q.Vector), x.dim)
	}
	direction := make([]float32, x.stride)
	copy(direction, q.Vector)
	if q.Limit <= 0 || !Normalise(direction) {
		return nil, ctx.Err()
	}
	s := &scan{x: x, vector: direction, allowed: x.groups.Allowed(q.Filter)}
	s.limit, s.least = min(q.Limit, len(x.empty)), -2
	if q.MaxDistance > 0 {
		s.least = 1 - q.MaxDistance/2
	}
	if q.Keep != nil {
		var one sync.Mutex
		s.keep = func(doc int) bool {
			one.Lock()
			defer one.Unlock()
			return q.Keep(doc)
		}
	}
	best, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("scan %d vectors: %w", len(x.empty), err)
	}
	return best, nil
}

// Close implements Index.
func (x *Flat) Close() error { return nil }

// scan is one search of a Flat.
type scan struct {
	x       *Flat
	vector  []float32
	allowed func(doc int) bool // nil: all
	keep    func(doc int) bool // nil: all
	limit   int
	least   float64 // score below which nothing is found
}

// run shares the documents out to workers and joins what they found.
func (s *scan) run(ctx context.Context) ([]Hit, error) {
	n := len(s.x.empty)
	workers := max(1, min(s.x.workers, n/block))
	parts := make([]nearest, workers)
	errs := make([]error, workers)
	var done sync.WaitGroup
	for w := 1; w < workers; w++ {
		done.Go(func() { parts[w], errs[w] = s.part(ctx, n*w/workers, n*(w+1)/workers) })
	}
	parts[0], errs[0] = s.part(ctx, 0, n/workers)
	done.Wait()
	var all []Hit
	for w := range parts {
		if errs[w] != nil {
			return nil, errs[w]
		}
		all = append(all, parts[w].hits...)
	}
	slices.SortFunc(all, Compare)
	return all[:min(len(all), s.limit)], nil
}

// part finds the nearest of documents from to to-1. What is not kept never takes
// a place; keep is asked only about what would take one.
func (s *scan) part(ctx context.Context, from, to int) (nearest, error) {
	best := nearest{limit: s.limit}
	for n := from; n < to; n++ {
		if (n-from)%block == 0 {
			if err := ctx.Err(); err != nil {
				return best, err
			}
		}
		if s.x.empty[n] || s.allowed != nil && !s.allowed(n) {
			continue
		}
		h := Hit{Doc: n, Score: float64(dot(s.vector, s.x.row(n)))}
		if h.Score >= s.least && best.takes(h) && (s.keep == nil || s.keep(n)) {
			best.add(h)
		}
	}
	return best, nil
}
