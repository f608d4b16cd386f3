package rpc_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
)

// TestACallCutByTheStopIsToldSo: a handler that has something to say when the time
// of the drain is up says it to its caller; one that only fails has an error that
// says why.
func TestACallCutByTheStopIsToldSo(t *testing.T) {
	t.Parallel()
	began, causes := make(chan struct{}, 2), make(chan error, 2)
	f := &fake{
		ask: func(ctx context.Context, _ *routerv1.AskRequest) (*routerv1.AskResponse, error) {
			began <- struct{}{}
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return &routerv1.AskResponse{Answer: &routerv1.Answer{Text: "so far"}}, nil
		},
		chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			began <- struct{}{}
			<-s.Context().Done()
			causes <- context.Cause(s.Context())
			return s.Context().Err()
		},
	}
	server, conn := serve(t, f, rpc.ServerConfig{DrainTimeout: 10 * time.Millisecond}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	client := routerv1.NewRouterServiceClient(conn)
	turn := &routerv1.Turn{Question: "q"}
	answered := make(chan error, 1)
	go func() {
		response, err := client.Ask(t.Context(), &routerv1.AskRequest{Turn: turn})
		if err == nil && response.GetAnswer().GetText() != "so far" {
			err = status.Error(codes.Unknown, "the answer was lost")
		}
		answered <- err
	}()
	stream, err := client.Chat(t.Context(), &routerv1.ChatRequest{Turn: turn})
	require.NoError(t, err)
	<-began
	<-began
	require.ErrorContains(t, server.Stop(t.Context()), "were cancelled")
	require.ErrorIs(t, <-causes, rpc.ErrStopping)
	require.ErrorIs(t, <-causes, rpc.ErrStopping)
	require.NoError(t, <-answered, "what there is reaches the caller")
	_, err = stream.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
	require.Equal(t, rpc.ReasonStopping, fault.ReasonOf(err))
	require.Equal(t, time.Second, fault.FromStatus(err).RetryAfter)
	require.Equal(t, "This server is being stopped, and ended the call early. Ask again in a moment.", status.Convert(err).Message())
}
