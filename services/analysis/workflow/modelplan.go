package workflow

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// PlanMaker makes plans of requests that rules do not plan. What it makes is checked as
// anybody's plan is.
type PlanMaker interface {
	Plan(ctx context.Context, r PlanRequest) (Proposal, error)
}

// PlanRequest is what a plan is made of. Tables and evidence are what the asker may know.
type PlanRequest struct {
	Language lang.Language
	Question string
	Earlier  []Earlier
	Feedback []string // words of a person about the plan before, oldest first
	Tables   []Document
	Metrics  []string
	Evidence []Evidence
	// Instructions are those of the analysis's agent, which the operator wrote.
	Instructions string
	Python       bool // whether steps in Python can run
	// Before is the plan that does not hold together, and Problems why; none at first.
	Before   plan.Plan
	Problems []string
}

// Proposal is a plan without its report, or why there is none.
type Proposal struct {
	Steps   []plan.Step
	Refusal string
}

// maxPlanMetrics bounds the figures that a planner is told of.
const maxPlanMetrics = 60

// beyondRules reports whether rules plan less than all of a request: it lacks what its kind
// needs, parts of it would be left out, or it is one question that cannot be written as SQL.
func (w *Workflow) beyondRules(ctx context.Context, s *State) (bool, error) {
	switch {
	case w.planner == nil:
		return false, nil
	case len(s.Request.Lacks) > 0 || len(s.Request.Unanswered) > 0:
		return true, nil
	case s.Request.Kind != "single":
		return false, nil
	}
	ok, err := w.agents.Writes(ctx, s.Query, s.Request.Rest)
	if err != nil {
		return false, fmt.Errorf("look at the question: %w", err)
	}
	return !ok, nil
}

// planByModel asks the planner. Where it has no plan, the rules' one stands if they have
// any; else the analysis ends with the reason.
func (w *Workflow) planByModel(ctx context.Context, s *State) error {
	version := s.Plan.Version + 1
	request := PlanRequest{
		Language: s.language(), Question: s.Query.Question, Earlier: s.Query.Earlier, Feedback: s.Feedback,
		Tables: s.Tables, Evidence: s.Evidence, Python: w.python.Runner != nil && w.python.Coder != nil,
	}
	if s.Query.Agent != nil {
		request.Instructions = s.Query.Agent.Instructions
	}
	metrics, err := w.agents.Metrics(ctx, s.Query)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil { // a source without a layer has none
		for _, m := range metrics[:min(len(metrics), maxPlanMetrics)] {
			request.Metrics = append(request.Metrics, m.Name)
		}
	}
	if !s.Valid && len(s.Problems) > 0 {
		request.Before = s.Plan
		for _, p := range s.Problems {
			request.Problems = append(request.Problems, p.Text)
		}
	}
	proposal, err := w.planner.Plan(ctx, request)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reason := strings.TrimSpace(proposal.Refusal)
	if err != nil {
		reason = ownText(err)
		if reason == "" {
			return fmt.Errorf("make a plan: %w", err)
		}
	}
	if err != nil || len(proposal.Steps) == 0 {
		s.ByModel = false
		if len(s.Request.Lacks) > 0 || !s.Request.Says() || s.Assessment.Reason != "" {
			return w.unplanned(s, reason)
		}
		s.Plan = w.rules.Make(s.Request, s.language())
		s.Plan.Version, s.Asked = version, ""
		s.Message = w.say(s, "planned", "n", strconv.Itoa(len(s.Plan.Steps)))
		return nil
	}
	report := w.rules.ReportStep(s.language())
	for _, step := range proposal.Steps {
		report.Inputs = append(report.Inputs, step.ID)
	}
	report.Inputs = slices.Compact(report.Inputs)
	s.Plan = plan.Plan{
		Version: version, Steps: append(slices.Clone(proposal.Steps), report), Assumptions: []string{w.say(s, "planned_by_model")},
	}
	s.Asked, s.Message = "", w.say(s, "planned", "n", strconv.Itoa(len(s.Plan.Steps)))
	return nil
}

// unplanned ends an analysis of which nobody made a plan, in words.
func (w *Workflow) unplanned(s *State, reason string) error {
	if reason == "" {
		reason = s.Assessment.Reason
	}
	s.Unplanned = true
	return w.fail(s, "unplanned", "reason", reason)
}
