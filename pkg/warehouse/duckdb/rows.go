package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// rows is a warehouse.Rows over a statement that a child runs.
type rows struct {
	statement *statement
	options   warehouse.Options
	columns   []warehouse.Column
	page      [][]any // received and not read yet
	stats     warehouse.Stats
	begun     time.Time
	cancel    context.CancelFunc // of the statement's context
	ended     bool               // the child has sent all
	done      bool               // nobody reads more
}

// newRows waits for the columns of a result.
func newRows(s *statement, options warehouse.Options, cancel context.CancelFunc) (*rows, error) {
	r := &rows{statement: s, options: options, cancel: cancel}
	kind, payload, err := s.receive()
	if err != nil {
		cancel()
		return nil, err
	}
	if kind != wire.KindColumns {
		return nil, r.abort(fmt.Errorf("the embedded engine answered %d to a statement", kind))
	}
	told, err := wire.Read[wire.Columns](payload)
	if err != nil || len(told.Names) != len(told.Types) {
		return nil, r.abort(errors.Join(errors.New("the embedded engine's columns cannot be read"), err))
	}
	for i, name := range told.Names {
		r.columns = append(r.columns, warehouse.Column{Name: name, Type: told.Types[i]})
	}
	return r, nil
}

// abort ends a result before its end.
func (r *rows) abort(err error) error {
	_ = r.Close()
	return warehouse.BeforeEnd(err)
}

// Columns implements warehouse.Rows.
func (r *rows) Columns() []warehouse.Column { return r.columns }

// Stats implements warehouse.Rows.
func (r *rows) Stats() warehouse.Stats { return r.stats }

// Close implements warehouse.Rows. It returns when the child has stopped.
func (r *rows) Close() error {
	r.done, r.page = true, nil
	r.statement.abandon()
	r.cancel()
	return nil
}

// Next implements warehouse.Rows.
func (r *rows) Next(ctx context.Context, n int) ([][]any, error) {
	if r.done {
		return nil, io.EOF
	}
	stop := context.AfterFunc(ctx, r.statement.cancel)
	defer stop()
	var page [][]any
	for len(page) < n {
		if err := ctx.Err(); err != nil {
			return nil, r.abort(err)
		}
		if len(r.page) == 0 {
			if r.ended {
				break
			}
			if err := r.receive(); err != nil {
				if ctx.Err() != nil && r.statement.ctx.Err() == nil { // the reader went away, not the statement's caller
					err = ctx.Err()
				}
				return nil, r.abort(err)
			}
			continue
		}
		take := min(n-len(page), len(r.page))
		if page == nil {
			page = r.page[:take:take]
		} else {
			page = append(page, r.page[:take]...)
		}
		r.page = r.page[take:]
	}
	r.stats.Rows += int64(len(page))
	r.stats.Elapsed = time.Since(r.begun)
	if len(page) < n {
		return r.finish(page)
	}
	return page, nil
}

// receive takes a page, or the end.
func (r *rows) receive() error {
	kind, payload, err := r.statement.receive()
	if err != nil {
		return err
	}
	switch kind {
	case wire.KindPage:
		page, textBytes, err := wire.Page(payload, len(r.columns))
		if err != nil {
			return err
		}
		r.page = page
		r.stats.Bytes += textBytes
		return nil
	case wire.KindEnd:
		end, err := wire.Read[wire.End](payload)
		r.ended, r.stats.Truncated = true, end.Truncated
		return err
	}
	return fmt.Errorf("the embedded engine sent %d in a result", kind)
}

func (r *rows) finish(page [][]any) ([][]any, error) {
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
