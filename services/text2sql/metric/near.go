package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// entityOf reports whether the unit at a distance is a value or a filter of an
// entity's table, or, before it, something that it is split by: 各等级会员.
func (r *reader) entityOf(by int, entity string) bool {
	u := r.around(by)
	if u == nil {
		return false
	}
	for _, e := range r.names.layer.Entities {
		if e.ID != entity {
			continue
		}
		for _, m := range u.meanings {
			of := intent.Cond{ID: m.id}
			if m.kind == kindValue || m.kind == kindDimension {
				of = intent.Cond{Left: &intent.Output{Field: intent.Field{ID: m.id}}}
			}
			if (m.kind == kindValue || m.kind == kindFilter || m.kind == kindDimension && by < 0) && r.within(of, e.Table) {
				return len(r.metrics()) > 0
			}
		}
	}
	return false
}

// beside reports whether a dimension is named next to this place.
func (r *reader) beside(dimension string) bool {
	for _, by := range []int{-1, 1} {
		if o := r.around(by); o != nil && slices.Contains(o.ids(kindDimension), dimension) {
			return true
		}
	}
	return false
}

// metrics are those that the whole question names, also after this place.
func (r *reader) metrics() []string {
	var out []string
	for i := range r.units {
		for _, id := range r.units[i].ids(kindMetric) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	for _, o := range r.out.Intent.Select {
		if !slices.Contains(out, o.ID) {
			out = append(out, o.ID)
		}
	}
	return out
}

// nearness says how close a dimension is to the metrics of the question: 3 in a
// table of theirs, 2 a join away, 1 in their mart, 0 elsewhere.
func (r *reader) nearness(dimension string) int {
	best := 0
	r.pairs(func(m semantic.Metric) {
		for _, d := range r.names.layer.Dimensions {
			if Base(d.ID) != dimension {
				continue
			}
			switch {
			case m.Table == d.Table:
				best = max(best, 3)
			case m.Mart == d.Mart:
				best = max(best, 1)
			}
			if _, ok := r.names.layer.Path(m.Table, d.Table, d.Via); ok {
				best = max(best, 2)
			}
		}
	})
	return best
}

// akin reports whether a dimension's id shares a word with a metric's: the reason
// of a refund is refund_reason.
func (r *reader) akin(dimension string) bool {
	const least = 5 // letters that "cancel" and "cancellation" share, and more
	for _, id := range r.metrics() {
		for _, a := range semantic.Words(id) {
			for _, b := range semantic.Words(dimension) {
				if len(a) >= least && len(b) >= least && a[:least] == b[:least] {
					return true
				}
			}
		}
	}
	return false
}

// reach says the same of an entity: its key is in a table of the metrics or it
// is not.
func (r *reader) reach(entity string) int {
	best := 0
	r.pairs(func(m semantic.Metric) {
		for _, e := range r.names.layer.Entities {
			if e.ID != entity {
				continue
			}
			if _, ok := r.names.layer.Path(m.Table, e.Table, e.Via); ok {
				best = 3
			}
		}
	})
	return best
}

// pairs visits every table's variant of the question's metrics.
func (r *reader) pairs(visit func(semantic.Metric)) {
	ids := r.metrics()
	for _, m := range r.names.layer.Metrics {
		if slices.Contains(ids, Base(m.ID)) {
			visit(m)
		}
	}
}

// labels reports whether a dimension holds the names of things, which need not
// tell them apart.
func (r *reader) labels(dimension string) bool {
	return slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool {
		return Base(d.ID) == dimension && d.Role == semantic.RoleLabel
	})
}
