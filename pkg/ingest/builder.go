package ingest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/correct"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

const mainSchema = "main"

// builder fills one DuckDB file and the catalog that describes it.
type builder struct {
	options Options
	region  string
	dir     string // of the new generation
	conn    *sql.Conn

	words       *written.Words
	unread      unreadStore
	corrections *correct.Corrections // what people said of the source

	meter  meter
	report Report
	tables []*catalog.Table
	byKey  map[string]*catalog.Table
	// declared are the tables whose types are those that they brought along: nobody read
	// their texts.
	declared map[*catalog.Table]bool

	loaded int // tables that came from good data, not from a declaration alone
}

// run makes a generation with one DuckDB file, filled by fill.
func run(ctx context.Context, store *source.Store, name, origin string, options Options, fill func(context.Context, *builder) error) (Report, error) {
	b := &builder{options: options.complete(), region: name, byKey: make(map[string]*catalog.Table), declared: make(map[*catalog.Table]bool), words: written.NewWords()}
	b.unread.max = b.options.MaxUnread
	b.meter.report = b.options.Reading
	_, err := store.Make(ctx, name, func(ctx context.Context, dir string) (_ source.Manifest, _ *catalog.Snapshot, err error) {
		if b.corrections, err = store.Corrections(name); err != nil {
			return source.Manifest{}, nil, err
		}
		b.dir = dir
		file := name + ".duckdb"
		if err := b.into(ctx, filepath.Join(dir, file), fill); err != nil {
			return source.Manifest{}, nil, err
		}
		if err := b.unread.write(dir); err != nil {
			return source.Manifest{}, nil, err
		}
		b.report.Unread = len(b.unread.texts)
		if b.unread.dropped > 0 {
			b.problem(Problem{Kind: KindNote, Message: fmt.Sprintf("%d more texts that could not be read are not kept: at most %d (MaxUnread)", b.unread.dropped, b.options.MaxUnread)})
		}
		snapshot := &catalog.Snapshot{Tables: make([]catalog.Table, len(b.tables))}
		for i, t := range b.tables {
			snapshot.Tables[i] = *t
		}
		return source.Manifest{
			Engine: source.EngineDuckDB, Databases: map[string]string{name: file},
			DefaultRegion: name, DefaultSchema: b.defaultSchema(), Version: Version, Origin: origin,
		}, snapshot, nil
	})
	return b.report, err
}

// into opens the new database, fills it, describes it and closes it.
func (b *builder) into(ctx context.Context, path string, fill func(context.Context, *builder) error) (err error) {
	connector, err := duckdb.NewConnector(path, nil)
	if err != nil {
		return fmt.Errorf("make the database %s: %w", path, err)
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	if b.conn, err = db.Conn(ctx); err != nil {
		return fmt.Errorf("make the database %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, b.conn.Close()) }()
	for _, setting := range []string{
		"SET memory_limit = " + printer.String(b.options.MemoryLimit),
		"SET threads = " + strconv.Itoa(b.options.Threads),
		"SET temp_directory = " + printer.String(path+".tmp"),
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET TimeZone = 'UTC'",
	} {
		if err := b.exec(ctx, setting); err != nil {
			return err
		}
	}
	if err := fill(ctx, b); err != nil {
		return err
	}
	if b.loaded == 0 {
		return b.nothing()
	}
	b.dropDanglingKeys()
	b.meter.settle()
	if err := b.profile(ctx); err != nil {
		return err
	}
	if err := b.links(ctx); err != nil {
		return err
	}
	if err := b.joinDescriptions(ctx); err != nil {
		return err
	}
	if err := b.exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	return os.RemoveAll(path + ".tmp")
}

// nothing is the error of an ingest that has no good table; the first problems tell why.
func (b *builder) nothing() error {
	const shown = 3
	why := make([]string, 0, shown)
	for _, p := range b.report.Problems {
		if len(why) == shown {
			break
		}
		why = append(why, p.String())
	}
	if len(why) == 0 {
		why = append(why, "no table was found")
	}
	return fault.Invalid("path", "INGEST_NOTHING", "nothing could be read, so source %q stays as it was: %s", b.region, strings.Join(why, "; "))
}

// String returns file, line, column and message in the form that editors understand.
func (p Problem) String() string {
	var s strings.Builder
	s.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&s, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&s, ":%d", p.Column)
		}
	}
	if s.Len() > 0 {
		s.WriteString(": ")
	}
	return s.String() + p.Message
}

