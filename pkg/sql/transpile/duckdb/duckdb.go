// Package duckdb turns a Presto tree into SQL that gives the same rows on DuckDB.
package duckdb

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// NotSupported is the error for a construct that has no equivalent with the same
// rows on the embedded engine.
type NotSupported struct {
	Construct    string
	Line, Column int // from 1; 0 for a tree made by hand
}

// Error implements error.
func (e *NotSupported) Error() string {
	return e.Construct + " is not supported on the embedded engine; run it on Trino or write it another way"
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *NotSupported) GRPCStatus() *status.Status {
	return fault.New(codes.Unimplemented, "NOT_SUPPORTED", e.Error(), "construct", e.Construct).GRPCStatus()
}

// Transpile returns the DuckDB SQL of a statement whose types are not known: what
// depends on them is NotSupported. Prefer TranspileResolved.
func Transpile(stmt *tree.Statement) (string, error) {
	r, _ := resolve.Resolve(stmt, resolve.Scope{})
	return TranspileResolved(r)
}

// TranspileResolved returns the DuckDB SQL of a resolved statement.
func TranspileResolved(r *resolve.Resolution) (string, error) {
	return "", &NotSupported{Construct: "SQL"}
}
