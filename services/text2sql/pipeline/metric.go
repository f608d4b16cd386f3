package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// countryOption begins the id of an option that names a country.
const (
	countryOption = "country:"
	metricOption  = "metric:"
	compareOption = "compare:"
	periodOption  = "period:"
	// everyCountry stands for a code.
	everyCountry = "*"
	// Options for a level over several days.
	byDayOption   = "time:day"
	averageOption = "time:average"
)

// MaxMetricConfidence is the highest confidence of an answer over metrics: words
// can always have been meant in another way.
const MaxMetricConfidence = 0.97

// metric answers a question that names metrics of the written layer; ok is false
// where it names none.
func (p *Pipeline) metric(in Input) (res Result, ok bool) {
	s := in.Schema
	if s.names == nil {
		return res, false
	}
	r, ok := s.names.Read(in.Question, chosen(in.Chosen), p.dates, in.Now)
	if !ok {
		return p.noMetric(in, r)
	}
	return p.overMetrics(in, r), true
}

// overMetrics answers a reading over the metrics of the written layer.
func (p *Pipeline) overMetrics(in Input, r metric.Reading) Result {
	s := in.Schema
	choose(&r.Intent, in.Chosen)
	res := Result{Intent: &r.Intent, NotUnderstood: r.NotUnderstood, Doubts: r.Doubts, Confidence: MaxMetricConfidence}
	for _, sp := range r.Spans {
		res.Understood = append(res.Understood, Span{Text: sp.Text, Kind: sp.Kind, Meaning: sp.Meaning, Score: 1})
	}
	for range r.NotUnderstood {
		res.Confidence *= metricUnknownFactor
	}
	for range r.Doubts {
		res.Confidence *= 0.5
	}
	if !r.Ahead && res.Confidence < p.threshold && len(r.NotUnderstood) > 0 {
		res.Draft = p.draft(s, &r.Intent)
		return p.abstain(in, res, "")
	}
	if r.Ahead {
		return p.abstain(in, res, "ahead")
	}
	if len(r.Choice) > 1 && in.Chosen == "" {
		return p.askMetric(in, res, r.Choice)
	}
	if r.AskPeriod || r.AskBase {
		return p.askComparison(in, res, r.AskPeriod)
	}
	return p.overLayer(in, res, r)
}

// Write answers an intent over the written layer of the schema, whoever read it
// from the question: with SQL, a question that the layer has (which country), or
// the reason why the layer cannot. Ids that the layer lacks are such a reason. The
// schema has to have a written layer.
func (p *Pipeline) Write(in Input, i intent.Intent) Result {
	choose(&i, in.Chosen)
	return p.overLayer(in, Result{Intent: &i, Confidence: MaxMetricConfidence}, metric.Reading{Intent: i})
}

// overLayer writes what was read over the written layer.
func (p *Pipeline) overLayer(in Input, res Result, r metric.Reading) Result {
	s := in.Schema
	c, err := metric.Choose(s.written, &r.Intent)
	if err != nil {
		return p.problem(in, res, err)
	}
	res.Reads = c.Names(s.written)
	for _, name := range res.Reads {
		if !s.has(name) {
			res.MissingTables = append(res.MissingTables, name)
		}
	}
	w, err := metric.Write(s.written, &r.Intent, c, s.tables)
	if err != nil {
		return p.problem(in, res, err)
	}
	res.MissingTables = nil
	res.Confidence *= weakness(r, c)
	if res.Confidence < p.threshold {
		res.Draft = printer.Print(w.Statement)
		return p.abstain(in, res, "")
	}
	res.Outcome, res.Statement, res.SQL = Answered, w.Statement, printer.Format(w.Statement)
	p.explainMetric(in, &res, c, w, r.Assumptions)
	return res
}

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

// nearNames bounds the metrics that a refusal names.
const nearNames = 3

// withNear names the metrics whose names are like what was not understood, of
// those whose tables the asker has.
func (p *Pipeline) withNear(in Input, res Result) Result {
	if in.Schema.names == nil {
		return res
	}
	ids := in.Schema.names.Near(res.NotUnderstood, in.Schema.has, nearNames)
	if len(ids) > 0 {
		res.Reason += in.Language.Pick(" ", "") + p.messages.text(in.Language, "near_metrics", strings.Join(p.display(in, ids), in.Language.Pick(", ", "、")))
	}
	return res
}

