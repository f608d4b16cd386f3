package link

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Coordinate writes shared heads out: "first and last names" becomes "first names
// and last names", "support, consider and oppose rates" likewise, where columns
// have those names and the words alone name none.
func (x *Index) Coordinate(tokens []token.Token) []token.Token {
	var out []token.Token
	for i := 0; i < len(tokens); {
		n, head := x.coordination(tokens[i:])
		if n == 0 {
			out = append(out, tokens[i])
			i++
			continue
		}
		for _, t := range tokens[i : i+n] {
			out = append(out, t)
			if t.Kind == token.Word && !joinsList(t) && t.Lower != "the" {
				out = append(out, head)
			}
		}
		i += n + 1
	}
	return out
}

// coordination returns the length of a list of single words before a head that
// they share; 0 where there is none.
func (x *Index) coordination(tokens []token.Token) (n int, head token.Token) {
	words, wanted := 0, true
	for i, t := range tokens {
		switch {
		case t.Kind == token.Mark && t.Text == "," || joinsList(t):
			wanted = true
		case wanted && words > 0 && t.Lower == "the": // "the lowest and the highest price"
		case t.Kind != token.Word || slices.Contains(smallWords, t.Lower):
			return 0, head
		case wanted:
			words++
			wanted = false
		case words >= 2: // two words in a row: the second is the head
			return x.shares(tokens[:i], t), t
		default:
			return 0, head
		}
	}
	return 0, head
}

func joinsList(t token.Token) bool { return t.Lower == "and" || t.Lower == "or" }

func (x *Index) shares(list []token.Token, head token.Token) int {
	for _, t := range list {
		if t.Kind != token.Word || joinsList(t) || t.Lower == "the" {
			continue
		}
		with := x.columnsOf([]string{t.Stem, head.Stem})
		if len(with) == 0 || with[0].Score < 0.9 {
			return 0
		}
	}
	return len(list)
}
