package chinese

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// clause reads a clause; before holds what the earlier ones said, for "its".
func (w *writer) clause(items part, before *phrase) phrase {
	var p phrase
	items, p.orders = w.takeOrders(items)
	items = w.takeGroup(items, &p)
	items = drop(items, func(it *link.Item) bool { return it.Is("ask") && !it.Is("zh-which") && named(it) < sureName })
	its := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-pronoun") })
	if its >= 0 && len(before.heads)+len(before.of) > 0 {
		items = slices.Delete(slices.Clone(items), its, its+1)
		for len(items) > its && items[its].Is("zh-de") {
			items = slices.Delete(items, its, its+1)
		}
		if len(before.heads) == 1 && isTable(before.heads[0]) {
			before.of = append(before.of, before.heads[0])
			before.heads = nil
		}
	}
	if its >= 0 && len(items) > 1 && isTable(items[:1]) && !items[1].Is("zh-de") && !verb(items[0]) && before.names(items[0]) { // "这些卖家没有灯"
		p.merge(w.predicate(items[1:]))
		return p
	}
	if len(items) > 1 && items[0].Is("person") {
		return w.who(items, before, p)
	}
	items, asked := w.takeAdverb(items)
	nps := conjuncts(items)
	for _, np := range nps {
		q := w.noun(np)
		if len(nps) > 1 {
			q = w.inline(q)
		}
		p.merge(q)
	}
	if asked != nil && (len(p.heads) == 0 || len(p.heads) == 1 && isTable(p.heads[0])) {
		p.of = append(p.of, p.heads...)
		p.heads = []part{asked}
	}
	if len(p.heads) == 0 && len(before.heads) == 0 && len(p.with) == 1 && len(p.of) == 0 && slices.ContainsFunc(p.with[0], superlative) {
		p.heads, p.with = p.with, nil // "工资最高是多少"
	}
	return p
}

// who reads "谁的工资最高" and, of people named before, who of them.
func (w *writer) who(items part, before *phrase, p phrase) phrase {
	rest := items[1:]
	for len(rest) > 1 && (rest[0].Is("zh-de") || verb(rest[0]) && named(rest[0]) < sureName) {
		rest = rest[1:]
	}
	p.merge(w.predicate(rest))
	if len(before.heads) != 1 || !isTable(before.heads[0]) {
		p.heads = []part{items[:1]}
	}
	return p
}

// names reports whether a phrase is about the table that an item names.
func (p *phrase) names(it *link.Item) bool {
	return slices.ContainsFunc(append(slices.Clone(p.heads), p.of...), func(x part) bool { return sameThing(x, part{it}) })
}

// takeAdverb cuts "when", "in which year" and "where" out of a clause, and returns
// what they ask for.
func (w *writer) takeAdverb(items part) (rest, asked part) {
	for i, it := range items {
		for tag, words := range adverbs {
			if !it.Is(tag) {
				continue
			}
			word := words[0]
			if at := slices.IndexFunc(words, w.index.HasColumn); at >= 0 {
				word = words[at]
			}
			rest = slices.Delete(slices.Clone(items), i, i+1)
			for n := len(rest); n > 0 && n == i && verb(rest[n-1]) && named(rest[n-1]) < sureName; n-- { // "来自哪里"
				rest, i = rest[:n-1], i-1
			}
			return rest, w.index.Words(word)
		}
	}
	return items, nil
}

// adverbs are the columns that tell when and where, likeliest first.
var adverbs = map[string][]string{
	"zh-when": {"date"}, "zh-whichyear": {"year"},
	"zh-where": {"location", "address", "city", "country", "state", "place"},
}

// conjuncts cuts "the names of A and the number of B": at an "and" after a name
// that is asked for where a new modifier begins.
func conjuncts(items part) []part {
	var out []part
	from := 0
	for i, it := range items {
		if !it.Is("and") || i == from || i+1 == len(items) {
			continue
		}
		prev, next := items[i-1], items[i+1]
		asked := prev.Is("count") || isColumn(prev) && !isValue(prev)
		begins := next.Is("zh-each") || next.Is("zh-pronoun") || next.Is("zh-in") || next.Is("light") || isTable(part{next}) || isValue(next)
		if asked && begins && modifies(items[i+1:]) {
			out = append(out, items[from:i])
			from = i + 1
		}
	}
	return append(out, items[from:])
}

// modifies reports whether a modifier with 的, or "each", comes before the next
// "and".
func modifies(items part) bool {
	for _, it := range items {
		switch {
		case it.Is("and"):
			return false
		case it.Is("zh-de"), it.Is("zh-each"), it.Is("count"):
			return true
		}
	}
	return false
}

