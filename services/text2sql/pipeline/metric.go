package pipeline

import (
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
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
	choose(&r.Intent, in.Chosen, in.Schema.written)
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
	if t := i.Time; t != nil && t.By == "" && len(in.Schema.written.Dates) > 0 { // a model is not told of dates
		if r, ok := in.Schema.names.Read(in.Question, chosen(in.Chosen), p.dates, in.Now); ok && r.Intent.Time != nil {
			read := *t
			read.By = r.Intent.Time.By
			i.Time = &read
		}
	}
	choose(&i, in.Chosen, in.Schema.written)
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
	p.explainMetric(in, &res, c, w, &r)
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
	for range r.Meant {
		left *= 0.9
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
