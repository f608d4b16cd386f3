package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// nearNames bounds the metrics that a refusal names, and the dates that an answer does.
const nearNames = 3

func (p *Pipeline) explainMetric(in Input, res *Result, c metric.Plan, w metric.Written, r *metric.Reading) {
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
	if t != nil && (t.From != "" || t.To != "" || t.Grain != "") {
		p.sayDates(in, say, c)
	}
	if len(res.Intent.Country) == 0 && !res.Intent.AllCountries && !c.ByCountry() && len(in.Schema.written.Countries) > 0 {
		say("all_countries")
	}
	for _, m := range c.Metrics() {
		for _, f := range m.DefaultFilters {
			say("default_filter", f)
		}
	}
	for _, id := range r.Assumptions {
		say(id)
	}
	for _, m := range r.Meant {
		dims := in.Schema.written.Dimensions
		if i := slices.IndexFunc(dims, func(d semantic.Dimension) bool { return metric.Base(d.ID) == m.Dimension }); i >= 0 {
			say("note_meant", m.Text, semantic.NameIn(dims[i].Names, l))
		}
	}
	for _, m := range c.Metrics() {
		res.Metrics = append(res.Metrics, p.definition(in, m.ID))
	}
	for _, o := range res.Intent.Select {
		res.Labels = append(res.Labels, p.labels(in, res.Intent, o)...)
	}
	if res.Intent.Counted {
		res.Labels = append(res.Labels, p.countLabels(in, res.Intent)...)
	}
	res.Reason = p.reasons(in, c, w)
}

// sayDates tells by which date the figures are, where their table has several.
func (p *Pipeline) sayDates(in Input, say func(string, ...any), c metric.Plan) {
	l, layer := in.Language, in.Schema.written
	for _, part := range c.Parts {
		m := part.Choice.Metrics[0]
		own, others := "", []string(nil)
		for _, d := range layer.DatesOf(part.Table) {
			name := semantic.NameIn(d.Names, l)
			if d.ID == part.By || part.By == "" && d.Via == "" && d.Column() == m.Time && d.Table == m.TimeOf() {
				own = name
			} else if len(others) < nearNames {
				others = append(others, name)
			}
		}
		switch {
		case m.Time == "" || len(others) == 0 && own == "":
		case len(others) == 0:
			say("by_that_date", own)
		default:
			say("by_date", cmp.Or(own, m.Time), strings.Join(others, l.Pick(", ", "、")))
		}
	}
}

// definition is a metric's name and what it means, or its formula.
func (p *Pipeline) definition(in Input, id string) string {
	base := baseOf(in.Schema.written, semantic.Metric{ID: id})
	text := in.Language.Pick(base.Description.EN, base.Description.ZH)
	if text == "" {
		text = base.Expr
	}
	return in.Language.Pick(base.Names.EN, base.Names.ZH) + ": " + text
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

// display names ids as people call them.
func (p *Pipeline) display(in Input, ids []string) []string {
	out := make([]string, len(ids))
	called := func(id string, n semantic.Text) string { // in the other language where it has no name in this one
		return cmp.Or(in.Language.Pick(n.EN, n.ZH), n.EN, n.ZH, id)
	}
	for i, id := range ids {
		out[i] = id
		for _, m := range in.Schema.written.Metrics {
			if m.ID == id {
				out[i] = called(id, m.Names)
			}
		}
		for _, d := range in.Schema.written.Dimensions {
			if d.ID == id {
				out[i] = called(id, d.Names)
			}
		}
		for _, d := range in.Schema.written.Dates {
			if d.ID == id {
				out[i] = called(id, d.Names)
			}
		}
	}
	return out
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
	other, byPlaces := metric.ByPlaces(t)
	switch {
	case t.Compare == nil:
	case byPlaces:
		say("compared_places", t.From, other)
	case t.Grain != "" && t.Compare.N == 1:
		say("compared_step_one", p.messages.text(l, "one_"+t.Compare.Unit))
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

// abstain fills in why there is no SQL: the given message, the words that were
// not understood, or the doubts.
func (p *Pipeline) abstain(in Input, res Result, message string) Result {
	res.Outcome, res.Statement, res.SQL = Abstained, nil, ""
	switch {
	case message != "":
		res.Reason = p.messages.text(in.Language, message)
	case len(res.NotUnderstood) > 0:
		res.Reason = p.messages.text(in.Language, "not_understood", quoteAll(res.NotUnderstood, in.Language))
		return p.withTexts(in, res)
	case len(res.Doubts) > 0 || res.Draft != "":
		res.Reason = p.messages.text(in.Language, "unsure", p.doubts.say(in.Language, res.Doubts, p.messages.text(in.Language, "unsure_what")))
		return p.withTexts(in, res)
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
