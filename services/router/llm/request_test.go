package llm_test

import (
	"fmt"
	"strings"
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

// TestWhatTheModelIsSent: after the prompt come what is known of earlier messages, the
// talk in its order, the message, the calls of the turn each with its reply, and why the
// last one was refused; each text within its bounds and its fence, and nothing besides.
func TestWhatTheModelIsSent(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Text: "ok"})
	m, err := chat.New(chat.Config{BaseURL: s.URL, Model: "m", Attempts: 1}, chat.Deps{})
	require.NoError(t, err)
	book, err := words.Open()
	require.NoError(t, err)
	rules, err := decide.NewRules(book)
	require.NoError(t, err)
	d, err := routerllm.New(routerllm.Config{MaxTextRunes: 40, MaxTables: 2, MaxDecisions: 9}, m, rules)
	require.NoError(t, err)
	tables := []string{"a.b", "c.d", "e.f"}
	long := strings.Repeat("x", 100)
	ask := decide.In{
		Question: "and by month?", Language: lang.English, Earlier: true, Session: "ses_1", Goal: tools.Execute, OriginalSQL: "SELECT 99", SQLDialect: "Spark", ErrorMessage: "out of memory",
		SelectedTables: []string{"sel.ected"}, SelectedGroups: []string{"datamart_X"},
		Before: &decide.Summary{Topic: "orders by day", SQL: decide.Message{SQL: "SELECT 7"}, Tables: decide.Message{CallID: "call_6", Tables: tables}},
		History: []decide.Message{
			{Role: "user", Content: "orders by day " + long},
			{Role: "assistant", Tool: tools.DataDiscovery, CallID: "call_1", Tables: tables},
			{Role: "assistant", Tool: tools.GenerateSQL, SQL: "SELECT 1", Content: "Here it is.", Asked: "execute?"},
			{Role: "assistant", Content: "You are welcome."},
			{Role: "user", Content: "thanks"},
		},
		Turn: &decide.Decision{Kind: "model"},
		Calls: []decide.Call{
			{ID: "c1", Tool: tools.DataDiscovery, Outcome: decide.Done, Arguments: []byte(`{"user_question":"q"}`), Brief: "tables found"},
			{ID: "c2", Tool: tools.GenerateSQL, Outcome: decide.Nothing},
		},
		Refused: "sql is required",
	}
	_, err = d.Decide(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, s.Requests(), 1)
	var told []string
	for _, raw := range s.Requests()[0].Body["messages"].([]any) {
		message := raw.(map[string]any)
		line := fmt.Sprint(message["role"], " ", message["content"])
		if calls, ok := message["tool_calls"].([]any); ok {
			require.Len(t, calls, 1)
			made := calls[0].(map[string]any)
			line = fmt.Sprint("call ", made["id"], " ", made["function"].(map[string]any)["name"], " ", made["function"].(map[string]any)["arguments"])
		}
		if id, ok := message["tool_call_id"].(string); ok {
			line = id + " " + line
		}
		told = append(told, line)
	}
	require.Len(t, told, 13)
	require.True(t, strings.HasPrefix(told[0], "system "))
	for _, part := range []string{"and by month?", "SELECT 99", "Spark", "out of memory", "sel.ected\ndatamart_X", tools.Execute, "English"} {
		require.Contains(t, told[0]+told[7], part)
	}
	require.True(t, strings.HasPrefix(told[7], "user "))
	require.Contains(t, told[7], "and by month?", "the message comes after the talk")
	fenced := func(name string, lines ...string) string {
		return "<" + name + ">\n" + strings.Join(lines, "\n") + "\n</" + name + ">"
	}
	require.Equal(t, []string{
		"user " + fenced("earlier", "Earlier in this conversation (its messages are not shown):", "request: orders by day", "newest SQL: SELECT 7", "newest tables: a.b, c.d", "found by: tool_call_id call_6"),
		"user " + fenced("message", lang.Shorten("orders by day "+long, 40)),
		"assistant " + fenced("step", "tool data_discovery tool_call_id call_1", "tables: a.b, c.d"),
		"assistant " + fenced("step", "tool generate_sql", "sql: SELECT 1", "answer: Here it is.", "asked the person: execute?"),
		"assistant " + fenced("step", "answer: You are welcome."),
		"user " + fenced("message", "thanks"),
	}, told[1:7])
	require.Equal(t, []string{
		`call c1 data_discovery {"user_question":"q"}`, "c1 tool " + fenced("result", "outcome: done", "tables found"),
		`call c2 generate_sql {}`, "c2 tool " + fenced("result", "outcome: nothing"),
		"user The last call was not made. " + fenced("problem", "sql is required") + "\nCorrect it.",
	}, told[8:])
}
