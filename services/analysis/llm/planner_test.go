package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/analysis/llm"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// TestAModelMakesAPlan: it is told of tables, figures and what was wrong before; an answer
// of the wrong form is asked for again, and one that stays so is an error in words.
func TestAModelMakesAPlan(t *testing.T) {
	t.Parallel()
	good := `{"refusal": "", "steps": [{"id": "s1", "kind": "sql", "title": "A", "instruction": " visits by clinic ", "inputs": []}]}`
	endless := `{"steps": [` + strings.TrimSuffix(strings.Repeat(`{"id": "s1", "kind": "sql", "title": "A", "instruction": "x", "inputs": []},`, plan.MaxSteps+1), ",") + `]}`
	planner := func(answers ...string) (*llm.Planner, *llmtest.Server) {
		var list []llmtest.Answer
		for _, a := range answers {
			list = append(list, llmtest.Answer{Text: a})
		}
		server := llmtest.Script(t, list...)
		model, err := chat.New(chat.Config{BaseURL: server.URL, Model: "m"}, chat.Deps{})
		require.NoError(t, err)
		p, err := llm.NewPlanner(model, budget.Limits{})
		require.NoError(t, err)
		return p, server
	}
	request := workflow.PlanRequest{
		Language: lang.Chinese, Question: "就诊量的基尼系数", Tables: []workflow.Document{{Name: "eu.care.visit", Columns: []string{"clinic varchar"}}},
		Metrics: []string{"visits"}, Problems: []string{`step "s9" is needed`},
	}
	p, server := planner(endless, good)
	got, err := p.Plan(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, []plan.Step{{ID: "s1", Kind: plan.SQL, Title: "A", Instruction: "visits by clinic", Inputs: []string{}}}, got.Steps)
	told := fmt.Sprint(server.Requests()[0].Body)
	for _, part := range []string{"就诊量的基尼系数", "eu.care.visit: clinic varchar", "visits", `step "s9" is needed`, "in Chinese"} {
		require.Contains(t, told, part)
	}
	require.NotContains(t, told, "- python:", "it is off")
	require.Contains(t, fmt.Sprint(server.Requests()[1].Body), "the most is 50")

	for name, answer := range map[string]string{
		"neither plan nor refusal": `{"refusal": " ", "steps": []}`,
		"both":                     strings.Replace(good, `"refusal": ""`, `"refusal": "no"`, 1),
		"an id that is none":       strings.Replace(good, `"s1"`, `"../s1"`, 1),
		"no plan at all":           `I would rather talk.`,
	} {
		p, _ := planner(answer, answer)
		_, err := p.Plan(t.Context(), request)
		require.Error(t, err, name)
	}
}
