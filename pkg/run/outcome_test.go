package run_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/run"
)

// TestOutcomeOfErrors: every code of gRPC stands for one outcome, wrapped or not.
func TestOutcomeOfErrors(t *testing.T) {
	t.Parallel()
	want := map[codes.Code]run.Outcome{
		codes.OK: run.OutcomeAnswered, codes.Canceled: run.OutcomeCancelled, codes.DeadlineExceeded: run.OutcomeCut,
		codes.Unauthenticated: run.OutcomeDenied, codes.PermissionDenied: run.OutcomeDenied,
		codes.InvalidArgument: run.OutcomeRefused, codes.NotFound: run.OutcomeRefused, codes.AlreadyExists: run.OutcomeRefused,
		codes.FailedPrecondition: run.OutcomeRefused, codes.OutOfRange: run.OutcomeRefused, codes.ResourceExhausted: run.OutcomeRefused, codes.Unimplemented: run.OutcomeRefused,
		codes.Unknown: run.OutcomeFailed, codes.Internal: run.OutcomeFailed, codes.Unavailable: run.OutcomeFailed, codes.DataLoss: run.OutcomeFailed, codes.Aborted: run.OutcomeFailed,
	}
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		require.Contains(t, want, code)
		err := status.Error(code, "no")
		require.Equal(t, want[code], run.OutcomeOf(err), code)
		if err != nil {
			require.Equal(t, want[code], run.OutcomeOf(fmt.Errorf("ask: %w", err)), code)
		}
	}
	require.Equal(t, run.OutcomeCancelled, run.OutcomeOf(fmt.Errorf("ask: %w", context.Canceled)))
	require.Equal(t, run.OutcomeCut, run.OutcomeOf(fmt.Errorf("ask: %w", context.DeadlineExceeded)))
	require.Equal(t, run.OutcomeFailed, run.OutcomeOf(errors.New("no")))
	for o, good := range map[run.Outcome]bool{
		run.OutcomeAnswered: true, run.OutcomeAsked: true, run.OutcomeCancelled: true,
		run.OutcomeCut: false, run.OutcomeDenied: false, run.OutcomeRefused: false, run.OutcomeFailed: false, run.OutcomeAbstained: false,
	} {
		require.Equal(t, good, o.Good(), o)
	}
}

func TestOutcomeOfProblems(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"PERMISSION_DENIED", "ACCESS_DENIED", "FUNCTION_DENIED", "SYSTEM_TABLE_DENIED", "TABLE_FUNCTION_DENIED", "TABLE_VERSION_DENIED"} {
		require.Equal(t, run.OutcomeDenied, run.OutcomeOfProblem(code, true), code)
		require.Equal(t, run.OutcomeDenied, run.OutcomeOfProblem(code, false), code)
	}
	require.Equal(t, run.OutcomeCut, run.OutcomeOfProblem("EXCEEDED_TIME_LIMIT", false))
	require.Equal(t, run.OutcomeRefused, run.OutcomeOfProblem("SYNTAX_ERROR", true))
	require.Equal(t, run.OutcomeFailed, run.OutcomeOfProblem("SYNTAX_ERROR", false))
}

func TestConclude(t *testing.T) {
	t.Parallel()
	run.Conclude(t.Context(), run.OutcomeFailed) // outside of a call nobody asks
	ctx, noted := run.NotingOutcome(t.Context())
	require.Empty(t, noted())
	run.Conclude(ctx, run.OutcomeAsked)
	require.Equal(t, run.OutcomeAsked, noted())
	inner, other := run.NotingOutcome(ctx)
	run.Conclude(inner, run.OutcomeCut)
	require.Equal(t, run.OutcomeCut, other())
	require.Equal(t, run.OutcomeAsked, noted(), "another call's")
	run.Conclude(ctx, run.OutcomeRefused)
	require.Equal(t, run.OutcomeRefused, noted(), "the last word counts")
}

// TestIDsOfABrokenGenerator: a generator that fails makes no id that can be guessed.
func TestIDsOfABrokenGenerator(t *testing.T) {
	t.Parallel()
	broken := iotest.ErrReader(errors.New("no randomness"))
	first, second := run.NewID("run_", broken), run.NewID("run_", broken)
	require.NotEqual(t, first, second)
	require.Len(t, first, len("run_")+24)
}
