package chatbi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
)

// ExplainChange implements chatbiv1.ChatBIServiceServer.
func (s *Service) ExplainChange(req *chatbiv1.ExplainChangeRequest, stream grpc.ServerStreamingServer[chatbiv1.ExplainChangeResponse]) error {
	var res *chatbiv1.ExplainResult
	var trace *commonv1.RunTrace
	if err := sendingProgress(func(p *chatbiv1.ExecuteProgress) error {
		return stream.Send(&chatbiv1.ExplainChangeResponse{Event: &chatbiv1.ExplainChangeResponse_Progress{Progress: p}})
	}, func(progress func(Progress)) (err error) {
		res, trace, err = s.explainChange(stream.Context(), req.GetQuery(), progress)
		return err
	}); err != nil {
		return err
	}
	return stream.Send(&chatbiv1.ExplainChangeResponse{Event: &chatbiv1.ExplainChangeResponse_Result{Result: res}, Trace: trace})
}

// ExplainChangeUnary implements chatbiv1.ChatBIServiceServer.
func (s *Service) ExplainChangeUnary(ctx context.Context, req *chatbiv1.ExplainChangeUnaryRequest) (*chatbiv1.ExplainChangeUnaryResponse, error) {
	res, trace, err := s.explainChange(ctx, req.GetQuery(), func(Progress) {})
	if err != nil {
		return nil, err
	}
	return &chatbiv1.ExplainChangeUnaryResponse{Result: res, Trace: trace}, nil
}

func (s *Service) explainChange(ctx context.Context, q *chatbiv1.ExplainQuery, progress func(Progress)) (*chatbiv1.ExplainResult, *commonv1.RunTrace, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, nil, err
	}
	query, err := s.toChangeQuery(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	a, trace, err := recorded(ctx, "chatbi.explain_change", func(ctx context.Context) (ChangeAnswer, run.Outcome, error) {
		a, err := s.explainAs(ctx, p, query, progress)
		return a, cameTo(Answer{Outcome: a.Outcome, Problem: a.Problem}, err), err
	})
	if err != nil {
		return nil, nil, err
	}
	res, err := s.fromChange(query, a)
	if err != nil {
		return nil, nil, err
	}
	return res, trace, nil
}

// kindsOfChange are the contract's kinds.
var kindsOfChange = map[commonv1.ChangeKind]explain.Kind{
	commonv1.ChangeKind_CHANGE_KIND_ADDITIVE: explain.Additive, commonv1.ChangeKind_CHANGE_KIND_SEMI_ADDITIVE: explain.SemiAdditive,
	commonv1.ChangeKind_CHANGE_KIND_RATIO: explain.Ratio, commonv1.ChangeKind_CHANGE_KIND_DISTINCT: explain.Distinct,
}

// outcomesOfChange are the contract's outcomes.
var outcomesOfChange = map[explain.Outcome]chatbiv1.ChangeOutcome{
	explain.OneCause: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_ONE_CAUSE, explain.SeveralCauses: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_SEVERAL_CAUSES,
	explain.EvenlySpread: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_EVENLY_SPREAD, explain.Offsetting: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_OFFSETTING,
	explain.NotDecomposable: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_NOT_DECOMPOSABLE,
	explain.NothingUnusual:  chatbiv1.ChangeOutcome_CHANGE_OUTCOME_NOTHING_UNUSUAL, explain.NoChange: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_NO_CHANGE,
}

func (s *Service) toChangeQuery(ctx context.Context, q *chatbiv1.ExplainQuery) (ChangeQuery, error) {
	m := q.GetPlan()
	plan := ChangePlan{
		Metric: ChangeItem{ID: m.GetMetric().GetId(), Name: m.GetMetric().GetName(), Unit: m.GetMetric().GetUnit()},
		Kind:   explain.Opaque, Filters: m.GetFilters(), Dimensions: toItems(m.GetDimensions()), Factors: toItems(m.GetFactors()),
		Metrics: m.GetMetrics(), Assumptions: m.GetAssumptions(),
	}
	if kind, ok := kindsOfChange[m.GetMetric().GetKind()]; ok {
		plan.Kind = kind
	}
	var err error
	if plan.Before, err = toPeriod(m.GetBefore()); err != nil {
		return ChangeQuery{}, err
	}
	if plan.After, err = toPeriod(m.GetAfter()); err != nil {
		return ChangeQuery{}, err
	}
	for _, st := range m.GetStatements() {
		plan.Statements = append(plan.Statements, ChangeStatement{Role: ChangeRole(st.GetRole()), SQL: st.GetSql()})
	}
	return ChangeQuery{
		Source: orDefault(q.GetSource(), s.config().DefaultSource), Plan: plan, Now: s.nowOf(ctx, q.GetUserContext()),
		Language:      languageOf(&chatbiv1.ExecuteQuery{UserContext: q.GetUserContext(), UserQuestion: q.GetUserQuestion()}),
		CostConfirmed: q.GetCostConfirmed(),
	}, nil
}

