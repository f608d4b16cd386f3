package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// counted starts tame children and counts those that are alive.
type counted struct {
	mu          sync.Mutex
	alive, most int
}

func (c *counted) launch() (process, error) {
	child := newTame(0, false)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive++
	c.most = max(c.most, c.alive)
	return countedChild{child, sync.OnceFunc(func() {
		c.mu.Lock()
		c.alive--
		c.mu.Unlock()
		child.kill()
	})}, nil
}

func (c *counted) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive
}

type countedChild struct {
	*tame
	dead func()
}

func (c countedChild) kill() { c.dead() }

// engineIn opens an engine without DuckDB in a room.
func engineIn(t *testing.T, room *Room, launcher Launcher) *Engine {
	t.Helper()
	e := newEngine(Config{Launcher: launcher, Room: room, Log: slog.New(slog.DiscardHandler)}.withDefaults(), 0)
	t.Cleanup(func() { _ = e.Close() }) // a failed test is to say why, not that a child is left
	w, err := e.pool.start(t.Context())
	require.NoError(t, err)
	e.pool.giveBack(w, func() {})
	return e
}

// runOn has an engine take all steps of a statement but for DuckDB's; the function
// that it returns ends it.
func runOn(ctx context.Context, e *Engine, who string) (end func(), err error) {
	release, err := e.slot(ctx, who)
	if err != nil {
		return nil, err
	}
	s, err := e.pool.begin(ctx, wire.Query{Text: "select 1"}, release)
	if err != nil {
		return nil, err
	}
	return func() { s.finish(true) }, nil
}

// TestRoomBoundsTheChildrenOfAllEngines: many statements of many people on many
// engines all run, and there are never more children than places.
func TestRoomBoundsTheChildrenOfAllEngines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const places = 3
		children, room := &counted{}, NewRoom(warehouse.Limits{MaxConcurrent: places, QueueWait: time.Hour})
		var engines []*Engine
		for range 8 {
			e := engineIn(t, room, children)
			e.slots = warehouse.NewSlots(warehouse.Limits{}.WithDefaults(4, time.Hour)) // their own wait is not the subject
			engines = append(engines, e)
		}
		var done sync.WaitGroup
		var ran atomic.Int64
		for i := range 200 {
			done.Go(func() {
				end, err := runOn(t.Context(), engines[i%len(engines)], fmt.Sprint("person ", i%7))
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(1+i%5) * time.Millisecond)
				end()
				ran.Add(1)
			})
		}
		done.Wait()
		synctest.Wait()
		require.EqualValues(t, 200, ran.Load())
		require.Equal(t, places, children.most, "and all places are used")
		for _, e := range engines {
			require.NoError(t, e.Close())
		}
		synctest.Wait()
		require.Zero(t, children.now())
		require.True(t, room.free.TryAcquire(places), "every place is free again")
	})
}

// TestIdleChildrenMakeRoom: the child of another engine that has been idle for
// longest ends, and no other.
func TestIdleChildrenMakeRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		children, room := &counted{}, NewRoom(warehouse.Limits{MaxConcurrent: 2})
		first := engineIn(t, room, children)
		time.Sleep(time.Second)
		second := engineIn(t, room, children)
		time.Sleep(time.Second)
		end, err := runOn(t.Context(), first, "alice") // it is the one used last, now
		require.NoError(t, err)
		end()
		third := engineIn(t, room, children)
		synctest.Wait()
		for e, want := range map[*Engine]int{first: 1, second: 0, third: 1} {
			all, idle := e.Children()
			require.Equal(t, want, all)
			require.Equal(t, want, idle)
		}

		// A child that ends its work while another engine waits makes room at once.
		endFirst, err := runOn(t.Context(), first, "alice")
		require.NoError(t, err)
		endThird, err := runOn(t.Context(), third, "bob")
		require.NoError(t, err)
		time.AfterFunc(time.Second, endFirst)
		begun := time.Now()
		w, err := second.pool.start(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(begun))
		second.pool.giveBack(w, func() {})
		endThird()
	})
}

