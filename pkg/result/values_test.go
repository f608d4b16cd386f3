package result_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestKinds: every scalar type of Presto has its family, however it is written.
func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, types := range map[result.Kind][]string{
		result.KindText:      {"varchar", "VARCHAR(3)", " char(2) ", "uuid", "ipaddress"},
		result.KindBool:      {"boolean"},
		result.KindInteger:   {"tinyint", "smallint", "integer", "int", "bigint"},
		result.KindDecimal:   {"decimal(18,2)", "decimal (3)", "Decimal"},
		result.KindFloat:     {"double", "real"},
		result.KindDate:      {"date"},
		result.KindTimestamp: {"timestamp", "timestamp(3)", "timestamp(6) with time zone", "timestamp with time zone"},
		result.KindTime:      {"time", "time(3)", "time(3) with time zone"},
		result.KindOther:     {"array(bigint)", "map(varchar, date)", "row(a date)", "json", "varbinary", "interval day to second", ""},
	} {
		for _, typ := range types {
			require.Equal(t, kind, result.Column{Type: typ}.Kind(), typ)
			require.Equal(t, kind == result.KindInteger || kind == result.KindDecimal || kind == result.KindFloat, kind.Numeric())
		}
	}
}

// TestTexts: any value has a text for a cell.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		typ   string
		want  string
	}{
		{int64(1234), "bigint", "1,234"}, {"1234.5", "decimal(5,1)", "1,234.5"}, {"1234", "varchar", "1234"}, {"1234.5", "double", "1,234.5"},
		{true, "boolean", "true"}, {false, "boolean", "false"}, {[]byte{0, 255}, "varbinary", "00ff"},
		{math.Inf(1), "double", "Infinity"}, {math.Inf(-1), "double", "-Infinity"}, {math.NaN(), "double", "NaN"},
		{[]any{"a", nil, 1.5}, "array(x)", `["a",null,1.5]`}, {map[string]any{"k": []any{math.Inf(1)}}, "json", `{"k":["Infinity"]}`},
		{1e15, "double", "1e15"}, {999999999999999.0, "double", "999,999,999,999,999"}, {1e-6, "double", "0.000001"}, {9.9e-7, "double", "9.9e-7"},
		{0.0, "double", "0"}, {"0.000", "decimal(4,3)", "0"}, {"0.0000001234", "decimal(20,10)", "0.000000123"}, {"-0.00", "decimal(3,2)", "0.00"},
		{-0.9999, "double", "-1"}, {0.99949, "double", "0.999"}, {"1234567", "integer", "1,234,567"}, {"12.00", "decimal(4,2)", "12.00"},
		{"12.000", "decimal(5,3)", "12"}, {123456.0, "double", "123,456"}, {-123.0, "double", "-123"},
		{float64(float32(1.1)), "double", "1.1"}, {float64(float32(0.3)), "REAL", "0.3"}, {123456789.125, "double", "123,456,789.13"}, {1.5e20, "double", "1.5e20"},
	} {
		text, ok := result.Text(c.value, result.Column{Type: c.typ})
		require.True(t, ok)
		require.Equal(t, c.want, text, "%v %s", c.value, c.typ)
	}
	_, ok := result.Text(nil, result.Column{Type: "bigint"})
	require.False(t, ok)
	_, ok = result.Text(func() {}, result.Column{})
	require.False(t, ok)
	require.Empty(t, result.Number{}.String())
	require.Equal(t, "1,000%", result.Percent(10))
	require.Equal(t, "999.9%", result.Percent(9.999))
	require.Equal(t, "0.1%", result.Percent(0.001))
	require.Equal(t, "-1,235%", result.Percent(-12.346))
}

