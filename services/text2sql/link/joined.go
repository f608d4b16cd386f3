package link

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Lengths of words that are written together: a shorter whole or part is met by
// accident too often.
const (
	minTogether = 7
	minPart     = 3
)

// joinedScore is how well a name fits that has the same letters with other spaces:
// "zip code" and zipcode.
const joinedScore = 0.97

// vocabulary are the words that a layer's own names are made of.
type vocabulary map[string]bool

func newVocabulary(layer *semantic.Layer) vocabulary {
	v := vocabulary{}
	add := func(name string) {
		for _, w := range semantic.Words(name) {
			if len(w) >= minPart && !isDigits(w) {
				v[w] = true
				v[lexicon.Singular(w)] = true
			}
		}
	}
	for i := range layer.Entities {
		add(layer.Entities[i].Names.EN)
	}
	for i := range layer.Dimensions {
		add(layer.Dimensions[i].Names.EN)
	}
	return v
}

// apart writes the words of a name apart that were written together, "airlinecode",
// where the layer has both parts elsewhere or they are shorthand; empty where there
// is nothing to part.
func (x *Index) apart(v vocabulary, name string) string {
	var out []string
	parted := false
	for _, w := range semantic.Words(name) {
		a, b, ok := x.cut(v, w)
		if !ok {
			out = append(out, w)
			continue
		}
		out, parted = append(out, a, b), true
	}
	if !parted {
		return ""
	}
	return strings.Join(out, " ")
}

// cut finds the two words of one; the longer first one wins.
func (x *Index) cut(v vocabulary, w string) (a, b string, ok bool) {
	known := func(part string) bool { return v[part] || x.lex.Full(part) != "" }
	if len(w) < minTogether || strings.ContainsFunc(w, func(r rune) bool { return r > 'z' }) {
		return "", "", false
	}
	for i := len(w) - minPart; i >= minPart; i-- {
		if known(w[:i]) && known(w[i:]) {
			return w[:i], w[i:], true
		}
	}
	return "", "", false
}

// together is a name or a span without its spaces, its last word in the singular.
func together(words []string) string {
	if len(words) == 0 {
		return ""
	}
	words = slices.Clone(words)
	words[len(words)-1] = lexicon.Singular(words[len(words)-1])
	return strings.Join(words, "")
}

// joinedNames are the columns and tables whose names have the same letters as a
// span, with other spaces.
func (x *Index) joinedNames(tokens []token.Token) (tables []*semantic.Entity, columns []*semantic.Dimension) {
	var words []string
	for _, t := range tokens {
		if t.Kind != token.Word {
			return nil, nil
		}
		words = append(words, t.Lower)
	}
	key := together(words)
	if len(key) < minTogether {
		return nil, nil
	}
	return x.joinedTables[key], x.joinedColumns[key]
}

// addJoined adds what a span names with other spaces, where nothing fits better.
func (x *Index) addJoined(it *Item) {
	tables, columns := x.joinedNames(it.Tokens)
	for _, e := range tables {
		if !slices.ContainsFunc(it.Tables, func(t TableMatch) bool { return t.Entity == e && t.Score >= joinedScore }) {
			it.Tables = slices.DeleteFunc(it.Tables, func(t TableMatch) bool { return t.Entity == e })
			it.Tables = slices.Insert(it.Tables, better(it.Tables, func(t TableMatch) float64 { return t.Score }), TableMatch{Entity: e, Score: joinedScore})
		}
	}
	for _, d := range columns {
		if !slices.ContainsFunc(it.Columns, func(c ColumnMatch) bool { return c.Dim == d && c.Score >= joinedScore }) {
			it.Columns = slices.DeleteFunc(it.Columns, func(c ColumnMatch) bool { return c.Dim == d })
			it.Columns = slices.Insert(it.Columns, better(it.Columns, func(c ColumnMatch) float64 { return c.Score }), ColumnMatch{Dim: d, Score: joinedScore})
		}
	}
}

// better is how many of a list, best first, fit as well as a joined name or better.
func better[T any](list []T, score func(T) float64) int {
	n := 0
	for n < len(list) && score(list[n]) >= joinedScore {
		n++
	}
	return n
}