// noun reads a noun phrase or a whole sentence without orders and groups.
func (w *writer) noun(items part) phrase {
	items = trim(items)
	for _, whole := range []func(part) (phrase, bool){w.bothOf, w.exceptFor, w.among} {
		if p, ok := whole(items); ok {
			return p
		}
	}
	if i := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-howmany") }); i >= 0 {
		return w.howMany(items[:i], items[i], items[i+1:])
	}
	if i := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-which") }); i >= 0 {
		return w.which(items[:i], items[i+1:])
	}
	return w.chain(items)
}

// trim drops particles at the ends.
func trim(items part) part {
	for len(items) > 0 && (items[0].Is("zh-de") || items[0].Is("zh-be") || items[0].Is("and") || items[0].Is("zh-classifier") && !isName(items[0])) {
		items = items[1:]
	}
	for len(items) > 0 {
		last := items[len(items)-1]
		if !last.Is("zh-de") && !last.Is("zh-be") && !last.Is("and") && !last.Is("zh-to") {
			break
		}
		items = items[:len(items)-1]
	}
	return items
}

// among reads "in all X, ..." and "of the X the ...est": X comes first, with 中.
func (w *writer) among(items part) (phrase, bool) {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-among") })
	if at <= 0 || at > 0 && isColumn(items[at-1]) && !items[0].Is("zh-in") {
		return phrase{}, false
	}
	from := 0
	if items[0].Is("zh-in") {
		from = 1
	}
	topic := w.noun(items[from:at])
	if at+1 == len(items) {
		return topic, true
	}
	p := w.noun(items[at+1:])
	if len(p.heads) == 0 {
		p.heads = topic.heads
	} else {
		p.of = append(p.of, topic.heads...)
	}
	p.add(phrase{of: topic.of, with: topic.with, groups: topic.groups, limit: topic.limit})
	return p, true
}

// howMany reads what stands before and after the question word.
func (w *writer) howMany(before part, word *link.Item, after part) phrase {
	person := false
	for len(after) > 0 && after[0].Is("zh-classifier") && (len(after) == 1 || !isName(after[0]) || isName(after[1])) {
		person = true
		after = after[1:]
	}
	var distinct part
	if len(after) > 0 && after[0].Is("distinct") && len(trim(after[1:])) == 0 { // "有几支不同的"
		after, distinct = nil, after[:1]
	}
	has := len(before) > 0 && (before[len(before)-1].Is("zh-have"))
	before = trim(before)
	for len(before) > 0 && verb(before[len(before)-1]) && named(before[len(before)-1]) < sureName {
		before = before[:len(before)-1]
	}
	if len(trim(after)) == 0 {
		p := w.noun(before)
		if len(p.heads) == 0 {
			p.heads = append(p.heads, part{})
		}
		if has || person || len(distinct) > 0 || strings.HasPrefix(word.Text, having) && isTable(p.heads[0]) {
			p.heads[0] = w.counted(append(distinct, p.heads[0]...))
		}
		return p
	}
	var agg part
	if n := len(before); n > 0 && before[n-1].Is("agg") { // "公寓平均有几个房间"
		before, agg = before[:n-1], before[n-1:]
	}
	p := w.sentence(after)
	if len(agg) > 0 && len(p.heads) > 0 {
		p.heads[0] = append(slices.Clone(agg), p.heads[0]...)
	}
	if len(p.heads) == 0 { // "how many live in Rome"
		p.heads = append(p.heads, part{})
	}
	p.heads[0] = w.counted(p.heads[0])
	if len(before) > 0 {
		p.attach(w.noun(before))
	}
	return p
}

// having begins words that ask how many there are of what was named: 有多少.
const having = "有"

// sentence reads "X 没有 Y", "X 位于 Y" and "X 的 Y 大于 Z" as X under a condition.
func (w *writer) sentence(items part) phrase {
	n := 0
	for n < len(items) && (isName(items[n]) && !isValue(items[n]) && !(verb(items[n]) && named(items[n]) < sureName) || items[n].Is("distinct")) {
		n++
	}
	if n == 0 || n == len(items) || items[n].Is("zh-de") || !verb(items[n]) && !operator(items[n]) || n+1 < len(items) && items[n+1].Is("zh-de") {
		return w.noun(items)
	}
	if !verb(items[n]) && n > 1 && isColumn(items[n-1]) {
		n-- // "歌手 年龄 大于 20"
	}
	p := phrase{heads: []part{items[:n]}}
	p.merge(w.predicate(items[n:]))
	return p
}