func toItems(list []*commonv1.ChangeItem) []ChangeItem {
	var out []ChangeItem
	for _, m := range list {
		out = append(out, ChangeItem{ID: m.GetId(), Name: orDefault(m.GetName(), m.GetId()), Unit: m.GetUnit()})
	}
	return out
}

func toPeriod(m *commonv1.ChangePeriod) (p explain.Period, err error) {
	if p.From, err = time.Parse(time.DateOnly, m.GetFrom()); err == nil {
		p.To, err = time.Parse(time.DateOnly, m.GetTo())
	}
	if err != nil {
		return p, fault.Invalid("plan", "CHANGE_PLAN_INVALID", "a period of the plan is %q to %q: use days as YYYY-MM-DD", m.GetFrom(), m.GetTo())
	}
	return p, nil
}

func (s *Service) fromChange(q ChangeQuery, a ChangeAnswer) (*chatbiv1.ExplainResult, error) {
	e := a.Explanation
	res := &chatbiv1.ExplainResult{
		Outcome: outcomeOf(a.Outcome), Answer: prose.Safe(strings.Join(a.Text.Lines(), "\n")), Headline: prose.Safe(a.Text.Headline),
		DataProblems: prose.SafeAll(a.Text.Missing), Notes: prose.SafeAll(a.Text.Notes), Certificate: fromCertificate(a.Certificate),
		Measured: prose.Safe(a.Text.Measured),
	}
	for _, r := range a.Runs {
		m := &chatbiv1.ChangeRun{
			Role: commonv1.ChangeRole(r.Role), ExecutedSql: r.SQL, Rows: r.Rows, EngineMilliseconds: float64(r.Time) / float64(time.Millisecond),
		}
		for _, c := range r.Changes {
			m.GuardChanges = append(m.GuardChanges, &commonv1.GuardChange{Rule: c.Rule, Message: prose.Safe(c.Message)})
		}
		res.Runs = append(res.Runs, m)
	}
	for _, w := range a.Warnings {
		res.Warnings = append(res.Warnings, &commonv1.Warning{Code: w.Code, Message: prose.Safe(w.Message)})
	}
	switch a.Outcome {
	case OutcomeAsk:
		res.Question, res.Certificate = s.costQuestion(Query{Language: q.Language}, a.Question, "explain_change"), nil
		return res, nil
	case OutcomeDone:
	default:
		if a.Problem != nil {
			res.Error = fromProblem(a.Problem)
		}
		return res, nil
	}
	res.Change = outcomesOfChange[e.Outcome]
	if a.Missing {
		res.Change = chatbiv1.ChangeOutcome_CHANGE_OUTCOME_DATA_MISSING
	}
	res.Figures = fromPair(e.Metric)
	names := map[string]string{}
	for _, f := range q.Plan.Factors {
		names[f.ID] = f.Name
	}
	for _, f := range e.Factors {
		res.Factors = append(res.Factors, &chatbiv1.ChangePart{
			Id: f.ID, Name: prose.Safe(prose.Line(orDefault(names[f.ID], f.ID))), Figures: fromPair(f.Pair), Accounts: f.Accounts, Share: f.Share,
		})
	}
	for i := range e.Telling {
		m := fromElement(&e.Telling[i], e.Causes)
		m.Name = prose.Safe(prose.Line(s.elementName(q, e.Telling[i])))
		res.Elements = append(res.Elements, m)
	}
	if e.Onset != nil {
		res.Onset = &chatbiv1.ChangeOnset{Date: e.Onset.Date.Format(time.DateOnly), Level: &chatbiv1.ChangePair{Before: e.Onset.Before, After: e.Onset.After}}
		if e.Onset.Ended != nil {
			res.Onset.Ended = e.Onset.Ended.Format(time.DateOnly)
		}
	}
	for _, event := range e.Events {
		res.Events = append(res.Events, prose.Safe(event.Name))
	}
	page, err := resultpb.ToPage(s.tellingTable(q, e))
	res.Page = page
	return res, err
}

