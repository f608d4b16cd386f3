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
	Name    string
	Weights Weights
	Entries []Entry
}

// Result is a document with its score and what each list gave to it.
type Result struct {
	Doc   int
	Score float64
	Parts map[string]float64
}

// Ranked fuses the lists; best first, and of equal ones the lower document first.
func Ranked(lists []List) []Result {
	byDoc := make(map[int]*Result)
	for _, l := range lists {
		if l.Weights.Weight == 0 {
			continue
		}
		entries := slices.Clone(l.Entries)
		slices.SortFunc(entries, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Doc, b.Doc))
		})
		rank := 0
		for i, e := range entries {
			if i == 0 || e.Value != entries[i-1].Value {
				rank = i + 1
			}
			r, ok := byDoc[e.Doc]
			if !ok {
				r = &Result{Doc: e.Doc, Parts: make(map[string]float64, len(lists))}
				byDoc[e.Doc] = r
			}
			part := l.Weights.Weight / (l.Weights.K + float64(rank))
			r.Score += part
			r.Parts[l.Name] += part
		}
	}
	results := make([]Result, 0, len(byDoc))
	for _, r := range byDoc {
		results = append(results, *r)
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
	})
	return results
}
