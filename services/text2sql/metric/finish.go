package metric

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// finish puts what was read together: what is counted, over which time, which
// countries, in which order and how many.
func (r *reader) finish() {
	in := &r.out.Intent
	r.counted()
	if r.negated {
		r.doubt("a negation of nothing")
	}
	if r.group && len(in.GroupBy) == 0 && r.super == "" && !r.which {
		r.doubt("a split by nothing")
	}
	if r.of != nil && len(in.GroupBy) == 0 && len(in.Select) == 1 && (r.share > 0 || r.super != "" || r.sort != "") {
		in.GroupBy = append(in.GroupBy, *r.of)
	}
	if r.worth && !slices.ContainsFunc(in.Select, func(o intent.Output) bool { return r.names.money(o.ID) }) {
		r.doubt("the value of what is counted")
	}
	r.choices()
	r.upToNow()
	r.period()
	r.datedBy()
	r.levels()
	r.comparison()
	r.places()
	r.countedThings()
	r.severalValues()
	r.segments()
	if r.compares && (len(in.GroupBy) == 0 && len(in.Segments) == 0 || r.besideOne()) {
		r.doubt("a comparison of what")
	}
	if intent.Impossible(in.Filters) != nil {
		r.doubt("conditions that exclude each other")
	}
	r.parts()
	r.means()
	r.changes()
	r.windows()
	r.conditions()
	r.ratio()
	r.sayDayTypes()
	in.Counted = r.counts && len(in.Having) > 0
	in.Type = in.Shape()
	if len(in.Select) > 0 {
		r.order()
	}
	r.told()
}

// besideOne reports whether only one of the things that are compared is named: those that
// are "higher than Vietnam" are not Vietnam itself.
func (r *reader) besideOne() bool {
	in := &r.out.Intent
	return slices.ContainsFunc(in.GroupBy, func(f intent.Field) bool {
		if f.ID == countryDimension {
			return len(in.Country) == 1
		}
		named := map[string]bool{}
		for _, v := range r.values {
			if v.dimension == f.ID {
				named[v.value] = true
			}
		}
		return len(named) == 1
	})
}

// told misses the verbs that tell figures apart where none of those they name was
// read: 取消 of 取消和退货的单.
func (r *reader) told() {
	for _, u := range r.telling {
		named := r.names.begins[lowers(u.tokens)]
		if !slices.ContainsFunc(r.out.Intent.Select, func(o intent.Output) bool { return slices.Contains(named, o.ID) }) {
			r.miss(u)
		}
	}
}

// counted finds what a question without a metric counts: the entity it names, or
// the one that its values describe.
func (r *reader) counted() {
	in := &r.out.Intent
	if len(in.Select) > 0 {
		if r.entity != "" {
			r.doubt("an entity that nothing is asked about")
		}
		return
	}
	entity := r.entity
	if entity == "" && r.count {
		entity = r.described()
	}
	if r.super != "" {
		r.out.Ranked = r.entity
		for _, f := range in.GroupBy {
			if f.Kind == intent.KindEntity {
				r.out.Ranked = f.ID
			}
		}
		return
	}
	if entity == "" || !r.count && r.share == 0 {
		return
	}
	if id := r.countOf(entity); id != "" {
		r.selectMetric(id)
	}
}

// described is the entity whose table holds all dimensions that are filtered on.
func (r *reader) described() string {
	for _, e := range r.names.layer.Entities {
		fits := 0
		for _, f := range r.out.Intent.Filters {
			if r.within(f, e.Table) {
				fits++
			}
		}
		if fits > 0 && fits == len(r.out.Intent.Filters) {
			return e.ID
		}
	}
	return ""
}

func (r *reader) within(f intent.Cond, table string) bool {
	if f.Left != nil {
		return slices.ContainsFunc(r.names.layer.Dimensions, func(d semantic.Dimension) bool { return Base(d.ID) == f.Left.ID && d.Table == table })
	}
	return slices.ContainsFunc(r.names.layer.Filters, func(x semantic.Filter) bool { return x.ID == f.ID && x.Table == table })
}

// period settles the grain, and gives "weekly, past 8 weeks" full weeks.
func (r *reader) period() {
	in := &r.out.Intent
	if r.trend && r.back == "" && r.base == nil && !r.changed() && (in.Time == nil || in.Time.Grain == "") && !r.hour && len(in.GroupBy) == 0 {
		r.time().Grain = "day"
		if r.dated != nil && r.dated.N > 1 && (r.dated.Unit == "month" || r.dated.Unit == "year") {
			r.time().Grain = "month"
		}
	}
	if r.dated != nil && in.Time.Grain != "" && r.dated.Unit == in.Time.Grain && in.Time.Grain != "day" && !r.dated.Full {
		from, to := r.dated.Calendar(r.now)
		r.setRange(from, to, r.dated.Text)
		r.assume("full_periods")
	}
	if r.hour {
		r.hours()
	}
}

