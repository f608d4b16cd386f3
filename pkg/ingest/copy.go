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
	list := make([]string, len(columns))
	for i, c := range columns {
		cast, presto := storedType(c.typ)
		list[i] = quote(c.name)
		if cast != "" {
			list[i] = "CAST(" + quote(c.name) + " AS " + cast + ") AS " + quote(c.name)
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
	var rows int64
	if err := b.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+quote(schema, t.Name.Table)).Scan(&rows); err != nil {
		return nil, fmt.Errorf("count the rows of %s: %w", t.Name, err)
	}
	b.loaded++
	b.done(t, rows, 0)
	return t, nil
}
