package load

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

const (
	// maxStatement bounds the text of an INSERT in bytes. Trino takes a million
	// characters unless it is told otherwise.
	maxStatement = 900_000
	// batchRows is how many rows are packed at a time.
	batchRows = 16_000
)

// copyRows reads a table's rows as texts and inserts them in batches.
func (l *loader) copyRows(ctx context.Context, t target) error {
	texts := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		texts[i] = "CAST(" + printer.Quote(c.Name) + " AS VARCHAR)"
	}
	rows, err := l.from.QueryContext(ctx, "SELECT "+strings.Join(texts, ", ")+" FROM "+quoted(t.Name))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // read to the end: its error is rows.Err
	b := newBatch(len(t.Columns))
	for rows.Next() {
		if err := b.add(rows); err != nil {
			return err
		}
		if b.rows < batchRows {
			continue
		}
		if err := l.insert(ctx, t, b.values); err != nil {
			return err
		}
		b = newBatch(len(t.Columns))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return l.insert(ctx, t, b.values)
}

// batch holds rows by column.
type batch struct {
	values [][]sql.NullString
	row    []sql.NullString
	into   []any
	rows   int
}

func newBatch(columns int) *batch {
	b := &batch{values: make([][]sql.NullString, columns), row: make([]sql.NullString, columns), into: make([]any, columns)}
	for i := range b.row {
		b.into[i] = &b.row[i]
	}
	return b
}

func (b *batch) add(rows *sql.Rows) error {
	if err := rows.Scan(b.into...); err != nil {
		return err
	}
	for i, v := range b.row {
		b.values[i] = append(b.values[i], v)
	}
	b.rows++
	return nil
}

// insert sends rows, by halves where they are too long for one statement.
func (l *loader) insert(ctx context.Context, t target, values [][]sql.NullString) error {
	n := len(values[0])
	if n == 0 {
		return nil
	}
	text, err := insertion(t.stored, t.Columns, values)
	if err != nil {
		return err
	}
	if len(text) > maxStatement && n > 1 {
		first, second := make([][]sql.NullString, len(values)), make([][]sql.NullString, len(values))
		for i, column := range values {
			first[i], second[i] = column[:n/2], column[n/2:]
		}
		if err := l.insert(ctx, t, first); err != nil {
			return err
		}
		return l.insert(ctx, t, second)
	}
	if err := l.server.exec(ctx, text); err != nil {
		return err
	}
	l.count(n, t.Name.String())
	return nil
}

// insertion is the statement that inserts rows, given by column.
func insertion(into catalog.Name, columns []catalog.Column, values [][]sql.NullString) (string, error) {
	items := make([]string, len(columns))
	fields := make([]field, len(columns))
	width := 0
	for i, c := range columns {
		f, err := pack(c, values[i])
		if err != nil {
			return "", err
		}
		items[i] = f.sql(fmt.Sprintf("from_base(substr(r, %d, %d), %d)", width+1, f.width, base))
		width += f.width
		fields[i] = f
	}
	var b strings.Builder
	b.WriteString("INSERT INTO " + quoted(into) + " SELECT " + strings.Join(items, ", ") + " FROM UNNEST(split('")
	for row := range values[0] {
		if row > 0 {
			b.WriteByte(' ')
		}
		for _, f := range fields {
			if f.width == 0 {
				continue
			}
			code := strconv.FormatInt(f.codes[row], base)
			for range f.width - len(code) {
				b.WriteByte('0')
			}
			b.WriteString(code)
		}
	}
	b.WriteString("', ' ')) AS t (r)")
	return b.String(), nil
}
