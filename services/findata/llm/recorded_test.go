package llm_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	chat "github.com/dibrain/dibrain/pkg/llm"
	advice "github.com/dibrain/dibrain/services/findata/llm"
)

// input is what a model is told for one question; inputs.json is made by the test
// of services/findata that has -update-inputs.
type input struct {
	Terms   []catalog.Term
	Scope   advice.ScopeRequest
	Answer  *advice.AnswerRequest
	Summary *advice.SummaryRequest
}

// wanted is what a good answer to a question is.
type wanted struct {
	Text   string
	Scopes []string
	Ask    []string
	Level  string
	Answer string
	Says   []string
}

const (
	cassette = "testdata/demo.jsonl"
	// recordVariable names an endpoint at which the conversations are recorded anew.
	recordVariable = "DIBRAIN_TEST_LLM_RECORD"
)

// TestRecordedConversations goes through the strategies with the answers that a
// model once gave to these very prompts. A changed prompt is not found in the
// cassette: it has to be recorded anew, and so is seen.
func TestRecordedConversations(t *testing.T) {
	t.Parallel()
	var questions []wanted
	raw, err := os.ReadFile("testdata/questions.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(raw, &questions))
	var inputs []input
	raw, err = os.ReadFile("testdata/inputs.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &inputs))
	require.Len(t, inputs, len(questions))

	a, check := recordedAdvisor(t)
	t.Run("questions", func(t *testing.T) {
		for i, q := range questions {
			t.Run(q.Text, func(t *testing.T) {
				t.Parallel()
				require.Equal(t, q.Text, inputs[i].Scope.Text)
				converse(t, a, inputs[i], q)
			})
		}
	})
	check()
}

// recordedAdvisor answers from the cassette, or records it.
func recordedAdvisor(t *testing.T) (a *advice.Advisor, check func()) {
	t.Helper()
	url := os.Getenv(recordVariable)
	if url == "" {
		replay, err := chat.Replay(cassette)
		require.NoError(t, err)
		a, err = advice.New(advice.Config{}, replay)
		require.NoError(t, err)
		return a, func() { require.Zero(t, replay.Unasked(), "requests of the cassette that nobody makes any more") }
	}
	client, err := chat.New(chat.Config{BaseURL: url, Model: "manual", Attempts: 1, Timeout: time.Hour, MaxConcurrent: 100}, chat.Deps{})
	require.NoError(t, err)
	_ = os.Remove(cassette)
	record, err := chat.Record(cassette, client)
	require.NoError(t, err)
	a, err = advice.New(advice.Config{}, record)
	require.NoError(t, err)
	return a, func() { require.NoError(t, record.Close()) }
}

// converse asks all that a search would ask, and checks what comes.
func converse(t *testing.T, a *advice.Advisor, in input, q wanted) {
	t.Helper()
	ctx := t.Context()
	versions, err := a.Reformulate(ctx, in.Scope.Question, in.Terms)
	require.NoError(t, err)
	require.NotEmpty(t, versions)
	var said string
	switch {
	case in.Answer != nil:
		got, err := a.Answer(ctx, *in.Answer)
		require.NoError(t, err)
		require.Empty(t, got.DontKnow)
		require.NotEmpty(t, got.Tables)
		said = got.Text
	default:
		checkScope(t, a, in, q)
	}
	if in.Summary != nil {
		said, err = a.Summarize(ctx, *in.Summary)
		require.NoError(t, err)
		require.NotContains(t, said, "…", "a name was made up")
		require.Equal(t, q.Level != "short", strings.Contains(said, "## "))
	}
	for _, word := range q.Says {
		require.Contains(t, strings.ToLower(said), word)
	}
}

func checkScope(t *testing.T, a *advice.Advisor, in input, q wanted) {
	t.Helper()
	got, err := a.Scope(t.Context(), in.Scope)
	require.NoError(t, err)
	var marts []string
	for _, m := range got.Marts {
		marts = append(marts, m.Mart)
	}
	switch {
	case q.Scopes != nil:
		require.Equal(t, advice.ScopeIdentified, got.Outcome)
		require.ElementsMatch(t, q.Scopes, marts)
	case q.Ask != nil:
		require.Equal(t, advice.InsufficientInfo, got.Outcome)
		require.Subset(t, marts, q.Ask)
	default:
		require.Equal(t, advice.NoMatch, got.Outcome)
	}
}