// TestArithmetic: sums, means and differences are exact and written at the scale that
// their parts declare.
func TestArithmetic(t *testing.T) {
	t.Parallel()
	of := func(v any, typ string) result.Number {
		n, ok := result.NumberOf(v, result.Column{Type: typ})
		require.True(t, ok)
		return n
	}
	sum := func(numbers ...result.Number) string {
		s, ok := result.Sum(numbers)
		require.True(t, ok)
		return s.String()
	}
	cents, whole, double := of("1.10", "decimal(5,2)"), of(int64(2), "bigint"), of(2.5, "double")
	require.Equal(t, "3.10", sum(cents, whole))
	require.Equal(t, "3.10", sum(whole, cents))
	require.Equal(t, "3.6", sum(cents, double))
	require.Equal(t, "3.6", sum(double, cents))
	require.Equal(t, "5.7", sum(cents, double, whole, of("0.1", "decimal(2,1)")))
	require.Equal(t, "1.10", cents.String(), "a sum leaves its parts as they are")
	require.Equal(t, "-0.90", cents.Sub(whole).String())
	require.Equal(t, "-0.9", of("1.1", "double").Sub(whole).String())
	require.Equal(t, "0.55", cents.Per(2).String())
	require.Equal(t, "0.667", whole.Per(3).String())
	require.Equal(t, "0.90", cents.Sub(whole).Abs().String())
	require.Equal(t, 1, cents.Sign())
	require.Equal(t, -1, cents.Cmp(whole))
	require.InDelta(t, 1.1, cents.Float64(), 0)
	ratio, ok := cents.Ratio(whole)
	require.True(t, ok)
	require.InDelta(t, 0.55, ratio, 1e-12)
	_, ok = of(1e308, "double").Ratio(of(1e-308, "double"))
	require.False(t, ok)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, ok := result.Float(v)
		require.False(t, ok)
	}
	for _, text := range []string{"1_000", "0x10", "1e5", "1/3", "1p3"} {
		_, ok := result.NumberOf(text, result.Column{Type: "decimal(38,0)"})
		require.False(t, ok, text)
	}
	long := fmt.Sprintf("%0400d", 7)
	require.Equal(t, "7", of(long, "decimal(38,0)").String())
	_, ok = result.NumberOf("0"+long, result.Column{Type: "decimal(38,0)"})
	require.False(t, ok)
	_, ok = result.NumberOf("nan?", result.Column{Type: "double"})
	require.False(t, ok)
}

// TestPeriods: each grain has its text in both languages and its next period.
func TestPeriods(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC)
	for grain, want := range map[result.Grain][3]string{
		result.GrainYear:    {"2027", "2027年", "2028-12-31 23:59:59"},
		result.GrainQuarter: {"Q4 2027", "2027年第4季度", "2028-03-31 23:59:59"},
		result.GrainMonth:   {"Dec 2027", "2027年12月", "2028-01-31 23:59:59"},
		result.GrainWeek:    {"the week of 31 Dec 2027", "2027年12月31日当周", "2028-01-07 23:59:59"},
		result.GrainDay:     {"31 Dec 2027", "2027年12月31日", "2028-01-01 23:59:59"},
		result.GrainHour:    {"31 Dec 2027 23:59", "2027年12月31日 23:59", "2028-01-01 00:59:59"},
		result.GrainSecond:  {"31 Dec 2027 23:59:59", "2027年12月31日 23:59:59", "2028-01-01 00:00:00"},
	} {
		require.Equal(t, want[0], result.FormatMoment(at, grain, lang.English))
		require.Equal(t, want[1], result.FormatMoment(at, grain, lang.Chinese))
		require.Equal(t, want[2], grain.Next(at).Format(time.DateTime))
	}
	for month, quarter := range map[time.Month]string{1: "Q1 2027", 3: "Q1 2027", 4: "Q2 2027", 6: "Q2 2027", 7: "Q3 2027", 9: "Q3 2027", 10: "Q4 2027"} {
		require.Equal(t, quarter, result.FormatMoment(time.Date(2027, month, 1, 0, 0, 0, 0, time.UTC), result.GrainQuarter, lang.English))
	}
}

