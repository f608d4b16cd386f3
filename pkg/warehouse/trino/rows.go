package trino

import (
	"context"
	"database/sql"
	"io"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/warehouse"
)

// rows is a warehouse.Rows over a running statement. The driver has a row for each
// page; the statement has the pages.
type rows struct {
	cancel    context.CancelFunc // of the statement's context
	pages     *sql.Rows
	statement *statement
	options   warehouse.Options
	explain   func(error) error // what a failure of this statement is
	columns   []warehouse.Column
	readers   []*reader
	page      [][]any // what is left of the page that was read last
	stats     warehouse.Stats
	done      bool
	release   func()
	once      sync.Once
}

// describe reads the columns. A result without any rows has them too.
func (r *rows) describe() error {
	header := r.statement.header()
	if len(header) == 0 {
		return &protocolError{"the result has no columns"}
	}
	for _, c := range header {
		reader, err := newReader(c.Signature, 0)
		if err != nil {
			return err
		}
		r.readers = append(r.readers, reader)
		r.columns = append(r.columns, warehouse.Column{Name: c.Name, Type: reader.typ})
	}
	return nil
}

// Columns implements warehouse.Rows.
func (r *rows) Columns() []warehouse.Column { return r.columns }

// Stats implements warehouse.Rows.
func (r *rows) Stats() warehouse.Stats { return r.stats }

// Close implements warehouse.Rows.
func (r *rows) Close() error {
	r.once.Do(func() {
		r.done, r.page = true, nil
		// The server is told first, then the driver: it would wait for the next page.
		r.statement.end()
		r.cancel()
		_ = r.pages.Close() // of the context that just ended
		r.release()
	})
	return nil
}

// Next implements warehouse.Rows.
func (r *rows) Next(ctx context.Context, n int) ([][]any, error) {
	if r.done {
		return nil, io.EOF
	}
	stop := context.AfterFunc(ctx, r.cancel)
	defer stop()
	var out [][]any
	for len(out) < n {
		if err := ctx.Err(); err != nil {
			return nil, r.abort(err)
		}
		if len(r.page) == 0 {
			if len(out) > 0 { // the server may take its time for the next page: what is there is not kept back
				break
			}
			more, err := r.fetch()
			if err != nil && ctx.Err() != nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, r.abort(err)
			}
			if !more {
				return r.finish(out)
			}
			continue
		}
		if r.stats.Rows >= r.options.MaxRows || r.stats.Bytes >= r.options.MaxBytes {
			r.stats.Truncated = true
			return r.finish(out)
		}
		row := r.page[0]
		r.page = r.page[1:]
		out = append(out, row)
		r.stats.Rows++
		for _, v := range row {
			r.stats.Bytes += warehouse.TextSize(v)
		}
	}
	r.statement.returned(r.stats.Rows)
	r.stats.Elapsed = time.Since(r.statement.begun)
	return out, nil
}

// fetch reads the next page; false: there is none.
func (r *rows) fetch() (bool, error) {
	data, ok := r.statement.page()
	for ; !ok; data, ok = r.statement.page() {
		if r.pages.Next() {
			continue // its page is there, or was read before
		}
		if err := r.pages.Err(); err != nil {
			return false, r.explain(err)
		}
		if data, ok = r.statement.page(); ok {
			break
		}
		return false, nil
	}
	var err error
	if r.page, err = readPage(data, r.readers); err != nil {
		return false, r.explain(err)
	}
	return true, nil
}

// abort ends a result before its end.
func (r *rows) abort(err error) error {
	_ = r.Close() // the first error tells more
	return warehouse.BeforeEnd(err)
}

func (r *rows) finish(page [][]any) ([][]any, error) {
	_, r.stats.Queued = r.statement.identity()
	r.stats.Elapsed = time.Since(r.statement.begun)
	_ = r.Close() // nothing fails there
	if r.options.Progress != nil {
		r.options.Progress(warehouse.Progress{Fraction: 1, Rows: r.stats.Rows, Elapsed: r.stats.Elapsed, State: "finished"})
	}
	if len(page) == 0 {
		return nil, io.EOF
	}
	return page, nil
}
