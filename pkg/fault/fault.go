// Package fault holds errors that own their gRPC status: a code for programs, a
// reason in UPPER_SNAKE, a sentence for people that says what to do, and the
// field or the retry time where there is one. What is no fault is masked as
// Internal at the edge (pkg/rpc).
package fault

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Domain is the ErrorInfo domain of every DI-Brain error.
const Domain = "dibrain"

// Error is an error that a client may see.
type Error struct {
	Code    codes.Code
	Reason  string // UPPER_SNAKE
	Message string // a sentence that says what is wrong and what to do
	Meta    map[string]string
	// Operator is for whoever runs the process: paths, files, rights. It is logged,
	// and follows Message only where the caller is the operator (see OperatorText).
	Operator string
	// Field names the faulty request field, when one is at fault.
	Field string
	// RetryAfter is set where trying again helps.
	RetryAfter time.Duration
	cause      error
}

// New returns an Error; kv are pairs of metadata.
func New(code codes.Code, reason, message string, kv ...string) *Error {
	e := &Error{Code: code, Reason: reason, Message: message}
	for i := 0; i+1 < len(kv); i += 2 {
		if e.Meta == nil {
			e.Meta = make(map[string]string, len(kv)/2)
		}
		e.Meta[kv[i]] = kv[i+1]
	}
	return e
}

// Invalid returns an InvalidArgument error about one request field.
func Invalid(field, reason, format string, args ...any) *Error {
	e := New(codes.InvalidArgument, reason, fmt.Sprintf(format, args...))
	e.Field = field
	return e
}

// NotFound returns a NotFound error. What belongs to somebody else gives the
// same error as what does not exist.
func NotFound(reason, format string, args ...any) *Error {
	return New(codes.NotFound, reason, fmt.Sprintf(format, args...))
}

// Because returns a copy that wraps cause. The cause reaches the log, never the
// client.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// ForOperator returns a copy with a detail that clients do not get.
func (e *Error) ForOperator(format string, args ...any) *Error {
	c := *e
	c.Operator = fmt.Sprintf(format, args...)
	return &c
}

// ToldInFull returns a copy whose message has the operator's detail in it, for
// callers who are the operator.
func (e *Error) ToldInFull() *Error {
	c := *e
	c.Message, c.Operator = withDetail(e.Message, e.Operator), ""
	return &c
}

func withDetail(message, detail string) string {
	if detail == "" {
		return message
	}
	return message + " (" + detail + ")"
}

// OperatorText returns what an operator reads of an error: its message, with the
// detail that clients do not get.
func OperatorText(err error) string {
	if err == nil {
		return ""
	}
	return FromStatus(err).ToldInFull().Message
}

// Error implements error. The text is for people and leaves out the cause and
// what is for operators.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *Error) GRPCStatus() *status.Status {
	st := status.New(e.Code, e.Message)
	details := []protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: e.Reason, Domain: Domain, Metadata: e.Meta}}
	if e.Field != "" {
		details = append(details, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: e.Field, Description: e.Message, Reason: e.Reason},
		}})
	}
	if e.RetryAfter > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	withDetails, err := st.WithDetails(details...)
	if err != nil { // only for messages that cannot be marshalled: none of these
		return st
	}
	return withDetails
}

// FromStatus reads a status that a service returned back into an Error, so that
// reasons survive the wire. It returns nil for a nil error.
func FromStatus(err error) *Error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	st := status.Convert(err)
	e := &Error{Code: st.Code(), Message: st.Message(), cause: err}
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e.Reason, e.Meta = d.GetReason(), d.GetMetadata()
		case *errdetails.BadRequest:
			if v := d.GetFieldViolations(); len(v) > 0 {
				e.Field = v[0].GetField()
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = d.GetRetryDelay().AsDuration()
		}
	}
	return e
}

// ReasonOf returns the reason of an error, empty where it has none.
func ReasonOf(err error) string {
	if err == nil {
		return ""
	}
	return FromStatus(err).Reason
}
