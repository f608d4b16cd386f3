package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func started(tool string) *routerv1.ChatResponse {
	return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolStarted{ToolStarted: &routerv1.ToolStarted{ToolCallId: "c", ToolName: tool, AgentName: "Agent"}}}
}

func progressed(message string, fraction float64) *routerv1.ChatResponse {
	return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{ToolProgress: &routerv1.ToolProgress{ToolCallId: "c", Message: message, Fraction: fraction}}}
}

// TestNarratorSpeaksTheLanguageOfTheQuestion: steps are told in people's words, and
// what a part says for the log is not.
func TestNarratorSpeaksTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[float64]string{
		-1: "running the SQL …", 0: "running the SQL …", 0.09: "running the SQL …", 0.47: "running the SQL 40 % …", 1: "running the SQL 100 % …", 7: "running the SQL 100 % …",
	} {
		n := newNarrator("How many orders?")
		n.say(started("execute_sql_and_analyze_result"))
		require.Equal(t, want, n.say(progressed("running", fraction)))
	}
	n := newNarrator("有多少订单？")
	require.Equal(t, "正在编写 SQL …", n.say(started("generate_sql")))
	require.Equal(t, "正在理解问题 …", n.say(progressed("semantic_parser: the question is not read yet", -1)))
	require.Empty(t, n.say(progressed("sql, confidence 0.97, not understood: 0", -1)))
	require.Equal(t, "Agent …", n.say(started("forecast")), "an agent of others is told by its name")
	require.Equal(t, "asking the stars …", n.say(progressed("asking the stars", -1)), "and speaks for itself")

	understood := func(as string) *routerv1.ChatResponse {
		return &routerv1.ChatResponse{Event: &routerv1.ChatResponse_RunStarted{RunStarted: &routerv1.RunStarted{RewrittenQuestion: as}}}
	}
	require.Empty(t, n.say(understood("有多少订单？")), "the question as it was asked is nothing new")
	require.Equal(t, "理解为：新加坡有多少订单？", n.say(understood("新加坡有多少订单？")))
}

// TestEveryToolHasWords: a tool of the router that is new is told in people's words too.
func TestEveryToolHasWords(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		tools.DataDiscovery, tools.GenerateSQL, tools.FixSQL, tools.ExplainSQL, tools.Execute, tools.DatasuiteFAQ, tools.DataSuiteExpert, tools.SearchLog,
	} {
		for _, question := range []string{"a", "中"} {
			require.NotContains(t, newNarrator(question).say(started(name)), "Agent", name)
		}
	}
}
