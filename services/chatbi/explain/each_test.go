package explain

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachPieceIsDoneOnce, whichever worker does it, and by workers that are numbered.
func TestEachPieceIsDoneOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 1000} {
		done := make([]atomic.Int32, n)
		each(n, func(worker, piece int) {
			if worker < workers(n) {
				done[piece].Add(1)
			}
		})
		for i := range done {
			require.EqualValues(t, 1, done[i].Load())
		}
	}
	require.Equal(t, 1, workers(0))
	require.LessOrEqual(t, workers(1000), mostWorkers)
}

// TestOrderOfValuesThatAreAlmostEqual: whatever digits values differ in, they are in order,
// and equal ones as they come.
func TestOrderOfValuesThatAreAlmostEqual(t *testing.T) {
	t.Parallel()
	r := random(1, 5)
	for name, value := range map[string]func(i int) float64{
		"apart":           func(int) float64 { return r.Float64() - 0.5 },
		"in the last bit": func(int) float64 { return math.Float64frombits(math.Float64bits(1) + r.Uint64N(1<<20)) },
		"few":             func(int) float64 { return float64(r.IntN(3)) - 1 },
		"some are near":   func(i int) float64 { return float64(i/2) + 1e-9*float64(1-i%2) },
	} {
		x := make([]float64, 3000)
		want := make([]int32, len(x))
		for i := range x {
			x[i], want[i] = value(i), int32(i) //nolint:gosec // few
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
		require.Equal(t, want, ordered(x), name)
	}
	require.Empty(t, ordered(nil))
}

// TestRepeatedKeys are found where each set of keys has a place of its own, and where there
// are more than could have.
func TestRepeatedKeys(t *testing.T) {
	t.Parallel()
	for _, dimensions := range []int{1, 4} { // 40 sets of keys, and 40 to the fourth
		c := cube{amount: make([]Amount, 41), keys: make([][]int32, dimensions), values: make([][]string, dimensions)}
		for d := range c.keys {
			c.values[d] = make([]string, 40)
			for i := range c.amount {
				c.keys[d] = append(c.keys[d], int32(i%40)) //nolint:gosec // few
			}
		}
		require.Equal(t, 40, c.repeated(), "%d dimensions", dimensions)
		c.keys[0][40] = 1
		want := -1
		if dimensions == 1 {
			want = 40
		}
		require.Equal(t, want, c.repeated(), "%d dimensions", dimensions)
	}
}
