package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"github.com/dibrain/dibrain/pkg/run"
)

//go:embed schema.sql
var sqliteSchema string

// writingFile is the ending of the locked file that lies beside a file of rows while it is
// written.
const writingFile = ".writing"

// sqliteIndex is the index in a SQLite file, for the processes of one machine. A locked file
// says that a result is being written: the system gives it up when its process ends, however
// it does.
type sqliteIndex struct {
	db     *sql.DB
	locks  string // folder of the locked files
	random io.Reader
}

// openSQLite opens the file and makes it where it is missing.
func openSQLite(ctx context.Context, path, locks string, random io.Reader) (*sqliteIndex, error) {
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// The file is made here, so that nobody else can read it from the start.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: url.Values{
		"_pragma": {"busy_timeout(5000)", "auto_vacuum(incremental)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(on)"},
		"_txlock": {"immediate"},
	}.Encode()}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	if _, err := db.ExecContext(ctx, sqliteSchema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &sqliteIndex{db: db, locks: locks, random: random}, nil
}

func (x *sqliteIndex) write(ctx context.Context, _ string, do func(context.Context, querier) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, sqliteQuerier{tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (x *sqliteIndex) read(ctx context.Context, _ string, do func(context.Context, querier) error) error {
	return do(ctx, sqliteQuerier{x.db})
}

func (x *sqliteIndex) compact(ctx context.Context) error {
	_, err := x.db.ExecContext(ctx, `PRAGMA incremental_vacuum`)
	return err
}

func (x *sqliteIndex) close() error { return x.db.Close() }

// sqliteQuerier asks a SQLite file, whose tables have no prefix.
type sqliteQuerier struct {
	on interface {
		ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
	}
}

func inSQLite(text string) string { return strings.ReplaceAll(text, tablePrefix, "") }

func (q sqliteQuerier) begin(context.Context) error { return nil } // the transaction has the write lock

func (q sqliteQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := q.on.ExecContext(ctx, inSQLite(text), args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func (q sqliteQuerier) one(ctx context.Context, text string, args []any, into ...any) error {
	err := q.on.QueryRowContext(ctx, inSQLite(text), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return errNone
	}
	return err
}

func (q sqliteQuerier) texts(ctx context.Context, text string, args ...any) (found []string, err error) {
	rows, err := q.on.QueryContext(ctx, inSQLite(text), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// remove implements querier. SQLite has no DELETE within another statement; both find the
// same, since the transaction has the write lock.
func (q sqliteQuerier) remove(ctx context.Context, of choice, now int64, most int) ([]string, error) {
	n := len(of.args)
	chosen := fmt.Sprintf(`FROM results WHERE id IN (%s LIMIT $%d)`, of.text, n+1)
	args := slices.Concat(of.args, []any{most})
	note := fmt.Sprintf(`INSERT INTO results_removed (id, owner, removed_ms, why) SELECT id, owner, $%d, $%d %s
		ON CONFLICT (id) DO UPDATE SET removed_ms = excluded.removed_ms, why = excluded.why`, n+2, n+3, chosen)
	if _, err := q.exec(ctx, note, append(slices.Clone(args), now, of.why)...); err != nil {
		return nil, err
	}
	return q.texts(ctx, `DELETE `+chosen+` RETURNING id`, args...)
}

// sqliteClaim is a locked file.
type sqliteClaim struct {
	of    *sqliteIndex
	name  string // the result's id
	owner string
	lock  *flock.Flock
}

func (x *sqliteIndex) claim(_ context.Context, owner run.Principal) (claim, error) {
	for range 3 {
		id := run.NewID(idPrefix, x.random)
		lock := flock.New(x.lockFile(id), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		// A sweep may have taken the file for a dead process's between its making and its
		// locking; then it is gone by now.
		if _, err := os.Stat(lock.Path()); ok && err == nil {
			return &sqliteClaim{x, id, owner.ID, lock}, nil
		}
		_ = lock.Unlock()
	}
	return nil, errors.New("another process takes every file that is made for a new result")
}

func (x *sqliteIndex) lockFile(id string) string { return filepath.Join(x.locks, id+writingFile) }

func (c *sqliteClaim) id() string { return c.name }

func (c *sqliteClaim) take(ctx context.Context, q querier, bytes int64) error {
	_, err := q.exec(ctx, `INSERT INTO results_writing (id, owner, bytes) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes`, c.name, c.owner, bytes)
	return err
}

func (c *sqliteClaim) enter(ctx context.Context, q querier) error {
	_, err := q.exec(ctx, `DELETE FROM results_writing WHERE id = $1`, c.name)
	return err
}

func (c *sqliteClaim) drop(ctx context.Context, taken bool) error {
	if !taken {
		return nil
	}
	_, err := c.of.db.ExecContext(ctx, `DELETE FROM writing WHERE id = ?`, c.name)
	return err
}

func (c *sqliteClaim) release() error {
	return errors.Join(removeFile(c.lock.Path()), c.lock.Unlock())
}

// removeFile removes a file that may be gone already.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep looks at the files of rows, at locked files that are left, and at the room of
// results whose files somebody has deleted.
func (x *sqliteIndex) sweep(ctx context.Context, files Files) error {
	one := func(id string) error { return x.sweepOne(ctx, files, id) }
	if err := files.List(ctx, one); err != nil {
		return err
	}
	locks, err := filepath.Glob(filepath.Join(x.locks, idPrefix+"*"+writingFile))
	if err != nil {
		return err
	}
	for _, path := range locks {
		if err := one(strings.TrimSuffix(filepath.Base(path), writingFile)); err != nil {
			return err
		}
	}
	ids, err := sqliteQuerier{x.db}.texts(ctx, `SELECT id FROM results_writing`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := one(id); err != nil {
			return err
		}
	}
	return nil
}

func (x *sqliteIndex) sweepOne(ctx context.Context, files Files, id string) error {
	lock := flock.New(x.lockFile(id), flock.SetFlag(os.O_RDWR)) // not made where there is none
	ok, err := lock.TryLock()
	if err == nil && !ok {
		return nil // somebody writes it
	}
	defer lock.Unlock() //nolint:errcheck // the file goes
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Asked after the lock: a writer enters its result before it lets the lock go.
	var known bool
	if err := x.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE id = ?)`, id).Scan(&known); err != nil {
		return err
	}
	if !known {
		if _, err := x.db.ExecContext(ctx, `DELETE FROM writing WHERE id = ?`, id); err != nil {
			return err
		}
		if err := files.Remove(ctx, id); err != nil {
			return err
		}
	}
	if ok {
		return removeFile(lock.Path())
	}
	return nil
}
