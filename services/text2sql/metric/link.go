package metric

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// unit is a linked piece of the question, in order.
type unit struct {
	tokens   []token.Token
	meanings []meaning
	tags     []lexicon.Tag
	date     *dates.Found
	number   int64
	amount   *amount
	glossed  bool // by what the word means in English
}

func (u *unit) is(tag string) bool {
	return slices.ContainsFunc(u.tags, func(t lexicon.Tag) bool { return t.Name == tag })
}

func (u *unit) arg(tag string) string {
	for _, t := range u.tags {
		if t.Name == tag {
			return t.Arg
		}
	}
	return ""
}

func (u *unit) has(k kind) bool {
	return slices.ContainsFunc(u.meanings, func(m meaning) bool { return m.kind == k })
}

func (u *unit) mark() bool { return len(u.tokens) == 1 && u.tokens[0].Kind == token.Mark }

func (u *unit) start() int { return u.tokens[0].Start }
func (u *unit) end() int   { return u.tokens[len(u.tokens)-1].End }

// plural reports whether the last word is an English plural.
func (u *unit) plural() bool {
	t := u.tokens[len(u.tokens)-1]
	return t.Kind == token.Word && singular(t.Lower) != t.Lower
}

// link covers the question: at each place the longest name, phrase or date. A
// name wins over a date inside it ("daily active users"), a date over a phrase.
func (n *Names) link(question string, found []dates.Found) []unit {
	tokens := n.cut(question, found)
	backs := n.backs(tokens)
	found = slices.DeleteFunc(found, func(f dates.Found) bool {
		return n.inName(tokens, f) || slices.ContainsFunc(backs, func(b [2]int) bool { return b[0] <= f.Start && f.End <= b[1] })
	})
	numbers := n.words.amounts.find(question, tokens)
	var out []unit
	for i := 0; i < len(tokens); {
		u := n.longestAt(tokens, i, found)
		if each := len(out) > 0 && out[len(out)-1].arg("group") == "each"; each && len(u.meanings) == 0 && u.date == nil {
			u = n.oneOf(tokens, i, u)
		}
		if len(out) > 0 && out[len(out)-1].arg("group") == "each" && u.has(kindMetric) {
			u = n.splitAt(tokens, i, u)
		}
		if len(out) > 0 && out[len(out)-1].is("lacks") {
			u = n.withAt(tokens, i, u)
		}
		u = n.shareAt(tokens, i, u)
		if f := dateAt(found, tokens[i]); f != nil && u.end()-possessive(&u) <= f.End {
			j := i
			for j < len(tokens) && tokens[j].Start < f.End {
				j++
			}
			u = unit{tokens: tokens[i:j], date: f}
		} else {
			u = withAmount(u, tokens[i:], numbers)
		}
		out = append(out, u)
		i += len(u.tokens)
	}
	out = slices.DeleteFunc(out, func(u unit) bool { return u.mark() && len(n.words.phrases[u.tokens[0].Lower]) == 0 && u.amount == nil })
	for i := range out {
		n.listedCode(question, out, i)
	}
	n.modified(out)
	return n.sharedHeads(question, out)
}

// backs finds the words that name a period by its distance, such as "the same week
// last year": no range of days is read out of them.
func (n *Names) backs(tokens []token.Token) [][2]int {
	var out [][2]int
	for i := range tokens {
		for j := min(len(tokens), i+n.words.longest); j > i; j-- {
			if n.words.is(lowers(tokens[i:j]), "back") {
				out = append(out, [2]int{tokens[i].Start, tokens[j-1].End})
				break
			}
		}
	}
	return out
}

// withAmount takes a number with all that belongs to it, where no longer name
// begins at its place.
func withAmount(u unit, rest []token.Token, numbers []amount) unit {
	for i := range numbers {
		a := &numbers[i]
		if a.start != rest[0].Start || a.end < u.end() || a.end == u.end() && len(u.meanings) > 0 {
			continue
		}
		j := 0
		for j < len(rest) && rest[j].Start < a.end {
			j++
		}
		if j == len(u.tokens) {
			u.amount = a
			return u
		}
		return unit{tokens: rest[:j], amount: a}
	}
	return u
}