// draft writes what was understood, for logs and evaluation; empty where that
// cannot be written.
func (p *Pipeline) draft(s *Schema, in *intent.Intent) string {
	c, err := metric.Choose(s.written, in)
	if err != nil {
		return ""
	}
	w, err := metric.Write(s.written, in, c, s.tables)
	if err != nil {
		return ""
	}
	return printer.Print(w.Statement)
}

// weakness is what the weak links of an answer leave of its confidence: what had
// to be assumed, and what had to be joined.
func weakness(r metric.Reading, c metric.Plan) float64 {
	left := 1.0
	for range r.Assumptions {
		left *= 0.95
	}
	for range c.Joins() {
		left *= 0.97
	}
	t := r.Intent.Time
	if (t == nil || t.From == "" && t.To == "") && c.Metrics()[0].Time != "" {
		left *= 0.85 // most questions over flows have a time
	}
	if len(r.Intent.Select) > 1 {
		left *= 0.97
	}
	return left
}

// metricUnknownFactor is what a word that nothing covers leaves of the
// confidence: in a short question over metrics it is most likely a condition.
const metricUnknownFactor = 0.45

// choose applies the option that the asker took.
func choose(in *intent.Intent, option string) {
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
	if id, ok := strings.CutPrefix(option, metricOption); ok && len(in.Select) > 0 {
		in.Select[0].ID = id
		for i := range in.OrderBy {
			if in.OrderBy[i].By.Kind == intent.KindMetric {
				in.OrderBy[i].By.ID = id
			}
		}
	}
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

// display names ids as people call them.
func (p *Pipeline) display(in Input, ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id
		for _, m := range in.Schema.written.Metrics {
			if m.ID == id {
				out[i] = in.Language.Pick(m.Names.EN, m.Names.ZH)
			}
		}
		for _, d := range in.Schema.written.Dimensions {
			if d.ID == id {
				out[i] = in.Language.Pick(d.Names.EN, d.Names.ZH)
			}
		}
	}
	return out
}

func (p *Pipeline) explainMetric(in Input, res *Result, c metric.Plan, w metric.Written, assumptions []string) {
	l := in.Language
	say := func(id string, args ...any) {
		res.Assumptions = append(res.Assumptions, p.messages.text(l, id, args...))
	}
	t := res.Intent.Time
	if spanned, err := metric.Spanned(in.Schema.written, res.Intent); err == nil {
		t = spanned
	}
	if t != nil && (t.From != "" || t.To != "") {
		p.sayRange(say, t, c.Metrics()[0].Time)
		p.sayCompared(l, say, t)
	} else if c.Metrics()[0].Time != "" {
		say("all_time")
	} else {
		say("as_of_now")
	}
	if len(res.Intent.Country) == 0 && !res.Intent.AllCountries && !c.ByCountry() && len(in.Schema.written.Countries) > 0 {
		say("all_countries")
	}
	for _, m := range c.Metrics() {
		for _, f := range m.DefaultFilters {
			say("default_filter", f)
		}
	}
	for _, id := range assumptions {
		say(id)
	}
	for _, m := range c.Metrics() {
		base := baseOf(in.Schema.written, m)
		name := l.Pick(base.Names.EN, base.Names.ZH)
		definition := l.Pick(base.Description.EN, base.Description.ZH)
		if definition == "" {
			definition = base.Expr
		}
		res.Metrics = append(res.Metrics, name+": "+definition)
	}
	for _, o := range res.Intent.Select {
		res.Labels = append(res.Labels, p.labels(in, o)...)
	}
	res.Reason = p.reasons(in, c, w)
}

// reasons says which table each metric is read from.
func (p *Pipeline) reasons(in Input, c metric.Plan, w metric.Written) string {
	var reasons []string
	for _, part := range c.Parts {
		for _, m := range part.Choice.Metrics {
			base := baseOf(in.Schema.written, m)
			for _, t := range w.Tables {
				if semantic.Matches(m.Table, t) {
					reasons = append(reasons, p.messages.text(in.Language, "reason_metric", in.Language.Pick(base.Names.EN, base.Names.ZH), m.Expr, t.Name.String()))
					break
				}
			}
		}
	}
	return strings.Join(reasons, " ")
}

// baseOf is the metric that a variant is of: its name and definition are the
// variant's.
func baseOf(layer *semantic.Layer, m semantic.Metric) semantic.Metric {
	for _, b := range layer.Metrics {
		if b.ID == metric.Base(m.ID) {
			return b
		}
	}
	return m
}