// TestRoomIsFairByPerson: one person has a part of the places, over all sources, and
// who waits is told what to do.
func TestRoomIsFairByPerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		children, room := &counted{}, NewRoom(warehouse.Limits{MaxConcurrent: 2, QueueWait: time.Second})
		one, two := engineIn(t, room, children), engineIn(t, room, children)
		endAlice, err := runOn(t.Context(), one, "alice")
		require.NoError(t, err)
		_, err = runOn(t.Context(), two, "alice")
		require.Equal(t, "TOO_MANY_STATEMENTS", fault.ReasonOf(err), "on another source too")
		endBob, err := runOn(t.Context(), two, "bob")
		require.NoError(t, err)
		begun := time.Now()
		for range 3 { // one more than carol may have on one source: who gives up keeps no slot there
			_, err = runOn(t.Context(), one, "carol")
			require.Equal(t, "ENGINE_BUSY", fault.ReasonOf(err))
		}
		require.Equal(t, 3*time.Second, time.Since(begun))

		// A source that is to be opened has no person: it waits for a place, bounded.
		begun = time.Now()
		_, err = one.pool.start(t.Context())
		require.Equal(t, "ENGINE_BUSY", fault.ReasonOf(err))
		require.ErrorContains(t, err, "chatbi.engine.max_processes")
		require.Equal(t, placeWait, time.Since(begun))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = one.pool.start(gone)
		require.ErrorIs(t, err, context.Canceled)

		endBob()
		end, err := runOn(t.Context(), one, "carol")
		require.NoError(t, err, "a place that is free is anybody's")
		end()
		endAlice()
		require.NoError(t, errors.Join(one.Close(), two.Close()))
		require.True(t, room.free.TryAcquire(2), "nobody who gave up has kept a place")
	})
}

// failing cannot start a child.
type failing struct{}

func (failing) launch() (process, error) { return nil, errors.New("no more processes") }

// mute is a child that ends when it is spoken to.
type mute struct{}

func (mute) launch() (process, error) {
	c := newTame(0, false)
	c.kill()
	return c, nil
}

// TestAChildThatDoesNotStartKeepsNoPlace, whatever goes wrong.
func TestAChildThatDoesNotStartKeepsNoPlace(t *testing.T) {
	t.Parallel()
	for name, launcher := range map[string]Launcher{"not launched": failing{}, "not opened": mute{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				room := NewRoom(warehouse.Limits{MaxConcurrent: 1})
				e := newEngine(Config{Launcher: launcher, Room: room, Log: slog.New(slog.DiscardHandler)}.withDefaults(), 0)
				for range 3 {
					_, err := e.pool.start(t.Context())
					require.Error(t, err)
					require.NotEqual(t, "ENGINE_BUSY", fault.ReasonOf(err))
					synctest.Wait()
				}
				require.NoError(t, e.Close())
				require.True(t, room.free.TryAcquire(1))
			})
		})
	}
}

// TestAChildKeepsItsPlaceUntilItIsGone: its engine is closed, and it is still there.
func TestAChildKeepsItsPlaceUntilItIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room, child := NewRoom(warehouse.Limits{MaxConcurrent: 1}), unkillable{gone: make(chan struct{})}
		require.ErrorContains(t, engineIn(t, room, child).Close(), "did not end")
		require.False(t, room.free.TryAcquire(1))
		close(child.gone)
		synctest.Wait()
		require.True(t, room.free.TryAcquire(1))
	})
}

// TestLostPlacesOfARoom: engines that share a room are stuck together when each has
// lost one place and no other is left.
func TestLostPlacesOfARoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := NewRoom(warehouse.Limits{MaxConcurrent: 2})
		children := []unkillable{{gone: make(chan struct{})}, {gone: make(chan struct{})}}
		var engines []*Engine
		for _, child := range children {
			e := engineIn(t, room, child)
			engines = append(engines, e)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := e.start(ctx, run.Principal{ID: fmt.Sprint("person ", len(engines))}, "select 1", nil, warehouse.Options{})
			require.Error(t, err)
			time.Sleep(reapWait)
			synctest.Wait()
			want := []string{ReasonPlacesLost, ReasonStuck}[len(engines)-1]
			require.Equal(t, want, fault.ReasonOf(e.Health()))
		}
		require.Equal(t, ReasonStuck, fault.ReasonOf(engines[0].Health()))
		require.ErrorContains(t, engines[0].Close(), "did not end")
		require.False(t, room.free.TryAcquire(1))
		close(children[0].gone)
		synctest.Wait()
		require.True(t, room.free.TryAcquire(1))
		close(children[1].gone)
		require.NoError(t, engines[1].Close())
	})
}
