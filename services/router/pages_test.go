package router_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// TestPagesAreAsLargeAsIsAsked, of twenty where nothing is said, and each goes on where the
// one before ended.
func TestPagesAreAsLargeAsIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i := range 23 {
		require.NoError(t, w.store.CreateSession(t.Context(), run.Principal{ID: "alice"}, store.Session{ID: fmt.Sprintf("ses_%02d", i), CreatedAt: at.Add(time.Duration(i) * time.Minute)}))
	}
	ctx := as(t.Context(), "alice")
	for size, want := range map[int32][]int{0: {20, 3}, 1: {1, 1}, 7: {7, 7, 7, 2}, 22: {22, 1}, 23: {23}} {
		var got []int
		seen := map[string]bool{}
		token := ""
		for range want {
			r, err := w.client.ListSessions(ctx, &routerv1.ListSessionsRequest{PageSize: size, PageToken: token})
			require.NoError(t, err)
			got = append(got, len(r.GetSessions()))
			for _, s := range r.GetSessions() {
				require.False(t, seen[s.GetSessionId()], "%d: %s came twice", size, s.GetSessionId())
				seen[s.GetSessionId()] = true
			}
			token = r.GetNextPageToken()
		}
		require.Equal(t, want, got)
		require.Equal(t, size == 1, token != "", "more there is only where some were left")
	}
}

// TestTheProgressOfAnAnalysisNamesItsCall, so that who follows the turn knows what it is of.
func TestTheProgressOfAnAnalysisNamesItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.analyse = []*analysisv1.Analysis{
		{AnalysisId: "ana_1", Status: commonv1.RunStatus_RUN_STATUS_RUNNING, Message: "Reading the question."},
		{AnalysisId: "ana_1", Status: commonv1.RunStatus_RUN_STATUS_SUCCEEDED, Message: "The report is written.", Summary: []string{"Orders rose."}},
	}
	stream, err := w.client.Chat(as(t.Context(), "alice"), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "Compare orders of this month and last, find what drives the change, and write a report"}})
	require.NoError(t, err)
	var told []string
	var calls []string
	var answer *routerv1.Answer
	for answer == nil {
		e, err := stream.Recv()
		require.NoError(t, err)
		if p := e.GetToolProgress(); p != nil && p.GetMessage() != "" {
			told, calls = append(told, p.GetMessage()), append(calls, p.GetToolCallId())
			require.InDelta(t, -1, p.GetFraction(), 0, "nobody knows how long it takes")
		}
		answer = e.GetAnswer()
	}
	require.Equal(t, []string{"Reading the question.", "The report is written."}, told)
	require.Equal(t, []string{"analyze"}, called(answer))
	id := answer.GetToolCalls()[0].GetToolCallId()
	require.NotEmpty(t, id)
	require.Equal(t, []string{id, id}, calls)
}

// TestTheFirstPageComesBeforeTheRest of a large result, under the call that it is of.
func TestTheFirstPageComesBeforeTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "n", Type: "bigint"}}, TotalRows: -1}
	w.team.rows = []*chatbiv1.ExecuteProgress{{Phase: "fetching", Fraction: -1, Rows: 100, FirstPage: page}, {Phase: "fetching", Fraction: -1, Rows: 2000}}
	stream, err := w.client.Chat(as(t.Context(), "alice"), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "how many orders were there yesterday?"}})
	require.NoError(t, err)
	var told []*routerv1.ToolProgress
	var answer *routerv1.Answer
	for answer == nil {
		e, err := stream.Recv()
		require.NoError(t, err)
		if p := e.GetToolProgress(); p.GetRows() > 0 {
			told = append(told, p)
		}
		answer = e.GetAnswer()
	}
	require.Len(t, told, 2)
	require.True(t, proto.Equal(page, told[0].GetFirstPage()))
	require.Nil(t, told[1].GetFirstPage(), "it is told once")
	calls := answer.GetToolCalls()
	require.Equal(t, calls[len(calls)-1].GetToolCallId(), told[0].GetToolCallId())
}

// TestAnAgentOfATurnIsThatOfItsAnalysis; its own source is asked where nobody has named one.
func TestAnAgentOfATurnIsThatOfItsAnalysis(t *testing.T) {
	t.Parallel()
	const question = "Compare orders of this month and last, find what drives the change, and write a report"
	for name, c := range map[string]struct {
		turn *routerv1.Turn
		want []string // agent, source
	}{
		"an agent":              {&routerv1.Turn{Question: question, AgentId: "wards"}, []string{"wards", ""}},
		"an agent and a source": {&routerv1.Turn{Question: question, AgentId: "wards", Source: "shop"}, []string{"wards", "shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.analyse = []*analysisv1.Analysis{{AnalysisId: "ana_1", Status: commonv1.RunStatus_RUN_STATUS_SUCCEEDED, Summary: []string{"Orders rose."}}}
			_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: c.turn})
			require.NoError(t, err)
			asked, ok := w.team.call(0).request.(*analysisv1.StartAnalysisRequest)
			require.True(t, ok)
			require.Equal(t, c.want, []string{asked.GetQuery().GetAgentId(), asked.GetQuery().GetSource()})
		})
	}
}
