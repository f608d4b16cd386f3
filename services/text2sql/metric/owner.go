package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// owner reports whether a metric's word only says what another one is of: the
// orders in "cancellation rate of COD orders" and in 信用卡订单的取消率.
func (r *reader) owner(ids []string) bool {
	other := func(o *unit) bool { return o.has(kindMetric) && !slices.Equal(o.ids(kindMetric), ids) }
	if de, next := r.around(1), r.around(2); de != nil && next != nil && de.tokens[0].Text == "的" && len(de.tokens) == 1 && other(next) {
		return true
	}
	of := false
	for i := r.pos - 1; i >= 0; i-- {
		switch o := &r.units[i]; {
		case other(o):
			return of
		case o.has(kindValue), o.has(kindFilter), o.has(kindCountry), o.is("stop"), o.is("filler"):
		case o.is("of") && !o.is("group"):
			of = true
		default:
			return false
		}
	}
	return false
}

// ofWhom reads the owner of a figure. A name that is another name with a word before
// it is only a part of what that one counts: of "cancelled orders" the orders alone
// say nothing, and "cancelled" is a condition. A word that is no condition is told,
// never left out.
func (r *reader) ofWhom(u *unit, ids []string) {
	word, head := r.names.qualified(u, ids)
	switch {
	case !head:
	case len(word) == 0 || r.negated:
		r.doubt("a figure of what another figure counts")
	default:
		part := unit{tokens: u.tokens, meanings: word}
		if part.has(kindFilter) {
			r.named(&part)
			return
		}
		r.value(&part, false)
	}
}

// qualified reports whether a metric's name ends with the name of another thing that
// is counted, and returns the conditions that the words before it stand for.
func (n *Names) qualified(u *unit, ids []string) (word []meaning, head bool) {
	for _, cut := range cuttings(u.tokens) {
		named := n.byKey[cut[1]]
		if slices.ContainsFunc(named, func(m meaning) bool { return m.kind == kindMetric && slices.Contains(ids, m.id) }) {
			return nil, false // "unique buyers" are buyers
		}
		if !slices.ContainsFunc(named, func(m meaning) bool { return m.kind == kindMetric || m.kind == kindEntity }) {
			continue
		}
		head = true
		word = slices.DeleteFunc(slices.Clone(n.byKey[cut[0]]), func(m meaning) bool { return m.kind != kindValue && m.kind != kindFilter })
		if len(word) > 0 {
			return word, true
		}
	}
	return nil, head
}

// cuttings are the keys of the two parts of a name at each place where it can be cut,
// the longest end first.
func cuttings(tokens []token.Token) [][2]string {
	var out [][2]string
	if tokens[0].Kind == token.Han {
		text := []rune(keyOf(tokens))
		for i := 1; i < len(text); i++ {
			out = append(out, [2]string{string(text[:i]), string(text[i:])})
		}
		return out
	}
	for i := 1; i < len(tokens); i++ {
		out = append(out, [2]string{keyOf(tokens[:i]), keyOf(tokens[i:])})
	}
	return out
}

// ofAnother is the metric, read before this one, that 的 ties it to, with nothing but
// names of metrics between: 取消订单的成交额 asks for the value of those orders, not for
// two figures. Nil where there is none.
func (r *reader) ofAnother() *unit {
	before := r.around(-1)
	if before == nil || before.tokens[len(before.tokens)-1].Text != "的" || len(r.out.Intent.Select) == 0 {
		return nil
	}
	if len(before.tokens) == 1 { // 的 alone, and not at the end of a name
		before = r.around(-2)
	}
	if before == nil || !before.has(kindMetric) {
		return nil
	}
	return before
}

// nounOf reports whether a name is only the noun of the figure right before it: the
// buyers of 新注册买家 are those that are counted, and no second figure.
func (r *reader) nounOf(u *unit) bool {
	before := r.around(-1)
	if before == nil || !before.has(kindMetric) || !u.has(kindEntity) || u.tokens[0].Kind != token.Han || before.end() != u.start() {
		return false
	}
	m, known := r.names.layer.Metric(before.ids(kindMetric)[0])
	return known && counts(m)
}

// disown takes the owner of a figure out of what is asked for: 订单的 of 订单的成交额
// says no more than the metric does.
func (r *reader) disown(before *unit) {
	in := &r.out.Intent
	id := before.ids(kindMetric)[0]
	m, known := r.names.layer.Metric(id)
	last := len(in.Select) - 1
	if !known || in.Select[last] != plain(id) || !counts(m) || r.orderBy == id || r.ratioBy == id {
		r.doubt("a figure of what another figure counts")
		return
	}
	in.Select = slices.Delete(in.Select, last, last+1)
	r.ofWhom(before, before.ids(kindMetric))
}

// counts reports whether a metric is a number of things, which can own a figure: its
// unit is a plural, such as orders, and no currency.
func counts(m *semantic.Metric) bool { return !ratio(*m) && singular(m.Unit) != m.Unit }
