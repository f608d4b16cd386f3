package workflow

import (
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// writeSQL is node 10: text to SQL writes what the step runs.
func (w *Workflow) writeSQL(ctx context.Context, s *State) error {
	step, ok := s.Plan.Step(s.Current)
	if !ok {
		return w.fail(s, "invalid", "problems", s.Current)
	}
	before := s.Written
	s.SQLCount++
	s.Written, s.Verdict, s.RunOK = nil, false, false
	written, err := w.agents.Write(w.called(ctx, s), s.Query, step, s.Tried)
	if err != nil {
		return w.stumbled(ctx, s, err)
	}
	if before != nil && before.SQL == written.SQL && slices.Equal(before.Opaque, written.Opaque) {
		// The same again would fail again; what it failed with is what is told.
		s.unanswered(w, s.Reason+" ("+w.say(s, "same_again")+")")
		return nil
	}
	s.Written, s.Message = &written, w.say(s, "written", "step", s.Current)
	return nil
}

// compareWithStep is node 11: does the statement say what the step asks.
func (w *Workflow) compareWithStep(_ context.Context, s *State) error {
	step, _ := s.Plan.Step(s.Current)
	reason := w.contradiction(s, step, s.Written.Said)
	if s.Verdict = reason == ""; !s.Verdict {
		s.Reason = reason
		s.tried(reason)
		s.Message = w.say(s, "inconsistent", "step", s.Current, "reason", reason)
		return nil
	}
	s.Message = w.say(s, "consistent", "step", s.Current)
	if s.Query.OnlySQL {
		s.put(Result{Step: s.Current, Status: StepDone, SQL: []string{s.Written.SQL}, Tries: s.SQLCount})
	}
	return nil
}

// tried keeps why the statement did not do, for whoever writes the next one.
func (s *State) tried(reason string) {
	if s.Written != nil && s.Written.SQL != "" && reason != "" {
		s.Tried = append(slices.Clone(s.Tried), Tried{SQL: s.Written.SQL, Reason: reason})
	}
}

// contradiction is what a statement does not say of what its step asks; "" where it
// says all that can be told from how it was understood.
func (w *Workflow) contradiction(s *State, step plan.Step, said Said) string {
	if len(said.NotUnderstood) > 0 {
		return w.say(s, "not_said", "words", strings.Join(said.NotUnderstood, ", "))
	}
	if step.Kind == plan.ExplainChange {
		if !said.Change {
			return w.say(s, "no_change")
		}
		return ""
	}
	if !said.Known {
		return ""
	}
	switch {
	case step.Expects == plan.Series && !said.ByTime:
		return w.say(s, "not_grouped", "what", w.say(s, "by_day"))
	case step.Expects == plan.Categories && !said.ByCategory:
		return w.say(s, "not_grouped", "what", w.say(s, "by_category"))
	case step.Expects == plan.Figures && (said.ByTime || said.ByCategory):
		return w.say(s, "one_row")
	}
	return ""
}

// execute is node 12: chat BI guards and runs it, as the asker.
func (w *Workflow) execute(ctx context.Context, s *State) error {
	step, _ := s.Plan.Step(s.Current)
	out, err := w.agents.Execute(w.called(ctx, s), s.Query, step, *s.Written)
	if err != nil {
		if status.Code(err) == codes.Aborted && ctx.Err() == nil { // the engine's word on the statement
			s.tried(ownText(err))
		}
		return w.stumbled(ctx, s, err)
	}
	out.Step, out.Status, out.Tries = s.Current, StepDone, s.SQLCount
	s.put(out)
	s.RunOK, s.Message = true, w.say(s, "done", "step", s.Current)
	return nil
}

// called is a context whose calls have the idempotency id of this try.
func (w *Workflow) called(ctx context.Context, s *State) context.Context {
	rc := run.From(ctx)
	rc.ToolCallID, rc.ToolName = callID(s), "analyze"
	return run.With(ctx, rc)
}

// stumbled takes up an error of a step's service: what another try will not change is
// the step's answer; the rest is tried again, as often as the ceiling says. The end of
// the context ends the stretch.
func (w *Workflow) stumbled(ctx context.Context, s *State, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
		s.unanswered(w, cannot.Reason)
		return nil
	}
	reason := ownText(err)
	switch status.Code(err) {
	case codes.InvalidArgument, codes.PermissionDenied, codes.NotFound, codes.FailedPrecondition, codes.Unimplemented, codes.ResourceExhausted:
		s.unanswered(w, reason)
		return nil
	case codes.Internal, codes.Unknown:
		reason = w.say(s, "internal", "run", run.From(ctx).Tag())
	}
	s.Reason = reason
	s.Message = w.say(s, "failed", "step", s.Current, "reason", reason)
	return nil
}

// unanswered ends the step at work without a result; the report says so.
func (s *State) unanswered(w *Workflow, reason string) {
	reason = strings.TrimSpace(reason)
	s.put(Result{Step: s.Current, Status: StepUnanswered, Problem: reason, Tries: s.SQLCount})
	s.Message = w.say(s, "unanswered", "step", s.Current, "reason", reason)
}

// writePython is node 13: the program of a step. What this service computes by itself
// needs none.
func (w *Workflow) writePython(ctx context.Context, s *State) error {
	step, _ := s.Plan.Step(s.Current)
	s.Message = w.say(s, "python_wait", "step", s.Current)
	if step.Kind.Computes() {
		s.Message = w.say(s, "computing", "step", s.Current)
		return nil
	}
	return w.code(ctx, s, step)
}

// runPython is node 14. Where this service computes the step, it does; else the program
// runs. What is not computed, for want of a runner, of a model, or of a program that works,
// is a fallback by the specification: node 15 says so.
func (w *Workflow) runPython(ctx context.Context, s *State) error {
	s.PythonTries++
	s.PythonOK, s.PythonFallback, s.Computed = false, false, nil
	step, _ := s.Plan.Step(s.Current)
	if !step.Kind.Computes() {
		return w.runCode(ctx, s, step)
	}
	s.PythonOutput = ""
	computed, err := w.compute(ctx, s, step)
	if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
		s.PythonOutput, s.PythonFallback = cannot.Reason, true
		return nil
	} else if err != nil {
		return err
	}
	if step.Kind == plan.Forecast {
		computed.Chart = w.agents.Chart(ctx, s.Query, computed.Tables[0])
	}
	s.PythonOK, s.Computed = true, computed
	return ctx.Err()
}

// readPython is node 15: it takes the computation over, or says why there is none.
func (w *Workflow) readPython(_ context.Context, s *State) error {
	if s.Computed == nil {
		s.unanswered(w, s.PythonOutput)
		return nil
	}
	out := *s.Computed
	out.Step, out.Status, out.Tries = s.Current, StepDone, s.PythonTries
	s.Computed = nil
	s.put(out)
	s.Message = w.say(s, "done", "step", s.Current)
	return nil
}
