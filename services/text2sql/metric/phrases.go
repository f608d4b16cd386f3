package metric

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// phrase does what the words of metric questions say; false for other words.
func (r *reader) phrase(u *unit) bool {
	switch {
	case u.is("share"):
		if prev := r.around(-1); r.share == 0 || prev != nil && len(dimensionsOf(prev)) > 0 {
			r.share = r.pos + 1
		}
	case u.is("all_countries"):
		r.all = true
		r.span(u, "value", "all countries")
	case u.is("together"):
		r.together = true
	case u.is("each_country"):
		r.which = r.which || r.asksOne(u)
		r.many = r.many || u.plural() || strings.HasPrefix(u.tokens[0].Text, "哪些")
		r.groupBy(u, intent.Field{Kind: intent.KindDimension, ID: countryDimension})
	case u.is("sort"):
		if arg := u.arg("sort"); arg != "" {
			r.sort = arg
		}
		r.sorting = true
		r.span(u, "order", "sort")
	case u.is("super"):
		r.super = u.arg("super")
		r.sorting = !r.ranksBefore(u)
		r.expect(false, true)
		r.span(u, "order", "rank")
	case u.is("place"):
		next := r.around(1)
		if next == nil || next.number == 0 {
			return u.arg("place") == "min"
		}
		r.super = u.arg("place")
		r.sorting = !r.ranksBefore(u)
		r.expect(false, true)
		r.span(u, "order", "rank")
	case u.is("which"):
		r.which = true
		r.expect(false, true)
	case u.is("which_many"):
		r.many = true
		r.expect(false, true)
	case u.is("which_time"):
		r.which = true
		r.many = r.many || u.plural() || strings.HasPrefix(u.tokens[0].Text, "哪些") || strings.HasPrefix(u.tokens[0].Text, "哪几")
		r.grain(u, u.arg("which_time"))
	case u.is("count"):
		r.count = true
	case u.is("per_unit"):
		r.perUnit = u.arg("per_unit")
		r.span(u, "metric", "average by "+r.perUnit)
	case u.is("worth"):
		r.worth = true
	case u.is("each_unit"):
		r.eachUnit = u.arg("each_unit")
	case u.is("growth"):
		r.grows(u)
	case u.is("more"):
		return r.moreThan(u)
	case u.is("versus"):
		r.versus, r.compares = true, true
	case u.is("apart"):
		r.apart = true
	case u.is("cumulative"):
		r.cumulative, r.steps = true, u.arg("cumulative")
		r.span(u, "metric", "cumulative")
	case u.is("hour_of_day"):
		r.hour = true
		r.span(u, "dimension", "by hour")
	case u.is("unit"):
		if !r.group && !r.listsSteps(u) {
			return false
		}
		r.grain(u, u.arg("unit"))
	case u.is("trend"):
		r.trend, r.moving = true, r.moving || u.arg("trend") == "moving"
	case u.is("between"): // "compare orders between Singapore and Malaysia"
		next := r.after()
		if next == nil || len(next.meanings) == 0 || !r.compares && !r.growth {
			return false
		}
		r.compares, r.growth = true, false // things, not periods
	case u.is("group"):
		r.expect(u.arg("group") == "each", false)
	case u.is("not"):
		r.negated = true
	case u.is("average"):
		r.average = r.pos + 1
	case u.is("and"), u.is("or"), u.is("total"), u.is("request"), u.is("filler"):
	default:
		return false
	}
	return true
}

// ranksBefore takes the metric before a Chinese superlative as what is ranked by:
// 退款率最高的.
func (r *reader) ranksBefore(u *unit) bool {
	prev := r.around(-1)
	if prev == nil || u.tokens[0].Kind != token.Han || prev.tokens[0].Kind != token.Han || !prev.has(kindMetric) {
		return r.orderBy != ""
	}
	r.orderBy = prev.ids(kindMetric)[0]
	return true
}

// expect says that what follows is grouped by: once for "each", as what is ranked
// for "which" and "top 5".
func (r *reader) expect(each, ranks bool) { r.group, r.each, r.ranks = true, each, ranks }

// asksOne reports whether a phrase begins with "which".
func (r *reader) asksOne(u *unit) bool {
	first := u.tokens[0]
	return r.names.words.is(first.Lower, "which") && !u.plural() || strings.HasPrefix(first.Text, "哪") && !strings.HasPrefix(first.Text, "哪些")
}

