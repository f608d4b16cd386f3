package schema

import (
	"strings"
	"unicode/utf8"
)

// A Chinese name is made of morphemes, most of one character, and what it names is often told by one
// of them alone: 借 of a table 借阅, 药 of a 药品名称. Such a character stands for a thing where all
// names that have it are about that thing.

// morphemeFit is how well a character stands for what it is a morpheme of the name of.
// morphemeMargin is how much more of the translations of an English word have to share the character
// of a name than of the next. By scripts/morphemes/fit.py such a character leads to the right name
// in 85 of 100, where half of the words mean none of the names.
const (
	morphemeMargin = 0.1

	morphemeFit   = 0.75
	maxMorphemes  = 4 // characters of a name that is taken apart
	leastMorpheme = 2
)

// about is a Chinese name without what says no more than that there are rows or names of them.
type about struct {
	core   string
	table  *Table
	column *Column // nil: the table's own name
	named  bool    // the name says that it names something: 药品名称
}

// indexMorphemes finds the characters that stand for one thing.
func (v *View) indexMorphemes() {
	var names []about
	for _, t := range v.Tables {
		for _, text := range append([]string{t.Names.EN, t.Names.ZH}, t.Synonyms...) {
			if text = strings.Join(wordsOf(text), ""); han(text) {
				names = append(names, about{core: strings.TrimSuffix(text, listEnd(text)), table: t})
			}
		}
		for _, c := range t.Columns {
			if han(c.Expr) {
				text := strings.Join(wordsOf(c.Expr), "")
				core := namedBy(text)
				names = append(names, about{core: core, table: t, column: c, named: core != text})
			}
		}
	}
	with := map[rune][]about{} // the names that have a character
	for _, n := range names {
		for at, r := range n.core {
			if strings.IndexRune(n.core, r) == at {
				with[r] = append(with[r], n)
			}
		}
	}
	v.morphemes = map[string]Hit{}
	for _, n := range names {
		size := utf8.RuneCountInString(n.core)
		if size < leastMorpheme || size > maxMorphemes || n.column != nil && (!n.named || n.column.Numeric() || n.column.Nature == Identifier) {
			continue
		}
		for at, r := range n.core {
			if n.column != nil && at > 0 { // 品 of 药品名称 is of anything
				break
			}
			h := Hit{Table: n.table, Column: n.column, Score: morphemeFit}
			if n.column != nil {
				h.Table = nil
			}
			if had := v.morphemes[string(r)]; had.Table == nil && v.tellsOnly(n, with[r]) { // 分馆名称 names the 分馆
				v.morphemes[string(r)] = h
			}
		}
	}
}

// namedBy cuts off the end of a column's name that says no more than that a thing is named.
func namedBy(text string) string {
	for _, end := range namingHan {
		if whose, ok := strings.CutSuffix(text, end); ok && whose != "" {
			return whose
		}
	}
	return text
}

// tellsOnly reports whether all names with one of its characters are about one thing: they hold its
// whole name, or are those of the table's own columns, or of columns that point to its rows.
func (v *View) tellsOnly(n about, names []about) bool {
	for _, o := range names {
		own := n.column == nil && o.column != nil && (o.table == n.table || v.ThingOf(o.column) == n.table)
		if !own && !strings.Contains(o.core, n.core) {
			return false
		}
	}
	return true
}

// Morpheme is the one thing whose name has a Chinese character, of which all names are that have it.
func (v *View) Morpheme(character string) (Hit, bool) {
	h, ok := v.morphemes[character]
	return h, ok
}

// MorphemeOf is the one thing whose Chinese name has a character that several translations of an
// English word share: 借阅 of "loan". bases are what the word may be a form of, itself first.
func (v *View) MorphemeOf(bases []string, lex Lexis) (Hit, bool) {
	if len(v.morphemes) == 0 {
		return Hit{}, false
	}
	for _, base := range bases {
		var first Hit
		best := 0.0
		for _, m := range lex.Morphemes(base) {
			h, ok := v.morphemes[m.Character]
			switch {
			case !ok:
			case best == 0:
				first, best = h, m.Share
			case h != first && best-m.Share < morphemeMargin:
				return Hit{}, false // either may be meant
			}
		}
		if best > 0 {
			return first, true
		}
	}
	return Hit{}, false
}
