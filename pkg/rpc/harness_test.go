package rpc_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// fake is a unary and a streaming service of the contract that do as the test says.
type fake struct {
	fixsqlv1.UnimplementedFixSQLServiceServer
	routerv1.UnimplementedRouterServiceServer
	check func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error)
	ask   func(context.Context, *routerv1.AskRequest) (*routerv1.AskResponse, error)
	chat  func(*routerv1.ChatRequest, grpc.ServerStreamingServer[routerv1.ChatResponse]) error
}

func (f *fake) CheckSQL(ctx context.Context, r *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
	return f.check(ctx, r)
}

func (f *fake) Ask(ctx context.Context, r *routerv1.AskRequest) (*routerv1.AskResponse, error) {
	return f.ask(ctx, r)
}

func (f *fake) Chat(r *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
	return f.chat(r, s)
}

func (f *fake) register(r grpc.ServiceRegistrar) {
	fixsqlv1.RegisterFixSQLServiceServer(r, f)
	routerv1.RegisterRouterServiceServer(r, f)
}

// lockedBuffer takes log lines from several goroutines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(b, nil)) }

// localGate lets everybody in as "me", and hop tokens of key.
func localGate(key *auth.HopKey) auth.Gate {
	return auth.Gate{Hops: key, Audiences: []string{"fixsql", "router"}, Edge: auth.Local{Principal: run.Principal{ID: "me"}}}
}

func testKey(t testing.TB, fill byte) *auth.HopKey {
	t.Helper()
	key, err := auth.NewHopKey(bytes.Repeat([]byte{fill}, auth.MinKeyBytes), nil)
	require.NoError(t, err)
	return key
}

// serve starts a server with the fake behind a pipe and returns it with a
// connection; both end with the test.
func serve(t testing.TB, f *fake, c rpc.ServerConfig, deps rpc.ServerDeps, client rpc.ClientDeps) (*rpc.Server, *grpc.ClientConn) {
	t.Helper()
	server, err := rpc.NewServer(c, deps)
	require.NoError(t, err)
	f.register(server)
	pipe := rpc.NewPipe()
	done := make(chan error, 1)
	go func() { done <- server.Serve(pipe) }()
	client.Options = append(client.Options, pipe.Dialer())
	conn, err := rpc.Dial(rpc.PipeTarget, rpc.ClientConfig{}, client)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = server.Stop(context.Background())
		require.NoError(t, <-done)
	})
	return server, conn
}
