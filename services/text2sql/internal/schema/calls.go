package schema

import (
	"slices"
	"strings"
)

// minCalled is how likely a word has to mean a table at least, by general language, to be what its rows
// may be called.
const minCalled = 0.05

// minWithin is how many letters of a word stand in a longer name at least.
const minWithin = 4

// Calls reports whether the rows of a table may be called by a word that is none of its names: its name
// begins or ends with the word ("strikes" of birdstrikes), or something that the word may mean. words are
// what it may be in English, with how likely each is, of an English word itself; of a Chinese one,
// han is how it is written, and the table's name may share a character with it that no other name has.
func (v *View) Calls(t *Table, words []Gloss, han string, lex Lexis) bool {
	name := strings.ToLower(t.Names.EN)
	within := func(w string) bool {
		return len(w) >= minWithin && (strings.HasPrefix(name, w) || strings.HasSuffix(name, w))
	}
	for _, g := range words {
		for _, w := range append(lex.Kin(g.Text, true), g.Text) {
			if within(w) || within(w+"s") {
				return true
			}
		}
	}
	for _, m := range v.Meant(words, lex) {
		if m.Of() == t && m.Likely >= minCalled {
			return true
		}
	}
	for _, r := range han {
		if strings.ContainsRune(t.Names.ZH+t.Names.EN, r) && !v.elsewhere(t, r) {
			return true
		}
	}
	return false
}

// elsewhere reports whether the name of another table, or of a column, has a character.
func (v *View) elsewhere(t *Table, r rune) bool {
	for _, other := range v.Tables {
		if other != t && strings.ContainsRune(other.Names.ZH+other.Names.EN, r) || slices.ContainsFunc(other.Columns, func(c *Column) bool {
			return strings.ContainsRune(c.Names.ZH+c.Names.EN, r)
		}) {
			return true
		}
	}
	return false
}
