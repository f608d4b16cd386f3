package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

func env(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestTracingIsOffUnlessAskedFor(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		getenv func(string) string
		on     bool
	}{
		"nothing said":  {env(), false},
		"endpoint":      {env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), true},
		"traces only":   {env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1"), true},
		"otlp":          {env("OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), true},
		"none wins":     {env("OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), false},
		"disabled wins": {env("OTEL_SDK_DISABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), false},
	} {
		tracing, err := telemetry.Start(t.Context(), telemetry.Config{Getenv: tc.getenv})
		require.NoError(t, err, name)
		require.Equal(t, tc.on, tracing.On(), name)
		require.NotNil(t, tracing.Provider("router"))
		require.Equal(t, tc.on, tracing.ByService(auth.Audience) != nil, name)
		require.NoError(t, tracing.Shutdown(t.Context()))
	}
	_, err := telemetry.Start(t.Context(), telemetry.Config{Getenv: env("OTEL_TRACES_EXPORTER", "zipkin")})
	require.ErrorContains(t, err, `"zipkin"`)
	_, err = telemetry.Start(t.Context(), telemetry.Config{Getenv: env("OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon")})
	require.ErrorContains(t, err, `"carrier-pigeon"`)
}

func TestSpansReachTheCollector(t *testing.T) { // sets variables: not parallel
	var posts atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" && r.Method == http.MethodPost {
			posts.Add(1)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	tracing, err := telemetry.Start(t.Context(), telemetry.Config{Getenv: env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)})
	require.NoError(t, err)
	_, span := tracing.Provider("router").Tracer("t").Start(t.Context(), "s")
	span.End()
	require.NoError(t, tracing.Flush(t.Context()))
	require.Equal(t, int32(1), posts.Load())
	require.NoError(t, tracing.Shutdown(t.Context()))
}

func TestEachServiceHasItsName(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	tracing, err := telemetry.Start(t.Context(), telemetry.Config{Version: "1.2.3", Getenv: env(), Processor: spans})
	require.NoError(t, err)
	tracer := tracing.ByService(auth.Audience).Tracer("otelgrpc")
	ctx, outer := tracer.Start(t.Context(), "dibrain.router.v1.RouterService/Ask")
	_, inner := tracer.Start(ctx, "dibrain.findata.v1.FindDataService/Discover")
	_, client := tracing.Inherited("cli").Tracer("otelgrpc").Start(ctx, "dibrain.chatbi.v1.ChatBIService/X")
	_, root := tracing.Inherited("cli").Tracer("otelgrpc").Start(t.Context(), "dibrain.router.v1.RouterService/Ask")
	inner.End()
	outer.End()
	client.End()
	root.End()
	ended := spans.Ended()
	require.Len(t, ended, 4)
	require.Equal(t, "dibrain-router", resourceName(ended[2]), "a client's span is its caller's")
	require.Equal(t, "dibrain-cli", resourceName(ended[3]))
	require.Equal(t, "dibrain-findata", resourceName(ended[0]))
	require.Equal(t, "dibrain-router", resourceName(ended[1]))
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID())
}

func resourceName(s sdktrace.ReadOnlySpan) string {
	v, _ := s.Resource().Set().Value("service.name")
	return v.AsString()
}

func TestLinesCarryTheRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "info", Format: "json"})
	require.NoError(t, err)
	ctx := run.With(context.Background(), run.Context{RunID: "run_1", SessionID: "ses_1", ToolCallID: "call_1"})
	ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	logger.With("k", "v").InfoContext(ctx, "hello")
	logger.DebugContext(ctx, "too fine")
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	delete(line, "time")
	require.Equal(t, map[string]any{
		"level": "INFO", "msg": "hello", "k": "v", "run_id": "run_1", "session_id": "ses_1", "tool_call_id": "call_1",
		"trace_id": "01000000000000000000000000000000",
	}, line)
}

// TestALogThatChanges: level and format of all lines to come, also of loggers that were made
// from it before.
func TestALogThatChanges(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	live := new(telemetry.LiveLog)
	logger, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "info", Format: "json", Live: live})
	require.NoError(t, err)
	made := logger.With("k", "v").WithGroup("g")
	made.Debug("too fine")
	made.Info("one", "x", 1)
	require.Contains(t, out.String(), `"msg":"one","k":"v","g":{"x":1}`)
	require.NoError(t, live.Set("debug", "text"))
	made.Debug("two", "x", 2)
	require.Contains(t, out.String(), "level=DEBUG msg=two k=v g.x=2\n")
	require.NotContains(t, out.String(), "too fine")
	require.Error(t, live.Set("error", "xml"))
	require.Error(t, live.Set("loud", "json"))
	made.Debug("three")
	require.Contains(t, out.String(), "msg=three", "what is refused changes nothing")
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	token, _, err := auth.NewToken(nil)
	require.NoError(t, err)
	var out bytes.Buffer
	logger, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "info", Format: "text"})
	require.NoError(t, err)
	logger.Info("x", "llm_api_key", "hunter2", "token", "hunter2", slog.Group("auth", "Authorization", "hunter2"),
		"error", errors.New("call with "+token+" failed"), "dsn", "postgres://app:hunter2@db/x", "header", "Bearer hunter2hunter2",
		"tokens_read", 7)
	require.NotContains(t, out.String(), "hunter2")
	require.NotContains(t, out.String(), token)
	require.Contains(t, out.String(), "tokens_read=7")
	for _, c := range []telemetry.LogConfig{{Level: "loud", Format: "json"}, {Level: "info", Format: "xml"}} {
		_, err := telemetry.NewLogger(&out, c)
		require.Error(t, err)
	}
}
