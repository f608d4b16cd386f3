package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

func TestErrorsAreMaskedUnlessTheyOwnTheirStatus(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err    error
		code   codes.Code
		reason string
		text   string
	}{
		"fault":            {fault.NotFound("TABLE_UNKNOWN", "No table %s.", "t").Because(errors.New("secret")), codes.NotFound, "TABLE_UNKNOWN", "No table t."},
		"wrapped fault":    {fmt.Errorf("secret: %w", fault.NotFound("X", "No.")), codes.NotFound, "X", "No."},
		"driver":           {errors.New("dial 10.0.0.1: secret"), codes.Internal, "INTERNAL", "Something went wrong inside"},
		"library's status": {status.Error(codes.Internal, "secret"), codes.Internal, "INTERNAL", "Something went wrong inside"},
		"unknown status":   {status.Error(codes.Unknown, "secret"), codes.Internal, "INTERNAL", "Something went wrong inside"},
		"deadline":         {fmt.Errorf("secret: %w", context.DeadlineExceeded), codes.DeadlineExceeded, "DEADLINE_EXCEEDED", "time for this call was up"},
		"bare deadline":    {status.Error(codes.DeadlineExceeded, "secret"), codes.DeadlineExceeded, "DEADLINE_EXCEEDED", "time for this call was up"},
		"cancelled":        {fmt.Errorf("secret: %w", context.Canceled), codes.Canceled, "CANCELLED", "was cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs := &lockedBuffer{}
			f := &fake{
				check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
					return nil, tc.err
				},
				chat: func(*routerv1.ChatRequest, grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
					return tc.err
				},
			}
			_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Logger: logs.logger()}, rpc.ClientDeps{})
			_, unaryErr := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
			stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
			require.NoError(t, err)
			_, streamErr := stream.Recv()
			for _, err := range []error{unaryErr, streamErr} {
				require.Equal(t, tc.code, status.Code(err))
				require.Equal(t, tc.reason, fault.ReasonOf(err))
				require.Contains(t, status.Convert(err).Message(), tc.text)
				require.NotContains(t, fmt.Sprint(status.Convert(err).Proto()), "secret")
				if tc.code == codes.Internal {
					require.Contains(t, logs.String(), fault.FromStatus(err).Meta["error_id"])
					require.Contains(t, logs.String(), "secret")
				}
			}
		})
	}
}

func TestOperatorsDetailReachesOperatorsOnly(t *testing.T) {
	t.Parallel()
	for _, callersOperate := range []bool{false, true} {
		logs := &lockedBuffer{}
		f := &fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			return nil, fmt.Errorf("open: %w", fault.New(codes.FailedPrecondition, "DAMAGED", "The source is damaged.").ForOperator("see %s", "/srv/data/x"))
		}}
		_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Logger: logs.logger(), CallersOperate: callersOperate}, rpc.ClientDeps{})
		_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
		require.Equal(t, "DAMAGED", fault.ReasonOf(err))
		require.Contains(t, logs.String(), "/srv/data/x", "the log has it in both modes")
		if callersOperate {
			require.Equal(t, "The source is damaged. (see /srv/data/x)", status.Convert(err).Message())
		} else {
			require.NotContains(t, fmt.Sprint(status.Convert(err).Proto()), "/srv/data/x")
		}
	}
}

// TestClientThatLeftIsNoFault: an answer that cannot be sent because its client
// cancelled is a cancelled call in the log, nothing to warn of.
func TestClientThatLeftIsNoFault(t *testing.T) {
	t.Parallel()
	logs, began := &lockedBuffer{}, make(chan struct{})
	f := &fake{chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
		close(began)
		<-s.Context().Done()
		return status.Error(codes.Unavailable, "transport is closing")
	}}
	server, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Logger: logs.logger()}, rpc.ClientDeps{})
	ctx, leave := context.WithCancel(t.Context())
	_, err := routerv1.NewRouterServiceClient(conn).Chat(ctx, &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	<-began
	leave()
	require.NoError(t, server.Stop(t.Context())) // waits for the handler
	require.Contains(t, logs.String(), `"code":"Canceled"`)
	require.NotContains(t, logs.String(), "WARN")
}

