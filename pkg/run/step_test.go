package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// ticking returns a clock that moves one second at each reading.
func ticking(start time.Time) func() time.Time {
	var mu sync.Mutex
	now := start
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func counting() func(string) string {
	var mu sync.Mutex
	n := 0
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s%024x", prefix, n)
	}
}

func TestStartMakesATree(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	rec := run.NewRecorder(0)
	ctx := run.WithTracker(t.Context(), &run.Tracker{Clock: ticking(start), NewID: counting(), Service: "router"})
	ctx = run.WithRecorder(run.With(ctx, run.Context{SessionID: "ses_1", ToolCallID: "call_1", ToolName: "generate_sql"}), rec)

	rootCtx, root := run.Start(ctx, "router.ask", "strategy", "rules")
	childCtx, child := run.Start(rootCtx, "decide")
	require.Equal(t, run.From(rootCtx).RunID, run.From(childCtx).ParentRunID)
	require.Equal(t, run.Now(rootCtx), run.Now(childCtx), "a run has one now")
	child.Set("agent", "data_discovery")
	child.End(fault.NotFound("TABLE_UNKNOWN", "No such table."))
	child.End(nil)
	child.Set("late", "ignored")

	records, dropped := rec.Records()
	require.Zero(t, dropped)
	require.Len(t, records, 2)
	require.Equal(t, run.StatusRunning, records[0].Status, "the root has not ended yet")
	root.End(nil)
	records, _ = rec.Records()
	require.Equal(t, run.Record{
		RunID: "run_000000000000000000000001", Name: "router.ask", Service: "router",
		ToolCallID: "call_1", ToolName: "generate_sql", Status: run.StatusSucceeded,
		StartedAt: start.Add(time.Second), EndedAt: start.Add(4 * time.Second),
		Attributes: map[string]string{"strategy": "rules"},
	}, records[0])
	require.Equal(t, run.Record{
		RunID: "run_000000000000000000000002", ParentRunID: "run_000000000000000000000001", Name: "decide", Service: "router",
		ToolCallID: "call_1", ToolName: "generate_sql", Status: run.StatusFailed, Error: "No such table.",
		StartedAt: start.Add(2 * time.Second), EndedAt: start.Add(3 * time.Second),
		Attributes: map[string]string{"agent": "data_discovery"},
	}, records[1])
}

func TestStepsWithoutRecorderOrTrackerWork(t *testing.T) {
	t.Parallel()
	ctx, step := run.Start(t.Context(), "alone")
	step.Set("k", "v")
	step.End(nil)
	require.Regexp(t, `^run_[0-9a-f]{24}$`, run.From(ctx).RunID)
	require.Equal(t, run.StatusSucceeded, step.Record().Status)
}

func TestSpansCarryTheRun(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	ctx := run.WithTracker(t.Context(), &run.Tracker{Tracer: provider.Tracer("test"), NewID: counting(), Service: "chatbi"})
	ctx = run.With(ctx, run.Context{RunID: "run_outer", SessionID: "ses_1", ToolCallID: "call_1", ToolName: "execute"})
	ctx, outer := run.Start(ctx, "outer")
	_, inner := run.Start(run.WithTracker(ctx, &run.Tracker{}), "inner") // provider comes from the span in ctx
	inner.End(errors.New("dial tcp 10.0.0.1: secret"))
	outer.End(nil)

	ended := spans.Ended()
	require.Len(t, ended, 2)
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID())
	got := map[string]string{}
	for _, kv := range ended[1].Attributes() {
		got[string(kv.Key)] = kv.Value.AsString()
	}
	require.Equal(t, map[string]string{
		"run_id": "run_000000000000000000000001", "parent_run_id": "run_outer", "session_id": "ses_1",
		"tool_call_id": "call_1", "tool_name": "execute", "service": "chatbi",
	}, got)
	require.Equal(t, "internal error", inner.Record().Error, "a driver's text does not enter the run tree")
}

func TestRecorderIsBounded(t *testing.T) {
	t.Parallel()
	const bound = 4 << 10
	rec := run.NewRecorder(bound)
	ctx := run.WithRecorder(t.Context(), rec)
	const steps = 200
	for i := range steps {
		sub, step := run.Start(ctx, fmt.Sprintf("step %d", i))
		for k := range 100 {
			step.Set(fmt.Sprintf("key%d", k), strings.Repeat("数", 2000))
		}
		require.LessOrEqual(t, len(step.Record().Attributes), 32)
		require.LessOrEqual(t, len(step.Record().Attributes["key0"]), 1024)
		_, inner := run.Start(sub, "inner")
		inner.End(nil)
		step.End(nil)
	}
	records, dropped := rec.Records()
	require.Equal(t, 2*steps, len(records)+dropped)
	require.NotZero(t, dropped)
	known := map[string]bool{"": true}
	for _, r := range records {
		require.True(t, known[r.ParentRunID], "a child is without its parent")
		known[r.RunID] = true
	}
}

