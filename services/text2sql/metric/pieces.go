package metric

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Pieces links the names and times of a text that is no whole question, as those of
// questions are linked: for follow-ups. Of what a name may stand for comes first what
// is nearest to the metrics of the intent before.
func (n *Names) Pieces(text string, prev *intent.Intent, dr *dates.Reader, now time.Time) []followup.Piece {
	r := reader{names: n, text: text, now: now, units: n.link(text, dr.Find(bare(text), now)), out: Reading{Intent: *prev}}
	r.out.Intent.Select = slices.Clone(prev.Select)
	var out []followup.Piece
	for i := 0; i < len(r.units); i++ {
		if bound, next, ok := r.boundAt(i); ok {
			out = append(out, followup.Piece{Start: r.units[i].start(), End: r.units[next-1].end(), Bound: &bound})
			i = next - 1
			continue
		}
		u := &r.units[i]
		p := followup.Piece{Start: u.start(), End: u.end(), Date: u.date}
		if u.date == nil && !u.glossed { // a guess is told of a whole question, and not made of a change
			for _, m := range u.meanings {
				p.Names = append(p.Names, followup.Name{Kind: followup.NameKind(m.kind), ID: m.id, Value: m.value})
			}
			slices.SortStableFunc(p.Names, func(a, b followup.Name) int { return r.near(b) - r.near(a) })
		}
		if p.Date != nil || len(p.Names) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// near says how close a name is to the metrics, as where questions are split by it.
func (r *reader) near(n followup.Name) int {
	switch n.Kind {
	case followup.Entity:
		return 4*r.reach(n.ID) - 2
	case followup.Dimension, followup.Value:
		near := 4 * r.nearness(n.ID)
		if r.akin(n.ID) {
			near++
		}
		if r.labels(n.ID) {
			near -= 4
		}
		return near
	}
	return 0
}

// boundAt reads a condition on the figures of the answer before, and the name of the
// figure behind it: "more than 50 orders". next is the place after it.
func (r *reader) boundAt(at int) (c intent.Cond, next int, ok bool) {
	p, found, taken := r.match(at)
	if p == nil || p.Says != "threshold" {
		return c, at, false
	}
	r.pos, r.last = at, at+taken
	r.threshold(found)
	t := r.thresholds[len(r.thresholds)-1]
	next = r.last
	left := r.shown(t.metric)
	if next < len(r.units) && t.metric == "" && r.units[next].has(kindMetric) {
		left = r.shown(r.units[next].ids(kindMetric)[0])
		next++
	}
	if !r.directs(&t, left.ID) {
		return c, at, false
	}
	percent := t.amounts[0].percent
	switch {
	case left.Agg == intent.AggShare && !percent, left.Agg != intent.AggShare && percent && !r.isPart(left.ID), r.isPart(left.ID) && !percent && t.amounts[0].value.IsInt():
		return c, at, false
	}
	c = intent.Cond{Op: t.op, Left: &left}
	for _, a := range t.amounts {
		c.Values = append(c.Values, intent.Literal{Text: a.text(), Number: true})
	}
	return c, next, true
}

// shown is a figure of the answer before: a metric as it is shown there, or as it is;
// the first one where none is named.
func (r *reader) shown(id string) intent.Output {
	for _, o := range r.out.Intent.Select {
		if o.Kind == intent.KindMetric && (id == "" || o.ID == id) {
			return o
		}
	}
	return plain(id)
}