func fromPair(p explain.Pair) *chatbiv1.ChangePair {
	return &chatbiv1.ChangePair{Before: p.Before, After: p.After}
}

func fromElement(e *explain.Element, causes []explain.Cause) *chatbiv1.ChangeElement {
	m := &chatbiv1.ChangeElement{Figures: fromPair(e.Metric), Expected: e.Expected, Accounts: e.Accounts, Share: e.Share}
	for _, p := range e.Places {
		m.Places = append(m.Places, &chatbiv1.ChangePlace{Dimension: p.Dimension, Value: p.Value})
	}
	for i := range causes {
		for k := range causes[i].Elements {
			m.Cause = m.Cause || slices.Equal(causes[i].Elements[k].Places, e.Places)
		}
	}
	return m
}

// tellingTable is the most telling cells as rows. Rates have the units by which they are
// shown as percent, other figures as many digits as they all need.
func (s *Service) tellingTable(q ChangeQuery, e explain.Explanation) result.Table {
	name := func(key string) string { return s.analyst.Sentence(q.Language, key, nil) }
	rate := e.Kind == explain.Ratio && q.Plan.Metric.Unit == analyse.UnitFraction
	digits := digitsOf(e.Telling)
	figure, unit, points := fmt.Sprintf("decimal(38,%d)", digits), "", ""
	if rate {
		figure, unit, points = "double", result.UnitPercent, result.UnitPoints
	}
	number := func(v float64) any {
		if rate || math.IsNaN(v) || math.IsInf(v, 0) {
			return v
		}
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	t := result.Table{Columns: []result.Column{
		{Name: name("change_where"), Type: "varchar"}, {Name: periodText(q.Plan.Before, q.Language), Type: figure, Unit: unit},
		{Name: periodText(q.Plan.After, q.Language), Type: figure, Unit: unit}, {Name: name("change_accounts"), Type: figure, Unit: points},
	}}
	for _, cell := range e.Telling {
		t.Rows = append(t.Rows, []any{s.elementName(q, cell), number(cell.Metric.Before), number(cell.Metric.After), number(cell.Accounts)})
	}
	return t
}

// elementName is what a group of cells is called: "payment method: COD, country: Thailand
// without Toys (category)".
func (s *Service) elementName(q ChangeQuery, e explain.Element) string {
	var labels words.Labels
	labels.Dimensions, labels.Countries = s.dimensionLabels(q.Plan)
	var places []string
	for _, p := range e.Places {
		value := s.changes.Value(p.Value, q.Language)
		if s.analyst.NamesCountries(p.Dimension) {
			value = orDefault(result.CountryName(p.Value, q.Language), value)
		}
		places = append(places, orDefault(labels.Dimensions[p.Dimension], p.Dimension)+q.Language.Pick(": ", "：")+value)
	}
	return s.changes.Without(strings.Join(places, q.Language.Pick(", ", "，")), e, labels, q.Language)
}

// dimensionLabels are the names of a plan's dimensions by id, and the ids of those whose
// values are countries.
func (s *Service) dimensionLabels(plan ChangePlan) (names map[string]string, countries []string) {
	names = make(map[string]string, len(plan.Dimensions))
	for _, d := range plan.Dimensions {
		names[d.ID] = d.Name
		if s.analyst.NamesCountries(d.ID) {
			countries = append(countries, d.ID)
		}
	}
	return names, countries
}

// digitsOf are the digits behind the point that the figures of cells need: none where all
// are whole, else two, of figures below one four.
func digitsOf(cells []explain.Element) int {
	whole, largest := true, 0.0
	for i := range cells {
		for _, v := range []float64{cells[i].Metric.Before, cells[i].Metric.After} {
			whole, largest = whole && v == math.Trunc(v), max(largest, math.Abs(v))
		}
	}
	switch {
	case whole:
		return 0
	case largest < 1:
		return 4
	}
	return 2
}
