package router_test

import (
	"database/sql"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

// cpu is the processor time of this process so far: what else the machine does
// counts less in it than in the time on the wall.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// spent returns the processor time that one call of f takes, over n calls.
func spent(tb testing.TB, n int, f func()) float64 {
	tb.Helper()
	began := cpu(tb)
	for range n {
		f()
	}
	return float64((cpu(tb) - began).Nanoseconds()) / float64(n)
}

// BenchmarkCPU measures the processor time of turns with one call and with ten,
// over gRPC in memory at both ends and the SQLite store. test/bench/routerspeed
// sets it against LangGraph.
func BenchmarkCPU(b *testing.B) {
	for _, bc := range []struct {
		name  string
		calls int
	}{{"turn of one call", 1}, {"tool call of ten", 10}} {
		b.Run(bc.name, func(b *testing.B) {
			w := newWorld(b, withStrategy(scripted(wants(tools.Execute, tools.DataDiscovery, discoverArgs))),
				func(c *routerConfig, _ *routerDeps) { c.MaxToolCalls = bc.calls })
			ctx := as(b.Context(), "alice")
			turn := func() {
				_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "which tables hold orders?"}})
				require.NoError(b, err)
				w.team.forget()
			}
			spent(b, 50, turn)
			b.ResetTimer()
			used := spent(b, b.N, turn)
			b.ReportMetric(used/1e3/float64(bc.calls), "cpu-us/call")
		})
	}
}

// BenchmarkFloor measures what no turn with one call can cost less than, whatever the router
// does: two calls over gRPC in memory, its own and that of the service; and two transactions
// of one row, what is asked before the call and what came of it after it, in SQLite as it is
// opened here.
func BenchmarkFloor(b *testing.B) {
	ctx := as(b.Context(), "alice")
	b.Run("two calls over gRPC", func(b *testing.B) {
		w := newWorld(b)
		query := &findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: "q"}}
		two := func() {
			for range 2 {
				events, err := w.deps.FindData.Discover(ctx, query)
				require.NoError(b, err)
				for err == nil {
					_, err = events.Recv()
				}
				require.ErrorIs(b, err, io.EOF)
			}
			w.team.forget()
		}
		spent(b, 50, two)
		b.ReportMetric(spent(b, b.N, two)/1e3, "cpu-us/turn")
	})
	b.Run("two transactions of a row", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "floor.db")
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=auto_vacuum(incremental)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate")
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, db.Close()) })
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(ctx, "CREATE TABLE steps (id INTEGER PRIMARY KEY, step BLOB)")
		require.NoError(b, err)
		insert, err := db.PrepareContext(ctx, "INSERT INTO steps (step) VALUES (?)")
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, insert.Close()) })
		row := make([]byte, 1000)
		two := func() {
			for range 2 {
				tx, err := db.BeginTx(ctx, nil)
				require.NoError(b, err)
				_, err = tx.StmtContext(ctx, insert).ExecContext(ctx, row) //nolint:sqlclosecheck // ends with the transaction
				require.NoError(b, err)
				require.NoError(b, tx.Commit())
			}
		}
		spent(b, 50, two)
		b.ReportMetric(spent(b, b.N, two)/1e3, "cpu-us/turn")
	})
}

// BenchmarkLongSession measures turn 100 of a session against turn 1: the median
// processor time of turns 91 to 100 of several sessions over that of their first.
func BenchmarkLongSession(b *testing.B) {
	const sessions, turns = 12, 100
	w := newWorld(b)
	ctx := as(b.Context(), "alice")
	var first, last []float64
	for b.Loop() {
		for range sessions {
			session := ""
			for turn := range turns {
				took := spent(b, 1, func() {
					a, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "which tables hold orders?", SessionId: session}})
					require.NoError(b, err)
					session = a.GetAnswer().GetSessionId()
				})
				w.team.forget()
				switch {
				case turn == 0:
					first = append(first, took)
				case turn >= turns-10:
					last = append(last, took)
				}
			}
		}
	}
	median := func(xs []float64) float64 { slices.Sort(xs); return xs[len(xs)/2] }
	b.ReportMetric(median(first)/1e3, "turn1-us")
	b.ReportMetric(median(last)/1e3, "turn100-us")
	b.ReportMetric(median(last)/median(first), "turn100/turn1")
}

func (f *team) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

// TestLongSessionsStayFast: what a turn costs does not grow with the turns before
// it, and a session at rest takes no memory to speak of.
func TestLongSessionsStayFast(t *testing.T) {
	if testing.Short() {
		t.Skip("runs hundreds of turns")
	}
	w := newWorld(t)
	session := ""
	// What is stored of a turn may be written down during another: the cost is that of ten. The
	// least of four tens is the one that what else the machine does has touched least.
	ten := func() float64 {
		return spent(t, 10, func() {
			a := w.ask(t, &routerv1.Turn{Question: "which tables hold orders?", SessionId: session})
			session = a.GetSessionId()
			w.team.forget()
		})
	}
	least := func() float64 { return min(ten(), ten(), ten(), ten()) }
	ten() // the history window is full after as many
	ten()
	early := least()
	for range 10 {
		ten()
	}
	require.Less(t, least(), 2*early, "turn 200 costs about what turn 40 did")
}

// TestIdleSessionsTakeNoMemory makes many sessions and looks at what stays.
func TestIdleSessionsTakeNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes hundreds of sessions")
	}
	w := newWorld(t)
	one := func() {
		w.ask(t, &routerv1.Turn{Question: "which tables hold orders?"})
		w.team.forget()
	}
	for range 50 {
		one()
	}
	const sessions, bound = 500, 20 << 10
	before := inUse()
	for range sessions {
		one()
	}
	grown := int64(inUse()) - int64(before)
	require.Less(t, grown/sessions, int64(bound), "bytes that stay of an idle session")
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
