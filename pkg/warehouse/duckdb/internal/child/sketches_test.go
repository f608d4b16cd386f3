package child

import (
	"database/sql/driver"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
)

// list is the driver's value of a list.
func list(values ...any) []any { return values }

// TestPercentilesOfLists: exact where there are few, with weights, and in words where
// Presto fails.
func TestPercentilesOfLists(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		numbers, weights, quantiles any
		want                        any
		says                        string
	}{
		"one":                 {list(3.0), list(), list(0.5), list(3.0), ""},
		"the ends":            {list(3.0, 1.0, 2.0), list(), list(0.0, 1.0, 0.5), list(1.0, 3.0, 2.0), ""},
		"weights":             {list(1.0, 9.0), list(1.0, 9.0), list(1.0, 0.0), list(9.0, 1.0), ""},
		"no numbers":          {list(), list(), list(0.5), nil, ""},
		"no list":             {nil, nil, list(0.5), nil, ""},
		"weights of others":   {list(1.0, 2.0), list(1.0), list(0.5), nil, ""},
		"no quantiles":        {list(1.0), list(), list(), []any{}, ""},
		"a weight of nothing": {list(1.0), list(0.0), list(0.5), nil, "PRESTO INVALID_FUNCTION_ARGUMENT: weights of approx_percentile must be over 0"},
		"a weight below":      {list(1.0), list(-1.0), list(0.5), nil, "weights of approx_percentile"},
		"a quantile below":    {list(1.0), list(), list(0.5, -0.1), nil, "PRESTO INVALID_FUNCTION_ARGUMENT: a percentage must be from 0 to 1"},
		"a quantile above":    {list(1.0), list(), list(1.1), nil, "a percentage must be from 0 to 1"},
		"not a number":        {list(math.NaN()), list(), list(0.5), nil, "PRESTO INVALID_FUNCTION_ARGUMENT: approx_percentile needs finite numbers"},
		"without end":         {list(1.0, math.Inf(-1)), list(), list(0.5), nil, "needs finite numbers"},
		"a null":              {list(1.0, nil), list(), list(0.5), nil, "PRESTO GENERIC_INTERNAL_ERROR: approx_percentile of something else"},
		"a text":              {list("a"), list(), list(0.5), nil, "of something else"},
	} {
		for _, few := range []bool{false, true} {
			got, err := percentiles(t.Context(), []driver.Value{tc.numbers, tc.weights, tc.quantiles}, few)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says, name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, tc.want, got, name)
		}
	}
	var many []any
	for i := range 100_000 {
		many = append(many, float64(i))
	}
	got, err := percentiles(t.Context(), []driver.Value{many, list(), list(0.5)}, false)
	require.NoError(t, err)
	require.InDelta(t, 50_000, got.([]any)[0], 2_000)
	_, err = percentiles(t.Context(), []driver.Value{many, list(), list(0.5)}, true)
	require.ErrorContains(t, err, "PRESTO NOT_SUPPORTED: approx_percentile over many rows")
}

// TestDistinctOfLists leaves nulls aside and takes as many registers as it is told.
func TestDistinctOfLists(t *testing.T) {
	t.Parallel()
	of := distinct(sketch.HashInteger)
	for name, tc := range map[string]struct {
		args []driver.Value
		want int64
	}{
		"nothing":      {[]driver.Value{list(), int64(11)}, 0},
		"nulls":        {[]driver.Value{list(nil, nil), int64(11)}, 0},
		"one twice":    {[]driver.Value{list(int64(7), nil, int64(7)), int64(4)}, 1},
		"three of six": {[]driver.Value{list(int64(1), int64(2), int64(3), int64(1), int64(2), int64(3)), int64(16)}, 3},
	} {
		got, err := of(t.Context(), tc.args)
		require.NoError(t, err, name)
		require.EqualValues(t, tc.want, got, name)
	}
	var hashes []uint64
	var many []any
	for i := range int64(5000) {
		many, hashes = append(many, i), append(hashes, sketch.HashInteger(i))
	}
	for _, bits := range []int64{4, 11, 16} {
		got, err := of(t.Context(), []driver.Value{many, bits})
		require.NoError(t, err)
		require.EqualValues(t, sketch.Distinct(hashes, int(bits)), got, bits)
	}
	for _, args := range [][]driver.Value{{list(), int64(3)}, {list(), int64(17)}, {list(), "11"}, {"", int64(11)}, {nil, int64(11)}} {
		_, err := of(t.Context(), args)
		require.ErrorContains(t, err, "PRESTO GENERIC_INTERNAL_ERROR: approx_distinct of something else", args)
	}
}

