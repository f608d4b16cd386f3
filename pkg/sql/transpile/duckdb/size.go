package duckdb

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of the SQL that is written. Nothing that people write comes near them;
// they are the last fence against forms that multiply.
const (
	// MaxOutput is the longest SQL, in bytes, that is handed to the engine.
	MaxOutput = 4 << 20
	// MaxGrowth bounds the SQL by the statement's own length too: at most
	// MaxGrowth times it, and minOutput in any case.
	MaxGrowth = 64
	minOutput = 64 << 10
)

// TooLarge is the error for a statement whose SQL for the engine exceeds a bound.
type TooLarge struct{ Limit int }

// Error implements error.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the statement needs more than %d bytes of the embedded engine's SQL: nest it less deeply, or name parts of it in WITH", e.Limit)
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *TooLarge) GRPCStatus() *status.Status {
	return fault.New(codes.InvalidArgument, "STATEMENT_TOO_LARGE", e.Error()).GRPCStatus()
}

func limitFor(stmt *tree.Statement) int {
	n := 0
	if s := stmt.Span(); !s.IsZero() {
		n = len(s.Source().Text())
	}
	if n == 0 { // made by hand: by the product, which does not attack itself
		return MaxOutput
	}
	return min(MaxOutput, max(minOutput, MaxGrowth*n))
}

// fits notes where a text has become too long. Everything that joins texts asks.
func (e *emitter) fits(bytes int) bool {
	if e.err == nil && bytes > e.limit {
		e.err = &TooLarge{Limit: e.limit}
	}
	return e.err == nil
}

// copied counts what the engine's parser writes out by itself: extra copies of a
// text that was written with the count of before.
func (e *emitter) copied(extra int, text string, before int) {
	e.hidden += extra * (len(text) + e.hidden - before)
	e.fits(e.hidden)
}
