package child

import (
	"math"
	"math/big"
	"testing"
	"time"

	driver "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

func decimalOf(unscaled string, scale uint8) driver.Decimal {
	n, _ := new(big.Int).SetString(unscaled, 10)
	return driver.Decimal{Value: n, Scale: scale}
}

// TestValues: each value of the driver in the form that Trino's client gives it for the
// Presto type of its column.
func TestValues(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 2, 29, 13, 4, 5, 123_456_789, time.UTC)
	tokyo := time.FixedZone("", 9*3600)
	for _, c := range []struct {
		value any
		typ   string // empty: not known
		want  any
	}{
		{nil, "bigint", nil}, {true, "boolean", true}, {false, "", false},
		{int8(-3), "tinyint", int64(-3)}, {int16(-3), "smallint", int64(-3)}, {int32(-3), "integer", int64(-3)}, {int64(-3), "bigint", int64(-3)}, {int(-3), "", int64(-3)},
		{uint8(200), "smallint", int64(200)}, {uint16(60_000), "integer", int64(60_000)}, {uint32(4_000_000_000), "bigint", int64(4_000_000_000)},
		{uint64(7), "decimal(38,0)", "7"}, {uint64(math.MaxUint64), "decimal(38,0)", "18446744073709551615"}, {uint64(math.MaxUint64), "", "18446744073709551615"}, {uint64(7), "", int64(7)},
		{big.NewInt(5), "bigint", int64(5)}, {big.NewInt(5), "double", 5.0}, {big.NewInt(5), "decimal(10,2)", "5.00"}, {new(big.Int).Lsh(big.NewInt(1), 100), "", "1267650600228229401496703205376"},
		{int64(3), "double", 3.0}, {int64(3), "real", 3.0}, {int64(3), "decimal(5,2)", "3.00"}, {int32(-3), "decimal(5,0)", "-3"}, {int8(3), "double", 3.0},
		{float32(0.1), "real", 0.1}, {float32(math.Inf(-1)), "real", math.Inf(-1)}, {0.1, "double", 0.1},
		{decimalOf("12345", 2), "decimal(5,2)", "123.45"}, {decimalOf("-5", 2), "decimal(5,2)", "-0.05"}, {decimalOf("5", 0), "decimal(5,2)", "5.00"}, {decimalOf("50", 1), "decimal(5,3)", "5.000"},
		{decimalOf("-123", 3), "", "-0.123"}, {decimalOf("123", 2), "", "1.23"}, {decimalOf("7", 0), "bigint", int64(7)}, {decimalOf("75", 1), "double", 7.5}, {decimalOf("75", 1), "bigint", "7.5"},
		{decimalOf("75", 1), "decimal(5,0)", "7"}, {decimalOf("0", 2), "decimal(3,2)", "0.00"},
		{at, "date", "2024-02-29"}, {at, "time(3)", "13:04:05.123"}, {at, "time(0)", "13:04:05"}, {at, "time(12)", "13:04:05.123456789"},
		{at, "timestamp(3)", "2024-02-29 13:04:05.123"}, {at, "timestamp(0)", "2024-02-29 13:04:05"}, {at, "timestamp(6)", "2024-02-29 13:04:05.123456"},
		{at.In(tokyo), "timestamp(3) with time zone", "2024-02-29 13:04:05.123 UTC"}, {at, "", "2024-02-29 13:04:05.123"}, {time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), "date", "-0001-01-01"},
		{map[string]any{"t": at, "z": "Asia/Tokyo"}, "timestamp(3) with time zone", "2024-02-29 22:04:05.123 Asia/Tokyo"},
		{map[string]any{"t": at, "z": "Nowhere/City"}, "timestamp(3) with time zone", nil}, {map[string]any{"t": at}, "timestamp(3) with time zone", nil}, {map[string]any{"z": "UTC"}, "timestamp(3) with time zone", nil},
		{driver.Interval{Months: 14}, "interval year to month", "1-2"}, {driver.Interval{Months: -14}, "interval year to month", "-1-2"}, {driver.Interval{Months: 14}, "", "1-2"},
		{driver.Interval{}, "interval year to month", "0-0"}, {driver.Interval{Days: 3, Micros: 3_723_004_999}, "", "3 01:02:03.004"},
		{driver.Interval{Days: -1, Micros: -1000}, "interval day to second", "-1 00:00:00.001"}, {driver.Interval{Months: 1, Days: 1}, "interval day to second", "31 00:00:00.000"},
		{driver.Interval{Micros: 86_399_999_000}, "interval day to second", "0 23:59:59.999"},
		{driver.UUID{0x12, 15: 0xff}, "uuid", "12000000-0000-0000-0000-0000000000ff"}, {[]byte{0x12, 15: 0xff}, "uuid", "12000000-0000-0000-0000-0000000000ff"}, {[]byte{0x12}, "uuid", []byte{0x12}},
		{[]byte("a"), "varchar", "a"}, {[]byte("a"), "json", "a"}, {[]byte("a"), "varbinary", []byte("a")}, {[]byte("a"), "", []byte("a")},
		{"a", "varchar", "a"}, {"é", "char(3)", "é  "}, {"abcd", "char(3)", "abcd"}, {"a", "", "a"}, {struct{}{}, "", "{}"},
		{[]any{int32(1), nil}, "array(double)", []any{1.0, nil}}, {[]any{int32(1)}, "", []any{int64(1)}}, {[]any{}, "array(bigint)", []any{}},
		{map[string]any{"f2": int32(2), "f1": "a", "f10": true, "f3": 1.5, "f4": nil, "f5": nil, "f6": nil, "f7": nil, "f8": nil, "f9": nil}, "",
			[]any{"a", int64(2), 1.5, nil, nil, nil, nil, nil, nil, true}},
		{map[string]any{"f1": int32(1), "f2": int32(2)}, "row(a double, b bigint)", []any{1.0, int64(2)}}, {map[string]any{"f1": int32(1), "f2": int32(2)}, "row(a double)", []any{1.0, int64(2)}},
		{map[string]any{"b": int32(1), "A": int32(2)}, "row(a bigint, b double)", []any{int64(2), 1.0}}, {map[string]any{"f1": int32(1), "f3": int32(2)}, "row(f3 bigint, f1 double)", []any{int64(2), 1.0}},
		{map[string]any{"f01": int32(1), "f2": int32(2)}, "row(f2 bigint, f01 double)", []any{int64(2), 1.0}}, {map[string]any{"y": int32(1), "x": int32(2)}, "", []any{int64(2), int64(1)}},
		{map[string]any{"f0": int32(1), "f1": int32(2)}, "row(f1 bigint, f0 bigint)", []any{int64(2), int64(1)}},
	} {
		typ := types.Unknown()
		if c.typ != "" {
			typ = types.Parse(c.typ)
		}
		require.Equal(t, c.want, value(c.value, typ), "%T %v as %s", c.value, c.value, c.typ)
	}
	require.True(t, math.IsNaN(value(float32(math.NaN()), types.Parse("real")).(float64)))
}

