package workflow

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// plan is node 7: a plan of the request, another one after a rejection, or the one that
// there is, mended.
func (w *Workflow) plan(ctx context.Context, s *State) error {
	version := s.Plan.Version + 1
	if s.ByModel {
		s.Human = ""
		return w.planByModel(ctx, s)
	}
	if !s.Valid && len(s.Problems) > 0 { // it came back from the dispatcher
		s.Plan = plan.Repair(s.Plan, w.rules.ReportStep(s.language()))
		s.Plan.Version = version
		s.Message = w.say(s, "repaired")
		return nil
	}
	before := s.Plan
	revised := s.Human == Rejected
	if revised {
		s.Human = ""
		heard, err := w.hearsChange(ctx, s)
		if err != nil {
			return err
		}
		if !heard {
			s.Asked = w.say(s, "not_heard")
			return nil // the same version waits again
		}
	}
	if s.ByExample {
		w.planByExample(s, version)
		return nil
	}
	s.Plan = w.rules.Make(s.Request, s.language())
	if revised && samePlan(s.Plan, before) { // what was understood changes nothing
		s.Plan, s.Feedback = before, s.Feedback[:len(s.Feedback)-1]
		s.Asked = w.say(s, "not_heard")
		return nil
	}
	s.Plan.Version, s.Asked = version, ""
	s.Message = w.say(s, "planned", "n", strconv.Itoa(len(s.Plan.Steps)))
	return nil
}

// samePlan reports whether two plans have the same steps and say the same of what they leave
// out and assume.
func samePlan(a, b plan.Plan) bool {
	return reflect.DeepEqual(a.Steps, b.Steps) && slices.Equal(a.Unanswered, b.Unanswered) && slices.Equal(a.Assumptions, b.Assumptions)
}

// planByExample takes the plan that the agent has for the question.
func (w *Workflow) planByExample(s *State, version int) {
	report := w.rules.ReportStep(s.language())
	steps := slices.Clone(s.Query.example().Steps)
	for _, step := range steps {
		report.Inputs = append(report.Inputs, step.ID)
	}
	s.Plan = plan.Plan{Version: version, Steps: append(steps, report), Assumptions: []string{w.say(s, "planned_by_example", "agent", s.Query.Agent.ID)}}
	s.Asked, s.Message = "", w.say(s, "planned", "n", strconv.Itoa(len(s.Plan.Steps)))
}

// hearsChange reads the newest words of the person; false where they say no change.
// Evidence that was recalled before stays as it is.
func (w *Workflow) hearsChange(ctx context.Context, s *State) (bool, error) {
	req, err := w.read(ctx, s, s.Query.Question, s.Feedback...)
	if err != nil {
		return false, err
	}
	if req.Unheard {
		s.Feedback = s.Feedback[:len(s.Feedback)-1]
		return false, nil
	}
	s.Request, s.ByExample = req, false
	return true, nil
}

// dispatch is node 8: it checks the plan and says what comes next.
func (w *Workflow) dispatch(_ context.Context, s *State) error {
	s.NextNode, s.Current = "", ""
	if s.Unplanned {
		s.Valid, s.Problems = true, nil // it has ended with its reason
		return nil
	}
	s.Problems = plan.Check(s.Plan)
	if s.Valid = len(s.Problems) == 0; !s.Valid {
		s.Repairs++
		if s.Repairs > MaxPlanRepairs {
			var texts []string
			for _, p := range s.Problems {
				texts = append(texts, p.Text)
			}
			return w.fail(s, "invalid", "problems", strings.Join(texts, "; "))
		}
		return nil
	}
	if s.Query.Review && s.Approved != s.Plan.Version {
		s.NextNode = HumanFeedback
		return nil
	}
	for _, step := range s.Plan.Steps {
		if r := s.result(step.ID); r != nil && r.Status != StepRunning {
			continue
		}
		if step.Kind == plan.Report {
			if s.Query.OnlySQL {
				s.Status, s.Message = run.StatusSucceeded, w.say(s, "sql_only")
				return nil
			}
			s.NextNode, s.Current = ReportGenerator, step.ID
			return nil
		}
		s.begin(step)
		s.Message = w.say(s, "step", "step", step.ID, "title", step.Title)
		return nil
	}
	return nil
}

// begin makes a step the one at work, with counters of its own.
func (s *State) begin(step plan.Step) {
	s.NextNode, s.Current = SQLGenerate, step.ID
	if step.Kind == plan.Python || step.Kind.Computes() {
		s.NextNode = PythonGenerate
	}
	s.Written, s.SQLCount, s.Reason, s.Tried, s.SQLEnd, s.Verdict, s.RunOK = nil, 0, "", nil, false, false, false
	s.PythonTries, s.PythonOK, s.PythonFallback, s.PythonOutput = 0, false, false, ""
	s.PythonCode, s.PythonProblem, s.PythonEnd = "", "", false
	s.Computed = nil
	s.put(Result{Step: step.ID, Status: StepRunning})
}

// hear is node 9: it waits for a person, and goes on with what they decided.
func (w *Workflow) hear(ctx context.Context, s *State) error {
	switch s.Human {
	case Approved:
		s.Approved, s.Human, s.Asked = s.Plan.Version, "", ""
		s.Status, s.Message = run.StatusRunning, w.say(s, "approved")
	case Rejected:
		s.Status = run.StatusRunning
	case Edited:
		s.Human, s.Asked = "", ""
		s.Status, s.Message = run.StatusRunning, w.say(s, "edited")
	default:
		if s.Plan.Costs == nil {
			s.Plan.Costs = w.agents.Estimate(ctx, s.Query, s.Plan.Steps)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		s.Human, s.Status = Waiting, run.StatusWaiting
		if s.Asked == "" {
			s.Asked = w.say(s, "waiting")
		}
		s.Message = s.Asked
	}
	return nil
}

// conclude gives an analysis that ended without a word of its own its status.
func (w *Workflow) conclude(s *State) {
	if s.Status != run.StatusRunning {
		return
	}
	s.Status = run.StatusFailed
	if s.Error == "" {
		s.Error = w.say(s, "gave_up", "step", s.Current, "n", strconv.Itoa(s.SQLCount), "reason", s.Reason)
	}
	s.Message = s.Error
}
