package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// defaultTop is how many of "the top sellers" are listed where no number is said.
const defaultTop = 10

// order settles the order and the limit. Without one that is asked for, time
// goes up and a metric goes down, so that an answer is always the same.
func (r *reader) order() {
	in := &r.out.Intent
	grain := in.Time != nil && in.Time.Grain != ""
	by := in.Select[0]
	if i := slices.IndexFunc(in.Select, func(o intent.Output) bool { return o.ID == r.orderBy && !derived(o) }); i >= 0 {
		by = in.Select[i]
	}
	if last := in.Select[len(in.Select)-1]; last.Agg == intent.AggRatio && r.orderBy == "" {
		by = last
	}
	words := r.sort
	if words == "" {
		words = r.super
	}
	if words != "" {
		by, words = r.byChange(by, words)
	}
	desc, known := r.descending(words, by.ID)
	if words != "" && !known {
		r.doubt("best or worst of a metric without a good direction")
	}
	if r.super != "" && len(in.GroupBy) == 0 && len(in.Segments) == 0 && !grain {
		r.doubt("a rank of nothing")
		return
	}
	switch {
	case words == "" && grain:
		in.OrderBy = []intent.Order{{By: intent.Output{Field: intent.Field{Kind: intent.KindTime, Grain: in.Time.Grain}}}}
		if len(in.GroupBy) > 0 {
			in.OrderBy = append(in.OrderBy, intent.Order{By: by, Desc: true})
		}
	case words == "" && len(in.GroupBy) > 0 && r.inOrder(in.GroupBy[0]):
		in.OrderBy = []intent.Order{{By: intent.Output{Field: in.GroupBy[0]}}}
	case len(in.GroupBy) > 0 || grain || len(in.Segments) > 0:
		in.OrderBy = []intent.Order{{By: by, Desc: desc}}
	}
	if r.super != "" && r.sort == "" && in.Limit == 0 {
		r.first(in)
	}
	if in.Limit > 0 && words == "" {
		r.doubt("a number of what")
	}
	r.ties(in)
	if in.Limit > 0 {
		if r.share == 0 { // a share is of all
			r.known(in)
		}
		r.perGroup(in)
	}
}

// byChange orders by the change where that is what is ranked: "which country grew
// the most".
func (r *reader) byChange(by intent.Output, words string) (intent.Output, string) {
	in := &r.out.Intent
	if in.Time == nil || in.Time.Compare == nil || !r.growth {
		return by, words
	}
	if r.ofFirst() {
		r.doubt("the first ones by the figure, or by its change")
	}
	changed := compareOf(by, intent.AggChange)
	if !r.absolute {
		changed = compareOf(by, intent.AggChangeRate)
		r.assume("ranked_by_rate")
	}
	if r.direction == "down" {
		words = map[string]string{"max": "min", "min": "max", "desc": "asc", "asc": "desc"}[words]
	}
	return changed, words
}

// ofFirst reports whether a change is asked for of the first ones: "growth of the top 5
// categories".
func (r *reader) ofFirst() bool {
	at := slices.IndexFunc(r.units, func(u unit) bool { return u.is("super") })
	if at < r.grew || r.grew == 0 || at+1 >= len(r.units) || r.units[at].tokens[0].Kind == token.Han {
		return false
	}
	next := &r.units[at+1]
	return next.number > 0 || next.has(kindDimension) || next.has(kindEntity)
}

// first limits a ranking without a number: one of them where one is asked for,
// the first ones of many things, all of a few.
func (r *reader) first(in *intent.Intent) {
	switch {
	case r.which && !r.many:
		in.Limit = 1
	case slices.ContainsFunc(in.GroupBy, func(f intent.Field) bool { return f.Kind == intent.KindEntity }) && (r.many || !r.which):
		in.Limit = defaultTop
		r.assume("top_ten")
	case !r.many:
		in.Limit = 1
	}
}

// perGroup makes "the top 3 categories in each country" three for each country.
func (r *reader) perGroup(in *intent.Intent) {
	grained := in.Time != nil && in.Time.Grain != ""
	if len(r.ranked) == 0 && grained && len(in.GroupBy) > 0 { // the best day of each
		in.LimitPer = slices.Clone(in.GroupBy)
		in.OrderBy = append(upwards(in.LimitPer), slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool {
			return slices.Contains(in.LimitPer, o.By.Field)
		})...)
		return
	}
	if len(r.ranked) == 0 {
		return
	}
	if in.Time != nil && in.Time.Grain != "" {
		in.LimitPer = append(in.LimitPer, intent.Field{Kind: intent.KindTime, Grain: in.Time.Grain})
	}
	for _, f := range in.GroupBy {
		if !slices.Contains(r.ranked, f) {
			in.LimitPer = append(in.LimitPer, f)
		}
	}
	var ranked []intent.Field
	for _, f := range in.GroupBy {
		if slices.Contains(r.ranked, f) {
			ranked = append(ranked, f)
		}
	}
	others := slices.DeleteFunc(slices.Clone(in.GroupBy), func(f intent.Field) bool { return slices.Contains(r.ranked, f) })
	in.GroupBy = slices.Concat(others, ranked) // each country, then its first ones
	if len(in.Country) > 1 && slices.Contains(in.LimitPer, byCountry) && !r.apart {
		r.doubt("one ranking, or one for each country")
	}
	in.OrderBy = append(upwards(in.LimitPer), slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool {
		return slices.Contains(in.LimitPer, o.By.Field)
	})...)
}

func upwards(fields []intent.Field) []intent.Order {
	var out []intent.Order
	for _, f := range fields {
		out = append(out, intent.Order{By: intent.Output{Field: f}})
	}
	return out
}

// known leaves rows without a value out of a ranking: "no brand" is no brand. A
// dimension with listed values has one in every row.
func (r *reader) known(in *intent.Intent) {
	for _, f := range in.GroupBy {
		if f.Kind != intent.KindDimension || f.ID == countryDimension {
			continue
		}
		if slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool {
			return Base(d.ID) == f.ID && len(d.Values) == 0 && d.Role != semantic.RoleTime
		}) {
			in.Filters = append(in.Filters, intent.Cond{Op: intent.NotNull, Left: &intent.Output{Field: f}})
		}
	}
}

// inOrder reports whether the values of a dimension have an order of their own.
func (r *reader) inOrder(f intent.Field) bool {
	return slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool { return Base(d.ID) == f.ID && d.Role == semantic.RoleTime })
}

// ties orders rows of equal rank by what they are grouped by.
func (r *reader) ties(in *intent.Intent) {
	if len(in.OrderBy) == 0 {
		return
	}
	fields := in.GroupBy
	if in.Time != nil && in.Time.Grain != "" {
		fields = append([]intent.Field{{Kind: intent.KindTime, Grain: in.Time.Grain}}, fields...)
	}
	for _, f := range fields {
		o := intent.Order{By: intent.Output{Field: f}}
		if !slices.Contains(in.OrderBy, o) {
			in.OrderBy = append(in.OrderBy, o)
		}
	}
}

// descending turns the words of an order into a direction; best and worst need
// to know whether more of the metric is better.
func (r *reader) descending(words, id string) (desc, known bool) {
	switch words {
	case "min", "asc":
		return false, true
	case "best", "worst":
		i := slices.IndexFunc(r.names.layer.Metrics, func(m semantic.Metric) bool { return m.ID == id })
		if i < 0 {
			return true, false
		}
		better := r.names.layer.Metrics[i].Better
		return (better == semantic.BetterHigh) == (words == "best"), better != ""
	}
	return true, true
}