func TestPanicsAreMasked(t *testing.T) {
	t.Parallel()
	logs := &lockedBuffer{}
	f := &fake{
		check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			panic("secret state")
		},
		chat: func(*routerv1.ChatRequest, grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			panic("secret stream")
		},
	}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Logger: logs.logger()}, rpc.ClientDeps{})
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, codes.Internal, status.Code(err))
	require.NotContains(t, fmt.Sprint(status.Convert(err).Proto()), "secret")
	require.Regexp(t, `err_[0-9a-f]{24}`, err.Error())
	require.Contains(t, logs.String(), "secret state")
	require.Contains(t, logs.String(), "server_test.go", "the log has the stack")
	stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	_, err = stream.Recv()
	require.Equal(t, "INTERNAL", fault.ReasonOf(err))
}

func TestRequestsAreValidated(t *testing.T) {
	t.Parallel()
	f := &fake{
		ask: func(context.Context, *routerv1.AskRequest) (*routerv1.AskResponse, error) {
			t.Error("the handler must not see an invalid request")
			return nil, nil
		},
		chat: func(*routerv1.ChatRequest, grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			t.Error("the handler must not see an invalid request")
			return nil
		},
	}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	client := routerv1.NewRouterServiceClient(conn)
	megabyte := &routerv1.Turn{Question: strings.Repeat("q", 1<<20), SessionId: strings.Repeat("s", 99)}
	_, unaryErr := client.Ask(t.Context(), &routerv1.AskRequest{Turn: megabyte})
	stream, err := client.Chat(t.Context(), &routerv1.ChatRequest{Turn: megabyte})
	require.NoError(t, err)
	_, streamErr := stream.Recv()
	for _, err := range []error{unaryErr, streamErr} {
		st := status.Convert(err)
		require.Equal(t, codes.InvalidArgument, st.Code())
		require.Contains(t, st.Message(), "turn.question")
		require.Less(t, len(st.Message()), 1000)
		var fields []string
		for _, d := range st.Details() {
			if bad, ok := d.(*errdetails.BadRequest); ok {
				for _, v := range bad.GetFieldViolations() {
					require.Equal(t, "REQUEST_INVALID", v.GetReason())
					require.NotEmpty(t, v.GetDescription())
					fields = append(fields, v.GetField())
				}
			}
		}
		require.Equal(t, []string{"turn.question", "turn.session_id"}, fields)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	f := &fake{ask: func(context.Context, *routerv1.AskRequest) (*routerv1.AskResponse, error) {
		return &routerv1.AskResponse{Answer: &routerv1.Answer{Text: strings.Repeat("x", 2000)}}, nil
	}}
	_, conn := serve(t, f, rpc.ServerConfig{MaxResponseBytes: 1000}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	_, err := routerv1.NewRouterServiceClient(conn).Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Equal(t, "RESPONSE_TOO_LARGE", fault.ReasonOf(err))
}

// TestCallsOfAConnectionAreBounded holds a stream, so that the one place of the
// connection is taken: another call waits for it and does not reach the service.
func TestCallsOfAConnectionAreBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	f := &fake{
		chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
			close(entered)
			<-release
			return s.Send(&routerv1.ChatResponse{})
		},
		check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			return &fixsqlv1.CheckSQLResponse{}, nil
		},
	}
	_, conn := serve(t, f, rpc.ServerConfig{MaxStreams: 1}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	t.Cleanup(free)
	stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	<-entered
	check := fixsqlv1.NewFixSQLServiceClient(conn)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = check.CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, codes.DeadlineExceeded, status.Code(err), "the connection has no place left")
	free()
	_, err = stream.Recv()
	require.NoError(t, err)
	_, err = stream.Recv()
	require.ErrorContains(t, err, "EOF")
	_, err = check.CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err, "the stream that ended gave its place back")
}

func TestDeadlineIsCapped(t *testing.T) {
	t.Parallel()
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		<-ctx.Done()
		return nil, errors.New("driver: interrupted")
	}}
	_, conn := serve(t, f, rpc.ServerConfig{MaxDeadline: 20 * time.Millisecond}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, codes.DeadlineExceeded, status.Code(err))
	require.Equal(t, "DEADLINE_EXCEEDED", fault.ReasonOf(err))
}

