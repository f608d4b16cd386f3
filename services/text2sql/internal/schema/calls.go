package schema

import (
	"strings"
)

// minCalled is how likely a word has to mean a table at least, by general language, to be what its rows
// may be called.
const minCalled = 0.05

// minWithin is how many letters of a word stand in a longer name at least.
const minWithin = 4

// Calls reports whether the rows of a table may be called by a word that is none of its names: its name
// has the word within another ("strikes" of birdstrikes), or something that the word may mean. words are
// what it may be in English, with how likely each is, of an English word itself; of a Chinese one,
// han is how it is written, and the table's name may share a character with it that no other name has.
func (v *View) Calls(t *Table, words []Gloss, han string, lex Lexis) bool {
	name := strings.ToLower(t.Names.EN)
	for _, g := range words {
		for _, w := range append(lex.Kin(g.Text, true), g.Text) {
			if len(w) >= minWithin && strings.Contains(name, w) {
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
		if strings.ContainsRune(t.Names.ZH+t.Names.EN, r) {
			return true
		}
	}
	return false
}
