package cli

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it went wrong here
	exitInput   = 2 // what was asked, given or configured has to change; exitPanic is in crash.go
	// The codes of `dibrain ask`, by what came of the question (exitOf).
	exitNoAnswer  = 3 // it asks back, abstains or refuses: the question has to change
	exitAskFailed = 4 // a service or the engine failed, or a limit cut it off
	exitDenied    = 5 // the asker may not
	// exitCancelled is what shells give for a command that was interrupted.
	exitCancelled = 130
)

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// badUsage returns an error about the command line.
func badUsage(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// silentError ends the process with a code and prints nothing more: the command
// has said what there is to say.
type silentError struct{ code int }

func (e *silentError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// askExitCodes is the table of the codes that `dibrain ask` ends with, for its help.
const askExitCodes = `Exit codes:
  0    answered
  1    something broke in this program
  2    what was given has to change: the command line, the configuration, the source
  3    no answer: it asks a question back, is not certain enough, or refuses
  4    failed: a service or the engine is at fault, or a time or other limit cut it off
  5    denied: you may not
  130  cancelled`

// exitOf returns the code of a turn that came to an outcome.
func exitOf(o run.Outcome) int {
	switch o {
	case run.OutcomeAnswered:
		return exitOK
	case run.OutcomeAsked, run.OutcomeAbstained, run.OutcomeRefused:
		return exitNoAnswer
	case run.OutcomeDenied:
		return exitDenied
	case run.OutcomeCancelled:
		return exitCancelled
	default:
		return exitAskFailed
	}
}

// outcomeError is the error of a turn, which ends the process with the code of its
// outcome.
type outcomeError struct{ error }

func (e *outcomeError) Unwrap() error { return e.error }

// exitWith returns an error that ends the process with code and no message.
func exitWith(code int) error { return &silentError{code: code} }

// exitCode returns the code that an error stands for.
func exitCode(err error) int {
	var silent *silentError
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &silent):
		return silent.code
	case errors.As(err, &usage):
		return exitInput
	case isCancelled(err):
		return exitCancelled
	}
	ofTurn := errors.As(err, new(*outcomeError))
	switch code := statusOf(err).Code(); {
	case ofTurn && (code == codes.Unauthenticated || code == codes.PermissionDenied):
		return exitDenied
	case ofTurn && code != codes.Unknown && !needsInput(code):
		return exitAskFailed
	case needsInput(code):
		return exitInput
	default:
		return exitFailure
	}
}

// needsInput recognises what goes away only when something else is given.
func needsInput(code codes.Code) bool {
	switch code {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange,
		codes.Unauthenticated, codes.PermissionDenied, codes.DataLoss, codes.Unimplemented:
		return true
	default:
		return false
	}
}

// isCancelled recognises what was ended by an interrupt, here or behind a call.
func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || status.Code(err) == codes.Canceled
}

// statusOf returns the status that an error owns, and Unknown for others.
func statusOf(err error) *status.Status {
	var own interface{ GRPCStatus() *status.Status }
	if errors.As(err, &own) {
		return own.GRPCStatus()
	}
	return status.New(codes.Unknown, "")
}

// ownMessage returns the sentence of an error that was written for people.
func ownMessage(err error) string {
	st := statusOf(err)
	if st.Code() == codes.Unknown {
		return ""
	}
	text := st.Message()
	if own := (*fault.Error)(nil); errors.As(err, &own) { // not told by a server: this process is the operator's
		text = fault.OperatorText(own)
	}
	if retry := fault.FromStatus(st.Err()).RetryAfter; retry > 0 && st.Code() == codes.ResourceExhausted {
		text += fmt.Sprintf(" (in %s)", retry)
	}
	return text
}
