package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/budget"
)

// Reasons of the package's faults.
const (
	ReasonNotConfigured = "LLM_NOT_CONFIGURED" // no endpoint is configured
	ReasonKeyMissing    = "LLM_KEY_MISSING"    // the endpoint wants a key, there is none
	ReasonKeyRefused    = "LLM_KEY_REFUSED"    // the endpoint does not take the key
	ReasonModelUnknown  = "LLM_MODEL_UNKNOWN"  // the endpoint has no such model, or no such path
	ReasonRefused       = "LLM_REFUSED"        // the model will not answer this
	ReasonBudgetSpent   = budget.Reason        // calls, tokens or seconds of the run are used up
	ReasonMalformed     = "LLM_OUTPUT_MALFORMED"
	ReasonBusy          = "LLM_BUSY" // 429, also after tries
	ReasonUnavailable   = "LLM_UNAVAILABLE"
	ReasonTimeout       = "LLM_TIMEOUT"
	ReasonCircuitOpen   = "LLM_CIRCUIT_OPEN" // it failed so often that it is left alone for a while
	ReasonTooLong       = "LLM_TOO_LONG"     // the messages do not fit the model's window
	ReasonInvalid       = "LLM_REQUEST_INVALID"
	ReasonNotRecorded   = "LLM_NOT_RECORDED" // a Replayer has no such request
)

// FallBack reports whether a caller should go on by rules after err, and the
// reason to tell. It does not where the caller itself was cancelled or timed out:
// nobody waits for an answer then.
func FallBack(ctx context.Context, err error) (reason string, ok bool) {
	if err == nil || ctx.Err() != nil {
		return "", false
	}
	var own *fault.Error
	if !errors.As(err, &own) {
		return "", false
	}
	return own.Reason, strings.HasPrefix(own.Reason, "LLM_")
}

// statusFault turns an endpoint's refusal into a fault. said is the endpoint's
// own text, which operators read and clients do not.
func statusFault(status int, model, said string, hasKey bool) *fault.Error {
	var f *fault.Error
	switch {
	case status == http.StatusUnauthorized && !hasKey:
		f = fault.New(codes.FailedPrecondition, ReasonKeyMissing, "The model endpoint wants a key and none is configured: set llm.api_key or llm.api_key_file.")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f = fault.New(codes.FailedPrecondition, ReasonKeyRefused, "The model endpoint does not take the key: check llm.api_key or llm.api_key_file, and what the key may use.")
	case status == http.StatusNotFound:
		f = fault.New(codes.FailedPrecondition, ReasonModelUnknown, "The model endpoint has no model "+model+", or llm.base_url is not its address: it usually ends in /v1.")
	case status == http.StatusTooManyRequests:
		f = fault.New(codes.ResourceExhausted, ReasonBusy, "The model endpoint is busy or its quota is used up: try again later.")
	case status == http.StatusRequestEntityTooLarge:
		f = fault.New(codes.InvalidArgument, ReasonTooLong, "The question with its context is too long for the model.")
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		f = fault.New(codes.DeadlineExceeded, ReasonTimeout, "The model did not answer in time.")
	case status >= http.StatusInternalServerError:
		f = fault.New(codes.Unavailable, ReasonUnavailable, "The model endpoint is out of order: try again later.")
	default:
		f = fault.New(codes.FailedPrecondition, ReasonInvalid, "The model endpoint does not take the request.")
	}
	return f.ForOperator("status %d: %s", status, said)
}

func unavailable(cause error) *fault.Error {
	return fault.New(codes.Unavailable, ReasonUnavailable, "The model endpoint cannot be reached: check llm.base_url and the network.").Because(cause)
}

func timedOut(cause error) *fault.Error {
	return fault.New(codes.DeadlineExceeded, ReasonTimeout, "The model did not answer in time.").Because(cause)
}

func malformed(message string) *fault.Error {
	return fault.New(codes.Internal, ReasonMalformed, message)
}

func circuitOpen(wait time.Duration) *fault.Error {
	f := fault.New(codes.Unavailable, ReasonCircuitOpen, "The model failed several times in a row and is left alone for a moment.")
	f.RetryAfter = wait
	return f
}
