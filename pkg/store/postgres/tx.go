package postgres

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// What did not go through for a reason that passes by itself is tried so often in
// all, with a pause between that doubles.
const (
	maxTries   = 4
	firstPause = 10 * time.Millisecond
)

// querier is what asks the database: the pool, or a transaction.
type querier interface {
	Exec(ctx context.Context, text string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, text string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, text string, args ...any) pgx.Row
}

// errUnsure marks a write of which nobody knows whether it was committed.
var errUnsure = errors.New("the connection was lost while the write was being committed")

// writing runs f in one transaction. f may run more than once, each time from the
// start and on what is stored then.
func (s *database) writing(ctx context.Context, doing string, f func(context.Context, pgx.Tx) error) error {
	return s.trying(ctx, doing, func(ctx context.Context) error { return s.once(ctx, f) })
}

// reading runs f outside of a transaction, and again where that helps.
func (s *database) reading(ctx context.Context, doing string, f func(context.Context, querier) error) error {
	return s.trying(ctx, doing, func(ctx context.Context) error { return f(ctx, s.pool) })
}

// trying asks the database where it is not away.
func (s *database) trying(ctx context.Context, doing string, do func(context.Context) error) error {
	if wait, ok := s.circuit.Allow(); !ok {
		return s.fault(doing, s.leftAlone(wait))
	}
	return s.asking(ctx, doing, do)
}

// asking bounds do by time and by tries, and tells what went wrong.
func (s *database) asking(ctx context.Context, doing string, do func(context.Context) error) error {
	bounded, done := context.WithTimeoutCause(ctx, s.cfg.Timeout, errSlow)
	defer done()
	err := s.begin(bounded)
	for try, wait := 1, firstPause; err == nil; try, wait = try+1, 2*wait {
		if err = do(bounded); err == nil {
			s.circuit.Done(circuit.Healthy)
			return nil
		}
		if try < maxTries && passes(err) && pause.For(bounded, wait) == nil {
			err = nil
		}
	}
	if ctx.Err() == nil && errors.Is(context.Cause(bounded), errSlow) {
		err = errors.Join(errSlow, err)
	}
	s.circuit.Done(outcome(err))
	return s.fault(doing, err)
}

// errSlow is the end of a call that took longer than Timeout.
var errSlow = errors.New("the database did not answer in time")

// once runs f in one transaction.
func (s *database) once(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	if err := f(ctx, tx); err != nil {
		// The rollback follows where the connection stands; where it does not, the
		// server has done it.
		rollback, done := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ConnectTimeout)
		defer done()
		_ = tx.Rollback(rollback)
		return err
	}
	err = tx.Commit(ctx)
	var answer *pgconn.PgError
	if err != nil && !errors.As(err, &answer) && !pgconn.SafeToRetry(err) {
		return errors.Join(errUnsure, err)
	}
	return err
}

// rowsOf reads all rows of an answer by scan.
func rowsOf[T any](rows pgx.Rows, err error, scan func(coding.Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]T(nil), rows, func(row pgx.CollectableRow) (T, error) { return scan(row) })
}

// column reads all rows of an answer with one text each.
func column(rows pgx.Rows, err error) ([]string, error) {
	return rowsOf(rows, err, func(row coding.Row) (v string, err error) {
		err = row.Scan(&v)
		return v, err
	})
}

// Storable is a text as PostgreSQL can hold it, for users of a Database.
func Storable(s string) string { return storable(s) }

// storable is a text as PostgreSQL can hold it: a zero byte is shown by its symbol, and
// what is no UTF-8 by the sign for that. An id with either is nobody's.
func storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\u2400")
}

// storables are the arguments of a statement, with their texts made storable.
func storables(args ...any) []any {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = storable(text)
		}
	}
	return args
}

// notEmpty is what a column that may not be NULL takes for nothing.
func notEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
