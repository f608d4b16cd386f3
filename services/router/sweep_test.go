package router_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
)

// sweptStore tells when a sweep is over.
type sweptStore struct {
	router.Store
	over chan store.Swept
}

func (s *sweptStore) Sweep(ctx context.Context, r store.Retention) (store.Swept, error) {
	swept, err := s.Store.Sweep(ctx, r)
	s.over <- swept
	return swept, err
}

// TestOldSessionsAndRunsGo: beside the turns, by the clock that the router is given.
func TestOldSessionsAndRunsGo(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now() // the store's clock, which goes on by itself
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	over := make(chan store.Swept, 10)
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		c.Retention = router.RetentionConfig{SessionsFor: 10 * 24 * time.Hour, MaxSessions: 2, SweepEvery: time.Hour}
		d.Clock = clock
		d.Store = &sweptStore{d.Store, over}
	})
	sessions := func() int {
		got, err := w.client.ListSessions(as(t.Context(), "alice"), &routerv1.ListSessionsRequest{})
		require.NoError(t, err)
		return len(got.GetSessions())
	}
	w.ask(t, &routerv1.Turn{Question: "hello"})
	require.Zero(t, (<-over).Sessions, "the first turn's sweep finds nothing")
	for range 3 {
		w.ask(t, &routerv1.Turn{Question: "hello"})
	}
	require.Equal(t, 4, sessions())
	require.Empty(t, over, "the next one is not due")
	mu.Lock()
	now = now.Add(2 * time.Hour)
	mu.Unlock()
	a := w.ask(t, &routerv1.Turn{Question: "hello"})
	require.EqualValues(t, 3, (<-over).Sessions)
	require.Equal(t, 2, sessions())
	_, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err, "the newest stay")
}

func TestASessionHasABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.Retention.MaxTurns = 2 })
	first := w.ask(t, &routerv1.Turn{Question: "hello"})
	again := &routerv1.Turn{Question: "hello", SessionId: first.GetSessionId()}
	w.ask(t, again)
	_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: again})
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.Equal(t, "SESSION_FULL", fault.ReasonOf(err))
	require.Contains(t, status.Convert(err).Message(), "2 turns")
	_, err = w.store.Lock(t.Context(), alice, first.GetSessionId(), time.Minute)
	require.NoError(t, err, "its lock is given back")
	_, err = w.store.Sweep(t.Context(), store.Retention{})
	require.NoError(t, err)
}
