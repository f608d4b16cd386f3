package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestTheHistoryThatFindDataGetsIsBounded: find data gets the last messages of a long talk.
func TestTheHistoryThatFindDataGetsIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.HistoryMessages = 100 })
	id := ""
	for range 30 {
		a := w.ask(t, &routerv1.Turn{Question: "which tables hold the orders?", SessionId: id})
		id = a.GetSessionId()
	}
	most := 0
	for i := range w.team.tools() {
		if q, ok := w.team.call(i).request.(*findatav1.DiscoverQuery); ok {
			most = max(most, len(q.GetChatHistory()))
		}
	}
	require.Equal(t, 20, most)
}
