package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// withinOrAcross reports whether a share of one country has two readings: "what share
// of Thai orders were cancelled" is one of Thailand's orders as well as of all that were
// cancelled. It has where the country stands between the share and a figure that is a
// part of another, as cancelled orders are of orders. "Share of orders that came
// from Thailand" has one.
func (r *reader) withinOrAcross() bool {
	figure := r.metricAt()
	if figure < 0 || !r.names.partOfOther(r.out.Intent.Select[0].ID) {
		return false
	}
	place, share := r.countries-1, r.share-1
	return share < place && place < figure || place < figure && figure < share
}

// shareInName reports whether the name of a rate begins as a share, behind a place that
// has it: "Thailand's share of cancelled orders" is not the share of Thailand's orders
// that were cancelled, which "share of cancelled orders" names.
func (r *reader) shareInName() bool {
	figure := r.metricAt()
	if figure < 1 || figure != r.countries || possessive(&r.units[figure-1]) == 0 {
		return false
	}
	tokens := r.units[figure].tokens
	for n := 1; n < len(tokens); n++ {
		if r.names.words.is(lowers(tokens[:n]), "share") {
			return true
		}
	}
	return false
}

// metricAt is the position of the first metric's words; -1 where it has none, or no
// metric was read.
func (r *reader) metricAt() int {
	if len(r.out.Intent.Select) == 0 {
		return -1
	}
	return slices.IndexFunc(r.units, func(u unit) bool {
		return slices.ContainsFunc(u.ids(kindMetric), func(id string) bool { return Base(id) == Base(r.out.Intent.Select[0].ID) })
	})
}

// partOfOther reports whether the name of a metric ends with that of another: cancelled
// orders, 取消订单数.
func (n *Names) partOfOther(id string) bool {
	at := slices.IndexFunc(n.layer.Metrics, func(m semantic.Metric) bool { return m.ID == id })
	if at < 0 {
		return false
	}
	name := n.layer.Metrics[at].Names
	return slices.ContainsFunc(n.layer.Metrics, func(m semantic.Metric) bool {
		en := m.Names.EN != "" && strings.HasSuffix(strings.ToLower(name.EN), " "+strings.ToLower(m.Names.EN))
		zh := m.Names.ZH != "" && m.Names.ZH != name.ZH && strings.HasSuffix(name.ZH, m.Names.ZH)
		return Base(m.ID) != Base(id) && (en || zh)
	})
}

// figureOfItsOwn doubts a share of the rows with a value where the layer has a figure
// for just that, and counts it in another way: most orders that were paid have left the
// state "paid" long ago.
func (r *reader) figureOfItsOwn() {
	figure := r.metricAt()
	if figure < 0 || len(r.values) == 0 {
		return
	}
	v := r.values[len(r.values)-1]
	words := slices.Concat(r.units[v.pos].tokens, r.units[figure].tokens)
	for _, m := range r.names.byKey[keyOf(words)] {
		if m.kind == kindMetric && !r.names.countsValue(m.id, v.value) {
			r.doubt("a share of rows by their state, or of the figure of that name")
			return
		}
	}
}

// countsValue reports whether a metric, or a variant of it, is defined by a value.
func (n *Names) countsValue(id, value string) bool {
	literal := "'" + value + "'"
	return slices.ContainsFunc(n.layer.Metrics, func(m semantic.Metric) bool {
		return Base(m.ID) == Base(id) && (strings.Contains(m.Expr, literal) || slices.ContainsFunc(m.DefaultFilters, func(f string) bool { return strings.Contains(f, literal) }))
	})
}

// measuresChange reports whether the words of a share say in what a change is measured:
// "growth in percent", 环比增长百分比.
func (r *reader) measuresChange() bool {
	if r.share == 0 || r.grew == 0 {
		return false
	}
	for at := min(r.share, r.grew); at < max(r.share, r.grew)-1; at++ {
		if u := &r.units[at]; !u.idle() && !u.is("zh-de") {
			return false
		}
	}
	return r.names.words.is(lowers(r.units[r.share-1].tokens), "in_hundredths")
}
