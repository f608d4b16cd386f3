package chatbi

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestWhatAnExecutionCameTo holds the one list of codes (pkg/run), which the router
// reads too, against the names that the engines and the guard have.
func TestWhatAnExecutionCameTo(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][2]run.Outcome{ // refused, failed
		guard.CodeFunctionDenied:      {run.OutcomeDenied, run.OutcomeDenied},
		guard.CodeSystemTable:         {run.OutcomeDenied, run.OutcomeDenied},
		guard.CodeTableFunction:       {run.OutcomeDenied, run.OutcomeDenied},
		guard.CodeTableVersion:        {run.OutcomeDenied, run.OutcomeDenied},
		warehouse.NamePermission:      {run.OutcomeDenied, run.OutcomeDenied},
		"ACCESS_DENIED":               {run.OutcomeDenied, run.OutcomeDenied},
		warehouse.NameTimeLimit:       {run.OutcomeCut, run.OutcomeCut},
		guard.CodeReadOnly:            {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodeNotQuery:            {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodeParameter:           {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodePartitionRequired:   {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodePolicyBroken:        {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodePolicyNotApplicable: {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodeAnswerTooLong:       {run.OutcomeRefused, run.OutcomeFailed},
		guard.CodeTooComplex:          {run.OutcomeRefused, run.OutcomeFailed},
		"COST_LIMIT_EXCEEDED":         {run.OutcomeRefused, run.OutcomeFailed},
		warehouse.NameDivisionByZero:  {run.OutcomeRefused, run.OutcomeFailed},
		warehouse.NameEngineEnded:     {run.OutcomeRefused, run.OutcomeFailed},
		"":                            {run.OutcomeRefused, run.OutcomeFailed},
	} {
		problem := &Problem{Code: code}
		require.Equal(t, want[0], cameTo(Answer{Outcome: OutcomeRefused, Problem: problem}, nil), "%s refused", code)
		require.Equal(t, want[1], cameTo(Answer{Outcome: OutcomeFailed, Problem: problem}, nil), "%s failed", code)
	}
	require.Equal(t, run.OutcomeFailed, cameTo(Answer{Outcome: OutcomeFailed}, nil))
	require.Equal(t, run.OutcomeAnswered, cameTo(Answer{Outcome: OutcomeDone}, nil))
	require.Equal(t, run.OutcomeAsked, cameTo(Answer{Outcome: OutcomeAsk}, nil))
	require.Equal(t, run.OutcomeCancelled, cameTo(Answer{}, context.Canceled))
	require.Equal(t, run.OutcomeDenied, cameTo(Answer{}, fault.New(codes.PermissionDenied, "X", "no")))
}