// TestZonesOfMoments: a text with a zone is that instant, one without is in loc.
func TestZonesOfMoments(t *testing.T) {
	t.Parallel()
	singapore, err := time.LoadLocation("Asia/Singapore")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"2026-11-19 08:30:05":                "2026-11-19T00:30:05Z",
		"  2026-11-19 08:30 ":                "2026-11-19T00:30:00Z",
		"2026-11-19 08:30:05.250":            "2026-11-19T00:30:05.25Z",
		"2026-11-19T08:30:05Z":               "2026-11-19T08:30:05Z",
		"2026-11-19 08:30:05 UTC":            "2026-11-19T08:30:05Z",
		"2026-11-19 08:30:05 +02:00":         "2026-11-19T06:30:05Z",
		"2026-11-19 08:30:05-02:30":          "2026-11-19T11:00:05Z",
		"2026-11-19 08:30:05 Asia/Singapore": "2026-11-19T00:30:05Z",
		"2026-11-19 08:30:05 Europe/Berlin":  "2026-11-19T07:30:05Z",
		"2026/11/19":                         "2026-11-18T16:00:00Z",
	} {
		at, _, ok := result.ParseMoment(text, singapore)
		require.True(t, ok, text)
		require.Equal(t, want, at.UTC().Format(time.RFC3339Nano), text)
	}
	for _, text := range []string{"2026-11-19 08:30:05 +0200", "2026-11-19 08:3", "2026-11", "2026-1", "2026-11-19 08:30:05 " + string(make([]byte, 80))} {
		_, grain, ok := result.ParseMoment(text, singapore)
		require.Equal(t, text == "2026-11", ok, text)
		require.Equal(t, ok, grain == result.GrainMonth)
	}
}

// TestMomentsAreReadAsPackageTimeReadsThem: every text that is a digit away from a moment is
// read, or refused, as package time does, in a zone with hours that are left out.
func TestMomentsAreReadAsPackageTimeReadsThem(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, c := range []struct {
		layout string
		texts  []string
	}{
		{"2006-01", []string{"2026-11"}},
		{"20060102", []string{"20261119", "20240229", "20230229", "19000229", "20000229"}},
		{"2006-01-02", []string{"2026-11-19", "2024-02-29", "2023-02-28", "2026-04-30", "2026-12-31", "0001-01-01"}},
		{"2006/01/02", []string{"2026/11/19"}},
		{"2006-01-02 15:04", []string{"2026-11-19 08:30", "2026-11-19 23:59"}},
		{"2006-01-02 15:04:05", []string{
			"2026-11-19 08:30:05", "2026-03-29 02:30:00", "2026-11-19 08:30:05.250", "2026-11-19 08:30:05.1234567891", "2026-11-19 23:59:59,5", "2026-11-19 8:30:05",
		}},
	} {
		for _, text := range c.texts {
			for i := range len(text) {
				for _, digit := range "0123456789.-:/ x" {
					changed := text[:i] + string(digit) + text[i+1:]
					if strings.ContainsAny(changed[min(len(changed), 11):], " -") { // a zone begins there
						continue
					}
					want, err := time.ParseInLocation(c.layout, changed, berlin)
					got, grain, ok := result.ParseMoment(changed, berlin)
					if strings.TrimSpace(changed) != changed || !ok && err != nil {
						continue
					}
					require.Equal(t, err == nil, ok, changed)
					require.Equal(t, want, got, changed)
					require.NotEqual(t, result.GrainNone, grain)
				}
			}
		}
	}
}

// TestReadingAMomentMakesNothing: columns of times are most of what an analysis of many rows
// reads.
func TestReadingAMomentMakesNothing(t *testing.T) {
	for _, text := range []string{"2026-11-19", "2026-11-19 08:30:05", "2026-11-19 08:30:05.123456"} {
		require.Zero(t, testing.AllocsPerRun(10, func() { _, _, _ = result.ParseMoment(text, time.UTC) }), text)
	}
}

// BenchmarkParseMoment reads a timestamp as engines write it.
func BenchmarkParseMoment(b *testing.B) {
	for b.Loop() {
		_, _, _ = result.ParseMoment("2026-11-19 08:30:05.123456", time.UTC)
	}
}

// TestSizes: the size of a row is near that of its JSON text, nested values included.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want int64
		row  []any
	}{
		{2, nil}, {11, []any{int64(1)}}, {9, []any{"text"}}, {20, []any{true, nil}}, {15, []any{make([]byte, 6)}},
		{13, []any{[]any{1.5}}}, {2 + 2 + 6 + 9 + 5 + 3, []any{map[string]any{"ab": 1.5, "c": ""}}},
	} {
		require.Equal(t, c.want, result.Size(c.row), "%v", c.row)
	}
	require.Equal(t, []any{"a", nil}, result.Table{Rows: [][]any{{int64(1), "a"}, {int64(2), nil}}}.Column(1))
}
