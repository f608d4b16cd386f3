package retrieval

import "slices"

// Also adds to a query what another wording of the question looks for and it does
// not, with at most a weight. The concepts stand at no place of the question's
// text, and no business word is recognised by them: they find tables, and do not
// say what the question is about.
func (c *Corpus) Also(q *Query, text string, weight float64) {
	other := c.Parse(text, nil)
	other.Weaken(weight, func(Concept) bool { return true })
	for _, concept := range other.Concepts {
		known := slices.ContainsFunc(q.Concepts, func(have Concept) bool { return have.sharesWord(concept) })
		if known || len(q.Concepts) >= c.cfg.MaxConcepts {
			continue
		}
		beyond := len(q.Text) + 1 + len(q.Concepts)
		concept.Span, concept.Glossary = Span{beyond, beyond}, nil
		q.Concepts = append(q.Concepts, concept)
	}
	q.lookUp(c.docs)
}

// sharesWord reports whether one of the concept's terms is the first, its own, of
// another.
func (c Concept) sharesWord(other Concept) bool {
	return len(other.Terms) == 0 || slices.ContainsFunc(c.Terms, func(t Term) bool { return t.Text == other.Terms[0].Text })
}
