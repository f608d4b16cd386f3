package runpb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
)

func TestTraceRoundTrip(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	want := []run.Record{
		{
			RunID: "run_1", Name: "a", Service: "router", ToolCallID: "call_1", ToolName: "generate_sql",
			Status: run.StatusFailed, StartedAt: start, EndedAt: start.Add(time.Second),
			Attributes: map[string]string{"k": "v"}, Error: "No.",
		},
		{RunID: "run_2", ParentRunID: "run_1", Name: "b", Status: run.StatusRunning, StartedAt: start},
	}
	rec := run.NewRecorder(0)
	rec.Add(want...)
	trace := runpb.ToTrace(rec)
	wire, err := proto.Marshal(trace)
	require.NoError(t, err)
	back := &commonv1.RunTrace{}
	require.NoError(t, proto.Unmarshal(wire, back))
	got, dropped := runpb.FromTrace(back)
	require.Zero(t, dropped)
	require.Equal(t, want, got)
	require.Nil(t, runpb.ToTrace(run.NewRecorder(0)))
	require.Nil(t, runpb.ToTrace(nil))
}

func TestTraceKeepsTheContractsBound(t *testing.T) {
	t.Parallel()
	rec := run.NewRecorder(run.DefaultTraceBytes)
	ctx := run.WithRecorder(t.Context(), rec)
	for range 2000 {
		_, s := run.Start(ctx, "step", "key", "value")
		s.End(nil)
	}
	trace := runpb.ToTrace(rec)
	require.NotZero(t, trace.GetDropped())
	require.LessOrEqual(t, proto.Size(trace), run.DefaultTraceBytes)
}

func TestEveryStatusOfTheContractHasAName(t *testing.T) {
	t.Parallel()
	for number := range commonv1.RunStatus_name {
		s := commonv1.RunStatus(number)
		require.Equal(t, s, runpb.FromStatus(runpb.ToStatus(s)), s.String())
	}
}
