package parser

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Code says what kind of mistake an Error is about.
type Code string

// Codes of errors.
const (
	CodeSyntax       Code = "SYNTAX_ERROR"
	CodeNotSupported Code = "NOT_SUPPORTED" // valid Presto that our tree does not hold yet
	CodeMultiple     Code = "MULTIPLE_STATEMENTS"
	CodeEmpty        Code = "EMPTY_STATEMENT"
	CodeTooLarge     Code = "STATEMENT_TOO_LARGE"
	CodeTooDeep      Code = "STATEMENT_TOO_DEEP"
	CodeEncoding     Code = "INVALID_UTF8"
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

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *Error) GRPCStatus() *status.Status {
	code := codes.InvalidArgument
	if e.Code == CodeNotSupported {
		code = codes.Unimplemented
	}
	return fault.New(code, string(e.Code), e.Error(), positionMeta(e.Line, e.Column)...).GRPCStatus()
}
