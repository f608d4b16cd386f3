package sqlgen_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/presto/udf"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestMedian: the median of few, of many, of none, and of values some of which are missing.
func TestMedian(t *testing.T) {
	t.Parallel()
	stmt, err := harbour().Statement(&intent.Intent{Entity: "calls", Select: []intent.Output{agg(intent.AggMedian, "calls.fee")}})
	require.NoError(t, err)
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for values, want := range map[string]any{
		"(3e0)":                                            3.0,
		"(3e0), (1e0)":                                     2.0,
		"(9e0), (1e0), (2e0)":                              2.0,
		"(9e0), (1e0), (2e0), (4e0)":                       3.0,
		"(9e0), (NULL), (1e0), (2e0), (NULL)":              2.0,
		"(CAST(NULL AS double)), (NULL)":                   nil,
		"(7e0), (7e0), (7e0), (7e0), (100e0)":              7.0,
		"(-5e0), (-1e0), (0e0), (2e0), (3e0)":              0.0,
		"(1e0), (2e0), (3e0), (4e0), (5e0), (NULL), (6e0)": 3.5,
	} {
		text := strings.Replace(printer.Print(stmt), "FROM calls", "FROM (VALUES "+values+") AS calls(fee)", 1)
		var got any
		require.NoError(t, db.QueryRowContext(t.Context(), native(t, db, text)).Scan(&got), values)
		require.Equal(t, want, got, values)
	}
}

// native is a statement without tables as DuckDB's, which knows its functions then.
func native(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	index := catalog.NewIndex(&catalog.Snapshot{}, catalog.Defaults{})
	approved, err := guard.New(guard.Config{}).Approve(context.Background(), run.Principal{ID: "test"}, text, resolve.Scope{Catalog: index})
	require.NoError(t, err, text)
	out, err := transpile.TranspileResolved(approved.Resolution())
	require.NoError(t, err, text)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	for _, name := range transpile.Calls(out) {
		if macro, ok := transpile.Macro(name); ok {
			_, err := conn.ExecContext(t.Context(), macro)
			require.NoError(t, err)
			continue
		}
		if i := slices.IndexFunc(presto.Functions(), func(f presto.Function) bool { return f.Name == name }); i >= 0 {
			made, err := udf.New(presto.Functions()[i])
			require.NoError(t, err)
			require.NoError(t, duckdb.RegisterScalarUDF(conn, name, made))
		}
	}
	return out
}

// TestMedianOfMany: where rows are many, or nobody knows how many, the median is about so.
func TestMedianOfMany(t *testing.T) {
	t.Parallel()
	for rows, exact := range map[int64]bool{-1: false, 0: true, 1_000_000: true, 1_000_001: false} {
		tables := []catalog.Table{{Name: catalog.Name{Table: "calls"}, RowCount: rows, Columns: []catalog.Column{{Name: "fee", Type: "double"}}}}
		layer := semantic.Derive(tables)
		stmt, err := sqlgen.New(layer, plan.New([]string{"calls"}, nil), tables).Statement(&intent.Intent{Entity: "calls", Select: []intent.Output{agg(intent.AggMedian, "calls.fee")}})
		require.NoError(t, err)
		require.Equal(t, !exact, strings.Contains(printer.Print(stmt), "approx_percentile(CAST(fee AS double), 0.5) AS median_fee"), "%d rows", rows)
	}
}

// TestMedianOfGroups: the figure of a group can be in the middle as well.
func TestMedianOfGroups(t *testing.T) {
	t.Parallel()
	o, fees := agg(intent.AggMedian, "calls.fee"), agg(intent.AggSum, "calls.fee")
	o.Base, o.Per = intent.AggSum, column("ships.flag_state").Field
	stmt, err := harbour().Statement(&intent.Intent{Entity: "calls", Select: []intent.Output{o}})
	require.NoError(t, err)
	require.Contains(t, printer.Print(stmt), "array_agg(value_of_group)")
	_, err = harbour().Statement(&intent.Intent{Entity: "calls", Select: []intent.Output{agg(intent.AggMedian, "calls.arrived")}})
	require.ErrorIs(t, err, sqlgen.ErrShape, "of days there is none")
	_, err = harbour().Statement(&intent.Intent{Entity: "ships", Select: []intent.Output{agg(intent.AggMedian, "ships.crew")}, Having: []intent.Cond{{Op: intent.Gt, Left: &fees, Values: []intent.Literal{number("2")}}}})
	require.ErrorIs(t, err, sqlgen.ErrFanOut, "a ship that called twice would count twice")
}
