package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestACallWrittenAsTextIsTaken: endpoints without tool calls hand on what the model
// wrote, in the form that it was trained on.
func TestACallWrittenAsTextIsTaken(t *testing.T) {
	t.Parallel()
	const args = `{"user_question": "orders by day", "final_intent": "execute_sql_and_analyze_result", "rewritten_question": "orders by day"}`
	const quoted = `"{\"user_question\":\"orders by day\",\"final_intent\":\"execute_sql_and_analyze_result\"}"`
	for name, text := range map[string]string{
		"bare":               `{"name": "data_discovery", "arguments": ` + args + `}`,
		"between tags":       "<tool_call>\n{\"name\": \"data_discovery\", \"arguments\": " + args + "}\n</tool_call>",
		"in a fence":         "I will look for tables.\n```json\n{\"tool\": \"data_discovery\", \"parameters\": " + args + "}\n```",
		"of a function":      `{"type": "function", "function": {"name": "data_discovery", "arguments": ` + quoted + `}}`,
		"function by name":   `{"function": "data_discovery", "args": ` + args + `}`,
		"in a list":          `{"tool_calls": [{"name": "data_discovery", "input": ` + args + `}]}`,
		"as code":            "data_discovery(" + args + ")",
		"name, then JSON":    "**data_discovery**\n```\n" + args + "```",
		"tag of a function":  "<function=data_discovery>" + args + "</function>",
		"after thoughts":     `<think>{"name": "search_log", "arguments": {}}</think>{"name": "data_discovery", "arguments": ` + args + `}`,
		"after another JSON": `{"thought": "tables first"} {"name": "data_discovery", "arguments": ` + args + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := decider(t, llmtest.Answer{Text: text})
			var told string
			ask := in(t, "orders by day")
			ask.OnText = func(piece string) { told += piece }
			got, err := d.Decide(t.Context(), ask)
			require.NoError(t, err)
			require.Equal(t, tools.DataDiscovery, got.Tool)
			require.Equal(t, tools.Execute, got.Goal)
			require.Equal(t, "model", got.Kind)
			require.Contains(t, string(got.Arguments), `"user_question":"orders by day"`)
			require.Empty(t, told, "a call is nothing to read")
		})
	}
}

// TestWordsInPlaceOfACall: what a model says instead of calling a tool is no answer to a
// request on data, and holds no figure.
func TestWordsInPlaceOfACall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question, text string
		tool, told     string
	}{
		"a made-up figure":         {"how many orders were there yesterday?", "There were 4,711 orders.", tools.DataDiscovery, ""},
		"a promise":                {"how many orders were there yesterday?", "Let me look that up for you.", tools.DataDiscovery, ""},
		"nothing":                  {"how many orders were there yesterday?", "  ", tools.DataDiscovery, ""},
		"a tool that is not there": {"how many orders were there yesterday?", `{"name": "run_python", "arguments": {}}`, tools.DataDiscovery, ""},
		"Chinese figures":          {"昨天有多少订单？", "昨天共有４７１１个订单。", tools.DataDiscovery, ""},
		"a greeting":               {"hello", "Hello! Ask me about your data.", "", "Hello! Ask me about your data."},
		"a greeting with a figure": {"hello", "Hello! You have 12 new orders.", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := decider(t, llmtest.Answer{Text: c.text})
			var told string
			ask := in(t, c.question)
			ask.OnText = func(piece string) { told += piece }
			got, err := d.Decide(t.Context(), ask)
			require.NoError(t, err)
			require.Equal(t, c.tool, got.Tool)
			require.Equal(t, c.told, told)
			require.Equal(t, c.told, got.Text)
			require.Equal(t, c.told == "", got.FellBack == routerllm.ReasonNoCall)
		})
	}
}

// TestFiguresAfterATool: once tools have answered, their own sentences hold the figures.
func TestFiguresAfterATool(t *testing.T) {
	t.Parallel()
	for text, told := range map[string]bool{"There were 4,711 orders.": false, "No table knows of such orders.": true} {
		d, _ := decider(t, llmtest.Answer{Text: text})
		ask := in(t, "how many orders were there yesterday?")
		ask.Turn = &decide.Decision{Goal: tools.Execute, Plan: []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}}
		ask.Calls = []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing}, {ID: "call_2", Tool: tools.GenerateSQL, Outcome: decide.Nothing}}
		got, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, told, got.Text == text, "%q", got.Text)
	}
}

