package router_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

// BenchmarkTwoHundredSessions has two hundred people ask at once, each a turn with
// one call every two seconds, over stub services that answer at once: what a turn
// takes then is the router's own. It reports the median and the 99th percentile.
func BenchmarkTwoHundredSessions(b *testing.B) {
	const people, every = 200, 2 * time.Second
	w := newWorld(b, withStrategy(scripted(wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs))),
		func(c *routerConfig, _ *routerDeps) { c.PersistTimeout, c.Lease = time.Hour, time.Hour })
	turns := max(1, b.N)
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
	require.Len(b, took, people*turns)
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
}
