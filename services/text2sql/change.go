package text2sql

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/metric"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// PlanChange implements the rpc.
func (s *Service) PlanChange(ctx context.Context, req *text2sqlv1.PlanChangeRequest) (*text2sqlv1.PlanChangeResponse, error) {
	in := fromQuery(req.GetQuery())
	why, res, err := s.planChange(ctx, in)
	if err != nil {
		return nil, err
	}
	resp := &text2sqlv1.PlanChangeResponse{NotUnderstood: res.NotUnderstood}
	if res.Intent != nil {
		text, err := json.Marshal(res.Intent)
		if err != nil {
			return nil, fmt.Errorf("write intent: %w", err)
		}
		resp.IntentJson = string(text)
	}
	switch res.Outcome {
	case pipeline.Answered:
		resp.Outcome, resp.Plan = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, toPlan(why, res)
	case pipeline.Asked:
		run.Conclude(ctx, run.OutcomeAsked)
		resp.Outcome, resp.Question = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, toQuestion(res, "explain_change")
	default:
		run.Conclude(ctx, run.OutcomeAbstained)
		resp.Outcome, resp.AbstainedReason = text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, prose.Safe(res.Reason)
	}
	return resp, nil
}

// planChange reads the question and writes the statements over what the asker may know
// of the layer and of the tables.
func (s *Service) planChange(ctx context.Context, in In) (pipeline.Why, pipeline.Result, error) {
	if in.Question == "" {
		return pipeline.Why{}, pipeline.Result{}, fault.Invalid("user_question", "QUESTION_EMPTY", "the question is empty: ask why a figure changed")
	}
	in.Source = cmp.Or(in.Source, s.config.DefaultSource)
	task, err := s.task(ctx, in)
	if err != nil {
		return pipeline.Why{}, pipeline.Result{}, err
	}
	question := pipeline.Input{
		Question: in.Question, Schema: task.Schema, Now: task.Now, Language: task.Language, Chosen: in.Chosen,
		Previous: task.Previous, FollowUp: in.FollowUp,
	}
	read := s.pipeline.ReadWhy(question)
	if read.Outcome != pipeline.Answered {
		return pipeline.Why{}, read, nil
	}
	tables, err := s.tablesOfChange(ctx, in.Source, task.Schema, read)
	if err != nil {
		return pipeline.Why{}, read, err
	}
	why, res := s.pipeline.PlanWhy(question, read, tables, metric.ChangeLimits{
		Dimensions: s.config.MaxChangeDimensions, Cells: int64(s.config.MaxChangeCells), Values: int64(s.config.MaxChangeValues),
		History: s.config.ChangeHistoryDays,
	})
	return why, res, nil
}

// tablesOfChange describes all tables that the metric of an intent, its factors and the
// conditions may be read from, as the asker sees them.
func (s *Service) tablesOfChange(ctx context.Context, source string, schema *pipeline.Schema, read pipeline.Result) ([]catalog.Table, error) {
	regions, err := s.layers.regions(source)
	if err != nil {
		return nil, err
	}
	var out []catalog.Table
	for names := range slices.Chunk(everywhere(schema.NamesOfChange(read.Intent), regions), maxDescribed) {
		tables, err := s.describe(ctx, source, names)
		if err != nil {
			return nil, err
		}
		out = append(out, lacking(out, tables)...)
	}
	return out, nil
}

// maxDescribed is how many tables findata describes at a time, as in its contract.
const maxDescribed = 200

// kindsOfChange are the contract's.
var kindsOfChange = map[metric.Adds]commonv1.ChangeKind{
	metric.AddsUp: commonv1.ChangeKind_CHANGE_KIND_ADDITIVE, metric.AddsLevel: commonv1.ChangeKind_CHANGE_KIND_SEMI_ADDITIVE,
	metric.AddsRatio: commonv1.ChangeKind_CHANGE_KIND_RATIO, metric.AddsNever: commonv1.ChangeKind_CHANGE_KIND_DISTINCT,
}

// Ids of what a ratio divides and is divided by, as in the contract.
const numerator, denominator = "numerator", "denominator"

func toPlan(why pipeline.Why, res pipeline.Result) *commonv1.ChangePlan {
	plan := &commonv1.ChangePlan{
		Metric:  &commonv1.ChangeMetric{Id: why.Metric.ID, Name: why.Name, Unit: why.Unit, Kind: kindsOfChange[why.Adds]},
		Before:  &commonv1.ChangePeriod{From: why.Before.From, To: why.Before.To},
		After:   &commonv1.ChangePeriod{From: why.After.From, To: why.After.To},
		Filters: why.Filters, Metrics: why.Metrics, Assumptions: res.Assumptions,
		Statements: []*commonv1.ChangeStatement{
			toStatement(commonv1.ChangeRole_CHANGE_ROLE_CELLS, why.Cells), toStatement(commonv1.ChangeRole_CHANGE_ROLE_DAILY, why.Daily),
		},
	}
	for i, d := range why.Change.Dimensions {
		plan.Dimensions = append(plan.Dimensions, &commonv1.ChangeItem{Id: metric.Base(d.ID), Name: why.Dimensions[i]})
	}
	if why.Events != nil {
		plan.Statements = append(plan.Statements, toStatement(commonv1.ChangeRole_CHANGE_ROLE_EVENTS, *why.Events))
	}
	if why.Days != nil {
		plan.Statements = append(plan.Statements, toStatement(commonv1.ChangeRole_CHANGE_ROLE_DAYS, *why.Days))
	}
	for i, f := range why.Change.Parts {
		plan.Factors = append(plan.Factors, &commonv1.ChangeItem{Id: [...]string{numerator, denominator}[i], Name: why.Parts[i], Unit: f.Unit})
	}
	if why.Product == nil {
		return plan
	}
	plan.Factors = nil
	for i, f := range why.Change.Factors {
		plan.Factors = append(plan.Factors, &commonv1.ChangeItem{Id: f.ID, Name: why.Factors[i], Unit: f.Unit})
	}
	plan.Statements = append(plan.Statements, toStatement(commonv1.ChangeRole_CHANGE_ROLE_FACTORS, *why.Product))
	return plan
}

func toStatement(role commonv1.ChangeRole, w metric.Written) *commonv1.ChangeStatement {
	out := &commonv1.ChangeStatement{Role: role, Sql: printer.Format(w.Statement)}
	for _, t := range w.Tables {
		out.Tables = append(out.Tables, &commonv1.TableName{Name: t.Name.String()})
	}
	return out
}

// toQuestion translates what the pipeline asks.
func toQuestion(res pipeline.Result, tool string) *commonv1.Question {
	q := &commonv1.Question{Text: prose.Safe(res.Question), ToolName: tool}
	for _, o := range res.Options {
		q.Options = append(q.Options, &commonv1.Option{Id: o.ID, Label: prose.Safe(prose.Line(o.Label)), Description: prose.Safe(prose.Line(o.Description))})
	}
	return q
}
