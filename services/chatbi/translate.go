package chatbi

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// betterSigns are the good ends of figures as the analysis knows them.
var betterSigns = map[commonv1.BetterEnd]int{commonv1.BetterEnd_BETTER_END_HIGH: 1, commonv1.BetterEnd_BETTER_END_LOW: -1}

func (s *Service) toQuery(ctx context.Context, q *chatbiv1.ExecuteQuery) Query {
	var labels []Label
	for _, l := range q.GetLabels() {
		labels = append(labels, Label{Column: l.GetColumn(), Label: l.GetLabel(), Unit: l.GetUnit(), Better: betterSigns[l.GetBetter()], Level: l.GetLevel()})
	}
	return Query{
		Labels: labels,
		Source: orDefault(q.GetSource(), s.config().DefaultSource), SQL: q.GetSql(), Question: q.GetUserQuestion(),
		Metrics: q.GetMetrics(), Assumptions: q.GetAssumptions(), Confidence: q.GetConfidence(),
		Language: languageOf(q), Now: s.nowOf(ctx, q.GetUserContext()), PageSize: int(q.GetPageSize()),
		Wanted: chart.Kind(q.GetChartKind()), CostConfirmed: q.GetCostConfirmed(),
		Fresh: q.GetFresh(),
	}
}

// languageOf is the language that the asker chose, else that of the question.
func languageOf(q *chatbiv1.ExecuteQuery) lang.Language {
	switch q.GetUserContext().GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		return lang.English
	case commonv1.Language_LANGUAGE_ZH:
		return lang.Chinese
	}
	return lang.Detect(q.GetUserQuestion())
}

// nowOf is the run's now; outside a run, the service's clock in the asker's zone.
func (s *Service) nowOf(ctx context.Context, u *commonv1.UserContext) time.Time {
	rc := run.From(ctx)
	if rc.TimeZone == "" {
		rc.TimeZone = u.GetTimeZone()
	}
	now := rc.Now
	if now.IsZero() {
		now = s.deps.Clock()
	}
	return now.In(rc.Location())
}

func outcomeOf(o Outcome) chatbiv1.ExecuteOutcome { return chatbiv1.ExecuteOutcome(o) }

func (s *Service) fromAnswer(q Query, a Answer) (*chatbiv1.ExecuteResult, error) {
	res := &chatbiv1.ExecuteResult{
		Outcome: outcomeOf(a.Outcome), Answer: prose.Safe(a.Analysis.Answer), ExecutedSql: a.SQL,
		EngineMilliseconds: float64(a.EngineTime) / float64(time.Millisecond),
		Certificate:        fromCertificate(a.Certificate),
	}
	if !a.ReadAt.IsZero() {
		res.ReadAt = timestamppb.New(a.ReadAt)
	}
	for _, c := range a.Changes {
		res.GuardChanges = append(res.GuardChanges, &commonv1.GuardChange{Rule: c.Rule, Message: prose.Safe(c.Message)})
	}
	for _, w := range a.Analysis.Warnings {
		res.Warnings = append(res.Warnings, &commonv1.Warning{Code: w.Code, Message: prose.Safe(w.Message)})
	}
	for _, f := range a.Analysis.Findings {
		res.Findings = append(res.Findings, &commonv1.Finding{Kind: f.Kind, Text: prose.Safe(f.Text), Evidence: f.Evidence})
	}
	switch a.Outcome {
	case OutcomeDone:
		page, err := fromPage(a.Page)
		if err != nil {
			return nil, err
		}
		res.Page, res.Chart = page, fromChart(a.Analysis.Chart)
	case OutcomeAsk:
		res.Question = s.costQuestion(q, a.Analysis.Answer, "execute_sql_and_analyze_result")
		res.Certificate = nil
	}
	if a.Problem != nil {
		res.Error = fromProblem(a.Problem)
	}
	return res, nil
}

func fromProblem(p *Problem) *commonv1.SqlDiagnostic {
	d := &commonv1.SqlDiagnostic{Code: p.Code, Message: prose.Safe(p.Message), Suggestions: p.Suggestions}
	if p.Line > 0 {
		d.Position = &commonv1.SqlPosition{Line: int32(p.Line), Column: int32(p.Column)}
	}
	return d
}

func fromChart(c analyse.Chart) *commonv1.Chart {
	m := &commonv1.Chart{
		Kind: commonv1.ChartKind(c.Kind), Title: c.Title, X: c.X, Y: c.Y, Series: c.Series, EchartsOptionJson: c.Option,
		AltText: c.Alt, Reason: c.Reason,
	}
	for _, other := range c.Others {
		m.Alternatives = append(m.Alternatives, &commonv1.ChartAlternative{Kind: commonv1.ChartKind(other.Kind), Reason: other.Reason})
	}
	return m
}

func fromCertificate(c Certificate) *commonv1.Certificate {
	m := &commonv1.Certificate{
		Metrics: prose.SafeAll(c.Metrics), Filters: prose.SafeAll(c.Filters), Rows: c.Rows, Assumptions: prose.SafeAll(c.Assumptions), Confidence: c.Confidence,
		AbstainedReason: prose.Safe(c.AbstainedReason), StatementSha256: c.SHA256, Paragraph: prose.Safe(c.Paragraph),
	}
	for _, change := range c.Changes {
		m.GuardChanges = append(m.GuardChanges, &commonv1.GuardChangeNote{Rule: change.Rule, Message: prose.Safe(change.Message)})
	}
	for _, f := range c.Tables {
		m.Tables = append(m.Tables, fromFreshness(f))
	}
	return m
}

func fromFreshness(f Freshness) *commonv1.TableFreshness {
	t := &commonv1.TableFreshness{Table: f.Table.String(), LatestPartition: f.LatestPartition}
	if !f.UpdatedAt.IsZero() {
		t.UpdatedAt = timestamppb.New(f.UpdatedAt)
	}
	return t
}

// costQuestion asks for a yes to what a tool would read.
func (s *Service) costQuestion(q Query, text, tool string) *commonv1.Question {
	say := func(key string) string { return s.analyst.Sentence(q.Language, key, nil) }
	return &commonv1.Question{
		Text: prose.Safe(text),
		Options: []*commonv1.Option{
			{Id: "run", Label: say("cost_run"), Description: say("cost_run_why")},
			{Id: "narrow", Label: say("cost_narrow"), Description: say("cost_narrow_why")},
		},
		ToolName: tool,
	}
}
