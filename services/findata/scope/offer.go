package scope

import (
	"github.com/dibrain/dibrain/pkg/catalog"
)

// Take makes a decision of what somebody else, a model, decided: candidates are
// visible marts, most relevant first. The rules about asking stay: with four or
// more the person chooses, with two or three where they want to make sure.
func (c *Clarifier) Take(r Request, candidates []Candidate) Result {
	n := len(candidates)
	switch {
	case n == 0:
		return noMatch(byName(r.Marts))
	case n >= c.file.MaxScopes, n > 1 && r.MakeSure:
		return c.Offer(r, candidates)
	}
	for i := range candidates {
		candidates[i].Score = 1 / float64(n)
	}
	return Result{Outcome: Identified, Scopes: candidates}
}

// Offer asks the person to choose between candidates. Their reasons, where they
// have any, stand before the marts.
func (c *Clarifier) Offer(r Request, candidates []Candidate) Result {
	var between []weighed
	for _, o := range candidates {
		w := weighed{mart: o.Mart}
		if o.Reason != "" {
			w.words = []string{o.Reason}
		}
		between = append(between, w)
	}
	return c.ask(r, between, byName(r.Marts))
}

func byName(marts []catalog.Mart) map[string]catalog.Mart {
	by := make(map[string]catalog.Mart, len(marts))
	for _, m := range marts {
		by[m.Name] = m
	}
	return by
}
