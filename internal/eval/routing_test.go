package eval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

func TestRouting(t *testing.T) {
	t.Parallel()
	report, err := Execute(t.Context(), Routing{}, Options{Data: "testdata"})
	require.NoError(t, err)
	require.Equal(t, 3, report.N)
	for _, m := range []string{"final_intent", "first_tool", "chain", "rewrite", "chain.lang.zh", "chain.kind.greeting"} {
		require.Equal(t, 1.0, report.Metrics[m], m)
	}
	require.NotContains(t, report.Metrics, "rewrite.lang.en", "no case says what it has to mention")

	report, err = Execute(t.Context(), Routing{}, Options{Data: "testdata/routing", Lang: "zh"})
	require.NoError(t, err)
	require.Equal(t, 1, report.N)
	_, err = Execute(t.Context(), Routing{}, Options{Data: "testdata/routing", Lang: "fr"})
	require.ErrorIs(t, err, ErrData)
}

func TestRoutingScores(t *testing.T) {
	t.Parallel()
	r := &routingRun{cases: []routingCase{
		{Kind: "k", Lang: "en", FinalIntent: "g", FirstTool: "a", Chain: []string{"a", "g"}, MustMention: []string{"sales", "may"}},
		{Kind: "k", Lang: "zh", FinalIntent: "none", FirstTool: "none", Chain: []string{}, MustMention: []string{"may"}},
		{Kind: "l", Lang: "en", FinalIntent: "none", FirstTool: "none", Chain: []string{}},
		{Kind: "l", Lang: "en", FinalIntent: "g", FirstTool: "g", Chain: []string{"g"}},
	}}
	m, _ := r.Metrics([]Item{
		{Prediction: routed{FinalIntent: "g", FirstTool: "a", Chain: []string{"a"}, Rewritten: "SALES in May"}},
		{Prediction: routed{FinalIntent: "none", FirstTool: "none", Rewritten: "june"}},
		{Error: "failed"}, // an empty chain is not right because nothing came
		{Prediction: routed{FinalIntent: "none", FirstTool: "g", Chain: []string{"g"}}},
	})
	require.Equal(t, 0.5, m["final_intent"])
	require.Equal(t, 0.75, m["first_tool"])
	require.Equal(t, 0.5, m["chain"])
	require.Equal(t, 0.5, m["rewrite"])
	require.Equal(t, 1.0, m["rewrite.lang.en"])
	require.Equal(t, 1.0, m["chain.lang.zh"])
	require.InDelta(t, 1.0/3, m["chain.lang.en"], 1e-9)
}

// scripted calls its tools in turn, over and over.
type scripted struct {
	goal  string
	tools []string
	fails int // this decision, from 1; 0: none
}

func (scripted) Name() string { return "scripted" }

func (s scripted) Decide(_ context.Context, in decide.In) (decide.Decision, error) {
	if len(in.Calls)+1 == s.fails {
		return decide.Decision{}, errors.New("no idea")
	}
	d := decide.Decision{Goal: s.goal, Rewritten: in.Question}
	if len(s.tools) > 0 {
		d.Tool = s.tools[len(in.Calls)%len(s.tools)]
	}
	return d, nil
}

func TestRouteFollowsATurn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strategy scripted
		agent    string
		want     routed
	}{
		"no tool":        {scripted{}, "", routed{"none", "none", nil, "q"}},
		"ends with goal": {scripted{goal: "b", tools: []string{"a", "b"}}, "", routed{"b", "a", []string{"a", "b"}, "q"}},
		"ends asking":    {scripted{goal: "b", tools: []string{tools.AskHuman}}, "", routed{"b", tools.AskHuman, []string{tools.AskHuman}, "q"}},
		"goes in rounds": {scripted{tools: []string{"a"}}, "", routed{"none", "a", []string{"a", "a", "a", "a", "a", "a", "a", "a"}, "q"}},
		"direct agent":   {scripted{tools: []string{"a"}}, "Fix SQL Agent", routed{tools.FixSQL, tools.FixSQL, []string{tools.FixSQL}, "q"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := route(t.Context(), tc.strategy, routingCase{Question: "q", AgentName: tc.agent}, nil)
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
	_, err := route(t.Context(), scripted{tools: []string{"a"}, fails: 2}, routingCase{Question: "q"}, nil)
	require.ErrorContains(t, err, "decide after a")
}

// TestRoutingByAModel replays what was answered by hand to the prompt as it is: a
// change of the prompt, or of what goes into it, has to be answered anew
// (eval/README.md says how).
func TestRoutingByAModel(t *testing.T) {
	t.Parallel()
	data := filepath.Join("..", "..", "..", "shared", "data", "routing")
	if _, err := os.Stat(data); err != nil {
		t.Skip("the evaluation data is absent: " + data)
	}
	model, err := llm.Replay(filepath.Join("..", "..", "eval", "routing-llm40.cassette.jsonl"))
	require.NoError(t, err)
	r, err := Execute(t.Context(), Routing{}, Options{Data: data, Strategy: strategyLLM, Model: model, Limit: 40})
	require.NoError(t, err)
	require.Equal(t, 40, r.N)
	require.Zero(t, r.Errors, "the recorded answers fit the requests")
	require.Zero(t, model.Unasked())
	for _, figure := range []string{"final_intent", "first_tool", "chain", "rewrite"} {
		require.GreaterOrEqual(t, r.Metrics[figure], 0.95, figure)
	}
}

// TestRoutingProtocol takes every case through a model's endpoint that says what
// the case's label says: requests with the whole conversation and all tools, tool
// calls and words as answers. What the router makes of them is the label again.
func TestRoutingProtocol(t *testing.T) {
	t.Parallel()
	data := filepath.Join("..", "..", "..", "shared", "data", "routing")
	if _, err := os.Stat(data); err != nil {
		t.Skip("the evaluation data is absent: " + data)
	}
	cases, err := readJSONLines[routingCase](filepath.Join(data, routingFile))
	require.NoError(t, err)
	var script []llmtest.Answer
	for _, c := range cases {
		if _, direct := tools.Direct(c.AgentName); direct {
			continue // no decision is made
		}
		script = append(script, labelled(t, c))
	}
	server := llmtest.Script(t, script...)
	model, err := llm.New(llm.Config{BaseURL: server.URL, Model: "m", Attempts: 1}, llm.Deps{})
	require.NoError(t, err)
	r, err := Execute(t.Context(), Routing{}, Options{Data: data, Strategy: strategyLLM, Model: model})
	require.NoError(t, err)
	require.Zero(t, r.Errors)
	require.Len(t, server.Requests(), len(script), "one call a turn")
	for _, figure := range []string{"final_intent", "first_tool", "chain", "rewrite"} {
		require.InDelta(t, 1, r.Metrics[figure], 1e-9, figure)
	}
}

// labelled is what a model would say that decides as a case is labelled.
func labelled(t *testing.T, c routingCase) llmtest.Answer {
	t.Helper()
	if c.FirstTool == nothing {
		return llmtest.Answer{Text: "Hello."}
	}
	args := map[string]string{"rewritten_question": strings.Join(append([]string{c.Question}, c.MustMention...), " ")}
	if c.FinalIntent != nothing {
		args["final_intent"] = c.FinalIntent
	}
	switch c.FirstTool {
	case tools.DataDiscovery, tools.GenerateSQL, tools.DatasuiteFAQ, tools.SearchLog:
		args["user_question"] = c.Question
	case tools.AskHuman:
		args["question"] = "What do you mean?"
	}
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	return llmtest.Answer{Calls: []llmtest.Call{{Name: c.FirstTool, Arguments: string(raw)}}}
}
