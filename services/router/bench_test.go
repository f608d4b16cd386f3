package router_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

// BenchmarkToolCallOverhead measures what the router adds to a tool call, with
// its store, its run tree and gRPC over bufconn, as a ratio to a bare call of
// the same kind over the same connection in the same run.
func BenchmarkToolCallOverhead(b *testing.B) {
	const calls = 10
	w := newWorld(b, withStrategy(scripted(wants(tools.Execute, tools.DataDiscovery, discoverArgs))),
		func(c *routerConfig, _ *routerDeps) { c.MaxToolCalls = calls })
	bare := findatav1.NewFindDataServiceClient(pipe(b, w.team.register))
	ctx := as(b.Context(), "alice")
	query := &findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: "q"}}
	var inBare, inRouter time.Duration
	for b.Loop() {
		began := time.Now()
		for range calls {
			stream, err := bare.Discover(ctx, query)
			require.NoError(b, err)
			for err == nil {
				_, err = stream.Recv()
			}
		}
		inBare += time.Since(began)
		began = time.Now()
		resp, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "q"}})
		inRouter += time.Since(began)
		require.NoError(b, err)
		require.Len(b, resp.GetAnswer().GetToolCalls(), calls)
		w.team.mu.Lock()
		w.team.seen = nil
		w.team.mu.Unlock()
	}
	n := float64(b.N * calls)
	b.ReportMetric(float64(inBare.Nanoseconds())/n, "bare-ns/call")
	b.ReportMetric(float64(inRouter.Nanoseconds())/n, "router-ns/call")
	b.ReportMetric(float64(inRouter)/float64(inBare), "ratio")
}

// BenchmarkGreeting is a turn that needs no tool.
func BenchmarkGreeting(b *testing.B) {
	w := newWorld(b)
	ctx := as(b.Context(), "alice")
	for b.Loop() {
		_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "hello"}})
		require.NoError(b, err)
	}
}
