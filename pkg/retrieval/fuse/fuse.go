// Package fuse joins ranked lists into one by reciprocal rank fusion: the score
// of a document is the sum over the lists of weight / (k + rank), with rank 1
// for the best (Cormack, Clarke and Büttcher, SIGIR 2009). Ranks, not scores,
// are added, so lists of different scales need no calibration; the weight and k
// of each list are data.
package fuse

import (
	"cmp"
	"slices"
)

// Weights says how much a list counts.
type Weights struct {
	Weight float64 `yaml:"weight" json:"weight"`
	// K flattens the list: the larger it is, the less the first places stand out.
	K float64 `yaml:"k" json:"k"`
}

// Entry is a document in a list with the value that it is ranked by.
type Entry struct {
	Doc   int
	Value float64
}

// List is one ranking. Entries may be in any order and a document may be absent,
// which gives it nothing from this list. Equal values share a rank.
type List struct {
	Weights Weights
	Entries []Entry
}

// Result is a document with its score.
type Result struct {
	Doc   int
	Score float64
}

// Ranked fuses the lists; best first, and of equal ones the lower document first.
// The lists' entries are put in order.
func Ranked(lists []List) []Result {
	at := make(map[int]int)
	var results []Result
	for _, l := range lists {
		l.Votes(func(doc int, vote float64) {
			i, known := at[doc]
			if !known {
				i = len(results)
				at[doc] = i
				results = append(results, Result{Doc: doc})
			}
			results[i].Score += vote
		})
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
	})
	return results
}

// Votes puts the entries in order and tells what the list gives to each document.
func (l List) Votes(tell func(doc int, vote float64)) {
	if l.Weights.Weight == 0 {
		return
	}
	slices.SortFunc(l.Entries, func(a, b Entry) int {
		if c := cmp.Compare(b.Value, a.Value); c != 0 {
			return c
		}
		return cmp.Compare(a.Doc, b.Doc)
	})
	rank := 0
	for i, e := range l.Entries {
		if i == 0 || e.Value != l.Entries[i-1].Value {
			rank = i + 1
		}
		tell(e.Doc, l.Weights.Weight/(l.Weights.K+float64(rank)))
	}
}
