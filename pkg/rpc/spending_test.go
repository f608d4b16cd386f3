package rpc_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestBudgetTravels: what a service used of a budget counts at its caller, over
// unary calls, streams and calls that fail.
func TestBudgetTravels(t *testing.T) {
	t.Parallel()
	spend := func(ctx context.Context) error {
		ctx = budget.Ensure(ctx, budget.Limits{Calls: 100})
		if err := budget.From(ctx).Begin(10); err != nil {
			return err
		}
		budget.From(ctx).Spend(budget.Used{Tokens: 10})
		return nil
	}
	f := &fake{
		check: func(ctx context.Context, r *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			if err := spend(ctx); err != nil {
				return nil, err
			}
			if r.GetSql() == "fail" {
				return nil, errors.New("no")
			}
			return &fixsqlv1.CheckSQLResponse{}, nil
		},
		chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			if err := s.Send(&routerv1.ChatResponse{}); err != nil {
				return err
			}
			return spend(s.Context())
		},
	}
	key := testKey(t, 1)
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(key)}, rpc.ClientDeps{Hops: key})
	b := budget.New(budget.Limits{Calls: 3, Tokens: 1000})
	ctx := run.With(budget.With(t.Context(), b), run.Context{Principal: run.Principal{ID: "ann"}})
	fix := fixsqlv1.NewFixSQLServiceClient(conn)

	_, err := fix.CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err)
	require.Equal(t, budget.Used{Calls: 1, Tokens: 10}, b.Used())
	_, err = fix.CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "fail"})
	require.Error(t, err)
	require.Equal(t, budget.Used{Calls: 2, Tokens: 20}, b.Used())
	stream, err := routerv1.NewRouterServiceClient(conn).Chat(ctx, &routerv1.ChatRequest{Turn: &routerv1.Turn{SessionId: "ses_1", Question: "q"}})
	require.NoError(t, err)
	for err == nil {
		_, err = stream.Recv()
	}
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, budget.Used{Calls: 3, Tokens: 30}, b.Used())
	_, err = stream.Recv()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 3, b.Used().Calls, "a trailer counts once")
	_, err = fix.CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.ErrorContains(t, err, "budget")
}

// TestStrangersAreNotBelieved: a budget is neither sent to servers that are none
// of ours, nor theirs to spend.
func TestStrangersAreNotBelieved(t *testing.T) {
	t.Parallel()
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		require.Nil(t, budget.From(ctx))
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	ctx := budget.With(t.Context(), budget.New(budget.Limits{Calls: 3}))
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err)
}
