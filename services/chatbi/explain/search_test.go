package explain

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrderOfValues: a radix sort gives what a stable sort by value does.
func TestOrderOfValues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		x := make([]float64, n)
		for i := range x {
			x[i] = []float64{
				math.Copysign(0, -1), 0, math.Inf(1), math.Inf(-1), -1, r.NormFloat64(), math.SmallestNonzeroFloat64, r.ExpFloat64() * 1e300, float64(r.IntN(3)),
			}[r.IntN(9)]
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
		require.Equal(t, want, ordered(x), "%v", x)
	}
}

// TestLowestParts: selection gives what a sorted list has at the place.
func TestLowestParts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	require.Zero(t, lowest(nil, 0.5))
	for n := 1; n < 100; n++ {
		for _, q := range []float64{0, 0.25, 0.4, 0.5, 1} {
			x := make([]float64, n)
			weights := make([]weighted, n)
			for i := range x {
				x[i] = float64(r.IntN(1 + n/(1+r.IntN(5))))
				weights[i] = weighted{x[i], 1}
			}
			require.Equal(t, quantile(weights, q), lowest(x, q), "%v of %v", q, x) //nolint:testifylint // the same number
		}
	}
}

// TestWhatIsKeptBetweenRounds: after each round what a grouping keeps of its elements is
// what its cells that are left give.
func TestWhatIsKeptBetweenRounds(t *testing.T) {
	t.Parallel()
	rounds := 0
	for seed := range uint64(6) {
		g := business()
		g.causes = [2]int{2, 2}
		in, _ := g.generate(seed)
		s, err := newSearch(t.Context(), newTable(in.Kind, cubeOf(in.Dimensions, in.Cells), false, 0))
		require.NoError(t, err)
		for {
			f, ok, err := s.next(t.Context())
			require.NoError(t, err)
			for _, c := range s.cuboids {
				s.refresh(c, s.scratch[0])
				cells := make([][]int32, len(c.elements))
				if len(c.elements) == 0 {
					for r := range s.cell {
						require.LessOrEqual(t, s.vote(int32(r), s.deviation[r]), c.penalty) //nolint:gosec // few
					}
					continue
				}
				for _, r := range s.left {
					cells[c.number(r)] = append(cells[c.number(r)], r)
				}
				for i, of := range cells {
					e := c.elements[i]
					require.EqualValues(t, len(of), e.left)
					if len(of) == 0 {
						require.True(t, math.IsNaN(e.typical))
						continue
					}
					var x []weighted
					up, down, gain := 0.0, 0.0, 0.0
					for _, r := range of {
						x = append(x, weighted{s.deviation[r], s.weight[r]})
						up, down = up+s.up[r], down+s.down[r]
						gain += s.vote(r, e.typical)
					}
					require.InDelta(t, quantile(x, 0.5*(1-rounding)), e.typical, 0)
					require.InDelta(t, up, e.up, 1e-6)
					require.InDelta(t, down, e.down, 1e-6)
					switch {
					case e.typical >= s.nearest:
						require.LessOrEqual(t, gain, up+1e-6, "no typical deviation gives more than the most")
					case e.typical <= -s.nearest:
						require.LessOrEqual(t, gain, down+1e-6, "no typical deviation gives more than the most")
					}
					if !math.IsNaN(e.gain) {
						require.InDelta(t, gain, e.gain, 1e-6)
					}
				}
			}
			if !ok {
				break
			}
			rounds++
			s.take(f)
		}
	}
	require.Greater(t, rounds, 6)
}
