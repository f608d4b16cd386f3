package budget_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/budget"
)

func TestBudgetIsSpentOnce(t *testing.T) {
	t.Parallel()
	b := budget.New(budget.Limits{Calls: 50})
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 80 {
		wg.Go(func() {
			if err := b.Begin(1); err != nil {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Equal(t, 30, refused)
	require.Equal(t, 50, b.Used().Calls)
	require.Equal(t, budget.Limits{Calls: -1}, b.Left())

	timed := budget.New(budget.Limits{Time: time.Second})
	require.NoError(t, timed.Begin(1))
	timed.Spend(budget.Used{Time: time.Second})
	require.Equal(t, budget.Reason, fault.ReasonOf(timed.Begin(1)))
	var none *budget.Budget
	require.NoError(t, none.Begin(1))
	none.Spend(budget.Used{Calls: 1})
	require.Zero(t, none.Used())
}

func TestAServiceKeepsItsOwnLimits(t *testing.T) {
	t.Parallel()
	own := budget.Limits{Calls: 5, Tokens: 100, Time: time.Second}
	require.Equal(t, own, budget.From(budget.Ensure(t.Context(), own)).Left())
	generous := budget.With(t.Context(), budget.New(budget.Limits{Calls: 1000}))
	require.Equal(t, own, budget.From(budget.Ensure(generous, own)).Left())
	narrow := budget.New(budget.Limits{Calls: 2, Tokens: 10, Time: time.Minute})
	require.Equal(t, budget.Limits{Calls: 2, Tokens: 10, Time: time.Second}, budget.From(budget.Ensure(budget.With(t.Context(), narrow), own)).Left())
}

// call carries a budget to a service and back, as an rpc does.
func call(ctx context.Context, t *testing.T, b *budget.Budget, serve func(ctx context.Context)) {
	t.Helper()
	out, _ := metadata.FromOutgoingContext(budget.Outgoing(ctx))
	in, carried := budget.Incoming(metadata.NewIncomingContext(t.Context(), out))
	serve(in)
	b.Settle(carried.Trailer())
}

func TestBudgetIsSharedOverServices(t *testing.T) {
	t.Parallel()
	b := budget.New(budget.Limits{Calls: 3, Tokens: 1000, Time: time.Minute})
	ctx := budget.With(t.Context(), b)
	work := func(ctx context.Context) {
		require.NoError(t, budget.From(ctx).Begin(1))
		budget.From(ctx).Spend(budget.Used{Tokens: 100, Time: time.Second, Cost: 0.0025})
	}
	work(ctx)
	call(ctx, t, b, func(ctx context.Context) {
		require.Equal(t, budget.Limits{Calls: 2, Tokens: 900, Time: 59 * time.Second}, budget.From(ctx).Left())
		work(ctx)
		work(ctx)
	})
	used := b.Used()
	require.InDelta(t, 0.0075, used.Cost, 1e-9, "what it cost comes back with the rest")
	used.Cost = 0
	require.Equal(t, budget.Used{Calls: 3, Tokens: 300, Time: 3 * time.Second}, used)
	call(ctx, t, b, func(ctx context.Context) {
		require.Error(t, budget.From(ctx).Begin(1), "what is spent stays spent at the callee")
	})
	require.Equal(t, 3, b.Used().Calls)
}

func TestStrangeMetadataIsNoBudget(t *testing.T) {
	t.Parallel()
	for _, values := range [][]string{nil, {"x"}, {"1 2"}, {"1 2 3", "1 2 3"}, {"9999999999999999999999999999999999999999999999999999999999999999999 1 1"}} {
		_, b := budget.Incoming(metadata.NewIncomingContext(t.Context(), metadata.MD{budget.KeyLeft: values}))
		require.Nil(t, b, values)
	}
	b := budget.New(budget.Limits{Calls: 5})
	b.Settle(metadata.Pairs(budget.KeyUsed, "-3 -5 -7"))
	require.Zero(t, b.Used())
	for _, cost := range []string{"-5", "x", "9999999999999999", "1e3"} {
		b.Settle(metadata.Pairs(budget.KeyUsed, "0 0 0", budget.KeyCost, cost))
		require.Zero(t, b.Used().Cost, cost)
	}
	b.Settle(metadata.Pairs(budget.KeyUsed, "0 0 0", budget.KeyCost, "1", budget.KeyCost, "2"))
	require.Zero(t, b.Used().Cost, "two costs are none")
}
