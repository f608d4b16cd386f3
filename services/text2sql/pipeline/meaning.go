package pipeline

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// KindDefinition is the kind of the span of a question for what something means: its meaning
// is a sentence for people.
const KindDefinition = "definition"

// meaningForms ask what something means. "What is GMV" does, as a name without an article or
// an owner asks for no figure of it: "what is the GMV" and "what is our GMV" ask for that.
var meaningForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:what(?:'s| is| are)|whats)(?: meant by| the (?:meaning|definition) of)? (.+)$`),
	regexp.MustCompile(`(?i)^what (?:does|do) (.+?) (?:mean|stand for|refer to|measure)$`),
	regexp.MustCompile(`(?i)^how (?:is|are) (.+?) defined$`),
	regexp.MustCompile(`(?i)^(?:please )?(?:define|(?:the )?(?:meaning|definition) of) (.+)$`),
	regexp.MustCompile(`^(?:什么|啥)(?:是|叫)\s*(.+)$`),
	regexp.MustCompile(`^(.+?)\s*(?:是|指|指的是|是指)?(?:什么|啥)(?:意思|含义)?$`),
	regexp.MustCompile(`^(.+?)\s*的?(?:定义|含义|意思)(?:是(?:什么|啥))?$`),
	regexp.MustCompile(`^(.+?)\s*是?(?:怎么|如何|怎样)定义的?$`),
}

// meaning answers a question for what a metric of the written layer means: with its
// definition, and with its current figure beside it, not that of all time.
func (p *Pipeline) meaning(in Input) (Result, bool) {
	if in.Schema.written == nil || in.Chosen != "" {
		return Result{}, false
	}
	m := in.Schema.definedBy(in.Question)
	if m == nil {
		return Result{}, false
	}
	for _, t := range in.Schema.currently(m, in.Now) {
		i := intent.Intent{Type: intent.Basic, Select: []intent.Output{{Field: intent.Field{Kind: intent.KindMetric, ID: m.ID}}}, Time: t}
		res := p.overLayer(in, Result{Intent: &i, Confidence: MaxMetricConfidence}, metric.Reading{Intent: i})
		if res.Outcome == Answered || len(res.MissingTables) > 0 {
			res.Meaning = p.meansText(in, m)
			res.Understood = []Span{{Text: in.Question, Kind: KindDefinition, Meaning: res.Meaning, Score: 1}}
			return res, true
		}
	}
	return Result{}, false
}

// definedBy is the metric whose meaning a question asks for, and nothing else; nil: none.
func (s *Schema) definedBy(question string) *semantic.Metric {
	asked := strings.TrimRight(strings.TrimSpace(question), " ?？.。!！")
	for _, form := range meaningForms {
		found := form.FindStringSubmatch(asked)
		if found == nil {
			continue
		}
		name := words(found[1])
		for i := range s.written.Metrics {
			m := &s.written.Metrics[i]
			for _, own := range append([]string{m.Names.EN, m.Names.ZH}, m.Synonyms...) {
				if name != "" && words(own) == name {
					return m
				}
			}
		}
	}
	return nil
}

// currently are the times whose figure of a metric is its current one, best first: the last
// day that is over and that its data reach, the last month for what is kept by month, and no
// time for what has none.
func (s *Schema) currently(m *semantic.Metric, now time.Time) []*intent.Time {
	end := dates.Today(now)
	if high := s.reaches(m.Time); high != "" {
		if last, err := time.Parse(time.DateOnly, high); err == nil && last.Before(end) {
			end = last.AddDate(0, 0, 1)
		}
	}
	span := func(from, to time.Time) *intent.Time {
		return &intent.Time{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly)}
	}
	month := time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC)
	return []*intent.Time{span(end.AddDate(0, 0, -1), end), span(month.AddDate(0, -1, 0), month), nil}
}

// reaches is the last day of the columns of a name, as far as it is known.
func (s *Schema) reaches(column string) (last string) {
	for _, t := range s.view.Tables {
		for _, c := range t.Columns {
			if strings.EqualFold(cmp.Or(c.Expr, c.ID), column) {
				last = max(last, c.High)
			}
		}
	}
	return last
}

// meansText says what a metric means, and how it is computed.
func (p *Pipeline) meansText(in Input, m *semantic.Metric) string {
	l := in.Language
	name := cmp.Or(l.Pick(m.Names.EN, m.Names.ZH), m.Names.EN, m.Names.ZH, m.ID)
	about := cmp.Or(l.Pick(m.Description.EN, m.Description.ZH), m.Description.EN, m.Description.ZH)
	if about == "" {
		return p.messages.text(l, "means_formula", name, m.Expr)
	}
	return p.messages.text(l, "means", name, strings.TrimRight(about, ".。"))
}