// upToNow ends what accumulates with yesterday where no time is named.
func (r *reader) upToNow() {
	if r.dated == nil && len(spans(r.names.layer, &r.out.Intent)) > 0 {
		today := dates.Today(r.now)
		r.dated = &dates.Found{To: today}
		r.setRange(time.Time{}, today, "")
	}
}

// levels shows day by day what is a number of each day by its name, and finds the
// day of the highest or lowest where nothing else is ranked.
func (r *reader) levels() {
	in := &r.out.Intent
	if r.grained() || r.perUnit != "" || r.average > 0 || r.share > 0 || len(in.Select) == 0 || r.dated != nil && length(*r.dated) == 1 {
		return
	}
	level := false
	for _, o := range in.Select {
		m, ok := r.names.layer.Metric(o.ID)
		level = level || ok && m.Additivity == semantic.SemiAdditive && m.OverTime == ""
	}
	if !level {
		return
	}
	if r.dated != nil && r.super != "" && len(in.GroupBy) == 0 || r.calledDaily() {
		r.time().Grain = "day"
		r.assume("level_by_day")
	}
}

// calledDaily reports whether a metric is called daily in the question, or by the layer
// itself: "DAU" is short for it.
func (r *reader) calledDaily() bool {
	daily := func(name string) bool {
		return strings.HasPrefix(strings.ToLower(name), "daily ") || strings.HasPrefix(name, "每日") || strings.HasPrefix(name, "每天")
	}
	return slices.ContainsFunc(r.units, func(u unit) bool {
		return u.has(kindMetric) && (u.tokens[0].Lower == "daily" || strings.HasPrefix(u.tokens[0].Text, "每日"))
	}) || slices.ContainsFunc(r.out.Intent.Select, func(o intent.Output) bool {
		m, ok := r.names.layer.Metric(o.ID)
		return ok && m.Additivity == semantic.SemiAdditive && (daily(m.Names.EN) || daily(m.Names.ZH))
	})
}

// hours groups by the dimension that is the hour of a row's time: rows of a day
// cannot be cut finer.
func (r *reader) hours() {
	var best string
	at := 0
	for _, d := range r.names.layer.Dimensions {
		if d.Role == semantic.RoleTime && strings.HasPrefix(strings.ToLower(d.Expr), "hour(") {
			if near := r.nearness(Base(d.ID)); near > at {
				best, at = Base(d.ID), near
			}
		}
	}
	if best == "" {
		r.time().Grain = "hour" // writing finds out whether rows have hours
		return
	}
	f := intent.Field{Kind: intent.KindDimension, ID: best}
	if !slices.Contains(r.out.Intent.GroupBy, f) {
		r.out.Intent.GroupBy = append(r.out.Intent.GroupBy, f)
	}
}

var byCountry = intent.Field{Kind: intent.KindDimension, ID: countryDimension}

// places settles the countries: several that are named are shown one by one,
// those left out leave the others.
func (r *reader) places() {
	in := &r.out.Intent
	in.AllCountries = r.all
	if len(r.excluded) > 0 {
		if len(in.Country) > 0 {
			r.doubt("countries named and left out")
		}
		for _, c := range r.names.layer.Countries {
			if !slices.Contains(r.excluded, c.Code) {
				in.Country = append(in.Country, c.Code)
			}
		}
		return
	}
	if len(in.Country) > 1 && !r.together && !slices.Contains(in.GroupBy, byCountry) {
		in.GroupBy = append([]intent.Field{byCountry}, in.GroupBy...)
	}
	if r.all && len(in.Country) > 0 && r.share == 0 {
		r.doubt("all countries and one of them")
	}
}

// severalValues shows several values of a dimension one by one.
func (r *reader) severalValues() {
	in := &r.out.Intent
	for _, f := range in.Filters {
		if f.Op != intent.In || f.Left == nil || differing(f.Values) < 2 || r.together || r.either() {
			continue
		}
		if r.both {
			r.doubt("what has both, or each of them")
		}
		by := intent.Field{Kind: intent.KindDimension, ID: f.Left.ID}
		if !slices.Contains(in.GroupBy, by) {
			in.GroupBy = append(in.GroupBy, by)
		}
	}
}

