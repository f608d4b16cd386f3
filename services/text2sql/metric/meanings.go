package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// name decides between the meanings of a name. Where something to group by is
// expected it is that; a country comes before the rest, then a metric.
func (r *reader) name(u *unit) {
	expected := r.group
	r.group = false
	switch {
	case u.has(kindDate) && r.meansDate(u, expected):
		r.dateNamed(u, expected)
	case !expected && r.saysRole(u):
		r.span(u, "dimension", "role of the value beside it")
	case expected && !r.negated && (u.has(kindDimension) || u.has(kindEntity)) && !r.ranksBy(u) && !r.objectOf(u):
		r.split(u)
	case u.has(kindCountry):
		r.apart = r.apart || expected && r.each
		r.country(u)
	case u.has(kindMetric) && !(u.has(kindEntity) && r.ranksEntities(u)):
		r.metric(u, expected)
	case u.has(kindExclusion), u.has(kindFilter):
		r.named(u)
	case u.has(kindValue) && !((u.has(kindEntity) || u.has(kindDimension)) && (r.countsThis() || r.headsCondition() || !r.nearValue(u))):
		r.value(u, expected)
	case u.has(kindEntity):
		r.thing(u)
	case u.has(kindDimension):
		if !r.besideValue(u) {
			r.split(u)
		}
	}
}

func (u *unit) ids(k kind) []string {
	var out []string
	for _, m := range u.meanings {
		if m.kind == k && !slices.Contains(out, m.id) {
			out = append(out, m.id)
		}
	}
	return out
}

func (r *reader) country(u *unit) {
	code := u.ids(kindCountry)[0]
	if r.negated {
		r.excluded = append(r.excluded, code)
		r.span(u, "value", "not country "+code)
		r.negated = r.listed()
		return
	}
	if !slices.Contains(r.out.Intent.Country, code) {
		r.out.Intent.Country = append(r.out.Intent.Country, code)
	}
	r.countries = r.pos + 1
	r.span(u, "value", "country "+code)
}

func (r *reader) metric(u *unit, grouped bool) {
	ids := u.ids(kindMetric)
	if r.owner(ids) {
		r.ofWhom(u, ids)
		return
	}
	if r.nounOf(u) {
		return
	}
	if u.meanings[0].part {
		ids = r.kin(ids)
		r.assume("part_of_name")
	}
	if before := r.ofAnother(); before != nil {
		r.disown(before)
	}
	if prev := r.around(-1); grouped && !r.each && prev != nil && prev.arg("group") == "by" && len(r.out.Intent.Select) > 0 && r.super == "" && r.sort == "" && u.meanings[0].of == "" {
		r.doubt("a figure split by another figure")
	}
	if len(ids) > 1 {
		r.out.Choice = ids
	}
	id := ids[0]
	if r.superlative(u) { // "best-selling", "delivered the most parcels"
		r.super, r.group, r.sorting = "max", true, true
	}
	if prev := r.around(-1); r.sorting && r.orderBy == "" || r.super != "" && prev != nil && prev.arg("group") == "by" { // "the biggest sellers by GMV"
		r.orderBy = id
	}
	r.sorting = false
	out := intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
	if !slices.Contains(r.out.Intent.Select, out) {
		r.out.Intent.Select = append(r.out.Intent.Select, out)
	}
	r.span(u, "metric", "metric "+id)
	for _, m := range u.meanings {
		if f, ok := r.field(m.of); ok && m.kind == kindMetric && m.of != countryDimension { // 各类目成交额
			r.of = &f
			if grouped {
				r.groupBy(u, f)
				grouped = false
			}
		}
	}
	if grouped && r.each || r.divides {
		r.ratioBy, r.divides = id, false
	}
}

// kin are the metrics among several in whose mart another metric of the question
// is; all where none is.
func (r *reader) kin(ids []string) []string {
	marts := map[string]bool{}
	for i := range r.units {
		for _, m := range r.units[i].meanings {
			if x, ok := r.names.layer.Metric(m.id); ok && m.kind == kindMetric && !m.part {
				marts[x.Mart] = true
			}
		}
	}
	near := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		m, ok := r.names.layer.Metric(id)
		return !ok || !marts[m.Mart]
	})
	if len(near) == 0 {
		return ids
	}
	return near
}

// superlative reports whether a name says that it is the first ones.
func (r *reader) superlative(u *unit) bool {
	for i, t := range u.tokens {
		if (r.names.words.is(t.Lower, "super") || strings.Contains(t.Text, "最")) && (i == 0 || u.tokens[i-1].Lower != "at") {
			return true
		}
	}
	return false
}

// field is the dimension or entity of an id.
func (r *reader) field(id string) (intent.Field, bool) {
	for _, e := range r.names.layer.Entities {
		if e.ID == id {
			return intent.Field{Kind: intent.KindEntity, ID: id}, true
		}
	}
	for _, d := range r.names.layer.Dimensions {
		if d.ID == id {
			return intent.Field{Kind: intent.KindDimension, ID: id}, true
		}
	}
	return intent.Field{}, false
}

func (r *reader) named(u *unit) {
	k := kindExclusion
	if !u.has(k) || r.negated && u.has(kindFilter) {
		k = kindFilter
	}
	id := u.ids(k)[0]
	c := intent.Cond{Op: intent.Named, ID: id}
	if r.negated && k == kindFilter {
		c = intent.Cond{Op: intent.Not, Args: []intent.Cond{c}}
	}
	r.out.Intent.Filters = append(r.out.Intent.Filters, c)
	switch {
	case c.Op == intent.Named && k == kindFilter:
		r.filters = append(r.filters, r.pos)
	case c.Op == intent.Not:
		r.denied = append(r.denied, id)
	}
	r.negated = r.negated && r.listed()
	r.span(u, "filter", string(k)+" "+id)
}

