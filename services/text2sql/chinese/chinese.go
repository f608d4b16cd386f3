// Package chinese says a Chinese question in the order and with the small words of
// an English one, after its words were linked:
//
//	来自法国的歌手的平均年龄  ->  平均年龄 of 歌手 with 法国
//	哪位歌手的演唱会最多      ->  歌手 with most 演唱会
//
// Chinese puts modifiers before their head, joined by 的, and asks in the place of
// the answer; what the words mean is the same. So both languages share the grammar
// that reads a question into a draft, and what it learns.
//
// A clause is read from its ends: orders ("按…降序") and groups ("按…分组") come out
// first, then the question word, then the chain of modifiers.
package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Order returns the items of a Chinese question in reading order, words of grammar
// replaced by English ones. index links words that Chinese leaves out.
func Order(items []*link.Item, lex *lexicon.Lexicon, index *link.Index) []*link.Item {
	w := writer{lex: lex, index: index}
	all := phrase{}
	prepared := w.prepare(items)
	for _, clause := range clauses(prepared) {
		p := w.clause(clause, &all)
		all.follow(p)
	}
	out := w.write(&all)
	return number(append(out, w.lost(prepared, out)...))
}

// lost returns what has a meaning of its own and no place in the phrase: it is put
// at the end, without a meaning, so that it counts as not understood.
func (w *writer) lost(items, out part) part {
	var left part
	for _, it := range items {
		if it.Number == "" && it.Period == nil && !isValue(it) && (named(it) < sureName || len(it.Tags) > 0) {
			continue
		}
		if it.Number == "1" && len(it.Tokens) > 0 && it.Tokens[0].Text != it.Number || slices.ContainsFunc(out, func(o *link.Item) bool {
			return o == it || it.Number != "" && o.Number == it.Number || it.Number == "" && !isValue(it) && o.Text == it.Text
		}) {
			continue
		}
		left = append(left, &link.Item{To: max(1, len(it.Tokens)), Text: it.Text, Tokens: it.Tokens})
	}
	return left
}

type writer struct {
	lex   *lexicon.Lexicon
	index *link.Index
}

// part is a run of items.
type part = []*link.Item

// phrase is a noun phrase taken apart: what is asked for, whose it is, under which
// conditions, how grouped and sorted.
type phrase struct {
	heads  []part
	of     []part
	with   []part
	groups []part
	orders []order
	limit  *link.Item
	first  bool // the limit is of the first in some order: 前10
}

type order struct {
	keys part
	how  part // direction words
}

// merge adds another phrase.
func (p *phrase) merge(q phrase) {
	p.heads = append(p.heads, q.heads...)
	p.add(q)
}

// add takes all but the heads of another phrase.
func (p *phrase) add(q phrase) {
	for _, x := range q.of {
		if !slices.ContainsFunc(p.of, func(y part) bool { return sameThing(x, y) }) {
			p.of = append(p.of, x)
		}
	}
	p.with = append(p.with, q.with...)
	p.group(q.groups...)
	p.orders = append(p.orders, q.orders...)
	if p.limit == nil {
		p.limit, p.first = q.limit, q.first
	}
}

// group adds what is grouped by, each thing once.
func (p *phrase) group(parts ...part) {
	for _, x := range parts {
		if !slices.ContainsFunc(p.groups, func(y part) bool { return text(x) == text(y) || sameThing(x, y) }) {
			p.groups = append(p.groups, x)
		}
	}
}

// attach says that the phrase's things are of, or have to do with, those of q.
func (p *phrase) attach(q phrase) {
	p.of = append(p.of, q.heads...)
	p.add(q)
}

// inline puts the owner of what is asked for into its words, so that it stays
// apart from the owners of other conjuncts.
func (w *writer) inline(p phrase) phrase {
	if n := len(p.heads); n > 0 && len(p.heads[n-1]) > 0 && len(p.of) > 0 {
		head := slices.Clone(p.heads[n-1])
		if last := head[len(head)-1]; !last.Is("count") || isName(last) {
			head = append(head, w.say("of"))
		}
		p.heads = slices.Clone(p.heads)
		p.heads[n-1], p.of = append(head, p.of[0]...), p.of[1:]
	}
	return p
}

// follow adds a later clause. Where it asks about the thing that the earlier ones
// only named, that is no answer of its own any more.
func (p *phrase) follow(q phrase) {
	if len(p.heads) == 1 && len(q.heads) > 0 && isTable(p.heads[0]) {
		named := p.heads[0]
		if slices.ContainsFunc(q.of, func(x part) bool { return sameThing(x, named) }) || slices.ContainsFunc(q.heads, func(x part) bool { return sameThing(x, named) }) {
			p.heads = nil
		} else if len(q.of)+len(q.groups) == 0 && !slices.ContainsFunc(q.heads, func(x part) bool { return !endsInColumn(x) || aggregated(x) }) {
			p.of, p.heads = append(p.of, named), nil // "那些电影院，名称和地点是什么"
		}
	}
	p.merge(q)
}

// endsInColumn reports whether a part's last word names a column. "有多少" alone asks
// for a part without words.
func endsInColumn(p part) bool { return len(p) > 0 && isColumn(p[len(p)-1]) }

