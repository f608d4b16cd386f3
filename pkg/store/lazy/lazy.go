// Package lazy holds small SQLite stores that most data directories never need:
// the file is made by the first write, and reading where there is none opens
// nothing.
package lazy

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/schema"
)

// busyTimeout is how long a write waits for another process's, and opening for another
// process that makes the file.
const busyTimeout = 5 * time.Second

// Config says which file it is.
type Config struct {
	Path string
	// Migrations holds goose's SQL files in a folder "migrations".
	Migrations fs.FS
	// Reason and Message are those of faults of the file: what it is a store of, and
	// what an operator can do.
	Reason, Message string
}

// File is a SQLite file that may not be there yet. It may be used concurrently,
// also by several processes.
type File struct {
	cfg Config

	mu     sync.Mutex
	db     *sql.DB
	closed bool
}

// Version is the version of the file and the newest that the program knows; have is 0 where
// there is none. Nothing is made or changed.
func (c Config) Version(ctx context.Context) (have, known int64, err error) {
	if known, err = schema.Newest(c.Migrations); err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(c.Path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, known, nil
		}
		return 0, known, err
	}
	db, err := c.readOnly()
	if err != nil {
		return 0, known, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	have, err = schema.Version(ctx, db)
	return have, known, errors.Join(err, schema.Check(ctx, db, c.Path, have, known))
}

// readOnly opens the file, which has to be there, without making or changing anything.
func (c Config) readOnly() (*sql.DB, error) {
	at := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(c.Path)}
	return sql.Open("sqlite", fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=query_only(1)", at.String(), busyTimeout.Milliseconds()))
}

// Holds reports whether one of some tables of the file has a row. Nothing is made or changed; a file
// or a table that is not there has none.
func (c Config) Holds(ctx context.Context, tables []string) (bool, error) {
	if _, err := os.Stat(c.Path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	holds, err := c.hasRows(ctx, tables)
	if err != nil {
		return false, fmt.Errorf("%s cannot be read as a file of this program: move it away if it is damaged: %w", c.Path, err)
	}
	return holds, nil
}

func (c Config) hasRows(ctx context.Context, tables []string) (holds bool, err error) {
	db, err := c.readOnly()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, t := range tables {
		there := false
		if err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`, t).Scan(&there); err != nil {
			return false, err
		}
		if !there {
			continue
		}
		if err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+strings.ReplaceAll(t, `"`, `""`)+`")`).Scan(&holds); err != nil || holds {
			return holds, err
		}
	}
	return false, nil
}

// New returns a file and opens nothing yet.
func New(cfg Config) *File { return &File{cfg: cfg} }

// Open returns the database, nil where it does not exist and create is false.
func (f *File) Open(ctx context.Context, create bool) (*sql.DB, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fault.New(codes.Unavailable, "SHUTTING_DOWN", "The service is shutting down: try again in a moment.")
	}
	if f.db != nil {
		return f.db, nil
	}
	if _, err := os.Stat(f.cfg.Path); errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, nil
		}
		if err := os.MkdirAll(filepath.Dir(f.cfg.Path), 0o700); err != nil {
			return nil, f.Fault("make the folder", err)
		}
	}
	patience, done := context.WithTimeout(ctx, busyTimeout)
	defer done()
	err := schema.WhileBusy(patience, func() (err error) {
		f.db, err = f.open(patience)
		return err
	})
	return f.db, err
}

func (f *File) open(ctx context.Context) (*sql.DB, error) {
	at := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(f.cfg.Path)}
	db, err := sql.Open("sqlite", fmt.Sprintf("%s?_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)", at.String(), busyTimeout.Milliseconds()))
	if err != nil {
		return nil, f.Fault("open", err)
	}
	db.SetMaxOpenConns(2)
	if err := schema.Up(ctx, db, f.cfg.Migrations, f.cfg.Path); err != nil {
		if fault.ReasonOf(err) == store.ReasonTooNew {
			return nil, errors.Join(err, db.Close())
		}
		return nil, f.Fault("bring up to date", errors.Join(err, db.Close()))
	}
	return db, nil
}

// Change does all of do or nothing. Where there is no file and create is false,
// there is nothing to change. Faults of do stay as they are.
func (f *File) Change(ctx context.Context, create bool, do func(*sql.Tx) error) error {
	db, err := f.Open(ctx, create)
	if err != nil || db == nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return f.Fault("write to", err)
	}
	if err := do(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, back)
		}
		if own := new(*fault.Error); errors.As(err, own) {
			return err
		}
		return f.Fault("write to", err)
	}
	if err := tx.Commit(); err != nil {
		return f.Fault("write to", err)
	}
	return nil
}

// Fault is what went wrong while doing something to the file, for its users; the
// path is for the operator only.
func (f *File) Fault(doing string, err error) error {
	return fault.New(codes.Unavailable, f.cfg.Reason, f.cfg.Message).
		ForOperator("%s", f.cfg.Path).Because(fmt.Errorf("%s %s: %w", doing, f.cfg.Path, err))
}

// Close closes the file; it cannot be used again.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.db == nil {
		return nil
	}
	if err := f.db.Close(); err != nil {
		return f.Fault("close", err)
	}
	return nil
}
