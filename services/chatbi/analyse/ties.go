package analyse

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/result"
)

// tellBeyond tells what a LIMIT cuts off that belongs to the answer: what is equal to the
// last row shown, and, where the one row shown has no name, the first that has one.
func (w *work) tellBeyond() {
	if len(w.Beyond) == 0 || w.Order == nil || len(w.Table.Rows) == 0 || !w.roleIsNumber(w.Order.Column) {
		return
	}
	category, ok := w.namedBy()
	if !ok {
		return
	}
	measure := w.Order.Column
	w.ascending = !w.Order.Desc
	number := func(row []any) (result.Number, bool) { return result.NumberOf(row[measure], w.Table.Columns[measure]) }
	last := w.Table.Rows[len(w.Table.Rows)-1]
	edge, ok := number(last)
	if !ok {
		return
	}
	var named []item // what follows, in its order
	for _, row := range w.Beyond {
		if n, ok := number(row); ok && !nothing(row[category]) {
			named = append(named, item{w.named(row[category], category), n})
		}
	}
	if len(w.Table.Rows) == 1 && nothing(last[category]) {
		if len(named) > 0 {
			w.answerNamed(named, edge, measure, category)
		}
		return
	}
	tied := equalTo(named, edge)
	if len(tied) == 0 {
		return
	}
	a := args{"label": w.label(measure), "value": w.number(edge, measure)}
	if len(w.Table.Rows) == 1 {
		first := item{w.named(last[category], category), edge}
		w.out.Answer = w.say.text("rank_tie", w.tiedBeyond(a, append([]item{first}, tied...), len(tied)))
		return
	}
	w.add("rank_tie_beyond", w.tiedBeyond(a, tied, len(tied)))
}

// namedBy is the one column that names the rows: those shown and those cut off have each
// another name in it. It is false where several columns do together, of which one alone
// would make different things the same.
func (w *work) namedBy() (column int, ok bool) {
	column = -1
	for i, r := range w.roles {
		if r != roleCategory && r != roleTime {
			continue
		}
		if column >= 0 {
			return -1, false
		}
		column = i
	}
	if column < 0 {
		return -1, false
	}
	seen := map[string]bool{}
	for _, row := range slices.Concat(w.Table.Rows, w.Beyond) {
		name := w.named(row[column], column)
		if seen[name] {
			return -1, false
		}
		seen[name] = true
	}
	return column, true
}

// equalTo are the first of some items, which are equal to a number.
func equalTo(items []item, n result.Number) []item {
	k := 0
	for k < len(items) && items[k].number.Cmp(n) == 0 {
		k++
	}
	return items[:k]
}

// tiedBeyond names what ties. Where all rows that are known of those cut off do, there may
// be more of them.
func (w *work) tiedBeyond(a args, tied []item, beyond int) args {
	if beyond == len(w.Beyond) {
		tied = append(slices.Clone(tied[:min(len(tied), tieNames)]), item{name: w.say.text("rank_others", nil)})
	}
	return w.tieArgs(a, tied)
}

// answerNamed answers with the first that has a name, and tells the nameless row beside it.
func (w *work) answerNamed(named []item, nameless result.Number, measure, category int) {
	a := args{"label": w.label(measure), "category": w.label(category), "top": named[0].name, "value": w.number(named[0].number, measure), "share": ""}
	key := "rank_top"
	if w.ascending {
		key = "rank_low"
	}
	if tied := equalTo(named, named[0].number); len(tied) > 1 {
		key, a = "rank_tie", w.tiedBeyond(a, tied, len(tied))
	}
	w.out.Answer = w.say.text(key, a)
	w.add("rank_nameless", args{"category": w.label(category), "label": w.label(measure), "value": w.number(nameless, measure)})
}
