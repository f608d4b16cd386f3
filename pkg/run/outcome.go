package run

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Outcome is what came of a question or a call, as the asker would say it. A call
// that ends without an error may still have refused or failed what was asked, so
// metrics and spans count outcomes beside gRPC codes.
type Outcome string

// The outcomes. They are values of a metric's label: do not add to them lightly.
const (
	OutcomeAnswered  Outcome = "answered"
	OutcomeAsked     Outcome = "asked"     // a question was put back to the asker
	OutcomeAbstained Outcome = "abstained" // nothing certain enough was found or written
	OutcomeRefused   Outcome = "refused"   // the request breaks a rule: not valid, too dear, over a limit
	OutcomeDenied    Outcome = "denied"    // the asker may not
	OutcomeCut       Outcome = "cut"       // a deadline or a bound ended it before its end
	OutcomeFailed    Outcome = "failed"
	OutcomeCancelled Outcome = "cancelled" // the asker ended it
)

// Good reports whether the asker got what a working system gives: an answer or a
// question back. A cancelled call is good too, for nobody has to mend anything.
func (o Outcome) Good() bool {
	switch o {
	case OutcomeAnswered, OutcomeAsked, OutcomeCancelled:
		return true
	default:
		return false
	}
}

// OutcomeOf returns the outcome that an error stands for; nil is answered.
func OutcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return OutcomeAnswered
	case errors.Is(err, context.Canceled):
		return OutcomeCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeCut
	}
	switch status.Code(err) {
	case codes.Canceled:
		return OutcomeCancelled
	case codes.DeadlineExceeded:
		return OutcomeCut
	case codes.Unauthenticated, codes.PermissionDenied:
		return OutcomeDenied
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange,
		codes.ResourceExhausted, codes.Unimplemented:
		return OutcomeRefused
	default:
		return OutcomeFailed
	}
}

// OutcomeOfProblem returns the outcome of a statement that ended with a problem: code
// is that of the problem (SqlDiagnostic.code), which is an engine's in Trino's words
// or the guard's, and refused says that the statement was not begun. The codes are
// written out, for this package knows neither engines nor the guard; a test of chatbi
// holds them against those that the two have.
func OutcomeOfProblem(code string, refused bool) Outcome {
	switch code {
	case "PERMISSION_DENIED", "ACCESS_DENIED", "FUNCTION_DENIED", "SYSTEM_TABLE_DENIED", "TABLE_FUNCTION_DENIED", "TABLE_VERSION_DENIED":
		return OutcomeDenied
	case "EXCEEDED_TIME_LIMIT":
		return OutcomeCut
	}
	if refused {
		return OutcomeRefused
	}
	return OutcomeFailed
}

// outcomeKey finds the place where a call's outcome is noted.
type outcomeKey struct{}

// NotingOutcome returns a context in which Conclude can note the outcome of a call,
// and the function that reads it: "" until somebody concluded.
func NotingOutcome(ctx context.Context) (context.Context, func() Outcome) {
	var noted atomic.Pointer[Outcome]
	return context.WithValue(ctx, outcomeKey{}, &noted), func() Outcome {
		if o := noted.Load(); o != nil {
			return *o
		}
		return ""
	}
}

// Conclude notes what came of the call that ctx belongs to; the last word counts.
// A handler says it when no error does: an answer that refuses is no error. Outside
// of a call it does nothing.
func Conclude(ctx context.Context, o Outcome) {
	if noted, _ := ctx.Value(outcomeKey{}).(*atomic.Pointer[Outcome]); noted != nil {
		noted.Store(&o)
	}
}
