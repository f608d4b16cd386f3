package ingest

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// dump is an SQL dump that is read twice: to learn types, and to load.
type dump struct {
	b       *builder
	path    string
	text    *textFile
	weight  int64 // of what is read now, see meter
	loading bool  // the rows are read for the last time
	schema  *ddl.Schema
	tables  []*dumpTable
	byKey   map[string]*dumpTable
	values  *evaluator
	updated time.Time
	into    map[*ddl.Table]*ddl.Table // see fold
	dialect ddl.Dialect

	functions map[string]bool // that were given to the engine for views
}

// dumpTable is a table of a dump, declared there or only known by its rows.
type dumpTable struct {
	name     ddl.Name
	declared *ddl.Table
	columns  []*column
	rows     int64
	skipped  int64
	made     *catalog.Table

	above []*dumpTable // whose rows this one's are as well, each once
}

func (b *builder) sqlDump(ctx context.Context, path string) (err error) {
	info, err := b.statInput(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is a folder: give the dump's file", path)
	}
	d := &dump{b: b, path: path, byKey: make(map[string]*dumpTable), functions: make(map[string]bool), updated: info.ModTime()}
	if d.values, err = newEvaluator(ctx, b.options.Clock()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.values.close()) }()
	_, packing := endingOf(path)
	if d.text, err = b.findText(ctx, path, packing, dumpSays); err != nil {
		return unreadable(path, err)
	}
	b.tellEncoding(d.text)
	// The tables are declared before their rows, but keys and comments may follow:
	// a first reading finds the declarations, so that rows know their columns.
	b.meter.expect(path)
	b.meter.begin(filepath.Base(path))
	d.weight = weightDeclared
	if err := d.read(ctx, nil); err != nil {
		return unreadable(path, err)
	}
	b.scriptProblems(path, d.schema)
	d.fold()
	for _, t := range d.schema.Tables {
		d.table(t.Name)
	}
	for _, t := range slices.Clone(d.tables) {
		if t.declared != nil {
			t.above = d.ancestors(t.declared)
		}
	}
	d.weight = weightDumpLearn
	if err := d.read(ctx, d.learn); err != nil {
		return err
	}
	if err := d.create(ctx); err != nil {
		return err
	}
	d.weight, d.loading = weightDumpLoad, true
	if err := d.load(ctx); err != nil {
		return err
	}
	return d.views(ctx)
}

// unreadable is the fault of a dump that cannot be opened or unpacked; other errors stay.
func unreadable(path string, err error) error {
	var p *placed
	if errors.As(err, &p) {
		return fault.Invalid("path", "INPUT_UNREADABLE", "%s: %s", path, p.message).Because(err)
	}
	return err
}

// read reads the dump once. The first reading keeps the declarations.
func (d *dump) read(ctx context.Context, rows func(*dumpTable, ddl.Row, []cell) error) error {
	text, closer, err := d.text.open(ctx, func(r io.Reader) io.Reader { return d.b.meter.over(r, d.weight) })
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	var cells []cell
	handle := func(row ddl.Row) error {
		if rows == nil {
			return nil
		}
		t := d.table(row.Table)
		var problem *placed
		if cells, problem, err = d.cells(ctx, t, row, cells[:0]); err != nil {
			return err
		}
		if problem != nil {
			return d.skip(t, problem)
		}
		if err := rows(t, row, cells); err != nil {
			return err
		}
		for _, parent := range t.above {
			if err := rows(parent, row, t.seenBy(parent, cells)); err != nil {
				return err
			}
		}
		return nil
	}
	reader, config := d.b.script(text, handle)
	d.dialect = config.Dialect
	schema, err := ddl.Read(reader, config)
	if err != nil {
		return fmt.Errorf("read %s: %w", d.path, err)
	}
	if d.schema == nil {
		d.schema = schema
	}
	return nil
}

// table returns the state of a table; rows of an undeclared one make it.
func (d *dump) table(name ddl.Name) *dumpTable {
	declared, _ := d.schema.Table(name)
	if declared != nil {
		declared = d.folded(declared)
		name = declared.Name
	}
	t := d.byKey[name.Key()]
	if t == nil {
		t = &dumpTable{name: name, declared: declared}
		if declared != nil {
			t.columns = declaredColumns(declared)
		}
		d.byKey[name.Key()] = t
		d.tables = append(d.tables, t)
	}
	return t
}

// cells brings a row's values into the order of the table's columns.
func (d *dump) cells(ctx context.Context, t *dumpTable, row ddl.Row, cells []cell) ([]cell, *placed, error) {
	if t.declared == nil {
		t.widen(row)
	}
	for range t.columns {
		cells = append(cells, cell{null: true})
	}
	for i, v := range row.Values {
		at := i
		if row.Columns != nil {
			at = t.position(row.Columns[i])
		}
		if at < 0 || at >= len(cells) {
			return cells, &placed{row.Line, row.Column, fmt.Sprintf("table %q has no column for value %d", t.name.Table, i+1)}, nil
		}
		c, err := d.cell(ctx, t.columns[at], v)
		var refused *placed
		if errors.As(err, &refused) {
			return cells, &placed{row.Line, row.Column, fmt.Sprintf("value %d of table %q: %s", i+1, t.name.Table, refused.message)}, nil
		}
		if err != nil {
			return cells, nil, err
		}
		cells[at] = c
	}
	return cells, nil, nil
}

