package ingest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

const attachedName = "ingest_input"

// readableStorage is a form of files that this program's DuckDB reads, and that all
// newer ones still write.
const readableStorage = "v1.2.0"

// Where the header of a DuckDB file names the version that wrote it, in bytes.
const (
	writerAt     = 52
	writerLength = 32
)

var versionForm = regexp.MustCompile(`^v\d+(\.\d+)+`)

// writerOf is the version of DuckDB that wrote a file, as far as its header tells.
func writerOf(path string) string {
	const unknown = "another version of DuckDB"
	file, err := os.Open(path) //nolint:gosec // the file that is ingested
	if err != nil {
		return unknown
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, writerLength)
	if _, err := file.ReadAt(head, writerAt); err != nil {
		return unknown
	}
	if version := versionForm.Find(head); version != nil {
		return "DuckDB " + string(version)
	}
	return unknown
}

// duckdbFile copies the tables of another DuckDB file.
func (b *builder) duckdbFile(ctx context.Context, path string) error {
	info, err := b.statInput(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is a folder: give the DuckDB file", path)
	}
	if err := b.exec(ctx, "ATTACH "+printer.String(path)+" AS "+attachedName+" (READ_ONLY, TYPE duckdb)"); err != nil {
		first, _, _ := strings.Cut(errors.Unwrap(err).Error(), "\n")
		if strings.Contains(first, "version number") {
			return fault.Invalid("path", "INPUT_NOT_DUCKDB", "%s was written by %s, in a form that this program does not read: write it again there with ATTACH %s AS old (READ_ONLY); ATTACH 'older.duckdb' AS older (STORAGE_VERSION '%s'); COPY FROM DATABASE old TO older; and ingest older.duckdb. DuckDB says: %s",
				path, writerOf(path), printer.String(path), readableStorage, first).Because(err)
		}
		return fault.Invalid("path", "INPUT_NOT_DUCKDB", "%s cannot be opened as a DuckDB database: close it in other programs, or export it again; DuckDB says: %s", path, first).Because(err)
	}
	if b.options.Views {
		// The text of a view is somebody else's: it reads no other files.
		if err := b.exec(ctx, "SET enable_external_access = false"); err != nil {
			return err
		}
	}
	tables, err := b.attachedTables(ctx, path)
	if err != nil {
		return err
	}
	for i, found := range tables {
		name := found.Name
		t, err := b.copyTable(ctx, quote(attachedName, name.Schema, name.Table), name.Schema, name.Table, path, info.ModTime())
		if err != nil {
			return err
		}
		if t != nil {
			if found.view {
				t.Kind = catalog.KindView // rules for the rows of what it reads do not reach it
			}
			if err := b.attachedDetails(ctx, t, name); err != nil {
				return err
			}
		}
		b.options.Progress(i+1, len(tables), name.Table)
	}
	return b.exec(ctx, "DETACH "+attachedName)
}

// attached is a table or a view of a file that is attached.
type attached struct {
	ddl.Name

	view bool
}

// attachedTables lists the tables, and the views where they are wanted, and reports the others.
func (b *builder) attachedTables(ctx context.Context, path string) ([]attached, error) {
	rows, err := b.conn.QueryContext(ctx, `SELECT schema_name, table_name, false FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
		UNION ALL SELECT schema_name, view_name, true FROM duckdb_views() WHERE database_name = $1 AND NOT internal ORDER BY ALL`, attachedName)
	if err != nil {
		return nil, fmt.Errorf("list the tables of %s: %w", path, err)
	}
	defer func() { _ = rows.Close() }()
	var tables []attached
	for rows.Next() {
		var name attached
		if err := rows.Scan(&name.Schema, &name.Table, &name.view); err != nil {
			return nil, fmt.Errorf("list the tables of %s: %w", path, err)
		}
		if name.view && !b.options.Views {
			b.problem(Problem{Kind: KindNote, File: path, Message: fmt.Sprintf("view %q is left out: --views makes a table of what it shows", name.Table)})
			continue
		}
		tables = append(tables, name)
	}
	return tables, rows.Err()
}

// attachedDetails copies comments and keys.
func (b *builder) attachedDetails(ctx context.Context, t *catalog.Table, name ddl.Name) error {
	args := []any{attachedName, name.Schema, name.Table}
	const where = " WHERE database_name = $1 AND schema_name = $2 AND table_name = $3"
	if err := b.conn.QueryRowContext(ctx, "SELECT coalesce(comment, '') FROM duckdb_tables()"+where, args...).Scan(&t.Description); err != nil && !errors.Is(err, sql.ErrNoRows) { // a view has none
		return fmt.Errorf("read the comment of %s: %w", t.Name, err)
	}
	comments, err := b.conn.QueryContext(ctx, "SELECT column_name, coalesce(comment, '') FROM duckdb_columns()"+where, args...)
	if err != nil {
		return fmt.Errorf("read the comments of %s: %w", t.Name, err)
	}
	defer func() { _ = comments.Close() }()
	for comments.Next() {
		var column, comment string
		if err := comments.Scan(&column, &comment); err != nil {
			return fmt.Errorf("read the comments of %s: %w", t.Name, err)
		}
		for i := range t.Columns {
			if t.Columns[i].Name == column {
				t.Columns[i].Comment = comment
			}
		}
	}
	if err := comments.Err(); err != nil {
		return fmt.Errorf("read the comments of %s: %w", t.Name, err)
	}
	return b.attachedKeys(ctx, t, args)
}

func (b *builder) attachedKeys(ctx context.Context, t *catalog.Table, args []any) error {
	rows, err := b.conn.QueryContext(ctx, `SELECT constraint_type, constraint_column_names, coalesce(referenced_table, ''), referenced_column_names
		FROM duckdb_constraints() WHERE database_name = $1 AND schema_name = $2 AND table_name = $3 AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')`, args...)
	if err != nil {
		return fmt.Errorf("read the keys of %s: %w", t.Name, err)
	}
	defer func() { _ = rows.Close() }()
	var d ddl.Table
	for rows.Next() {
		var kind, ref string
		var columns, refColumns duckdb.Composite[[]string]
		if err := rows.Scan(&kind, &columns, &ref, &refColumns); err != nil {
			return fmt.Errorf("read the keys of %s: %w", t.Name, err)
		}
		if kind == "PRIMARY KEY" {
			d.PrimaryKey = columns.Get()
			continue
		}
		d.ForeignKeys = append(d.ForeignKeys, ddl.ForeignKey{Columns: columns.Get(), Ref: ddl.Name{Table: ref}, RefColumns: refColumns.Get()})
	}
	comment := t.Description
	b.describe(t, &d, func(ddl.Name) string { return t.Name.Schema }) // DuckDB has foreign keys within a schema only
	t.Description = comment
	return rows.Err()
}
