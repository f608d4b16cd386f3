package llm_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestAGoalThatTheModelLeavesOpen is that of the rules where the model's tool is on the way
// to it, and else the tool itself; arguments that are no object are left to whoever checks
// them.
func TestAGoalThatTheModelLeavesOpen(t *testing.T) {
	t.Parallel()
	const figure, search = "how many orders were there yesterday?", "which tables hold orders?"
	for name, c := range map[string]struct {
		question, tool, args string
		goal, want           string
		plan                 []string
	}{
		"on the way": {figure, tools.DataDiscovery, `{"user_question":"q"}`, tools.Execute,
			`{"user_question":"q","final_intent":"execute_sql_and_analyze_result"}`, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}},
		"in the middle": {figure, tools.GenerateSQL, `{"user_question":"q"}`, tools.Execute,
			`{"user_question":"q","final_intent":"execute_sql_and_analyze_result"}`, []string{tools.GenerateSQL, tools.Execute}},
		"there at once": {search, tools.DataDiscovery, `{"user_question":"q"}`, tools.DataDiscovery, `{"user_question":"q"}`, []string{tools.DataDiscovery}},
		"beyond it":     {search, tools.GenerateSQL, `{"user_question":"q"}`, tools.GenerateSQL, `{"user_question":"q"}`, []string{tools.GenerateSQL}},
		"the model's":   {figure, tools.GenerateSQL, `{"user_question":"q","final_intent":"generate_sql"}`, tools.GenerateSQL, `{"user_question":"q","final_intent":"generate_sql"}`, []string{tools.GenerateSQL}},
		"on no way":     {figure, tools.FixSQL, `{"sql":"SELECT 1"}`, tools.FixSQL, `{"sql":"SELECT 1"}`, []string{tools.FixSQL}},
	} {
		d, _ := decider(t, llmtest.Answer{Calls: []llmtest.Call{{Name: c.tool, Arguments: c.args}}})
		got, err := d.Decide(t.Context(), in(t, c.question))
		require.NoError(t, err, name)
		require.Equal(t, c.tool, got.Tool, name)
		require.Equal(t, c.goal, got.Goal, name)
		require.Equal(t, c.plan, got.Plan, name)
		require.JSONEq(t, c.want, string(got.Arguments), name)
	}
	for _, args := range []string{"null", "[]", "7"} {
		d, _ := decider(t, llmtest.Answer{Calls: []llmtest.Call{{Name: tools.DataDiscovery, Arguments: args}}})
		got, err := d.Decide(t.Context(), in(t, figure))
		require.NoError(t, err, args)
		require.Equal(t, tools.DataDiscovery, got.Tool, args)
		require.Equal(t, args, string(got.Arguments))
	}
}

// TestWhatAModelIsShownIsBounded: texts are cut, and of many tables the first are named.
func TestWhatAModelIsShownIsBounded(t *testing.T) {
	t.Parallel()
	d, s := decider(t, calls(tools.DataDiscovery, map[string]any{"user_question": "q", "final_intent": tools.DataDiscovery, "rewritten_question": "q"}))
	ask := in(t, "q")
	var tables []string
	for i := range 11 {
		tables = append(tables, "sg.shop.t"+string(rune('a'+i)))
	}
	long := func(mark string) string {
		text := make([]rune, 1600)
		for i := range text {
			text[i] = '字'
		}
		return string(text) + mark
	}
	ask.Earlier, ask.Before = true, &decide.Summary{Topic: long("end_of_topic"), Tables: decide.Message{Tables: tables}}
	ask.History = []decide.Message{{Role: "user", Content: long("end_of_message")}, {Role: "assistant", Content: long("end_of_answer"), SQL: long("end_of_sql"), Tables: tables}}
	ask.OriginalSQL, ask.ErrorMessage = long("end_of_original"), long("end_of_error")
	_, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	sent := s.Requests()[0].Raw
	require.NotContains(t, sent, "end_of_")
	require.Contains(t, sent, "sg.shop.tj")
	require.NotContains(t, sent, "sg.shop.tk")
}

// fixed are rules that decide as a test has it.
type fixed struct{ decision decide.Decision }

func (fixed) Name() string { return "fixed" }

func (f fixed) Decide(context.Context, decide.In) (decide.Decision, error) { return f.decision, nil }

// TestTheModelsToolIsTaken: where it works on the message, the rules have no say in which
// tool it is; where it turns the first message of a talk away, what the rules can carry out
// is done, but for what is unsafe.
func TestTheModelsToolIsTaken(t *testing.T) {
	t.Parallel()
	byRules := decide.Decision{Tool: tools.DataDiscovery, Goal: tools.Execute, Kind: "rules"}
	for name, c := range map[string]struct {
		tool   string
		args   map[string]any
		before bool // the talk goes on
		want   string
	}{
		"a query":               {tools.GenerateSQL, map[string]any{"user_question": "q", "final_intent": tools.GenerateSQL}, false, tools.GenerateSQL},
		"a repair":              {tools.FixSQL, map[string]any{"sql": "SELECT 1", "final_intent": tools.FixSQL}, false, tools.FixSQL},
		"logs":                  {tools.SearchLog, map[string]any{"user_question": "q"}, false, tools.SearchLog},
		"out of scope":          {tools.Reject, map[string]any{"reason": "out_of_scope"}, false, tools.DataDiscovery},
		"a question back":       {tools.AskHuman, map[string]any{"question": "which?"}, false, tools.DataDiscovery},
		"unsafe":                {tools.Reject, map[string]any{"reason": "unsafe"}, false, tools.Reject},
		"out of scope, later":   {tools.Reject, map[string]any{"reason": "out_of_scope"}, true, tools.Reject},
		"a question back later": {tools.AskHuman, map[string]any{"question": "which?"}, true, tools.AskHuman},
	} {
		raw, err := json.Marshal(c.args)
		require.NoError(t, err)
		s := llmtest.Script(t, llmtest.Answer{Calls: []llmtest.Call{{Name: c.tool, Arguments: string(raw)}}})
		m, err := chat.New(chat.Config{BaseURL: s.URL, Model: "m", Attempts: 1}, chat.Deps{})
		require.NoError(t, err)
		d, err := routerllm.New(routerllm.Config{}, m, fixed{byRules})
		require.NoError(t, err)
		ask := in(t, "how many orders?")
		if c.before {
			ask.History = []decide.Message{{Role: "user", Content: "hello"}}
		}
		got, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, c.want, got.Tool, name)
	}
}
