package tools

import (
	"context"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// ExecuteArgs are the arguments of execute_sql.
type ExecuteArgs struct {
	Source  string `json:"source" doc:"the warehouse; empty: the default one" max:"64" optional:"true"`
	SQL     string `json:"sql" doc:"one Presto SQL query" max:"65536"`
	MaxRows int    `json:"max_rows" doc:"rows to return, from 1 to 1000; 0: 100" optional:"true"`
}

// Rows is a result, or its beginning.
type Rows struct {
	Columns []string `json:"columns"`
	// Rows hold values as pkg/warehouse describes them.
	Rows [][]any `json:"rows"`
	// Truncated tells that there were more.
	Truncated bool `json:"truncated,omitempty"`
}

// defaultRows is how many rows come where a call does not say.
const defaultRows = 100

// Run is execute_sql.
func (s *Set) Run(ctx context.Context, in ExecuteArgs) (Rows, error) {
	switch {
	case s.deps.Executor == nil:
		return Rows{}, fault.New(codes.FailedPrecondition, "EXECUTION_OFF", "statements cannot be run here")
	case in.SQL == "" || len(in.SQL) > maxSQL:
		return Rows{}, fault.Invalid("sql", "SQL_INVALID", "give one statement of at most %d bytes", maxSQL)
	case in.MaxRows < 0 || in.MaxRows > MaxRows:
		return Rows{}, fault.Invalid("max_rows", "MAX_ROWS_INVALID", "max_rows is %d: it has to be from 1 to %d", in.MaxRows, MaxRows)
	case in.MaxRows == 0:
		in.MaxRows = defaultRows
	}
	return s.deps.Executor.Execute(ctx, in.Source, in.SQL, in.MaxRows)
}
