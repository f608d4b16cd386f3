package retrieval

import (
	"context"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Candidate is a table with its value in each list.
type Candidate struct {
	Table  *catalog.Table
	Values map[string]float64 // by list; absent: not in it
}

// Evidence is why a table fits one concept of a question.
type Evidence struct {
	Concept Concept
	Field   string // where it was found, the most telling field
	Entry   string // the synonym that was found; empty for the question's own word
	Worth   float64
}

// Candidates returns the tables that share a term with the query and that keep
// accepts (nil: all), best BM25 score first, with their values by list.
func (c *Corpus) Candidates(ctx context.Context, q Query, keep func(*catalog.Table) bool) ([]Candidate, error) {
	var keepNumber func(int) bool
	if keep != nil {
		keepNumber = func(n int) bool { return keep(c.tables[n]) }
	}
	hits, err := c.text.Search(ctx, lexical.Query{Terms: q.terms(), Limit: c.cfg.Candidates, Keep: keepNumber})
	if err != nil {
		return nil, err
	}
	hits = c.seen(q, hits)
	bestOfSchema := make(map[string]float64)
	for _, h := range hits {
		key := schemaOf(c.tables[h.Doc])
		bestOfSchema[key] = max(bestOfSchema[key], h.Score)
	}
	candidates := make([]Candidate, 0, len(hits))
	for _, h := range hits {
		t := c.tables[h.Doc]
		values := map[string]float64{ListText: h.Score, ListSchema: bestOfSchema[schemaOf(t)]}
		for _, e := range c.evidence(q, h.Doc) {
			values[ListCoverage] += e.Worth
		}
		if share := c.nameShare(q, h.Doc); share > 0 {
			values[ListName] = share
		}
		candidates = append(candidates, Candidate{Table: t, Values: values})
	}
	return candidates, nil
}

func schemaOf(t *catalog.Table) string { return t.Name.Region + "." + t.Name.Schema }

// Lists turns the candidates' values into lists for fusion, where document n is
// candidates[n].
func (c *Corpus) Lists(candidates []Candidate) []fuse.List {
	lists := make([]fuse.List, 0, len(c.cfg.Lists))
	for _, name := range []string{ListText, ListCoverage, ListName, ListSchema} {
		l := fuse.List{Name: name, Weights: c.cfg.Lists[name]}
		for n, candidate := range candidates {
			if v, ok := candidate.Values[name]; ok {
				l.Entries = append(l.Entries, fuse.Entry{Doc: n, Value: v})
			}
		}
		lists = append(lists, l)
	}
	return lists
}

// Why returns the evidence for a table, in the order of the question.
func (c *Corpus) Why(q Query, t *catalog.Table) []Evidence {
	n, ok := c.number[t]
	if !ok {
		return nil
	}
	return c.evidence(q, n)
}

// evidence finds for each concept the entry that tells most about table n.
func (c *Corpus) evidence(q Query, n int) []Evidence {
	var found []Evidence
	for _, concept := range q.Concepts {
		best := Evidence{Concept: concept}
		// The terms of one entry are a phrase: they count together,
		// and the less of it there is, the less each counts.
		entry := Evidence{Concept: concept}
		var sum, whole float64
		for i, t := range concept.Terms {
			if i == 0 || t.Entry != concept.Terms[i-1].Entry {
				entry, sum, whole = Evidence{Concept: concept}, 0, concept.weightOf(t.Entry)
			}
			if t.id == unknownTerm {
				continue
			}
			in := c.fieldsOf(n, t.id)
			term := Evidence{}
			for bit, field := range fieldNames {
				if in&(1<<bit) == 0 {
					continue
				}
				worth := concept.weight * t.Weight * c.rarity(t.id) * c.cfg.Evidence[field]
				if worth > term.Worth {
					term.Worth, term.Field = worth, field
				}
			}
			if term.Worth > 0 {
				sum += t.Weight
				entry.Worth, entry.Field, entry.Entry = entry.Worth+term.Worth, term.Field, t.Entry
			}
			if worth := entry.Worth * sum / max(whole, sum); worth > best.Worth {
				best = entry
				best.Worth = worth
			}
		}
		if best.Worth > 0 {
			found = append(found, best)
		}
	}
	return found
}

// weightOf returns the weight of all terms of an entry.
func (c Concept) weightOf(entry string) float64 {
	var sum float64
	for _, t := range c.Terms {
		if t.Entry == entry {
			sum += t.Weight
		}
	}
	return sum
}

// nameShare is the part of a table's name that the question speaks of, each word
// of the name weighed by its rarity.
func (c *Corpus) nameShare(q Query, n int) float64 {
	var all, found float64
	for _, id := range c.names[n] {
		worth := c.rarity(id)
		all += worth
		found += worth * q.weightOf(id)
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// weightOf returns the weight with which a question asks for a term.
func (q Query) weightOf(id int32) float64 {
	var best float64
	for _, concept := range q.Concepts {
		for _, t := range concept.Terms {
			if t.id == id {
				best = max(best, min(1, t.Weight*concept.weight))
			}
		}
	}
	return best
}
