package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// condition puts the words of a condition into English order.
func (w *writer) condition(items part) part {
	items, time := w.timed(items)
	return append(w.apart(w.ordered(items)), time...)
}

// ordered puts the words of a condition in order, part by part of what conditions
// are made of.
func (w *writer) ordered(items part) part {
	items = w.than(items)
	items = w.bound(items)
	items = amounts(items)
	items = w.ranges(items)
	items = w.affix(items)
	items = w.age(items)
	items = w.denied(items)
	items = w.all(items)
	items = w.repeated(items)
	items = w.counts(items)
	items = w.ways(items)
	items = w.units(items)
	items = w.turned(items)
	items = dropAt(items, func(i int) bool {
		switch it := items[i]; {
		case it.Is("light") && i > 0 && (items[i-1].Number != "" && (isName(it) || i > 1 && i+1 == len(items) && items[i-2].Is("cmp")) || isName(it) && items[i-1].Is("zh-classifier")):
			return false // "多个工作": what is counted is no verb
		case it.Is("zh-in"), it.Is("zh-be"), it.Is("zh-by"), it.Is("zh-have"), it.Is("zh-among"), it.Is("light"):
			return named(it) < sureName
		case it.Is("zh-pronoun"), it.Is("zh-to"), it.Is("zh-from"), it.Is("zh-first"), it.Is("zh-than"), it.Is("zh-except"), it.Is("zh-each"), it.Is("zh-which"), it.Is("zh-word"), it.Is("zh-all"):
			return true
		}
		return false
	})
	return w.superlatives(items)
}

// than reads "比平均年龄大".
func (w *writer) than(items part) part {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-than") })
	end := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-bigger") || it.Is("zh-smaller") })
	if at < 0 || end < at {
		return items
	}
	words := "more than"
	if items[end].Is("zh-smaller") {
		words = "less than"
	}
	out := append(slices.Clone(items[:at]), w.say(words))
	out = append(out, items[at+1:end]...)
	return append(out, items[end+1:]...)
}

// bound moves what follows a number before it: "20岁以上", "2010年之前".
func (w *writer) bound(items part) part {
	out := slices.Clone(items)
	for i := 0; i < len(out); i++ {
		it := out[i]
		var words string
		switch {
		case it.Is("zh-atleast"):
			words = "at least"
		case it.Is("zh-atmost"):
			words = "at most"
		case it.Is("zh-above") && i > 0:
			words = "more than"
		case it.Is("zh-below") && i > 0:
			words = "less than"
		case it.Is("after") && i > 0:
			words = "after"
		case it.Is("before") && i > 0:
			words = "before"
		default:
			continue
		}
		at := i - 1
		for at >= 0 && !bounded(out[at]) && i-at <= maxUnit {
			at--
		}
		if at < 0 || !bounded(out[at]) {
			continue
		}
		out = slices.Delete(out, i, i+1)
		if at > 0 && out[at-1].Is("cmp") {
			continue
		}
		for at > 1 && out[at-1].Is("or") { // "3个或3个以上"
			from := at - 2
			for from > 0 && out[from].Is("zh-classifier") {
				from--
			}
			if out[from].Number == "" || out[from].Number != out[at].Number {
				break
			}
			out = slices.Delete(out, from, at)
			at = from
		}
		out = slices.Insert(out, at, w.say(words))
	}
	return out
}

// bounded reports whether an item is what a bound is about.
func bounded(it *link.Item) bool { return it.Number != "" || it.Period != nil || it.Is("agg") }

// amounts puts the number of things before what they are: "体育场不超过3座".
func amounts(items part) part {
	for i := range items {
		if i+2 >= len(items) || !isTable(items[i:i+1]) || measured(items[i]) || !items[i+1].Is("cmp") || items[i+2].Number == "" {
			continue
		}
		next := i + 3
		for next < len(items) && items[next].Is("zh-classifier") && !items[next].Is("zh-unit") {
			next++
		}
		if i > 0 && (items[i-1].Is("count") || items[i-1].Is("agg")) || next < len(items) && (isName(items[next]) || items[next].Is("zh-unit") || items[next].Is("zh-age")) {
			continue
		}
		out := append(slices.Clone(items[:i]), items[i+1], items[i+2], items[i])
		return append(out, items[next:]...)
	}
	return items
}

