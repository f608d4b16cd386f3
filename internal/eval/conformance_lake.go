package eval

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed" // of the columns' types
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver that reads the tables' files

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// The statements were sent with this catalog and schema; lakeFolder holds the
// tables, a Parquet file each.
const (
	lakeRegion = "tpch"
	lakeSchema = "tiny"
	lakeFolder = "tpch_tiny"
)

// lake is a database of the tables that the statements read.
type lake struct {
	dir, path string
	tables    []catalog.Table
	catalog   *resolve.Tables
}

// openLake makes it in a temporary folder, which close removes.
func openLake(ctx context.Context, folder string) (l *lake, err error) {
	files, err := filepath.Glob(filepath.Join(folder, lakeFolder, "*.parquet"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%w: there are no Parquet files in %s", ErrData, filepath.Join(folder, lakeFolder))
	}
	dir, err := os.MkdirTemp("", "dibrain-eval-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the tables: %w", err)
	}
	l = &lake{dir: dir, path: filepath.Join(dir, "lake.duckdb")}
	tables, err := l.fill(ctx, files)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.tables, l.catalog = tables, resolve.NewTables(tables)
	return l, nil
}

func (l *lake) fill(ctx context.Context, files []string) (tables []catalog.Table, err error) {
	db, err := sql.Open("duckdb", l.path)
	if err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+printer.Quote(lakeSchema)); err != nil {
		return nil, fmt.Errorf("make a schema: %w", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".parquet")
		create := fmt.Sprintf("CREATE TABLE %s.%s AS SELECT * FROM read_parquet(%s)", printer.Quote(lakeSchema), printer.Quote(name), printer.String(file))
		if _, err := db.ExecContext(ctx, create); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrData, file, err)
		}
		columns, err := columnsOf(ctx, db, name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, catalog.Table{Name: catalog.Name{Region: lakeRegion, Schema: lakeSchema, Table: name}, Columns: columns})
	}
	return tables, nil
}

//go:embed lake_types.tsv
var lakeTypes string

// storedTypes are the types of columns on the server, by "table.column", as far as
// they are written down.
func storedTypes() map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(lakeTypes) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); len(cells) == 3 {
			out[cells[0]+"."+cells[1]] = cells[2]
		}
	}
	return out
}

// columnsOf reads names and types; those that are not written down have one name
// in both dialects.
func columnsOf(ctx context.Context, db *sql.DB, table string) ([]catalog.Column, error) {
	rows, err := db.QueryContext(ctx, "SELECT column_name, lower(data_type) FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", lakeSchema, table)
	if err != nil {
		return nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }() // read to the end
	types := storedTypes()
	var columns []catalog.Column
	for rows.Next() {
		var c catalog.Column
		if err := rows.Scan(&c.Name, &c.Type); err != nil {
			return nil, fmt.Errorf("columns of %s: %w", table, err)
		}
		c.NotNull = true // so are all columns of the generated tables
		c.Type = cmp.Or(types[table+"."+c.Name], c.Type)
		columns = append(columns, c)
	}
	return columns, rows.Err()
}

func (l *lake) scope() resolve.Scope {
	return resolve.Scope{Catalog: l.catalog, DefaultRegion: lakeRegion, DefaultSchema: lakeSchema}
}

// lakeSchemas are the schemas that hold the same tables in other sizes: lists show
// them, and there is no data of them here.
func lakeSchemas() []string {
	return []string{lakeSchema, "sf1", "sf100", "sf1000", "sf10000", "sf100000", "sf300", "sf3000", "sf30000"}
}

// Tables implements guard.Directory.
func (l *lake) Tables(_ context.Context, filter guard.Filter, limit int) (tables []catalog.Table, more bool, err error) {
	if filter.Region == "" {
		return nil, false, &guard.Refusal{Code: string(resolve.NotSupported), Message: "this data has one of the server's catalogs"}
	}
	for _, schema := range lakeSchemas() {
		for _, t := range l.tables {
			t.Name.Schema = schema
			if !filter.Fits(t.Name) {
				continue
			}
			if len(tables) == limit {
				return tables, true, nil
			}
			tables = append(tables, t)
		}
	}
	return tables, false, nil
}

func (l *lake) close() error { return os.RemoveAll(l.dir) }