func TestRunAndPrincipalTravel(t *testing.T) {
	t.Parallel()
	key := testKey(t, 1)
	logs := &lockedBuffer{}
	var got run.Context
	var md metadata.MD
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		got = run.From(ctx)
		md, _ = metadata.FromIncomingContext(ctx)
		_, step := run.Start(ctx, "check")
		step.End(nil)
		assert.Equal(t, "fixsql", step.Record().Service)
		assert.Equal(t, run.From(ctx).RunID, step.Record().ParentRunID)
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(key), Logger: logs.logger()}, rpc.ClientDeps{Hops: key})
	client := fixsqlv1.NewFixSQLServiceClient(conn)
	request := &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"}

	alice := run.Principal{ID: "alice", Groups: []string{"sales"}, Admin: true}
	want := run.Context{
		RunID: "run_1", SessionID: "ses_1", ToolCallID: "call_1", ToolName: "fix_sql", Principal: alice,
		TimeZone: "Asia/Singapore", Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	unsigned := metadata.AppendToOutgoingContext(t.Context(), "x-dibrain-principal", "root", "x-dibrain-admin", "true", "authorization", "Bearer x")
	_, err := client.CheckSQL(run.With(unsigned, want), request)
	require.NoError(t, err)
	require.True(t, want.Now.Equal(got.Now))
	got.Now = want.Now
	require.Equal(t, want, got)
	for _, key := range []string{"x-dibrain-principal", "x-dibrain-admin", "x-dibrain-hop", "authorization"} {
		require.Empty(t, md.Get(key), "handlers must not see %s", key)
	}
	require.Contains(t, logs.String(), `"principal":"alice"`)

	want.Principal, want.Now = run.Principal{}, time.Time{}
	_, err = client.CheckSQL(run.With(unsigned, want), request)
	require.NoError(t, err)
	require.Equal(t, run.Principal{ID: "me"}, got.Principal, "nobody signed: the edge decides, not the metadata")

	_, err = client.CheckSQL(run.With(t.Context(), run.Context{RunID: "a b"}), request)
	require.Equal(t, "RUN_CONTEXT_INVALID", fault.ReasonOf(err))
}

func TestCallersFromOutsideSetNeitherRunNorClock(t *testing.T) {
	t.Parallel()
	var got run.Context
	var root, child run.Record
	var md metadata.MD
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		got = run.From(ctx)
		md, _ = metadata.FromIncomingContext(ctx)
		ctx, step := run.Start(ctx, "check")
		_, inner := run.Start(ctx, "inner")
		inner.End(nil)
		step.End(nil)
		root, child = step.Record(), inner.Record()
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	spans := tracetest.NewSpanRecorder()
	tracing := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	key := testKey(t, 1)
	now := "" // what a client that is not ours puts there
	forge := grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if now != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, run.KeyNow, now)
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	})
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(key), Tracing: tracing}, rpc.ClientDeps{Options: []grpc.DialOption{forge}})
	client := fixsqlv1.NewFixSQLServiceClient(conn)
	request := &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"}

	const traceID = "0af7651916cd43dd8448eb211c80319c"
	outside := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	said := run.Context{
		RunID: "run_others", ParentRunID: "run_above", SessionID: "ses_others", ChatID: "chat_others",
		ToolCallID: "call_others", ToolName: "fix_sql", TimeZone: "Asia/Singapore",
	}
	_, err := client.CheckSQL(run.With(outside, said), request)
	require.NoError(t, err)
	require.Equal(t, run.Context{Principal: run.Principal{ID: "me"}, CallerRunID: "run_others", TimeZone: "Asia/Singapore"}, got)
	require.Empty(t, root.ParentRunID, "the run of somebody else is nobody's parent")
	require.Equal(t, "run_others", root.Attributes[run.AttrCallerRunID])
	require.Equal(t, root.RunID, child.ParentRunID)
	require.NotContains(t, child.Attributes, run.AttrCallerRunID, "the first run alone tells of the caller")
	require.NotEmpty(t, md)
	for key := range md {
		require.NotContains(t, key, "x-dibrain-")
	}
	var noted bool
	for _, span := range spans.Ended() {
		require.Equal(t, traceID, span.SpanContext().TraceID().String(), "the caller's trace goes on")
		noted = noted || slices.Contains(span.Attributes(), attribute.String(run.AttrCallerRunID, "run_others"))
	}
	require.True(t, noted, "the span tells of the caller's run")

	_, err = client.CheckSQL(run.With(t.Context(), run.Context{ParentRunID: "run_above"}), request)
	require.NoError(t, err)
	require.Equal(t, "run_above", root.Attributes[run.AttrCallerRunID])

	got, now = run.Context{}, "2020-01-01T00:00:00Z"
	_, err = client.CheckSQL(t.Context(), request)
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	require.Equal(t, "NOW_FROM_OUTSIDE", fault.ReasonOf(err))
	require.Zero(t, got, "the handler is not reached")

	now = ""
	_, err = client.CheckSQL(run.With(t.Context(), run.Context{Now: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}), request)
	require.NoError(t, err, "our own client does not send its clock to a server that is not of its deployment")
	require.Zero(t, got.Now)
}

