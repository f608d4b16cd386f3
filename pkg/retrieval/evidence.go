package retrieval

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Evidence is why a table fits one concept of a question.
type Evidence struct {
	Concept Concept
	Field   string // where it was found, the most telling field
	Entry   string // the synonym that was found; empty for the question's own word
	Worth   float64
}

// Why returns the evidence for a table, in the order of the question.
func (c *Corpus) Why(q Query, t *catalog.Table) []Evidence {
	n, ok := c.number[t]
	if !ok {
		return nil
	}
	a := c.ask(&q)
	return a.evidence(a.found(c.documentOf(n).postings, make([]found, len(q.known))))
}

// asked is a question ready to be compared with documents.
type asked struct {
	c      *Corpus
	q      *Query
	rarity []float64 // by slot
	weight []float64 // by slot: the best with which the term is asked for
	worth  []float64 // by concept: what finding all of it in the best place counts
	whole  float64   // of all concepts
}

// found says in which fields a term of the question stands in a document.
type found struct {
	fields   uint16 // bit n: fieldNames[n]
	postings []lexical.Posting
}

func (c *Corpus) ask(q *Query) *asked {
	a := &asked{c: c, q: q, rarity: make([]float64, len(q.known)), weight: make([]float64, len(q.known)), worth: make([]float64, len(q.Concepts))}
	for slot, id := range q.known {
		a.rarity[slot] = c.scorer.Rarity(id)
	}
	for i, concept := range q.Concepts {
		for _, t := range concept.Terms {
			if t.slot != unknownTerm {
				a.weight[t.slot] = max(a.weight[t.slot], t.Weight*concept.weight)
			}
		}
		for _, e := range concept.entries() {
			var sum float64
			for _, t := range e {
				if t.slot != unknownTerm {
					sum += t.Weight * a.rarity[t.slot]
				}
			}
			a.worth[i] = max(a.worth[i], concept.weight*sum)
		}
		a.whole += a.worth[i]
	}
	return a
}

// entries returns the terms of each way to say a concept.
func (c Concept) entries() [][]Term {
	var all [][]Term
	for from := 0; from < len(c.Terms); {
		to := from + 1
		for to < len(c.Terms) && c.Terms[to].Entry == c.Terms[from].Entry {
			to++
		}
		all = append(all, c.Terms[from:to])
		from = to
	}
	return all
}

// found looks the question's terms up in a document; the result is by slot.
func (a *asked) found(postings []lexical.Posting, in []found) []found {
	for slot, id := range a.q.known {
		in[slot] = found{}
		from, to := 0, len(postings)
		for from < to { // the first posting of the term
			middle := (from + to) / 2
			if postings[middle].Term < id {
				from = middle + 1
			} else {
				to = middle
			}
		}
		for to = from; to < len(postings) && postings[to].Term == id; to++ {
			in[slot].fields |= 1 << postings[to].Field()
		}
		in[slot].postings = postings[from:to]
	}
	return in
}

// evidence finds for each concept the entry that tells most about a document. The
// terms of one entry are a phrase: they count together, and the less of it there
// is, the less each counts.
func (a *asked) evidence(in []found) []Evidence {
	var all []Evidence
	for _, concept := range a.q.Concepts {
		best := Evidence{Concept: concept}
		for _, terms := range concept.entries() {
			entry := Evidence{Concept: concept}
			var sum, whole, most float64
			for _, t := range terms {
				whole += t.Weight
				if t.slot == unknownTerm {
					continue
				}
				share, field := a.c.tells(in[t.slot].fields)
				worth := concept.weight * t.Weight * a.rarity[t.slot] * share
				if worth == 0 {
					continue
				}
				sum += t.Weight
				entry.Worth += worth
				entry.Entry = t.Entry
				if worth > most {
					most, entry.Field = worth, fieldNames[field]
				}
			}
			if entry.Worth *= sum / max(whole, sum); entry.Worth > best.Worth {
				best = entry
			}
		}
		if best.Worth > 0 {
			all = append(all, best)
		}
	}
	return all
}

// tells returns the most telling of some fields and what finding a word there
// counts.
func (c *Corpus) tells(in uint16) (share float64, field int) {
	for n := range fieldNames {
		if in&(1<<n) != 0 && c.told[n] > share {
			share, field = c.told[n], n
		}
	}
	return share, field
}
