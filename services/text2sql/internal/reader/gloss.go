package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// A gloss is a name in brackets behind other words for the same: 区（borough）, "sessions
// (场次)". What stands in brackets is what the data call it, so that the words before it
// need not be known.

// Bounds of glosses.
const (
	maxGlossTokens   = 6 // in the brackets
	maxGlossedHan    = 6 // characters before them
	maxGlossedWords  = 3
	costGlossedWord  = 0.02 // of each token before them
	costStructural   = 1.0  // of one that is a word of the question's own
	minGlossedTokens = 1
)

// structural are the tags of words that say what is asked, and are no part of a name.
var structural = []string{
	"count", "howmany", "havemany", "howmuch", "quantity", "agg", "super", "most", "common", "top", "per", "each",
	"which", "list", "cmp", "after", "between", "share", "versus", "compare", "differ", "among", "not", "never", "except", "and", "or",
}

// glosses adds what stands before brackets with a name or a value in them as that name or value.
func (r *Reader) glosses(l *lattice) {
	asks := make([]bool, len(l.tokens))
	for i := range l.tokens {
		for _, it := range l.at[i] {
			if it.is(structural...) || it.class == classPeriod || it.class == classGrain {
				for at := it.from; at < it.to; at++ {
					asks[at] = true
				}
			}
		}
	}
	for open, t := range l.tokens {
		if t.Text != "(" && t.Text != "（" {
			continue
		}
		rest := l.tokens[open+1 : min(len(l.tokens), open+2+maxGlossTokens)]
		length := slices.IndexFunc(rest, func(t language.Token) bool { return t.Text == ")" || t.Text == "）" })
		if length < 1 {
			continue
		}
		closed := open + 1 + length
		for _, inside := range slices.Clone(l.at[open+1]) {
			if inside.to == closed && (inside.class == className && inside.hits[0].Score >= exactName || inside.class == classValue && !inside.quoted) {
				l.glossed(inside, open, closed+1, asks)
			}
		}
	}
}

// glossed adds the spans that a gloss may stand for: the words right before it.
func (l *lattice) glossed(inside *item, open, end int, asks []bool) {
	cost, most := inside.cost, maxGlossedWords
	if open > 0 && l.tokens[open-1].Kind == language.Han {
		most = maxGlossedHan
	}
	for from := open - minGlossedTokens; from >= max(0, open-most) && l.tokens[from].Kind == l.tokens[open-1].Kind; from-- {
		if k := l.tokens[from].Kind; k != language.Word && k != language.Han {
			return
		}
		if cost += costGlossedWord; asks[from] {
			cost += costStructural
		}
		it := *inside
		it.from, it.to, it.text, it.cost = from, end, "", cost
		if l.unless(from, open) == classUnknown {
			it.gloss = l.span(from, open)
		}
		l.add(&it)
	}
}