// general does what the lexicon's words say. Conditions are not read here, so
// their words count as not understood.
func (r *reader) general(u *unit) bool {
	for _, tag := range []string{"contains", "starts", "ends", "isnull", "notnull", "post:>=", "post:<=", "between", "before", "after", "adjective", "common", "post", "rate", "calc", "percent", "lasting", "infix", "says", "span", "moves", "some"} {
		if u.is(tag) {
			return false
		}
	}
	switch {
	case u.is("roll"), u.is("same"):
		return false // outside of their patterns
	case u.is("light") && r.afterPronoun():
		return false // "sellers who joined ...": a condition
	case u.is("light") && len(r.names.begins[lowers(u.tokens)]) > 0:
		r.telling = append(r.telling, u)
	case u.is("cmp"):
		return u.arg("cmp") == "=" || r.comparesThings()
	case u.is("agg"):
		return u.arg("agg") == "sum"
	case u.is("group"):
		r.group = true
	case u.is("order") && u.arg("order") == "":
		if last := u.tokens[len(u.tokens)-1].Lower; last != "by" && last != "of" {
			return false // "users who ordered"
		}
		r.sorting = true
	case u.is("order"):
		r.sorting = true
	case u.is("both"):
		r.both = true
		if next := r.after(); next != nil && next.date != nil {
			r.doubt("what has both, or each of them")
		}
	}
	return slices.ContainsFunc(u.tags, func(t lexicon.Tag) bool { return !weak(t) })
}

// comparesThings reads "better in Thailand than in Vietnam": the two are shown, and
// whoever asks sees which it is.
func (r *reader) comparesThings() bool {
	next := r.after()
	if next == nil {
		return false
	}
	alike := func(o unit) bool {
		return o.has(kindCountry) && next.has(kindCountry) || o.has(kindValue) && next.has(kindValue) && slices.Equal(o.ids(kindValue), next.ids(kindValue))
	}
	if !slices.ContainsFunc(r.units[:r.pos], alike) {
		return false
	}
	r.versus, r.compares = true, true
	return true
}

// afterPronoun reports whether "who" or "that" stands before this place, after
// something that it can be about.
func (r *reader) afterPronoun() bool {
	prev, head := r.around(-1), r.around(-2)
	return prev != nil && head != nil && len(head.meanings) > 0 && (prev.is("which") || prev.is("rel"))
}

// weak reports whether a word means something only in its place.
func weak(t lexicon.Tag) bool {
	return t.Name == "unit" || t.Name == "number" || t.Name == "words_not_codes" || t.Name == "deictic"
}

// begins reports whether the unit that is read is the first that says something: what "the
// three months with the fewest orders" are is what is asked for.
func (r *reader) begins() bool {
	return !slices.ContainsFunc(r.units[:r.pos], func(u unit) bool { return !u.idle() })
}

// number is how many of a ranking: next to the superlative, or before what is
// ranked.
func (r *reader) number(u *unit) {
	ranks := func(o *unit) bool { return o != nil && (o.is("super") || o.is("place")) }
	next := r.around(1)
	switch {
	case u.is("super"): // "top10"
		r.super, r.sorting = u.arg("super"), true
	case ranks(r.around(-1)), ranks(next), next != nil && next.has(kindMetric) && r.superlative(next):
	case next != nil && (next.has(kindEntity) || next.has(kindDimension)) && r.around(-1) != nil && (r.around(-1).is("which") || r.around(-1).is("which_many")):
	case next != nil && (next.has(kindEntity) || next.has(kindDimension)) && slices.ContainsFunc(r.units, func(o unit) bool { return o.is("super") }):
	case next != nil && next.is("unit") && r.begins() && slices.ContainsFunc(r.units, func(o unit) bool { return o.is("super") }):
	case r.super != "" && r.out.Intent.Limit == 0 && u.tokens[0].Kind == token.Number:
	case r.agrees(u):
		return
	case u.tokens[0].Kind == token.Han && u.number == 1 && next != nil && next.is("stop"):
		return // 一 of 一个 and the like
	default:
		r.miss(u)
		return
	}
	r.out.Intent.Limit = u.number
	r.expect(false, true)
	r.span(u, "number", "limit "+strconv.FormatInt(u.number, 10))
}
