package router_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
)

// lookedUp counts the calls that are looked for.
type lookedUp struct {
	router.Store
	calls atomic.Int32
}

func (l *lookedUp) ToolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error) {
	l.calls.Add(1)
	return l.Store.ToolCall(ctx, p, id)
}

// TestNobodyLooksForANewCall: under an id that was just made nothing can have ended.
func TestNobodyLooksForANewCall(t *testing.T) {
	t.Parallel()
	var looked *lookedUp
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) {
		looked = &lookedUp{Store: d.Store}
		d.Store = looked
	})
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	require.Len(t, a.GetToolCalls(), 3)
	require.Zero(t, looked.calls.Load())
}
