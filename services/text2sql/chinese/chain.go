package chinese

import (
	"slices"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// de joins a modifier to its head.
var de = &link.Item{Tags: []lexicon.Tag{{Name: "zh-de"}}, Score: 1}

// chain reads modifiers joined by 的 and their head, from the head on.
func (w *writer) chain(items part) phrase {
	var parts []part
	var one part
	for _, it := range trim(items) {
		if it.Is("zh-de") {
			if len(one) > 0 {
				parts = append(parts, one)
			}
			one = nil
			continue
		}
		one = append(one, it)
	}
	if len(one) > 0 {
		parts = append(parts, one)
	}
	parts = w.twoKinds(countedNext(countedBefore(parts)))
	var p phrase
	for i := len(parts) - 1; i >= 0; i-- {
		w.modifier(parts[i], i == len(parts)-1, &p)
	}
	if len(p.heads) == 1 && len(p.heads[0]) > 1 && owns(p.heads[0]) && !slices.ContainsFunc(items, affixed) { // "卖家编号"
		p.of = append([]part{p.heads[0][:1]}, p.of...)
		p.heads[0] = p.heads[0][1:]
	}
	return p
}

// twoKinds joins things under two conditions, "年龄大于40的卖家和年龄小于30的卖家", to
// things under either of them. What is the most of something is not joined so: then
// the "and" is not understood.
func (w *writer) twoKinds(parts []part) []part {
	for i := 1; i+1 < len(parts); i++ {
		p, one := parts[i], parts[i-1]
		if len(p) < 3 || !isTable(p[:1]) || !p[1].Is("and") || !slices.ContainsFunc(p[2:], conditional) || !slices.ContainsFunc(one, conditional) || !sameThing(p[:1], parts[i+1][:1]) {
			continue
		}
		out := slices.Clone(parts)
		if slices.ContainsFunc(append(slices.Clone(one), p[2:]...), superlative) {
			out[i] = slices.Clone(p)
			out[i][1] = &link.Item{To: max(1, len(p[1].Tokens)), Text: p[1].Text, Tokens: p[1].Tokens}
			return out
		}
		out[i-1] = append(append(slices.Clone(one), w.say("or")), p[2:]...)
		return slices.Delete(out, i, i+1)
	}
	return parts
}

// countedBefore joins a number of things that is compared with what the things are:
// "灯的数量大于2".
func countedBefore(parts []part) []part {
	for i := 1; i < len(parts); i++ {
		if !parts[i][0].Is("count") || isName(parts[i][0]) || len(parts[i]) < 2 || !slices.ContainsFunc(parts[i], conditional) || !isName(parts[i-1][len(parts[i-1])-1]) {
			continue
		}
		out := slices.Clone(parts[:i-1])
		out = append(out, append(slices.Clone(parts[i-1]), parts[i]...))
		return countedBefore(append(out, parts[i+1:]...))
	}
	return parts
}

// countedNext puts a bound on the number of things before their name, from where it
// stands before what else is said of them: "至少两家容量超过300的电影院".
func countedNext(parts []part) []part {
	if len(parts) < 2 {
		return parts
	}
	one := parts[0]
	if one[0].Is("zh-have") {
		one = one[1:]
	}
	if len(one) < 4 || !one[0].Is("cmp") || one[1].Number == "" || slices.ContainsFunc(one, func(it *link.Item) bool { return it.Is("and") || it.Is("or") || it.Is("between") }) {
		return parts
	}
	if !slices.ContainsFunc(one[2:], func(it *link.Item) bool { return it.Number != "" || isValue(it) }) {
		return parts
	}
	out := slices.Clone(parts)
	out[0] = one[2:]
	out[1] = append(slices.Clone(one[:2]), parts[1]...)
	return out
}

// modifier adds a part of a chain; the last one holds the head, unless it is the
// predicate of a sentence.
func (w *writer) modifier(items part, last bool, p *phrase) {
	items = drop(items, func(it *link.Item) bool { return it.Is("zh-pronoun") && !isName(it) })
	for n := len(items); n > 0 && items[n-1].Is("zh-all"); n-- {
		items = items[:n-1]
	}
	limited := p.first
	items = w.takeLimit(items, p)
	if p.first && !limited && !last && endsInColumn(items) && !slices.ContainsFunc(items, conditional) { // "工资排名前五的卖家"
		items = append(slices.Clone(items), w.say("highest"))
	}
	if at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-each") }); at >= 0 {
		items = w.takeEach(items, at, last, p)
	}
	if len(items) > 1 && len(p.heads) == 1 && len(p.of) == 0 && !slices.ContainsFunc(items, func(it *link.Item) bool { return !superlative(it) && !it.Is("and") && !it.Is("agg") || isName(it) }) { // "最大和最小的年龄"
		p.heads[0] = w.head(append(slices.Clone(items), p.heads[0]...))
		return
	}
	if len(items) == 1 && superlative(items[0]) && len(p.heads) > 0 { // "最高的纬度"
		noun := &p.heads[0]
		if n := len(p.of); n > 0 {
			noun = &p.of[n-1]
		}
		*noun = append(part{w.tallest(items[0], *noun)}, *noun...)
		return
	}
	if n := len(items); n == 2 && superlative(items[1]) && len(p.heads) == 1 && len(p.of) == 0 && isTable(items[:1]) && len(p.heads[0]) > 0 && isColumn(p.heads[0][0]) && items[1].Text != "most" && items[1].Text != "fewest" {
		p.heads[0] = append(part{items[1]}, p.heads[0]...) // "公司最常见的总部"
		p.of = append(p.of, items[:1])
		return
	}
	if !last && len(items) > 1 && items[0].Is("distinct") && len(p.heads) == 1 && len(p.heads[0]) == 1 && p.heads[0][0].Is("count") { // "不同类型的数量"
		p.heads[0] = append(slices.Clone(p.heads[0]), items...)
		return
	}
	if !last && len(items) > 1 && items[0].Is("distinct") && isColumn(items[1]) { // "不同年份的价格"
		p.groups = append(p.groups, items[1:])
		return
	}
	var asked part
	if len(p.of) == 0 && len(p.with) == 0 && len(p.heads) == 1 {
		asked = p.heads[0]
	}
	under, head := w.split(items, last, asked)
	if at := slices.IndexFunc(head, func(it *link.Item) bool { return it.Is("agg") && !isName(it) }); last && at > 0 && at+1 < len(head) && len(p.heads) == 0 && isTable(head[:1]) && at == 1 && !sharesColumn(head[0], head[2]) { // "员工平均工资"
		p.of = append(p.of, head[:at])
		head = head[at:]
	}
	if len(head) > 0 {
		if len(p.heads) == 0 && (last || len(p.with) > 0 && len(p.groups) == 0) {
			p.heads = append(p.heads, w.head(head))
		} else {
			p.of = append(p.of, head)
		}
	}
	if under = w.condition(under); len(under) > 0 {
		p.with = append(p.with, under)
	}
}