// TestChecksumsOfLists do not depend on the order, and a null counts.
func TestChecksumsOfLists(t *testing.T) {
	t.Parallel()
	of := checksum(sketch.HashInteger)
	sum := func(values ...any) uint64 {
		got, err := of(t.Context(), []driver.Value{values})
		require.NoError(t, err)
		require.Len(t, got, 8)
		return binary.LittleEndian.Uint64(got.([]byte))
	}
	prime := uint64(checksumPrime)
	require.Zero(t, sum())
	require.Equal(t, prime, sum(nil))
	require.Equal(t, sketch.HashInteger(5)*prime, sum(int64(5)))
	require.Equal(t, sum(int64(1), int64(2), nil), sum(nil, int64(2), int64(1)))
	require.Equal(t, sum(int64(1))+sum(int64(2))+2*prime, sum(int64(1), nil, int64(2), nil))
	_, err := of(t.Context(), []driver.Value{"no list"})
	require.ErrorContains(t, err, "PRESTO GENERIC_INTERNAL_ERROR: checksum of something else")
}

// TestHistogramsOfLists gives the value and the weight of each bucket in turn.
func TestHistogramsOfLists(t *testing.T) {
	t.Parallel()
	got, err := histogram(t.Context(), []driver.Value{int64(2), list(1.0, 1.0, 9.0), list(1.0, 1.0, 1.0)})
	require.NoError(t, err)
	require.Equal(t, list(1.0, 2.0, 9.0, 1.0), got)
	got, err = histogram(t.Context(), []driver.Value{int64(maxBuckets), list(1.0, 9.0), list(3.0, 5.0)})
	require.NoError(t, err)
	require.Equal(t, list(1.0, 3.0, 9.0, 5.0), got)
	got, err = histogram(t.Context(), []driver.Value{int64(2), list(), list()})
	require.NoError(t, err)
	require.Equal(t, []any{}, got)
	got, err = histogram(t.Context(), []driver.Value{int64(2), list(1.0, 2.0, 10.0), list(1.0, 1.0, 1.0)})
	require.NoError(t, err)
	require.Equal(t, list(1.5, 2.0, 10.0, 1.0), got, "the nearest two are one")
	_, err = histogram(t.Context(), []driver.Value{int64(2), list(1.0), list()})
	require.ErrorContains(t, err, "PRESTO GENERIC_INTERNAL_ERROR: numeric_histogram of values without weights")
	for _, buckets := range []any{int64(1), int64(maxBuckets + 1), int64(-1), "2", nil} {
		_, err := histogram(t.Context(), []driver.Value{buckets, list(1.0), list()})
		require.ErrorContains(t, err, "PRESTO INVALID_FUNCTION_ARGUMENT: numeric_histogram must have from 2 to 10000 buckets", buckets)
	}
	for _, value := range []any{nil, "a", math.NaN(), math.Inf(1)} {
		for _, args := range [][]driver.Value{{int64(2), list(1.0, value), list(1.0, 1.0)}, {int64(2), list(1.0), list(value)}} {
			_, err := histogram(t.Context(), args)
			require.ErrorContains(t, err, "PRESTO NOT_SUPPORTED: numeric_histogram of other than finite numbers", value)
		}
	}
}
