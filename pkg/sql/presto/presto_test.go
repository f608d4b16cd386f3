package presto

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Most of this package is held by the answers of a Trino server that
// pkg/sql/transpile/duckdb keeps; here is what statements do not reach well.

func TestDoubleText(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0E0", 1: "1.0E0", 0.1: "1.0E-1", 1e7: "1.0E7", 123456.789: "1.23456789E5", 1e23: "9.999999999999999E22", 1e100: "1.0E100",
		5e-324: "4.9E-324", 2e-323: "2.0E-323", math.MaxFloat64: "1.7976931348623157E308", -2.5: "-2.5E0", 9007199254740993: "9.007199254740992E15",
		math.Inf(-1): "-Infinity", 2.2250738585072014e-308: "2.2250738585072014E-308",
	} {
		require.Equal(t, want, DoubleText(x))
	}
	require.Equal(t, "NaN", DoubleText(math.NaN()))
	require.Equal(t, "-0E0", DoubleText(math.Copysign(0, -1)))
}

func TestInstant(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		v, err := time.Parse(time.DateTime, text)
		require.NoError(t, err)
		return v
	}
	for _, tc := range []struct {
		zone, local, want string
		exact             bool
	}{
		{"America/New_York", "2024-01-15 12:00:00", "2024-01-15 17:00:00", true},
		{"America/New_York", "2024-03-10 02:30:00", "2024-03-10 07:30:00", false}, // skipped by the clock
		{"America/New_York", "2024-11-03 01:30:00", "2024-11-03 05:30:00", true},  // twice: the earlier one
		{"+05:30", "2024-01-01 00:00:00", "2023-12-31 18:30:00", true},
		{"UTC", "2024-01-01 00:00:00", "2024-01-01 00:00:00", true},
	} {
		got, exact, err := Instant(at(tc.local), tc.zone)
		require.NoError(t, err)
		require.Equal(t, tc.want, got.UTC().Format(time.DateTime), tc.zone)
		require.Equal(t, tc.exact, exact, tc.zone)
	}
	_, _, err := Instant(at("2024-01-01 00:00:00"), "Nowhere/X")
	require.Error(t, err)
}

// Functions have names of their own, and whatever they are given they fail with an
// Error or give a value of their kind.
func TestFunctionsOfOddValues(t *testing.T) {
	t.Parallel()
	odd := map[Kind][]any{
		Text:      {"", "x", "-1", "2024-02-29", "%Y %", "[", "{\"a\":[1]}", "\u00e9\U0001F600", "99999999999999999999", "1e400"},
		Bytes:     {[]byte{}, []byte{0xff, 0xe2, 0x82}},
		Bigint:    {int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)},
		Double:    {0.0, math.NaN(), math.Inf(1), -math.MaxFloat64, 5e-324},
		Real:      {float32(0), float32(math.NaN())},
		Boolean:   {true, false},
		Timestamp: {time.Unix(0, 0).UTC(), time.Date(-200_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		Texts:     {[]string{}, []string{"a", ""}},
	}
	seen := map[string]bool{}
	require.NotEmpty(t, Functions())
	for _, f := range Functions() {
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		for i := range 40 {
			args := make([]any, len(f.Args))
			for j, k := range f.Args {
				args[j] = odd[k][(i+3*j)%len(odd[k])]
			}
			if len(args) > 1 && f.Args[0] == Texts && f.Args[1] == Texts { // keys and values: as many by what writes the call
				args[1] = args[0]
			}
			_, err := f.Call(args)
			var own *Error
			if err != nil {
				require.True(t, errors.As(err, &own), "%s: %v", f.Name, err)
				require.NotEqual(t, InternalError, own.Name, "%s %v: %v", f.Name, args, err)
			}
		}
	}
}
