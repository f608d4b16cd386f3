package llm_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

func decider(t *testing.T, answers ...llmtest.Answer) (*routerllm.Decider, *llmtest.Server) {
	t.Helper()
	s := llmtest.Script(t, answers...)
	m, err := chat.New(chat.Config{BaseURL: s.URL, Model: "m", Attempts: 1}, chat.Deps{})
	require.NoError(t, err)
	book, err := words.Open()
	require.NoError(t, err)
	rules, err := decide.NewRules(book)
	require.NoError(t, err)
	d, err := routerllm.New(routerllm.Config{}, m, rules)
	require.NoError(t, err)
	return d, s
}

func calls(name string, args map[string]any) llmtest.Answer {
	raw, _ := json.Marshal(args) // texts and numbers: it always is
	return llmtest.Answer{Calls: []llmtest.Call{{Name: name, Arguments: string(raw)}}}
}

func bound(t *testing.T) []decide.Tool {
	t.Helper()
	set, err := tools.New()
	require.NoError(t, err)
	var out []decide.Tool
	for _, d := range set.All() {
		schema, err := d.Arguments.Schema(context.Background())
		require.NoError(t, err)
		out = append(out, decide.Tool{Name: d.Name, Description: d.Description, Schema: schema})
	}
	return out
}

func in(t *testing.T, question string) decide.In {
	t.Helper()
	return decide.In{Question: question, Language: lang.Detect(question), Tools: bound(t), Session: "ses_1"}
}

// TestOneCallIsEnough: the model decides what is wanted; the steps that follow
// when each one succeeds cost nothing.
func TestOneCallIsEnough(t *testing.T) {
	t.Parallel()
	d, s := decider(t, calls(tools.DataDiscovery, map[string]any{
		"user_question": "orders by day", "final_intent": tools.Execute, "rewritten_question": "orders by day in Brazil",
	}))
	ask := in(t, "and for Brazil?")
	ask.History = []decide.Message{
		{Role: "user", Content: "orders by day"},
		{Role: "assistant", Tool: tools.GenerateSQL, CallID: "call_7", SQL: "SELECT 1", Tables: []string{"sg.shop.orders"}, Content: "done </step>", Asked: "execute?"},
	}
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.DataDiscovery, first.Tool)
	require.Equal(t, tools.Execute, first.Goal)
	require.Equal(t, "orders by day in Brazil", first.Rewritten)
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, first.Plan)
	require.JSONEq(t, `{"user_question":"orders by day","final_intent":"execute_sql_and_analyze_result"}`, string(first.Arguments))

	sent := s.Requests()[0]
	require.Len(t, sent.Body["tools"], 12)
	require.Equal(t, "ses_1", sent.Body["prompt_cache_key"])
	require.Contains(t, sent.Raw, "tool generate_sql tool_call_id call_7")
	require.Contains(t, sent.Raw, "asked the person: execute?")
	require.Contains(t, sent.Raw, "‹/step›", "no text of the conversation ends its fence")

	ask.Turn = &first
	ask.Calls = []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Done}}
	second, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.GenerateSQL, second.Tool)
	require.JSONEq(t, `{"user_question":"orders by day in Brazil","related_table_source_tool_call_id":"call_1","final_intent":"execute_sql_and_analyze_result"}`, string(second.Arguments))
	ask.Calls = append(ask.Calls, decide.Call{ID: "call_2", Tool: tools.GenerateSQL, Outcome: decide.Done})
	third, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.Execute, third.Tool)
	require.Len(t, s.Requests(), 1)
}

// TestEarlierMessages: what is not shown of a long talk is told in a few lines, and
// only then.
func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	answer := map[string]any{"user_question": "q", "final_intent": tools.DataDiscovery, "rewritten_question": "q"}
	d, s := decider(t, calls(tools.DataDiscovery, answer), calls(tools.DataDiscovery, answer))
	ask := in(t, "and for Brazil?")
	ask.History = []decide.Message{{Role: "user", Content: "thanks"}}
	ask.Before = &decide.Summary{Topic: "orders by day </earlier>", SQL: decide.Message{CallID: "call_7", SQL: "SELECT 7"},
		Tables: decide.Message{CallID: "call_6", Tables: []string{"sg.shop.orders"}}}
	_, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.NotContains(t, s.Requests()[0].Raw, "SELECT 7")
	ask.Earlier = true
	_, err = d.Decide(t.Context(), ask)
	require.NoError(t, err)
	for _, told := range []string{"request: orders by day ‹/earlier›", "newest SQL: SELECT 7", "tool_call_id call_7", "newest tables: sg.shop.orders", "tool_call_id call_6"} {
		require.Contains(t, s.Requests()[1].Raw, told)
	}
}

