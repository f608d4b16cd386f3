package chinese

import (
	"slices"

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
	parts = countedNext(countedBefore(parts))
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
	if p.first && !limited && !last && len(items) > 0 && isColumn(items[len(items)-1]) && !slices.ContainsFunc(items, conditional) { // "工资排名前五的卖家"
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
	if n := len(items); n == 2 && superlative(items[1]) && len(p.heads) == 1 && len(p.of) == 0 && isTable(items[:1]) && isColumn(p.heads[0][0]) && items[1].Text != "most" && items[1].Text != "fewest" {
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
	under, head := w.split(items, last)
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

// owns reports whether names are a table and columns of it.
func owns(head part) bool {
	if !isTable(head[:1]) || head[1].Is("and") {
		return false
	}
	for _, it := range head[1:] {
		if it.Is("and") {
			continue
		}
		if !isColumn(it) || isValue(it) || len(it.Tags) > 0 || !slices.ContainsFunc(it.Columns, func(c link.ColumnMatch) bool { return c.Dim.Table == head[0].Tables[0].Entity.ID }) {
			return false
		}
	}
	return true
}

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
	for end < len(items) && isName(items[end]) && !items[end].Is("count") && !verb(items[end]) && !(end > from && (last || isTable(items[end:end+1]))) {
		end++
	}
	if end == from { // "各有多少": nothing is named
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

// split cuts a part into a condition and the names after it. A modifier is one or
// the other, but for values before names.
func (w *writer) split(items part, last bool) (condition, head part) {
	n := len(items)
	if n > 3 && isTable(items[n-1:]) && bounds(items[n-2]) && unit(items[n-3]) && items[n-4].Number != "" {
		return items[:n-1], items[n-1:] // "30岁及以下的卖家" without 的
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
func predicate(head part) bool { return superlative(head[len(head)-1]) }

// sharesColumn reports whether a word is a part of the name of the column that
// another names: "学生总容量".
func sharesColumn(word, column *link.Item) bool {
	return len(column.Columns) > 0 && slices.ContainsFunc(word.Columns, func(c link.ColumnMatch) bool { return c.Dim == column.Columns[0].Dim })
}

// countsInList reports whether items are a list of which one is a number of things,
// and not the largest and smallest of them.
func countsInList(items part) bool {
	and, count := false, false
	for i, it := range items {
		and = and || it.Is("and")
		if it.Is("count") && !isColumn(it) {
			if i > 0 && superlative(items[i-1]) {
				return false
			}
			count = true
		}
	}
	return and && count
}

// head puts aggregates before what they are of.
func (w *writer) head(items part) part {
	if countsInList(items) {
		var out part
		for i, x := range splitAnd(items) { // "学生人数和平均学分"
			if i > 0 {
				out = append(out, w.say("and"))
			}
			out = append(out, w.head(x)...)
		}
		return out
	}
	n := len(items)
	if n > 1 && items[n-1].Is("distinct") { // "类型（去重）"
		return append(part{items[n-1]}, w.head(items[:n-1])...)
	}
	if n > 1 && !slices.ContainsFunc(items, func(it *link.Item) bool { return it.Is("and") }) {
		last := items[n-1]
		if last.Is("count") && items[0].Is("agg") && isColumn(items[n-2]) {
			return items[:n-1] // "平均员工数量" of things that a column counts
		}
		if last.Is("count") {
			return append(part{w.say("number of")}, items[:n-1]...)
		}
		if last.Is("agg") {
			return append(part{last}, items[:n-1]...)
		}
	}
	if n == 1 && items[0].Is("count") && !isColumn(items[0]) {
		return part{w.say("number of")}
	}
	return w.aggregates(items)
}

// aggregates reads superlatives in a list of aggregates: "平均、最大和最小年龄".
func (w *writer) aggregates(items part) part {
	counts := false
	for i, it := range items {
		counts = counts || i > 0 && it.Is("count") && !isName(it) && superlative(items[i-1])
	}
	supers := 0
	for _, it := range items {
		if superlative(it) && !isName(it) {
			supers++
		}
	}
	if !counts && supers < 2 && !slices.ContainsFunc(items, func(it *link.Item) bool { return it.Is("agg") }) {
		return items
	}
	var out part
	for i, it := range items {
		if counts && i > 0 && it.Is("count") && superlative(items[i-1]) {
			continue // "最大数量" of things that a column counts
		}
		out = append(out, it)
	}
	for i, it := range out {
		if !superlative(it) || i+1 == len(out) && !counts {
			continue
		}
		if desc(it, w) {
			out[i] = w.say("maximum")
		} else {
			out[i] = w.say("minimum")
		}
	}
	return out
}

func desc(it *link.Item, w *writer) bool {
	if arg, ok := it.Tag("super"); ok {
		return arg == "max"
	}
	adj, ok := w.lex.Adjective(it.Text)
	return ok && adj.Desc
}
