package udf

import (
	"database/sql/driver"
	"testing"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/presto"
)

// TestArgumentsOfFunctions: what the driver hands over reaches a function of Presto's
// in the form that it documents, and its result the driver.
func TestArgumentsOfFunctions(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 8*3600)
	var got []any
	f := &scalarFunction{Function: presto.Function{Name: "f", Call: func(args []any) (any, error) {
		got = args
		return [][2]string{{"b", "1"}, {"a", "2"}}, nil
	}}}
	result, err := f.call(t.Context(), []driver.Value{time.Date(2024, 1, 1, 0, 0, 0, 0, zone), []any{"x", ""}, []any{}, nil, int64(7)})
	require.NoError(t, err)
	require.Equal(t, []any{time.Date(2023, 12, 31, 16, 0, 0, 0, time.UTC), []string{"x", ""}, []string{}, nil, int64(7)}, got)
	var want duck.OrderedMap
	want.Set("b", "1")
	want.Set("a", "2")
	require.Equal(t, want, result)
	_, err = f.call(t.Context(), []driver.Value{[]any{"x", nil}})
	require.ErrorContains(t, err, "f of an array with nulls")
	failed := &presto.Error{Name: presto.InternalError, Message: "no"}
	f.Call = func([]any) (any, error) { return nil, failed }
	_, err = f.call(t.Context(), nil)
	require.Equal(t, failed, err)
	f.Call = func([]any) (any, error) { return int64(3), nil }
	result, err = f.call(t.Context(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 3, result)
}
