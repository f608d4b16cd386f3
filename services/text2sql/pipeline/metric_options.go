package pipeline

import (
	"errors"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// countryOption begins the id of an option that names a country.
const (
	countryOption = "country:"
	metricOption  = "metric:"
	compareOption = "compare:"
	periodOption  = "period:"
	roleOption    = "role:"
	dateOption    = "date:"
	// everyCountry stands for a code.
	everyCountry = "*"
	// Options for a level over several days.
	byDayOption   = "time:day"
	averageOption = "time:average"
)

// chosen reads the option that the asker took, as far as it changes the reading.
func chosen(option string) (c metric.Chosen) {
	kind, id, _ := strings.Cut(option, ":")
	switch kind + ":" {
	case metricOption:
		c.Metric = id
	case compareOption:
		c.Back = id
	case periodOption:
		c.Period = id
	}
	return c
}

// askComparison asks what a change is measured against, or over which period.
func (p *Pipeline) askComparison(in Input, res Result, period bool) Result {
	kind, ask, ids := compareOption, "ask_base", []string{"previous", "year"}
	if period {
		kind, ask, ids = periodOption, "ask_period", []string{"month", "week", "quarter"}
	}
	res.Outcome, res.Question = Asked, p.messages.text(in.Language, ask)
	for _, id := range ids {
		res.Options = append(res.Options, Option{ID: kind + id, Label: p.messages.text(in.Language, "option_"+strings.TrimSuffix(kind, ":")+"_"+id)})
	}
	return res
}

// noMetric asks what to rank by where only that is missing, and otherwise keeps
// what the words over metrics are not: ok is false, as they may be about tables.
func (p *Pipeline) noMetric(in Input, r metric.Reading) (res Result, ok bool) {
	res.NotUnderstood = r.NotUnderstood
	if options := in.Schema.names.Rankings(r.Ranked); r.Ranked != "" && len(options) > 0 && len(r.NotUnderstood) == 0 {
		res.Intent, res.Confidence = &r.Intent, MaxMetricConfidence
		return p.askMetric(in, res, options), true
	}
	return res, false
}

// choose applies the option that the asker took.
func choose(in *intent.Intent, option string, layer *semantic.Layer) {
	if code, ok := strings.CutPrefix(option, countryOption); ok && len(in.Country) == 0 {
		in.Country, in.AllCountries = []string{code}, false
		if code == everyCountry {
			in.Country, in.AllCountries = nil, true
		}
	}
	switch option {
	case byDayOption:
		if in.Time == nil {
			in.Time = &intent.Time{}
		}
		in.Time.Grain = "day"
		in.OrderBy = append([]intent.Order{{By: intent.Output{Field: intent.Field{Kind: intent.KindTime, Grain: "day"}}}}, in.OrderBy...)
	case averageOption:
		for i := range in.Select {
			for j := range in.OrderBy {
				if in.OrderBy[j].By == in.Select[i] {
					in.OrderBy[j].By.Agg = intent.AggAvg
				}
			}
			in.Select[i].Agg = intent.AggAvg
		}
	}
	if role, ok := strings.CutPrefix(option, roleOption); ok {
		inRole(in, role, layer)
	}
	if id, ok := strings.CutPrefix(option, dateOption); ok && in.Time != nil {
		in.Time.By = id
	}
	if id, ok := strings.CutPrefix(option, metricOption); ok && len(in.Select) > 0 {
		in.Select[0].ID = id
		for i := range in.OrderBy {
			if in.OrderBy[i].By.Kind == intent.KindMetric {
				in.OrderBy[i].By.ID = id
			}
		}
	}
}

// inRole puts the things of a role in the place of those that have none.
func inRole(in *intent.Intent, role string, layer *semantic.Layer) {
	fields := map[intent.Field]string{}
	for _, e := range layer.Entities {
		if e.RoleOf != "" && e.Via == role {
			fields[intent.Field{Kind: intent.KindEntity, ID: e.RoleOf}] = e.ID
		}
	}
	for _, d := range layer.Dimensions {
		if d.RoleOf != "" && d.Via == role {
			fields[intent.Field{Kind: intent.KindDimension, ID: d.RoleOf}] = d.ID
		}
	}
	put := func(f *intent.Field) {
		if id, ok := fields[*f]; ok {
			f.ID = id
		}
	}
	for i := range in.GroupBy {
		put(&in.GroupBy[i])
	}
	for i := range in.LimitPer {
		put(&in.LimitPer[i])
	}
	for i := range in.Select {
		put(&in.Select[i].Per)
	}
	for i := range in.OrderBy {
		put(&in.OrderBy[i].By.Field)
		put(&in.OrderBy[i].By.Per)
	}
	for _, list := range [][]intent.Cond{in.Filters, in.Segments} {
		for i := range list {
			if list[i].Left != nil {
				put(&list[i].Left.Field)
			}
		}
	}
}

// askOf asks which of several things of a layer is meant.
func (p *Pipeline) askOf(in Input, res Result, text, what, kind string, ids []string, name func(id string) semantic.Text) Result {
	res.Outcome, res.Question = Asked, p.messages.text(in.Language, text, what)
	for _, id := range ids {
		n := name(id)
		res.Options = append(res.Options, Option{ID: kind + id, Label: semantic.NameIn(n, in.Language)})
	}
	return res
}

func (p *Pipeline) askMetric(in Input, res Result, ids []string) Result {
	res.Outcome, res.Question = Asked, p.messages.text(in.Language, "ask_metric")
	for _, id := range ids {
		for _, m := range in.Schema.written.Metrics {
			if m.ID == id {
				label := in.Language.Pick(m.Names.EN, m.Names.ZH)
				if d := in.Language.Pick(m.Description.EN, m.Description.ZH); d != "" {
					label += ": " + d
				}
				res.Options = append(res.Options, Option{ID: metricOption + id, Label: label})
			}
		}
	}
	return res
}

// problem turns a reason of the layer into words.
func (p *Pipeline) problem(in Input, res Result, err error) Result {
	var pr *metric.Problem
	if !errors.As(err, &pr) {
		res.Outcome, res.Reason = Abstained, p.messages.text(in.Language, "other", err.Error())
		return res
	}
	what := strings.Join(p.display(in, pr.What), ", ")
	res.Outcome = Abstained
	switch pr.Code {
	case "NEED_COUNTRY":
		res.Outcome, res.Question = Asked, p.messages.text(in.Language, "ask_country")
		for _, code := range pr.Countries {
			c, _ := in.Schema.written.Country(code)
			res.Options = append(res.Options, Option{ID: countryOption + code, Label: in.Language.Pick(c.Names.EN, c.Names.ZH)})
		}
		res.Options = append(res.Options, Option{ID: countryOption + everyCountry, Label: p.messages.text(in.Language, "every_country")})
	case "SEVERAL_ROLES":
		res = p.askOf(in, res, "ask_role", what, roleOption, pr.Options, in.Schema.written.RoleNames)
	case "SEVERAL_DATES":
		res = p.askOf(in, res, "ask_date", "", dateOption, pr.Options, in.Schema.written.DateNames)
	case "SEMI_ADDITIVE":
		if res.Intent.Time != nil && res.Intent.Time.Grain != "" || res.Intent.Limit > 0 {
			res.Reason = p.messages.text(in.Language, "semi_additive", what)
			break
		}
		res.Outcome, res.Question = Asked, p.messages.text(in.Language, "ask_level", what)
		for _, id := range []string{byDayOption, averageOption} {
			res.Options = append(res.Options, Option{ID: id, Label: p.messages.text(in.Language, "option_"+strings.TrimPrefix(id, "time:"))})
		}
	default:
		res.Reason = p.messages.text(in.Language, strings.ToLower(pr.Code), what)
	}
	res.Doubts = append(res.Doubts, pr.Error())
	return res
}