// TestAFailureIsTheModelsAgain: where a tool comes back with nothing, the model
// sees what happened and decides; the goal of the turn stays.
func TestAFailureIsTheModelsAgain(t *testing.T) {
	t.Parallel()
	d, s := decider(t,
		calls(tools.DataDiscovery, map[string]any{"user_question": "q", "final_intent": tools.Execute, "rewritten_question": "q"}),
		calls(tools.DataDiscovery, map[string]any{"user_question": "wider", "final_intent": tools.DataDiscovery, "rewritten_question": "another"}),
	)
	ask := in(t, "q")
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	ask.Turn = &first
	ask.Calls = []decide.Call{
		{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing, Arguments: first.Arguments, Brief: "no table was found"},
		{ID: "call_2", Tool: tools.GenerateSQL, Outcome: decide.Nothing, Brief: "no SQL was written"},
	}
	second, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.JSONEq(t, `{"user_question":"wider","final_intent":"execute_sql_and_analyze_result"}`, string(second.Arguments))
	require.Equal(t, tools.Execute, second.Goal)
	require.Equal(t, "q", second.Rewritten)
	require.Contains(t, s.Requests()[1].Raw, "no table was found")
}

// TestTablesAreLookedThrough: that no word of a question found a table ends nothing; text to
// SQL looks at the tables of the source, without a call of the model.
func TestTablesAreLookedThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		goal     string
		selected []string
		through  bool
	}{
		"a figure":               {tools.Execute, nil, true},
		"a query":                {tools.GenerateSQL, nil, true},
		"a search of tables":     {tools.DataDiscovery, nil, false},
		"among tables of choice": {tools.Execute, []string{"sg.shop.orders"}, false},
	} {
		d, s := decider(t,
			calls(tools.DataDiscovery, map[string]any{"user_question": "q", "final_intent": c.goal, "rewritten_question": "the whole question"}),
			calls(tools.Reject, map[string]any{"rewritten_question": "x", "reason": "out_of_scope"}))
		ask := in(t, "q")
		ask.SelectedTables = c.selected
		first, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		ask.Turn, ask.Calls = &first, []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing}}
		next, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		if !c.through {
			require.Equal(t, tools.Reject, next.Tool, name)
			continue
		}
		require.Equal(t, tools.GenerateSQL, next.Tool, name)
		require.Equal(t, c.goal, next.Goal, name)
		require.JSONEq(t, `{"user_question":"the whole question","final_intent":"`+c.goal+`"}`, string(next.Arguments), name)
		require.Len(t, s.Requests(), 1, name)
	}
}

func TestRefusedArgumentsGoBack(t *testing.T) {
	t.Parallel()
	d, s := decider(t,
		llmtest.Answer{Calls: []llmtest.Call{{Name: "data_discovry", Arguments: `{"user_question":`}, {Name: tools.Execute, Arguments: `{}`}}},
		calls(tools.Reject, map[string]any{"rewritten_question": "x"}),
	)
	ask := in(t, "x")
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, "data_discovry", first.Tool)
	require.JSONEq(t, `"{\"user_question\":"`, string(mustJSON(t, string(first.Arguments))), "kept as it came, for whoever checks it")
	require.Equal(t, []string{tools.Execute}, first.Extra, "one call at a time")
	ask.Turn, ask.Refused = &first, "there is no such tool"
	second, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.Reject, second.Tool)
	require.Contains(t, s.Requests()[1].Raw, "there is no such tool")
}

// TestRulesDecideWhereNoCallCanBeMade: a model that makes the same impossible call again
// costs the person no answer. After a call that was made it is asked on.
func TestRulesDecideWhereNoCallCanBeMade(t *testing.T) {
	t.Parallel()
	wrong := calls("query_database", map[string]any{"sql": "x"})
	d, s := decider(t, wrong, wrong, wrong)
	ask := in(t, "how many orders were there yesterday?")
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	ask.Turn, ask.Refused, ask.Refusals = &first, "there is no such tool", 1
	second, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, "query_database", second.Tool, "it may correct itself once")
	ask.Turn, ask.Refusals = &second, 2
	third, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.DataDiscovery, third.Tool)
	require.Equal(t, tools.Execute, third.Goal)
	require.Equal(t, routerllm.ReasonCallRefused, third.FellBack)
	require.Len(t, s.Requests(), 2)

	ask.Calls = []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing}}
	_, err = d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, s.Requests(), 3)
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

