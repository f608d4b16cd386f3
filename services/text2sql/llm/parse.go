package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// parser reads questions over a written layer by the model. Without one, what the
// rules read is enough: the generator works on the question itself.
type parser struct {
	*desk
	pipeline *pipeline.Pipeline
	rules    team.Parser
}

// read is the form of the model's answer: an intent over ids of the layer.
type read struct {
	Outcome      string       `json:"outcome" enum:"metrics|tables|ask|cannot" doc:"what can be done"`
	Understood   string       `json:"understood" doc:"what is asked for, as one full sentence"`
	Metrics      []readMetric `json:"metrics" max:"8" optional:"true"`
	Dimensions   []string     `json:"dimensions" doc:"ids of dimensions or things that the result has one row for each of" max:"6" optional:"true" verbatim:"true"`
	From         string       `json:"from" doc:"first day; empty: open" optional:"true" verbatim:"true"`
	To           string       `json:"to" doc:"day after the last; empty: open" optional:"true" verbatim:"true"`
	Grain        string       `json:"grain" enum:"none|hour|day|week|month|quarter|year" optional:"true"`
	Compare      string       `json:"compare" enum:"none|yoy|qoq|mom|wow|dod" optional:"true"`
	Countries    []string     `json:"countries" doc:"codes" max:"50" optional:"true" verbatim:"true"`
	AllCountries bool         `json:"all_countries" doc:"true where every country is asked for in words" optional:"true"`
	Filters      []readFilter `json:"filters" max:"10" optional:"true"`
	NamedFilters []string     `json:"named_filters" doc:"ids" max:"10" optional:"true" verbatim:"true"`
	Having       []readHaving `json:"having" doc:"conditions on metrics" max:"5" optional:"true"`
	OrderBy      []readOrder  `json:"order_by" max:"3" optional:"true"`
	Limit        int          `json:"limit" doc:"0: all" optional:"true"`
	Question     string       `json:"question" doc:"to the person, with outcome ask; else empty" optional:"true"`
	Options      []string     `json:"options" doc:"2 to 4 readings in words, with outcome ask" max:"4" optional:"true"`
	Missing      string       `json:"missing" doc:"why not, with outcome cannot" optional:"true"`
}

type readMetric struct {
	ID        string `json:"id" verbatim:"true"`
	Aggregate string `json:"aggregate" enum:"none|share|average" optional:"true"`
}

type readFilter struct {
	Dimension string   `json:"dimension" doc:"id" verbatim:"true"`
	Operator  string   `json:"operator" enum:"in|not_in|=|<>|<|<=|>|>=|contains|starts_with|ends_with"`
	Values    []string `json:"values" max:"50" verbatim:"true"`
}

type readHaving struct {
	Metric   string  `json:"metric" doc:"id" verbatim:"true"`
	Operator string  `json:"operator" enum:"=|<>|<|<=|>|>="`
	Value    float64 `json:"value"`
}

type readOrder struct {
	ID   string `json:"id" doc:"of a metric or dimension of this answer, or time" verbatim:"true"`
	Desc bool   `json:"desc"`
}

// Outcomes of read beside those of written.
const (
	outcomeMetrics = "metrics"
	outcomeTables  = "tables"
)

