package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// countryOption begins the id of an option that names a country.
const (
	countryOption = "country:"
	metricOption  = "metric:"
)

// metric answers a question that names metrics of the written layer; ok is false
// where it names none.
func (p *Pipeline) metric(in Input) (res Result, ok bool) {
	s := in.Schema
	if s.names == nil {
		return res, false
	}
	r, ok := s.names.Read(in.Question, p.dates, in.Now)
	if !ok {
		return res, false
	}
	choose(&r.Intent, in.Chosen)
	res = Result{Intent: &r.Intent, NotUnderstood: r.NotUnderstood, Doubts: r.Doubts, Confidence: 0.97}
	for _, sp := range r.Spans {
		res.Understood = append(res.Understood, Span{Text: sp.Text, Kind: sp.Kind, Meaning: sp.Meaning, Score: 1})
	}
	for range r.NotUnderstood {
		res.Confidence *= metricUnknownFactor
	}
	for range r.Doubts {
		res.Confidence *= 0.5
	}
	if slices.Contains(r.Doubts, "comparison") {
		return p.abstain(in, res, "comparison"), true
	}
	if len(r.Choice) > 1 && in.Chosen == "" {
		return p.askMetric(in, res, r.Choice), true
	}
	c, err := metric.Choose(s.written, &r.Intent)
	if err != nil {
		return p.problem(in, res, err), true
	}
	for _, name := range c.Names(s.written) {
		if !s.has(name) {
			res.MissingTables = append(res.MissingTables, name)
		}
	}
	w, err := metric.Write(s.written, &r.Intent, c, s.tables)
	if err != nil {
		return p.problem(in, res, err), true
	}
	res.MissingTables = nil
	if res.Confidence < p.threshold {
		res.Draft = printer.Print(w.Statement)
		return p.abstain(in, res, ""), true
	}
	res.Outcome, res.Statement, res.SQL = Answered, w.Statement, printer.Print(w.Statement)
	p.explainMetric(in, &res, c, w, r.Assumptions)
	return res, true
}

// metricUnknownFactor is what a word that nothing covers leaves of the
// confidence: in a short question over metrics it is most likely a condition.
const metricUnknownFactor = 0.45

// choose applies the option that the asker took.
func choose(in *intent.Intent, option string) {
	if code, ok := strings.CutPrefix(option, countryOption); ok && len(in.Country) == 0 {
		in.Country = []string{code}
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
	case "MANY_COUNTRIES":
		res.Reason = p.messages.text(in.Language, "many_countries")
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

func (p *Pipeline) explainMetric(in Input, res *Result, c metric.Choice, w metric.Written, assumptions []string) {
	l := in.Language
	say := func(id string, args ...any) {
		res.Assumptions = append(res.Assumptions, p.messages.text(l, id, args...))
	}
	t := res.Intent.Time
	if t != nil && (t.From != "" || t.To != "") {
		say("range", t.From+" – "+t.To)
		if strings.ContainsAny(t.Text, "0123456789") && t.To == in.Now.Format("2006-01-02") {
			say("full_days")
		}
	} else if c.Metrics[0].Time != "" {
		say("all_time")
	}
	if len(res.Intent.Country) == 0 && c.Country == "" && !strings.Contains(c.Table, "{cid}") && len(in.Schema.written.Countries) > 0 {
		if _, grouped := c.Dimensions["country"]; !grouped {
			say("all_countries")
		}
	}
	for _, f := range c.Metrics[0].DefaultFilters {
		say("default_filter", f)
	}
	for _, id := range assumptions {
		say(id)
	}
	var reasons []string
	for _, m := range c.Metrics {
		name := l.Pick(m.Names.EN, m.Names.ZH)
		definition := l.Pick(m.Description.EN, m.Description.ZH)
		if definition == "" {
			definition = m.Expr
		}
		res.Metrics = append(res.Metrics, name+": "+definition)
		res.Labels = append(res.Labels, Label{Column: metric.Base(m.ID), Label: p.display(in, []string{metric.Base(m.ID)})[0], Unit: unitOf(m.Unit)})
		reasons = append(reasons, p.messages.text(l, "reason_metric", name, m.Expr, w.Tables[0].Name.String()))
	}
	res.Reason = strings.Join(reasons, " ")
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
