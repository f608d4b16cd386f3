package types_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"int": "integer", "decimal": "decimal(38,0)", "decimal(5)": "decimal(5,0)", "timestamp": "timestamp(3)", "char": "char(1)",
		"TIMESTAMP(6) WITH TIME ZONE": "timestamp(6) with time zone", "time with time zone": "time(3) with time zone", "double precision": "double",
		`row(Abc integer, "x y" array(row(q bigint)))`: `row(Abc integer, "x y" array(row(q bigint)))`, "row(integer, varchar(3))": "row(integer, varchar(3))",
		"map(varchar, interval day to second)": "map(varchar, interval day to second)", "hyperloglog": "HyperLogLog", "qdigest(bigint)": "qdigest(bigint)",
	} {
		got, ok := types.Read(text)
		require.True(t, ok, text)
		require.Equal(t, want, got.String())
		again, ok := types.Read(got.String())
		require.True(t, ok && again.Identical(got), "%s is read as it is written", got)
	}
	for _, text := range []string{
		"", "nope", "string", "numeric(3)", "integer(3)", "timestamp(13)", "char(70000)", "decimal(1,2,3)", "array", "array(nope)", "array(integer, integer)",
		"map(integer)", "row(a integer", "varchar(x)", "bigint)",
	} {
		_, ok := types.Read(text)
		require.False(t, ok, text)
	}
	require.Equal(t, "varchar", types.Parse("STRING").String(), "other engines' names are for catalogs")
}

func TestCommon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, common string // empty: none
		coercible        bool   // from to to
	}{
		{"integer", "bigint", "bigint", true},
		{"bigint", "integer", "bigint", false},
		{"bigint", "decimal(5,2)", "decimal(21,2)", false},
		{"tinyint", "decimal(5,2)", "decimal(5,2)", true},
		{"decimal(5,2)", "decimal(4,3)", "decimal(6,3)", false},
		{"decimal(5,2)", "real", "real", true},
		{"real", "double", "double", true},
		{"varchar(3)", "varchar(5)", "varchar(5)", true},
		{"varchar(5)", "varchar(3)", "varchar(5)", false},
		{"varchar", "char(3)", "char(65536)", false},
		{"varchar(2)", "char(3)", "char(3)", true},
		{"char(3)", "varchar", "char(65536)", false},
		{"date", "timestamp(6)", "timestamp(6)", true},
		{"timestamp(3)", "timestamp(6) with time zone", "timestamp(6) with time zone", true},
		{"time(3)", "timestamp(3)", "", false},
		{"integer", "varchar", "", false},
		{"boolean", "integer", "", false},
		{"unknown", "uuid", "uuid", true},
		{"date", "unknown", "date", false},
		{"array(integer)", "array(bigint)", "array(bigint)", true},
		{"array(integer)", "array(varchar)", "", false},
		{"map(varchar(1), integer)", "map(varchar(3), double)", "map(varchar(3), double)", true},
		{"row(a integer, b date)", "row(a bigint, c date)", "row(a bigint, date)", true},
		{"row(integer)", "row(integer, integer)", "", false},
		{"interval day to second", "interval year to month", "", false},
	} {
		from, to := types.Parse(c.from), types.Parse(c.to)
		common, ok := types.Common(from, to)
		require.Equal(t, c.common != "", ok, "%s and %s", from, to)
		require.Equal(t, c.common, common.String(), "%s and %s", from, to)
		require.Equal(t, c.coercible, types.Coercible(from, to), "%s to %s", from, to)
	}
}

func TestCastable(t *testing.T) {
	t.Parallel()
	for from, to := range map[string][2]string{ // what it can be cast to, and what not
		"integer":                 {"boolean", "date"},
		"varchar(3)":              {"timestamp(6)", "interval day to second"},
		"date":                    {"timestamp(3) with time zone", "integer"},
		"array(integer)":          {"array(varchar)", "varchar"},
		"array(array(date))":      {"array(array(varchar))", "array(date)"},
		"map(varchar, integer)":   {"map(varchar, double)", "row(a integer)"},
		"row(integer, varchar)":   {"row(x bigint, y date)", "row(x bigint)"},
		"row(integer, time(3))":   {"row(varchar, varchar)", "json"},
		"json":                    {"map(varchar, array(bigint))", "array(date)"},
		"array(row(a timestamp))": {"json", "array(row(a uuid))"},
		"unknown":                 {"array(integer)", ""},
	} {
		require.True(t, types.Castable(types.Parse(from), types.Parse(to[0])), "%s to %s", from, to[0])
		if to[1] != "" {
			require.False(t, types.Castable(types.Parse(from), types.Parse(to[1])), "%s to %s", from, to[1])
		}
	}
}

func TestComparable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{ // comparable, orderable
		"integer": {true, true}, "json": {true, false}, "map(integer, integer)": {true, false}, "array(json)": {true, false},
		"hyperloglog": {false, false}, "row(integer, hyperloglog)": {false, false}, "array(row(date))": {true, true}, "unknown": {true, true},
	} {
		x := types.Parse(text)
		require.Equal(t, want, [2]bool{x.IsComparable(), x.IsOrderable()}, text)
	}
}
