package chatbi

import (
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

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
	if a.Problem != nil {
		switch a.Problem.Code {
		case warehouse.NamePermission, guard.CodeFunctionDenied, guard.CodeSystemTable, guard.CodeTableFunction, guard.CodeTableVersion:
			return run.OutcomeDenied
		case warehouse.NameTimeLimit:
			return run.OutcomeCut
		}
	}
	if a.Outcome == OutcomeRefused {
		return run.OutcomeRefused
	}
	return run.OutcomeFailed
}
