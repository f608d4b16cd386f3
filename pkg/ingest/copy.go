package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// sourceColumn is a column of a relation that DuckDB itself can read.
type sourceColumn struct {
	name, typ string
	from      string // SQL of its values; empty: the relation's column of that name
}

// expression is the SQL of the column's values.
func (c sourceColumn) expression() string {
	if c.from != "" {
		return c.from
	}
	return quote(c.name)
}

// describeQuery asks DuckDB for the columns of a relation.
func (b *builder) describeQuery(ctx context.Context, relation string) ([]sourceColumn, error) {
	rows, err := b.conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM "+relation+")")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var columns []sourceColumn
	for rows.Next() {
		var c sourceColumn
		if err := rows.Scan(&c.name, &c.typ); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, rows.Err()
}

// copyTable makes a table from a relation that DuckDB can read. An error of the
// engine leaves the table out and is reported.
func (b *builder) copyTable(ctx context.Context, relation, schema, name, file string, updated time.Time) (*catalog.Table, error) {
	return b.copyColumns(ctx, relation, schema, name, file, updated, func(columns []sourceColumn) []sourceColumn { return columns })
}

// copyColumns is copyTable with the columns that choose makes of those of the relation.
func (b *builder) copyColumns(ctx context.Context, relation, schema, name, file string, updated time.Time, choose func([]sourceColumn) []sourceColumn) (*catalog.Table, error) {
	left := func(err error) (*catalog.Table, error) {
		var engine *duckdb.Error
		if ctx.Err() != nil || !errors.As(err, &engine) {
			return nil, err
		}
		first, _, _ := strings.Cut(engine.Msg, "\n")
		b.problem(Problem{Kind: KindTableSkipped, File: file, Message: fmt.Sprintf("table %q cannot be read and is left out; DuckDB says: %s", name, first)})
		return nil, nil
	}
	columns, err := b.describeQuery(ctx, relation)
	if err != nil {
		return left(err)
	}
	if len(columns) > b.options.MaxColumns {
		b.problem(Problem{Kind: KindTableSkipped, File: file, Message: fmt.Sprintf("table %q has %d columns and is left out: at most %d (MaxColumns)", name, len(columns), b.options.MaxColumns)})
		return nil, nil
	}
	t := b.declare(schema, name, file, updated)
	if t == nil {
		return nil, nil
	}
	columns = choose(columns)
	list := make([]string, len(columns))
	for i, c := range columns {
		cast, presto := storedType(c.typ)
		list[i] = c.expression() + " AS " + quote(c.name)
		if cast != "" {
			list[i] = "CAST(" + c.expression() + " AS " + cast + ") AS " + quote(c.name)
		}
		t.Columns = append(t.Columns, catalog.Column{Name: c.name, Type: presto})
	}
	if schema != mainSchema {
		if err := b.exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+quote(schema)); err != nil {
			return nil, err
		}
	}
	if err := b.exec(ctx, "CREATE TABLE "+quote(schema, t.Name.Table)+" AS SELECT "+strings.Join(list, ", ")+" FROM "+relation); err != nil {
		b.forget(t)
		return left(err)
	}
	if err := b.readDays(ctx, t, file); err != nil {
		return nil, err
	}
	var rows int64
	if err := b.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+quote(schema, t.Name.Table)).Scan(&rows); err != nil {
		return nil, fmt.Errorf("count the rows of %s: %w", t.Name, err)
	}
	b.loaded++
	b.declared[t] = true
	b.done(t, rows, 0)
	return t, nil
}

// isoDay is a day, or a time of day in UTC, as ISO 8601 writes them.
const isoDay = `[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?Z?)?`

// readDays makes days of the text columns in which each value is one in the form of ISO
// 8601, which no other order of its parts can mean.
func (b *builder) readDays(ctx context.Context, t *catalog.Table, file string) error {
	const head = 1000 // values that are looked at before the whole column is
	table := quote(t.Name.Schema, t.Name.Table)
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Type != "varchar" {
			continue
		}
		var values, days, bare int64
		for _, from := range []string{
			fmt.Sprintf("(SELECT %[1]s AS v FROM %[2]s WHERE %[1]s IS NOT NULL LIMIT %[3]d)", quote(c.Name), table, head),
			fmt.Sprintf("(SELECT %[1]s AS v FROM %[2]s WHERE %[1]s IS NOT NULL)", quote(c.Name), table),
		} {
			query := "SELECT count(*), count(*) FILTER (regexp_full_match(v, '" + isoDay + "') AND TRY_CAST(v AS TIMESTAMP) IS NOT NULL), count(*) FILTER (length(v) = 10) FROM " + from
			if err := b.conn.QueryRowContext(ctx, query).Scan(&values, &days, &bare); err != nil {
				return fmt.Errorf("look at the values of %s.%s: %w", t.Name, c.Name, err)
			}
			if days < values {
				break
			}
		}
		if values == 0 || days < values {
			continue
		}
		typ, presto := "TIMESTAMP", "timestamp(6)"
		if bare == values {
			typ, presto = "DATE", "date"
		}
		if err := b.exec(ctx, "ALTER TABLE "+table+" ALTER COLUMN "+quote(c.Name)+" TYPE "+typ); err != nil {
			return err
		}
		c.Type = presto
		b.problem(Problem{Kind: KindChanged, File: file, Message: fmt.Sprintf("column %q of %q is a text in which each value is a %s: it becomes %s", c.Name, t.Name.Table, map[string]string{"DATE": "day", "TIMESTAMP": "time"}[typ], presto)})
	}
	return nil
}
