package reader

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// slip is a word of a question that was read as another.
type slip struct {
	at          int // token
	said, meant string
}

// costSlip is what reading a word as another costs.
const costSlip = 0.3

// slipFit is how well a word fits a name at most that is written like it and no other way.
const slipFit = 0.8

// spell reads words that are none as the general word or the word of a name that they are
// with one slip of the hand, where there is one such. What the data call something is right
// as it is, however it is written, and a word with a capital letter inside a sentence is a
// name that the data may not have.
func (r *Reader) spell(l *lattice, v *schema.View) {
	for i := range l.tokens {
		t := &l.tokens[i]
		if t.Kind != language.Word || strings.ContainsFunc(t.Lower, func(c rune) bool { return c < 'a' || c > 'z' }) || analysis.IsWord(t.Lower) {
			continue
		}
		if i > 0 && t.Text != t.Lower {
			continue
		}
		_, unit := r.language.Unit(t.Lower)
		stem := token.Stem(t.Lower)
		if unit || len(r.language.Tags(t.Lower)) > 0 || len(v.Values(t.Text, true)) > 0 {
			continue
		}
		if hits := v.Names([]string{stem}, t.Lower, r.lexis); len(hits) > 0 && hits[0].Score > slipFit {
			continue
		}
		meant := r.language.Slips(t.Lower)
		for _, s := range v.Slips(stem) {
			if !slices.ContainsFunc(meant, func(m string) bool { return token.Stem(m) == token.Stem(s) }) {
				meant = append(meant, s)
			}
		}
		if len(meant) == 1 {
			l.slips = append(l.slips, slip{at: i, said: t.Text, meant: meant[0]})
			t.Text, t.Lower = meant[0], meant[0]
		}
	}
}
