package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestEveryCallOfAServiceMayFail: whichever service fails, with whatever code, the call
// and the run are over, the person reads a sentence without the server's own words where
// those are of its inside, and the session goes on.
func TestEveryCallOfAServiceMayFail(t *testing.T) {
	t.Parallel()
	const inside = "pq: password=hunter2 at 10.0.0.7"
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		for _, tool := range []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute, tools.FixSQL} {
			t.Run(code.String()+" of "+tool, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				failing := true
				err := func(of string) error {
					if failing && of == tool {
						return status.Error(code, inside)
					}
					return nil
				}
				w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
					return tablesResult(), err(tools.DataDiscovery)
				}
				w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
					return sqlResult(theSQL), err(tools.GenerateSQL)
				}
				w.team.fix = func(context.Context, *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
					return &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: theSQL}, Changed: true}, err(tools.FixSQL)
				}
				w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
					if tool == tools.FixSQL && failing {
						return failedResult("COLUMN_NOT_FOUND"), nil // so that there is something to repair
					}
					return doneResult(), err(tools.Execute)
				}
				a := w.ask(t, &routerv1.Turn{Question: "how many orders were there yesterday?"})
				require.NotEmpty(t, a.GetText())
				require.NotEqual(t, routerv1.Outcome_OUTCOME_ANSWERED, a.GetOutcome())
				calls := a.GetToolCalls()
				if code == codes.InvalidArgument { // a call that its service did not accept was none
					require.NotContains(t, called(a), tool)
				} else {
					require.NotEmpty(t, calls)
					require.Equal(t, tool, calls[len(calls)-1].GetToolName(), "nothing is built on what failed")
				}
				if code == codes.Internal || code == codes.Unknown || code == codes.Unavailable || code == codes.Unimplemented {
					require.NotContains(t, a.GetText(), "hunter2")
				}
				for _, c := range calls {
					stored, err := w.store.ToolCall(t.Context(), run.Principal{ID: "alice"}, c.GetToolCallId())
					require.NoError(t, err)
					require.True(t, stored.Status.Done(), c.GetToolName())
					require.False(t, stored.EndedAt.IsZero(), c.GetToolName())
					if c.GetToolName() == tool {
						require.NotEmpty(t, stored.Error)
						require.Empty(t, stored.Output, "nothing of a call that failed is kept")
					}
				}
				u, _, err2 := w.store.Run(t.Context(), run.Principal{ID: "alice"}, a.GetRunId())
				require.NoError(t, err2)
				require.True(t, u.Record.Status.Done())
				if code != codes.InvalidArgument { // the turn did its work: it asks for other words
					require.NotEqual(t, run.StatusSucceeded, u.Record.Status)
				}

				failing = false
				next := w.ask(t, &routerv1.Turn{SessionId: a.GetSessionId(), Question: "how many orders were there yesterday?"})
				require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, next.GetOutcome())
				require.Contains(t, next.GetText(), "There were 42 orders.")
			})
		}
	}
}