// ranksEntities reports whether the question ranks the things of a name by
// another metric: "customers with the highest GMV".
func (r *reader) ranksEntities(u *unit) bool {
	if r.headsCondition() {
		return slices.ContainsFunc(r.metrics(), func(id string) bool { return !slices.Contains(u.ids(kindMetric), id) })
	}
	if r.countsThis() {
		return false
	}
	ranks, other := false, false
	for i := range r.units {
		o := &r.units[i]
		ranks = ranks || o.is("super")
		other = other || i != r.pos && o.has(kindMetric) && !slices.Equal(o.ids(kindMetric), u.ids(kindMetric))
	}
	return ranks && other
}

// ranksBy reports whether a name is the figure that what was named before is ranked
// by: "the top sellers by items sold".
func (r *reader) ranksBy(u *unit) bool {
	prev := r.around(-1)
	return u.has(kindMetric) && prev != nil && prev.arg("group") == "by" && r.super != "" && len(r.out.Intent.GroupBy) > 0
}

// objectOf reports whether an entity is what the figure before it counts, of what was
// named before: "which sellers sold the most items"; or of people that are not named:
// "who sold the most items".
func (r *reader) objectOf(u *unit) bool {
	prev := r.around(-1)
	if prev == nil || !prev.has(kindMetric) || !r.superlative(prev) {
		return false
	}
	if len(r.out.Intent.GroupBy) == 0 && !slices.ContainsFunc(r.units[:r.pos], func(o unit) bool { return o.is("who") }) {
		return false
	}
	return slices.ContainsFunc(prev.ids(kindMetric), func(id string) bool {
		m, ok := r.names.layer.Metric(id)
		return ok && slices.ContainsFunc(r.names.layer.Entities, func(e semantic.Entity) bool {
			return slices.Contains(u.ids(kindEntity), e.ID) && strings.HasPrefix(r.names.keyOf(m.Names.EN), r.names.keyOf(e.Names.EN)+" ")
		})
	})
}

// countsThis reports whether "how many" stands before this place.
func (r *reader) countsThis() bool {
	prev := r.around(-1)
	return prev != nil && prev.is("count")
}

// thing is an entity named where nothing says that it is grouped by.
func (r *reader) thing(u *unit) {
	id := u.ids(kindEntity)[0]
	counted := r.countsThis()
	if !r.headsCondition() && (r.entityOf(-1, id) || r.entityOf(1, id)) {
		return // "female users": the value says which
	}
	ranks := slices.ContainsFunc(r.units, func(o unit) bool { return o.is("super") || o.is("sort") || o.is("which_many") })
	switch {
	case r.headsCondition():
		r.split(u)
	case r.objectOf(u):
		r.span(u, "metric", "what is counted")
	case counted && r.countOf(id) != "":
		r.selectMetric(r.countOf(id))
		r.span(u, "metric", "number of "+id)
	case len(r.metrics()) == 0:
		r.entity = id
		r.span(u, "entity", id)
	case ranks || u.plural():
		r.split(u)
	default:
		r.miss(u)
	}
}

func (r *reader) selectMetric(id string) {
	out := intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
	if !slices.Contains(r.out.Intent.Select, out) {
		r.out.Intent.Select = append(r.out.Intent.Select, out)
	}
}

// countOf is the metric that counts the rows of an entity's table, empty where
// the layer has none.
func (r *reader) countOf(entity string) string {
	for _, e := range r.names.layer.Entities {
		if e.ID != entity {
			continue
		}
		for _, m := range r.names.layer.Metrics {
			if m.Table == e.Table && m.Time == "" && len(m.DefaultFilters) == 0 && countsKey(m.Expr, e.Key) {
				return Base(m.ID)
			}
		}
	}
	return ""
}

// split groups by the dimension or entity of a name that is nearest to the
// metrics. An entity wins over the column that merely holds its name.
func (r *reader) split(u *unit) {
	best, at, same := intent.Field{}, -10, false
	for _, m := range u.meanings {
		var f intent.Field
		var near int
		switch m.kind {
		case kindDimension:
			f = intent.Field{Kind: intent.KindDimension, ID: m.id}
			near = 4 * r.nearness(m.id)
			if r.akin(m.id) {
				near++
			}
			if r.labels(m.id) {
				near -= 4
			}
		case kindEntity:
			f = intent.Field{Kind: intent.KindEntity, ID: m.id}
			near = 4*r.reach(m.id) - 2
		default:
			continue
		}
		if near == at && f != best {
			same = true
		}
		if near > at {
			best, at, same = f, near, false
		}
	}
	if same && at > 0 {
		r.doubt("a name with several meanings: " + r.text[u.start():u.end()])
	}
	r.many = r.many || u.plural()
	r.groupBy(u, best)
}

func (r *reader) groupBy(u *unit, f intent.Field) {
	if !slices.Contains(r.out.Intent.GroupBy, f) {
		r.out.Intent.GroupBy = append(r.out.Intent.GroupBy, f)
	}
	if r.ranks && !u.is("each_country") || u.is("each_country") && r.asksOne(u) {
		r.ranked = append(r.ranked, f)
	}
	if r.filtered && r.besideCount() {
		r.counts = true
	}
	if r.each || u.is("each_country") {
		r.eachOf = append(r.eachOf, f)
	}
	r.span(u, "dimension", "by "+f.ID)
	r.group = r.listed() // "by category and platform"
	r.sorting = r.sorting && r.super != ""
}
