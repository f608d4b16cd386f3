package fuse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/fuse"
)

func TestRanked(t *testing.T) {
	t.Parallel()
	results := fuse.Ranked([]fuse.List{
		{Weights: fuse.Weights{Weight: 1, K: 60}, Entries: []fuse.Entry{{1, 0.2}, {2, 0.9}, {3, 0.1}}},
		{Weights: fuse.Weights{Weight: 2, K: 10}, Entries: []fuse.Entry{{3, 5}, {4, 5}}},
		{Weights: fuse.Weights{}, Entries: []fuse.Entry{{9, 1}}},
	})
	require.Len(t, results, 4)
	require.Equal(t, 3, results[0].Doc)
	require.InDelta(t, 1.0/63+2.0/11, results[0].Score, 1e-12)
	require.Equal(t, 4, results[1].Doc, "equal values share the rank")
	require.InDelta(t, 2.0/11, results[1].Score, 1e-12)
	require.Equal(t, 2, results[2].Doc)
	require.InDelta(t, 1.0/61, results[2].Score, 1e-12)
}

func TestTiesAreStable(t *testing.T) {
	t.Parallel()
	results := fuse.Ranked([]fuse.List{{Weights: fuse.Weights{Weight: 1, K: 1}, Entries: []fuse.Entry{{7, 1}, {3, 1}, {5, 1}}}})
	require.Equal(t, []int{3, 5, 7}, []int{results[0].Doc, results[1].Doc, results[2].Doc})
	require.Empty(t, fuse.Ranked(nil))
}