func (b *builder) problem(p Problem) {
	p.File = strings.ToValidUTF8(p.File, "\uFFFD") // people and programs read it as text
	if len(b.report.Problems) >= b.options.MaxProblems {
		b.report.Dropped++
		return
	}
	b.report.Problems = append(b.report.Problems, p)
}

// exec runs a statement of the builder's own.
func (b *builder) exec(ctx context.Context, statement string) error {
	if _, err := b.conn.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("load into DuckDB: %w", err)
	}
	return nil
}

// quote makes a dotted name out of any texts. DuckDB quotes as Presto does.
func quote(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = printer.Quote(p)
	}
	return strings.Join(quoted, ".")
}

// declare makes a table's entry in the catalog under a name that is still free,
// or returns nil when there are too many tables.
func (b *builder) declare(schema, table, file string, updated time.Time) *catalog.Table {
	if len(b.tables) >= b.options.MaxTables {
		b.problem(Problem{Kind: KindTableSkipped, File: file, Message: fmt.Sprintf("table %q is left out: more than %d tables (MaxTables)", table, b.options.MaxTables)})
		return nil
	}
	if valid := strings.ToValidUTF8(table, "_"); valid != table { // a file's name: some systems write them in Latin-1 or GBK
		b.problem(Problem{Kind: KindChanged, File: file, Message: fmt.Sprintf("the name is not UTF-8: the table is named %q", valid)})
		table = valid
	}
	name := catalog.Name{Region: b.region, Schema: schema, Table: table}
	for n := 2; b.byKey[name.Key()] != nil; n++ {
		name.Table = fmt.Sprintf("%s_%d", table, n)
	}
	if name.Table != table {
		b.problem(Problem{Kind: KindChanged, File: file, Message: fmt.Sprintf("another table is named %q: this one becomes %q", table, name.Table)})
	}
	t := &catalog.Table{Name: name, Kind: catalog.KindTable, UpdatedAt: updated.UTC()}
	b.tables = append(b.tables, t)
	b.byKey[name.Key()] = t
	return t
}

// forget takes back a declared table.
func (b *builder) forget(t *catalog.Table) {
	delete(b.byKey, t.Name.Key())
	for i := range b.tables {
		if b.tables[i] == t {
			b.tables = append(b.tables[:i], b.tables[i+1:]...)
			return
		}
	}
}

// create makes the empty table and enters its columns into the catalog.
func (b *builder) create(ctx context.Context, t *catalog.Table, columns []*column) error {
	specs := make([]string, len(columns))
	t.Columns = make([]catalog.Column, len(columns))
	for i, c := range columns {
		specs[i] = quote(c.name) + " " + c.typ.duckdb()
		t.Columns[i] = catalog.Column{Name: c.name, Type: c.typ.presto()}
		if c.declared != nil {
			t.Columns[i].Comment, t.Columns[i].NotNull = c.declared.Comment, c.declared.NotNull
		}
	}
	if t.Name.Schema != mainSchema {
		if err := b.exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+quote(t.Name.Schema)); err != nil {
			return err
		}
	}
	return b.exec(ctx, "CREATE TABLE "+quote(t.Name.Schema, t.Name.Table)+" ("+strings.Join(specs, ", ")+")")
}