// predicate reads what is said of a subject: all of it are conditions.
func (w *writer) predicate(items part) phrase {
	denied := len(items) > 0 && items[0].Is("not")
	rest := w.noun(items)
	if n := len(rest.with); n > 0 && len(rest.heads) == 1 && slices.ContainsFunc(rest.with[n-1], superlative) { // "的卖家的平均年龄最高"
		last := append(slices.Clone(rest.with[n-1]), w.say("of"))
		rest.with[n-1], rest.heads = append(last, rest.heads[0]...), nil
	}
	conditions := rest.asConditions(w)
	if at := slices.IndexFunc(rest.with, bareNumber); at >= 0 && len(conditions) > 0 { // "有两名以上的摔跤手"
		conditions[0] = append(slices.Clone(rest.with[at]), conditions[0]...)
		rest.with = slices.Delete(rest.with, at, at+1)
	}
	if denied && len(conditions) > 0 && !slices.ContainsFunc(conditions[0], func(it *link.Item) bool { return it.Is("not") }) {
		conditions[0] = append(part{items[0]}, conditions[0]...)
		rest.with = slices.DeleteFunc(rest.with, func(c part) bool { return len(c) == 1 && c[0].Is("not") })
		for i, c := range rest.with {
			if len(c) > 0 && c[0].Is("not") && c[0].Text == items[0].Text { // "没有军衔为少校的船长" denies the captains
				rest.with[i] = c[1:]
			}
		}
	}
	rest.with = append(conditions, rest.with...)
	rest.heads, rest.of = nil, nil
	return rest
}

// bareNumber reports whether a condition is a number of things that it does not name.
func bareNumber(c part) bool {
	n := len(c)
	return n > 0 && n <= 2 && c[n-1].Number != "" && (n == 1 || c[0].Is("cmp"))
}

// counted asks for the number of a head.
func (w *writer) counted(head part) part {
	if slices.ContainsFunc(head, func(it *link.Item) bool { return it.Is("count") || it.Is("agg") }) {
		return head
	}
	if slices.ContainsFunc(head, func(it *link.Item) bool { return it.Is("zh-money") }) {
		return append(part{w.say("total")}, head...)
	}
	return append(part{w.say("number of")}, head...)
}

// which reads "which X ..." and "... is which X".
func (w *writer) which(before, after part) phrase {
	for len(after) > 0 && after[0].Is("zh-classifier") && len(after) > 1 {
		after = after[1:]
	}
	if len(after) == 0 {
		for len(before) > 0 && (verb(before[len(before)-1]) && named(before[len(before)-1]) < sureName || before[len(before)-1].Is("zh-all")) {
			before = before[:len(before)-1]
		}
		return w.noun(before)
	}
	if w.bare(before) {
		n := 0
		for n < len(after) && (isName(after[n]) && !verb(after[n]) || after[n].Is("distinct") || joins(after, n)) {
			n++
		}
		if n == 0 || n == len(after) {
			return w.chain(append(slices.Clone(before), after...))
		}
		p := phrase{heads: []part{after[:n]}}
		p.merge(w.predicate(after[n:]))
		return p
	}
	last := before[len(before)-1]
	asked := w.chain(after)
	if last.Is("zh-de") || last.Is("zh-be") && len(before) > 1 && before[len(before)-2].Is("zh-de") {
		return w.chain(append(append(slices.Clone(trim(before)), de), after...))
	}
	for len(before) > 0 && (verb(before[len(before)-1]) || before[len(before)-1].Is("zh-be")) {
		before = before[:len(before)-1]
	}
	asked.attach(w.noun(before))
	return asked
}

// joins reports whether an item is the "and" between two columns that are asked for.
func joins(items part, i int) bool {
	return items[i].Is("and") && i > 0 && i+1 < len(items) && isColumn(items[i-1]) && isColumn(items[i+1]) && !isValue(items[i+1])
}

// bare reports whether nothing is said before the question word.
func (w *writer) bare(before part) bool {
	return len(drop(before, func(it *link.Item) bool { return verb(it) && named(it) < sureName || it.Is("zh-be") || it.Is("zh-by") })) == 0
}

// asConditions are the phrase's things as what something has: "with most concerts".
func (p *phrase) asConditions(w *writer) []part {
	var out part
	for i, h := range p.heads {
		if i > 0 {
			out = append(out, w.say("and"))
		}
		out = append(out, h...)
	}
	for _, x := range p.of {
		if len(out) > 0 {
			out = append(out, w.say("of"))
		}
		out = append(out, x...)
	}
	if len(out) == 0 {
		return nil
	}
	return []part{out}
}
