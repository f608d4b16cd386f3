package lexical

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Scorer weighs terms in documents by BM25F: the occurrences of a term in all
// fields, each weighted and divided by its field's normalised length, are added
// up first and saturate together (Robertson, Zaragoza and Taylor, CIKM 2004), so
// that a term in three fields does not count three times. It may be used
// concurrently.
type Scorer struct {
	docs *Documents
	k1   float64
	// By field number: the weight, b, and the mean length of the field in the
	// documents that have it.
	weight, b, mean []float64
	idf             []float32 // by term
}

// NewScorer returns the weights of cfg over documents. A field that cfg does not
// name counts nothing. family gives each document's family; nil: each is one of its
// own. The rarity of a term is among families, so that many twins make no word
// common.
func NewScorer(cfg Config, docs *Documents, family []int32) *Scorer {
	n := len(docs.fields)
	s := &Scorer{docs: docs, k1: cfg.K1, weight: make([]float64, n), b: make([]float64, n), mean: make([]float64, n)}
	for i, name := range docs.fields {
		s.weight[i], s.b[i] = cfg.Fields[name].Weight, cfg.Fields[name].B
	}
	have := make([]float64, n)
	for doc := range docs.Size() {
		for field, length := range s.lengths(docs.Of(doc)) {
			if length > 0 {
				s.mean[field] += float64(length)
				have[field]++
			}
		}
	}
	for field := range s.mean {
		s.mean[field] = max(1, s.mean[field]/max(1, have[field]))
	}
	s.idf = make([]float32, docs.Terms())
	frequency, size := docs.frequency, docs.Size()
	if family != nil {
		frequency, size = familyFrequency(docs, family)
	}
	for id, n := range frequency {
		s.idf[id] = float32(rarity(size, int(n)))
	}
	return s
}

// familyFrequency returns how many families have each term, and how many there are.
func familyFrequency(docs *Documents, family []int32) (frequency []int32, size int) {
	order := make([]int, docs.Size())
	for doc := range order {
		order[doc] = doc
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(family[a], family[b]) })
	frequency = make([]int32, docs.Terms())
	last := make([]int32, docs.Terms()) // 1 + the number of the family that had the term last
	for i, doc := range order {
		if i == 0 || family[doc] != family[order[i-1]] {
			size++
		}
		for _, p := range docs.Of(doc) {
			if last[p.Term] != int32(size) {
				last[p.Term] = int32(size)
				frequency[p.Term]++
			}
		}
	}
	return frequency, size
}

// rarity is BM25's inverse document frequency, never below zero.
func rarity(size, frequency int) float64 {
	n, df := float64(size), float64(frequency)
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// Rarity returns the inverse document frequency of a term.
func (s *Scorer) Rarity(term int32) float64 { return float64(s.idf[term]) }

func (s *Scorer) lengths(postings []Posting) (length [maxFields]int) {
	for _, p := range postings {
		length[p.Field()] += p.Count()
	}
	return length
}

// Norms returns by field number what one occurrence in it counts in a document.
func (s *Scorer) Norms(postings []Posting) (norm [maxFields]float64) {
	for field, length := range s.lengths(postings) {
		if length > 0 {
			norm[field] = s.weight[field] / (1 - s.b[field] + s.b[field]*float64(length)/s.mean[field])
		}
	}
	return norm
}

// Saturated turns weighted occurrences of a term into its score.
func (s *Scorer) Saturated(term int32, occurrences float64) float64 {
	return float64(s.idf[term]) * occurrences * (s.k1 + 1) / (occurrences + s.k1)
}

// each tells the score of each term of a document, in the order of the terms.
func (s *Scorer) each(postings []Posting, tell func(term int32, score float32)) {
	norm := s.Norms(postings)
	for i := 0; i < len(postings); {
		term, sum := postings[i].Term, 0.0
		for ; i < len(postings) && postings[i].Term == term; i++ {
			sum += float64(postings[i].Count()) * norm[postings[i].Field()]
		}
		if sum > 0 {
			tell(term, float32(s.Saturated(term, sum)))
		}
	}
}

// fieldsOf returns the names of the fields of cfg in an order that is always the
// same.
func fieldsOf(cfg Config) []string { return slices.Sorted(maps.Keys(cfg.Fields)) }
