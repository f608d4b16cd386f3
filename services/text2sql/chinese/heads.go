package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

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

// sharesColumn reports whether a word is a part of the name of the column that
// another names: "学生总容量".
func sharesColumn(word, column *link.Item) bool {
	return len(column.Columns) > 0 && slices.ContainsFunc(word.Columns, func(c link.ColumnMatch) bool { return c.Dim == column.Columns[0].Dim })
}

// owns reports whether names are a table and columns of it.
func owns(head part) bool {
	if len(head) < 2 || !isTable(head[:1]) || head[1].Is("and") {
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

func desc(it *link.Item, w *writer) bool {
	if arg, ok := it.Tag("super"); ok {
		return arg == "max"
	}
	adj, ok := w.lex.Adjective(it.Text)
	return ok && adj.Desc
}
