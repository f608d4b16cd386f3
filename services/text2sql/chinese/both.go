package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// paired makes an "and" of the word that answers to 既, "既…也…", and joins the clauses
// that the two stand in.
func (w *writer) paired(items part) part {
	both := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("both") })
	if both < 0 {
		return items
	}
	for i := both + 1; i < len(items); i++ {
		if !items[i].Is("zh-also") {
			continue
		}
		out := slices.Clone(items[:i])
		if mark, ok := out[i-1].Tag("mark"); ok && slices.Contains(clauseMarks, mark) {
			out = out[:i-1]
		}
		also := w.say("and")
		also.Tags = append(slices.Clone(also.Tags), items[i].Tags...)
		return append(append(out, also), items[i+1:]...)
	}
	return items
}

// bothOf reads "既…又…": what is said twice of the same things. A table that both say
// it of belongs to the conditions; the rest is what has both.
func (w *writer) bothOf(items part) (phrase, bool) {
	both := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("both") })
	also := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-also") && it.Is("and") })
	if both < 0 || also < both+2 || also+1 == len(items) {
		return phrase{}, false
	}
	one, other := items[both+1:also], items[also+1:]
	end := len(other)
	if last := one[len(one)-1:]; isTable(last) {
		if at := slices.IndexFunc(other, func(it *link.Item) bool { return sameThing(part{it}, last) }); at >= 0 {
			end = at + 1
		}
	} else if at := slices.IndexFunc(other, func(it *link.Item) bool { return it.Is("zh-de") }); at >= 0 {
		end = at
	}
	p := phrase{}
	if subject := trim(items[:both]); len(subject) > 0 {
		p = w.noun(subject)
	}
	if rest := trim(other[end:]); len(rest) > 0 {
		q := w.noun(rest)
		if len(p.heads) == 0 {
			p.heads = q.heads
		} else {
			p.of = append(p.of, q.heads...)
		}
		p.add(phrase{of: q.of, with: q.with, groups: q.groups, orders: q.orders, limit: q.limit, first: q.first})
	}
	p.with = append(w.twice(w.conditions(one), w.conditions(other[:end])), p.with...)
	return p, true
}

// twice are two conditions of which both hold; two that deny stay apart.
func (w *writer) twice(one, other []part) []part {
	if len(one) == 0 || len(other) == 0 || len(one[0]) == 0 || len(other[0]) == 0 {
		return append(one, other...)
	}
	if one[0][0].Is("not") && other[0][0].Is("not") {
		return append(one, other...)
	}
	if len(other) > 1 && sameThing(one[0], other[0]) {
		other = other[1:]
	}
	out := part{w.say("both")}
	for i, c := range one {
		if i > 0 {
			out = append(out, w.say(condition))
		}
		out = append(out, c...)
	}
	out = append(out, w.say("and"))
	for i, c := range other {
		if i > 0 {
			out = append(out, w.say(condition))
		}
		out = append(out, c...)
	}
	return []part{out}
}

// conditions are what is said of a subject that comes before or after.
func (w *writer) conditions(items part) []part {
	if !slices.ContainsFunc(items, func(it *link.Item) bool { return it.Is("zh-de") || bounds(it) }) {
		return []part{w.condition(items)}
	}
	return w.predicate(items).with
}

// exceptFor reads "除了有红色灯的卖家以外的卖家": those of whom it is not so.
func (w *writer) exceptFor(items part) (phrase, bool) {
	from := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("cmp") && it.Text == otherThan })
	if from < 0 {
		return phrase{}, false
	}
	to := slices.IndexFunc(items, func(it *link.Item) bool { return it.Is("zh-except") })
	if to < from+3 || !isTable(items[to-1:to]) || !items[to-2].Is("zh-de") {
		return phrase{}, false
	}
	conditions := w.conditions(items[from+1 : to-2])
	rest := append(slices.Clone(items[:from]), trim(items[to+1:])...)
	if len(conditions) != 1 || len(conditions[0]) == 0 || slices.ContainsFunc(conditions[0], func(it *link.Item) bool { return it.Is("not") }) || len(rest) == 0 {
		return phrase{}, false
	}
	p := w.noun(rest)
	if len(p.heads)+len(p.of) == 0 {
		return phrase{}, false
	}
	p.with = append(p.with, append(part{w.say("without")}, conditions[0]...))
	return p, true
}

const otherThan = "other than"