// affixed reports whether a word says what a text has in it: of which column, only
// what stands beside it tells.
func affixed(it *link.Item) bool { return it.Is("starts") || it.Is("ends") || it.Is("contains") }

// tallest is the word for the highest of things that have no column named.
func (w *writer) tallest(it *link.Item, of part) *link.Item {
	if it.Text == "highest" && !slices.ContainsFunc(of, isColumn) {
		return w.say("tallest")
	}
	return it
}

// takeLimit cuts a number of things out: "前三名", "5 位" before a name.
func (w *writer) takeLimit(items part, p *phrase) part {
	for i, it := range items {
		if it.Number == "" || p.limit != nil || isYear(items, i) {
			continue
		}
		first := i > 0 && items[i-1].Is("zh-first")
		best := i > 0 && superlative(items[i-1]) && !items[i-1].Is("super") // "最新的三部电影", but "最多3部"
		next := i + 1
		for next < len(items) && items[next].Is("zh-classifier") && !isName(items[next]) {
			next++
		}
		if !first && !((i == 0 || best) && (next == len(items) && next > 1 || next < len(items) && isName(items[next])) && !slices.ContainsFunc(items[next:], conditional)) {
			continue
		}
		p.limit, p.first = it, first
		from := i
		if first {
			from--
		}
		return append(slices.Clone(items[:from]), items[next:]...)
	}
	return items
}

