package link

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// describedValues are the codes whose description a word is a form of: "failed"
// where F stands for fail.
func (x *Index) describedValues(t token.Token) []ValueMatch {
	if found := x.described[t.Stem]; len(found) > 0 {
		return found
	}
	for _, ending := range []string{"ful", "fulli"} { // "successful" where S stands for success
		if n := len(t.Stem) - len(ending); n > 3 && t.Stem[n:] == ending {
			return x.described[token.Stem(t.Stem[:n])]
		}
	}
	return nil
}

// maxKinds is how many values a column has whose values may be verbs: "buy".
const maxKinds = 10

// predicates are words after which a word says what state things are in.
var predicates = []string{"are", "is", "were", "was", "be", "been", "being", "still", "currently", "not", "only"}

// qualifies reports whether a word that is mostly a verb is a stored kind of the
// things after it, "buy orders", or the state of those before it.
func (x *Index) qualifies(it *Item, found []ValueMatch) bool {
	if it.next.Lower == "and" || it.next.Lower == "or" { // "both buy and sell orders"
		return slices.ContainsFunc(found, func(v ValueMatch) bool { return len(v.Dim.Values) <= maxKinds && v.Dim.Complete })
	}
	if slices.Contains(predicates, it.prev.Lower) { // "which tickets are open"
		return slices.ContainsFunc(found, func(v ValueMatch) bool { return len(v.Dim.Values) <= maxKinds && v.Dim.Complete })
	}
	if it.next.Kind != token.Word || !slices.ContainsFunc(found, func(v ValueMatch) bool { return len(v.Dim.Values) <= maxKinds && v.Dim.Complete }) {
		return false
	}
	tables := x.tablesOf([]string{it.next.Stem})
	return len(tables) > 0 && tables[0].Score >= goodTable
}

// goodTable is the score from which on a word names a table for sure.
const goodTable = 0.75

// holdsAmount reports whether a phrase that sums or counts, "total amount of", has a word that
// is a column's whole name: then the column is summed.
func (x *Index) holdsAmount(tokens []token.Token, tags []lexicon.Tag) bool {
	if len(tokens) < 2 || len(tags) != 1 || tags[0].Name != "agg" && tags[0].Name != "count" {
		return false
	}
	return slices.ContainsFunc(tokens, func(t token.Token) bool {
		if t.Lower != "amount" {
			return false
		}
		found := x.columnsOf([]string{t.Stem})
		return len(found) > 0 && found[0].Score >= WholeName
	})
}

// ofNext reports whether the most of what a verb says is of the name after it: "earns
// the most fees" asks for fees, and "earns the most" for pay.
func (x *Index) ofNext(tokens []token.Token, k int, tags []lexicon.Tag) bool {
	if k < 2 || k >= len(tokens) || tags[0].Name != "adjective" || tokens[k].Kind != token.Word {
		return false
	}
	if last := tokens[k-1].Lower; last != "most" && last != "least" {
		return false
	}
	stems := []string{tokens[k].Stem}
	columns, tables := x.columnsOf(stems), x.tablesOf(stems)
	return len(columns) > 0 && columns[0].Score >= goodTable || len(tables) > 0 && tables[0].Score >= goodTable
}

// WholeName is the score from which on a span is all of a name.
const WholeName = 0.98
