package reader

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersThatAreComputed: they are exact, without an exponent and without zeros at the
// end, however large or small.
func TestNumbersThatAreComputed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number string
		factor float64
		want   string
	}{
		{"30", 60, "1800"}, {"1.5", 60, "90"}, {"500", 0.001, "0.5"}, {"1", 0.01, "0.01"}, {"12.50", 0.01, "0.125"}, {"0", 3600, "0"}, {"10", 1, "10"}, {"100", 10, "1000"},
		{"2.5", 1e12, "2500000000000"}, {"-3", 0.5, "-1.5"}, {"x", 2, "x"},
	} {
		require.Equal(t, c.want, times(c.number, c.factor), "%s times %v", c.number, c.factor)
	}
	for unit, want := range map[string]string{"百": "350", "千": "3500", "万": "35000", "亿": "350000000"} {
		got, ok := scale("3.5", unit)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, c := range [][2]string{{"3.5", "个"}, {"x", "万"}} {
		_, ok := scale(c[0], c[1])
		require.False(t, ok, c)
	}
	require.Equal(t, "0.333333333", decimal(big.NewRat(1, 3)))
	require.Equal(t, "2.5", decimal(big.NewRat(5, 2)))
	require.Equal(t, "100", decimal(big.NewRat(100, 1)))
}
