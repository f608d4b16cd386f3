// Package vector finds documents whose vectors are near to that of a question.
// Index is what every back end offers: the exact scan in memory of this package
// (Flat) and Milvus (pkg/retrieval/milvus). An Embedder makes vectors of text:
// lsa is fitted on the corpus itself, endpoint asks a server; Embed keeps the
// vectors of texts that did not change.
package vector

import (
	"context"
	"fmt"
	"math"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Query asks for the documents nearest to a vector.
type Query struct {
	// Vector has the dimension of the index; its length does not matter. A vector
	// of zeros, which an embedder returns for a text that it knows no word of,
	// finds nothing.
	Vector []float32
	// Filter narrows the search by labels.
	Filter lexical.Filter
	// Limit bounds the hits; 0 or less finds nothing.
	Limit int
	// Keep, if any, says which documents may be found. It is asked for few
	// documents, never by two goroutines at once.
	Keep func(doc int) bool
	// MaxDistance leaves out documents that are farther away (see Distance); 0
	// leaves out none.
	MaxDistance float64
	// Effort of back ends that search approximately; the zero value leaves it to
	// the back end's configuration.
	Effort Effort
}

// Hit is a document with the cosine of the angle between its vector and the
// question's: 1 for the same direction, 0 for nothing in common.
type Hit struct {
	Doc   int
	Score float64
}

// Distance is the squared Euclidean distance between vectors of length one: 0
// for the same direction, 2 for nothing in common, 4 at most.
func (h Hit) Distance() float64 { return 2 - 2*h.Score }

// Index finds documents by vector. It may be searched concurrently until Close.
type Index interface {
	// Search returns the nearest documents, nearest first; of equally near ones the
	// lower document comes first. Errors: a *fault.Error for a back end that does
	// not answer, ctx's error, an error for a vector of another dimension.
	Search(ctx context.Context, q Query) ([]Hit, error)
	// Close frees what the index holds. No search may be under way.
	Close() error
}

// Set holds the vectors of documents 0, 1, ... with their labels.
type Set struct {
	Dim int
	// Data holds the vectors one after the other. A document whose vector is zero
	// is never found.
	Data []float32
	// Labels of the documents, for filters; nil: none has any.
	Labels []lexical.Labels
}

// Len is the number of documents.
func (s Set) Len() int {
	if s.Dim == 0 {
		return 0
	}
	return len(s.Data) / s.Dim
}

// Row returns the vector of a document, not copied.
func (s Set) Row(doc int) []float32 { return s.Data[doc*s.Dim : (doc+1)*s.Dim : (doc+1)*s.Dim] }

// Check tells what is wrong with the set.
func (s Set) Check() error {
	switch {
	case s.Dim <= 0:
		return fmt.Errorf("vector: the dimension is %d: it has to be at least 1", s.Dim)
	case len(s.Data)%s.Dim != 0:
		return fmt.Errorf("vector: %d numbers are no whole number of vectors of dimension %d", len(s.Data), s.Dim)
	case s.Labels != nil && len(s.Labels) != s.Len():
		return fmt.Errorf("vector: labels of %d documents for %d", len(s.Labels), s.Len())
	}
	for i, v := range s.Data {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("vector: document %d has the number %g in its vector", i/s.Dim, v)
		}
	}
	return nil
}

// Normalise scales v to length one and says whether it could: a vector of zeros
// has no direction, one with a number that is none neither.
func Normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}