// either reports whether values are joined by "or" where nothing sets them against
// each other: "orders of gold or platinum members" is one number.
func (r *reader) either() bool {
	or := false
	for i := range r.units {
		u := &r.units[i]
		switch {
		case u.is("or") && i > 0 && i+1 < len(r.units) && r.units[i-1].has(kindValue) && r.units[i+1].has(kindValue):
			or = true
		case u.is("more"), u.is("super"), u.is("which"), u.is("which_many"), u.is("versus"), u.is("apart"), u.is("cmp"), u.is("sort"), u.is("group"), u.is("share"), u.is("growth"):
			return false
		}
	}
	return or
}

// segments shows named filters that are listed one by one: no row need be in all
// of them.
func (r *reader) segments() {
	in := &r.out.Intent
	if len(r.filters) < 2 {
		return
	}
	for i, at := range r.filters[1:] {
		between := r.units[r.filters[i]+1 : at]
		listed := slices.ContainsFunc(between, func(u unit) bool { return u.is("and") || u.is("or") || u.is("versus") })
		if !listed && !strings.ContainsAny(r.text[r.units[r.filters[i]].end():r.units[at].start()], ",，、/") {
			return
		}
	}
	if r.together || len(in.GroupBy) > 0 && r.super != "" {
		r.doubt("several conditions: all of them, or each")
		return
	}
	in.Filters = slices.DeleteFunc(in.Filters, func(c intent.Cond) bool {
		segment := c.Op == intent.Named && slices.ContainsFunc(r.filters, func(at int) bool { return slices.Contains(r.units[at].ids(kindFilter), c.ID) })
		if segment {
			in.Segments = append(in.Segments, c)
		}
		return segment
	})
	r.compares = false
}

// parts settles a share: of each group in the whole, or, where a value is
// named, of that value.
func (r *reader) parts() {
	in := &r.out.Intent
	if r.measuresChange() {
		r.share = 0
	}
	if r.shareInName() {
		r.doubt("a share of what in a place, or of the place")
	}
	if r.share == 0 || len(in.Select) == 0 {
		return
	}
	if len(in.Select) > 1 {
		r.doubt("a share of several metrics")
	}
	for i := range r.names.layer.Metrics {
		m := &r.names.layer.Metrics[i]
		if m.ID == in.Select[0].ID && ratio(*m) {
			r.doubt("a share of a ratio")
		}
	}
	in.Select[0].Agg = intent.AggShare
	if n := len(r.eachOf); n > 0 && len(in.GroupBy) > 1 { // "by category in each country"
		in.ShareOf = r.eachOf
		if n == len(in.GroupBy) {
			r.doubt("a share of each, or of all")
		}
	}
	named := len(r.values) > 0 && slices.ContainsFunc(r.values, func(v readValue) bool { return v.pos+1 == r.share-1 || v.pos+2 == r.share-1 && r.joins(v.pos+1) })
	switch {
	case len(r.denied) == 1 && len(r.filters) == 0 && len(r.values) == 0 && len(in.GroupBy) == 0:
		in.Part = r.denied[0]
	case len(r.denied) > 0:
		r.doubt("a share with conditions")
	case len(r.filters) == 1 && len(in.Segments) == 0 && len(in.GroupBy) == 0:
		if len(r.values) > 0 {
			r.doubt("a share of what has both, in what")
		}
		for _, c := range in.Filters {
			if c.Op == intent.Named && slices.Contains(r.units[r.filters[0]].ids(kindFilter), c.ID) {
				in.Part = c.ID
			}
		}
	case len(r.filters) > 0:
		r.doubt("a share with conditions")
	case len(r.values) > 0 && (len(in.GroupBy) == 0 || named):
		r.figureOfItsOwn()
		in.Part = r.values[len(r.values)-1].dimension
		if named {
			for _, v := range r.values {
				if v.pos < r.share-1 {
					in.Part = v.dimension
				}
			}
		}
	case len(in.GroupBy) == 0 && len(in.Country) == 1:
		if r.withinOrAcross() {
			r.doubt("a share of what in a place, or of the place")
		}
		in.Part = countryDimension
		r.addValue(countryDimension, in.Country[0], intent.In)
		in.Country, in.AllCountries = nil, true
	case len(in.GroupBy) == 0:
		r.doubt("a share of nothing")
	}
}

// joins reports whether the unit at a place is a word such as "的" or "'s".
func (r *reader) joins(at int) bool {
	return at < len(r.units) && len(r.units[at].meanings) == 0 && r.units[at].date == nil
}

// choices applies what the asker chose.
func (r *reader) choices() {
	if r.chosen.Back != "" && r.back == "" {
		r.back, r.versus = r.chosen.Back, true
	}
	if unit := r.chosen.Period; unit != "" && r.dated == nil {
		f := dates.Found{Unit: unit, N: 1, Period: unit}
		f.From, f.To = f.Calendar(r.now)
		r.dated = &f
		r.setRange(f.From, f.To, "")
	}
}
