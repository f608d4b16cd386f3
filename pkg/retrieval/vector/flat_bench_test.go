package vector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// BenchmarkFlat is one search among 50,000 vectors for the best 200.
func BenchmarkFlat(b *testing.B) {
	for _, dim := range []int{128, 256} {
		b.Run(fmt.Sprintf("%ddims", dim), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			set := vector.Set{Dim: dim, Data: make([]float32, 50_000*dim)}
			for i := range set.Data {
				set.Data[i] = float32(random.NormFloat64())
			}
			x, err := vector.NewFlat(vector.FlatConfig{}, set)
			require.NoError(b, err)
			question := make([]float32, dim)
			for i := range question {
				question[i] = float32(random.NormFloat64())
			}
			b.ResetTimer()
			for b.Loop() {
				hits, err := x.Search(b.Context(), vector.Query{Vector: question, Limit: 200})
				require.NoError(b, err)
				require.Len(b, hits, 200)
			}
		})
	}
}
