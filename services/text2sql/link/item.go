// Package link finds what the words of a question stand for: items of the
// semantic layer, stored values, numbers, and phrases of the lexicon. It covers
// the question with the best-scoring sequence of items and keeps, for each item,
// all that it may mean.
package link

import (
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Item is a span of the question and what it may stand for.
type Item struct {
	From, To int // tokens, half-open
	Text     string
	Tokens   []token.Token

	Tags    []lexicon.Tag
	Tables  []TableMatch  // best first
	Columns []ColumnMatch // best first
	Values  []ValueMatch  // best first
	Number  string        // as written without group separators; empty: none
	Quoted  bool
	Period  *token.Period // expression of time
	// Not marks a word that denies the flag it names: "inactive".
	Not   bool
	Score float64

	prev, next token.Token // that stand before and after it
}

// TableMatch is an entity that a span may name.
type TableMatch struct {
	Entity *semantic.Entity
	Score  float64
}

// ColumnMatch is a dimension that a span may name.
type ColumnMatch struct {
	Dim   *semantic.Dimension
	Score float64
}

// ValueMatch is a stored value that a span may name.
type ValueMatch struct {
	Dim   *semantic.Dimension
	Value string
	Score float64
}

// Is reports whether the item has a tag of that name.
func (it *Item) Is(name string) bool {
	_, ok := it.Tag(name)
	return ok
}

// Tag returns the argument of the item's tag of that name.
func (it *Item) Tag(name string) (arg string, ok bool) {
	for _, t := range it.Tags {
		if t.Name == name {
			return t.Arg, true
		}
	}
	return "", false
}

// Unknown reports whether nothing covers the item.
func (it *Item) Unknown() bool {
	return len(it.Tags) == 0 && len(it.Tables) == 0 && len(it.Columns) == 0 && len(it.Values) == 0 && it.Number == "" && !it.Quoted && it.Period == nil
}

// Latin reports whether the span is written without Chinese.
func (it *Item) Latin() bool { return !hasHan(it.Text) }

// Possessive reports whether the span ends in 's.
func (it *Item) Possessive() bool {
	return len(it.Tokens) > 0 && it.Tokens[len(it.Tokens)-1].Possessive
}
