package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogistic(t *testing.T) {
	t.Parallel()
	of := rand.New(rand.NewPCG(1, 2))
	var x [][]float64
	var y []bool
	for range 4000 {
		a, b := of.NormFloat64(), 10*of.NormFloat64()
		x = append(x, []float64{a, b, 7})
		y = append(y, of.Float64() < 1/(1+math.Exp(-(0.5+a-0.2*b))))
	}
	w := logistic(x, y, 0.1)
	require.InDelta(t, 1, w[1], 0.15)
	require.InDelta(t, -0.2, w[2], 0.03)
	require.InDelta(t, 0.5, w[0]+7*w[3], 0.15, "a column that never changes")
	held := logistic(x, y, 1e4)
	require.Less(t, math.Abs(held[1]), w[1]/2, "a ridge holds weights small")
}