// takeEach cuts "每个国家" out of a part.
func (w *writer) takeEach(items part, at int, last bool, p *phrase) part {
	end := at + 1
	for end < len(items) && (items[end].Is("zh-classifier") && !isName(items[end]) || items[end].Is("distinct")) {
		end++
	}
	from := end
	if end > at+1 && items[end-1].Is("zh-classifier") && utf8.RuneCountInString(items[at].Text) > 1 && (end == len(items) || !isName(items[end])) {
		from = end - 1 // "每个班": after one classifier another one is what is meant, and nothing has it
		items = slices.Clone(items)
		items[from] = &link.Item{Text: items[from].Text, Tokens: items[from].Tokens, From: items[from].From, To: items[from].To}
	}
	for end < len(items) && isName(items[end]) && !items[end].Is("count") && !verb(items[end]) && !(end > from && (last || isTable(items[end:end+1]) || end+1 < len(items) && superlative(items[end+1]))) {
		end++
	}
	if end == from { // "各有多少": nothing is named
		p.group(w.listedValues(items[:at])...)
		return append(slices.Clone(items[:at]), items[end:]...)
	}
	p.group(items[from:end])
	if end+1 < len(items) && items[end].Is("and") { // "每种颜色及其最高价格"
		end++
	}
	rest := slices.Clone(items[:at])
	for len(rest) > 0 && verb(rest[len(rest)-1]) {
		rest = rest[:len(rest)-1]
	}
	return append(rest, items[end:]...)
}

// listedValues is the column whose values stand in a list: "法国和秘鲁各有多少卖家".
func (w *writer) listedValues(items part) []part {
	n := len(items)
	if n < 3 || !items[n-2].Is("and") || len(items[n-1].Values) == 0 || len(items[n-3].Values) == 0 || items[n-1].Values[0].Dim != items[n-3].Values[0].Dim {
		return nil
	}
	column := w.index.Words(items[n-1].Values[0].Dim.Names.EN)
	if len(column) != 1 || !isColumn(column[0]) {
		return nil
	}
	return []part{column}
}

// split cuts a part into a condition and the names after it. A modifier is one or
// the other, but for values before names.
func (w *writer) split(items part, last bool, asked part) (condition, head part) {
	n := len(items)
	if n > 3 && isTable(items[n-1:]) && bounds(items[n-2]) && unit(items[n-3]) && items[n-4].Number != "" {
		return items[:n-1], items[n-1:] // "30岁及以下的卖家" without 的
	}
	if !last && n > 1 && isTable(items[n-1:]) && asked != nil && !slices.ContainsFunc(items[:n-1], func(it *link.Item) bool { return !it.Is("zh-in") && !it.Is("zh-pronoun") }) && owns(append(slices.Clone(items[n-1:]), asked...)) {
		return nil, items[n-1:] // "所在县的名称"
	}
	if !last && slices.ContainsFunc(items, conditional) {
		return items, nil
	}
	at := n
	for at > 0 && w.inHead(items, at-1) {
		at--
	}
	for at < n && (items[at].Is("and") || items[at].Is("or") || items[at].Is("zh-be")) {
		at++
	}
	head = items[at:]
	condition = items[:at]
	switch {
	case len(head) == 0:
		return condition, nil
	case predicate(head):
		return items, nil
	}
	return condition, head
}

// bounds reports whether a word bounds the number before it.
func bounds(it *link.Item) bool {
	return it.Is("zh-atleast") || it.Is("zh-atmost") || it.Is("zh-above") || it.Is("zh-below") || it.Is("after") || it.Is("before")
}

// unit reports whether a word says what a number is a number of, and cannot be what
// is counted.
func unit(it *link.Item) bool {
	return it.Is("zh-age") || it.Is("zh-unit") && !isName(it) || it.Is("zh-year")
}

// conditional reports whether a word makes a condition of what it stands with.
func conditional(it *link.Item) bool {
	return verb(it) && named(it) < sureName || operator(it) || superlative(it) || it.Number != ""
}

// operator reports whether a word compares or denies.
func operator(it *link.Item) bool {
	for _, tag := range []string{"not", "cmp", "between", "after", "before", "contains", "starts", "ends", "isnull", "notnull", "zh-atleast", "zh-atmost"} {
		if it.Is(tag) {
			return true
		}
	}
	return false
}

// inHead reports whether the item may be of a head that ends after it.
func (w *writer) inHead(items part, i int) bool {
	it := items[i]
	switch {
	case isValue(it), it.Number != "":
		return false
	case verb(it):
		return named(it) >= sureName && !it.Is("zh-in") && i+1 < len(items) && isColumn(it)
	case operator(it), it.Is("zh-be"), it.Is("zh-age"), it.Is("zh-unit") && !isName(it):
		return false
	case it.Is("and"), it.Is("or"):
		return i+1 < len(items) && i > 0
	case it.Is("agg"), it.Is("count"), it.Is("distinct"), it.Is("rate"), it.Is("star"), superlative(it), isName(it):
		return true
	}
	return len(it.Tags) == 0 // unknown: a noun that no table has
}

// predicate reports whether names end in a superlative: "演唱会 最多".
func predicate(head part) bool { return len(head) > 0 && superlative(head[len(head)-1]) }
