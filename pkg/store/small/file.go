package small

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

// file is a store in SQLite.
type file struct{ lazy *lazy.File }

// InFile returns a store in a SQLite file. It opens nothing; the first write makes the file.
func InFile(c lazy.Config) Store { return file{lazy.New(c)} }

func (f file) Read(ctx context.Context, _ string, do func(context.Context, Querier) error) error {
	db, err := f.lazy.Open(ctx, false)
	if err != nil || db == nil {
		return err
	}
	if err := do(ctx, fileQuerier{db}); err != nil {
		if own := new(*fault.Error); errors.As(err, own) {
			return err
		}
		return f.lazy.Fault("read", err)
	}
	return nil
}

func (f file) Write(ctx context.Context, _ string, do func(context.Context, Tx) error) error {
	return f.lazy.Change(ctx, true, func(tx *sql.Tx) error { return do(ctx, fileTx{fileQuerier{tx}, tx}) })
}

func (f file) Change(ctx context.Context, _ string, do func(context.Context, Tx) error) error {
	return f.lazy.Change(ctx, false, func(tx *sql.Tx) error { return do(ctx, fileTx{fileQuerier{tx}, tx}) })
}

// Ready says nothing of a file: calls tell what is wrong with it.
func (file) Ready(context.Context) error { return nil }

func (f file) Close() error { return f.lazy.Close() }

// fileQuerier asks a database or a transaction.
type fileQuerier struct {
	of interface {
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
	}
}

func (q fileQuerier) First(ctx context.Context, text string, args []any, into ...any) (bool, error) {
	err := q.of.QueryRowContext(ctx, statement(text, ""), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (q fileQuerier) Each(ctx context.Context, text string, args []any, scan func(Row) error) (err error) {
	rows, err := q.of.QueryContext(ctx, statement(text, ""), args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

type fileTx struct {
	fileQuerier
	tx *sql.Tx
}

func (t fileTx) Exec(ctx context.Context, text string, args ...any) error {
	_, err := t.tx.ExecContext(ctx, statement(text, ""), args...)
	return err
}

// Lock has nothing to do: a transaction that may write holds the file from its begin on.
func (fileTx) Lock(context.Context, string) error { return nil }

func (fileTx) Taken(err error) bool {
	return err != nil && strings.Contains(err.Error(), "UNIQUE constraint failed")
}
