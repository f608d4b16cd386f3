package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"
)

// TestGoalsAndPlans: the goal is what the caller fixed, where the tool leads there;
// else what the model says, where that is a goal; else the tool. The plan goes from the
// tool to the goal along the chain.
func TestGoalsAndPlans(t *testing.T) {
	t.Parallel()
	const discover, generate, execute, fix, logs = tools.DataDiscovery, tools.GenerateSQL, tools.Execute, tools.FixSQL, tools.SearchLog
	for _, c := range []struct {
		tool, said, fixed, goal string
		plan                    []string
	}{
		{discover, "", "", discover, []string{discover}},
		{discover, discover, "", discover, []string{discover}},
		{discover, generate, "", generate, []string{discover, generate}},
		{discover, execute, "", execute, []string{discover, generate, execute}},
		{discover, "nonsense", "", discover, []string{discover}},
		{discover, execute, generate, generate, []string{discover, generate}},
		{discover, execute, logs, execute, []string{discover, generate, execute}},
		{discover, fix, "", fix, []string{discover}},
		{generate, execute, "", execute, []string{generate, execute}},
		{generate, "", "", generate, []string{generate}},
		{generate, "", execute, execute, []string{generate, execute}},
		{generate, discover, "", discover, []string{generate}},
		{execute, "", "", execute, []string{execute}},
		{execute, generate, discover, discover, []string{execute}},
		{fix, execute, "", execute, []string{fix, execute}},
		{fix, "", "", fix, []string{fix}},
		{fix, fix, execute, fix, []string{fix}},
		{fix, generate, "", generate, []string{fix}},
		{logs, "", "", logs, []string{logs}},
		{logs, "", execute, logs, []string{logs}},
		{tools.ExplainSQL, execute, "", "", []string{tools.ExplainSQL}},
		{tools.DatasuiteFAQ, execute, execute, "", []string{tools.DatasuiteFAQ}},
	} {
		d, _ := decider(t, calls(c.tool, map[string]any{"user_question": "q", "sql": "SELECT 1", "final_intent": c.said, "rewritten_question": "r", "tool_call_id": "call_8", "related_table_source_tool_call_id": "call_9"}))
		ask := in(t, "q")
		ask.Goal = c.fixed
		got, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, c.goal, got.Goal, "%+v", c)
		require.Equal(t, c.plan, got.Plan, "%+v", c)
		require.Equal(t, []string{"r", "r", "call_9", "call_8", "SELECT 1"}, []string{got.Rewritten, got.Subject, got.TablesCall, got.SQLCall, got.SQL})
		require.Contains(t, string(got.Arguments), `"final_intent":"`+c.goal+`"`)
		require.NotContains(t, string(got.Arguments), "rewritten_question")
	}
}
