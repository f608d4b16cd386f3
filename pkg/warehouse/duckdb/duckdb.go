// Package duckdb is the embedded engine: DuckDB files, one a region, opened
// read-only with nothing but them in reach. Any number of processes may open the
// same files.
//
// DuckDB itself is in children (internal/child), processes of the same program that
// run one statement at a time and are killed when one does not stop or takes too
// much memory. duckdb.go turns approved statements into DuckDB's words, pool.go
// keeps children, room.go bounds those of all engines together, statement.go watches
// one at work, and internal/wire is what both sides say to each other.
package duckdb

import (
	"context"
	"fmt"
	"log/slog"
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
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// Config of an Engine.
type Config struct {
	// Databases maps a region to the path of its DuckDB file.
	Databases map[string]string
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
	// Launcher starts the children. Needed.
	Launcher Launcher
	// MemoryLimit of one statement in DuckDB's words, such as "2GB", which it means
	// where it is empty. DuckDB keeps to it but for what its functions take.
	MemoryLimit string
	// ProcessMemory is the memory of a child, all of it, in bytes: one that takes more
	// is killed. 0 means a quarter more than MemoryLimit and 384 MiB for the program.
	ProcessMemory int64
	// Threads of one statement; 0 means DuckDB's own choice.
	Threads int
	// KeepIdle is how long a child that runs nothing is kept beside the first; 0 means
	// 30 s.
	KeepIdle time.Duration
	// Limits of statements; MaxConcurrent 0 means 4, QueueWait 5 s.
	warehouse.Limits
	// Room bounds the children of all engines that share it; nil means one of this
	// engine's own, with as many places as it runs statements.
	Room *Room
	// TimeZone of sessions; empty means UTC.
	TimeZone string
	// Remake says, in an error about an unusable file, how to make it again.
	Remake string
	// Log gets warnings for the operator; nil means slog.Default().
	Log *slog.Logger
	// Meter measures who waits for a place; nil: nobody does.
	Meter *meter.Set
}

func (c Config) withDefaults() Config {
	if c.MemoryLimit == "" {
		c.MemoryLimit = "2GB"
	}
	c.Limits = withLimits(c.Limits)
	if c.Room == nil {
		c.Room = NewRoom(c.Limits)
	}
	if c.TimeZone == "" {
		c.TimeZone = "UTC"
	}
	if c.Remake == "" {
		c.Remake = "ingest it again"
	}
	if c.KeepIdle <= 0 {
		c.KeepIdle = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Engine is a warehouse.Engine.
type Engine struct {
	config Config
	pool   *pool
	slots  *warehouse.Slots
}

var _ warehouse.Engine = (*Engine)(nil)

// Kind implements warehouse.Engine.
func (e *Engine) Kind() string { return "duckdb" }

// Health is nil unless a child that was killed has not ended, so that its slot is
// lost: ReasonPlacesLost, or ReasonStuck where no slot is left.
func (e *Engine) Health() error {
	return e.pool.health(min(e.config.MaxConcurrent, e.config.Room.places))
}

// Close ends the children, and the statements that they run.
func (e *Engine) Close() error { return e.pool.close() }

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
	return e.start(ctx, principal, text, approved.Resolution().Output(), options)
}

// Metadata implements warehouse.Engine. The product's own statements are written
// so that DuckDB reads them nearly as they are.
func (e *Engine) Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	if statement.IsZero() {
		return nil, fault.New(codes.Internal, "STATEMENT_MISSING", "an empty metadata statement was given to the engine")
	}
	stmt, err := systemViews(statement.Tree())
	if err != nil {
		return nil, fmt.Errorf("write the metadata statement for the embedded engine: %w", err)
	}
	return e.start(ctx, principal, printer.Print(stmt), nil, options)
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

// start takes a slot, runs the statement on a child, and hands both to the Rows.
func (e *Engine) start(ctx context.Context, principal run.Principal, text string, outputs []resolve.Output, options warehouse.Options) (*rows, error) {
	begun := time.Now()
	options = e.config.Bound(options)
	if options.Progress != nil {
		options.Progress(warehouse.Progress{Fraction: -1, State: "queued"})
	}
	release, err := e.slot(ctx, principal.ID)
	if err != nil {
		return nil, err
	}
	queued := time.Since(begun)
	query := wire.Query{Text: text, MaxRows: options.MaxRows, MaxBytes: options.MaxBytes, Timeout: options.Timeout}
	for _, o := range outputs {
		query.Outputs = append(query.Outputs, wire.Output{Name: o.Name, Type: o.Type})
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	s, err := e.pool.begin(ctx, query, release)
	if err != nil {
		if ctx.Err() != nil {
			err = failure(ctx, err, options.Timeout)
		}
		cancel()
		return nil, e.config.opening(err)
	}
	if options.Progress != nil {
		options.Progress(warehouse.Progress{Fraction: -1, State: "running", Elapsed: time.Since(begun)})
	}
	r, err := newRows(s, options, cancel)
	if err != nil {
		return nil, err
	}
	r.begun, r.stats.Queued, r.stats.SQL, r.stats.Elapsed = begun, queued, text, time.Since(begun)
	return r, nil
}

// slot waits for a slot of the engine and for one of the room, in this order: who
// waits for one engine keeps no place of another's.
func (e *Engine) slot(ctx context.Context, principal string) (release func(), err error) {
	own, err := e.slots.Acquire(ctx, principal)
	if err != nil {
		return nil, err
	}
	shared, err := e.config.Room.slots.Acquire(ctx, principal)
	if err != nil {
		own()
		return nil, err
	}
	return func() {
		shared()
		own()
	}, nil
}
