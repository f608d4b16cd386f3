package eval

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/llm"
)

// TestDemoByAModel replays what was answered by hand to the prompts over the demo's layer as
// they are, for its thirty hardest questions (eval/suites.md).
func TestDemoByAModel(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "eval")
	model, err := llm.Replay(filepath.Join(root, "demo-llm30.cassette.jsonl"))
	require.NoError(t, err)
	r, err := Execute(t.Context(), Demo{}, Options{Data: filepath.Join(root, "demo"), Queries: filepath.Join(root, "demo", "hardest.jsonl"), Strategy: strategyLLM, Model: model})
	require.NoError(t, err)
	require.Equal(t, 30, r.N)
	require.Zero(t, r.Errors, "the recorded answers fit the requests")
	require.Zero(t, model.Unasked())
	require.GreaterOrEqual(t, r.Metrics["accuracy"], 0.85)
}
