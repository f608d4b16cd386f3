package warehouse

import (
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Trino's error names that engines share.
const (
	NameDivisionByZero  = "DIVISION_BY_ZERO"
	NameInvalidCast     = "INVALID_CAST_ARGUMENT"
	NameOutOfRange      = "NUMERIC_VALUE_OUT_OF_RANGE"
	NameInvalidArgument = "INVALID_FUNCTION_ARGUMENT"
	NameTimeLimit       = "EXCEEDED_TIME_LIMIT"
	NameCanceled        = "USER_CANCELED"
	NameMemoryLimit     = "EXCEEDED_LOCAL_MEMORY_LIMIT"
	NameSubquery        = "SUBQUERY_MULTIPLE_ROWS"
	NameInternal        = "GENERIC_INTERNAL_ERROR"
	NamePermission      = "PERMISSION_DENIED"
)

// Names of our own, for what Trino has no name.
const (
	// NameStatementMemory: the process that ran the statement took too much memory.
	NameStatementMemory = "STATEMENT_MEMORY"
	// NameEngineEnded: the process that ran the statement ended; the next one has another.
	NameEngineEnded = "ENGINE_ENDED"
)

// Kind is whose fault an error is, in Trino's words.
type Kind string

// Kinds of errors.
const (
	KindUser      Kind = "USER_ERROR"             // the statement's
	KindResources Kind = "INSUFFICIENT_RESOURCES" // it asks for too much, or too many ask
	KindInternal  Kind = "INTERNAL_ERROR"         // the engine's
	KindExternal  Kind = "EXTERNAL"               // of what the engine reads from
)

// Error is a statement's failure on the engine.
type Error struct {
	Name    string // Trino's error name
	Kind    Kind   // empty: the name says it
	Message string // for people; never a driver's raw text without a label
	Line    int    // from 1; 0 where there is no position
	Column  int
	Cause   error // for the log
}

// Error implements error.
func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *Error) GRPCStatus() *status.Status {
	var kv []string
	if e.Line > 0 {
		kv = []string{"line", strconv.Itoa(e.Line), "column", strconv.Itoa(e.Column)}
	}
	return fault.New(e.code(), e.Name, e.Message, kv...).GRPCStatus()
}

func (e *Error) code() codes.Code {
	switch e.Name {
	case NameTimeLimit:
		return codes.DeadlineExceeded
	case NameCanceled:
		return codes.Canceled
	case NameMemoryLimit, NameStatementMemory:
		return codes.ResourceExhausted
	case NameInternal:
		return codes.Internal
	case NamePermission:
		return codes.PermissionDenied
	}
	switch e.Kind {
	case KindResources:
		return codes.ResourceExhausted
	case KindInternal:
		return codes.Internal
	case KindExternal:
		return codes.Unavailable
	}
	return codes.InvalidArgument
}
