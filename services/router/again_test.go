package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// executed are the statements that were run.
func executed(w *world) (out []*chatbiv1.ExecuteQuery) {
	w.team.mu.Lock()
	defer w.team.mu.Unlock()
	for _, c := range w.team.seen {
		if q, ok := c.request.(*chatbiv1.ExecuteQuery); ok {
			out = append(out, q)
		}
	}
	return out
}

// TestARunIsRunAgain: the statement of a run is run by the engine once more, in the run's
// session, as a run of its own; nothing else is called.
func TestARunIsRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.ask(t, &routerv1.Turn{Question: "how many orders were there yesterday?"})
	ran := executed(w)
	require.Len(t, ran, 1, called(first))
	require.False(t, ran[0].GetFresh())
	w.ask(t, &routerv1.Turn{SessionId: first.GetSessionId(), Question: "how many orders were there last month?"})

	again := w.ask(t, &routerv1.Turn{RunAgain: first.GetRunId()})
	require.Equal(t, []string{"execute_sql_and_analyze_result"}, called(again))
	require.NotEqual(t, first.GetRunId(), again.GetRunId())
	require.Equal(t, first.GetSessionId(), again.GetSessionId())
	require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, again.GetOutcome())
	ran = executed(w)
	last := ran[len(ran)-1]
	require.Equal(t, ran[0].GetSql(), last.GetSql())
	require.True(t, last.GetFresh(), "the engine is asked, whatever is stored")
	require.Equal(t, ran[0].GetUserQuestion(), last.GetUserQuestion())

	twice := w.ask(t, &routerv1.Turn{RunAgain: again.GetRunId()})
	require.Equal(t, []string{"execute_sql_and_analyze_result"}, called(twice), "what was run again can be run again")
	runs, err := w.client.ListRuns(as(t.Context(), "alice"), &routerv1.ListRunsRequest{SessionId: first.GetSessionId()})
	require.NoError(t, err)
	require.Len(t, runs.GetRuns(), 4)
}

// TestARunThatCannotBeRunAgain says why.
func TestARunThatCannotBeRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.ask(t, &routerv1.Turn{Question: "how many orders were there yesterday?"})
	nothing := w.ask(t, &routerv1.Turn{Question: "hello"})
	for name, c := range map[string]struct {
		who    string
		turn   *routerv1.Turn
		code   codes.Code
		reason string
	}{
		"somebody else's": {"bob", &routerv1.Turn{RunAgain: first.GetRunId()}, codes.NotFound, "RUN_UNKNOWN"},
		"unknown":         {"alice", &routerv1.Turn{RunAgain: "run_000000000000000000000000"}, codes.NotFound, "RUN_UNKNOWN"},
		"no id":           {"alice", &routerv1.Turn{RunAgain: "a b"}, codes.NotFound, "RUN_UNKNOWN"},
		"no statement":    {"alice", &routerv1.Turn{RunAgain: nothing.GetRunId()}, codes.FailedPrecondition, "RUN_WITHOUT_STATEMENT"},
		"another session": {"alice", &routerv1.Turn{RunAgain: first.GetRunId(), SessionId: nothing.GetSessionId()}, codes.InvalidArgument, "RUN_OF_OTHER_SESSION"},
		"an agent too":    {"alice", &routerv1.Turn{RunAgain: first.GetRunId(), AgentName: "Fix SQL Agent"}, codes.InvalidArgument, "RUN_AGAIN_WITH_AGENT"},
	} {
		_, err := w.client.Ask(as(t.Context(), c.who), &routerv1.AskRequest{Turn: c.turn})
		require.Equal(t, c.code, status.Code(err), "%s: %v", name, err)
		require.Equal(t, c.reason, fault.FromStatus(err).Reason, name)
	}
	require.Len(t, executed(w), 1)
}