// measured reports whether a table's name is that of an amount as well: a budget.
func measured(it *link.Item) bool {
	return len(it.Columns) > 0 && it.Columns[0].Score >= sureName && it.Columns[0].Dim.Role == semantic.RoleMeasure
}

// units drops what a number is a number of, where no column is named by it.
func (w *writer) units(items part) part {
	var out part
	numbered := false
	for _, it := range items {
		unit := it.Is("zh-classifier") || it.Is("zh-unit") || it.Is("zh-year")
		if numbered && unit && named(it) < sureName || numbered && it.Is("zh-year") {
			continue
		}
		numbered = it.Number != ""
		out = append(out, it)
	}
	return out
}

// turned puts a column that stands behind its number before it: "第1选区", "2010赛季
// 之后".
func (w *writer) turned(items part) part {
	for i, it := range items {
		if it.Number == "" || i+1 >= len(items) || !isColumn(items[i+1]) || slices.ContainsFunc(items[:i], isColumn) {
			continue
		}
		at := i
		for at > 0 && operator(items[at-1]) {
			at--
		}
		if at < i && items[i-1].Is("cmp") {
			continue // "至少两种过敏" counts them
		}
		out := append(slices.Clone(items[:at]), items[i+1])
		out = append(out, items[at:i+1]...)
		return append(out, items[i+2:]...)
	}
	return items
}

// maxUnit is how far a bound stands behind its number: "3 个 孩子 以上".
const maxUnit = 3

// ranges puts "between" before its ends and "and" between them.
func (w *writer) ranges(items part) part {
	var ends []int
	between := -1
	for i, it := range items {
		switch {
		case it.Number != "" && len(ends) < 2:
			ends = append(ends, i)
		case it.Is("between"):
			between = i
		}
	}
	if len(ends) != 2 {
		return items
	}
	joined := slices.ContainsFunc(items[ends[0]:ends[1]], func(it *link.Item) bool { return it.Is("zh-to") })
	opened := ends[0] > 0 && (items[ends[0]-1].Is("zh-from") || isColumn(items[ends[0]-1]))
	closed := ends[1]+1 < len(items) && (items[ends[1]+1].Is("zh-unit") || items[ends[1]+1].Is("zh-age")) // "100到300小时"
	if between < 0 && !(joined && (opened || closed)) {
		return items
	}
	out := drop(items[:ends[0]], func(it *link.Item) bool { return it.Is("between") || it.Is("zh-in") })
	if n := len(out); n > 1 && out[n-1].Is("not") && isColumn(out[n-2]) { // "工资不在3000到5000之间"
		out = append(slices.Clone(out[:n-1]), w.say("less than"), items[ends[0]], w.say("or"), out[n-2], w.say("more than"), items[ends[1]])
		return append(out, drop(items[ends[1]+1:], func(it *link.Item) bool { return it.Is("between") })...)
	}
	out = append(slices.Clone(out), w.say("between"), items[ends[0]], w.say("and"), items[ends[1]])
	return append(out, drop(items[ends[1]+1:], func(it *link.Item) bool { return it.Is("between") })...)
}

// affix moves "starts with" and "ends with" before the text: "以A开头".
func (w *writer) affix(items part) part {
	out := slices.Clone(items)
	for i := 1; i < len(out); i++ {
		if it := out[i]; (it.Is("starts") || it.Is("ends")) && !out[i-1].Is("starts") && !out[i-1].Is("ends") {
			at := i - 1
			for at > 0 && !out[at-1].Is("zh-by") && !out[at-1].Is("zh-in") && !isName(out[at-1]) {
				at--
			}
			out = slices.Insert(slices.Delete(out, i, i+1), at, it)
		}
	}
	return out
}

// age says what 20岁 is a number of, where nothing else does.
func (w *writer) age(items part) part {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-age") })
	if at < 0 {
		return items
	}
	out := drop(items, func(it *link.Item) bool { return it.Is("zh-age") })
	if slices.ContainsFunc(out, isColumn) {
		return out
	}
	return append(w.index.Words("age"), out...)
}

// ways keeps from where and to where.
func (w *writer) ways(items part) part {
	out := slices.Clone(items)
	for i, it := range out {
		if i+1 == len(out) || !isValue(out[i+1]) {
			continue
		}
		switch {
		case it.Is("zh-toward"):
			out[i] = w.say("to")
		case it.Is("zh-from"):
			out[i] = w.say("from")
		}
	}
	return out
}