// labels names the columns of a metric.
func (p *Pipeline) labels(in Input, o intent.Output) []Label {
	l := in.Language
	m := baseOf(in.Schema.written, semantic.Metric{ID: o.ID})
	name := l.Pick(m.Names.EN, m.Names.ZH)
	plain := Label{Column: metric.Base(o.ID), Label: name, Unit: unitOf(m.Unit)}
	as := func(id, unit string, args ...any) Label {
		return Label{Column: metric.Column(o), Label: p.messages.text(l, id, args...), Unit: unit}
	}
	switch o.Agg {
	case intent.AggShare:
		return []Label{plain, as("label_share", "%", name)}
	case intent.AggAvg:
		if o.Per.Kind == intent.KindEntity {
			return []Label{as("label_mean_per", plain.Unit, name, p.entityName(in, o.Per.ID))}
		}
		return []Label{as("label_average_"+o.Per.Grain, plain.Unit, name)}
	case intent.AggPrevious:
		return []Label{as("label_previous", plain.Unit, name)}
	case intent.AggChange:
		return []Label{as("label_change", plain.Unit, name)}
	case intent.AggChangeRate:
		return []Label{as("label_change_rate", "%", name)}
	case intent.AggRatio:
		by := baseOf(in.Schema.written, semantic.Metric{ID: o.Per.ID})
		return []Label{as("label_ratio", "", name, l.Pick(by.Names.EN, by.Names.ZH))}
	case intent.AggWindow:
		if o.Window.N == 0 {
			return []Label{as("label_cumulative", plain.Unit, name)}
		}
		return []Label{as("label_rolling_"+string(o.Window.Agg), plain.Unit, name, o.Window.N, p.messages.text(l, "unit_"+o.Window.Unit))}
	}
	return []Label{plain}
}

func (p *Pipeline) entityName(in Input, id string) string {
	for _, e := range in.Schema.written.Entities {
		if e.ID == id {
			return in.Language.Pick(e.Names.EN, e.Names.ZH)
		}
	}
	return id
}

// sayRange names the days that count, with the last one.
func (p *Pipeline) sayRange(say func(string, ...any), t *intent.Time, column string) {
	last := t.To
	if d, err := time.Parse(time.DateOnly, t.To); err == nil {
		last = d.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	switch {
	case column == "":
		say("as_of_now")
	case t.From == "":
		say("range_until", last)
	case t.To == "":
		say("range_since", t.From)
	case last == t.From:
		say("range_day", last)
	default:
		say("range", t.From, last)
	}
}

// sayCompared names the days that the period is compared with, or how far each step
// of time is from its own.
func (p *Pipeline) sayCompared(l lang.Language, say func(string, ...any), t *intent.Time) {
	switch {
	case t.Compare == nil:
	case t.Grain != "":
		say("compared_step", t.Compare.N, p.messages.text(l, "unit_"+t.Compare.Unit))
	default:
		from, to := metric.Before(t)
		if d, err := time.Parse(time.DateOnly, to); err == nil {
			to = d.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		say("compared_with", from, to)
	}
}

// unitOf is the unit that people read: ratios are percentages, amounts have a
// currency. Of counts the name already says what is counted.
func unitOf(unit string) string {
	switch {
	case unit == "ratio", unit == "%":
		return "%"
	case len(unit) == 3 && unit == strings.ToUpper(unit): // ISO 4217
		return unit
	case unit == "minutes", unit == "seconds", unit == "hours", unit == "days", unit == "kg":
		return unit
	}
	return ""
}

// abstain fills in why there is no SQL: the given message, the words that were
// not understood, or the doubts.
func (p *Pipeline) abstain(in Input, res Result, message string) Result {
	res.Outcome, res.Statement, res.SQL = Abstained, nil, ""
	switch {
	case message != "":
		res.Reason = p.messages.text(in.Language, message)
	case len(res.NotUnderstood) > 0:
		res.Reason = p.messages.text(in.Language, "not_understood", quoteAll(res.NotUnderstood, in.Language))
	case len(res.Doubts) > 0:
		res.Reason = p.messages.text(in.Language, "unsure", strings.Join(res.Doubts, "; "))
	default:
		res.Reason = p.messages.text(in.Language, "no_meaning")
	}
	return res
}

func quoteAll(words []string, l lang.Language) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = l.Pick(fmt.Sprintf("%q", w), "“"+w+"”")
	}
	return strings.Join(quoted, l.Pick(", ", "、"))
}

// Unwritable says that SQL was written but did not pass its checks.
func (p *Pipeline) Unwritable(l lang.Language, why string) string {
	return p.messages.text(l, "cannot_write", why)
}