func text(p part) string {
	s := ""
	for _, it := range p {
		s += it.Text + " "
	}
	return s
}

func isTable(p part) bool {
	return len(p) == 1 && len(p[0].Tables) > 0 && !p[0].Is("count") && (len(p[0].Columns) == 0 || p[0].Tables[0].Score >= p[0].Columns[0].Score-0.05)
}

// sameThing reports whether two parts name the same table.
func sameThing(a, b part) bool {
	return isTable(a) && isTable(b) && a[0].Tables[0].Entity == b[0].Tables[0].Entity
}

// clauses cuts at the marks that end one.
func clauses(items part) []part {
	var out []part
	var clause part
	for _, it := range items {
		if mark, ok := it.Tag("mark"); ok && slices.Contains(clauseMarks, mark) {
			if len(clause) > 0 {
				out = append(out, clause)
			}
			clause = nil
			continue
		}
		clause = append(clause, it)
	}
	if len(clause) > 0 {
		out = append(out, clause)
	}
	return out
}

var clauseMarks = []string{"，", "。", "？", "；", ",", "?", ";", "！", "!", "：", ":", "."}

// say returns an item of an English phrase.
func (w *writer) say(words string) *link.Item {
	tokens := token.Split(words, nil)
	return &link.Item{To: len(tokens), Text: words, Tokens: tokens, Tags: w.lex.Phrase(words), Score: 1}
}

// number gives the items places in the order in which they stand.
func number(items part) part {
	at := 0
	for i, it := range items {
		placed := *it
		placed.From, placed.To = at, at+it.To-it.From
		at = placed.To
		items[i] = &placed
	}
	return items
}

// condition is the word before one.
const condition = "with"

// write puts a phrase into words.
func (w *writer) write(p *phrase) []*link.Item {
	var out part
	w.byCounts(p)
	heads, of, conditions := slices.Clone(p.heads), slices.Clone(p.of), slices.Clone(p.with)
	if p.limit != nil && !w.limit(conditions, p.limit) && !w.limit(of, p.limit) && !w.limit(heads, p.limit) {
		if len(p.orders) > 0 {
			out = append(out, w.say("top"))
		}
		out = append(out, p.limit)
	}
	for i, h := range heads {
		if slices.ContainsFunc(heads[:i], func(before part) bool { return text(before) == text(h) }) {
			continue // a later clause asks for it again
		}
		if i > 0 {
			out = append(out, w.say("and"))
		}
		out = append(out, h...)
	}
	if n := len(out); n > 0 && (out[n-1].Is("count") || out[n-1].Is("agg")) && !isName(out[n-1]) && len(of) > 0 {
		out, of = append(out, of[0]...), of[1:] // "the number of" needs no other "of"
	}
	for _, x := range of {
		same := func(y part) bool { return sameThing(x, y) }
		if !slices.ContainsFunc(p.heads, same) && !slices.ContainsFunc(p.groups, same) {
			out = append(append(out, w.say("of")), x...)
		}
	}
	for _, x := range conditions {
		out = append(append(out, w.say(condition)), x...)
	}
	each := "of each"
	if slices.ContainsFunc(p.heads, aggregated) {
		each = "for each"
	}
	for i, x := range p.groups {
		if i == 0 {
			out = append(append(out, w.say(each)), x...)
			continue
		}
		out = append(append(out, w.say("and")), x...)
	}
	for i, o := range p.orders {
		if i == 0 {
			out = append(out, w.say("sorted by"))
		} else {
			out = append(out, w.say("and"))
		}
		out = append(append(out, o.keys...), o.how...)
	}
	return out
}

// byCounts says what an order by "the number" counts, and by what the first of groups
// come first, where one number is asked for: "各国机场数量前10".
func (w *writer) byCounts(p *phrase) {
	at := slices.IndexFunc(p.heads, func(h part) bool { return len(h) > 1 && aggregated(h) })
	if at < 0 {
		return
	}
	if p.first && len(p.groups) > 0 && len(p.orders) == 0 && !slices.ContainsFunc(p.with, func(c part) bool { return slices.ContainsFunc(c, superlative) }) {
		p.orders = append(p.orders, order{keys: p.heads[at], how: part{w.say("descending order")}})
	}
	for i, o := range p.orders {
		if len(o.keys) == 1 && o.keys[0].Is("count") && !isColumn(o.keys[0]) && p.heads[at][0].Is("count") {
			p.orders[i].keys = p.heads[at]
		}
	}
}

func aggregated(p part) bool {
	return slices.ContainsFunc(p, func(it *link.Item) bool { return it.Is("count") || it.Is("agg") || it.Is("super") })
}

// limit puts a number before the superlative that it limits.
func (w *writer) limit(conditions []part, n *link.Item) bool {
	for i, c := range conditions {
		at := slices.IndexFunc(c, superlative)
		if at < 0 {
			continue
		}
		conditions[i] = slices.Insert(slices.Clone(c), at, n)
		return true
	}
	return false
}

func superlative(it *link.Item) bool {
	arg, adjective := it.Tag("adjective")
	return it.Is("super") || it.Is("common") || adjective && arg == "superlative"
}