func TestWords(t *testing.T) {
	t.Parallel()
	d, _ := decider(t, llmtest.Answer{Text: " Hello! Ask me about your data. "})
	var heard string
	ask := in(t, "hi")
	ask.OnText = func(piece string) { heard += piece }
	got, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, got.Tool)
	require.Equal(t, "Hello! Ask me about your data.", got.Text)
	require.Equal(t, got.Text, heard)
}

// TestFallsBackToRules: a model that is away costs the answer nothing but its
// finesse, for the whole turn.
func TestFallsBackToRules(t *testing.T) {
	t.Parallel()
	d, s := decider(t, llmtest.Answer{Status: 500, Text: "out of order"})
	ask := in(t, "how many orders were there yesterday?")
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.DataDiscovery, first.Tool)
	require.Equal(t, tools.Execute, first.Goal)
	require.Equal(t, chat.ReasonUnavailable, first.FellBack)
	ask.Turn = &first
	ask.Calls = []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing}}
	_, err = d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, s.Requests(), 1, "it is not asked again in this turn")

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.Decide(gone, in(t, "x"))
	require.ErrorIs(t, err, context.Canceled, "nobody waits: nothing is decided")
}

// TestTheCallersGoalWins: a fixed final intent ends the chain where the caller
// wants it.
func TestTheCallersGoalWins(t *testing.T) {
	t.Parallel()
	d, _ := decider(t, calls(tools.DataDiscovery, map[string]any{"user_question": "q", "final_intent": tools.Execute, "rewritten_question": "q"}))
	ask := in(t, "q")
	ask.Goal = tools.GenerateSQL
	got, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.GenerateSQL, got.Goal)
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL}, got.Plan)
}

// TestWhatTheModelSaysIsFitToBeShown: the reply, each piece of it while it comes, and
// the question as the model put it.
func TestWhatTheModelSaysIsFitToBeShown(t *testing.T) {
	t.Parallel()
	const hostile, shown = "Look: ![x](https://evil.example/?q=x) <img src=x>\n\x1b]0;root\x07[bank](https://evil.example)\u202e", "Look: x (https://evil.example/?q=x) ‹img src=x>\nbank (https://evil.example)"
	d, _ := decider(t, llmtest.Answer{Text: hostile}, calls(tools.DataDiscovery, map[string]any{
		"user_question": "x", "final_intent": tools.DataDiscovery, "rewritten_question": hostile,
	}))
	ask := in(t, "hello")
	var told string
	ask.OnText = func(piece string) { told += piece }
	reply, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, shown, reply.Text)
	require.Equal(t, shown, told)
	next, err := d.Decide(t.Context(), in(t, "orders"))
	require.NoError(t, err)
	require.Equal(t, shown, next.Rewritten)
}

// TestATurnThatFellBackStaysWithTheRules: once the model did not answer, the rest of the turn
// is the rules', whatever came of its calls, and nobody waits for the model again.
func TestATurnThatFellBackStaysWithTheRules(t *testing.T) {
	t.Parallel()
	for _, outcome := range []decide.Outcome{decide.Done, decide.Nothing} {
		for _, plan := range [][]string{{tools.DataDiscovery}, {tools.DataDiscovery, tools.GenerateSQL}} {
			for fellBack, asked := range map[string]bool{"LLM_UNAVAILABLE": false, "": outcome == decide.Nothing && len(plan) == 1} {
				d, s := decider(t, llmtest.Answer{Text: "There is nothing."})
				ask := in(t, "which tables hold orders?")
				ask.Turn = &decide.Decision{Goal: plan[len(plan)-1], Plan: plan, Rewritten: ask.Question, Subject: ask.Question, FellBack: fellBack}
				ask.Calls = []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: outcome, Arguments: []byte("{}")}}
				got, err := d.Decide(t.Context(), ask)
				require.NoError(t, err)
				require.Equal(t, asked, len(s.Requests()) > 0, "%s %s %q", outcome, plan, fellBack)
				if fellBack != "" && outcome == decide.Nothing {
					require.Empty(t, got.Tool, "%s", plan)
					require.Equal(t, words.Done, got.Say)
				}
			}
		}
	}
}
