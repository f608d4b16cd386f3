package pipeline

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// defaultWhyDays is the period of a question that names none: the last week, whose days
// are all weekdays once.
const defaultWhyDays = 7

// ReadWhy reads a question about why a metric of the written layer changed. Its Intent
// has that one metric, the conditions, and a time with both periods: whole days that are
// over, and, where the question does not name what it is compared with, as many before
// them on the same weekdays. With in.Previous what is not said is that of the question
// before. Answered means that Intent can be planned.
func (p *Pipeline) ReadWhy(in Input) Result {
	said := in.Question
	if in.FollowUp != "" && in.Previous != nil {
		said = in.FollowUp
	}
	rest, _ := p.why.Asked(said)
	switch {
	case in.Schema.names == nil:
		return p.abstain(in, Result{}, "why_no_layer")
	case in.Previous != nil && rest == "":
		return p.whyOf(in, Result{Intent: in.Previous})
	}
	choice := chosen(in.Chosen)
	choice.Change = true
	r, ok := in.Schema.names.Read(rest, choice, p.dates, in.Now)
	if !ok && in.Previous != nil {
		if i := p.otherPeriods(in, rest); i != nil {
			return p.whyOf(in, Result{Intent: i})
		}
		changed := in
		changed.FollowUp, changed.Alone = rest, false
		res, read := p.followUp(changed)
		if read && res.Outcome == Answered {
			return p.whyOf(in, Result{Intent: res.Intent})
		}
		if read {
			return res
		}
	}
	unread := slices.DeleteFunc(slices.Clone(r.NotUnderstood), p.why.Moves)
	res := Result{Intent: &r.Intent, NotUnderstood: unread, Doubts: r.Doubts}
	switch {
	case len(unread) > 0:
		return p.withNear(in, p.abstain(in, res, ""))
	case !ok:
		return p.abstain(in, res, "why_no_metric")
	case r.Ahead:
		return p.abstain(in, res, "ahead")
	case len(r.Choice) > 1 && in.Chosen == "":
		return p.askMetric(in, res, r.Choice)
	}
	choose(&r.Intent, in.Chosen, in.Schema.written)
	res.Doubts = nil
	return p.whyOf(in, res)
}

// otherPeriods is the question before over the periods that a question for a reason
// names, as "why between May and June?" does; nil where it names something else too.
func (p *Pipeline) otherPeriods(in Input, rest string) *intent.Intent {
	before := slices.IndexFunc(in.Previous.Select, func(o intent.Output) bool { return o.Kind == intent.KindMetric })
	if before < 0 {
		return nil
	}
	r, ok := in.Schema.names.Read(rest, metric.Chosen{Metric: in.Previous.Select[before].ID, Change: true}, p.dates, in.Now)
	read := r.Intent
	if !ok || read.Time == nil || read.Time.From == "" || len(read.Filters)+len(read.Country)+len(read.GroupBy)+len(read.Having) > 0 ||
		slices.ContainsFunc(r.NotUnderstood, func(text string) bool { return !p.why.Moves(text) }) {
		return nil
	}
	out := *in.Previous
	out.Time = read.Time
	return &out
}