// Parse implements team.Parser. What a follow-up changes in an intent is read by
// rules where they understand it.
func (p parser) Parse(ctx context.Context, b *team.Board) (team.Reading, error) {
	byRules, err := p.rules.Parse(ctx, b)
	if err != nil || b.Task.Layer == nil || byRules.Meaning != "" || b.Task.Previous != nil && byRules.Outcome == pipeline.Answered {
		return byRules, err
	}
	known := p.definitions(&b.Task)
	req, err := p.prompts.intent.Request(map[string]any{
		"Language": language(b.Task.Language), "Today": b.Task.Now.Format(time.DateOnly),
		"Metrics": known.metrics, "Dimensions": known.dimensions, "Entities": known.entities, "Filters": known.filters, "Countries": known.countries,
		"Terms": terms(b.Task.Terms), "Person": person(b.Task.Person), "Learned": learned(b.Learned), "Chosen": chosen(b.Task.Chosen), "Question": lang.Shorten(b.Task.Question, maxQuestion),
	})
	if err != nil {
		return team.Reading{}, err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask(ctx, p.model, req, known.check)
	if err != nil {
		return team.Reading{}, err
	}
	return p.reading(ctx, b, byRules, known, &answer)
}

// reading turns the model's answer into one of the team's.
func (p parser) reading(ctx context.Context, b *team.Board, byRules team.Reading, known *definitions, r *read) (team.Reading, error) {
	out := team.Reading{By: team.ByModel, Settled: true, Restatement: text(r.Understood)}
	switch r.Outcome {
	case outcomeTables:
		return overTables(byRules, out.Restatement), nil
	case outcomeAsk:
		out.Outcome, out.Question = pipeline.Asked, text(r.Question)
		for _, o := range r.Options {
			out.Options = append(out.Options, team.SayOption(text(o)))
		}
		return out, nil
	case outcomeCannot:
		out.Outcome, out.Reason = pipeline.Abstained, text(r.Missing)
		return out, nil
	}
	in := pipeline.Input{Question: b.Task.Question, Language: b.Task.Language, Chosen: b.Task.Chosen, Now: b.Task.Now, Schema: b.Task.Schema}
	out.Result = p.pipeline.Write(in, known.intent(r))
	if b.Task.More != nil && len(out.Reads) > 0 {
		tables, schema, ok, err := b.Task.More(ctx, out.Result)
		if err != nil {
			return out, err
		}
		if ok {
			b.Task.Tables, b.Task.Schema, in.Schema = tables, schema, schema
			out.Result = p.pipeline.Write(in, known.intent(r))
		}
	}
	if out.Outcome == pipeline.Abstained {
		// The definitions do not go together in this way: the tables may.
		return overTables(byRules, out.Restatement), nil
	}
	out.Understood = byRules.Understood
	return out, nil
}

// overTables is the reading of a question that the generator writes over the tables. What
// the rules read over metrics is no second opinion on tables.
func overTables(byRules team.Reading, restated string) team.Reading {
	if byRules.Settled {
		byRules.Result = pipeline.Result{Outcome: pipeline.Abstained, Reason: byRules.Reason, Understood: byRules.Understood}
	}
	byRules.Settled, byRules.Restatement = false, restated
	return byRules
}

// check says what in an answer does not exist or does not fit.
func (d *definitions) check(r *read) []string {
	if r.Outcome == outcomeAsk && (strings.TrimSpace(r.Question) == "" || len(r.Options) < 2) {
		return []string{"outcome is ask and there is no question with at least two options"}
	}
	if r.Outcome != outcomeMetrics {
		return nil
	}
	var problems []string
	unknown := func(kind, id string) {
		problems = append(problems, fmt.Sprintf("there is no %s %q: use an id of the list, or outcome tables", kind, lang.Shorten(id, 60)))
	}
	if len(r.Metrics) == 0 {
		problems = append(problems, "outcome is metrics and metrics is empty")
	}
	for _, m := range r.Metrics {
		if !d.has(intent.KindMetric, m.ID) {
			unknown("metric", m.ID)
		}
	}
	for _, id := range r.Dimensions {
		if !d.has(intent.KindDimension, id) && !d.has(intent.KindEntity, id) {
			unknown("dimension", id)
		}
	}
	for _, f := range r.Filters {
		if !d.has(intent.KindDimension, f.Dimension) {
			unknown("dimension", f.Dimension)
		}
		if len(f.Values) == 0 {
			problems = append(problems, "the filter on "+lang.Shorten(f.Dimension, 60)+" has no values")
		}
		problems = append(problems, d.unstored(&f)...)
	}
	for _, id := range r.NamedFilters {
		if !d.has(kindFilter, id) {
			unknown("filter", id)
		}
	}
	for _, code := range r.Countries {
		if !d.has(kindCountry, code) {
			unknown("country", code)
		}
	}
	inAnswer := func(id string) bool {
		return slices.Contains(r.Dimensions, id) || slices.ContainsFunc(r.Metrics, func(m readMetric) bool { return m.ID == id })
	}
	for _, h := range r.Having {
		if !inAnswer(h.Metric) {
			problems = append(problems, "having names "+lang.Shorten(h.Metric, 60)+", which is not among the metrics of the answer")
		}
	}
	for _, o := range r.OrderBy {
		if !inAnswer(o.ID) && o.ID != orderByTime {
			problems = append(problems, "order_by names "+lang.Shorten(o.ID, 60)+", which is not in the answer")
		}
	}
	for name, day := range map[string]string{"from": r.From, "to": r.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			problems = append(problems, name+" is not a day of the form YYYY-MM-DD")
		}
	}
	if r.From != "" && r.To != "" && r.From >= r.To {
		problems = append(problems, "from is not before to")
	}
	if r.Limit < 0 || r.Limit > maxLimit {
		problems = append(problems, fmt.Sprintf("limit has to be from 0 to %d", maxLimit))
	}
	slices.Sort(problems)
	return problems
}

// maxStoredTold bounds what a model is told of the values of a dimension, in characters.
const maxStoredTold = 1500

