// Package chinese puts the words of a Chinese question into the order in which
// the grammar reads them: what is asked for first, then whose it is, then which.
//
//	来自法国的歌手的平均年龄  ->  平均年龄 of 歌手 with 来自法国
//
// Chinese says modifiers before their head, joined by 的; the rest of the grammar
// is the same for both languages, and so are its rules.
package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Reorder returns the tokens of a question clause by clause in reading order.
func Reorder(tokens []token.Token, lex *lexicon.Lexicon) []token.Token {
	r := reorderer{lex: lex}
	var out, clause []token.Token
	for _, t := range r.numbers(tokens) {
		if t.Kind == token.Mark && slices.Contains(clauseMarks, t.Text) {
			out = append(out, r.clause(clause)...)
			if t.Text == "。" || t.Text == "？" || t.Text == "?" {
				out = append(out, t)
			}
			clause = nil
			continue
		}
		clause = append(clause, t)
	}
	return append(out, r.clause(clause)...)
}

var clauseMarks = []string{"，", "。", "？", "；", ",", "?", ";", "！"}

type reorderer struct{ lex *lexicon.Lexicon }

func (r *reorderer) is(t token.Token, tag string) bool {
	return slices.ContainsFunc(r.lex.Phrase(t.Lower), func(x lexicon.Tag) bool { return x.Name == tag })
}

// glue is an English word that stands for what Chinese says by order.
func glue(word string, at int) token.Token {
	return token.Token{Kind: token.Word, Text: word, Lower: word, Stem: token.Stem(word), Start: at, End: at}
}

var digits = map[string]string{"一": "1", "两": "2", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10"}

// numbers writes Chinese digits as numbers.
func (r *reorderer) numbers(tokens []token.Token) []token.Token {
	out := slices.Clone(tokens)
	for i, t := range out {
		if d, ok := digits[t.Text]; ok && t.Kind == token.Han {
			out[i].Kind, out[i].Text, out[i].Lower, out[i].Stem = token.Number, d, d, d
		}
	}
	return out
}

func (r *reorderer) clause(tokens []token.Token) []token.Token {
	if len(tokens) == 0 {
		return nil
	}
	at := tokens[0].Start
	tokens, order := r.takeOrder(tokens)
	var parts [][]token.Token
	var part []token.Token
	for _, t := range tokens {
		if t.Text == "的" {
			if len(part) > 0 {
				parts = append(parts, part)
			}
			part = nil
			continue
		}
		part = append(part, t)
	}
	if r.content(part) {
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return order
	}
	last := len(parts) - 1
	out := r.head(parts[last])
	for i := last - 1; i >= 0; i-- {
		p := r.trim(parts[i])
		switch {
		case len(p) == 0:
		case r.is(p[0], "group"):
			out = append(out, p...)
		case r.noun(p):
			out = append(append(out, glue("of", at)), p...)
		default:
			out = append(append(out, glue("with", at)), r.front(p)...)
		}
	}
	return append(out, order...)
}

// content reports whether a part says more than "is what".
func (r *reorderer) content(part []token.Token) bool {
	return len(r.trim(part)) > 0
}

// trim drops the words of asking at both ends.
func (r *reorderer) trim(part []token.Token) []token.Token {
	filler := func(t token.Token) bool { return r.is(t, "ask") || r.is(t, "stop") }
	for len(part) > 0 && filler(part[0]) {
		part = part[1:]
	}
	for len(part) > 0 && filler(part[len(part)-1]) {
		part = part[:len(part)-1]
	}
	return part
}

// head puts a count after its noun before it: 歌手数量 is the number of singers.
func (r *reorderer) head(part []token.Token) []token.Token {
	part = r.trim(part)
	if n := len(part); n > 1 && r.is(part[n-1], "count") && !slices.ContainsFunc(part, func(t token.Token) bool { return r.is(t, "and") }) {
		return append([]token.Token{part[n-1]}, part[:n-1]...)
	}
	return r.front(part)
}

// front moves a superlative at the end of a part before what it is of.
func (r *reorderer) front(part []token.Token) []token.Token {
	if n := len(part); n > 1 && (r.is(part[n-1], "super") || r.is(part[n-1], "adjective")) {
		return append([]token.Token{part[n-1]}, part[:n-1]...)
	}
	return part
}

// noun reports whether a part only names something.
func (r *reorderer) noun(part []token.Token) bool {
	for _, t := range part {
		tags := r.lex.Phrase(t.Lower)
		if t.Kind == token.Number || t.Kind == token.Quoted || t.Kind == token.Time || len(tags) > 0 && !r.is(t, "and") && !r.is(t, "stop") && !r.is(t, "distinct") && !r.is(t, "count") {
			return false
		}
	}
	return true
}

// takeOrder cuts "按年龄降序排列" out of a clause; it is read last.
func (r *reorderer) takeOrder(tokens []token.Token) (rest, order []token.Token) {
	end := -1
	for i, t := range tokens {
		if r.is(t, "order") {
			end = i
		}
	}
	if end < 0 {
		return tokens, nil
	}
	start := end
	for i := end; i >= 0; i-- {
		if tokens[i].Text == "按" || tokens[i].Text == "按照" {
			start = i
			break
		}
	}
	var keys, how []token.Token
	for _, t := range tokens[start : end+1] {
		switch {
		case r.is(t, "group") || t.Text == "的":
		case r.is(t, "order"):
			how = append(how, t)
		default:
			keys = append(keys, t)
		}
	}
	order = append(order, glue("sorted", tokens[start].Start), glue("by", tokens[start].Start))
	order = append(append(order, keys...), how...)
	return append(slices.Clone(tokens[:start]), tokens[end+1:]...), order
}
