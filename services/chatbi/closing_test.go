package chatbi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// shutting is an engine that notes when it is closed, and counts how often it plans.
type shutting struct {
	warehouse.Engine
	closed bool
	plans  int
	err    error
}

func (e *shutting) Close() error { e.closed = true; return nil }

func (e *shutting) Explain(context.Context, run.Principal, guard.Approved) (warehouse.Plan, error) {
	e.plans++
	return warehouse.Plan{Rows: float64(e.plans)}, e.err
}

// inUse is an engine of a source that somebody uses.
func inUse(all *engines, name string, e warehouse.Engine) *engine {
	x := &engine{Engine: e, generation: &source.Generation{Manifest: source.Manifest{Name: name}}, ready: make(chan struct{}), users: 1}
	close(x.ready)
	all.current[name], all.alive[x] = x, true
	return x
}

// TestClosingWaitsForWhatRuns, and not for ever: what is still in use then is closed
// and told.
func TestClosingWaitsForWhatRuns(t *testing.T) {
	t.Parallel()
	for after, late := range map[time.Duration]bool{closeTimeout / 2: false, 2 * closeTimeout: true} {
		synctest.Test(t, func(t *testing.T) {
			all := newEngines(nil, nil, 4, time.Minute, time.Now)
			one, other := &shutting{}, &shutting{}
			x := inUse(all, "a", one)
			all.release(inUse(all, "b", other))
			time.AfterFunc(after, func() { all.release(x) })
			begun := time.Now()
			err := all.close()
			require.True(t, one.closed)
			require.True(t, other.closed)
			if late {
				require.ErrorContains(t, err, "1 engines were still in use")
				require.Equal(t, closeTimeout, time.Since(begun))
			} else {
				require.NoError(t, err)
				require.Equal(t, after, time.Since(begun))
			}
			_, _, err = all.reserve("a", &source.Generation{})
			require.Equal(t, "SHUTTING_DOWN", fault.ReasonOf(err))
			require.Equal(t, codes.Unavailable, status.Code(err))
			time.Sleep(3 * closeTimeout)
			synctest.Wait()
			require.Empty(t, all.alive)
		})
	}
}

// TestPlansAreKnownForAWhile: a remote engine is asked once for a person's statement,
// until that is old; what fails is asked again, and what is kept is bounded.
func TestPlansAreKnownForAWhile(t *testing.T) {
	t.Parallel()
	approve := func(text string) guard.Approved {
		approved, err := guard.New(guard.Config{}).Approve(t.Context(), run.Principal{ID: "ann"}, text, resolve.Scope{})
		require.NoError(t, err)
		return approved
	}
	now := time.Unix(1_900_000_000, 0)
	server := &shutting{}
	x := &engine{Engine: server, freshness: newFreshness(source.EngineTrino, time.Minute, func() time.Time { return now })}
	asked := func(who, text string) int {
		before := server.plans
		_, err := x.explain(t.Context(), run.Principal{ID: who}, approve(text))
		require.Equal(t, server.err, err)
		return server.plans - before
	}
	require.Equal(t, 1, asked("ann", "select 1"))
	require.Equal(t, 0, asked("ann", "select 1"))
	plan, err := x.explain(t.Context(), run.Principal{ID: "ann"}, approve("select 1"))
	require.NoError(t, err)
	require.Equal(t, 1.0, plan.Rows, "that of the first time")
	require.Equal(t, 1, asked("bob", "select 1"), "another may see other tables")
	require.Equal(t, 1, asked("ann", "select 2"))
	now = now.Add(time.Minute)
	require.Equal(t, 0, asked("ann", "select 1"))
	now = now.Add(time.Nanosecond)
	server.err = errors.New("away")
	require.Equal(t, 1, asked("ann", "select 1"))
	server.err = nil
	require.Equal(t, 1, asked("ann", "select 1"), "a failure is no plan")
	for i := range plansKnown {
		x.freshness.plans[planOf{principal: "p", sha256: string(rune(i))}] = seenPlan{}
	}
	require.Equal(t, 1, asked("ann", "select 3"))
	require.Len(t, x.freshness.plans, 1)
	x.freshness = newFreshness(source.EngineDuckDB, time.Minute, func() time.Time { return now })
	require.Equal(t, 1, asked("ann", "select 1"))
	require.Equal(t, 1, asked("ann", "select 1"), "the embedded engine's is cheap, and of today")
}

// TestEndsOfTablesAreKnownForAWhile, those of a remote engine for each person, and
// only so many.
func TestEndsOfTablesAreKnownForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_900_000_000, 0)
	ann, bob := run.Principal{ID: "ann"}, run.Principal{ID: "bob"}
	table := &catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "t"}, RowCount: freshRows}
	remote := newFreshness(source.EngineTrino, time.Minute, func() time.Time { return now })
	local := newFreshness(source.EngineDuckDB, time.Minute, func() time.Time { return now })
	of := func(f *freshness, p run.Principal, first bool) edge {
		key, ok := f.edge(p, table, first)
		require.True(t, ok)
		return key
	}
	require.Equal(t, of(local, ann, true), of(local, bob, true))
	require.NotEqual(t, of(remote, ann, true), of(remote, bob, true))
	require.NotEqual(t, of(remote, ann, true), of(remote, ann, false))
	for _, f := range []*freshness{remote, local} {
		f.put(of(f, ann, true), "2024-01-01")
		now = now.Add(time.Minute)
		value, ok := f.get(of(f, ann, true))
		require.True(t, ok)
		require.Equal(t, "2024-01-01", value)
		_, ok = f.get(of(f, ann, false))
		require.False(t, ok)
		now = now.Add(time.Nanosecond)
		_, ok = f.get(of(f, ann, true))
		require.Equal(t, f == local, ok, "a generation of files does not change")
		for i := range freshKnown {
			f.put(edge{table: string(rune(i))}, "x")
		}
		require.LessOrEqual(t, len(f.known), freshKnown)
	}
	for rows, looks := range map[int64]bool{-1: false, 0: true, freshRows: true, freshRows + 1: false} {
		table.RowCount = rows
		_, ok := remote.edge(ann, table, true)
		require.Equal(t, looks, ok, rows)
		_, ok = local.edge(ann, table, true)
		require.True(t, ok)
	}
}