// unstored says which values of a filter no row has. One that differs in capitals alone, or
// is a synonym of a stored one, is written as it is stored.
func (d *definitions) unstored(f *readFilter) (problems []string) {
	list, known := d.stored[f.Dimension]
	if !known || !slices.Contains([]string{"in", "not_in", "=", "<>"}, f.Operator) {
		return nil
	}
	for i, said := range f.Values {
		at := slices.IndexFunc(list, func(v semantic.Value) bool {
			return strings.EqualFold(v.Value, said) || slices.ContainsFunc(v.Synonyms, func(s string) bool { return strings.EqualFold(s, said) })
		})
		if at >= 0 {
			f.Values[i] = list[at].Value
			continue
		}
		var values []string
		for _, v := range list {
			values = append(values, text(v.Value))
		}
		problems = append(problems, fmt.Sprintf("%s has no value %q; its values are: %s", lang.Shorten(f.Dimension, 60), lang.Shorten(said, 60), lang.Shorten(strings.Join(values, "; "), maxStoredTold)))
	}
	return problems
}

// orderByTime is what an order by the steps of time is called.
const orderByTime = "time"

// maxLimit is the largest limit that a model may set.
const maxLimit = 10_000

// comparisons are the periods by the field's names.
var comparisons = map[string]intent.Compare{
	"yoy": {Unit: "year", N: 1}, "qoq": {Unit: "quarter", N: 1}, "mom": {Unit: "month", N: 1}, "wow": {Unit: "week", N: 1}, "dod": {Unit: "day", N: 1},
}

// intent is a checked answer as the intent that SQL is written from.
func (d *definitions) intent(r *read) intent.Intent {
	in := intent.Intent{Country: r.Countries, AllCountries: r.AllCountries, Limit: int64(r.Limit)}
	outputs := map[string]intent.Output{}
	for _, m := range r.Metrics {
		o := intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: m.ID}}
		switch m.Aggregate {
		case "share":
			o.Agg = intent.AggShare
		case "average":
			o.Agg = intent.AggAvg
		}
		in.Select, outputs[m.ID] = append(in.Select, o), o
	}
	for _, id := range r.Dimensions {
		f := intent.Field{Kind: intent.KindDimension, ID: id}
		if d.has(intent.KindEntity, id) && !d.has(intent.KindDimension, id) {
			f.Kind = intent.KindEntity
		}
		in.GroupBy, outputs[id] = append(in.GroupBy, f), intent.Output{Field: f}
	}
	in.Time = r.time()
	in.Type = in.Shape()
	if in.Time != nil && in.Time.Grain != "" {
		outputs[orderByTime] = intent.Output{Field: intent.Field{Kind: intent.KindTime, Grain: in.Time.Grain}}
	}
	for _, f := range r.Filters {
		c := intent.Cond{Op: intent.Op(f.Operator), Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: f.Dimension}}}
		for _, v := range f.Values {
			c.Values = append(c.Values, intent.Literal{Text: v})
		}
		if len(c.Values) == 1 && c.Op == intent.Eq {
			c.Op = intent.In
		}
		in.Filters = append(in.Filters, c)
	}
	for _, id := range r.NamedFilters {
		in.Filters = append(in.Filters, intent.Cond{Op: intent.Named, ID: id})
	}
	in.Part = r.part()
	for _, h := range r.Having {
		left := outputs[h.Metric]
		in.Having = append(in.Having, intent.Cond{Op: intent.Op(h.Operator), Left: &left, Values: []intent.Literal{{Text: fmt.Sprint(h.Value), Number: true}}})
	}
	for _, o := range r.OrderBy {
		if by, ok := outputs[o.ID]; ok {
			in.OrderBy = append(in.OrderBy, intent.Order{By: by, Desc: o.Desc})
		}
	}
	if in.Time != nil && in.Time.Compare != nil {
		for _, o := range slices.Clone(in.Select) {
			for _, agg := range []intent.Agg{intent.AggPrevious, intent.AggChange, intent.AggChangeRate} {
				c := o
				c.Base, c.Agg = o.Agg, agg
				in.Select = append(in.Select, c)
			}
		}
	}
	if by, ok := outputs[orderByTime]; ok && len(in.OrderBy) == 0 {
		in.OrderBy = []intent.Order{{By: by}}
	}
	return in
}

// part is the one condition whose rows are the part of a share where there are no groups
// whose shares are asked for; empty: there is no share of that kind.
func (r *read) part() string {
	isShare := slices.ContainsFunc(r.Metrics, func(m readMetric) bool { return m.Aggregate == "share" })
	switch {
	case !isShare || len(r.Dimensions) > 0 || len(r.Filters)+len(r.NamedFilters) != 1:
		return ""
	case len(r.Filters) == 1:
		return r.Filters[0].Dimension
	}
	return r.NamedFilters[0]
}

// time is the period of an answer; nil where it names none.
func (r *read) time() *intent.Time {
	t := intent.Time{From: r.From, To: r.To}
	if r.Grain != "none" {
		t.Grain = r.Grain
	}
	if c, ok := comparisons[r.Compare]; ok {
		t.Compare = &c
	}
	if t == (intent.Time{}) {
		return nil
	}
	return &t
}
