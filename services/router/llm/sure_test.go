package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestWhatRulesAreSureOfAsksNoModel: a first message that asks a named source for figures and
// has no word of another tool's is carried out by the rules to its end, a step that comes to
// nothing included; anything else is the model's.
func TestWhatRulesAreSureOfAsksNoModel(t *testing.T) {
	t.Parallel()
	const question = "How many loans were paid back late per branch?"
	model := calls(tools.DataDiscovery, map[string]any{"user_question": "x", "rewritten_question": "x", "final_intent": tools.Execute})
	ask := func(change func(*decide.In)) (asked int, first decide.Decision) {
		d, s := decider(t, model, llmtest.Answer{Text: "Nothing fits."})
		turn := in(t, question)
		turn.Source, turn.SourceName = true, "library"
		change(&turn)
		first, err := d.Decide(t.Context(), turn)
		require.NoError(t, err)
		asked = len(s.Requests())
		turn.Turn = &first
		turn.Calls = []decide.Call{{ID: "c1", Tool: tools.DataDiscovery, Outcome: decide.Done}, {ID: "c2", Tool: tools.GenerateSQL, Outcome: decide.Nothing}}
		_, err = d.Decide(t.Context(), turn)
		require.NoError(t, err)
		if asked == 0 {
			require.Empty(t, s.Requests(), "the step after")
		}
		return asked, first
	}
	asked, first := ask(func(*decide.In) {})
	require.Zero(t, asked)
	require.Equal(t, tools.DataDiscovery, first.Tool)
	require.Equal(t, tools.Execute, first.Goal)
	require.Equal(t, question, first.Rewritten)
	for name, change := range map[string]func(*decide.In){
		"no source":     func(in *decide.In) { in.Source = false },
		"a talk":        func(in *decide.In) { in.History = []decide.Message{{Role: "user", Content: "hello"}} },
		"a longer talk": func(in *decide.In) { in.Earlier = true },
		"a goal":        func(in *decide.In) { in.Goal = tools.GenerateSQL },
		"other teams": func(in *decide.In) {
			in.Outside = []decide.Outside{decide.NewOutside("rocket", []string{"rocket"}, "q")}
		},
		"a method":         func(in *decide.In) { in.Question = "How do I calculate how many loans were late?" },
		"tables":           func(in *decide.In) { in.Question = "Which tables hold the number of loans?" },
		"the platform":     func(in *decide.In) { in.Question = "How many queries may I run, what is the quota?" },
		"a pointer":        func(in *decide.In) { in.Question = "How many of them are late?" },
		"nothing to count": func(in *decide.In) { in.Question = "loans of Berlin" },
	} {
		asked, _ := ask(change)
		require.Equal(t, 1, asked, name)
	}
}

// TestTheModelKnowsWhoAsksAndWhen: the day, the source and what is known of the asker are in
// the request, and nothing stands where nothing is known.
func TestTheModelKnowsWhoAsksAndWhen(t *testing.T) {
	t.Parallel()
	d, s := decider(t, calls(tools.Reject, map[string]any{"rewritten_question": "x", "reason": "unsafe"}), calls(tools.Reject, map[string]any{"rewritten_question": "x", "reason": "unsafe"}))
	ask := in(t, "how did our team do?")
	ask.Source, ask.SourceName, ask.Today = true, "library", "2026-02-03"
	ask.Person = []string{"department: Lending", "country: SG"}
	_, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	_, err = d.Decide(t.Context(), in(t, "how did our team do?"))
	require.NoError(t, err)
	messages := s.Requests()[0].Body["messages"].([]any)
	require.Contains(t, messages[0].(map[string]any)["content"], "Today is 2026-02-03.")
	require.Contains(t, messages[1].(map[string]any)["content"], "<source>\nlibrary\n</source>\n<asker>\ndepartment: Lending\ncountry: SG\n</asker>")
	require.NotContains(t, s.Requests()[1].Body["messages"].([]any)[1].(map[string]any)["content"], "asker")
}
