package trino_test

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// approve approves a statement over tables of scope for a principal.
func approve(t testing.TB, who, sql string, scope resolve.Scope) guard.Approved {
	t.Helper()
	approved, err := guard.New(guard.Config{DefaultLimit: 1_000_000, MaxLimit: 1_000_000}).Approve(t.Context(), run.Principal{ID: who}, sql, scope)
	require.NoError(t, err, sql)
	return approved
}

func all(t testing.TB, rows warehouse.Rows) [][]any {
	t.Helper()
	var out [][]any
	for {
		page, err := rows.Next(t.Context(), 1000)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, page...)
	}
}

func plain(t *testing.T, catalogs ...string) *trino.Engine {
	t.Helper()
	return open(t, trino.Config{Connection: trinotest.Plain(t, append(catalogs, "tpch")...), DefaultRegion: "tpch", DefaultSchema: "tiny"})
}

// TestValues asks for a value of every type of Trino.
func TestValues(t *testing.T) {
	t.Parallel()
	e := plain(t)
	for _, tc := range []struct {
		sql, typ string
		want     any
	}{
		{"true", "boolean", true},
		{"cast(null as bigint)", "bigint", nil},
		{"null", "unknown", nil},
		{"tinyint '-128'", "tinyint", int64(-128)},
		{"smallint '32767'", "smallint", int64(32767)},
		{"-2147483648", "integer", int64(-2147483648)},
		{"9223372036854775807", "bigint", int64(math.MaxInt64)},
		{"-9223372036854775807 - 1", "bigint", int64(math.MinInt64)},
		{"real '0.1'", "real", 0.1},
		{"real '-3.4028235e38'", "real", -3.4028235e38},
		{"cast(nan() as real)", "real", math.NaN()},
		{"1e0 / 3", "double", 1.0 / 3},
		{"5e-324", "double", 5e-324},
		{"nan()", "double", math.NaN()},
		{"infinity()", "double", math.Inf(1)},
		{"-infinity()", "double", math.Inf(-1)},
		{"-0e0", "double", math.Copysign(0, -1)},
		{"decimal '1.10'", "decimal(3,2)", "1.10"},
		{"decimal '-0.00'", "decimal(2,2)", "0.00"},
		{"decimal '99999999999999999999999999999999999.999'", "decimal(38,3)", "99999999999999999999999999999999999.999"},
		{"'a\u4e2d\U0001F600'", "varchar(3)", "a\u4e2d\U0001F600"},
		{"cast('x' as varchar)", "varchar", "x"},
		{"''", "varchar(0)", ""},
		{"cast('a' as char(3))", "char(3)", "a  "},
		{"x'00ff'", "varbinary", []byte{0, 255}},
		{"json '{\"b\": 1, \"a\": [1.50, null]}'", "json", `{"a":[1.5,null],"b":1}`},
		{"uuid '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "uuid", "12151fd2-7586-11e9-8f9e-2a86e4085a59"},
		{"ipaddress '2001:db8::1'", "ipaddress", "2001:db8::1"},
		{"date '2024-02-29'", "date", "2024-02-29"},
		{"date '12024-02-29'", "date", "+12024-02-29"},
		{"date '-0044-03-15'", "date", "-0044-03-15"},
		{"time '10:11:12'", "time(0)", "10:11:12"},
		{"time '10:11:12.123456789012'", "time(12)", "10:11:12.123456789012"},
		{"time '10:11:12.5 +08:30'", "time(1) with time zone", "10:11:12.5+08:30"},
		{"timestamp '2024-01-01 00:00:00'", "timestamp(0)", "2024-01-01 00:00:00"},
		{"timestamp '2024-01-01 00:00:00.123456789012'", "timestamp(12)", "2024-01-01 00:00:00.123456789012"},
		{"timestamp '2024-10-27 02:30:00.1 Europe/Berlin'", "timestamp(1) with time zone", "2024-10-27 02:30:00.1 Europe/Berlin"},
		{"timestamp '2024-01-01 00:00:00.123456789012 -03:00'", "timestamp(12) with time zone", "2024-01-01 00:00:00.123456789012 -03:00"},
		{"interval '36' hour", "interval day to second", "1 12:00:00.000"},
		{"interval '-1.5' second", "interval day to second", "-0 00:00:01.500"},
		{"interval '-15' month", "interval year to month", "-1-3"},
		{"array[1, null, 3]", "array(integer)", []any{int64(1), nil, int64(3)}},
		{"array[]", "array(unknown)", []any{}},
		{"array[x'00', null]", "array(varbinary)", []any{[]byte{0}, nil}},
		{"array[timestamp '2024-01-01 00:00:00.123456789012']", "array(timestamp(12))", []any{"2024-01-01 00:00:00.123456789012"}},
		{"array[nan(), 1e0]", "array(double)", []any{math.NaN(), 1.0}},
		{"map(array['b', 'a'], array[9223372036854775807, null])", "map(varchar(1), bigint)", map[string]any{"a": nil, "b": int64(math.MaxInt64)}},
		{"map(array[1.5], array[decimal '2.50'])", "map(decimal(2,1), decimal(3,2))", map[string]any{"1.5": "2.50"}},
		{"map(array[date '2024-01-01'], array[x'01'])", "map(date, varbinary)", map[string]any{"2024-01-01": []byte{1}}},
		{"row(1, 'x', null)", "row(integer, varchar(1), unknown)", []any{int64(1), "x", nil}},
		{`cast(row(1, timestamp '2024-01-01 00:00:00.123456789') as row(a bigint, "B c" timestamp(9)))`, `row(a bigint, "B c" timestamp(9))`, []any{int64(1), "2024-01-01 00:00:00.123456789"}},
		{"array[row(map(array[1], array[array[x'ff']]), nan())]", "array(row(map(integer, array(varbinary)), double))", []any{[]any{map[string]any{"1": []any{[]byte{255}}}, math.NaN()}}},
		{`to_geometry(from_geojson_geometry('{"type":"Point","coordinates":[1,2]}'))`, "Geometry", "POINT (1 2)"},
		{`from_geojson_geometry('{"type":"Point","coordinates":[1,2]}')`, "SphericalGeography", "POINT (1 2)"},
		{"bing_tile(1, 2, 3)", "BingTile", `{"x":1,"y":2,"zoom":3}`},
		{"cast(null as hyperloglog)", "HyperLogLog", nil},
		{"cast(x'020c018003440000' as hyperloglog)", "HyperLogLog", []byte{2, 12, 1, 128, 3, 68, 0, 0}},
		{"color('red')", "color", "red"},
	} {
		t.Run(tc.sql, func(t *testing.T) {
			t.Parallel()
			approved := approve(t, "someone", "select "+tc.sql+" as v", resolve.Scope{})
			rows, err := e.Query(t.Context(), run.Principal{ID: "someone"}, approved, warehouse.Options{})
			require.NoError(t, err)
			require.Equal(t, []warehouse.Column{{Name: "v", Type: tc.typ}}, rows.Columns())
			got := all(t, rows)
			require.Len(t, got, 1)
			requireSame(t, tc.want, got[0][0])
		})
	}
}

// requireSame compares values where NaN is like itself and the sign of 0 counts.
func requireSame(t *testing.T, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		f, ok := got.(float64)
		require.True(t, ok, "%T", got)
		require.Equal(t, math.IsNaN(want), math.IsNaN(f))
		if !math.IsNaN(want) {
			require.Equal(t, want, f)
			require.Equal(t, math.Signbit(want), math.Signbit(f))
		}
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, "%T", got)
		require.Len(t, list, len(want))
		for i := range want {
			requireSame(t, want[i], list[i])
		}
	default:
		require.Equal(t, want, got)
	}
}
