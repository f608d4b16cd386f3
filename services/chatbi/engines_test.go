package chatbi_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/chatbi"
)

// fakeEngine returns one row, once it may.
type fakeEngine struct {
	started chan struct{}          // receives for each statement that begins
	proceed chan struct{}          // closed: statements go on
	options chan warehouse.Options // receives those of each statement
	err     error
	closed  atomic.Bool
}

func (e *fakeEngine) Query(_ context.Context, _ run.Principal, _ guard.Approved, o warehouse.Options) (warehouse.Rows, error) {
	if e.options != nil {
		e.options <- o
	}
	if e.err != nil {
		return nil, e.err
	}
	return &fakeRows{engine: e}, nil
}

func (e *fakeEngine) Explain(context.Context, run.Principal, guard.Approved) (warehouse.Plan, error) {
	return warehouse.Plan{Rows: 1, Scans: []warehouse.Scan{{Table: "orders", Rows: 5e9}}, Text: "a plan"}, nil
}

func (e *fakeEngine) Metadata(context.Context, run.Principal, meta.Statement, warehouse.Options) (warehouse.Rows, error) {
	return nil, errors.New("no metadata")
}

func (e *fakeEngine) Kind() string { return "fake" }

func (e *fakeEngine) Close() error {
	e.closed.Store(true)
	return nil
}

type fakeRows struct {
	engine *fakeEngine
	done   bool
}

func (r *fakeRows) Columns() []warehouse.Column {
	return []warehouse.Column{{Name: "n", Type: "bigint"}}
}

func (r *fakeRows) Next(ctx context.Context, _ int) ([][]any, error) {
	if r.done {
		return nil, io.EOF
	}
	if r.engine.started != nil {
		r.engine.started <- struct{}{}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.engine.proceed:
		}
	}
	r.done = true
	return [][]any{{int64(7)}}, nil
}

func (r *fakeRows) Stats() warehouse.Stats { return warehouse.Stats{Rows: 1} }
func (r *fakeRows) Close() error           { return nil }

func withEngine(e *fakeEngine) func(*chatbi.Config, *chatbi.Deps) {
	return func(_ *chatbi.Config, d *chatbi.Deps) {
		d.OpenEngine = func(context.Context, *source.Generation) (warehouse.Engine, error) { return e, nil }
	}
}

const countQuery = "SELECT count(*) AS n FROM orders"

func unary(ctx context.Context, s *chatbi.Service, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
	res, err := s.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: q})
	return res.GetResult(), err
}

func TestCancelEndsAStatementAtOnce(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{started: make(chan struct{}), proceed: make(chan struct{})}
	s := newService(t, withEngine(e))
	ctx, cancel := context.WithCancel(as(t.Context(), "alice"))
	failed := make(chan error)
	go func() {
		_, err := unary(ctx, s, &chatbiv1.ExecuteQuery{Sql: countQuery})
		failed <- err
	}()
	<-e.started
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}

// The real engine too: a statement that would take hours ends, and gives the only
// place back to the next one.
func TestCancelReachesTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) {
		c.Engine.MaxConcurrent, c.Limits.Timeout = 1, time.Hour
	})
	ctx, cancel := context.WithCancel(as(t.Context(), "alice"))
	st := &stream{ctx: ctx}
	st.on = func(r *chatbiv1.ExecuteAndAnalyzeResponse) {
		if r.GetProgress().GetPhase() == "running" {
			cancel()
		}
	}
	err := s.ExecuteAndAnalyze(&chatbiv1.ExecuteAndAnalyzeRequest{Query: &chatbiv1.ExecuteQuery{
		Sql: "SELECT sum(a.amount * b.amount + c.amount * d.amount) FROM orders a, orders b, orders c, orders d", CostConfirmed: true,
	}}, st)
	require.Error(t, err)
	require.Equal(t, run.StatusCancelled, run.StatusOf(err), err)
	r, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())
}

