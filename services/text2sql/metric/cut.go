package metric

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// cut splits a question into words. A Chinese word of the dictionary that neither the
// layer nor the phrases know is cut again where a date begins or ends in it, and
// before a last 的: what is said there must not be lost in a word.
func (n *Names) cut(question string, found []dates.Found) []token.Token {
	var out []token.Token
	for _, t := range token.Split(question, n.dict) {
		at := 0
		if t.Kind == token.Han && utf8.RuneCountInString(t.Text) > 1 && !n.knows(t) {
			at = cutPlace(t, found)
		}
		if at == 0 {
			out = append(out, t)
			continue
		}
		for _, part := range [][2]int{{0, at}, {at, len(t.Text)}} {
			for _, p := range token.Split(t.Text[part[0]:part[1]], n.dict) {
				p.Start, p.End = p.Start+t.Start+part[0], p.End+t.Start+part[0]
				out = append(out, p)
			}
		}
	}
	return out
}

// knows reports whether a word means something by itself.
func (n *Names) knows(t token.Token) bool {
	return len(n.byKey[keyOf([]token.Token{t})]) > 0 || len(n.words.phrases[t.Lower]) > 0 || len(n.words.lex.Phrase(t.Lower)) > 0
}

// cutPlace is the byte of a word at which it is cut; 0 for none.
func cutPlace(t token.Token, found []dates.Found) int {
	i := slices.IndexFunc(found, func(f dates.Found) bool { return straddles(t, f) })
	switch {
	case i >= 0 && found[i].Start > t.Start:
		return found[i].Start - t.Start
	case i >= 0:
		return found[i].End - t.Start
	case strings.HasSuffix(t.Text, "的"):
		return len(t.Text) - len("的")
	}
	return 0
}

// straddles reports whether a date begins or ends inside a word.
func straddles(t token.Token, f dates.Found) bool {
	return t.Start < f.End && f.End < t.End || t.Start < f.Start && f.Start < t.End
}

// possessives are the endings of "September's", in both spellings.
var possessives = []string{"'s", "’s"}

// bare blanks the ending of possessives, byte by byte, so that dates are found in
// "September's" where they stand.
func bare(text string) string {
	for _, end := range possessives {
		text = strings.ReplaceAll(text, end+" ", strings.Repeat(" ", len(end)+1))
		if head, ok := strings.CutSuffix(text, end); ok {
			text = head + strings.Repeat(" ", len(end))
		}
	}
	return text
}
