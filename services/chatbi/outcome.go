package chatbi

import "github.com/dibrain/dibrain/pkg/run"

// cameTo says what came of an execution, for its span and the metrics. An answer that
// was refused or failed is no error of the call.
func cameTo(a Answer, err error) run.Outcome {
	switch {
	case err != nil:
		return run.OutcomeOf(err)
	case a.Outcome == OutcomeDone:
		return run.OutcomeAnswered
	case a.Outcome == OutcomeAsk:
		return run.OutcomeAsked
	}
	code := ""
	if a.Problem != nil {
		code = a.Problem.Code
	}
	return run.OutcomeOfProblem(code, a.Outcome == OutcomeRefused)
}
