// Package warehouse runs approved SQL. Engine is the one interface of all
// engines; each is a package below (duckdb, trino), and all of them pass the suite
// of warehousetest.
//
// # Values
//
// Rows hold, by Presto type:
//
//	boolean                     bool
//	tinyint .. bigint           int64
//	real, double                float64 (NaN and infinities as they are); a real
//	                            is the double of its shortest text: 0.1
//	varchar, char, json, uuid   string
//	ipaddress, geometries       string
//	decimal(p,s)                string with s digits after the point: "1.10"
//	date                        string "2006-01-02"
//	timestamp(p)                string "2006-01-02 15:04:05.000", p fraction digits
//	timestamp(p) with time zone string "2006-01-02 15:04:05.000 UTC"
//	time(p)                     string "15:04:05.000"
//	time(p) with time zone      string "15:04:05.000+08:00"
//	interval day to second      string "2 00:00:00.000"
//	interval year to month      string "1-3"
//	varbinary, and types that   []byte
//	have no text (HyperLogLog)
//	array, row                  []any
//	map                         map[string]any, keys as text
//	null                        nil
package warehouse

import (
	"context"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
)

// Engine runs statements. It is safe for concurrent use. Errors are *Error, a
// NotSupported of the engine's transpiler, a fault.Error, or the context's.
type Engine interface {
	// Query runs an approved statement for the principal it was approved for. The
	// caller closes the Rows; until then the statement may hold a slot.
	Query(ctx context.Context, principal run.Principal, approved guard.Approved, options Options) (Rows, error)
	// Explain estimates the cost of a statement without running it.
	Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (Plan, error)
	// Metadata runs one of the product's own statements, for the principal where it
	// has an id, else in the product's own name.
	Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options Options) (Rows, error)
	// Kind is "duckdb" or "trino".
	Kind() string
	Close() error
}

// Options of one statement. Zero values mean the engine's defaults.
type Options struct {
	// MaxRows and MaxBytes bound what is returned; more is cut and Stats says so.
	// MaxBytes counts the values' text.
	MaxRows  int64
	MaxBytes int64
	// Timeout ends the statement; the engine's own limit is never exceeded.
	Timeout time.Duration
	// Tag goes to the engine's log, such as a run id.
	Tag string
	// Started is called, once for each attempt, when the engine has named the
	// statement, with that name; nil: nobody asks. Engines without names do not.
	Started func(queryID string)
	// Progress is called now and then from one goroutine; nil: nobody listens.
	Progress func(Progress)
}

// Progress of a running statement.
type Progress struct {
	Fraction float64 // 0 to 1; negative: not known
	Rows     int64   // returned so far
	Elapsed  time.Duration
	State    string // "queued", "running", "finished"
}

// Column of a result.
type Column struct {
	Name string
	Type string // Presto type as text
}

// Rows is a result that is read once, page by page.
type Rows interface {
	Columns() []Column
	// Next returns up to n rows. After the last page it returns io.EOF and no rows. No
	// other error has io.EOF among its causes (see BeforeEnd).
	Next(ctx context.Context, n int) ([][]any, error)
	// Stats may be called at any time; it is final after io.EOF.
	Stats() Stats
	// Close ends the statement where it still runs. It may be called twice.
	Close() error
}

// Stats of a statement.
type Stats struct {
	Rows      int64 // returned
	Bytes     int64 // of the returned values' text
	Truncated bool  // there were more rows than the bounds allow
	Queued    time.Duration
	Elapsed   time.Duration
	// SQL is what the engine was sent; differs from the approved text where the
	// engine speaks another dialect.
	SQL string
}

// Plan is an estimate.
type Plan struct {
	Rows  float64 // of the result; negative: not known
	Scans []Scan
	Text  string // the engine's own words
}

// Scan is one read of a table.
type Scan struct {
	Table string
	Rows  float64 // read; negative: not known
	Bytes float64 // read; negative: not known
	// Constraints are what the engine makes of the predicates: for each column that
	// is named here, rows outside of the ranges are not read, or not kept. A column
	// that is not named may hold anything. Engines that do not tell have none.
	Constraints []Constraint
}

// Constraint is what a column's values are restricted to.
type Constraint struct {
	Column string
	Type   string // Presto type as text
	Nulls  bool   // null is among the values
	Ranges []Range
}

// Range of values, as the engine writes them: a date as 2006-01-02, text as it is.
type Range struct {
	Low, High Bound
}

// Bound is one end of a Range. The zero value is no bound.
type Bound struct {
	Value     string
	Bounded   bool
	Inclusive bool
}