func TestRecorderKeepsOthersRecordsInOrder(t *testing.T) {
	t.Parallel()
	rec := run.NewRecorder(0)
	rec.Add(run.Record{RunID: "run_a", Name: "a"}, run.Record{RunID: "run_b", ParentRunID: "run_a", Name: "b"})
	records, dropped := rec.Records()
	require.Zero(t, dropped)
	require.Equal(t, []string{"a", "b"}, []string{records[0].Name, records[1].Name})
}

func TestStepsRunConcurrently(t *testing.T) {
	t.Parallel()
	rec := run.NewRecorder(1 << 20)
	ctx, root := run.Start(run.WithRecorder(t.Context(), rec), "root")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			_, s := run.Start(ctx, "child")
			root.Set("shared", s.RunID())
			s.End(nil)
			rec.Records()
		})
	}
	wg.Wait()
	root.End(nil)
	records, _ := rec.Records()
	require.Len(t, records, 17)
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want run.Status
	}{
		{nil, run.StatusSucceeded},
		{fmt.Errorf("query: %w", context.Canceled), run.StatusCancelled},
		{fmt.Errorf("query: %w", context.DeadlineExceeded), run.StatusTimedOut},
		{status.Error(codes.Canceled, ""), run.StatusCancelled},
		{status.Error(codes.DeadlineExceeded, ""), run.StatusTimedOut},
		{errors.New("x"), run.StatusFailed},
	} {
		require.Equal(t, tc.want, run.StatusOf(tc.err))
		require.True(t, tc.want.Done())
	}
	require.False(t, run.StatusWaiting.Done())
}

func TestNowIsInTheAskersZone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	ctx := run.WithTracker(t.Context(), &run.Tracker{Clock: func() time.Time { return now }})
	ctx = run.With(ctx, run.Context{TimeZone: "Asia/Singapore"})
	require.Equal(t, "2026-03-02", run.Now(ctx).Format(time.DateOnly))
	ctx = run.With(ctx, run.Context{TimeZone: "Nowhere/Land"})
	require.Equal(t, "2026-03-01", run.Now(ctx).Format(time.DateOnly))
}

func TestNewID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "call_000102030405060708090a0b",
		run.NewID(run.PrefixCall, bytes.NewReader([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})))
	short := run.NewID(run.PrefixRun, bytes.NewReader([]byte{1}))
	require.Regexp(t, `^run_[0-9a-f]{24}$`, short)
	require.NotEqual(t, run.NewID("", nil), run.NewID("", nil))
}

func TestIDsOfOneTimeBeginAlike(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	zeros := func() *bytes.Reader { return bytes.NewReader(make([]byte, 7)) }
	require.Equal(t, "ses_1898d00b3900000000000000", run.NewIDAt(run.PrefixSession, at, zeros()))
	require.Equal(t, "ses_1898d00b3900ffffffffffff", run.NewIDAt(run.PrefixSession, at, bytes.NewReader([]byte{0, 255, 255, 255, 255, 255, 255})))
	later := run.NewIDAt(run.PrefixSession, at.Add(20*time.Millisecond), zeros())
	require.Greater(t, later, run.NewIDAt(run.PrefixSession, at, bytes.NewReader([]byte{255, 255, 255, 255, 255, 255, 255})), "what is made later comes later")
	require.Regexp(t, `^run_[0-9a-f]{24}$`, run.NewIDAt(run.PrefixRun, at, nil))
	require.NotEqual(t, run.NewIDAt("", at, nil), run.NewIDAt("", at, nil))
	_, step := run.Start(run.WithTracker(t.Context(), &run.Tracker{Clock: func() time.Time { return at }}), "step")
	require.Equal(t, later[4:8], step.RunID()[4:8], "and so are those of runs")
}

// TestTheTagIsTheRootRun: whatever step, process or service a statement is made in,
// engines are told the run that its asker knows.
func TestTheTagIsTheRootRun(t *testing.T) {
	t.Parallel()
	ctx, root := run.Start(t.Context(), "root")
	require.Equal(t, root.RunID(), run.From(ctx).Tag())
	inner, _ := run.Start(ctx, "step")
	require.Equal(t, root.RunID(), run.From(inner).Tag())
	md, _ := metadata.FromOutgoingContext(run.Outgoing(inner))
	rc, err := run.Incoming(metadata.NewIncomingContext(t.Context(), md))
	require.NoError(t, err)
	behind, step := run.Start(run.With(t.Context(), rc), "of another service")
	require.Equal(t, root.RunID(), run.From(behind).Tag())
	require.NotEqual(t, root.RunID(), step.RunID())
	own := run.With(behind, run.From(behind).AsRoot())
	below, _ := run.Start(own, "below")
	require.Equal(t, step.RunID(), run.From(below).Tag(), "a run that is kept by itself is a root")
	require.Equal(t, "run_1", run.Context{RunID: "run_1"}.Tag(), "of a caller that names no root")
}
