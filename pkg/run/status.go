package run

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Status is where a run stands. The values are those of the contract's
// RunStatus in lower case; stores keep them as text.
type Status string

// The states of a run.
const (
	StatusUnspecified Status = ""
	StatusRunning     Status = "running"
	StatusSucceeded   Status = "succeeded"
	StatusFailed      Status = "failed"
	StatusCancelled   Status = "cancelled"
	StatusInterrupted Status = "interrupted" // its process died
	StatusTimedOut    Status = "timed_out"
	StatusWaiting     Status = "waiting" // for the person's answer
)

// Done reports whether a run in this state goes no further by itself.
func (s Status) Done() bool {
	switch s {
	case StatusSucceeded, StatusFailed, StatusCancelled, StatusInterrupted, StatusTimedOut:
		return true
	default:
		return false
	}
}

// StatusOf returns the state of a run that ended with err.
func StatusOf(err error) Status {
	switch {
	case err == nil:
		return StatusSucceeded
	case errors.Is(err, context.Canceled):
		return StatusCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return StatusTimedOut
	}
	switch status.Code(err) {
	case codes.Canceled:
		return StatusCancelled
	case codes.DeadlineExceeded:
		return StatusTimedOut
	default:
		return StatusFailed
	}
}

// errorText is the sentence of an error that a run tree may show. An error that
// owns its status was written for people; the text of any other, such as a
// driver's, stays in logs and spans.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	var own interface{ GRPCStatus() *status.Status }
	if errors.As(err, &own) {
		return clip(own.GRPCStatus().Message(), maxErrorBytes)
	}
	switch StatusOf(err) {
	case StatusCancelled:
		return "cancelled"
	case StatusTimedOut:
		return "out of time"
	default:
		return "internal error"
	}
}