// denied puts a time that stands before what is denied after it: "2004年没有办过展览"
// says nothing of when else.
func (w *writer) denied(items part) part {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("not") })
	if at < 1 || at+1 == len(items) {
		return items
	}
	from := at
	for from > 0 && (items[from-1].Is("zh-year") || items[from-1].Is("zh-among") || items[from-1].Is("zh-in")) {
		from--
	}
	if from == 0 || items[from-1].Period == nil && (items[from-1].Number == "" || from == at || !items[from].Is("zh-year")) || from > 1 && (isName(items[from-2]) || operator(items[from-2])) {
		return items
	}
	out := append(slices.Clone(items[:from-1]), items[at:]...)
	return append(out, items[from-1])
}

// all reads "A 和 B 都" as both of them.
func (w *writer) all(items part) part {
	at := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-all") })
	if at < 0 {
		return items
	}
	out := slices.Delete(slices.Clone(items), at, at+1)
	and := slices.IndexFunc(out, func(it *link.Item) bool { return it.Is("and") })
	if and < 1 || and >= at || !isValue(out[and-1]) {
		return out
	}
	return slices.Insert(out, and-1, w.say("both"))
}

// superlatives puts a superlative before what it is of, "演唱会 最多", and finds the
// word for it where nothing is named: the highest mountain is the tallest.
func (w *writer) superlatives(items part) part {
	n := len(items)
	if n == 0 {
		return items
	}
	out := slices.Clone(items)
	for i, it := range out {
		if next := i + 1; next < n && it.Is("super") && out[next].Number != "" {
			switch it.Text { // "最多 3": at most 3
			case "most":
				out[i] = w.say("at most")
			case "fewest":
				out[i] = w.say("at least")
			}
		}
	}
	if n > 3 && superlative(out[n-1]) && out[n-2].Is("and") && superlative(out[n-3]) { // "最低 和 最高"
		return append(slices.Clone(out[n-3:]), out[:n-3]...)
	}
	last := out[n-1]
	if !superlative(last) {
		return out
	}
	names := drop(out[:n-1], func(it *link.Item) bool { return !isName(it) && !it.Is("count") && !it.Is("agg") })
	if len(names) == 0 {
		last = w.tallest(last, nil)
	} else if n := names[len(names)-1]; isColumn(n) && measured(n) && !n.Is("count") { // "入学人数最多"
		last = w.amount(last)
	}
	if counted := slices.IndexFunc(names, func(it *link.Item) bool { return it.Is("count") }); counted >= 0 && last.Is("super") {
		if len(names) == 1 {
			if desc(last, w) {
				return append(part{w.say("most common")}, without(out[:n-1], names[0])...)
			}
			return append(part{w.say("least common")}, without(out[:n-1], names[0])...)
		}
		word := "most"
		if !desc(last, w) {
			word = "fewest"
		}
		return append(part{w.say(word)}, without(out[:n-1], names[counted])...)
	}
	// What stands before the names is a condition of its own.
	at := n - 1
	for at > 0 && (isName(out[at-1]) && !isValue(out[at-1]) || out[at-1].Is("agg") || out[at-1].Is("distinct")) {
		at--
	}
	if n-2 > at && out[n-2].Is("agg") { // "工资总额最高"
		agg := out[n-2]
		out = slices.Insert(slices.Delete(out, n-2, n-1), at, agg)
	}
	front := append(slices.Clone(out[:at]), last)
	of := at
	for of+1 < n-1 && isTable(out[of:of+1]) {
		of++
	}
	front = append(front, out[of:n-1]...)
	if of > at {
		front = append(append(front, w.say("of")), out[at:of]...) // "highest average price of wines"
	}
	return front
}

// amount is the word for the most of an amount.
func (w *writer) amount(it *link.Item) *link.Item {
	switch it.Text {
	case "most":
		return w.say("highest")
	case "fewest":
		return w.say("lowest")
	}
	return it
}

// dropAt returns the items but those at the places that which names.
func dropAt(items part, which func(i int) bool) part {
	var out part
	for i, it := range items {
		if !which(i) {
			out = append(out, it)
		}
	}
	return out
}

func without(items part, it *link.Item) part {
	return drop(items, func(x *link.Item) bool { return x == it })
}
