// Package duckdb is the embedded engine: DuckDB files, one a region, opened
// read-only with nothing but them in reach. Any number of processes may open the
// same files.
package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/warehouse"
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
	// Limits of statements; MaxConcurrent 0 means 4, QueueWait 5 s.
	warehouse.Limits
	// TimeZone of sessions; empty means UTC.
	TimeZone string
	// Remake says, in an error about an unusable file, how to make it again.
	Remake string
}

func (c Config) withDefaults() Config {
	if c.MemoryLimit == "" {
		c.MemoryLimit = "2GB"
	}
	c.Limits = c.Limits.WithDefaults(4, 5*time.Second)
	if c.TimeZone == "" {
		c.TimeZone = "UTC"
	}
	if c.Remake == "" {
		c.Remake = "ingest it again"
	}
	return c
}

// Engine is a warehouse.Engine.
type Engine struct {
	config     Config
	db         *sql.DB
	slots      *warehouse.Slots
	vocabulary *vocabulary
}

var _ warehouse.Engine = (*Engine)(nil)

// Kind implements warehouse.Engine.
func (e *Engine) Kind() string { return "duckdb" }

// Close closes the databases.
func (e *Engine) Close() error {
	if err := e.db.Close(); err != nil {
		return fmt.Errorf("close the embedded engine: %w", err)
	}
	return nil
}

// Query implements warehouse.Engine.
func (e *Engine) Query(ctx context.Context, principal run.Principal, approved guard.Approved, options warehouse.Options) (warehouse.Rows, error) {
	if err := warehouse.CheckApproval(principal, approved); err != nil {
		return nil, err
	}
	text, err := transpile.TranspileWith(approved.Resolution(), transpile.Options{
		Now: run.Now(ctx), User: principal.ID, Catalog: e.config.DefaultRegion, Schema: e.config.DefaultSchema,
	})
	if err != nil {
		return nil, err
	}
	return e.start(ctx, text, approved.Resolution().Output(), options)
}

// Metadata implements warehouse.Engine. The product's own statements are written
// so that DuckDB reads them nearly as they are.
func (e *Engine) Metadata(ctx context.Context, _ run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	if statement.IsZero() {
		return nil, fault.New(codes.Internal, "STATEMENT_MISSING", "an empty metadata statement was given to the engine")
	}
	stmt, err := systemViews(statement.Tree())
	if err != nil {
		return nil, fmt.Errorf("write the metadata statement for the embedded engine: %w", err)
	}
	return e.start(ctx, printer.Print(stmt), nil, options)
}

// systemViews names information_schema as DuckDB does: it is in the catalog
// system and shows all databases; the statements filter by table_catalog.
func systemViews(stmt *tree.Statement) (*tree.Statement, error) {
	return tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		name, ok := n.(*tree.Name)
		if !ok || len(name.Parts) != 3 || name.Parts[1].Key() != "information_schema" {
			return n
		}
		return tree.NameOf("system", name.Parts[1].Name, name.Parts[2].Name)
	})
}

// start takes a slot, runs the statement, and hands both to the Rows.
func (e *Engine) start(ctx context.Context, text string, outputs []resolve.Output, options warehouse.Options) (warehouse.Rows, error) {
	begun := time.Now()
	options = e.config.Bound(options)
	if options.Progress != nil {
		options.Progress(warehouse.Progress{Fraction: -1, State: "queued"})
	}
	if err := e.slots.Acquire(ctx); err != nil {
		return nil, err
	}
	queued := time.Since(begun)
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	release := func() {
		cancel()
		e.slots.Release()
	}
	if options.Progress != nil {
		options.Progress(warehouse.Progress{Fraction: -1, State: "running", Elapsed: time.Since(begun)})
	}
	result, err := e.query(ctx, text)
	if err != nil {
		err = failure(ctx, err, options.Timeout)
		release()
		return nil, err
	}
	r, err := newRows(ctx, result, outputs, options, release)
	if err != nil {
		return nil, err
	}
	r.begun, r.stats.Queued, r.stats.SQL, r.stats.Elapsed = begun, queued, text, time.Since(begun)
	return r, nil
}

// query runs a statement for which everything that it calls is made.
func (e *Engine) query(ctx context.Context, text string) (*sql.Rows, error) {
	if err := e.vocabulary.ensure(ctx, e.db, text); err != nil {
		return nil, err
	}
	return e.db.QueryContext(ctx, text)
}
