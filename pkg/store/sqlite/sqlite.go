// Package sqlite is the store in one SQLite file, for one data directory that
// any number of processes of one machine may open: a server and the command
// line side by side.
//
// The file is in WAL mode with synchronous=NORMAL: what was committed survives
// the death of a process at any instant, and the last moments before a power cut
// may be lost. Each process has an instance id and holds a lock on a file of
// that name for as long as it lives, so that others can tell at once whether
// the owner of a run is alive, however it died.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
	"github.com/dibrain/dibrain/pkg/store/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// FileName is the name of the database in the store's folder.
const FileName = "router.db"

// Config says where the store is.
type Config struct {
	// Dir is the store's folder, such as DATA_DIR/router. It is made when absent.
	Dir string
	// BusyTimeout bounds waiting for another process's write. Default 5 s.
	BusyTimeout time.Duration
	// Readers is the number of connections for reading. Default 4.
	Readers int
	// Clock defaults to time.Now.
	Clock func() time.Time
	// Log defaults to slog.Default.
	Log *slog.Logger
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	cfg      Config
	path     string
	instance instance
	write    *sql.DB // one connection: SQLite has one writer
	read     *sql.DB
	prepared map[string]*sql.Stmt // of write, by their text
	reading  map[string]*sql.Stmt // likewise, of read
	copier   copier
	packer   coding.Packer
	turns    turns
	ended    ended
	writing  chan struct{} // holds one token: who writes
	keeping  keeping       // of steps; of who writes
	opened   bool
	closed   atomic.Bool
}

// Open opens the store, brings its schema up to date, and marks the runs of dead
// processes as interrupted. A damaged file is a fault that says what to do;
// nothing is ever deleted or repaired without being asked.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.BusyTimeout <= 0 {
		cfg.BusyTimeout = 5 * time.Second
	}
	if cfg.Readers <= 0 {
		cfg.Readers = 4
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fault.New(codes.FailedPrecondition, store.ReasonUnavailable, fmt.Sprintf(
			"The folder %s cannot be made. Choose a data directory that you may write to with --data-dir.", cfg.Dir)).Because(err)
	}
	patience, done := context.WithTimeout(ctx, cfg.BusyTimeout)
	defer done()
	var s *Store
	err := schema.WhileBusy(patience, func() error {
		s = &Store{cfg: cfg, path: filepath.Join(cfg.Dir, FileName), writing: make(chan struct{}, 1)}
		if err := s.open(ctx); err != nil {
			return errors.Join(s.fault("open", err), s.Close())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.packer, err = coding.NewPacker(); err != nil {
		return err
	}
	if s.instance, err = claimInstance(filepath.Join(s.cfg.Dir, "owners"), s.cfg.Clock()); err != nil {
		return err
	}
	if s.write, err = sql.Open("sqlite", s.dsn(fmt.Sprintf("_txlock=immediate&_pragma=wal_autocheckpoint(%d)", autoCheckpoint))); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if s.copier.db, err = sql.Open("sqlite", s.dsn("")); err != nil {
		return err
	}
	s.copier.db.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite", s.dsn("_pragma=query_only(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(s.cfg.Readers)
	s.read.SetMaxIdleConns(s.cfg.Readers)
	if err := schema.Up(ctx, s.write, migrations, s.path); err != nil {
		return err
	}
	if err := os.Chmod(s.path, 0o600); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	err = s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOut(ctx, tx, ofAll); err != nil {
			return err
		}
		return s.reap(ctx, tx, "")
	})
	s.opened = err == nil
	return err
}

// dsn puts the journal mode after the busy timeout: changing it needs the file.
func (s *Store) dsn(extra string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(s.path)}
	return u.String() + fmt.Sprintf("?_pragma=busy_timeout(%d)&_pragma=auto_vacuum(incremental)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&%s",
		s.cfg.BusyTimeout.Milliseconds(), extra)
}

// Migrations are the files that make the schema, in a folder "migrations".
func Migrations() fs.FS { return migrations }

// Close writes what turns have left as steps into the tables, closes the file, and gives up
// the instance. Runs that are still at work count as interrupted from then on.
func (s *Store) Close() (err error) {
	if s.closed.Swap(true) {
		return nil
	}
	var errs []error
	s.ended.close()
	if s.opened {
		last, failed := s.giveBack()
		if failed != nil {
			errs = append(errs, fmt.Errorf("the newest turns were not written into the tables; the next process does it, and nothing is lost: %w", failed))
		}
		defer func() { err = errors.Join(err, last()) }()
	}
	s.packer.Close()
	s.copier.done.Wait()
	for _, db := range []*sql.DB{s.copier.db, s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(append(errs, s.instance.release())...)
}

// Path returns the path of the database, for messages.
func (s *Store) Path() string { return s.path }

func (s *Store) now() int64 { return s.cfg.Clock().UnixNano() }

// writer waits until ctx ends for the right to write, which the caller gives back by free.
func (s *Store) writer(ctx context.Context) (free func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s.writing <- struct{}{}:
		return func() { <-s.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tx runs f in one write transaction. ctx bounds the wait for the right to write and for the
// connection; what f then does is bounded by its size and the busy timeout, and is not watched
// for the end of ctx: that would cost more than the writes, and leave open what was written.
func (s *Store) tx(ctx context.Context, f func(context.Context, *sql.Tx) error) (err error) {
	free, err := s.writer(ctx)
	if err != nil {
		return err
	}
	defer free()
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(ctx, tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.committed()
	return nil
}

func (s *Store) committed() {
	s.copier.committed(func(err error) {
		s.cfg.Log.Warn("the write-ahead log could not be copied; the next try follows", "error", err)
	})
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

const running = string(run.StatusRunning)
