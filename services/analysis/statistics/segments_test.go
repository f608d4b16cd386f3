package statistics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/statistics"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

// blobs are points around centres, size of each, in turn.
func blobs(random *rand.Rand, size int, noise float64, centres ...[]float64) [][]float64 {
	var out [][]float64
	for range size {
		for _, c := range centres {
			p := make([]float64, len(c))
			for j := range c {
				p[j] = c[j] + noise*random.NormFloat64()
			}
			out = append(out, p)
		}
	}
	return out
}

// TestSegmentsThatAreThereAreFound: their number, who belongs together, and what each has
// more and less of, on scales that have nothing to do with each other.
func TestSegmentsThatAreThereAreFound(t *testing.T) {
	t.Parallel()
	centres := [][]float64{{9000, 1, 5}, {5000, 8, 5}, {1000, 1, 5}}
	rows := blobs(source(1), 40, .4, centres...)
	for i := range rows {
		rows[i][0] += 300 * source(uint64(i)).NormFloat64()
		rows[i][2] = 5 // no row differs in it
	}
	s, err := statistics.Segment(rows, source(2))
	require.NoError(t, err)
	require.Equal(t, 3, s.Count)
	for i, of := range s.Of {
		require.Equal(t, i%3, of, "row %d: the highest first column is segment 0", i)
	}
	require.Greater(t, s.Silhouette, .6)
	require.Greater(t, s.Silhouette, s.Chance)
	require.Greater(t, s.Scores[0][0], 1.)
	require.Less(t, s.Scores[0][1], -.5)
	require.Greater(t, s.Scores[1][1], 1.)
	require.Less(t, s.Scores[2][0], -1.)
	require.Zero(t, s.Scores[1][2])
	again, err := statistics.Segment(rows, source(99))
	require.NoError(t, err)
	require.Equal(t, s.Of, again.Of, "another seed finds and numbers the same")
}

// TestFewWithMostOfItAreASegmentByTheLogarithm: sizes of shops span orders of magnitude.
func TestFewWithMostOfItAreASegmentByTheLogarithm(t *testing.T) {
	t.Parallel()
	random := source(3)
	var rows [][]float64
	for i := range 120 {
		level := 3.
		if i%6 == 0 {
			level = 9
		}
		rows = append(rows, []float64{math.Exp(level + .3*random.NormFloat64()), math.Exp(level/2 + .2*random.NormFloat64())})
	}
	s, err := statistics.Segment(rows, source(4))
	require.NoError(t, err)
	require.Equal(t, 2, s.Count)
	require.True(t, s.Logs[0])
	for i, of := range s.Of {
		require.Equal(t, i%6 != 0, of == 1, "row %d", i)
	}
}

// TestRandomRowsHaveNoSegments: whatever one distribution they are drawn from, however many
// columns, and where columns go together.
func TestRandomRowsHaveNoSegments(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*rand.Rand) []float64{
		"even":       func(r *rand.Rand) []float64 { return []float64{r.Float64(), r.Float64()} },
		"one column": func(r *rand.Rand) []float64 { return []float64{r.Float64()} },
		"normal":     func(r *rand.Rand) []float64 { return []float64{r.NormFloat64(), 5 * r.NormFloat64(), r.NormFloat64()} },
		"correlated": func(r *rand.Rand) []float64 {
			x := r.NormFloat64()
			return []float64{x, 10*x + r.NormFloat64(), x + .5*r.NormFloat64()}
		},
		"skewed": func(r *rand.Rand) []float64 {
			return []float64{math.Exp(1.5 * r.NormFloat64()), math.Exp(r.NormFloat64())}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(6) {
				random := source(seed)
				rows := make([][]float64, 150)
				for i := range rows {
					rows[i] = draw(random)
				}
				s, err := statistics.Segment(rows, random)
				require.NoError(t, err)
				require.Zero(t, s.Count, "seed %d: %.3f over %.3f", seed, s.Silhouette, s.Chance)
				require.Nil(t, s.Of)
			}
		})
	}
}

func TestRowsThatCannotBeDividedAreTold(t *testing.T) {
	t.Parallel()
	_, err := statistics.Segment(blobs(source(1), statistics.MinRows-1, 1, []float64{0}), source(1))
	few := (*statistics.TooFewError)(nil)
	require.ErrorAs(t, err, &few)
	require.Equal(t, statistics.MinRows-1, few.Have)
	_, err = statistics.Segment(make([][]float64, statistics.MaxRows+1), source(1))
	require.ErrorAs(t, err, new(*statistics.TooManyError))
	_, err = statistics.Segment(blobs(source(1), statistics.MinRows, 0, []float64{3, 4}), source(1))
	constant := (*statistics.ConstantError)(nil)
	require.ErrorAs(t, err, &constant)
}
