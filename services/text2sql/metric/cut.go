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
// before a last 的: what is said there must not be lost in a word. So is one that ends with
// the beginning of a name.
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
	return n.rejoin(out)
}

// rejoin gives the last character of a Chinese word back to the name that it begins: 各 and
// 类目, where the dictionary cuts 各类 and 目, which means nothing by itself.
func (n *Names) rejoin(tokens []token.Token) []token.Token {
	for i := 1; i < len(tokens); i++ {
		a, b := &tokens[i-1], &tokens[i]
		_, last := utf8.DecodeLastRuneInString(a.Text)
		if a.Kind != token.Han || b.Kind != token.Han || a.End != b.Start || last == len(a.Text) || n.knows(*b) || len(n.byKey[keyOf([]token.Token{*a})]) > 0 {
			continue
		}
		name := token.Split(a.Text[len(a.Text)-last:]+b.Text, n.dict)
		rest := token.Split(a.Text[:len(a.Text)-last], n.dict)
		if len(name) != 1 || len(n.byKey[keyOf(name)]) == 0 || len(rest) != 1 || !n.knows(rest[0]) {
			continue
		}
		name[0].Start, name[0].End = a.End-last, b.End
		rest[0].Start, rest[0].End = a.Start, a.End-last
		*a, *b = rest[0], name[0]
	}
	return tokens
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
