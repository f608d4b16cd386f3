package workflow

import (
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/run"
)

// report is node 16: the report over all steps. One whose numbers are not all cells of
// results does not go out.
func (w *Workflow) report(_ context.Context, s *State) error {
	var reasons []string
	for _, r := range s.Results {
		if r.Status == StepUnanswered {
			reasons = append(reasons, r.Problem)
		}
	}
	if !slices.ContainsFunc(s.Results, func(r Result) bool { return r.Status == StepDone }) {
		return w.fail(s, "nothing_answered", "reasons", strings.Join(slices.Compact(reasons), " "))
	}
	written, err := w.writes(s)
	if err != nil {
		return w.fail(s, "report_wrong", "reason", err.Error())
	}
	s.Report, s.Current = written, ""
	s.put(Result{Step: s.Plan.Steps[len(s.Plan.Steps)-1].ID, Status: StepDone})
	s.Status, s.Message = run.StatusSucceeded, w.say(s, "reported")
	return nil
}
