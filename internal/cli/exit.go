package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it went wrong here
	exitInput   = 2 // what was asked, given or configured has to change; exitPanic is in crash.go
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
	case errors.As(err, &usage), isUnknownCommand(err):
		return exitInput
	case isCancelled(err):
		return exitCancelled
	}
	switch statusOf(err).Code() {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange,
		codes.Unauthenticated, codes.PermissionDenied, codes.DataLoss, codes.Unimplemented:
		return exitInput
	default:
		return exitFailure
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

// isUnknownCommand recognises cobra's error, which has no type.
func isUnknownCommand(err error) bool {
	return err != nil && (strings.HasPrefix(err.Error(), "unknown command ") ||
		strings.HasPrefix(err.Error(), "accepts ") || strings.HasPrefix(err.Error(), "requires at least "))
}
