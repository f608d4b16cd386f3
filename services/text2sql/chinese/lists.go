package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// apart makes conditions of their own of what "and" joins: "工资大于3000并且年龄小于40".
func (w *writer) apart(items part) part {
	if slices.ContainsFunc(items, func(it *link.Item) bool { return it.Is("or") || it.Is("both") || it.Is("but") }) {
		return items
	}
	out := slices.Clone(items)
	for i := 2; i+2 < len(out); i++ {
		if out[i].Number != "" && out[i+1].Is("cmp") && out[i+2].Number != "" && out[i-1].Is("cmp") && isColumn(out[i-2]) { // "在3000以上5000以下"
			out = slices.Insert(out, i+1, w.say(condition), out[i-2])
		}
	}
	for i := 1; i+2 < len(out); i++ {
		if out[i].Is("and") && isColumn(out[i+1]) && !isValue(out[i+1]) && out[i+2].Is("cmp") && slices.ContainsFunc(out[:i], isColumn) {
			out[i] = w.say(condition)
		}
	}
	return out
}

// repeated says again what is compared: "人口大于1500或小于500".
func (w *writer) repeated(items part) part {
	var out part
	var column *link.Item
	for i, it := range items {
		if isColumn(it) && !isValue(it) {
			column = it
		}
		if i > 1 && column != nil && (items[i-1].Is("or") || items[i-1].Is("and") && it.Is("cmp")) && (it.Is("cmp") || it.Number != "" && listed(items[:i-1], column)) {
			out = append(out, column)
		}
		out = append(out, it)
	}
	return out
}

// listed reports whether a number ends the items that a column equals: "年龄为36岁".
func listed(items part, column *link.Item) bool {
	for i := len(items) - 1; i > 0; i-- {
		switch it := items[i]; {
		case it.Number != "":
			return items[i-1] == column || items[i-1].Is("zh-be") && i > 1 && items[i-2] == column
		case !it.Is("zh-classifier") && !it.Is("zh-unit") && !it.Is("zh-year"):
			return false
		}
	}
	return false
}

// counts puts "number of" before what is counted: "付款次数超过2".
func (w *writer) counts(items part) part {
	out := slices.Clone(items)
	for i, it := range out {
		if !it.Is("count") || isName(it) || i == 0 || i+1 == len(out) || !out[i+1].Is("cmp") {
			continue
		}
		at := i
		for at > 0 && isName(out[at-1]) && !isValue(out[at-1]) {
			at--
		}
		copy(out[at+1:i+1], out[at:i])
		out[at] = it
	}
	return out
}
