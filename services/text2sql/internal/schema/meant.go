package schema

import (
	"cmp"
	"math"
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Meant is a thing that a word may mean whose names have no such word.
type Meant struct {
	Hit
	Likely float64 // 0 to 1
}

// What a name adds to the logit of a meaning. They are fitted with the weights of
// scripts/meanings/fit.py: a name of one word is the word, and things that rows are called
// by are meant more often than what is kept of them.
const (
	meantWhole = 1.787 // shared by the words of a name
	meantTable = 0.830
	// meantKind is how likely a word that is what a column's unit measures means the column.
	meantKind = 0.6
)

// Meant finds what a word may mean by general language, likeliest first. glosses are the
// stems of what the word may be in English, with how likely each is; of an English word,
// its own.
func (v *View) Meant(glosses []Gloss, lex Lexis) []Meant {
	best := map[any]Meant{}
	for _, g := range glosses {
		if len(g.Stems) != 1 {
			continue
		}
		for _, c := range v.kinds[g.Stems[0]] {
			if likely := g.Score * meantKind; best[c].Likely < likely {
				best[c] = Meant{Hit: Hit{Column: c, Score: 1}, Likely: likely}
			}
		}
		for _, m := range lex.Meanings(g.Stems[0]) {
			for _, e := range v.words.byStem[m.Stem] {
				whole, ok := e.content(m.Stem)
				if !ok || e.Column != nil && e.Column.Nature == Flag { // whether there is something is not what it is
					continue
				}
				z := m.Logit + meantWhole*whole
				if e.Table != nil {
					z += meantTable
				}
				likely := g.Score * e.certain() / (1 + math.Exp(-z))
				key := any(e.Table)
				if e.Column != nil {
					key = e.Column
				}
				if best[key].Likely < likely {
					best[key] = Meant{Hit: e.Hit, Likely: likely}
				}
			}
		}
	}
	var out []Meant
	for _, t := range v.Tables { // in the order of the schema, whatever that of the map
		if m, ok := best[t]; ok {
			out = append(out, m)
		}
		for _, c := range t.Columns {
			if m, ok := best[c]; ok {
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Meant) int { return cmp.Compare(b.Likely, a.Likely) })
	return out
}

// indexKinds indexes columns of numbers by what their unit measures: money, where a price
// is in euros.
func (v *View) indexKinds(units Units) {
	v.kinds = map[string][]*Column{}
	for _, t := range v.Tables {
		for _, c := range t.Columns {
			if quantity, ok := units(c.Unit); ok && c.Numeric() {
				stem := token.Stem(quantity)
				v.kinds[stem] = append(v.kinds[stem], c)
			}
		}
	}
}

// content is which part of what a name says one of its words is; ok is false where the
// word says no more than that a thing has a name or a number.
func (e *entry) content(stem string) (part float64, ok bool) {
	n := 0
	for _, w := range e.words {
		if !slices.Contains(naming, w) && len(w) > 2 {
			n++
		}
	}
	if slices.Contains(naming, stem) && n > 0 {
		return 0, false
	}
	return 1 / float64(max(1, n)), true
}