func TestTheTimeLimitIsAFailureWithANumber(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{started: make(chan struct{}, 1), proceed: make(chan struct{})}
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		withEngine(e)(c, d)
		c.Limits.Timeout = 20 * time.Millisecond
	})
	r, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED, r.GetOutcome())
	require.Equal(t, "EXCEEDED_TIME_LIMIT", r.GetError().GetCode())
	require.Contains(t, r.GetAnswer(), "20ms")
}

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{started: make(chan struct{}), proceed: make(chan struct{})}
	s := newService(t, withEngine(e))
	failed := make(chan error)
	go func() {
		_, err := unary(as(context.WithoutCancel(t.Context()), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
		failed <- err
	}()
	<-e.started
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	require.Error(t, <-failed)
	require.NoError(t, <-closed)
	require.True(t, e.closed.Load())
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.Equal(t, "SHUTTING_DOWN", fault.ReasonOf(err))
}

// What has no equivalent is named, so that it can be written another way.
func TestNotSupportedNamesTheConstruct(t *testing.T) {
	t.Parallel()
	s := newService(t, withEngine(&fakeEngine{err: &duckdb.NotSupported{Construct: "MATCH_RECOGNIZE", Line: 1, Column: 8}}))
	r, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.NoError(t, err)
	require.Equal(t, "NOT_SUPPORTED", r.GetError().GetCode())
	require.Contains(t, r.GetError().GetMessage(), "MATCH_RECOGNIZE")
	require.EqualValues(t, 8, r.GetError().GetPosition().GetColumn())
}

// An engine of the old generation is closed when its last statement has ended, not
// before.
func TestAnOldEngineLivesUntilItsStatementsEnd(t *testing.T) {
	t.Parallel()
	old := &fakeEngine{started: make(chan struct{}), proceed: make(chan struct{})}
	fresh := &fakeEngine{}
	var sources *source.Store
	var opened atomic.Int32
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		sources = d.Sources
		d.OpenEngine = func(context.Context, *source.Generation) (warehouse.Engine, error) {
			if opened.Add(1) == 1 {
				return old, nil
			}
			return fresh, nil
		}
	})
	answered := make(chan error)
	go func() {
		_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
		answered <- err
	}()
	<-old.started
	makeSource(t, sources, shop)
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.NoError(t, err)
	require.False(t, old.closed.Load())
	close(old.proceed)
	require.NoError(t, <-answered)
	require.True(t, old.closed.Load())
	require.False(t, fresh.closed.Load())
	require.EqualValues(t, 2, opened.Load())
}

func TestOneEngineServesAllAtOnce(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{}
	var opened atomic.Int32
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		d.OpenEngine = func(context.Context, *source.Generation) (warehouse.Engine, error) {
			opened.Add(1)
			return e, nil
		}
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
			if err != nil || r.GetAnswer() != "N is 7." {
				t.Errorf("%v %v", r.GetAnswer(), err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, opened.Load())
}

func TestOpenEnginesAreBounded(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{started: make(chan struct{}), proceed: make(chan struct{})}
	var sources *source.Store
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		withEngine(e)(c, d)
		c.Engine.MaxOpen = 1
		sources = d.Sources
	})
	answered := make(chan error)
	go func() {
		_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
		answered <- err
	}()
	<-e.started
	makeSource(t, sources, shop) // the old generation still runs: there is no room
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Equal(t, "ENGINES_BUSY", fault.ReasonOf(err))
	close(e.proceed)
	require.NoError(t, <-answered)
}

func TestAnEngineThatCannotOpenIsTriedAgain(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		d.OpenEngine = func(context.Context, *source.Generation) (warehouse.Engine, error) {
			if opened.Add(1) == 1 {
				return nil, fault.New(codes.FailedPrecondition, "BROKEN", "broken")
			}
			return &fakeEngine{}, nil
		}
	})
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.Equal(t, "BROKEN", fault.ReasonOf(err))
	_, err = unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	require.NoError(t, err)
}

