package result_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

func TestNumbersInSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		typ   string
		want  string
	}{
		{int64(0), "bigint", "0"},
		{int64(-1234567), "bigint", "-1,234,567"},
		{int64(math.MaxInt64), "bigint", "9,223,372,036,854,775,807"},
		{"12345678901234567890123456789012345678", "decimal(38,0)", "12,345,678,901,234,567,890,123,456,789,012,345,678"},
		{"1234567.80", "decimal(18,2)", "1,234,567.80"},
		{"100.00", "decimal(18,2)", "100.00"},
		{"0.5", "decimal(3,1)", "0.5"},
		{"1234.567891", "decimal(18,6)", "1,234.57"},
		{"12.000000", "decimal(18,6)", "12"},
		{1234567.8900000001, "double", "1,234,567.89"},
		{0.1 + 0.2, "double", "0.3"},
		{999.999, "double", "1,000"},
		{0.012345, "double", "0.0123"},
		{-0.004, "double", "-0.004"},
		{1e-9, "double", "1e-9"},
		{1.5e300, "double", "1.5e300"},
		{123456789012345.0, "double", "123,456,789,012,345"},
		{float64(float32(0.1)), "real", "0.1"},
		{-0.0001, "decimal(18,4)", "-0.0001"},
	} {
		n, ok := result.NumberOf(c.value, result.Column{Type: c.typ})
		require.True(t, ok, c.want)
		require.Equal(t, c.want, n.String())
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, "12a", "1/2", "1e400000000", "", true, math.NaN(), math.Inf(1), []any{int64(1)}} {
		for _, typ := range []string{"decimal(10,2)", "double", "bigint"} {
			_, ok := result.NumberOf(v, result.Column{Type: typ})
			require.False(t, ok, "%v as %s", v, typ)
		}
	}
	_, ok := result.NumberOf("2024", result.Column{Type: "varchar"})
	require.False(t, ok)
}

func TestSumsAreExact(t *testing.T) {
	t.Parallel()
	var numbers []result.Number
	for range 10 {
		n, _ := result.NumberOf(0.1, result.Column{Type: "double"})
		numbers = append(numbers, n)
	}
	sum, ok := result.Sum(numbers)
	require.True(t, ok)
	require.Equal(t, 0, sum.Cmp(result.Int(1)))
	require.Equal(t, "1", sum.String())
	big, _ := result.NumberOf("9007199254740993", result.Column{Type: "decimal(20,0)"})
	require.Equal(t, "9,007,199,254,740,994", big.Sub(result.Int(-1)).String())
	_, ok = result.Sum(nil)
	require.False(t, ok)
	_, ok = big.Ratio(result.Int(0))
	require.False(t, ok)
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for ratio, want := range map[float64]string{
		0: "0%", 0.1234: "12.3%", 0.5: "50%", -0.0499: "-5%", 12.345: "1,234%", 0.00012: "0.012%", 1: "100%",
		2.3456: "234.6%", -9.994: "-999.4%", 0.00099: "0.099%",
		0.000001234: "0.00012%", -0.0000001: "-0.00001%", 1e308: "1e310%", -1.25e13: "-1.2e15%", 1e-8: "0.000001%", 0.9e-8: "0%", -1e-17: "0%",
	} {
		require.Equal(t, want, result.Percent(ratio))
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		grain result.Grain
		en    string
		zh    string
	}{
		{"2026-11-19", result.GrainDay, "19 Nov 2026", "2026年11月19日"},
		{"20261119", result.GrainDay, "19 Nov 2026", "2026年11月19日"},
		{"2026-11", result.GrainMonth, "Nov 2026", "2026年11月"},
		{"2026-11-19 08:30:00.000", result.GrainSecond, "19 Nov 2026 08:30", "2026年11月19日 08:30"},
		{"2026-11-19 08:30:05 UTC", result.GrainSecond, "19 Nov 2026 08:30:05", "2026年11月19日 08:30:05"},
		{"2026-11-19T08:30:00Z", result.GrainSecond, "19 Nov 2026 08:30", "2026年11月19日 08:30"},
		{"2026-11-19 08:30:00.000 +08:00", result.GrainSecond, "19 Nov 2026 08:30", "2026年11月19日 08:30"},
	} {
		at, grain, ok := result.ParseMoment(c.text, time.UTC)
		require.True(t, ok, c.text)
		require.Equal(t, c.grain, grain, c.text)
		require.Equal(t, c.en, result.FormatMoment(at, grain, lang.English))
		require.Equal(t, c.zh, result.FormatMoment(at, grain, lang.Chinese))
	}
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, "Q4 2026", result.FormatMoment(day, result.GrainQuarter, lang.English))
	require.Equal(t, "2026年第4季度", result.FormatMoment(day, result.GrainQuarter, lang.Chinese))
	for _, text := range []string{"", "2026", "2026-13-01", "hello world", "2026-11-19 25:00:00", "12345678901234567890", "2026-11-19 08:30:00 Nowhere/City"} {
		_, _, ok := result.ParseMoment(text, time.UTC)
		require.False(t, ok, text)
	}
}

// TestNestedValuesWithoutAnEndAreTold: JSON has no NaN and no infinity, and a list that
// holds one is no missing value.
func TestNestedValuesWithoutAnEndAreTold(t *testing.T) {
	t.Parallel()
	text, ok := result.Text([]any{math.NaN(), 1.5, map[string]any{"a": []any{math.Inf(-1), nil}}}, result.Column{Type: "array(double)"})
	require.True(t, ok)
	require.Equal(t, `["NaN",1.5,{"a":["-Infinity",null]}]`, text)
}

func TestOnePercentagePoint(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"1": "1 percentage point", "+1": "+1 percentage point", "-1": "-1 percentage point", "1.1": "1.1 percentage points", "0": "0 percentage points", "-11": "-11 percentage points"} {
		require.Equal(t, want, result.PercentagePoints(number, lang.English))
	}
	require.Equal(t, "+1个百分点", result.PercentagePoints("+1", lang.Chinese))
}
