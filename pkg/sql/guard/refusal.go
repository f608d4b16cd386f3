package guard

import (
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// Refusal says why a statement may not run. Code is Trino's error name where
// there is one (SYNTAX_ERROR, TABLE_NOT_FOUND, ...), else one of the guard's own.
type Refusal struct {
	Rule        string // the rule that refused, such as "read_only"
	Code        string
	Message     string
	Line        int // from 1; 0 where there is no position
	Column      int
	Suggestions []string
	// Diagnostics are all mistakes that resolving found, the first one included;
	// empty for refusals by other rules.
	Diagnostics []resolve.Diagnostic
}

// Error implements error.
func (r *Refusal) Error() string {
	var b strings.Builder
	if r.Line > 0 {
		b.WriteString("line " + strconv.Itoa(r.Line) + ":" + strconv.Itoa(r.Column) + ": ")
	}
	b.WriteString(r.Message)
	if len(r.Suggestions) > 0 {
		b.WriteString("; did you mean " + strings.Join(r.Suggestions, ", ") + "?")
	}
	return b.String()
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (r *Refusal) GRPCStatus() *status.Status {
	code := codes.InvalidArgument
	switch r.Code {
	case CodeReadOnly, CodeNotQuery, CodeFunctionDenied, CodeSystemTable, CodeTableFunction, CodeTableVersion,
		CodePartitionRequired, CodePolicyBroken, CodePolicyNotApplicable, CodeAnswerTooLong, CodeTooComplex:
		code = codes.FailedPrecondition
	case string(resolve.TableNotFound):
		code = codes.NotFound
	case string(resolve.NotSupported):
		code = codes.Unimplemented
	}
	meta := []string{"rule", r.Rule}
	if r.Line > 0 {
		meta = append(meta, "line", strconv.Itoa(r.Line), "column", strconv.Itoa(r.Column))
	}
	if len(r.Suggestions) > 0 {
		meta = append(meta, "suggestions", strings.Join(r.Suggestions, ", "))
	}
	return fault.New(code, r.Code, r.Error(), meta...).GRPCStatus()
}

// The guard's own codes.
const (
	CodeReadOnly          = "STATEMENT_NOT_READ_ONLY"
	CodeNotQuery          = "STATEMENT_NOT_A_QUERY" // SHOW, DESCRIBE, EXPLAIN
	CodeParameter         = "PARAMETER_WITHOUT_VALUE"
	CodeFunctionDenied    = "FUNCTION_DENIED"
	CodeSystemTable       = "SYSTEM_TABLE_DENIED"
	CodeTableFunction     = "TABLE_FUNCTION_DENIED"
	CodeTableVersion      = "TABLE_VERSION_DENIED"
	CodePartitionRequired = "PARTITION_PREDICATE_REQUIRED"
	// CodePolicyBroken: a rule of the policy cannot be applied to a table.
	CodePolicyBroken = "POLICY_BROKEN"
	// CodePolicyNotApplicable: a rule cannot be put into this statement.
	CodePolicyNotApplicable = "POLICY_NOT_APPLICABLE"
	CodeAnswerTooLong       = "ANSWER_TOO_LONG"
	CodeTooComplex          = "STATEMENT_TOO_COMPLEX" // out of Bounds
)
