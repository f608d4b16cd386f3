package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// timed cuts years out that stand before what happened in them, where they would count
// how many there were: "2014年有灯", "2010年之前或2015年之后卖过灯". It returns them as
// they are said behind.
func (w *writer) timed(items part) (rest, time part) {
	from := 0
	for from < len(items) && !isYear(items, from) {
		from++
	}
	if from == len(items) {
		return items, nil
	}
	to := yearsEnd(items, from)
	for from > 0 && (items[from-1].Is("zh-in") || items[from-1].Is("zh-from")) && !isColumn(items[from-1]) {
		from--
	}
	if from > 0 && (operator(items[from-1]) || isColumn(items[from-1]) || items[from-1].Is("zh-be")) {
		return items, nil
	}
	years := items[from:to]
	rest = append(slices.Clone(items[:from]), items[to:]...)
	all := slices.IndexFunc(items[to:], func(it *link.Item) bool { return it.Is("zh-all") })
	named := slices.ContainsFunc(rest, func(it *link.Item) bool { return isName(it) && !isValue(it) })
	since := slices.ContainsFunc(years, func(it *link.Item) bool { return it.Is("zh-atleast") || it.Is("zh-atmost") })
	if !named && !since {
		return items, nil
	}
	time = w.ordered(years)
	switch {
	case since && w.index.HasColumn("year"):
		time = append(slices.Clone(w.index.Words("year")), time...)
	case slices.ContainsFunc(time, operator):
	case all == 0 && slices.ContainsFunc(time, func(it *link.Item) bool { return it.Is("and") }): // "2010年和2011年都"
		time = append(part{w.say("in"), w.say("both")}, time...)
	default:
		time = append(part{w.say("in")}, time...)
	}
	return rest, time
}

// isYear reports whether a year is said at a place: "2010年".
func isYear(items part, i int) bool {
	return len(items[i].Number) == len("2010") && i+1 < len(items) && items[i+1].Is("zh-year")
}

// yearsEnd is where years, and how they bound a time, end.
func yearsEnd(items part, from int) int {
	to := from + 2
	for to < len(items) {
		switch it := items[to]; {
		case it.Is("zh-among"), it.Is("after"), it.Is("before"), it.Is("between"), it.Is("zh-atleast"), it.Is("zh-atmost"):
			to++
		case (it.Is("or") || it.Is("and") || it.Is("zh-to")) && to+1 < len(items) && isYear(items, to+1):
			to += 3
		default:
			return to
		}
	}
	return to
}
