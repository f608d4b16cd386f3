package retrieval

import "github.com/dibrain/dibrain/pkg/catalog"

// Evidence is why a table fits one concept of a question.
type Evidence struct {
	Concept Concept
	Field   string // where it was found, the most telling field
	Entry   string // the synonym that was found; empty for the question's own word
	Worth   float64
	// Share is how much of the entry's words was found, by weight: over 0, at most 1.
	Share float64
	// Meaning of the table that the words stand for; nil: none.
	Meaning *Meaning
}

// Why returns the evidence for a table, in the order of the question.
func (c *Corpus) Why(q Query, t *catalog.Table) []Evidence {
	n, ok := c.number[t]
	if !ok {
		return nil
	}
	a := c.ask(&q)
	in := a.find(c.documentOf(n).postings, make([]found, len(q.known)))
	var all []Evidence
	a.eachEvidence(in, func(e Evidence) { all = append(all, e) })
	c.addMeanings(n, &q, all)
	return all
}

// eachEvidence finds for each concept the entry that tells most about a document.
// The terms of one entry are a phrase: they count together, and the less of it
// there is, the less each counts.
func (a *asked) eachEvidence(in []found, tell func(Evidence)) {
	for i := range a.q.Concepts {
		concept := &a.q.Concepts[i]
		var best Evidence
		for from := 0; from < len(concept.Terms); {
			to := from + 1
			for to < len(concept.Terms) && concept.Terms[to].Entry == concept.Terms[from].Entry {
				to++
			}
			if e := a.evidenceOf(concept, concept.Terms[from:to], in); e.Worth > best.Worth {
				best = e
			}
			from = to
		}
		if best.Worth > 0 {
			best.Concept = *concept
			tell(best)
		}
	}
}

func (a *asked) evidenceOf(concept *Concept, entry []Term, in []found) Evidence {
	var e Evidence
	var sum, whole, most float64
	for _, t := range entry {
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
		e.Worth += worth
		e.Entry = t.Entry
		if worth > most {
			most, e.Field = worth, fieldNames[field]
		}
	}
	if sum > 0 {
		e.Share = sum / max(whole, sum)
	}
	e.Worth *= e.Share
	return e
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
