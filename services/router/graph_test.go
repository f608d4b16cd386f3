package router_test

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router"
)

func TestDiagram(t *testing.T) {
	t.Parallel()
	got, err := router.Diagram()
	require.NoError(t, err)
	require.Equal(t, `flowchart TD
    START([START]) --> intent_route
    intent_route -->|"an agent is named"| direct_tool
    intent_route -->|"the answer to a tool's question"| action_dispatch
    intent_route --> invoke_agent
    invoke_agent --> action_dispatch
    direct_tool --> tool_call
    action_dispatch -->|"a tool is asked for"| tool_call
    action_dispatch -->|"not there yet"| invoke_agent
    action_dispatch -->|"done, a question, or an error"| respond
    tool_call --> action_dispatch
    respond --> END([END])
`, got)
}

// TestEveryEdgeIsWalked: a few turns take every edge of the picture, and no other.
func TestEveryEdgeIsWalked(t *testing.T) {
	t.Parallel()
	picture, err := router.Diagram()
	require.NoError(t, err)
	open := map[[2]string]bool{}
	for _, edge := range regexp.MustCompile(`(\w+)[^\n]* -->(?:\|[^|]*\|)? (\w+)`).FindAllStringSubmatch(picture, -1) {
		open[[2]string{edge[1], edge[2]}] = true
	}
	drawn := maps.Clone(open)
	w := newWorld(t)
	ask := 0
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		if ask++; ask == 1 {
			return &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
				Question: &commonv1.Question{Text: "Which?", Options: []*commonv1.Option{{Id: "a", Label: "Orders"}, {Id: "b", Label: "Traffic"}}}}, nil
		}
		return tablesResult(), nil
	}
	asked := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	for _, turn := range []*routerv1.Turn{
		{Question: "1", SessionId: asked.GetSessionId()},
		{Question: "find orders", AgentName: "Data Discovery"},
		{Question: "hello"},
	} {
		w.ask(t, turn)
	}
	runs, err := w.client.ListRuns(as(t.Context(), "alice"), &routerv1.ListRunsRequest{})
	require.NoError(t, err)
	for _, r := range runs.GetRuns() {
		got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: r.GetRecord().GetRunId()})
		require.NoError(t, err)
		at := "START"
		walk := func(to string) {
			require.True(t, drawn[[2]string{at, to}], "%s -> %s is not drawn", at, to)
			delete(open, [2]string{at, to})
			at = to
		}
		for _, record := range got.GetRecords() {
			node, is := strings.CutPrefix(record.GetName(), "router.")
			if !is || node == "ask" {
				continue
			}
			walk(node)
		}
		walk("END")
	}
	require.Len(t, drawn, 11)
	require.Empty(t, open, "edges that no turn took")
}
