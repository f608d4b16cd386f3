package parquet_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/parquet"
)

// of are rows one after the other, and then an error, if there is one.
func of(rows [][]any, last error) func(func([]any, error) bool) {
	return func(yield func([]any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if last != nil {
			yield(nil, last)
		}
	}
}

// TestWrite: cells have the types of their columns and are exact, what is missing stays so,
// and odd names are names.
func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "it's.parquet")
	columns := []result.Column{{Name: `a"b`, Type: "bigint"}, {Name: "d", Type: "decimal(20,2)"}, {Name: "day", Type: "date"}, {Name: "s", Type: "varchar(3)"}, {Name: "f", Type: "double"}}
	require.NoError(t, parquet.Write(t.Context(), path, columns, of([][]any{
		{"9007199254740993", "123456789012345678.01", "2026-03-04", "007", "0.1"}, {nil, nil, nil, nil, nil},
	}, nil), "64MB"))
	connector, err := duckdb.NewConnector("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer func() { require.NoError(t, db.Close()) }()
	var types, cells string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT string_agg(column_type, ' ') FROM (DESCRIBE SELECT * FROM read_parquet('`+filepath.Dir(path)+`/*.parquet'))`).Scan(&types))
	require.Equal(t, "BIGINT DECIMAL(20,2) DATE VARCHAR DOUBLE", types)
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT concat_ws(' ', "a""b", d, day, s, f) FROM read_parquet('`+filepath.Dir(path)+`/*.parquet') WHERE s IS NOT NULL`).Scan(&cells))
	require.Equal(t, "9007199254740993 123456789012345678.01 2026-03-04 007 0.1", cells)
	var missing int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM read_parquet('`+filepath.Dir(path)+`/*.parquet') WHERE "a""b" IS NULL AND f IS NULL`).Scan(&missing))
	require.Equal(t, 1, missing)
}

// TestWhatCannotBeWritten: a cell that is not of its column's type is told as such, the error
// of whoever gives the rows as it is.
func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	whole := []result.Column{{Name: "n", Type: "bigint"}}
	unfit := (*parquet.UnfitError)(nil)
	err := parquet.Write(t.Context(), filepath.Join(t.TempDir(), "a.parquet"), whole, of([][]any{{"many"}}, nil), "64MB")
	require.ErrorAs(t, err, &unfit)
	gone := errors.New("the rows are gone")
	err = parquet.Write(t.Context(), filepath.Join(t.TempDir(), "b.parquet"), whole, of([][]any{{"1"}}, gone), "64MB")
	require.ErrorIs(t, err, gone)
	require.False(t, errors.As(err, &unfit))
}
