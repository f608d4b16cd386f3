package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestATalkGoesOnBeyondTheWindow: a short reply refers to what was asked long
// before the messages that a decision reads, and after a restart too.
func TestATalkGoesOnBeyondTheWindow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	narrow := func(c *routerConfig, _ *routerDeps) { c.HistoryMessages = 2 }
	w := newWorldIn(t, dir, narrow)
	session := w.ask(t, &routerv1.Turn{Question: "How many orders were there yesterday?"}).GetSessionId()
	for range 4 {
		require.Empty(t, called(w.ask(t, &routerv1.Turn{Question: "thanks", SessionId: session})))
	}
	require.NoError(t, w.service.Close())

	w = newWorldIn(t, dir, narrow)
	a := w.ask(t, &routerv1.Turn{Question: "and for Brazil?", SessionId: session})
	require.Contains(t, a.GetRewrittenQuestion(), "How many orders were there yesterday, and for Brazil?")
	require.Contains(t, called(a), tools.Execute)
}
