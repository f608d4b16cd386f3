package reader

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
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
		if it := l.besideItsName(i); it != nil {
			out = append(out, Said{Text: it.text, Stored: it.values[0].Stored})
			i = it.to
			continue
		}
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

// besideItsName is a stored value that stands right behind the name of its column, "risk grade
// A", however short it is and whatever else it may be; nil where there is none.
func (l *lattice) besideItsName(i int) *item {
	for _, it := range l.at[i] {
		if it.class != classValue || len(it.values) == 0 || it.values[0].Part || it.values[0].Score < exactName || it.values[0].Stored[0] != strings.Trim(it.text, " .?!") {
			continue
		}
		for from := range i {
			if slices.ContainsFunc(l.at[from], func(n *item) bool {
				return n.class == className && n.to == i && n.hits[0].Score >= exactName && n.hits[0].Column == it.values[0].Column
			}) {
				return it
			}
		}
	}
	return nil
}

// Whole are the stored values of which a part is asked for: what stands behind "what
// percentage of" where something is said of it, "have" or "were", further on.
func (q *Question) Whole() []string {
	l := q.lattice()
	asked, at := false, -1
	for i := range l.tokens {
		asked = asked || slices.Contains([]string{"what", "which"}, l.tokens[i].Lower)
		for _, it := range l.at[i] {
			if asked && at < 0 && it.is("share") && strings.HasSuffix(strings.ToLower(it.text), " of") {
				at = it.to
			}
		}
	}
	for at >= 0 && at < len(l.tokens) && slices.ContainsFunc(l.at[at], func(it *item) bool { return it.is(language.Stop) && it.to == at+1 }) {
		at++
	}
	if at < 0 || at >= len(l.tokens) {
		return nil
	}
	value := l.longestKnown(at)
	if value == nil || value.class != classValue {
		return nil
	}
	for i := value.to; i < len(l.tokens); i++ {
		if slices.ContainsFunc(l.at[i], func(it *item) bool { return it.is("have", "be", "verb") }) || participle(l.tokens[i].Lower) {
			var out []string
			for _, x := range value.values {
				out = append(out, x.Stored...)
			}
			return out
		}
	}
	return nil
}

// Describing are the columns of yes and no that are said right before the rows that they are
// of: blacklisted customers.
func (q *Question) Describing() []*schema.Column {
	l := q.lattice()
	var out []*schema.Column
	for i := range l.tokens {
		for _, it := range l.at[i] {
			if it.class != className || it.hits[0].Column == nil || it.hits[0].Column.Nature != schema.Flag || it.to >= len(l.tokens) {
				continue
			}
			c := it.hits[0].Column
			if slices.ContainsFunc(l.at[it.to], func(o *item) bool { return o.class == className && o.hits[0].Table == c.Of }) && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Tables are those whose rows the question names, as "customers" does, or by their key, as "jobs"
// does where that is called "Job #".
func (q *Question) Tables() []*schema.Table {
	l := q.lattice()
	var out []*schema.Table
	for i := range l.tokens {
		for _, it := range l.at[i] {
			if it.class != className {
				continue
			}
			hit := it.hits[0]
			if t := hit.Of(); t != nil && (hit.Column == nil || slices.Contains(t.Key, hit.Column)) && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
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
