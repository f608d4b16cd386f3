package parser

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Code says what kind of mistake an Error is about.
type Code string

// Codes of errors.
const (
	CodeSyntax   Code = "SYNTAX_ERROR"
	CodeMultiple Code = "MULTIPLE_STATEMENTS"
	CodeEmpty    Code = "EMPTY_STATEMENT"
	CodeTooLarge Code = "STATEMENT_TOO_LARGE"
	CodeTooDeep  Code = "STATEMENT_TOO_DEEP"
	CodeEncoding Code = "INVALID_UTF8"
)

// Error says why a text is no statement, and where.
type Error struct {
	Code    Code
	Message string // for people, without the position
	Line    int    // from 1; 0 where there is no position
	Column  int    // from 1, in characters
}

// Error implements error: "line:column: message".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return position(e.Line, e.Column) + ": " + e.Message
}

// TrinoName is the name of the error that Trino gives for the same text. Ours tell
// apart what is all the same to it.
func (e *Error) TrinoName() string {
	if slices.Contains([]Code{CodeMultiple, CodeEmpty, CodeTooLarge, CodeTooDeep, CodeEncoding}, e.Code) {
		return string(CodeSyntax)
	}
	return string(e.Code) // of another package's rule, in the words of an Error
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *Error) GRPCStatus() *status.Status {
	return fault.New(codes.InvalidArgument, string(e.Code), e.Error(), positionMeta(e.Line, e.Column)...).GRPCStatus()
}
