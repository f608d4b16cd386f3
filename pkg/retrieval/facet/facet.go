// Package facet tells near twins apart. A warehouse keeps a table per country,
// layer, snapshot, copy and shard, and no text says which of them a question
// wants: words such as "for the Brazilian market", "rolled up", "only new rows" or
// "备份" do. An Index knows the facets of the tables (read from names by
// pkg/catalog/mark), reads those of a question, and values how well they fit.
//
// A facet counts only where the catalog has it: without a table that is kept for
// Brazil, "Brazil" is a word like any other. Wordings, names of countries and the
// worth of a fit are data (lexicon.yaml, countries.yaml, fit.yaml).
package facet

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// CopyOriginal is asked for by "the production table": no copy of any kind.
const CopyOriginal = "original"

// Mention is a wording in a question that asks for a facet.
type Mention struct {
	Facet mark.Facet
	// Value is one of the facet's values in pkg/catalog/mark, CopyOriginal, or
	// EveryCountry.
	Value      string
	Start, End int // bytes in the question
	// Not: the question rules the value out.
	Not bool
	// Strength, up to 1, is how sure it is that the facet is meant.
	Strength float64
	// Text, 0 to 1, is what the words still count as a subject.
	Text float64

	first, last int // tokens; first is -1 for Chinese
}

// Want is a value that a question asks for, or rules out.
type Want struct {
	Value    string
	Not      bool
	Strength float64
}

// Asked is what a question says of facets.
type Asked struct {
	Mentions []Mention // in the question's order
	wants    [mark.Facets][]Want
	periods  []string // years and dates in the question, digits alone
}

// Wants returns what is asked of a facet, each value once. Nobody may change it.
func (a *Asked) Wants(f mark.Facet) []Want { return a.wants[f] }

// Values returns the values asked for, without those ruled out.
func (a *Asked) Values(f mark.Facet) []string {
	var values []string
	for _, w := range a.wants[f] {
		if !w.Not {
			values = append(values, w.Value)
		}
	}
	return values
}

// collect turns mentions into wants.
func (a *Asked) collect() {
	for _, m := range a.Mentions {
		list := a.wants[m.Facet]
		i := slices.IndexFunc(list, func(w Want) bool { return w.Value == m.Value && w.Not == m.Not })
		if i < 0 {
			a.wants[m.Facet] = append(list, Want{m.Value, m.Not, m.Strength})
			continue
		}
		list[i].Strength = max(list[i].Strength, m.Strength)
	}
}
