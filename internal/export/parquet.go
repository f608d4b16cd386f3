package export

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
)

// parquet writes the rows by DuckDB: they are gathered as texts in a database in memory,
// which is no source's, and cast to the types of the columns as they are copied out. A
// value that is not of its column's type ends the export.
func (j *job) parquet(ctx context.Context) (err error) {
	if len(j.Columns) == 0 {
		return fault.New(codes.FailedPrecondition, "PARQUET_UNWRITABLE", "the result has no columns, and a Parquet file has one at least: export .csv or .json")
	}
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"SET memory_limit = " + literal(j.config.ParquetMemory), "SET temp_directory = ''", "SET threads = 1",
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("write Parquet: %w", err)
		}
	}
	var kept, cast []string
	for i, name := range j.uniqueNames() {
		column := "c" + strconv.Itoa(i)
		kept = append(kept, column+" VARCHAR")
		cast = append(cast, castOf(column, j.Columns[i])+" AS "+identifier(name))
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE rows ("+strings.Join(kept, ", ")+")"); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := j.gather(ctx, connector, db); err != nil {
		return err
	}
	copied := "COPY (SELECT " + strings.Join(cast, ", ") + " FROM rows) TO " + literal(j.path) + " (FORMAT parquet, COMPRESSION zstd)"
	if _, err := db.ExecContext(ctx, copied); err != nil {
		return unfit(err)
	}
	return nil
}

func unfit(err error) error {
	return fault.New(codes.FailedPrecondition, "PARQUET_UNWRITABLE",
		"the rows cannot be written as Parquet: export .csv or .xlsx, or raise export.parquet_memory where the memory did not do").Because(err).ForOperator("%v", err)
}

// gather appends the rows to the table, as texts.
func (j *job) gather(ctx context.Context, connector *duckdb.Connector, db *sql.DB) error {
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
		values := make([]driver.Value, len(j.Columns))
		for row, err := range j.Rows {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return errors.Join(err, appender.Close())
			}
			for i, v := range row {
				values[i] = nil
				if v != nil {
					values[i] = exact(v)
				}
			}
			if err := appender.AppendRow(values...); err != nil {
				return errors.Join(unfit(err), appender.Close())
			}
		}
		if err := appender.Close(); err != nil {
			return unfit(err)
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
		if precision, scale, ok := decimal(arguments); ok {
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

// decimal reads "18, 2)".
func decimal(arguments string) (precision, scale int, ok bool) {
	first, second, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(arguments), ")"), ",")
	precision, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || precision < 1 || precision > 38 {
		return 0, 0, false
	}
	if second = strings.TrimSpace(second); second != "" {
		if scale, err = strconv.Atoi(second); err != nil || scale < 0 || scale > precision {
			return 0, 0, false
		}
	}
	return precision, scale, true
}

// uniqueNames are the columns' names, made different where they are alike but for case:
// readers of Parquet find columns by name.
func (j *job) uniqueNames() []string {
	original, taken, names := map[string]bool{}, map[string]bool{}, make([]string, len(j.Columns))
	var changed []string
	for _, c := range j.Columns {
		original[strings.ToLower(valid(c.Name))] = true
	}
	for i, c := range j.Columns {
		name := strings.ReplaceAll(valid(c.Name), "\x00", "\uFFFD")
		if name == "" {
			name = "column_" + strconv.Itoa(i+1)
		}
		unique := name
		for n := 2; taken[strings.ToLower(unique)] || unique != c.Name && original[strings.ToLower(unique)]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		taken[strings.ToLower(unique)] = true
		if names[i] = unique; unique != c.Name {
			changed = append(changed, unique)
		}
	}
	if len(changed) > 0 {
		j.note("columns that had no name of their own are called %s", strings.Join(changed, ", "))
	}
	return names
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
