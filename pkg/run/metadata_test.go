package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

func TestMetadataRoundTrip(t *testing.T) {
	t.Parallel()
	singapore, err := time.LoadLocation("Asia/Singapore")
	require.NoError(t, err)
	want := run.Context{
		RunID: "run_1", ParentRunID: "run_0", SessionID: "ses_1", ChatID: "chat_1", ToolCallID: "call_1",
		ToolName: "generate_sql", TimeZone: "Asia/Singapore", Now: time.Date(2026, 1, 2, 3, 4, 5, 678901234, singapore),
	}
	withSomebody := want
	withSomebody.Principal = run.Principal{ID: "alice", Admin: true}
	ctx := run.Outgoing(run.With(t.Context(), run.Context{RunID: "run_other", ToolName: "x", ChatID: "chat_9"}))
	ctx = run.Outgoing(run.With(ctx, withSomebody)) // replaces, does not add
	md, _ := metadata.FromOutgoingContext(ctx)
	got, err := run.Incoming(metadata.NewIncomingContext(context.Background(), md))
	require.NoError(t, err)
	require.Equal(t, want, got, "the principal does not travel here")
	for _, values := range md {
		require.NotContains(t, strings.Join(values, " "), "alice")
	}

	ctx = run.Outgoing(run.With(ctx, run.Context{}))
	md, _ = metadata.FromOutgoingContext(ctx)
	require.Empty(t, md)
}

func TestIncomingRefusesWhatNoCallerSends(t *testing.T) {
	t.Parallel()
	for name, md := range map[string]metadata.MD{
		"long id":      metadata.Pairs(run.KeyRunID, strings.Repeat("a", 65)),
		"newline":      metadata.Pairs(run.KeySessionID, "ses_1\nlevel=ERROR"),
		"comment":      metadata.Pairs(run.KeyToolCallID, "call_1*/ DROP"),
		"twice":        metadata.Pairs(run.KeyRunID, "run_1", run.KeyRunID, "run_2"),
		"zone":         metadata.Pairs(run.KeyTimeZone, "../../etc/passwd"),
		"local zone":   metadata.Pairs(run.KeyTimeZone, "Local"),
		"now":          metadata.Pairs(run.KeyNow, "yesterday"),
		"now long ago": metadata.Pairs(run.KeyNow, "0001-01-01T00:00:00Z"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run.Incoming(metadata.NewIncomingContext(context.Background(), md))
			require.Error(t, err)
			require.Equal(t, codes.InvalidArgument, fault.FromStatus(err).Code)
			require.Equal(t, "RUN_CONTEXT_INVALID", fault.ReasonOf(err))
		})
	}
	rc, err := run.Incoming(context.Background())
	require.NoError(t, err)
	require.Zero(t, rc)
}
