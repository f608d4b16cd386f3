package duckdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
)

// TestCalls: what a macro calls comes before it, once, and nothing is left out.
func TestCalls(t *testing.T) {
	t.Parallel()
	require.Empty(t, transpile.Calls("SELECT 1, trim(x), 'presto'"))
	require.NotEmpty(t, transpile.MacroNames())
	for _, name := range transpile.MacroNames() {
		calls := transpile.Calls("SELECT " + name + "(x), " + name + "(y)")
		require.Equal(t, name, calls[len(calls)-1])
		for i, called := range calls {
			require.NotContains(t, calls[i+1:], called)
			statement, ok := transpile.Macro(called)
			if !ok {
				continue
			}
			require.True(t, strings.HasPrefix(statement, "CREATE OR REPLACE MACRO "+called+"("), statement)
			for _, other := range transpile.MacroNames() {
				if other != called && strings.Contains(statement, other+"(") {
					require.True(t, slices.Contains(calls[:i], other), "%s calls %s", called, other)
				}
			}
		}
	}
	_, ok := transpile.Macro("presto_nothing")
	require.False(t, ok)
}

// TestTimeLiterals: valid texts of dates and timestamps are the engine's own
// literals; others fail, or not, where they are evaluated. Values are those of Trino.
func TestTimeLiterals(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"date '2024-02-29'":                                 "DATE '2024-02-29'",
		"date ' 2024-2-9 '":                                 "DATE '2024-02-09'",
		"cast('2024-02-29' as date)":                        "DATE '2024-02-29'",
		"try_cast('2024-02-30' as date)":                    "TRY(CAST(presto_text_date('2024-02-30') AS DATE))",
		"cast('2024-02-30' as date)":                        "CAST(presto_text_date('2024-02-30') AS DATE)",
		"cast('-0001-01-01' as date)":                       "CAST(presto_text_date('-0001-01-01') AS DATE)",
		"timestamp '2024-01-02'":                            "TIMESTAMP '2024-01-02 00:00:00.000000'",
		"timestamp '2024-1-2 3:4'":                          "TIMESTAMP '2024-01-02 03:04:00.000000'",
		"timestamp '2024-01-02 03:04:05.123'":               "TIMESTAMP '2024-01-02 03:04:05.123000'",
		"timestamp '0001-01-01 00:00:00'":                   "TIMESTAMP '0001-01-01 00:00:00.000000'",
		"cast('2024-01-02 03:04:05' as timestamp)":          "TIMESTAMP '2024-01-02 03:04:05.000000'",
		"cast('2024-01-02 03:04:05.5' as timestamp(0))":     "TIMESTAMP '2024-01-02 03:04:06.000000'",
		"cast('9999-12-31 23:59:59.9999' as timestamp(3))":  "presto_text_timestamp('9999-12-31 23:59:59.9999', 3)",
		"cast('2024-01-02 25:00:00' as timestamp)":          "presto_text_timestamp('2024-01-02 25:00:00', 3)",
		"try_cast('2024-01-02 03:04:05.1239' as timestamp)": "TIMESTAMP '2024-01-02 03:04:05.124000'",
	} {
		stmt, err := parser.Parse("SELECT " + expression)
		require.NoError(t, err, expression)
		text, err := transpile.Transpile(stmt)
		require.NoError(t, err, expression)
		require.Contains(t, text, want, expression)
		require.Equal(t, strings.Contains(want, "presto_"), strings.Contains(text, "presto_"), text)
	}
}
