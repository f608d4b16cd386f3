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

	items := []Item{
		{Gold: wantAsks, Prediction: wantAsks}, {Gold: wantAsks, Prediction: wantAnswers},
		{Gold: wantAnswers, Prediction: wantAnswers}, {Gold: wantAnswers, Prediction: wantAnswers}, {Gold: wantAnswers, Prediction: wantAsks}, {Gold: wantAnswers, Prediction: wantDeclines},
		{Gold: wantDeclines, Prediction: wantDeclines},
	}
	require.Equal(t, map[string]float64{"asked_rightly": .5, "asked_needlessly": .25, "answered_rightly": .5, "declined_rightly": 1, "declined_needlessly": .25}, clarifyMetrics(items))
}
