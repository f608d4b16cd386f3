package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// threshold is a condition on the numbers of a result.
type threshold struct {
	from, to int // positions of its units
	op       intent.Op
	amounts  []amount
	metric   string // that the counter behind the number names; empty: none
}

// anyThreshold reports whether some place of the question says one.
func (r *reader) anyThreshold() bool {
	for i := range r.units {
		if p, _, _ := r.match(i); p != nil && p.Says == "threshold" {
			return true
		}
	}
	return false
}

// threshold keeps a condition until all metrics are read.
func (r *reader) threshold(found []*unit) {
	t := threshold{from: r.pos, to: r.last, op: intent.Between}
	for _, u := range found {
		switch {
		case u.amount != nil:
			t.amounts = append(t.amounts, *u.amount)
		case u.is("cmp"):
			t.op = intent.Op(u.arg("cmp"))
		case u.is("post"):
			t.op = intent.Op(u.arg("post"))
		case u.is("counter"):
			t.metric = r.names.counted(u.tokens[0].Text)
		}
	}
	if t.metric != "" && !slices.Contains(r.metrics(), t.metric) {
		r.selectMetric(t.metric)
	}
	first, last := found[0], found[len(found)-1]
	whole := unit{tokens: slices.Concat(first.tokens, last.tokens)}
	r.thresholds = append(r.thresholds, t)
	r.span(&whole, "condition", string(t.op)+" "+t.amounts[0].text())
}

// conditions ties each threshold to a number of the result: the metric named
// right after it, or the nearest before. What is a part of the whole is compared
// with a percentage.
func (r *reader) conditions() {
	in := &r.out.Intent
	for _, t := range r.thresholds {
		grown := r.grew > 0 && t.from-r.grew >= 0 && t.from-r.grew <= 1
		left, ok := r.bounded(t)
		switch {
		case !ok:
			r.doubt("a condition on no metric")
			continue
		case !r.directs(&t, left.ID):
			r.doubt("better or worse of a metric without a good direction")
			continue
		case grown:
			agg := intent.AggChange
			if t.amounts[0].percent {
				agg = intent.AggChangeRate
			}
			for _, o := range in.Select {
				if o.ID == left.ID && o.Agg == agg {
					left = o
				}
			}
			if left.Agg != agg {
				r.doubt("a condition on a change that is not asked for")
			}
		case r.ratioID(left.ID) && r.isPart(left.ID):
			if !t.amounts[0].percent && t.amounts[0].value.IsInt() {
				r.doubt("a rate compared with a number that is no percentage")
			}
		case t.amounts[0].percent && in.Select[0].ID == left.ID && in.Select[0].Agg == intent.AggShare:
			left = in.Select[0]
		case t.amounts[0].percent:
			r.doubt("a percentage of what")
		case r.share > 0:
			r.doubt("a share compared with a number that is no percentage")
		default:
			for _, o := range in.Select {
				if o.ID == left.ID && o.Agg == intent.AggAvg {
					left = o
				}
			}
		}
		c := intent.Cond{Op: t.op, Left: &left}
		for _, a := range t.amounts {
			text := a.text()
			if grown && r.direction == "down" {
				text = "-" + text
			}
			c.Values = append(c.Values, intent.Literal{Text: text, Number: true})
		}
		if grown && r.direction == "down" {
			c.Op = c.Op.Turned()
			slices.Reverse(c.Values)
		}
		in.Having = append(in.Having, c)
		if up := r.direction != "down"; grown && (t.op == intent.Lt || t.op == intent.Le) { // what fell by less than 10 % fell
			still := intent.Cond{Op: map[bool]intent.Op{true: intent.Gt, false: intent.Lt}[up], Left: c.Left, Values: []intent.Literal{{Text: "0", Number: true}}}
			in.Having = append(in.Having, still)
		}
	}
	if len(in.Having) > 0 && len(in.GroupBy) == 0 && (in.Time == nil || in.Time.Grain == "") {
		r.doubt("a condition on one number")
	}
}

