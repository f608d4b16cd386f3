package vector_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

func flat(tb testing.TB, workers int, set vector.Set) *vector.Flat {
	tb.Helper()
	x, err := vector.NewFlat(vector.FlatConfig{Workers: workers}, set)
	require.NoError(tb, err)
	return x
}

// The scan agrees with sorting all documents, for any number of workers, filter,
// threshold and limit.
func TestFlatIsExact(t *testing.T) {
	t.Parallel()
	const documents, dim = 9000, 7
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]float32, documents*dim)
	for i := range data {
		data[i] = float32(random.IntN(5) - 2) // few values: many ties, some zero vectors
	}
	labels := make([]lexical.Labels, documents)
	for n := range labels {
		labels[n] = lexical.Labels{Region: []string{"SG", "US"}[n%2], Schema: fmt.Sprint("s", n%5)}
	}
	question := []float32{1, 2, -1, 0, 3, 0.5, -2}
	all := ranking(t, vector.Set{Dim: dim, Data: data}, question)
	for _, tc := range []struct {
		name  string
		query vector.Query
	}{
		{"all", vector.Query{Limit: documents}},
		{"ten", vector.Query{Limit: 10}},
		{"filter", vector.Query{Limit: 50, Filter: lexical.Filter{Regions: []string{"sg"}, Schemas: []string{"S3", "s0"}}}},
		{"nothing passes", vector.Query{Limit: 50, Filter: lexical.Filter{Marts: []string{"order"}}}},
		{"keep", vector.Query{Limit: 50, Keep: func(n int) bool { return n%97 == 0 }}},
		{"threshold", vector.Query{Limit: documents, MaxDistance: 0.8}},
	} {
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(tc.name, workers), func(t *testing.T) {
				t.Parallel()
				q := tc.query
				q.Vector = question
				set := vector.Set{Dim: dim, Data: slices.Clone(data), Labels: labels}
				hits, err := flat(t, workers, set).Search(t.Context(), q)
				require.NoError(t, err)
				require.True(t, slices.Equal(chosen(all, labels, q), hits))
			})
		}
	}
}

// ranking is the order of all documents that have a direction, each score worked
// out alone and in float64 to within rounding.
func ranking(t *testing.T, set vector.Set, question []float32) []vector.Hit {
	t.Helper()
	var hits []vector.Hit
	for n := range set.Len() {
		alone := vector.Set{Dim: set.Dim, Data: slices.Clone(set.Row(n))}
		found, err := flat(t, 1, alone).Search(t.Context(), vector.Query{Vector: question, Limit: 1})
		require.NoError(t, err)
		if len(found) == 0 {
			require.NotContains(t, set.Row(n), float32(1))
			continue
		}
		var dot, a, b float64
		for i, v := range set.Row(n) {
			dot, a, b = dot+float64(v*question[i]), a+float64(v*v), b+float64(question[i]*question[i])
		}
		require.InDelta(t, dot/math.Sqrt(a*b), found[0].Score, 1e-5)
		hits = append(hits, vector.Hit{Doc: n, Score: found[0].Score})
	}
	slices.SortFunc(hits, vector.Compare)
	return hits
}

// chosen is what a query leaves of the ranking.
func chosen(all []vector.Hit, labels []lexical.Labels, q vector.Query) []vector.Hit {
	var hits []vector.Hit
	for _, h := range all {
		near := q.MaxDistance == 0 || h.Distance() <= q.MaxDistance
		if near && q.Filter.Accepts(labels[h.Doc]) && (q.Keep == nil || q.Keep(h.Doc)) {
			hits = append(hits, h)
		}
	}
	return hits[:min(len(hits), q.Limit)]
}

func TestFlatRefuses(t *testing.T) {
	t.Parallel()
	for _, set := range []vector.Set{
		{},
		{Dim: 2, Data: []float32{1}},
		{Dim: 1, Data: []float32{1}, Labels: make([]lexical.Labels, 2)},
		{Dim: 1, Data: []float32{float32(math.NaN())}},
		{Dim: 1, Data: []float32{float32(math.Inf(1))}},
	} {
		_, err := vector.NewFlat(vector.FlatConfig{}, set)
		require.Error(t, err)
	}
	x := flat(t, 1, vector.Set{Dim: 2, Data: []float32{1, 0}})
	_, err := x.Search(t.Context(), vector.Query{Vector: []float32{1}, Limit: 1})
	require.ErrorContains(t, err, "1 dimensions, the index 2")
}

func TestFlatFindsNothingForNothing(t *testing.T) {
	t.Parallel()
	x := flat(t, 1, vector.Set{Dim: 2, Data: []float32{1, 0, 0, 0}})
	for _, q := range []vector.Query{
		{Vector: []float32{0, 0}, Limit: 5},
		{Vector: []float32{float32(math.NaN()), 0}, Limit: 5},
		{Vector: []float32{1, 0}},
	} {
		hits, err := x.Search(t.Context(), q)
		require.NoError(t, err)
		require.Empty(t, hits)
	}
	hits, err := x.Search(t.Context(), vector.Query{Vector: []float32{3, 0}, Limit: 5})
	require.NoError(t, err)
	require.Equal(t, []vector.Hit{{Doc: 0, Score: 1}}, hits)
	require.InDelta(t, 0, hits[0].Distance(), 1e-9)
}

func TestFlatStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := flat(t, 2, vector.Set{Dim: 1, Data: slices.Repeat([]float32{1}, 10_000)})
	_, err := x.Search(ctx, vector.Query{Vector: []float32{1}, Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
}

func TestThresholdsAreOnTheScaleOfTheEmbedder(t *testing.T) {
	t.Parallel()
	c := vector.Calibration{Metric: "L2", MaxDistance: 1.2}
	require.InDelta(t, 1.2, c.Distance(vector.FullScale), 1e-9)
	require.InDelta(t, 1.0, c.Distance(500), 1e-9)
	require.Zero(t, c.Distance(0))
	require.Zero(t, vector.Calibration{Metric: "L2"}.Distance(600))
}