func (b *builder) drop(ctx context.Context, t *catalog.Table) error {
	b.forget(t)
	return b.exec(ctx, "DROP TABLE IF EXISTS "+quote(t.Name.Schema, t.Name.Table))
}

// appendRows opens an appender for a table, lets write fill it, and flushes it.
func (b *builder) appendRows(ctx context.Context, t *catalog.Table, write func(add func([]driver.Value) error) error) error {
	return b.conn.Raw(func(raw any) (err error) {
		conn, ok := raw.(driver.Conn)
		if !ok {
			return fmt.Errorf("load into DuckDB: unexpected connection %T", raw)
		}
		a, err := duckdb.NewAppenderFromConn(conn, t.Name.Schema, t.Name.Table)
		if err != nil {
			return fmt.Errorf("load into DuckDB: %w", err)
		}
		defer func() {
			// After an error the table is dropped: what closing says then is no news.
			if closeErr := a.Close(); err == nil && closeErr != nil {
				err = fmt.Errorf("load into DuckDB: %w", closeErr)
			}
		}()
		n := 0
		return write(func(row []driver.Value) error {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			return a.AppendRow(row...)
		})
	})
}

// describe adds what a declaration says of keys and comments. Keys whose columns
// the table does not have are left out.
func (b *builder) describe(t *catalog.Table, d *ddl.Table, schemaOf func(ddl.Name) string) {
	t.Description = d.Comment
	for _, key := range d.PrimaryKey {
		for i := range t.Columns {
			if strings.EqualFold(t.Columns[i].Name, key) {
				t.Columns[i].PrimaryKey, t.Columns[i].NotNull = true, true
			}
		}
	}
	for _, fk := range d.ForeignKeys {
		t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{
			Columns:    fk.Columns,
			RefTable:   catalog.Name{Region: b.region, Schema: schemaOf(fk.Ref), Table: fk.Ref.Table},
			RefColumns: fk.RefColumns,
		})
	}
}

// dropDanglingKeys gives foreign keys the stored spelling of what they point to,
// and removes those that point to nothing.
func (b *builder) dropDanglingKeys() {
	for _, t := range b.tables {
		kept := t.ForeignKeys[:0]
		for _, fk := range t.ForeignKeys {
			ref := b.byKey[fk.RefTable.Key()]
			if ref != nil && len(fk.RefColumns) == 0 {
				fk.RefColumns = ref.PrimaryKey()
			}
			if ref == nil || len(fk.Columns) != len(fk.RefColumns) || !spell(t, fk.Columns) || !spell(ref, fk.RefColumns) {
				b.problem(Problem{Kind: KindNote, Message: fmt.Sprintf("the foreign key of %s (%s) to %s points to nothing and is left out", t.Name, strings.Join(fk.Columns, ", "), fk.RefTable)})
				continue
			}
			fk.RefTable = ref.Name
			kept = append(kept, fk)
		}
		t.ForeignKeys = kept
	}
}

// spell gives names the stored case; false when a column is missing.
func spell(t *catalog.Table, columns []string) bool {
	for i, name := range columns {
		c, ok := t.Column(name)
		if !ok {
			return false
		}
		columns[i] = c.Name
	}
	return true
}

// defaultSchema is main where that has tables, else the schema with the most.
func (b *builder) defaultSchema() string {
	counts := make(map[string]int)
	best := mainSchema
	for _, t := range b.tables {
		counts[t.Name.Schema]++
	}
	if counts[mainSchema] > 0 {
		return mainSchema
	}
	for _, t := range b.tables { // in order, so that ties are always broken alike
		if counts[t.Name.Schema] > counts[best] {
			best = t.Name.Schema
		}
	}
	return best
}

// done notes a finished table in the report.
func (b *builder) done(t *catalog.Table, rows, skipped int64) {
	t.RowCount = rows
	b.report.Tables = append(b.report.Tables, TableReport{Name: t.Name, Rows: rows, Skipped: skipped})
}
