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
	said := newBits(len(a.ways))
	a.saidIn(in, said)
	var all []Evidence
	a.eachEvidence(in, said, func(e evidence) {
		all = append(all, Evidence{Concept: q.Concepts[e.way.concept], Field: fieldNames[e.field], Entry: e.way.entry, Worth: e.worth, Share: e.share})
	})
	c.addMeanings(n, &q, all)
	return all
}

// evidence is Evidence for one way to say a concept.
type evidence struct {
	way          *way
	field        int
	worth, share float64
}

// eachEvidence finds for each concept the way to say it that tells most about a document,
// among those of which it has a term.
func (a *asked) eachEvidence(in []found, said bits, tell func(evidence)) {
	var best evidence
	for n := range said.all {
		w := &a.ways[n]
		if best.way != nil && best.way.concept != w.concept {
			tell(best)
			best = evidence{}
		}
		if e := w.evidence(in); e.worth > best.worth {
			best = e
		}
	}
	if best.way != nil {
		tell(best)
	}
}

// evidence is what a document has of the way: its terms are a phrase, they count together,
// and the less of it there is, the less each counts.
func (w *way) evidence(in []found) evidence {
	e := evidence{way: w}
	var sum, most float64
	for _, t := range w.terms {
		f := &in[t.slot]
		worth := t.worth * f.told
		if worth == 0 {
			continue
		}
		sum += t.weight
		e.worth += worth
		if worth > most {
			most, e.field = worth, f.field
		}
	}
	if sum > 0 {
		e.share = sum / max(w.whole, sum)
	}
	e.worth *= e.share
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