func TestForgedHopTokensAreUnauthenticated(t *testing.T) {
	t.Parallel()
	f := &fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		t.Error("the handler must not be reached")
		return nil, nil
	}}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(testKey(t, 1))}, rpc.ClientDeps{})
	otherService, err := testKey(t, 1).Sign(run.Principal{ID: "alice"}, "chatbi")
	require.NoError(t, err)
	otherKey, err := testKey(t, 2).Sign(run.Principal{ID: "alice"}, "fixsql")
	require.NoError(t, err)
	for token, reason := range map[string]string{otherService: "HOP_TOKEN_INVALID", otherKey: "HOP_TOKEN_INVALID", "": "HOP_TOKEN_INVALID"} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), auth.KeyHop, token)
		_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		require.Equal(t, reason, fault.ReasonOf(err))
	}
}

func TestRateLimitCountsEdgeCallsOnly(t *testing.T) {
	t.Parallel()
	key := testKey(t, 1)
	f := &fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	limiter := auth.NewLimiter(auth.LimitConfig{PerSecond: 0.001, Burst: 1, MaxPrincipals: 10}, nil)
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(key), Limiter: limiter}, rpc.ClientDeps{Hops: key})
	client := fixsqlv1.NewFixSQLServiceClient(conn)
	request := &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"}
	hop := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "me"}})
	for range 3 {
		_, err := client.CheckSQL(hop, request)
		require.NoError(t, err)
	}
	_, err := client.CheckSQL(t.Context(), request)
	require.NoError(t, err)
	_, err = client.CheckSQL(t.Context(), request)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Positive(t, fault.FromStatus(err).RetryAfter, "RetryInfo says when")
	_, err = healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
	require.NoError(t, err, "probes are not limited")
}

func TestHealthAndReflectionNeedNoToken(t *testing.T) {
	t.Parallel()
	_, conn := serve(t, &fake{}, rpc.ServerConfig{}, rpc.ServerDeps{Gate: auth.Gate{}}, rpc.ClientDeps{})
	for _, service := range []string{"", "dibrain.fixsql.v1.FixSQLService", "dibrain.router.v1.RouterService"} {
		resp, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err)
		require.Equal(t, healthv1.HealthCheckResponse_SERVING, resp.GetStatus(), service)
	}
	v1, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	require.NoError(t, v1.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}))
	list, err := v1.Recv()
	require.NoError(t, err)
	for _, service := range []string{"dibrain.router.v1.RouterService", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"} {
		require.Contains(t, list.String(), service)
	}
	require.NoError(t, v1.CloseSend())
	_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

func TestStopDrainsStreams(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	f := &fake{chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
		close(entered)
		<-release
		return s.Send(&routerv1.ChatResponse{})
	}}
	server, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	<-entered
	health := healthv1.NewHealthClient(conn)
	watch, err := health.Watch(t.Context(), &healthv1.HealthCheckRequest{Service: "dibrain.router.v1.RouterService"})
	require.NoError(t, err)
	state, err := watch.Recv()
	require.NoError(t, err)
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, state.GetStatus())

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop(ctx) }()
	state, err = watch.Recv()
	require.NoError(t, err)
	require.Equal(t, healthv1.HealthCheckResponse_NOT_SERVING, state.GetStatus(), "probes see it before the stream ends")
	close(release)
	_, err = stream.Recv()
	require.NoError(t, err, "the stream at work is drained")
	_, err = stream.Recv()
	require.ErrorContains(t, err, "EOF")
	cancel() // the health watch is all that is left
	require.Error(t, <-stopped)
}

func TestStopCancelsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	f := &fake{chat: func(_ *routerv1.ChatRequest, s grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
		close(entered)
		<-s.Context().Done()
		return s.Context().Err()
	}}
	server, conn := serve(t, f, rpc.ServerConfig{DrainTimeout: 10 * time.Millisecond}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	stream, err := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.NoError(t, err)
	<-entered
	require.ErrorContains(t, server.Stop(t.Context()), "were cancelled")
	_, err = stream.Recv()
	require.Error(t, err)
	require.NoError(t, server.Stop(t.Context()), "once is enough")
}

func TestMetricsAreByMethodCodeAndOutcome(t *testing.T) {
	t.Parallel()
	metrics, read := metertest.New(t)
	f := &fake{check: func(ctx context.Context, r *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		switch r.GetSql() {
		case "panic":
			panic("x")
		case "refuse":
			run.Conclude(ctx, run.OutcomeRefused) // in the answer, without an error
		}
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	server, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Metrics: metrics}, rpc.ClientDeps{})
	for _, sql := range []string{"SELECT 1", "refuse", "panic"} {
		_, _ = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: sql})
	}
	require.NoError(t, server.Stop(t.Context()))
	const method = `method="dibrain.fixsql.v1.FixSQLService/CheckSQL"`
	require.Equal(t, map[string]float64{
		`dibrain_rpc_in_flight{` + method + `}`:                         0,
		`dibrain_rpc_outcomes_total{` + method + `,outcome="answered"}`: 1,
		`dibrain_rpc_outcomes_total{` + method + `,outcome="refused"}`:  1,
		`dibrain_rpc_outcomes_total{` + method + `,outcome="failed"}`:   1,
		`dibrain_rpc_requests_total{code="Internal",` + method + `}`:    1,
		`dibrain_rpc_requests_total{code="OK",` + method + `}`:          2,
		`dibrain_rpc_seconds{code="Internal",` + method + `}`:           1,
		`dibrain_rpc_seconds{code="OK",` + method + `}`:                 2,
	}, read())
}

func TestSpansSayWhatCameOfACall(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		concluded run.Outcome
		err       error
		want      run.Outcome
		bad       bool
	}{
		"nothing said":                   {want: run.OutcomeAnswered},
		"a question back":                {concluded: run.OutcomeAsked, want: run.OutcomeAsked},
		"a refusal without an error":     {concluded: run.OutcomeRefused, want: run.OutcomeRefused, bad: true},
		"an answer that was cut":         {concluded: run.OutcomeCut, want: run.OutcomeCut, bad: true},
		"nothing certain enough":         {concluded: run.OutcomeAbstained, want: run.OutcomeAbstained, bad: true},
		"an error":                       {err: fault.New(codes.PermissionDenied, "X", "No."), want: run.OutcomeDenied, bad: true},
		"an invalid request":             {err: fault.Invalid("sql", "X", "No."), want: run.OutcomeRefused, bad: true},
		"an error after the answer":      {concluded: run.OutcomeAnswered, err: errors.New("x"), want: run.OutcomeFailed, bad: true},
		"a handler that knows it better": {concluded: run.OutcomeDenied, err: fault.NotFound("X", "No."), want: run.OutcomeDenied, bad: true},
		"out of time":                    {err: context.DeadlineExceeded, want: run.OutcomeCut, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
				_, step := run.Start(ctx, "inner")
				step.SetOutcome(tc.want)
				step.End(nil)
				if tc.concluded != "" {
					run.Conclude(ctx, tc.concluded)
				}
				return &fixsqlv1.CheckSQLResponse{}, tc.err
			}}
			spans := tracetest.NewSpanRecorder()
			tracing := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
			server, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Tracing: tracing}, rpc.ClientDeps{})
			_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
			require.Equal(t, tc.err != nil, err != nil)
			require.NoError(t, server.Stop(t.Context()))
			want := otelcodes.Unset
			if tc.bad {
				want = otelcodes.Error
			}
			require.Len(t, spans.Ended(), 2, "the call's and the step's")
			for _, span := range spans.Ended() {
				require.Equal(t, want, span.Status().Code, span.Name())
				require.Contains(t, span.Attributes(), attribute.String(run.AttrOutcome, string(tc.want)), span.Name())
			}
		})
	}
}
