package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
)

func TestFAQ(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "docs.jsonl", `{"id": "t1", "question": "How do I replace a lost badge?", "answers": ["Go to the desk.", "Ask a guard."]}
{"id": "t2", "question": "When is lunch served in the canteen?", "answers": ["At noon."]}
{"id": "t3", "question": "How do I park a bicycle?", "answers": ["Behind the house."]}
`)
	write(t, dir, "queries.jsonl", `{"id": "q1", "question": "my badge is lost, how is it replaced?", "gold": "t1"}
{"id": "q2", "question": "what time does the canteen have lunch", "gold": "t2"}
{"id": "q3", "question": "canteen lunch", "gold": "t3"}
{"id": "q4", "question": "violin strings of sheep gut", "gold": "t3"}
`)
	var items []eval.Item
	report := execute(t, eval.FAQ{}, eval.Options{Data: dir}, &items)
	require.Equal(t, 4, report.N)
	require.Zero(t, report.Errors)
	require.InDelta(t, 0.5, report.Metrics["hit@1"], 1e-4, "%+v", items)
	require.InDelta(t, 0.5, report.Metrics["bm25_hit@1"], 1e-4)
	require.InDelta(t, 0.25, report.Metrics["declined_answerable"], 1e-4)
	require.InDelta(t, 1, report.Metrics["declined_foreign"], 1e-4, "this project's documents know none of it")
	require.Equal(t, 1.0, items[0].Score)
	require.Zero(t, items[2].Score)

	_, err := eval.FAQ{}.Open(t.Context(), eval.Options{Data: t.TempDir()})
	require.ErrorIs(t, err, eval.ErrData)
}
