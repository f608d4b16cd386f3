package llm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestWhatAModelIsOffered: every tool with its description, and its arguments with the one
// more that asks for the whole question; the tools themselves stay as they are.
func TestWhatAModelIsOffered(t *testing.T) {
	t.Parallel()
	d, s := decider(t, calls(tools.Reject, map[string]any{"rewritten_question": "x", "reason": "unsafe"}))
	ask := in(t, "x")
	ask.Tools = append(ask.Tools, decide.Tool{Name: "bare", Description: "Has no schema of its own.", Schema: map[string]any{"type": "object"}})
	_, err := d.Decide(t.Context(), ask)
	require.NoError(t, err)
	offered := s.Requests()[0].Body["tools"].([]any)
	require.Len(t, offered, len(ask.Tools))
	for i, raw := range offered {
		own, f := ask.Tools[i], raw.(map[string]any)["function"].(map[string]any)
		require.Equal(t, own.Name, f["name"])
		require.Equal(t, own.Description, f["description"])
		schema := f["parameters"].(map[string]any)
		properties, _ := own.Schema["properties"].(map[string]any)
		required, _ := own.Schema["required"].([]any)
		require.Len(t, schema["properties"], len(properties)+1, own.Name)
		require.Contains(t, schema["properties"], "rewritten_question", own.Name)
		require.Equal(t, append(append([]any{}, required...), "rewritten_question"), schema["required"], own.Name)
		require.NotContains(t, properties, "rewritten_question", "the tool's own schema stays")
	}
}

// TestAnswersThatAreReadFreshly: of an earlier decision of the turn the goal and the plan
// stay; its tool, arguments and words do not come again with the next answer.
func TestAnswersThatAreReadFreshly(t *testing.T) {
	t.Parallel()
	before := decide.Decision{
		Kind: "model", Goal: tools.Execute, Plan: []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, Rewritten: "whole", Tool: tools.DataDiscovery,
		Arguments: []byte(`{"user_question":"old"}`), Say: "old words", Text: "old text", Extra: []string{"old"},
	}
	failed := []decide.Call{{ID: "call_1", Tool: tools.DataDiscovery, Outcome: decide.Nothing}, {ID: "call_2", Tool: tools.GenerateSQL, Outcome: decide.Nothing}}
	for name, c := range map[string]struct {
		answer llmtest.Answer
		want   decide.Decision
	}{
		"words":                {llmtest.Answer{Text: "Nothing fits."}, decide.Decision{Text: "Nothing fits."}},
		"a call":               {calls(tools.SearchLog, map[string]any{"user_question": "errors"}), decide.Decision{Tool: tools.SearchLog, Arguments: []byte(`{"user_question":"errors"}`)}},
		"arguments of no JSON": {llmtest.Answer{Calls: []llmtest.Call{{Name: tools.SearchLog, Arguments: "no JSON"}}}, decide.Decision{Tool: tools.SearchLog, Arguments: []byte("no JSON")}},
		"arguments that are null": {
			llmtest.Answer{Calls: []llmtest.Call{{Name: tools.SearchLog, Arguments: "null"}}}, decide.Decision{Tool: tools.SearchLog, Arguments: []byte("null")},
		},
		"two calls": {
			llmtest.Answer{Calls: []llmtest.Call{{Name: tools.SearchLog, Arguments: `{}`}, {Name: tools.Reject, Arguments: `{}`}, {Name: tools.AskHuman, Arguments: `{}`}}},
			decide.Decision{Tool: tools.SearchLog, Arguments: []byte(`{}`), Extra: []string{tools.Reject, tools.AskHuman}},
		},
	} {
		d, _ := decider(t, c.answer)
		ask := in(t, "which orders had a dog?")
		turn := before
		ask.Turn, ask.Calls = &turn, failed
		got, err := d.Decide(t.Context(), ask)
		require.NoError(t, err, name)
		want := c.want
		want.Kind, want.Goal, want.Plan, want.Rewritten = before.Kind, before.Goal, before.Plan, before.Rewritten
		require.Equal(t, want, got, name)
		require.Equal(t, before, turn, "%s: the turn's first decision is not written to", name)
	}
}

// TestHowOftenAModelDecides: of a turn in which all goes wrong it decides so often, then
// the rules do.
func TestHowOftenAModelDecides(t *testing.T) {
	t.Parallel()
	for n, asked := range map[int]bool{0: true, 1: true, 4: true, 5: false, 6: false} {
		d, s := decider(t, calls(tools.SearchLog, map[string]any{"user_question": "errors"}))
		ask := in(t, "errors in the gateway logs")
		ask.Turn = &decide.Decision{Goal: tools.SearchLog, Plan: []string{tools.SearchLog}}
		for range n {
			ask.Calls = append(ask.Calls, decide.Call{ID: "call", Tool: tools.SearchLog, Outcome: decide.Nothing})
		}
		_, err := d.Decide(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, asked, len(s.Requests()) == 1, "%d calls", n)
	}
}

// TestADeciderNeedsBoth a model and rules, and is called what it is.
func TestADeciderNeedsBoth(t *testing.T) {
	t.Parallel()
	d, _ := decider(t)
	require.Equal(t, "llm", d.Name())
	m, err := chat.New(chat.Config{BaseURL: "http://127.0.0.1:1", Model: "m"}, chat.Deps{})
	require.NoError(t, err)
	for _, c := range []struct {
		model chat.Model
		rules decide.Strategy
	}{{nil, failing{}}, {m, nil}} {
		_, err := routerllm.New(routerllm.Config{}, c.model, c.rules)
		require.ErrorContains(t, err, "a model and rules are needed")
	}
}

// failing is rules that do not decide.
type failing struct{}

var errNoRules = errors.New("no rules")

func (failing) Name() string { return "failing" }

func (failing) Decide(context.Context, decide.In) (decide.Decision, error) {
	return decide.Decision{}, errNoRules
}

// TestWhatRulesFailIsTold: where the rules are asked and fail, nothing is made up.
func TestWhatRulesFailIsTold(t *testing.T) {
	t.Parallel()
	figures := llmtest.Answer{Text: "There were 4,711."}
	for name, c := range map[string]struct {
		answer llmtest.Answer
		turn   *decide.Decision
		calls  []decide.Call
	}{
		"for words at first":       {answer: figures},
		"for a goal":               {answer: calls(tools.DataDiscovery, map[string]any{"user_question": "q", "rewritten_question": "q"})},
		"for figures after a call": {figures, &decide.Decision{}, []decide.Call{{ID: "a", Outcome: decide.Nothing}, {ID: "b", Outcome: decide.Nothing}}},
		"for a model that is away": {answer: llmtest.Answer{Status: 500, Text: "out of order"}},
		"for a plan that goes on":  {figures, &decide.Decision{Goal: tools.Execute}, []decide.Call{{ID: "a", Outcome: decide.Done}}},
	} {
		s := llmtest.Script(t, c.answer)
		m, err := chat.New(chat.Config{BaseURL: s.URL, Model: "m", Attempts: 1}, chat.Deps{})
		require.NoError(t, err)
		d, err := routerllm.New(routerllm.Config{}, m, failing{})
		require.NoError(t, err)
		_, err = d.Decide(t.Context(), decide.In{Question: "how many orders?", Language: lang.English, Tools: bound(t), Turn: c.turn, Calls: c.calls})
		require.ErrorIs(t, err, errNoRules, name)
	}
}
