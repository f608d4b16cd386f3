package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// outOf makes "out of" deny the amount of which it is said that nothing is left: "out of stock".
// At the end of a question nothing says of what.
func (l *lattice) outOf() {
	for i := range l.tokens {
		if !l.is(i, "out") || !l.is(i+1, "of") || !l.left(i+2) && l.unmarked(len(l.tokens)) > i+2 {
			continue
		}
		for _, at := range []int{i, i + 1} {
			l.at[at] = slices.DeleteFunc(l.at[at], func(it *item) bool { return it.is("link") && it.to <= i+2 })
		}
		l.add(&item{from: i, to: i + 2, class: classWord, tag: language.Tag{Name: "not"}, cost: costItem / 2})
	}
}

// nothingLeft reports whether tokens are "out of" that denies.
func (l *lattice) nothingLeft(from, to int) bool {
	return l.is(from, "out") && slices.ContainsFunc(l.at[from], func(it *item) bool { return it.to == to && it.is("not") })
}

// behindOne reports whether a token stands right behind what may be compared with: a number with or without its unit,
// a time, or a stored value. 及以上 of 硕士及以上 does, 起 of 多少起 does not.
func (l *lattice) behindOne(i int) bool {
	return slices.ContainsFunc(slices.Concat(l.at[:i]...), func(it *item) bool {
		return it.to == i && (it.class == classNumber || it.class == classUnit || it.class == classPeriod || it.class == classValue)
	})
}

// left reports whether a token begins the name of a column of amounts of which nothing may be left.
func (l *lattice) left(i int) bool {
	return slices.ContainsFunc(l.at[i], func(it *item) bool {
		if it.class != className || it.hits[0].Score < knownName {
			return false
		}
		c := it.hits[0].Column
		return c != nil && c.Numeric() && (c.Nature == schema.Amount || c.Nature == schema.Level)
	})
}

// groupedBy takes away a stored value where the same words name a table, and stand behind what says of which things
// each is meant: "by mechanic", of mechanics who have the level mechanic too.
func (l *lattice) groupedBy() {
	for i := 1; i < len(l.tokens); i++ {
		if !l.has(i-1, "per", "each") {
			continue
		}
		tables := map[int]bool{} // ends of names of tables
		for _, it := range l.at[i] {
			if it.class == className && it.hits[0].Table != nil && it.hits[0].Score >= knownName {
				tables[it.to] = true
			}
		}
		l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool {
			return it.class == classValue && !it.quoted && tables[l.unmarked(it.to)]
		})
	}
}

// unmarked is the end of a span without the marks at its end: "mechanic,".
func (l *lattice) unmarked(to int) int {
	for to > 0 && l.tokens[to-1].Kind == language.Mark {
		to--
	}
	return to
}