// directs turns "better than" and "worse than" into above and below of a metric; false
// where nobody said which of them is good.
func (r *reader) directs(t *threshold, id string) bool {
	if t.op != "best" && t.op != "worst" {
		return true
	}
	desc, known := r.descending(string(t.op), id)
	t.op = intent.Lt
	if desc {
		t.op = intent.Gt
	}
	return known
}

// bounded is the metric that a threshold is about.
func (r *reader) bounded(t threshold) (intent.Output, bool) {
	named := func(i int) (intent.Output, bool) {
		for _, id := range r.units[i].ids(kindMetric) {
			for _, o := range r.out.Intent.Select {
				if o.ID == id {
					return plain(id), true
				}
			}
		}
		return intent.Output{}, false
	}
	if t.metric != "" {
		return plain(t.metric), true
	}
	if t.to < len(r.units) {
		if u := &r.units[t.to]; (u.has(kindEntity) || u.has(kindDimension)) && !u.has(kindMetric) && r.units[t.to-1].amount != nil {
			return intent.Output{}, false // "more than 3 items": how many of them there are
		}
	}
	for i := t.to; i < len(r.units); i++ {
		if o, ok := named(i); ok {
			return o, true
		}
		if !r.units[i].idle() {
			break
		}
	}
	for i := t.from - 1; i >= 0; i-- {
		if o, ok := named(i); ok {
			return o, true
		}
	}
	if len(r.out.Intent.Select) > 0 {
		return plain(r.out.Intent.Select[0].ID), true
	}
	return intent.Output{}, false
}

// counted is the metric that counts with a Chinese counter: 单 of 多少单. Empty for
// none.
func (n *Names) counted(counter string) string {
	for _, m := range n.byKey["多少"+counter] {
		if m.kind == kindMetric {
			return m.id
		}
	}
	return ""
}

// isPart reports whether a metric is a fraction of one.
func (r *reader) isPart(id string) bool {
	m, ok := r.names.layer.Metric(id)
	return ok && (m.Unit == "ratio" || m.Unit == "%")
}

// listsSteps reports whether a unit of time names what is listed: "days with GMV
// over 1000", 成交额超过1000的天.
func (r *reader) listsSteps(u *unit) bool {
	if !r.filtered || r.pos > 0 && r.units[r.pos-1].amount != nil {
		return false
	}
	counted := r.besideCount()
	r.counts = r.counts || counted
	return counted || u.plural() || strings.ContainsAny(u.tokens[0].Text, "天日周月季年")
}

// headsCondition reports whether a name heads a condition on numbers: "buyers who
// placed more than 5 orders", 超过5单的买家. What follows the number at once is
// what it counts.
func (r *reader) headsCondition() bool {
	if !r.filtered {
		return false
	}
	for i := r.pos - 1; i >= 0; i-- {
		if u := &r.units[i]; u.tokens[0].Text != "的" && !u.has(kindCountry) && !u.has(kindValue) && u.date == nil && u.amount == nil && !u.is("counter") {
			break
		}
		for _, t := range r.thresholds {
			if t.to >= i-1 && t.to <= i {
				return true
			}
		}
	}
	for i := r.pos + 1; i < len(r.units); i++ {
		if p, _, _ := r.match(i); p != nil && p.Says == "threshold" {
			return true
		}
		if u := &r.units[i]; !u.idle() && !u.is("rel") && !u.is("which") && !u.is("light") && !u.is("request") && len(u.meanings) == 0 && u.date == nil {
			return false
		}
	}
	return false
}

// besideCount reports whether "how many" stands next to this place.
func (r *reader) besideCount() bool {
	for _, by := range []int{-1, 1} {
		if o := r.around(by); o != nil && o.is("count") {
			return true
		}
	}
	return r.pos == len(r.units)-1 && r.units[r.pos].tokens[0].Text == "天数"
}
