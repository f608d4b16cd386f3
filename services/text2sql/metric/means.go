package metric

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// ratio reports whether a metric is no sum of its parts.
func ratio(m semantic.Metric) bool {
	return m.Additivity == semantic.NonAdditive && !strings.Contains(strings.ToUpper(m.Expr), "COUNT(DISTINCT") || strings.Contains(m.Expr, "/")
}

// Known is what changes of an intent need to know of the layer's metrics.
func (n *Names) Known() map[string]followup.Figure {
	out := map[string]followup.Figure{}
	for _, m := range n.layer.Metrics {
		out[m.ID] = followup.Figure{Ratio: ratio(m), High: m.Better == semantic.BetterHigh, Low: m.Better != "" && m.Better != semantic.BetterHigh}
	}
	return out
}

// means settles averages: over the days, or nothing new where the metric is a
// mean or a rate itself. Another average is not the metric.
func (r *reader) means() {
	in := &r.out.Intent
	if r.eachUnit != "" && r.perUnit == "" { // "orders a day" are so many on average
		r.perUnit = r.eachUnit
		r.average = 0
	}
	if r.average > 0 {
		switch daily := in.Time != nil && in.Time.Grain == "day"; {
		case len(in.Select) > 0 && r.ratios():
			r.assume("rate_of_all")
		case r.eachDay && slices.ContainsFunc(r.eachOf, func(f intent.Field) bool { return f.Kind == intent.KindEntity }):
			r.doubt("an average per day, or per one of them")
		case r.perEntity():
		case daily && r.eachDay:
			in.Time.Grain, r.perUnit = "", "day"
		case daily && len(in.GroupBy) == 0:
			r.doubt("an average by day: of the days, or day by day")
		default:
			r.doubt("an average of what")
		}
	}
	if r.perUnit == "" {
		return
	}
	for i, o := range in.Select {
		if r.ratioID(o.ID) {
			r.assume("rate_of_all")
			continue
		}
		in.Select[i].Agg = intent.AggAvg
		if r.perUnit != "day" {
			in.Select[i].Per = intent.Field{Kind: intent.KindTime, Grain: r.perUnit}
			r.assume("mean_of_units")
		}
	}
	if r.grained() {
		r.doubt("an average by steps of time")
	}
}

// perEntity makes "average orders per seller" the mean over the sellers that have
// some, not a list of them.
func (r *reader) perEntity() bool {
	in := &r.out.Intent
	if len(r.eachOf) != 1 || r.eachOf[0].Kind != intent.KindEntity || r.super != "" || r.sort != "" {
		return false
	}
	in.GroupBy = slices.DeleteFunc(in.GroupBy, func(f intent.Field) bool { return f == r.eachOf[0] })
	for i := range in.Select {
		in.Select[i].Agg, in.Select[i].Per = intent.AggAvg, r.eachOf[0]
	}
	r.assume("mean_of_present")
	return true
}

// ratio divides two metrics: "tickets per order".
func (r *reader) ratio() {
	in := &r.out.Intent
	if r.ratioBy == "" {
		return
	}
	in.Select = slices.DeleteFunc(in.Select, func(o intent.Output) bool { return o == plain(r.ratioBy) })
	in.Select = append(in.Select, plain(r.ratioBy))
	if len(in.Select) != 2 || in.Select[0].Agg != intent.AggNone {
		r.doubt("each of a metric")
		return
	}
	by := plain(in.Select[0].ID)
	by.Agg, by.Per, by.Times = intent.AggRatio, in.Select[1].Field, r.scale
	in.Select = append(in.Select, by)
}

// per reads "per 100" and "divided by": what follows divides.
func (r *reader) per(found []*unit) {
	r.divides = true
	for _, u := range found {
		switch {
		case u.amount != nil && (r.scale == "" || r.scale == u.amount.text()):
			r.scale = u.amount.text()
			r.span(u, "metric", "for "+r.scale)
		case u.amount != nil:
			r.doubt("two numbers of what the ratio is for")
		case u.is("times"):
			r.divides = false
		case u.is("counter"):
			if r.ratioBy = r.names.counted(u.tokens[0].Text); r.ratioBy == "" {
				r.doubt("a ratio of what")
			}
			r.divides = false
		}
	}
}

func (r *reader) ratios() bool {
	return !slices.ContainsFunc(r.out.Intent.Select, func(o intent.Output) bool { return !r.ratioID(o.ID) })
}

func (r *reader) ratioID(id string) bool {
	return slices.ContainsFunc(r.names.layer.Metrics, func(m semantic.Metric) bool { return m.ID == id && ratio(m) })
}
