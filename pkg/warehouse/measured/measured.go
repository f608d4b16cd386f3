// Package measured lets an engine tell the meter of its statements.
package measured

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Engine returns an engine that does what e does and tells m of it; e itself where m is nil.
func Engine(e warehouse.Engine, m *meter.Set) warehouse.Engine {
	if m == nil {
		return e
	}
	return &engine{Engine: e, meter: m}
}

type engine struct {
	warehouse.Engine
	meter *meter.Set
}

// Health says what the engine says of itself; nil where it says nothing.
func (e *engine) Health() error {
	if told, ok := e.Engine.(interface{ Health() error }); ok {
		return told.Health()
	}
	return nil
}

// Query implements warehouse.Engine.
func (e *engine) Query(ctx context.Context, principal run.Principal, approved guard.Approved, options warehouse.Options) (warehouse.Rows, error) {
	return e.rows(ctx, meter.OpQuery, func() (warehouse.Rows, error) { return e.Engine.Query(ctx, principal, approved, options) })
}

// Metadata implements warehouse.Engine.
func (e *engine) Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	return e.rows(ctx, meter.OpMetadata, func() (warehouse.Rows, error) { return e.Engine.Metadata(ctx, principal, statement, options) })
}

// Explain implements warehouse.Engine.
func (e *engine) Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (warehouse.Plan, error) {
	s := e.begin(ctx, meter.OpExplain)
	plan, err := e.Engine.Explain(ctx, principal, approved)
	s.end(resultOf(ctx, err), warehouse.Stats{})
	return plan, err
}

func (e *engine) rows(ctx context.Context, o meter.Operation, start func() (warehouse.Rows, error)) (warehouse.Rows, error) {
	s := e.begin(ctx, o)
	r, err := start()
	if err != nil {
		s.end(resultOf(ctx, err), warehouse.Stats{})
		return nil, err
	}
	return &rows{Rows: r, statement: s}, nil
}

// statement is one that is at work. It ends once.
type statement struct {
	ctx       context.Context //nolint:containedctx // that of the statement, whose trace the measurement belongs to
	meter     *meter.Set
	engine    meter.Dependency
	operation meter.Operation
	began     time.Time
	answered  func(meter.Result)
	once      sync.Once
}

func (e *engine) begin(ctx context.Context, o meter.Operation) *statement {
	d := meter.Dependency(e.Kind())
	return &statement{ctx: ctx, meter: e.meter, engine: d, operation: o, began: time.Now(), answered: e.meter.Ask(ctx, d, o)}
}

func (s *statement) end(r meter.Result, stats warehouse.Stats) {
	s.once.Do(func() {
		s.answered(r)
		s.meter.Ran(s.ctx, s.engine, s.operation, r, time.Since(s.began), stats.Rows, stats.Bytes)
	})
}

type rows struct {
	warehouse.Rows
	statement *statement
}

// Next implements warehouse.Rows.
func (r *rows) Next(ctx context.Context, n int) ([][]any, error) {
	page, err := r.Rows.Next(ctx, n)
	switch {
	case errors.Is(err, io.EOF):
		r.statement.end(meter.OK, r.Stats())
	case err != nil:
		r.statement.end(resultOf(r.statement.ctx, err), r.Stats())
	}
	return page, err
}

// Close implements warehouse.Rows. Rows that are closed before their end were not wanted
// any more.
func (r *rows) Close() error {
	stats := r.Stats()
	err := r.Rows.Close()
	r.statement.end(meter.Cancelled, stats)
	return err
}

// resultOf is how a statement ended. What is wrong with the statement itself is no fault of
// the engine.
func resultOf(ctx context.Context, err error) meter.Result {
	var failure *warehouse.Error
	switch {
	case err == nil:
		return meter.OK
	case errors.Is(ctx.Err(), context.Canceled):
		return meter.Cancelled
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return meter.Timeout
	case !errors.As(err, &failure):
		return meter.ResultOf(err)
	}
	switch failure.Name {
	case warehouse.NameCanceled:
		return meter.Cancelled
	case warehouse.NameTimeLimit:
		return meter.Timeout
	case warehouse.NameInternal, warehouse.NameEngineEnded:
		return meter.Failed
	case warehouse.NameMemoryLimit, warehouse.NameStatementMemory:
		return meter.Busy
	}
	switch failure.Kind {
	case warehouse.KindInternal, warehouse.KindExternal:
		return meter.Failed
	case warehouse.KindResources:
		return meter.Busy
	default:
		return meter.Refused
	}
}
