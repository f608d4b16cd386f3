package ingest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// storedTable is a table of a SQLite file.
type storedTable struct {
	name     string
	place    string // as people are told
	declared ddl.Table
	columns  []*storedColumn
	query    string
	rows     int64
	made     *catalog.Table // as it was loaded; nil: it was left out

	// undeclared says that each column is a text and nothing refers to another: a program
	// made the table of a file of text, and nobody chose its types.
	undeclared bool
}

// sqliteLoad copies the tables of a SQLite file.
type sqliteLoad struct {
	*builder
	in      *sqliteInput
	size    int64
	updated time.Time
	schema  *ddl.Schema // what its CREATE statements say
	tables  []*storedTable
}

// sqliteFile copies the tables of a SQLite file, and those of its views where they are wanted.
func (b *builder) sqliteFile(ctx context.Context, path string) (err error) {
	info, err := b.statInput(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is a folder: give the SQLite file", path)
	}
	in, err := openSQLite(ctx, path, info, b.options.MaxFileBytes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	l := &sqliteLoad{builder: b, in: in, size: info.Size(), updated: info.ModTime()}
	if err := l.list(ctx); err != nil {
		return err
	}
	b.meter.begin(filepath.Base(path))
	for i, t := range l.tables {
		if err := l.table(ctx, t); err != nil {
			return err
		}
		b.options.Progress(i+1, len(l.tables), t.name)
	}
	if err := in.unchanged(); err != nil {
		return err
	}
	l.foreignKeys()
	views := &dump{b: b, path: path, schema: l.schema, dialect: ddl.SQLite, updated: l.updated, functions: make(map[string]bool)}
	return views.views(ctx)
}

// ofOtherContent finds tables for searching that hold no texts of their own.
var ofOtherContent = regexp.MustCompile(`(?is)\busing\s+fts[345]\b.*\bcontent\s*=`)

// list finds the tables with their columns and keys. What SQLite, or one of its
// extensions, keeps for itself is none of them.
func (l *sqliteLoad) list(ctx context.Context) error {
	rows, err := l.in.conn.QueryContext(ctx, `SELECT m.name, m.type, coalesce(m.sql, ''), coalesce(l.type, '')
		FROM sqlite_schema m LEFT JOIN pragma_table_list l ON l.schema = 'main' AND l.name = m.name
		WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.rowid`)
	if err != nil {
		return l.in.fault(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	var script strings.Builder
	for rows.Next() {
		var name, kind, text, exactly string
		if err := rows.Scan(&name, &kind, &text, &exactly); err != nil {
			return l.in.fault(ctx, err)
		}
		switch {
		case kind == "table" && exactly == "shadow":
			continue
		case kind == "table" && ofOtherContent.MatchString(text):
			l.problem(Problem{Kind: KindNote, File: l.in.path, Message: fmt.Sprintf("table %q only finds the texts of others and is left out", name)})
			continue
		case kind == "table":
			l.tables = append(l.tables, &storedTable{name: name, place: l.in.path + "[" + name + "]"})
		}
		script.WriteString(text + ";\n")
	}
	if err := rows.Err(); err != nil {
		return l.in.fault(ctx, err)
	}
	if err := l.readScript(script.String()); err != nil {
		return err
	}
	kept := l.tables[:0]
	for _, t := range l.tables {
		if err := l.declaration(ctx, t); err != nil {
			if err := l.leftOut(ctx, t, err); err != nil {
				return err
			}
			continue
		}
		kept = append(kept, t)
	}
	l.tables = kept
	l.findKeys()
	return nil
}

// readScript reads the CREATE statements, for their comments and views. SQLite itself tells
// the columns and keys, so that what is not read of them is no loss.
func (l *sqliteLoad) readScript(text string) error {
	reader, config := l.script(strings.NewReader(text), nil)
	config.Dialect = ddl.SQLite
	schema, err := ddl.Read(reader, config)
	if err != nil {
		return fmt.Errorf("read the declarations of %s: %w", l.in.path, err)
	}
	for _, v := range schema.Views {
		v.Line = 0 // the file has no lines
	}
	l.schema = schema
	return nil
}

// declaration finds the columns and keys of a table.
func (l *sqliteLoad) declaration(ctx context.Context, t *storedTable) error {
	t.declared.Name.Table = t.name
	written, _ := l.schema.Table(ddl.Name{Table: t.name})
	if written != nil {
		t.declared.Comment = written.Comment
	}
	rows, err := l.in.conn.QueryContext(ctx, `SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`, t.name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var places []int // of the columns within the key
	for rows.Next() {
		var name, typ string
		c := ddl.Column{}
		place := 0
		if err := rows.Scan(&name, &typ, &c.NotNull, &place); err != nil {
			return err
		}
		c.Name = name
		c.Type, c.Args = declaredStored(typ)
		if written != nil {
			if at := written.Column(name); at >= 0 {
				c.Comment = written.Columns[at].Comment
			}
		}
		if place > 0 {
			at, _ := slices.BinarySearch(places, place)
			places = slices.Insert(places, at, place)
			t.declared.PrimaryKey = slices.Insert(t.declared.PrimaryKey, at, name)
		}
		t.declared.Columns = append(t.declared.Columns, c)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return l.references(ctx, t)
}

// references finds the foreign keys of a table.
func (l *sqliteLoad) references(ctx context.Context, t *storedTable) error {
	rows, err := l.in.conn.QueryContext(ctx, `SELECT id, "table", "from", coalesce("to", '') FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`, t.name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	last := -1
	for rows.Next() {
		var id int
		var table, from, to string
		if err := rows.Scan(&id, &table, &from, &to); err != nil {
			return err
		}
		if id != last {
			t.declared.ForeignKeys = append(t.declared.ForeignKeys, ddl.ForeignKey{Ref: ddl.Name{Table: table}})
			last = id
		}
		key := &t.declared.ForeignKeys[len(t.declared.ForeignKeys)-1]
		key.Columns = append(key.Columns, from)
		if to != "" { // else it is the primary key
			key.RefColumns = append(key.RefColumns, to)
		}
	}
	return rows.Err()
}

// findKeys makes the columns, and notes which are keys or refer to some.
func (l *sqliteLoad) findKeys() {
	keys := make(map[string]bool) // by table and column
	note := func(table string, columns []string) {
		for _, c := range columns {
			keys[strings.ToLower(table+"\x00"+c)] = true
		}
	}
	related := make(map[string]bool) // tables that refer to others, or are referred to
	for _, t := range l.tables {
		note(t.name, t.declared.PrimaryKey)
		for _, key := range t.declared.ForeignKeys {
			note(t.name, key.Columns)
			note(key.Ref.Table, key.RefColumns)
			related[strings.ToLower(t.name)], related[strings.ToLower(key.Ref.Table)] = true, true
		}
	}
	for _, t := range l.tables {
		t.undeclared = len(t.declared.PrimaryKey) == 0 && !related[strings.ToLower(t.name)] &&
			!slices.ContainsFunc(t.declared.Columns, func(c ddl.Column) bool { return c.NotNull || c.Type != "text" && c.Type != "" })
		for i := range t.declared.Columns {
			c := &t.declared.Columns[i]
			if t.undeclared {
				c.Type = ""
			}
			k := &storedColumn{column: newColumn(c.Name, c), key: keys[strings.ToLower(t.name+"\x00"+c.Name)]}
			k.habit = newHabit(l.words)
			t.columns = append(t.columns, k)
		}
	}
}

// leftOut reports a table that SQLite cannot read. Other errors come back.
func (l *sqliteLoad) leftOut(ctx context.Context, t *storedTable, err error) error {
	var engine *sqlite3.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &engine):
		return fmt.Errorf("read table %q of %s: %w", t.name, l.in.path, err)
	}
	l.problem(Problem{Kind: KindTableSkipped, File: l.in.path, Message: fmt.Sprintf("table %q cannot be read and is left out; SQLite says: %s", t.name, engine.Error())})
	return nil
}

// table copies one table: it is read once to learn the types, and once more to load.
func (l *sqliteLoad) table(ctx context.Context, t *storedTable) error {
	if n := len(t.columns); n == 0 || n > l.options.MaxColumns {
		l.problem(Problem{Kind: KindTableSkipped, File: l.in.path, Message: fmt.Sprintf("table %q has %d columns and is left out: 1 to %d (MaxColumns)", t.name, n, l.options.MaxColumns)})
		return nil
	}
	l.meter.begin(t.name)
	if err := l.learn(ctx, t); err != nil {
		return l.leftOut(ctx, t, err)
	}
	l.settle(t)
	made := l.declare(mainSchema, t.name, l.in.path, l.updated)
	if made == nil {
		return nil
	}
	columns := make([]*column, len(t.columns))
	for i, c := range t.columns {
		columns[i] = c.column
	}
	if err := l.create(ctx, made, uniqueNames(columns, nil)); err != nil {
		return err
	}
	if err := l.load(ctx, t, made); err != nil {
		return errors.Join(l.leftOut(ctx, t, err), l.drop(context.WithoutCancel(ctx), made))
	}
	for i, c := range columns {
		l.moreUnread(c, t.place)
		if n := t.columns[i].broken; n > 0 {
			l.problem(Problem{Kind: KindNote, File: l.in.path, Message: fmt.Sprintf("column %q of table %q has %d texts that are not UTF-8: what cannot be read of them is kept as “\uFFFD”", t.columns[i].name, t.name, n)})
		}
		c.toldOf.into(&made.Columns[i])
	}
	t.made = made
	alone := t.declared
	alone.ForeignKeys = nil // foreignKeys adds them, when all tables have their names
	l.describe(made, &alone, inMain)
	if !t.undeclared {
		l.builder.declared[made] = true
	}
	l.done(made, t.rows, 0)
	l.loaded++
	return nil
}

// foreignKeys adds those of the tables, which point to tables of the same file by the names that these
// have now: another file may have one of the same name.
func (l *sqliteLoad) foreignKeys() {
	names := map[string]catalog.Name{}
	for _, t := range l.tables {
		if t.made != nil {
			names[strings.ToLower(t.name)] = t.made.Name
		}
	}
	for _, t := range l.tables {
		if t.made == nil {
			continue
		}
		for _, fk := range t.declared.ForeignKeys {
			to, ok := names[strings.ToLower(fk.Ref.Table)]
			if !ok {
				l.problem(Problem{Kind: KindNote, File: l.in.path, Message: fmt.Sprintf("the foreign key of %s (%s) to %s points to nothing and is left out", t.name, strings.Join(fk.Columns, ", "), fk.Ref.Table)})
				continue
			}
			t.made.ForeignKeys = append(t.made.ForeignKeys, catalog.ForeignKey{Columns: fk.Columns, RefTable: to, RefColumns: fk.RefColumns})
		}
	}
}

// learn reads a table for the types of its columns.
func (l *sqliteLoad) learn(ctx context.Context, t *storedTable) error {
	if l.size > int64(l.options.MaxFieldBytes) { // else no value can be so long
		if err := l.findLong(ctx, t); err != nil {
			return err
		}
	}
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		// The driver makes times of what is declared as one; an expression is not declared.
		list[i] = "+" + quote(c.name)
		if c.long > 0 {
			list[i] = fmt.Sprintf("CASE WHEN octet_length(%[1]s) > %[2]d THEN NULL ELSE %[1]s END", quote(c.name), l.options.MaxFieldBytes)
		}
	}
	t.query = "SELECT " + strings.Join(list, ", ") + " FROM " + quote(t.name)
	return l.each(ctx, t, weightLearn, func(values []any) error {
		for i, v := range values {
			if v != nil {
				t.columns[i].see(v)
			}
		}
		return nil
	})
}

// findLong counts the values that are longer than a value may be.
func (l *sqliteLoad) findLong(ctx context.Context, t *storedTable) error {
	list := make([]string, len(t.columns))
	counts := make([]any, len(t.columns))
	for i, c := range t.columns {
		list[i] = fmt.Sprintf("count(*) FILTER (WHERE octet_length(%s) > %d)", quote(c.name), l.options.MaxFieldBytes)
		counts[i] = &c.long
	}
	return l.in.conn.QueryRowContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quote(t.name)).Scan(counts...)
}

// each hands over the values of each row, which are good until the next one.
func (l *sqliteLoad) each(ctx context.Context, t *storedTable, weight int64, take func([]any) error) (err error) {
	rows, err := l.in.conn.QueryContext(ctx, t.query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := take(values); err != nil {
			return err
		}
		l.meter.read(storedBytes(values) * weight)
	}
	return rows.Err()
}

// storedBytes is about what a row takes of the file.
func storedBytes(values []any) int64 {
	const number = 4 // of 1 to 8 bytes
	n := 0
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		case nil:
		default:
			n += number
		}
	}
	return int64(n + len(values))
}

