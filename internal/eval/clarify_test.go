package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClarifyScoresOutcomes: what is asked, answered and declined is told apart over the
// demo, and lines that want something else are refused.
func TestClarifyScoresOutcomes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q.jsonl")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(`{"question": "traffic", "want": "perhaps"}`)
	_, err := Clarify{}.Open(t.Context(), Options{Queries: path})
	require.ErrorIs(t, err, ErrData)
	require.ErrorContains(t, err, "line 1")

	write("")
	_, err = Clarify{}.Open(t.Context(), Options{Queries: path})
	require.ErrorIs(t, err, ErrData)
	require.ErrorContains(t, err, "is empty")

	write(`{"question": "Can you pull the figures for last week by country?", "want": "asks", "marts": ["Chatbot"]}
{"question": "daily GMV in Singapore", "want": "answers"}`)
	r, err := Clarify{}.Open(t.Context(), Options{Queries: path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	var came []Item
	for i := range r.Len() {
		item, err := r.Answer(t.Context(), i)
		require.NoError(t, err)
		came = append(came, item)
	}
	metrics, notes := r.Metrics(came)
	require.Empty(t, notes)
	require.Equal(t, 1.0, metrics["asked_rightly"])
	require.Equal(t, .5, metrics["clarification_rate"], "as the service counts")
	require.Equal(t, 1.0, metrics["one_round_rate"])

	items := []Item{
		{Gold: wantAsks, Prediction: wantAsks}, {Gold: wantAsks, Prediction: wantAnswers},
		{Gold: wantAnswers, Prediction: wantAnswers}, {Gold: wantAnswers, Prediction: wantAnswers}, {Gold: wantAnswers, Prediction: wantAsks}, {Gold: wantAnswers, Prediction: wantDeclines},
		{Gold: wantDeclines, Prediction: wantDeclines},
	}
	require.Equal(t, map[string]float64{"asked_rightly": .5, "asked_needlessly": .25, "answered_rightly": .5, "declined_rightly": 1, "declined_needlessly": .25}, clarifyMetrics(items))
}
