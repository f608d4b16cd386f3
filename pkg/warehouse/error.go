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
)

// Error is a statement's failure on the engine.
type Error struct {
	Name    string // Trino's error name
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
	code := codes.InvalidArgument
	switch e.Name {
	case NameTimeLimit:
		code = codes.DeadlineExceeded
	case NameCanceled:
		code = codes.Canceled
	case NameMemoryLimit:
		code = codes.ResourceExhausted
	case NameInternal:
		code = codes.Internal
	}
	var kv []string
	if e.Line > 0 {
		kv = []string{"line", strconv.Itoa(e.Line), "column", strconv.Itoa(e.Column)}
	}
	return fault.New(code, e.Name, e.Message, kv...).GRPCStatus()
}
