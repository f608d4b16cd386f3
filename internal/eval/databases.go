package eval

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // gold SQL runs on DuckDB as it is written

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// Bounds of one query of an evaluation.
const (
	queryTimeout = 20 * time.Second
	maxRows      = 100_000
	pageRows     = 2_000
)

// databases ingests the databases of a folder as they are needed and keeps one
// open: questions come grouped by database.
type databases struct {
	dir     string
	scratch string
	store   *source.Store
	guard   *guard.Guard
	current *database
}

func newDatabases(dir string) (*databases, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	scratch, err := os.MkdirTemp("", "dibrain-eval-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary data directory: %w", err)
	}
	store, err := source.Open(scratch)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	return &databases{dir: dir, scratch: scratch, store: store, guard: guard.New(guard.Config{DefaultLimit: maxRows, MaxLimit: maxRows})}, nil
}

func (d *databases) close() error {
	var err error
	if d.current != nil {
		err = d.current.close()
	}
	return errors.Join(err, os.RemoveAll(d.scratch))
}

// database is one that is open.
type database struct {
	name   string
	tables []catalog.Table
	scope  resolve.Scope
	engine *duckdb.Engine
	raw    *sql.DB
	guard  *guard.Guard
	mysql  bool
}

func (d *databases) open(ctx context.Context, name string) (*database, error) {
	if d.current != nil && d.current.name == name {
		return d.current, nil
	}
	if d.current != nil {
		if err := d.current.close(); err != nil {
			return nil, err
		}
		d.current = nil
	}
	g, mysql, err := d.ingest(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", name, err)
	}
	db, err := openDatabase(ctx, g, d.guard)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", name, err)
	}
	db.name, db.mysql = name, mysql
	if err := describe(db.tables, filepath.Join(d.dir, name, name+".json")); err != nil {
		return nil, errors.Join(err, db.close())
	}
	d.current = db
	return db, nil
}

// ingest makes a source of a database's folder: CSV files with a schema.sql, or a
// dump NAME.sql with descriptions in NAME.json.
func (d *databases) ingest(ctx context.Context, name string) (g *source.Generation, mysql bool, err error) {
	if strings.ContainsAny(name, `/\.`) {
		return nil, false, fmt.Errorf("%w: database name %q", ErrData, name)
	}
	sourceName := strings.ToLower(name) // sources are named in lower case
	if g, err := d.store.Current(sourceName); err == nil {
		_, statErr := os.Stat(filepath.Join(d.dir, name, "schema.sql"))
		return g, statErr == nil, nil
	}
	dir := filepath.Join(d.dir, name)
	dump := filepath.Join(dir, name+".sql")
	if _, err := os.Stat(dump); err == nil {
		_, err = ingest.SQLDump(ctx, d.store, sourceName, dump, ingest.Options{})
		if err != nil {
			return nil, false, err
		}
		g, err = d.store.Current(sourceName)
		return g, false, err
	}
	if _, err := ingest.CSV(ctx, d.store, sourceName, dir, ingest.Options{}); err != nil {
		return nil, false, err
	}
	g, err = d.store.Current(sourceName)
	return g, true, err
}

func openDatabase(ctx context.Context, g *source.Generation, gd *guard.Guard) (*database, error) {
	snap, err := g.Snapshot()
	if err != nil {
		return nil, err
	}
	region, schema := g.Manifest.DefaultRegion, g.Manifest.DefaultSchema
	index := catalog.NewIndex(snap, catalog.Defaults{Region: region, Schema: schema})
	engine, err := duckdb.Open(ctx, duckdb.Config{
		Launcher:  duckdb.InProcess(),
		Databases: g.DatabasePaths(), DefaultRegion: region, DefaultSchema: schema, Threads: 1,
		Limits: warehouse.Limits{MaxRows: maxRows, Timeout: queryTimeout},
	})
	if err != nil {
		return nil, err
	}
	db := &database{tables: snap.Tables, engine: engine, guard: gd,
		scope: resolve.Scope{Catalog: index, DefaultRegion: region, DefaultSchema: schema}}
	if db.raw, err = openRaw(ctx, g.DatabasePaths()[region], region, schema); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return db, nil
}

// openRaw opens the database's file for gold SQL, with its schema as the default
// and its name as a schema too, as MySQL writes names.
func openRaw(ctx context.Context, path, region, schema string) (*sql.DB, error) {
	raw, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	raw.SetMaxOpenConns(1)
	for _, q := range []string{
		fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", printer.String(path), printer.Quote(region)),
		fmt.Sprintf("USE %s.%s", printer.Quote(region), printer.Quote(schema)),
		"SET threads = 1",
	} {
		if _, err := raw.ExecContext(ctx, q); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
	}
	return raw, nil
}

func (db *database) close() error { return errors.Join(db.raw.Close(), db.engine.Close()) }

// evaluator is who the questions are asked by.
var evaluator = run.Principal{ID: "eval"}

// predicted runs a prediction as the product does.
func (db *database) predicted(ctx context.Context, text string) (Table, error) {
	approved, err := db.guard.Approve(ctx, evaluator, text, db.scope)
	if err != nil {
		return Table{}, fmt.Errorf("guard: %w", err)
	}
	rows, err := db.engine.Query(ctx, evaluator, approved, warehouse.Options{MaxRows: maxRows, Timeout: queryTimeout})
	if err != nil {
		return Table{}, err
	}
	defer func() { _ = rows.Close() }() // read to the end or not wanted
	t := Table{Columns: len(rows.Columns())}
	for {
		page, err := rows.Next(ctx, pageRows)
		t.Rows = append(t.Rows, page...)
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

// gold runs a gold query as it is written.
func (db *database) gold(ctx context.Context, text string) (Table, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	rows, err := db.raw.QueryContext(ctx, text)
	if err != nil {
		return Table{}, err
	}
	defer func() { _ = rows.Close() }() // read to the end
	columns, err := rows.Columns()
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: len(columns)}
	for rows.Next() && len(t.Rows) < maxRows {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return Table{}, err
		}
		t.Rows = append(t.Rows, values)
	}
	return t, rows.Err()
}

// describe puts the column descriptions of a NAME.json into the tables.
func describe(tables []catalog.Table, file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var data struct {
		Tables map[string][]struct {
			Name        string `json:"column_name"`
			Description string `json:"column_description"`
		} `json:"table_metadata"`
	}
	if err := json.Unmarshal(text, &data); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrData, file, err)
	}
	for name, columns := range data.Tables {
		for i := range tables {
			t := &tables[i]
			if !strings.EqualFold(t.Name.Table, name) && !strings.EqualFold(t.Name.Schema+"."+t.Name.Table, name) {
				continue
			}
			for _, c := range columns {
				for j := range t.Columns {
					if strings.EqualFold(t.Columns[j].Name, c.Name) && t.Columns[j].Comment == "" {
						t.Columns[j].Comment = c.Description
					}
				}
			}
		}
	}
	return nil
}