// settle chooses the types, and reports what people should know.
func (l *sqliteLoad) settle(t *storedTable) {
	columns := make([]*column, len(t.columns))
	for i, c := range t.columns {
		columns[i] = c.column
	}
	customs := customsOf(columns, &l.options)
	for _, c := range t.columns {
		if message := c.settle(customs); message != "" {
			l.problem(Problem{Kind: KindChanged, File: t.place, Message: message})
		}
		c.settleAbsent(t.undeclared && l.options.guessNulls)
		l.tellReading(c.column, t.place)
		if c.long > 0 {
			c.unread += c.long
			l.problem(Problem{Kind: KindValueUnread, File: t.place, Message: fmt.Sprintf("column %q: %d values are longer than %d bytes (MaxFieldBytes) and are NULL in the table", c.name, c.long, l.options.MaxFieldBytes)})
		}
	}
}

// load puts the rows into the table. What has no place there is NULL and noted.
func (l *sqliteLoad) load(ctx context.Context, t *storedTable, made *catalog.Table) error {
	return l.appendRows(ctx, made, func(add func([]driver.Value) error) error {
		row := make([]driver.Value, len(t.columns))
		return l.each(ctx, t, weightLoad, func(values []any) error {
			for i, c := range t.columns {
				row[i] = nil
				if values[i] == nil {
					continue
				}
				v, ok := c.value(values[i])
				text, isText := storedText(values[i])
				switch {
				case !ok && !isText:
					l.unreadValue(c.column, Unread{Table: made.Name.Table, Column: c.name, Text: fmt.Sprintf("%d bytes", len(text))}, t.place)
				case !ok:
					l.unreadValue(c.column, Unread{Table: made.Name.Table, Column: c.name, Text: text}, t.place)
				case v == nil && strings.TrimSpace(text) != "":
					c.absentRows++
				}
				row[i] = v
			}
			t.rows++
			l.meter.addRows(1)
			return add(row)
		})
	})
}
