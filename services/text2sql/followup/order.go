package followup

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// grain is how time is cut; empty: not.
func (a *applier) grain() string {
	if a.in.Time == nil {
		return ""
	}
	return a.in.Time.Grain
}

// limit keeps the first rows. Of rows in no order by a figure, the highest are the
// first; "bottom" turns the order.
func (a *applier) limit(e Edit) Why {
	in := a.in
	if len(in.GroupBy) == 0 && a.grain() == "" {
		return WhyNothingToCut
	}
	if e.Quality {
		desc, known := a.good(e.Desc)
		if !known {
			return WhyNoDirection
		}
		e.Desc = desc
	}
	in.Limit = e.N
	figure := slices.IndexFunc(in.OrderBy, a.figure)
	switch {
	case figure >= 0 && e.Direction:
		in.OrderBy[figure].Desc = e.Desc
	case figure >= 0:
	default:
		by := slices.IndexFunc(in.Select, func(o intent.Output) bool { return o.Kind == intent.KindMetric || o.Agg != intent.AggNone })
		if by < 0 {
			if e.Direction && len(in.OrderBy) == 0 {
				return WhyNothingToCut // the highest of what?
			}
			return ""
		}
		a.orderBy(intent.Order{By: in.Select[by], Desc: e.Desc})
	}
	return ""
}

// good turns best and worst into an order: of the figure that rows are ordered by, or
// else of the first one. known is false where nobody said what is good.
func (a *applier) good(best bool) (desc, known bool) {
	var id string
	for _, o := range a.in.Select {
		if o.Kind == intent.KindMetric {
			id = o.ID
			break
		}
	}
	if i := slices.IndexFunc(a.in.OrderBy, a.figure); i >= 0 {
		id = a.in.OrderBy[i].By.ID
	}
	m := a.over.Metrics[id]
	return m.High == best, m.High != m.Low
}

// bound keeps the rows whose figures meet a condition, in the place of an earlier one
// on the same figure.
func (a *applier) bound(e Edit) Why {
	in := a.in
	if len(in.GroupBy) == 0 && a.grain() == "" || in.Counted {
		return WhyNothingToCut
	}
	in.Having = slices.DeleteFunc(in.Having, func(c intent.Cond) bool { return c.Left != nil && *c.Left == *e.Cond.Left })
	in.Having = append(in.Having, *e.Cond)
	return ""
}

// moved keeps the rows of a comparison that went one way; of a ranking, the most of all
// first.
func (a *applier) moved(e Edit) Why {
	in := a.in
	at := func(agg intent.Agg) int {
		return slices.IndexFunc(in.Select, func(o intent.Output) bool { return o.Agg == agg })
	}
	change, rate := at(intent.AggChange), at(intent.AggChangeRate)
	if change < 0 || rate < 0 || len(in.GroupBy) == 0 {
		return WhyNotCompared
	}
	op := intent.Lt
	if e.Desc {
		op = intent.Gt
	}
	left := in.Select[change] // its own: what is shown is put together anew
	why := a.bound(Edit{Cond: &intent.Cond{Op: op, Left: &left, Values: []intent.Literal{{Text: "0", Number: true}}}})
	if why == "" && e.Direction {
		a.orderBy(intent.Order{By: in.Select[rate], Desc: e.Desc})
	}
	return why
}

// orderBy orders rows anew, but for the groups that each have their own first rows.
func (a *applier) orderBy(o intent.Order) {
	per := slices.DeleteFunc(slices.Clone(a.in.OrderBy), func(o intent.Order) bool { return !slices.Contains(a.in.LimitPer, o.By.Field) })
	a.in.OrderBy = slices.Concat(per, []intent.Order{o})
}

// eachCountry gives each of several countries first rows of its own.
func (a *applier) eachCountry() {
	in := a.in
	if in.Limit == 0 || len(in.Country) < 2 || len(in.GroupBy) < 2 || !slices.Contains(in.GroupBy, byCountry) || slices.Contains(in.LimitPer, byCountry) {
		return
	}
	in.LimitPer = append(in.LimitPer, byCountry)
	in.OrderBy = slices.Concat([]intent.Order{{By: intent.Output{Field: byCountry}}},
		slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return o.By.Field == byCountry }))
}

// figure reports whether an order is by a number.
func (a *applier) figure(o intent.Order) bool {
	return o.By.Kind == intent.KindMetric || o.By.Agg != intent.AggNone
}

// order changes what rows are ordered by; a metric that is not shown is shown then.
func (a *applier) order(e Edit) Why {
	in := a.in
	if e.Field.ID == "" {
		if len(in.OrderBy) == 0 {
			return WhyNothingToCut
		}
		in.OrderBy[0].Desc = !in.OrderBy[0].Desc
		if e.Direction {
			in.OrderBy[0].Desc = e.Desc
		}
		return ""
	}
	if len(in.GroupBy) == 0 && a.grain() == "" {
		return WhyNothingToCut
	}
	by := intent.Output{Field: e.Field}
	at := slices.IndexFunc(in.Select, func(o intent.Output) bool { return o.Field == e.Field })
	switch {
	case at >= 0:
		by = in.Select[at]
	case e.Field.Kind == intent.KindMetric:
		in.Select = append(in.Select, by)
	case !slices.Contains(in.GroupBy, e.Field):
		return WhyNotFiltered
	}
	a.orderBy(intent.Order{By: by, Desc: e.Desc})
	return ""
}

// settle makes the rest of the intent fit: its type, an order where there is none,
// and ties in a fixed order, as questions have them.
func (a *applier) settle() {
	in := a.in
	a.compared()
	grain := a.grain()
	if in.Type != intent.Complex {
		in.Type = in.Shape()
	}
	if len(in.GroupBy) == 0 && grain == "" {
		in.OrderBy, in.Limit, in.LimitPer = nil, 0, nil
		return
	}
	fields := slices.Clone(in.GroupBy)
	if grain != "" {
		fields = append([]intent.Field{{Kind: intent.KindTime, Grain: grain}}, fields...)
	}
	in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool {
		return !a.figure(o) && !slices.Contains(fields, o.By.Field)
	})
	if in.Limit == 0 && grain != "" && !slices.ContainsFunc(in.OrderBy, func(o intent.Order) bool { return o.By.Kind == intent.KindTime }) && !slices.ContainsFunc(in.OrderBy, a.figure) {
		in.OrderBy = nil
	}
	if len(in.OrderBy) == 0 {
		if grain != "" {
			in.OrderBy = []intent.Order{{By: intent.Output{Field: fields[0]}}}
		}
		if len(in.GroupBy) > 0 {
			in.OrderBy = append(in.OrderBy, intent.Order{By: in.Select[0], Desc: true})
		}
	}
	a.eachCountry()
	for _, f := range fields {
		if !slices.ContainsFunc(in.OrderBy, func(o intent.Order) bool { return o.By.Field == f }) {
			in.OrderBy = append(in.OrderBy, intent.Order{By: intent.Output{Field: f}})
		}
	}
}
