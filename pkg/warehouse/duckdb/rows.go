package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// rows is a warehouse.Rows over a running statement.
type rows struct {
	ctx     context.Context // of the statement: ends with its deadline
	result  *sql.Rows
	options warehouse.Options
	columns []warehouse.Column
	types   []types.Type
	stats   warehouse.Stats
	begun   time.Time
	done    bool
	release func()
	once    sync.Once
}

func newRows(ctx context.Context, result *sql.Rows, outputs []resolve.Output, options warehouse.Options, release func()) (*rows, error) {
	r := &rows{ctx: ctx, result: result, options: options, release: release}
	names, err := result.Columns()
	if err != nil {
		return nil, r.abort(fmt.Errorf("read the columns: %w", err))
	}
	stored, err := result.ColumnTypes()
	if err != nil {
		return nil, r.abort(fmt.Errorf("read the columns' types: %w", err))
	}
	for i, name := range names {
		t := prestoType(stored[i].DatabaseTypeName())
		if i < len(outputs) && len(outputs) == len(names) {
			if known := outputs[i].Type; !known.IsUnknown() {
				t = known
			}
			name = outputs[i].Name
			if name == "" {
				name = fmt.Sprintf("_col%d", i)
			}
		}
		r.types = append(r.types, t)
		r.columns = append(r.columns, warehouse.Column{Name: name, Type: t.String()})
	}
	return r, nil
}

func (r *rows) abort(err error) error {
	_ = r.Close() // the first error tells more
	return err
}

// Columns implements warehouse.Rows.
func (r *rows) Columns() []warehouse.Column { return r.columns }

// Stats implements warehouse.Rows.
func (r *rows) Stats() warehouse.Stats { return r.stats }

// Close implements warehouse.Rows.
func (r *rows) Close() error {
	var err error
	r.once.Do(func() {
		r.done = true
		err = r.result.Close()
		r.release()
	})
	if err != nil {
		return fmt.Errorf("close the result: %w", err)
	}
	return nil
}

// Next implements warehouse.Rows.
func (r *rows) Next(ctx context.Context, n int) ([][]any, error) {
	if r.done {
		return nil, io.EOF
	}
	var page [][]any
	for len(page) < n {
		if err := ctx.Err(); err != nil {
			return nil, r.abort(err)
		}
		if !r.result.Next() {
			if err := r.result.Err(); err != nil {
				return nil, r.abort(failure(r.ctx, err, r.options.Timeout))
			}
			return r.finish(page)
		}
		if r.stats.Rows >= r.options.MaxRows || r.stats.Bytes >= r.options.MaxBytes {
			r.stats.Truncated = true
			return r.finish(page)
		}
		row, size, err := r.scan()
		if err != nil {
			return nil, r.abort(failure(r.ctx, err, r.options.Timeout))
		}
		page = append(page, row)
		r.stats.Rows++
		r.stats.Bytes += size
	}
	r.stats.Elapsed = time.Since(r.begun)
	return page, nil
}

func (r *rows) finish(page [][]any) ([][]any, error) {
	r.stats.Elapsed = time.Since(r.begun)
	err := r.Close()
	if r.options.Progress != nil {
		r.options.Progress(warehouse.Progress{Fraction: 1, Rows: r.stats.Rows, Elapsed: r.stats.Elapsed, State: "finished"})
	}
	if err != nil {
		return nil, err
	}
	if len(page) == 0 {
		return nil, io.EOF
	}
	return page, nil
}

func (r *rows) scan() (row []any, size int64, err error) {
	row = make([]any, len(r.columns))
	targets := make([]any, len(row))
	for i := range row {
		targets[i] = &row[i]
	}
	if err := r.result.Scan(targets...); err != nil {
		return nil, 0, err
	}
	for i, v := range row {
		row[i] = value(v, r.types[i])
		size += warehouse.TextSize(row[i])
	}
	return row, size, nil
}
