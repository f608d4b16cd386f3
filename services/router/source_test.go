package router_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestSourceThatCannotBeAsked: the first call says so, and so does the turn, in
// the service's own words and status; the run is kept as a failed one.
func TestSourceThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]*fault.Error{
		"unknown":  fault.NotFound("SOURCE_UNKNOWN", "there is no source %q: known sources are demo, shop", "shoop"),
		"damaged":  fault.New(codes.FailedPrecondition, "SOURCE_DAMAGED", "source \"shoop\" is damaged"),
		"misnamed": fault.Invalid("source", "SOURCE_NAME_INVALID", "the source name is wrong"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
				return nil, refusal.GRPCStatus().Err()
			}
			ctx := as(t.Context(), "alice")
			turn := &routerv1.Turn{Question: "How many orders were there yesterday?", Source: "shoop"}
			answer, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: turn})
			require.Nil(t, answer)
			told := fault.FromStatus(err)
			require.Equal(t, refusal.Code, told.Code)
			require.Equal(t, refusal.Reason, told.Reason)
			require.Equal(t, refusal.Message, told.Message)
			require.Equal(t, []string{"discover"}, w.team.tools(), "it is not tried again")

			runs, err := w.client.ListRuns(ctx, &routerv1.ListRunsRequest{})
			require.NoError(t, err)
			require.Len(t, runs.GetRuns(), 1)
			record := runs.GetRuns()[0].GetRecord()
			require.Equal(t, told.Meta["run_id"], record.GetRunId())
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, record.GetStatus())
			require.Equal(t, refusal.Message, record.GetError())

			stream, err := w.client.Chat(ctx, &routerv1.ChatRequest{Turn: turn})
			require.NoError(t, err)
			for err == nil {
				var event *routerv1.ChatResponse
				if event, err = stream.Recv(); err == nil {
					require.Nil(t, event.GetAnswer())
				}
			}
			require.False(t, errors.Is(err, io.EOF))
			require.Equal(t, refusal.Reason, fault.ReasonOf(err))
		})
	}
	t.Run("a later call's is told in the answer", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			return nil, fault.New(codes.FailedPrecondition, "SOURCE_DAMAGED", "source is damaged").GRPCStatus().Err()
		}
		a := w.ask(t, &routerv1.Turn{Question: "How many orders were there yesterday?"})
		require.Contains(t, a.GetText(), "damaged")
		require.Equal(t, "SOURCE_DAMAGED", a.GetToolCalls()[len(a.GetToolCalls())-1].GetErrorReason())
	})
}

func TestWhatIsSaidOfSourceTimeAndTitleIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := as(t.Context(), "alice")
	ask := func(turn *routerv1.Turn) error {
		turn.Question = "How many orders were there yesterday?"
		_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: turn})
		return err
	}
	create := func(r *routerv1.CreateSessionRequest) error {
		_, err := w.client.CreateSession(ctx, r)
		return err
	}
	zone := func(name string) *routerv1.Turn {
		return &routerv1.Turn{UserContext: &commonv1.UserContext{TimeZone: name}}
	}
	for name, tc := range map[string]struct {
		err           error
		reason, field string
	}{
		"path as source":      {ask(&routerv1.Turn{Source: "../demo"}), "SOURCE_NAME_INVALID", "turn.source"},
		"upper case source":   {ask(&routerv1.Turn{Source: "DEMO"}), "SOURCE_NAME_INVALID", "turn.source"},
		"bad zone":            {ask(zone("Bad/Zone")), "TIME_ZONE_INVALID", "turn.user_context.time_zone"},
		"zone of the machine": {ask(zone("Local")), "TIME_ZONE_INVALID", "turn.user_context.time_zone"},
		"session of no name":  {create(&routerv1.CreateSessionRequest{Source: "-1"}), "SOURCE_NAME_INVALID", "source"},
		"session's title":     {create(&routerv1.CreateSessionRequest{Title: "a\x1b[2Jb"}), "TITLE_INVALID", "title"},
		"long session source": {create(&routerv1.CreateSessionRequest{Source: strings.Repeat("x", 65)}), "SOURCE_NAME_INVALID", "source"},
		"good zone":           {ask(zone("Asia/Singapore")), "", ""},
		"good source":         {ask(&routerv1.Turn{Source: "shop_2"}), "", ""},
		"good session":        {create(&routerv1.CreateSessionRequest{Source: "shop", Title: "订单 – “orders”"}), "", ""},
	} {
		if tc.reason == "" {
			require.NoError(t, tc.err, name)
			continue
		}
		e := fault.FromStatus(tc.err)
		require.Equal(t, codes.InvalidArgument, e.Code, name)
		require.Equal(t, tc.reason, e.Reason, name)
		require.Equal(t, tc.field, e.Field, name)
	}
}