// TestAnEngineInUseMakesNoRoom: one that runs a statement keeps its place, and one
// that is idle gives it to another source.
func TestAnEngineInUseMakesNoRoom(t *testing.T) {
	t.Parallel()
	busy, other := &fakeEngine{started: make(chan struct{}), proceed: make(chan struct{})}, &fakeEngine{}
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		c.Engine.MaxOpen = 1
		makeNamed(t, d.Sources, "other", shop)
		d.OpenEngine = func(_ context.Context, g *source.Generation) (warehouse.Engine, error) {
			if g.Name == "other" {
				return other, nil
			}
			return busy, nil
		}
	})
	answered := make(chan error)
	go func() {
		_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: countQuery})
		answered <- err
	}()
	<-busy.started
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Source: "other", Sql: countQuery})
	require.Equal(t, "ENGINES_BUSY", fault.ReasonOf(err))
	close(busy.proceed)
	require.NoError(t, <-answered)
	_, err = unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Source: "other", Sql: countQuery})
	require.NoError(t, err)
	require.True(t, busy.closed.Load())
	require.False(t, other.closed.Load())
}

// TestProcessesAreBoundedOverAllSources: while the only process that there may be is
// at work for one source, a statement of another waits for it.
func TestProcessesAreBoundedOverAllSources(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		c.Engine.MaxProcesses, c.Limits.Timeout = 1, time.Hour
		makeNamed(t, d.Sources, "other", shop)
	})
	elsewhere := &chatbiv1.ExecuteQuery{Source: "other", Sql: countQuery, Fresh: true}
	r, err := unary(as(t.Context(), "alice"), s, elsewhere)
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())

	ctx, cancel := context.WithCancel(as(t.Context(), "alice"))
	defer cancel()
	var beside error
	st := &stream{ctx: ctx}
	st.on = func(r *chatbiv1.ExecuteAndAnalyzeResponse) {
		if r.GetProgress().GetPhase() == "running" {
			waits, giveUp := context.WithTimeout(as(t.Context(), "alice"), 300*time.Millisecond)
			defer giveUp()
			_, beside = unary(waits, s, elsewhere)
			cancel()
		}
	}
	require.Error(t, s.ExecuteAndAnalyze(&chatbiv1.ExecuteAndAnalyzeRequest{Query: &chatbiv1.ExecuteQuery{
		Sql: "SELECT sum(a.amount * b.amount + c.amount * d.amount) FROM orders a, orders b, orders c, orders d", CostConfirmed: true,
	}}, st))
	require.ErrorIs(t, beside, context.DeadlineExceeded)
	r, err = unary(as(t.Context(), "alice"), s, elsewhere)
	require.NoError(t, err)
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())
}

func TestPlacesOfProcesses(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for name, c := range map[string]struct {
		set    chatbi.EngineConfig
		memory int64
		want   int
	}{
		"as set":                        {chatbi.EngineConfig{MaxProcesses: 7, ProcessMemory: gib}, 4 * gib, 7},
		"half of the memory":            {chatbi.EngineConfig{ProcessMemory: gib}, 12*gib + 1, 6},
		"one at least":                  {chatbi.EngineConfig{ProcessMemory: 3 * gib}, 4 * gib, 1},
		"no more than all sources have": {chatbi.EngineConfig{ProcessMemory: gib, MaxOpen: 3, MaxConcurrent: 2}, 1000 * gib, 6},
		"memory not known":              {chatbi.EngineConfig{MaxConcurrent: 5}, 0, 5},
		"process memory that follows":   {chatbi.EngineConfig{MemoryLimit: "1GiB"}, 13 * gib, 4},
	} {
		config, err := chatbi.Config{Engine: c.set}.Complete()
		require.NoError(t, err, name)
		places, each, err := config.Engine.Places(c.memory)
		require.NoError(t, err, name)
		require.Equal(t, c.want, places, name)
		require.Positive(t, each, name)
	}
	_, err := chatbi.Config{Engine: chatbi.EngineConfig{MaxProcesses: -1}}.Complete()
	require.ErrorContains(t, err, "chatbi.engine.max_processes")
}