// listedCode reads a small word as a country's code where it stands in a list
// with another country: "sg and my".
func (n *Names) listedCode(question string, units []unit, i int) {
	u := &units[i]
	if len(u.tokens) > 1 || len(u.meanings) > 0 || u.date != nil {
		return
	}
	names := slices.DeleteFunc(slices.Clone(n.byKey[keyOf(u.tokens)]), func(m meaning) bool { return m.kind != kindCountry })
	if len(names) == 0 {
		return
	}
	beside := func(a, b int) bool { // units a < b that only "and" or a comma is between
		if a < 0 || b >= len(units) {
			return false
		}
		between := question[units[a].end():units[b].start()]
		return b-a == 2 && (units[a+1].is("and") || units[a+1].is("or") || units[a+1].date != nil && units[a+1].date.Between) || b-a == 1 && strings.ContainsAny(between, ",，、/")
	}
	if n.words.phraseArg(u.tokens[0].Lower, "words_not_codes") != "link" && i > 0 && n.code(&units[i-1]) { // "sg id my"
		*u = unit{tokens: u.tokens, meanings: names}
		return
	}
	for _, by := range []int{1, 2} {
		if beside(i-by, i) && units[i-by].has(kindCountry) || beside(i, i+by) && units[i+by].has(kindCountry) {
			*u = unit{tokens: u.tokens, meanings: names}
			return
		}
	}
}

// code reports whether a unit is a country by its code, not by its name.
func (n *Names) code(u *unit) bool {
	return u.has(kindCountry) && len(u.tokens) == 1 && slices.Contains(u.ids(kindCountry), strings.ToUpper(u.tokens[0].Text))
}

// inName reports whether a date ends or begins within a name or a phrase: 各年 of
// 各年龄段, 每天 of 平均每天.
func (n *Names) inName(tokens []token.Token, f dates.Found) bool {
	return slices.ContainsFunc(tokens, func(t token.Token) bool {
		return straddles(t, f) && t.Kind == token.Han && (len(n.byKey[keyOf([]token.Token{t})]) > 0 || len(n.words.phrases[t.Lower]) > 0)
	})
}

// splitAt prefers what can be grouped by over a longer name: "each campaign's
// GMV" is no campaign GMV.
func (n *Names) splitAt(tokens []token.Token, i int, u unit) unit {
	for j := i + len(u.tokens) - 1; j > i; j-- {
		names := n.byKey[keyOf(tokens[i:j])]
		if slices.ContainsFunc(names, func(m meaning) bool { return m.kind == kindDimension || m.kind == kindEntity }) {
			return unit{tokens: tokens[i:j], meanings: names}
		}
	}
	return u
}

// withAt reads after "without" the filter that is named by "with": "without a voucher".
func (n *Names) withAt(tokens []token.Token, i int, u unit) unit {
	for j := min(len(tokens), i+n.longest); j > i; j-- {
		filters := slices.DeleteFunc(slices.Clone(n.byKey["with "+keyOf(tokens[i:j])]), func(m meaning) bool { return m.kind != kindFilter })
		if len(filters) > 0 {
			return unit{tokens: tokens[i:j], meanings: filters}
		}
	}
	return u
}

// shareAt takes the share alone of the name of a rate where what follows says of what:
// "share of orders paid" is the payment rate, "share of orders paid with vouchers" is
// no rate of paid orders.
func (n *Names) shareAt(tokens []token.Token, i int, u unit) unit {
	after := i + len(u.tokens)
	if !u.has(kindMetric) || after+1 >= len(tokens) || !n.words.is(tokens[after].Lower, "means") {
		return u
	}
	if by := n.longestAt(tokens, after+1, nil); !by.has(kindValue) {
		return u
	}
	for j := after - 1; j > i; j-- {
		if text := lowers(tokens[i:j]); n.words.is(text, "share") {
			return unit{tokens: tokens[i:j], tags: n.words.phrases[text]}
		}
	}
	return u
}

// oneOf reads the singular of a metric's name after "per": tickets per order.
func (n *Names) oneOf(tokens []token.Token, i int, u unit) unit {
	for j := min(len(tokens), i+n.longest); j > i; j-- {
		names := slices.DeleteFunc(slices.Clone(n.byKey[keyOf(tokens[i:j])]), func(m meaning) bool { return m.kind != kindMetric })
		if len(names) > 0 {
			return unit{tokens: tokens[i:j], meanings: names}
		}
	}
	return u
}

// possessive is the length of the ending of "September's".
func possessive(u *unit) int {
	t := u.tokens[len(u.tokens)-1]
	if !t.Possessive {
		return 0
	}
	return max(0, t.End-t.Start-len(t.Text))
}

func dateAt(found []dates.Found, t token.Token) *dates.Found {
	for i := range found {
		if t.Start < found[i].End && found[i].Start < t.End {
			return &found[i]
		}
	}
	return nil
}

