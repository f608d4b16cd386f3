// Package duckdb is the embedded engine: DuckDB files, one a region, opened
// read-only with nothing but them in reach.
package duckdb

import (
	"context"
	"time"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"

	"google.golang.org/grpc/codes"
)

// Config of an Engine.
type Config struct {
	// Databases maps a region to the path of its DuckDB file.
	Databases map[string]string
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
	// MemoryLimit in DuckDB's words; empty means "2GB".
	MemoryLimit string
	// Threads of one engine; 0 means DuckDB's own choice.
	Threads int
	// MaxConcurrent statements; 0 means 4. A statement over the bound waits
	// QueueWait (0 means 5 s), then fails with RESOURCE_EXHAUSTED.
	MaxConcurrent int
	QueueWait     time.Duration
	// Timeout of a statement; 0 means 5 minutes.
	Timeout time.Duration
	// MaxRows and MaxBytes bound every result; 0 means 100,000 and 64 MiB.
	MaxRows  int64
	MaxBytes int64
	// TimeZone of sessions; empty means UTC.
	TimeZone string
	// Remake says, in an error about an unusable file, how to make it again.
	Remake string
}

// Engine is a warehouse.Engine.
type Engine struct{ config Config }

var _ warehouse.Engine = (*Engine)(nil)

// Open opens the databases.
func Open(ctx context.Context, config Config) (*Engine, error) {
	return &Engine{config: config}, nil
}

var errNotYet = fault.New(codes.Unimplemented, "NOT_SUPPORTED", "the embedded engine is being written")

// Query implements warehouse.Engine.
func (e *Engine) Query(ctx context.Context, principal run.Principal, approved guard.Approved, options warehouse.Options) (warehouse.Rows, error) {
	return nil, errNotYet
}

// Explain implements warehouse.Engine.
func (e *Engine) Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (warehouse.Plan, error) {
	return warehouse.Plan{}, errNotYet
}

// Metadata implements warehouse.Engine.
func (e *Engine) Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	return nil, errNotYet
}

// Kind implements warehouse.Engine.
func (e *Engine) Kind() string { return "duckdb" }

// Close closes the databases.
func (e *Engine) Close() error { return nil }
