package child

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// Bounds of one page: it is sent when either is reached.
const (
	pageRows  = 1000
	pageBytes = 256 << 10
)

// errSend is that the parent cannot be told: the session is over.
type errSend struct{ cause error }

func (e *errSend) Error() string { return e.cause.Error() }
func (e *errSend) Unwrap() error { return e.cause }

// run runs a statement and sends what comes of it. The error is of the session.
func (s *session) run(q query) error {
	if err := s.conn.Send(wire.KindBegun, nil); err != nil {
		return err
	}
	err := s.answer(q)
	var send *errSend
	switch {
	case err == nil:
		return nil
	case errors.As(err, &send):
		return send.cause
	}
	return s.conn.Send(wire.KindFailed, wire.Failed{Text: err.Error()})
}

// answer sends the columns, the rows and the end of a result.
func (s *session) answer(q query) error {
	truncated, err := s.sendRows(q)
	if err != nil {
		return err
	}
	if err := s.conn.Send(wire.KindEnd, wire.End{Truncated: truncated}); err != nil {
		return &errSend{err}
	}
	return nil
}

// sendRows runs the statement and closes it before its end is told: the child is free
// for the next one then.
func (s *session) sendRows(q query) (truncated bool, err error) {
	rows, err := s.database.query(q.ctx, q.Text) //nolint:rowserrcheck // send looks at it
	if err != nil {
		return false, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	r := &result{rows: rows, query: q, conn: s.conn}
	return r.send()
}

// result is sent page by page.
type result struct {
	rows  *sql.Rows
	query query
	conn  *wire.Conn
	types []types.Type

	page   []byte // values of the rows that are not sent yet
	frame  []byte
	inPage int
	inText int64 // bytes of their text

	count int64 // of all rows, and
	bytes int64 // of their text
}

func (r *result) send() (truncated bool, err error) {
	if err := r.columns(); err != nil {
		return false, err
	}
	row := make([]any, len(r.types))
	targets := make([]any, len(row))
	for i := range row {
		targets[i] = &row[i]
	}
	for r.rows.Next() {
		if r.count >= r.query.MaxRows || r.bytes >= r.query.MaxBytes {
			truncated = true
			break
		}
		if err := r.rows.Scan(targets...); err != nil {
			return false, err
		}
		if err := r.add(row); err != nil {
			return false, err
		}
	}
	if err := r.rows.Err(); err != nil {
		return false, err
	}
	return truncated, r.flush()
}

// columns tells the result's columns as Presto has them.
func (r *result) columns() error {
	names, err := r.rows.Columns()
	if err != nil {
		return fmt.Errorf("read the columns: %w", err)
	}
	stored, err := r.rows.ColumnTypes()
	if err != nil {
		return fmt.Errorf("read the columns' types: %w", err)
	}
	var told wire.Columns
	for i, name := range names {
		t := prestoType(stored[i].DatabaseTypeName())
		if outputs := r.query.Outputs; i < len(outputs) && len(outputs) == len(names) {
			if known := outputs[i].Type; !known.IsUnknown() {
				t = known
			}
			name = outputs[i].Name
			if name == "" {
				name = fmt.Sprintf("_col%d", i)
			}
		}
		r.types = append(r.types, t)
		told.Names, told.Types = append(told.Names, name), append(told.Types, t.String())
	}
	if err := r.conn.Send(wire.KindColumns, told); err != nil {
		return &errSend{err}
	}
	return nil
}

func (r *result) add(row []any) (err error) {
	var size int64
	for i, v := range row {
		v = value(v, r.types[i])
		size += warehouse.TextSize(v)
		if r.page, err = wire.AppendValue(r.page, v); err != nil {
			return err
		}
		row[i] = nil
	}
	r.count, r.bytes = r.count+1, r.bytes+size
	r.inPage, r.inText = r.inPage+1, r.inText+size
	if r.inPage >= pageRows || len(r.page) >= pageBytes {
		return r.flush()
	}
	return nil
}

func (r *result) flush() error {
	if r.inPage == 0 {
		return nil
	}
	r.frame = wire.AppendPage(wire.Frame(r.frame), r.inPage, r.inText)
	r.frame = append(r.frame, r.page...)
	err := r.conn.SendFrame(wire.KindPage, r.frame)
	r.page, r.inPage, r.inText = r.page[:0], 0, 0
	if errors.Is(err, wire.ErrTooLarge) {
		return errors.New("PRESTO EXCEEDED_LOCAL_MEMORY_LIMIT: a row of the result takes more than 128 MiB: ask for fewer or shorter values")
	}
	if err != nil {
		return &errSend{err}
	}
	return nil
}
