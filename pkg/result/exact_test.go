package result_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
)

// TestWholeNumbersOfEveryType are written whole, with the places that their type
// declares up to two, whatever was done to them before.
func TestWholeNumbersOfEveryType(t *testing.T) {
	t.Parallel()
	of := func(value any, typ string) result.Number {
		n, ok := result.NumberOf(value, result.Column{Type: typ})
		require.True(t, ok)
		return n
	}
	for _, c := range []struct {
		number result.Number
		want   string
	}{
		{of("1234567.000", "decimal(18,3)"), "1,234,567"},
		{of("1234567", "decimal(18,0)"), "1,234,567"},
		{of(1234567.0, "double"), "1,234,567"},
		{of(int64(1234567), "bigint"), "1,234,567"},
		{of("1234567.00", "decimal(18,2)"), "1,234,567.00"},
		{of(int64(10), "bigint").Per(4), "2.5"},
		{of(int64(10), "bigint").Per(5), "2"},
		{of("10.00", "decimal(18,2)").Per(3), "3.33"},
		{of("10.00", "decimal(18,2)").Per(5), "2.00"},
		{of("10", "decimal(18,0)").Per(4), "2.5"},
		{of(10.0, "double").Per(4), "2.5"},
		{of("7.50", "decimal(18,2)").Sub(of(int64(7), "bigint")), "0.50"},
		{of(int64(8), "bigint").Sub(of("7.50", "decimal(18,2)")), "0.50"},
		{of("7.5", "decimal(18,1)").Sub(of("7.25", "decimal(18,2)")), "0.25"},
		{of("7.50", "decimal(18,2)").Sub(of(7.0, "double")), "0.5"},
		{of(8.0, "double").Sub(of("7.50", "decimal(18,2)")), "0.5"},
		{of("-7.50", "decimal(18,2)").Abs(), "7.50"},
	} {
		require.Equal(t, c.want, c.number.String())
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		n, ok := result.Float(v)
		require.False(t, ok)
		require.Equal(t, result.Number{}, n)
		require.Empty(t, n.String())
		_, ok = result.NumberOf(v, result.Column{Type: "double"})
		require.False(t, ok)
	}
	for _, text := range []string{"NaN", "Infinity", "1/2", "1e5", "0x10", "1_000", "", "a"} {
		_, ok := result.NumberOf(text, result.Column{Type: "decimal(18,2)"})
		require.False(t, ok, text)
	}
}

// TestColumnsOfTables have the value of each row.
func TestColumnsOfTables(t *testing.T) {
	t.Parallel()
	table := result.Table{Columns: []result.Column{{Name: "a"}, {Name: "b"}}, Rows: [][]any{{1, "x"}, {2, "y"}, {3, "z"}}}
	require.Equal(t, []any{1, 2, 3}, table.Column(0))
	require.Equal(t, []any{"x", "y", "z"}, table.Column(1))
}

// TestDatesAreWholeTexts: a date with something behind it is no date of fewer letters.
func TestDatesAreWholeTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]result.Grain{
		"2026-11-19": result.GrainDay, "2026-11": result.GrainMonth, "20261119": result.GrainDay, "2026/11/19": result.GrainDay,
		" 2026-11-19 ": result.GrainDay, "2026-11-1": result.GrainNone, "2026-11-190": result.GrainNone, "202611": result.GrainNone,
		"2026-13-01": result.GrainNone, "2026-02-30": result.GrainNone, "2026-11-19.5": result.GrainNone, "20261119.5": result.GrainNone,
		"2026-11-19 08:00": result.GrainSecond, "2026-11-19 08:00:00.123": result.GrainSecond, "2026-11-19 08": result.GrainNone,
	} {
		_, grain, ok := result.ParseMoment(text, time.UTC)
		require.Equal(t, want, grain, text)
		require.Equal(t, want != result.GrainNone, ok, text)
	}
}
