package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm"
)

// TestText2SQLByAModel replays what was answered by hand to the prompts as they
// are: a change of a prompt, or of what goes into it, has to be answered anew
// (eval/suites.md says how).
func TestText2SQLByAModel(t *testing.T) {
	t.Parallel()
	data := filepath.Join("..", "..", "..", "shared", "data", "text2sql", "spiderman")
	if _, err := os.Stat(data); err != nil {
		t.Skip("the evaluation data is absent: " + data)
	}
	model, err := llm.Replay(filepath.Join("..", "..", "eval", "text2sql-llm40.cassette.jsonl"))
	require.NoError(t, err)
	r, err := Execute(t.Context(), Text2SQL{}, Options{Data: data, Strategy: strategyLLM, Model: model, Limit: 40})
	require.NoError(t, err)
	require.Equal(t, 40, r.N)
	require.Zero(t, r.Errors, "the recorded answers fit the requests")
	require.Zero(t, model.Unasked())
	require.GreaterOrEqual(t, r.Metrics["execution_accuracy"], 0.85)
}
