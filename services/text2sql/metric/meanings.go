package metric

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// name decides between the meanings of a name. After "by" it is a dimension, a
// country is one unless it is grouped by, and a metric comes before the rest.
func (r *reader) name(u *unit) {
	if m, ok := u.of(kindDimension); ok && (r.group || !hasKind(u, kindMetric)) {
		if !hasKind(u, kindCountry) && !hasKind(u, kindValue) || r.group {
			r.dimension(u, m)
			return
		}
	}
	if m, ok := u.of(kindCountry); ok {
		if r.negated {
			r.out.Doubts = append(r.out.Doubts, "all countries but one")
			r.miss(u)
			return
		}
		if !slices.Contains(r.out.Intent.Country, m.id) {
			r.out.Intent.Country = append(r.out.Intent.Country, m.id)
		}
		r.span(u, "value", "country "+m.id)
		return
	}
	if m, ok := u.of(kindMetric); ok {
		r.metric(u, m)
		return
	}
	for _, k := range []kind{kindExclusion, kindFilter} {
		if m, ok := u.of(k); ok {
			if k == kindFilter && r.negated {
				r.out.Doubts = append(r.out.Doubts, "a named filter turned around")
			}
			r.out.Intent.Filters = append(r.out.Intent.Filters, intent.Cond{Op: intent.Named, ID: m.id})
			r.negated = false
			r.span(u, "filter", string(k)+" "+m.id)
			return
		}
	}
	if m, ok := u.of(kindValue); ok {
		r.value(u, m)
	}
}

func hasKind(u *unit, k kind) bool {
	return slices.ContainsFunc(u.meanings, func(m meaning) bool { return m.kind == k })
}

func (r *reader) metric(u *unit, m meaning) {
	var ids []string
	for _, x := range u.meanings {
		if x.kind == kindMetric && !slices.Contains(ids, x.id) && x.own == m.own {
			ids = append(ids, x.id)
		}
	}
	if len(ids) > 1 {
		r.out.Choice = ids
	}
	id := m.id
	if !m.own {
		id = m.exact // the variant was named by its own words
	}
	out := intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
	if !slices.Contains(r.out.Intent.Select, out) {
		r.out.Intent.Select = append(r.out.Intent.Select, out)
	}
	r.span(u, "metric", "metric "+id)
	r.group = false
}

func (r *reader) dimension(u *unit, m meaning) {
	// "category Mobile" names the dimension of the value that follows.
	if r.pos+1 < len(r.units) && !r.group {
		if v, ok := r.units[r.pos+1].of(kindValue); ok && v.id == m.id {
			return
		}
	}
	if r.pos > 0 && !r.group {
		if v, ok := r.units[r.pos-1].of(kindValue); ok && v.id == m.id {
			return
		}
	}
	f := intent.Field{Kind: intent.KindDimension, ID: m.id}
	if !slices.Contains(r.out.Intent.GroupBy, f) {
		r.out.Intent.GroupBy = append(r.out.Intent.GroupBy, f)
	}
	r.span(u, "dimension", "by "+m.id)
	// "by category and platform": an "and" that follows goes on grouping.
	r.group = r.group && r.pos+1 < len(r.units) && r.units[r.pos+1].is("and")
}

// value adds a condition; more values of a dimension widen it. Where several
// dimensions hold the value, those that the metrics have come first.
func (r *reader) value(u *unit, _ meaning) {
	var m meaning
	best := -1
	for _, x := range u.meanings {
		if x.kind != kindValue {
			continue
		}
		if near := r.nearness(x.exact); near > best {
			best, m = near, x
		}
	}
	op := intent.In
	if r.negated {
		op = intent.NotIn
	}
	r.negated = false
	r.span(u, "value", m.id+" = "+m.value)
	lit := intent.Literal{Text: m.value}
	for i := range r.out.Intent.Filters {
		c := &r.out.Intent.Filters[i]
		if c.Op == op && c.Left != nil && c.Left.ID == m.id {
			if !slices.Contains(c.Values, lit) {
				c.Values = append(c.Values, lit)
			}
			return
		}
	}
	r.out.Intent.Filters = append(r.out.Intent.Filters, intent.Cond{
		Op: op, Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: m.id}}, Values: []intent.Literal{lit},
	})
}

// nearness says how close a dimension is to the metrics read so far: in a table
// of theirs, in their mart, or elsewhere.
func (r *reader) nearness(dimension string) int {
	best := 0
	for _, d := range r.names.layer.Dimensions {
		if d.ID != dimension {
			continue
		}
		for _, o := range r.metrics() {
			for _, m := range r.names.layer.Metrics {
				switch {
				case Base(m.ID) != Base(o):
				case m.Table == d.Table:
					best = max(best, 2)
				case m.Mart == d.Mart:
					best = max(best, 1)
				}
			}
		}
	}
	return best
}

// metrics are those that the whole question names, also after this place.
func (r *reader) metrics() []string {
	var out []string
	for i := range r.units {
		if m, ok := r.units[i].of(kindMetric); ok {
			out = append(out, m.id)
		}
	}
	return out
}

// finish gives the intent its type, order and limit.
func (r *reader) finish() {
	in := &r.out.Intent
	if r.trend {
		if in.Time == nil {
			in.Time = &intent.Time{}
		}
		if in.Time.Grain == "" {
			in.Time.Grain = "day"
		}
	}
	grain := in.Time != nil && in.Time.Grain != ""
	if len(in.Country) > 1 {
		f := intent.Field{Kind: intent.KindDimension, ID: "country"}
		if !slices.Contains(in.GroupBy, f) {
			in.GroupBy = append([]intent.Field{f}, in.GroupBy...)
		}
	}
	in.Type = intent.Basic
	switch {
	case grain:
		in.Type = intent.Trend
	case len(in.GroupBy) > 0:
		in.Type = intent.Dimension
	}
	if len(in.Select) == 0 {
		return
	}
	if r.desc != nil {
		switch {
		case len(in.GroupBy) == 0 && !grain:
			r.out.Doubts = append(r.out.Doubts, "a rank of nothing")
		default:
			if in.Limit == 0 {
				in.Limit = 1
			}
			in.OrderBy = []intent.Order{{By: in.Select[0], Desc: *r.desc}}
		}
		return
	}
	if grain {
		in.OrderBy = []intent.Order{{By: intent.Output{Field: intent.Field{Kind: intent.KindTime, Grain: in.Time.Grain}}}}
		return
	}
	if len(in.GroupBy) > 0 {
		in.OrderBy = []intent.Order{{By: in.Select[0], Desc: true}}
	}
}
