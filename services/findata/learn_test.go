package findata

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/findata/memory"
)

func TestJudgedTellsWhatWasRight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none, err := Judged(t.Context(), small.InFile(memory.File(dir)), "demo")
	require.NoError(t, err)
	require.Empty(t, none)

	m := memory.New(memory.Config{MaxFeedback: 10, MaxShown: 10}, small.InFile(memory.File(dir)), time.Now)
	require.NoError(t, m.AddShown(t.Context(), "ann", "demo", memory.Answer{
		Question: "sales", Names: []string{"bm25"}, Candidates: []memory.Candidate{{Table: "r.s.a", Features: []float32{1}}, {Table: "r.s.b", Features: []float32{0.5}}},
	}))
	require.NoError(t, m.Add(t.Context(), "ann", "demo", "sales", []string{"r.s.b"}, memory.Accepted))
	require.NoError(t, m.Close())
	judged, err := Judged(t.Context(), small.InFile(memory.File(dir)), "demo")
	require.NoError(t, err)
	require.Equal(t, []train.Judged{{
		Question: "sales", Names: []string{"bm25"}, Rows: []train.JudgedRow{{Features: []float32{1}}, {Features: []float32{0.5}, Right: true}},
	}}, judged)
}

func TestRankModelOfAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "model.json")
	_, err := newRanker(path, "")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "findata.rank_model")
	require.NoError(t, os.WriteFile(path, []byte(`{"version": 1, "kind": "linear", "weights": [{"feature": "stars", "weight": 1}]}`), 0o600))
	_, err = newRanker(path, "")
	require.ErrorIs(t, err, rankmodel.ErrModel)
	require.NoError(t, os.WriteFile(path, []byte(`{"version": 1, "kind": "linear", "weights": [{"feature": "bm25", "weight": 1}]}`), 0o600))
	_, err = newRanker(path, "")
	require.NoError(t, err)
}
