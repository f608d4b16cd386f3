// Package parquet writes the rows of a result as a file of Parquet, with the types of its
// columns.
package parquet

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/result"
)

// UnfitError is a value that is not of its column's type, or rows that the memory does not
// do for.
type UnfitError struct{ cause error }

// Error implements error.
func (e *UnfitError) Error() string { return "write Parquet: " + e.cause.Error() }

// Unwrap gives what the writer said.
func (e *UnfitError) Unwrap() error { return e.cause }

// Write writes a file by DuckDB: the rows are gathered as texts in a database in memory,
// which is no source's, and cast to the types of the columns as they are copied out. Cells
// are texts as an exact CSV has them, or nil. Names of columns have to be unique whatever
// their case. memory bounds the database, as DuckDB writes sizes ("512MB"). Errors: *UnfitError.
func Write(ctx context.Context, path string, columns []result.Column, rows iter.Seq2[[]any, error], memory string) (err error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"SET memory_limit = " + literal(memory), "SET temp_directory = ''", "SET threads = 1",
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("write Parquet: %w", err)
		}
	}
	var kept, cast []string
	for i, c := range columns {
		column := "c" + strconv.Itoa(i)
		kept = append(kept, column+" VARCHAR")
		cast = append(cast, castOf(column, c)+" AS "+identifier(c.Name))
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE rows ("+strings.Join(kept, ", ")+")"); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := gather(ctx, connector, db, len(columns), rows); err != nil {
		return err
	}
	copied := "COPY (SELECT " + strings.Join(cast, ", ") + " FROM rows) TO " + literal(path) + " (FORMAT parquet, COMPRESSION zstd)"
	if _, err := db.ExecContext(ctx, copied); err != nil {
		return &UnfitError{err}
	}
	return nil
}

// gather appends the rows to the table, as texts.
func gather(ctx context.Context, connector *duckdb.Connector, db *sql.DB, columns int, rows iter.Seq2[[]any, error]) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool, which is closed next
	return conn.Raw(func(raw any) error {
		plain, ok := raw.(driver.Conn)
		if !ok {
			return fmt.Errorf("write Parquet: a connection of type %T", raw)
		}
		appender, err := duckdb.NewAppenderFromConn(plain, "", "rows")
		if err != nil {
			return fmt.Errorf("write Parquet: %w", err)
		}
		values := make([]driver.Value, columns)
		for row, err := range rows {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return errors.Join(err, appender.Close())
			}
			for i, v := range row {
				values[i] = v
			}
			if err := appender.AppendRow(values...); err != nil {
				return errors.Join(&UnfitError{err}, appender.Close())
			}
		}
		if err := appender.Close(); err != nil {
			return &UnfitError{err}
		}
		return nil
	})
}

// castOf is the expression that makes a column's type of its text. Arrays, maps and rows
// stay JSON texts, and times with a zone become points in time.
func castOf(column string, c result.Column) string {
	var to string
	base, arguments, _ := strings.Cut(strings.ToLower(strings.TrimSpace(c.Type)), "(")
	switch c.Kind() {
	case result.KindInteger:
		to = map[string]string{"tinyint": "TINYINT", "smallint": "SMALLINT", "integer": "INTEGER", "int": "INTEGER"}[base]
		if to == "" {
			to = "BIGINT"
		}
	case result.KindDecimal:
		to = "DECIMAL(38, 0)"
		if precision, scale, ok := result.Decimal(arguments); ok {
			to = fmt.Sprintf("DECIMAL(%d, %d)", precision, scale)
		}
	case result.KindFloat:
		to = "DOUBLE"
	case result.KindBool:
		to = "BOOLEAN"
	case result.KindDate:
		to = "DATE"
	case result.KindTimestamp:
		to = "TIMESTAMP"
		if strings.Contains(c.Type, "with time zone") {
			to = "TIMESTAMPTZ"
		}
	default:
		if base == "varbinary" {
			return "from_base64(" + column + ")"
		}
		return column
	}
	return "CAST(" + column + " AS " + to + ")"
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
