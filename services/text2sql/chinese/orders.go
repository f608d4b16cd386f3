package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// takeOrders cuts what says how to sort out of a clause: "按年龄降序排列", "年龄从高到低".
func (w *writer) takeOrders(items part) (rest part, orders []order) {
	for {
		at := slices.IndexFunc(items, isOrder)
		if at < 0 {
			return items, orders
		}
		start := orderStart(items, at)
		end := at + 1
		for end < len(items) && (isOrder(items[end]) || items[end].Is("zh-by") && end+1 < len(items) && isOrder(items[end+1])) {
			end++
		}
		var o order
		for _, it := range items[start:end] {
			switch {
			case isOrder(it):
				if arg, _ := it.Tag("order"); arg != "" {
					o.how = append(o.how, it)
				}
			case it.Is("zh-by"), it.Is("zh-de"), it.Is("zh-in"), it.Is("ask"), it.Is("zh-be"):
			case it.Is("zh-pronoun"):
			default:
				o.keys = append(o.keys, it)
			}
		}
		o.keys, o.how = w.key(o.keys), w.alphabetical(o.how)
		orders = append(orders, o)
		rest := slices.Clone(items[:start])
		if end < len(items) && items[end].Is("zh-de") {
			end++
		}
		if len(rest) > 0 && rest[len(rest)-1].Is("and") {
			rest = rest[:len(rest)-1]
		}
		items = append(rest, items[end:]...)
	}
}

func isOrder(it *link.Item) bool { return it.Is("order") && !isName(it) }

// alphabetical joins the order of the alphabet and its direction: "按字典序倒序".
func (w *writer) alphabetical(how part) part {
	is := func(arg string) bool {
		return slices.ContainsFunc(how, func(it *link.Item) bool { got, _ := it.Tag("order"); return got == arg })
	}
	switch {
	case is("alpha") && is("desc"):
		return part{w.say("reverse alphabetical order")}
	case is("alpha") && is("asc"):
		return part{w.say("alphabetical order")}
	}
	return how
}

// orderStart finds where the key of an order begins: at 按, else after the last 的
// or comma-like word before it.
func orderStart(items part, at int) int {
	for i := at; i >= 0; i-- {
		if items[i].Is("zh-by") {
			return i
		}
		if i < at && isOrder(items[i]) {
			break
		}
	}
	i := at
	for i > 0 && (isName(items[i-1]) && !items[i-1].Is("ask") || items[i-1].Is("count")) {
		i--
	}
	return i
}

// key puts an aggregate before what it is of.
func (w *writer) key(items part) part {
	if n := len(items); n > 1 && (items[n-1].Is("count") && !isColumn(items[n-1]) || items[n-1].Is("agg")) {
		return append(part{items[n-1]}, items[:n-1]...)
	}
	return items
}

// takeGroup cuts "按X分组" and a "按X" that does not sort out of a clause.
func (w *writer) takeGroup(items part, p *phrase) part {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-by") && !it.Is("zh-in") })
	if at < 0 {
		at = slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-by") })
		if per := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-per") }); at < 0 || per < at {
			return items
		}
	}
	end := at + 1
	for end < len(items) && (isName(items[end]) && !items[end].Is("ask") && !items[end].Is("count") || items[end].Is("zh-each") || items[end].Is("distinct") || items[end].Is("and") || items[end].Is("zh-de") && end+1 < len(items) && isName(items[end+1])) {
		end++
	}
	group := drop(items[at+1:end], func(it *link.Item) bool { return it.Is("zh-each") || it.Is("distinct") || it.Is("zh-de") })
	if len(group) == 0 {
		return items
	}
	for end < len(items) && (items[end].Is("zh-per") || items[end].Is("zh-de") || items[end].Is("ask")) {
		end++
	}
	p.group(splitAnd(group)...)
	return append(slices.Clone(items[:at]), items[end:]...)
}

func splitAnd(items part) []part {
	var out []part
	var one part
	for _, it := range items {
		if it.Is("and") {
			if len(one) > 0 {
				out = append(out, one)
			}
			one = nil
			continue
		}
		one = append(one, it)
	}
	if len(one) > 0 {
		out = append(out, one)
	}
	return out
}
