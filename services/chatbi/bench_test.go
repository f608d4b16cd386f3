package chatbi_test

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/chatbi"
)

// BenchmarkSixResults runs six statements of 100,000 rows at once and reports the
// most that the heap took, and how many of them were told to try again.
func BenchmarkSixResults(b *testing.B) {
	const statement = `SELECT a.order_id, a.dt, a.country, a.amount, 'note ' || CAST(b.order_id AS varchar) AS note
		FROM orders a CROSS JOIN orders b WHERE b.order_id < 200 LIMIT 100000`
	for name, memory := range map[string]int64{"bounded to 96 MiB": 96 << 20, "unbounded": 1 << 40} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := newService(b, func(c *chatbi.Config, _ *chatbi.Deps) {
					c.Limits.ResultsMemory, c.Limits.ResultsWait = memory, time.Minute
					c.Engine.MaxConcurrent, c.Engine.MaxPerPrincipal = 6, 6
				})
				debug.FreeOSMemory()
				refused := 0
				most := peak(func() {
					var all sync.WaitGroup
					var mu sync.Mutex
					for range 6 {
						all.Go(func() {
							_, err := unary(as(b.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: statement, CostConfirmed: true})
							mu.Lock()
							defer mu.Unlock()
							if err != nil {
								require.Equal(b, "RESULTS_BUSY", fault.ReasonOf(err), err)
								refused++
							}
						})
					}
					all.Wait()
				})
				b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
				b.ReportMetric(float64(refused), "refused")
			}
		})
	}
}

// peak watches the heap while f runs and returns the most that it took.
func peak(f func()) (most uint64) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	f()
	close(done)
	watching.Wait()
	return most
}
