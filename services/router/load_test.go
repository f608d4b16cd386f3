package router_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/services/router/tools"
)

// BenchmarkTwoHundredSessions has two hundred people ask at once, each a turn with
// one call every two seconds, over stub services that answer at once: what a turn
// takes then is the router's own. It reports the median, the 99th percentile, and the
// processor time of a turn in this process, which other work counts less in; over
// SQLite and over the PostgreSQL server of DIBRAIN_TEST_POSTGRES.
func BenchmarkTwoHundredSessions(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchTwoHundred(b) })
	b.Run("postgres", func(b *testing.B) {
		dsn := postgrestest.DSN(b)
		s, err := postgres.Open(b.Context(), postgres.Config{
			DSN: func() (string, error) { return dsn, nil }, Timeout: time.Hour, Log: slog.New(slog.DiscardHandler),
		})
		require.NoError(b, err)
		b.Cleanup(func() { _ = s.Close() })
		benchTwoHundred(b, func(_ *routerConfig, d *routerDeps) { d.Store = s })
	})
}

func benchTwoHundred(b *testing.B, settings ...setting) {
	b.Helper()
	const people, every = 200, 2 * time.Second
	w := newWorld(b, append(settings, withStrategy(scripted(wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs))),
		func(c *routerConfig, _ *routerDeps) { c.PersistTimeout, c.Lease = time.Hour, time.Hour })...)
	turns := max(1, b.N)
	before := cpu(b)
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	for person := range people {
		wg.Go(func() {
			ctx := as(b.Context(), fmt.Sprint("user", person))
			// Spread over the interval, so that they do not all ask in one moment.
			<-time.After(every * time.Duration(person) / people)
			pace := time.NewTicker(every)
			defer pace.Stop()
			session := ""
			for range turns {
				began := time.Now()
				a, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "which tables hold orders?", SessionId: session}})
				spent := time.Since(began)
				if err != nil {
					b.Error(err)
					return
				}
				session = a.GetAnswer().GetSessionId()
				mu.Lock()
				took = append(took, spent)
				mu.Unlock()
				<-pace.C
			}
		})
	}
	wg.Wait()
	used := cpu(b) - before
	require.Len(b, took, people*turns)
	slices.Sort(took)
	b.ReportMetric(float64(used.Microseconds())/float64(len(took)), "cpu-us/turn")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
}

// BenchmarkFiveHundredTalks has five hundred people ask in one moment, with outputs
// of a megabyte, and reports how much memory is in use at most: with the bound on
// turns at work, and with room for all.
func BenchmarkFiveHundredTalks(b *testing.B) {
	const people = 500
	for _, turns := range []int{64, people} {
		b.Run(fmt.Sprintf("max_turns=%d", turns), func(b *testing.B) {
			w := newWorld(b, func(c *routerConfig, _ *routerDeps) {
				c.MaxTurns, c.TurnWait, c.PersistTimeout, c.Lease, c.MaxExecute = turns, time.Hour, time.Hour, time.Hour, time.Hour
			})
			big := strings.Repeat("a row of the result ", 50_000)
			var mu sync.Mutex
			most := uint64(0)
			w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				mu.Lock()
				most = max(most, m.HeapInuse)
				mu.Unlock()
				r := doneResult()
				r.Answer = big
				return r, nil
			}
			for b.Loop() {
				var wg sync.WaitGroup
				for person := range people {
					wg.Go(func() {
						_, err := w.client.Ask(as(b.Context(), fmt.Sprint("user", person)), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run " + theSQL}})
						if err != nil {
							b.Error(err)
						}
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(most)/(1<<20), "MiB")
		})
	}
}