// widen adds the columns that an undeclared table's row brings.
func (t *dumpTable) widen(row ddl.Row) {
	for i := range row.Values {
		name := fmt.Sprintf("column_%d", i+1)
		if row.Columns != nil {
			name = row.Columns[i]
		}
		if t.position(name) < 0 {
			t.columns = append(t.columns, newColumn(name, nil))
		}
	}
}

func (t *dumpTable) position(name string) int {
	for i, c := range t.columns {
		if strings.EqualFold(c.name, name) {
			return i
		}
	}
	return -1
}

func (d *dump) cell(ctx context.Context, c *column, v ddl.Value) (cell, error) {
	switch v.Kind {
	case ddl.Null:
		return cell{null: true}, nil
	case ddl.Blob:
		if raw, err := hex.DecodeString(v.Text); err == nil {
			return validText(string(raw)), nil
		}
		return cell{text: v.Text}, nil // no whole bytes: as it is written
	case ddl.Expression:
		return d.values.value(ctx, v.Tokens, wantedType(c.declared))
	}
	return validText(v.Text), nil
}

// skip leaves out a row; d.learn is not told of it. It is counted and reported once.
func (d *dump) skip(t *dumpTable, p *placed) error {
	if d.loading {
		return nil
	}
	if t.skipped++; t.skipped <= shownProblems {
		d.b.problem(Problem{Kind: KindRowSkipped, File: d.path, Line: p.line, Column: p.column, Message: "this row is left out: " + p.message})
	}
	return nil
}

func (d *dump) learn(t *dumpTable, _ ddl.Row, cells []cell) error {
	t.rows++
	for i, c := range t.columns {
		if !cells[i].null {
			c.observe(cells[i].text)
		}
	}
	return nil
}

// create makes all tables, also those without rows.
func (d *dump) create(ctx context.Context) error {
	for _, t := range d.tables {
		if len(t.columns) == 0 || len(t.columns) > d.b.options.MaxColumns {
			d.b.problem(Problem{Kind: KindTableSkipped, File: d.path, Message: fmt.Sprintf("table %q has %d columns and is left out: 1 to %d (MaxColumns)", t.name.Table, len(t.columns), d.b.options.MaxColumns)})
			continue
		}
		made := d.b.declare(schemaOf(t.name), t.name.Table, d.path, d.updated)
		if made == nil {
			return nil
		}
		if err := d.b.create(ctx, made, d.b.settleAll(uniqueNames(t.columns, nil), d.path)); err != nil {
			return err
		}
		if t.declared != nil {
			d.b.describe(made, t.declared, d.schemaOfReference)
		}
		t.made = made
		d.b.declared[made] = true
		d.b.done(made, t.rows, t.skipped)
		d.b.loaded++
	}
	return nil
}

// schemaOf is the schema that a table is kept in.
func schemaOf(name ddl.Name) string {
	if name.Schema == "" {
		return mainSchema
	}
	return name.Schema
}

func (d *dump) schemaOfReference(name ddl.Name) string {
	if t, ok := d.schema.Table(name); ok {
		name = t.Name
	}
	return schemaOf(name)
}

// load reads the dump for the last time and appends the rows. Rows of one table
// stand together in a dump: they are gathered until a batch is full or another
// table's rows begin.
func (d *dump) load(ctx context.Context) error {
	const batch = 2048
	var current *dumpTable // whose rows stand in the dump here
	var gathered []*batchOf
	finished := 0
	err := d.read(ctx, func(t *dumpTable, row ddl.Row, cells []cell) error {
		if at := d.table(row.Table); at != current {
			if err := d.flush(ctx, gathered...); err != nil {
				return err
			}
			gathered = nil
			if current != nil {
				finished = min(finished+1, len(d.tables))
				d.b.options.Progress(finished, len(d.tables), current.name.Table)
			}
			current = at
		}
		at := slices.IndexFunc(gathered, func(b *batchOf) bool { return b.table == t })
		if at < 0 {
			at, gathered = len(gathered), append(gathered, &batchOf{table: t})
		}
		values, err := t.values(cells)
		if err != nil {
			return err
		}
		gathered[at].rows = append(gathered[at].rows, values)
		d.b.meter.addRows(1)
		if len(gathered[at].rows) < batch {
			return nil
		}
		return d.flush(ctx, gathered[at])
	})
	if err != nil {
		return err
	}
	if err := d.flush(ctx, gathered...); err != nil {
		return err
	}
	d.b.options.Progress(len(d.tables), len(d.tables), "")
	return nil
}

// batchOf are rows on their way into a table.
type batchOf struct {
	table *dumpTable
	rows  [][]driver.Value
}

// flush appends what was gathered.
func (d *dump) flush(ctx context.Context, batches ...*batchOf) error {
	for _, batch := range batches {
		if batch.table.made == nil || len(batch.rows) == 0 {
			batch.rows = batch.rows[:0]
			continue
		}
		if err := d.b.appendRows(ctx, batch.table.made, func(add func([]driver.Value) error) error {
			for _, row := range batch.rows {
				if err := add(row); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		batch.rows = batch.rows[:0]
	}
	return nil
}

// values gives a row's texts the types of their columns.
func (t *dumpTable) values(cells []cell) ([]driver.Value, error) {
	row := make([]driver.Value, len(t.columns))
	for i, c := range t.columns {
		if cells[i].null {
			continue
		}
		v, err := c.typ.value(cells[i].text)
		if err != nil {
			return nil, fmt.Errorf("the dump changed while it was read: %w", err)
		}
		row[i] = v
	}
	return row, nil
}
