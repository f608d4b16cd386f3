package duckdb

import (
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// tame is a child without DuckDB: it opens, and begins every statement that it is
// sent, unless it is one that ends at its first.
type tame struct {
	ours, theirs net.Conn
	resident     int64
	gone         chan struct{}
	once         sync.Once
}

func newTame(resident int64, endsAtFirst bool) *tame {
	c := &tame{resident: resident, gone: make(chan struct{})}
	c.ours, c.theirs = net.Pipe()
	go func() {
		defer c.kill()
		conn := wire.New(c.theirs)
		for {
			kind, _, err := conn.Receive()
			switch {
			case err != nil, kind == wire.KindQuery && endsAtFirst:
				return
			case kind == wire.KindOpen:
				_ = conn.Send(wire.KindOpened, nil)
			case kind == wire.KindQuery:
				_ = conn.Send(wire.KindBegun, nil)
			}
		}
	}()
	return c
}

func (c *tame) stream() io.ReadWriteCloser { return c.ours }
func (c *tame) done() <-chan struct{}      { return c.gone }
func (c *tame) memory() (int64, bool)      { return c.resident, true }
func (c *tame) end() string                { return "it was told to" }

func (c *tame) kill() {
	c.once.Do(func() {
		_ = c.theirs.Close()
		close(c.gone)
	})
}

// launches are the children that a pool starts, one after the other.
type launches struct{ next []*tame }

func (l *launches) launch() (process, error) {
	c := l.next[0]
	l.next = l.next[1:]
	return c, nil
}

func poolOf(limit int64, next ...*tame) *pool {
	return newEngine(Config{Launcher: &launches{next}, Log: slog.New(slog.DiscardHandler)}.withDefaults(), limit).pool
}

// TestAChildThatKeepsMuchMemoryIsNotUsedAgain: what a statement has left behind would
// be counted against the next one, which may be somebody else's.
func TestAChildThatKeepsMuchMemoryIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	const limit = 100
	for resident, idle := range map[int64]int{limit / 2: 1, limit/2 + 1: 0} {
		synctest.Test(t, func(t *testing.T) {
			p := poolOf(limit, newTame(resident, false))
			defer p.close() // a failed test is to say why, not that a child is left
			w, err := p.lease(t.Context())
			require.NoError(t, err)
			var released atomic.Int32
			p.giveBack(w, func() { released.Add(1) })
			synctest.Wait()
			require.Len(t, p.idle, idle, "%d of %d", resident, limit)
			require.Len(t, p.all, idle)
			require.EqualValues(t, 1, released.Load())
		})
	}
}

// TestAStatementHasOneSlotHoweverOftenItIsTried: a statement that is sent to a second
// child, as the first had ended, gives its slot back once, and not before its end.
func TestAStatementHasOneSlotHoweverOftenItIsTried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := poolOf(0, newTame(0, true), newTame(0, false))
		defer p.close() // a failed test is to say why, not that a child is left
		var released atomic.Int32
		s, err := p.begin(t.Context(), wire.Query{Text: "select 1"}, func() { released.Add(1) })
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, released.Load(), "it runs, and more than are allowed would run beside it")
		s.finish(true)
		synctest.Wait()
		require.EqualValues(t, 1, released.Load())
	})
}
