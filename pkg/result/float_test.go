package result

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloatsAreThoseOfNumbers: the fast reading of a number is the exact one's nearest
// double, and there where that is there.
func TestFloatsAreThoseOfNumbers(t *testing.T) {
	t.Parallel()
	values := []any{
		nil, int64(0), int64(math.MaxInt64), 0.1, -2.5e300, math.NaN(), math.Inf(1), math.Inf(-1), float64(float32(0.1)),
		"12.50", "-0.30", "99999999999999999999.01", "1e5", "0x10", "1_000", "1/3", "inf", "-Infinity", "NaN", "nan", "", " 1", "1,5", "+7", ".5", "5.", "x", true, []any{int64(1)},
	}
	for _, kind := range []string{"bigint", "double", "real", "decimal(38,2)", "varchar", "boolean"} {
		column := Column{Name: "c", Type: kind}
		for _, v := range values {
			exact, ok := NumberOf(v, column)
			fast, fastOK := FloatOf(v, column)
			require.Equal(t, ok, fastOK, "%v as %s", v, kind)
			if ok {
				require.InDelta(t, exact.Float64(), fast, 0, "%v as %s", v, kind)
			}
		}
	}
}
