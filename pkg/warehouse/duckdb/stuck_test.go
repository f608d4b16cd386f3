package duckdb

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// unkillable is a child that opens, then neither answers nor ends, as a process does
// that waits for a disk.
type unkillable struct {
	conn net.Conn
	gone chan struct{}
}

func (u unkillable) launch() (process, error) {
	ours, theirs := net.Pipe()
	go func() {
		conn := wire.New(theirs)
		_, _, _ = conn.Receive()
		_ = conn.Send(wire.KindOpened, nil)
		for {
			if _, _, err := conn.Receive(); err != nil {
				return
			}
		}
	}()
	u.conn = ours
	return u, nil
}

func (u unkillable) stream() io.ReadWriteCloser { return u.conn }
func (unkillable) kill()                        {}
func (u unkillable) done() <-chan struct{}      { return u.gone }
func (unkillable) memory() (int64, bool)        { return 0, false }
func (unkillable) end() string                  { return "" }

// TestAStuckChildIsTold cancels a statement whose child not even the kernel ends:
// the person has an answer soon, the slot stays taken, so that no more statements
// than allowed ever run, and the engine's health tells of it until it is over.
func TestAStuckChildIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		child := unkillable{gone: make(chan struct{})}
		e := newEngine(Config{
			Launcher: child, Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: time.Millisecond}, Log: slog.New(slog.DiscardHandler),
		}.withDefaults(), 0)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		_, err := e.start(ctx, run.Principal{ID: "someone"}, "select 1", nil, warehouse.Options{})
		require.Error(t, err)
		require.LessOrEqual(t, time.Since(begun), time.Second+3*obeyWait)
		_, err = e.slots.Acquire(t.Context(), "another")
		require.Equal(t, "ENGINE_BUSY", fault.ReasonOf(err))
		require.NoError(t, e.Health(), "it may still end in time")
		time.Sleep(reapWait)
		synctest.Wait()
		require.Equal(t, "ENGINE_STUCK", fault.ReasonOf(e.Health()))
		close(child.gone)
		synctest.Wait()
		require.NoError(t, e.Health())
		release, err := e.slots.Acquire(t.Context(), "another")
		require.NoError(t, err, "free again when it has ended")
		release()
	})
}
