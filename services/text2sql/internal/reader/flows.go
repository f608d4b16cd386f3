package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// flowTag is the tag of words for money that goes one way: spent and paid, or received and earned.
const flowTag = "flow"

// flowName is how well such a word fits the column that holds what goes that way.
const flowName = 0.95

// flows lets words for money that goes out or comes in stand for the columns that hold it, where a table has
// one of each, and for none that hold the other: what I spent is no "Paid in".
func (l *lattice) flows(v *schema.View) {
	ways := v.Flows()
	if len(ways) == 0 {
		return
	}
	for i := range l.at {
		for _, word := range slices.Clone(l.at[i]) {
			if word.is(flowTag) {
				l.flow(word, ways)
			}
		}
	}
}

// wayOf is the way that a word says.
func wayOf(t language.Tag) schema.Flow {
	if t.Arg == "in" {
		return schema.Inward
	}
	return schema.Outward
}

// flow makes a word the name of columns of one way, unless something is called just so.
func (l *lattice) flow(word *item, ways map[schema.Flow][]*schema.Column) {
	i, columns := word.from, ways[wayOf(word.tag)]
	if l.calledSo(i, word.to) {
		return
	}
	l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool {
		return it.class == className && it.to == word.to && slices.ContainsFunc(it.hits, func(h schema.Hit) bool {
			return h.Column != nil && (slices.Contains(ways[schema.Inward], h.Column) || slices.Contains(ways[schema.Outward], h.Column))
		})
	})
	var hits []schema.Hit
	for _, c := range columns[:min(len(columns), maxHits)] {
		hits = append(hits, schema.Hit{Column: c, Score: flowName})
	}
	if len(hits) > 0 {
		l.name(i, word.to, hits, false)
	}
}
