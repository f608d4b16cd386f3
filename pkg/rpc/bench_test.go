package rpc_test

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// BenchmarkChain measures what the chain of server and client adds to a call
// inside the process. "ratio" is chained over bare.
func BenchmarkChain(b *testing.B) {
	f := &fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	request := &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"}
	bareConn := bare(b, f)
	key := testKey(b, 1)
	_, chained := serve(b, f, rpc.ServerConfig{}, rpc.ServerDeps{
		Gate: localGate(key), Logger: slog.New(slog.DiscardHandler),
	}, rpc.ClientDeps{Hops: key})
	ctx := run.With(context.Background(), run.Context{
		RunID: "run_1", SessionID: "ses_1", ToolCallID: "call_1", Principal: run.Principal{ID: "alice", Groups: []string{"sales"}},
	})
	perCall := make(map[string]float64)
	for _, c := range []struct {
		name string
		conn *grpc.ClientConn
	}{{"bare", bareConn}, {"chained", chained}} {
		b.Run(c.name, func(b *testing.B) {
			client := fixsqlv1.NewFixSQLServiceClient(c.conn)
			for b.Loop() {
				if _, err := client.CheckSQL(ctx, request); err != nil {
					b.Fatal(err)
				}
			}
			perCall[c.name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if c.name == "chained" && perCall["bare"] > 0 {
				b.ReportMetric(perCall["chained"]/perCall["bare"], "ratio")
			}
		})
	}
}

func bare(b *testing.B, f *fake) *grpc.ClientConn {
	b.Helper()
	l := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	f.register(server)
	go func() { _ = server.Serve(l) }()
	conn, err := grpc.NewClient("passthrough:///bare", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	require.NoError(b, err)
	b.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
	})
	return conn
}