func (n *Names) longestAt(tokens []token.Token, i int, found []dates.Found) unit {
	limit := min(len(tokens), i+max(n.longest, n.words.longest, n.words.lex.MaxWords()))
	best := unit{tokens: tokens[i : i+1]}
	dated := false
	for j := i + 1; j <= limit; j++ {
		span := tokens[i:j]
		if f := dateAt(found, tokens[j-1]); f != nil {
			if f.Grain == "" && !f.Comparison {
				break // no name reaches into a range of time
			}
			dated = true
		}
		text := lowers(span)
		if own := n.words.phrases[text]; len(own) > 0 && !cuts(found, span) {
			best = unit{tokens: span, tags: own}
			if !slices.ContainsFunc(own, func(t lexicon.Tag) bool { return !weak(t) }) {
				best.tags = append(slices.Clone(own), n.words.lex.Phrase(text)...)
			}
		}
		if names := n.plausible(span, n.named(span)); len(names) > 0 && span[0].Kind != token.Mark && span[0].Text != "的" && span[len(span)-1].Kind != token.Mark && !n.opens(span, i) {
			best = unit{tokens: span, meanings: names, tags: n.words.phrases[text]}
		}
		if !dated && len(span) > len(best.tokens) || len(best.meanings)+len(best.tags) == 0 {
			if tags := n.words.lex.Phrase(text); len(tags) > 0 {
				best = unit{tokens: span, tags: tags}
			}
		}
	}
	if digits, ok := strings.CutPrefix(tokens[i].Lower, "top"); ok && len(best.meanings) == 0 && tokens[i].Kind == token.Word {
		if v, err := strconv.ParseInt(digits, 10, 64); err == nil { // "top10"
			return unit{tokens: tokens[i : i+1], tags: n.words.phrases["top"], number: v}
		}
	}
	best.number = n.number(best.tokens)
	if u := n.orEnd(tokens, i, best); len(u.meanings)+len(u.tags) > 0 || u.number > 0 {
		return u
	}
	if u, ok := n.glossed(tokens, i); ok && !cuts(found, u.tokens) {
		return u
	}
	return best
}

// orEnd takes the end of a metric's name where a place says nothing else.
func (n *Names) orEnd(tokens []token.Token, i int, u unit) unit {
	if len(u.meanings) > 0 || u.amount != nil || u.number > 0 || tokens[i].Kind == token.Mark {
		return u
	}
	for j := min(len(tokens), i+n.longest); j > i; j-- {
		if names := n.ends[keyOf(tokens[i:j])]; len(names) > 0 && tokens[i].Text != "的" && tokens[j-1].Kind != token.Mark {
			if len(u.tags) > 0 && j-i <= len(u.tokens) {
				return u
			}
			return unit{tokens: tokens[i:j], meanings: names}
		}
	}
	return u
}

// named finds what a span is the name of, also with words of no meaning in it:
// "parcels we delivered".
func (n *Names) named(span []token.Token) []meaning {
	if names := n.byKey[keyOf(span)]; len(names) > 0 || len(span) < 3 {
		return names
	}
	bare := slices.Clone(span[:1])
	for _, t := range span[1 : len(span)-1] {
		if !n.words.is(t.Lower, "filler") {
			bare = append(bare, t)
		}
	}
	if len(bare)+1 == len(span) {
		return nil
	}
	return n.byKey[keyOf(append(bare, span[len(span)-1]))]
}

// cuts reports whether a span ends inside a date.
func cuts(found []dates.Found, span []token.Token) bool {
	f := dateAt(found, span[len(span)-1])
	return f != nil && span[len(span)-1].End < f.End
}

// opens reports whether a word only opens the request: "Return the ..." is no
// question about returns.
func (n *Names) opens(span []token.Token, at int) bool {
	if at > 0 || len(span) > 1 || span[0].Kind != token.Word {
		return false
	}
	w := span[0].Lower
	return n.words.is(w, "request") || slices.ContainsFunc(n.words.lex.Phrase(w), func(t lexicon.Tag) bool { return t.Name == "ask" || t.Name == "order" })
}

// number reads digits, "top10" and numbers in words; 0 where there is none.
func (n *Names) number(span []token.Token) int64 {
	t := span[0]
	if len(span) > 1 {
		return 0
	}
	if t.Kind == token.Number {
		v, err := strconv.ParseInt(t.Text, 10, 64)
		if err != nil {
			return 0
		}
		return v
	}
	for _, tag := range n.words.phrases[t.Lower] {
		if tag.Name == "number" {
			v, _ := strconv.ParseInt(tag.Arg, 10, 64) // data of this package; a test reads it
			return v
		}
	}
	return 0
}

// plausible keeps codes of two letters from being read out of ordinary words,
// and the singular of a metric's plural from being it.
func (n *Names) plausible(span []token.Token, names []meaning) []meaning {
	t := span[0]
	if len(span) > 1 || t.Kind != token.Word || len(names) == 0 {
		return names
	}
	if len(t.Text) <= 2 && t.Text != strings.ToUpper(t.Text) && (n.words.is(t.Lower, "words_not_codes") || len(n.words.lex.Phrase(t.Lower)) > 0) {
		return nil
	}
	if singular(t.Lower) != t.Lower {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(m meaning) bool { return m.plural })
}