// TestRulesLookAgainAtAFirstTurnThatIsTurnedAway: a weak model refuses plain questions on
// data; what it holds to be unsafe, and what belongs to a conversation, is its own.
func TestRulesLookAgainAtAFirstTurnThatIsTurnedAway(t *testing.T) {
	t.Parallel()
	const onData, off = "how many orders were there yesterday?", "who won the football match?"
	refuse := func(reason string) llmtest.Answer {
		return calls(tools.Reject, map[string]any{"rewritten_question": "x", "reason": reason})
	}
	asks := calls(tools.AskHuman, map[string]any{"rewritten_question": "x", "question": "What do you mean?"})
	for name, c := range map[string]struct {
		question string
		answer   llmtest.Answer
		later    bool
		tool     string
	}{
		"data, refused":             {onData, refuse("out_of_scope"), false, tools.DataDiscovery},
		"data, asked back":          {onData, asks, false, tools.DataDiscovery},
		"data, unsafe":              {onData, refuse("unsafe"), false, tools.Reject},
		"data, refused later":       {onData, refuse("out_of_scope"), true, tools.Reject},
		"data, asked back later":    {onData, asks, true, tools.AskHuman},
		"no data, refused":          {off, refuse("out_of_scope"), false, tools.Reject},
		"nothing to go by, refused": {"this one", refuse("out_of_scope"), false, tools.Reject},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := decider(t, c.answer)
			ask := in(t, c.question)
			if c.later {
				ask.History = []decide.Message{{Role: "user", Content: "hello"}}
			}
			got, err := d.Decide(t.Context(), ask)
			require.NoError(t, err)
			require.Equal(t, c.tool, got.Tool)
		})
	}
}

// TestTheGoalComesFromACallThatWasMade: what a refused call said of the goal does not
// count, and a call that says nothing of it is on the way to what the rules see.
func TestTheGoalComesFromACallThatWasMade(t *testing.T) {
	t.Parallel()
	const question = "how many orders were there yesterday?"
	chain := []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}
	d, _ := decider(t, calls("run_python", map[string]any{"code": "1"}),
		calls(tools.DataDiscovery, map[string]any{"user_question": question, "final_intent": tools.Execute, "rewritten_question": question}),
		calls(tools.DataDiscovery, map[string]any{"user_question": question, "rewritten_question": question}))
	ask := in(t, question)
	first, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, "run_python", first.Tool)
	ask.Turn, ask.Refused = &first, "there is no such tool"
	second, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, tools.Execute, second.Goal)
	require.Equal(t, chain, second.Plan)

	third, err := d.Decide(t.Context(), in(t, question))
	require.NoError(t, err)
	require.Equal(t, tools.Execute, third.Goal)
	require.Equal(t, chain, third.Plan)
	require.Contains(t, string(third.Arguments), tools.Execute)
}

// TestHowFarACallIsLookedFor: in a long text a call is looked for near its beginning, and
// at so many places; beyond them it is words.
func TestHowFarACallIsLookedFor(t *testing.T) {
	t.Parallel()
	const call = `{"name": "data_discovery", "arguments": {"user_question": "orders by day"}}`
	for name, c := range map[string]struct {
		text  string
		taken bool
	}{
		"at once":                  {call, true},
		"after many words":         {strings.Repeat("words ", 10_000) + call, true},
		"across the bound":         {strings.Repeat("x", 64<<10-len(call)+1) + call, false},
		"up to the bound":          {strings.Repeat("x", 64<<10-len(call)) + call, true},
		"beyond it":                {strings.Repeat("words ", 20_000) + call, false},
		"after some braces":        {strings.Repeat("{ ", 49) + call, true},
		"after too many":           {strings.Repeat("{ ", 50) + call, false},
		"after other JSON":         {strings.Repeat(`{"a": 1} `, 49) + call, true},
		"after too much of it":     {strings.Repeat(`{"a": 1} `, 50) + call, false},
		"only what is offered":     {`{"name": "drop_everything", "arguments": {}}`, false},
		"a name in words, nothing": {"I would call data_discovery now.", false},
	} {
		d, _ := decider(t, llmtest.Answer{Text: c.text})
		got, err := d.Decide(t.Context(), in(t, "orders by day"))
		require.NoError(t, err, name)
		require.Equal(t, c.taken, got.Kind == "model" && got.Tool == tools.DataDiscovery, "%s: %s %s", name, got.Kind, got.Tool)
	}
}