// TestKeysOfMaps are written as Trino's protocol writes them, doubles as Java does.
func TestKeysOfMaps(t *testing.T) {
	t.Parallel()
	for key, want := range map[any]string{
		nil: "null", int64(5): "5", "a": "a", true: "true", 0.0: "0.0", 1.5: "1.5", 100.0: "100.0", 0.001: "0.001", 0.0009: "9.0E-4", 1e7: "1.0E7", 9999999.0: "9999999.0", -1.25e-7: "-1.25E-7",
		-2.5e8: "-2.5E8", math.Inf(1): "Infinity", math.Inf(-1): "-Infinity", math.NaN(): "NaN", math.MaxFloat64: "1.7976931348623157E308", -12.0: "-12.0",
	} {
		require.Equal(t, want, keyText(key))
	}
	require.Equal(t, "[1, null, [1.0E7, x]]", keyText([]any{int64(1), nil, []any{1e7, "x"}}))
	for _, c := range []struct {
		typ  string
		want map[string]any
	}{
		{"map(double, decimal(5,2))", map[string]any{"1.0": "2.00", "1.0E7": nil}}, {"", map[string]any{"1": int64(2), "10000000": nil}},
	} {
		var m driver.OrderedMap
		m.Set(int32(1), int32(2))
		m.Set(int32(10_000_000), nil)
		typ := types.Unknown()
		if c.typ != "" {
			typ = types.Parse(c.typ)
		}
		require.Equal(t, c.want, value(m, typ))
	}
}

// TestTypesOfDuckDB: the Presto type of each name that DuckDB gives a column.
func TestTypesOfDuckDB(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"BOOLEAN": "boolean", "TINYINT": "tinyint", "SMALLINT": "smallint", "INTEGER": "integer", "BIGINT": "bigint", "UTINYINT": "integer", "USMALLINT": "integer", "UINTEGER": "bigint",
		"UBIGINT": "decimal(38,0)", "HUGEINT": "decimal(38,0)", "UHUGEINT": "decimal(38,0)", "FLOAT": "real", "DOUBLE": "double", "DECIMAL(10,2)": "decimal(10,2)", "VARCHAR": "varchar",
		"BLOB": "varbinary", "DATE": "date", "TIMESTAMP": "timestamp(6)", "TIMESTAMP_S": "timestamp(0)", "TIMESTAMP_MS": "timestamp(3)", "TIMESTAMP_NS": "timestamp(9)",
		"TIMESTAMPTZ": "timestamp(6) with time zone", "TIMESTAMP WITH TIME ZONE": "timestamp(6) with time zone", "UUID": "uuid", "ENUM('a', 'b')": "varchar", "ENUM": "varchar",
		"BIGINT[]": "array(bigint)", "DATE[][]": "array(array(date))",
	} {
		require.Equal(t, types.Parse(want), prestoType(name), name)
	}
	for _, name := range []string{"INTERVAL", "STRUCT(a INTEGER)", "MAP(VARCHAR, INTEGER)", "UNION(a INTEGER)", "ANY"} {
		require.True(t, prestoType(name).IsUnknown(), name)
	}
}