// TestWhatATurnMayNotSay: a request that cannot be worked on names the field, and leaves
// nothing behind.
func TestWhatATurnMayNotSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	long := make([]byte, 16<<10+1)
	for i := range long {
		long[i] = 'a'
	}
	for _, tc := range []struct {
		turn          *routerv1.Turn
		reason, field string
	}{
		{&routerv1.Turn{}, "QUESTION_EMPTY", "turn.question"},
		{&routerv1.Turn{Question: " \n\t"}, "QUESTION_EMPTY", "turn.question"},
		{&routerv1.Turn{Question: string(long)}, "QUESTION_TOO_LONG", "turn.question"},
		{&routerv1.Turn{Question: "a\xff"}, "QUESTION_NOT_UTF8", "turn.question"},
		{&routerv1.Turn{Question: "q", Source: "no name!"}, "SOURCE_INVALID", "turn.source"},
		{&routerv1.Turn{Question: "q", UserContext: &commonv1.UserContext{TimeZone: "Mars/Base"}}, "TIME_ZONE_INVALID", "turn.user_context.time_zone"},
		{&routerv1.Turn{Question: "q", AgentName: "nobody"}, "AGENT_UNKNOWN", "turn.agent_name"},
		{&routerv1.Turn{Question: "q", SessionId: "a b"}, "ID_INVALID", "turn.session_id"},
		{&routerv1.Turn{Question: "q", ChatId: "a/b"}, "ID_INVALID", "turn.chat_id"},
	} {
		_, err := w.service.Execute(ctx, tc.turn, nil)
		f := fault.FromStatus(err)
		require.Equal(t, codes.InvalidArgument, f.Code, tc.reason)
		require.Equal(t, tc.field, f.Field, f.Reason)
		if tc.reason != "SOURCE_INVALID" { // pkg/source has its own word
			require.Equal(t, tc.reason, f.Reason)
		}
	}
	_, err := w.service.Execute(t.Context(), &routerv1.Turn{Question: "q"}, nil)
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
	_, err = w.service.Execute(ctx, &routerv1.Turn{Question: string(long[1:])}, nil)
	require.NoError(t, err, "as long as may be")
	sessions, _, err := w.store.Sessions(t.Context(), run.Principal{ID: "alice"}, store.Page{Size: 10})
	require.NoError(t, err)
	require.Len(t, sessions, 1, "of the one that was answered")
}

// TestFeedbackIsAboutWhatWasRead: what the executed statement read is told, in the
// session's source, less what the person rejects.
func TestFeedbackIsAboutWhatWasRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.DefaultSource = "house" })
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		out := doneResult()
		out.Certificate.Tables = []*commonv1.TableFreshness{{Table: "sg.shop.refunds"}, {Table: "sg.shop.users"}}
		return out, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", Source: "lake"})
	for _, tc := range []struct {
		request            *routerv1.SubmitFeedbackRequest
		accepted, rejected []string
	}{
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_UP}, []string{"sg.shop.refunds", "sg.shop.users"}, nil},
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_UP, RejectedTables: []string{"sg.shop.users"}}, []string{"sg.shop.refunds"}, []string{"sg.shop.users"}},
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_UP, AcceptedTables: []string{"sg.shop.x"}}, []string{"sg.shop.x"}, nil},
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_DOWN, AcceptedTables: []string{"sg.shop.x"}}, []string{"sg.shop.x"}, nil},
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_DOWN, RejectedTables: []string{"sg.shop.y"}}, nil, []string{"sg.shop.y"}},
		{&routerv1.SubmitFeedbackRequest{Rating: routerv1.Rating_RATING_DOWN}, nil, nil},
	} {
		w.team.feedback, w.team.examples = nil, nil
		tc.request.RunId = a.GetRunId()
		_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), tc.request)
		require.NoError(t, err)
		var accepted, rejected []string
		for _, f := range w.team.feedback {
			require.Equal(t, "lake", f.GetSource())
			require.Equal(t, "how many orders yesterday?", f.GetQuestion())
			if f.GetKind() == findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED {
				accepted = append(accepted, f.GetTables()...)
			} else {
				rejected = append(rejected, f.GetTables()...)
			}
		}
		require.Equal(t, tc.accepted, accepted, tc.request)
		require.Equal(t, tc.rejected, rejected, tc.request)
		require.Empty(t, w.team.examples)
	}
	_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, ProposeExample: true})
	require.NoError(t, err)
	require.Equal(t, "lake", w.team.examples[0].GetSource())
}

// TestToolsSayWhatTheyAreFor: who reads the list can choose by it.
func TestToolsSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	list, err := newWorld(t).client.ListTools(as(t.Context(), "alice"), &routerv1.ListToolsRequest{})
	require.NoError(t, err)
	require.NotEmpty(t, list.GetTools())
	for _, tool := range list.GetTools() {
		require.NotEmpty(t, tool.GetName())
		require.NotEmpty(t, tool.GetAgentName(), tool.GetName())
		require.NotEmpty(t, tool.GetDescription(), tool.GetName())
		require.NotEmpty(t, tool.GetArgumentsSchema().GetFields(), tool.GetName())
	}
}
