package reader

import (
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// Said is a piece of a question that is a stored value, letter by letter.
type Said struct {
	Text   string
	Stored []string // in each column that has it
}

// minSaid is how many characters such a piece has at least: shorter ones are parts of
// other words.
const minSaid = 2

// Said are the stored values that the question says as they are stored, where nothing longer
// and no general word, name, number or time stands there.
func (q *Question) Said() []Said {
	l := q.lattice()
	var out []Said
	for i := 0; i < len(l.tokens); {
		it := l.longestKnown(i)
		if it == nil {
			i++
			continue
		}
		if it.class == classValue && utf8.RuneCountInString(it.text) >= minSaid {
			s := Said{Text: it.text}
			for _, x := range it.values {
				if x.Score >= exactName {
					s.Stored = append(s.Stored, x.Stored...)
				}
			}
			out = append(out, s)
		}
		i = it.to
	}
	return out
}

// longestKnown is the longest item from a token on that is known for sure; of two alike a
// stored value comes last, since a word that is something else is not said as a value.
func (l *lattice) longestKnown(i int) *item {
	var found *item
	for _, it := range l.at[i] {
		switch it.class {
		case className:
			if it.hits[0].Score < exactName {
				continue
			}
		case classValue:
			if len(it.values) == 0 || it.values[0].Score < exactName || it.values[0].Part || l.tokens[i].Kind == language.Number {
				continue
			}
		case classUnknown, classIgnored:
			continue
		}
		if found == nil || it.to > found.to || it.to == found.to && found.class == classValue {
			found = it
		}
	}
	return found
}