// whyOf makes an intent one about the change of one metric.
func (p *Pipeline) whyOf(in Input, res Result) Result {
	from := res.Intent
	var ids []string
	for _, o := range from.Select {
		switch {
		case o.Kind != intent.KindMetric:
			return p.abstain(in, res, "why_no_metric")
		case o.Agg == intent.AggRatio, o.Agg == intent.AggShare, o.Agg == intent.AggWindow:
			return p.abstain(in, res, "why_composed")
		}
		if !slices.Contains(ids, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) > 1 {
		return p.askMetric(in, res, ids)
	}
	if len(ids) == 0 {
		return p.abstain(in, res, "why_no_metric")
	}
	if len(from.Having) > 0 || from.Limit > 0 || len(from.Segments) > 0 {
		res.Assumptions = append(res.Assumptions, p.messages.text(in.Language, "why_all_groups"))
	}
	about := intent.Intent{
		Type: intent.Basic, Country: from.Country, AllCountries: from.AllCountries, Filters: from.Filters,
		Select: []intent.Output{{Field: intent.Field{Kind: intent.KindMetric, ID: ids[0]}}},
	}
	t, problem := p.whyTime(in, from.Time, &res)
	if problem != "" {
		return p.abstain(in, res, problem)
	}
	about.Time = t
	res.Intent, res.Outcome = &about, Answered
	return res
}

// whyTime settles both periods; problem is the id of what to say where it cannot.
func (p *Pipeline) whyTime(in Input, asked *intent.Time, res *Result) (t *intent.Time, problem string) {
	assume := func(id string, args ...any) {
		res.Assumptions = append(res.Assumptions, p.messages.text(in.Language, id, args...))
	}
	today := dates.Today(in.Now)
	t = &intent.Time{}
	if asked != nil {
		t.From, t.To, t.Compare = asked.From, asked.To, asked.Compare
	}
	if t.From == "" {
		t.From, t.To = day(today.AddDate(0, 0, -defaultWhyDays)), day(today)
		t.Compare = nil
		assume("why_last_days", defaultWhyDays)
	}
	if t.To == "" || t.To > day(today) {
		if t.To != "" {
			assume("why_days_over")
		}
		t.To = day(today)
	}
	if t.From >= t.To {
		return nil, "why_not_over"
	}
	if t.Compare == nil {
		n := weeksOf(t.From, t.To)
		t.Compare = &intent.Compare{Unit: "week", N: n}
		return t, ""
	}
	before, after := metric.Periods(t)
	if before.From == after.From {
		return nil, "no_period"
	}
	if weekdays(before) != weekdays(after) {
		assume("why_other_weekdays")
	}
	t.Compare = &intent.Compare{From: before.From, To: before.To}
	return t, ""
}

// weeksOf is how many weeks a period of days is moved back to lie before itself.
func weeksOf(from, to string) int {
	return (metric.Range{From: from, To: to}.Days() + 6) / 7
}

// weekdays counts each weekday of a period.
func weekdays(r metric.Range) (n [7]int) {
	from, err := time.Parse(time.DateOnly, r.From)
	if err != nil {
		return n
	}
	for i := range r.Days() {
		n[from.AddDate(0, 0, i).Weekday()]++
	}
	return n
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// Why is how the change of a metric is looked into, with what people call its parts.
type Why struct {
	metric.Change

	Name       string // of the metric
	Unit       string // "fraction" for rates
	Dimensions []string
	Factors    []string
	Parts      []string // of a ratio
	Filters    []string
	Metrics    []string // "name: definition"
	Before     metric.Range
	After      metric.Range
}

// PlanWhy plans what ReadWhy read. Without an answer the Result says why, or asks.
func (p *Pipeline) PlanWhy(in Input, read Result, tables []catalog.Table, limits metric.ChangeLimits) (Why, Result) {
	layer := in.Schema.written
	change, err := metric.PlanChange(layer, read.Intent, tables, limits)
	if err != nil {
		return Why{}, p.problem(in, read, err)
	}
	named := func(id string) string { return in.Schema.nameOf(in)(id) }
	out := Why{Change: change, Name: named(change.Metric.ID), Unit: unitOf(change.Metric.Unit)}
	if out.Unit == "%" {
		out.Unit = "fraction"
	}
	for _, d := range change.Dimensions {
		out.Dimensions = append(out.Dimensions, named(metric.Base(d.ID)))
	}
	for _, f := range change.Factors {
		out.Factors = append(out.Factors, named(f.ID))
	}
	for _, f := range change.Parts {
		out.Parts = append(out.Parts, named(metric.Base(f.ID)))
	}
	for _, code := range read.Intent.Country {
		out.Filters = append(out.Filters, named(code))
	}
	r := restater{language: in.Language, texts: p.offers, figures: p.followUps.texts, schema: in.Schema}
	r.name = r.named(in.Schema.nameOf(in), read.Intent)
	out.Filters = append(out.Filters, r.conditions(read.Intent)...)
	for _, m := range append([]string{change.Metric.ID}, ids(change.Factors)...) {
		out.Metrics = append(out.Metrics, p.definition(in, m))
	}
	out.Before, out.After = metric.Periods(read.Intent.Time)
	return out, read
}

func ids(metrics []semantic.Metric) []string {
	out := make([]string, len(metrics))
	for i, m := range metrics {
		out[i] = m.ID
	}
	return out
}

// NamesOfChange are the layer's tables that the change of an intent's metric may be read
// from, with the countries put in.
func (s *Schema) NamesOfChange(in *intent.Intent) []string {
	if s.written == nil {
		return nil
	}
	return metric.NamesOfChange(s.written, in)
}
