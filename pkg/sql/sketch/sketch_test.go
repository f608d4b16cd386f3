package sketch_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
)

// TestDistinct holds what a Trino server says of 1 .. n.
func TestDistinct(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][3]int64{ // as bigint, varchar, double
		1: {1, 1, 1}, 249: {249, 249, 249}, 252: {247, 251, 0}, 297: {295, 299, 0}, 1000: {1008, 1019, 1014},
	} {
		var integers, texts, doubles []uint64
		for i := 1; i <= n; i++ {
			integers = append(integers, sketch.HashInteger(int64(i)))
			texts = append(texts, sketch.HashBytes([]byte(strconv.Itoa(i))))
			doubles = append(doubles, sketch.HashDouble(float64(i)))
		}
		require.Equal(t, want[0], sketch.Distinct(integers, 11), "%d integers", n)
		require.Equal(t, want[1], sketch.Distinct(texts, 11), "%d texts", n)
		if want[2] != 0 {
			require.Equal(t, want[2], sketch.Distinct(doubles, 11), "%d doubles", n)
		}
		require.Equal(t, int64(n), sketch.Distinct(integers, 14), "a smaller error: %d", n)
	}
	require.Zero(t, sketch.Distinct(nil, 11))
}

func TestRegisterBits(t *testing.T) {
	t.Parallel()
	for standardError, want := range map[float64]int{sketch.DefaultError: 11, 0.01: 14, sketch.MaxError: 4, sketch.MinError: 16} {
		p, ok := sketch.RegisterBits(standardError)
		require.True(t, ok)
		require.Equal(t, want, p, "%v", standardError)
	}
	for _, bad := range []float64{0.004, 0.3, -1} {
		_, ok := sketch.RegisterBits(bad)
		require.False(t, ok)
	}
}

// TestPercentiles holds what a Trino server says of 1 .. n.
func TestPercentiles(t *testing.T) {
	t.Parallel()
	quantiles := []float64{0.5, 0.33}
	for n, want := range map[int][]float64{
		1: {1, 1}, 20: {11, 7}, 38: {20, 13}, 40: {20.5, 14}, 60: {30.5, 20.3}, 76: {38.5, 25.58}, 100: {50.5, 33.5}, 1000: {500.5, 330.5},
	} {
		numbers := make([]float64, n)
		for i := range numbers {
			numbers[i] = float64(i + 1)
		}
		values, all := sketch.Percentiles(numbers, nil, quantiles)
		require.InDeltaSlice(t, want, values, 1e-9, "%d", n)
		require.Equal(t, n <= 38, all, "%d", n)
	}
	values, _ := sketch.Percentiles([]float64{1, 2, 3}, []float64{1, 5, 1}, []float64{0.5})
	require.Equal(t, []float64{2}, values)
	values, _ = sketch.Percentiles([]float64{10, 1}, nil, []float64{0, 1})
	require.Equal(t, []float64{1, 10}, values)
}

// TestHistogram holds what a Trino server says.
func TestHistogram(t *testing.T) {
	t.Parallel()
	ones := []float64{1, 1, 1, 1, 1}
	require.Equal(t, []sketch.Bucket{{1.5, 2}, {3, 1}, {10.5, 2}}, sketch.Histogram([]float64{1, 2, 3, 10, 11}, ones, 3))
	require.Equal(t, []sketch.Bucket{{1.5, 2}, {3.5, 2}}, sketch.Histogram([]float64{1, 2, 3, 4}, ones[:4], 2))
	require.Equal(t, []sketch.Bucket{{1, 5}}, sketch.Histogram([]float64{1, 1, 1, 1, 1}, ones, 2))
}
