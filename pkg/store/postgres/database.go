package postgres

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
)

// Schema is the tables of one kind of store. Several kinds may share a database: each
// has its own migrations and counts its own versions.
type Schema struct {
	// Of is what the store holds, as people are told: "sessions".
	Of string
	// Migrations holds goose's SQL files in a folder "migrations", and Version is the
	// number of the newest.
	Migrations fs.FS
	Version    int64
	// Tables are those that hold state, each after the ones that it refers to; Compatibility,
	// Versions and what is of living processes are not among them.
	Tables []string
	// Versions is the table in which goose counts, and Compatibility the one that the
	// migrations make and keep: its column "oldest" is the oldest version whose programs
	// may work with the schema.
	Versions, Compatibility string
}

// Database is a PostgreSQL database for a store that needs no sign of life of its
// processes. It is safe for concurrent use.
type Database struct{ database }

// Querier is what asks the database: its connections, or a transaction.
type Querier = querier

// OpenDatabase returns a database, and brings the tables of schema up to date. One that
// cannot be reached is tried again by each call: until then calls are UNAVAILABLE. What
// only an operator can mend, such as tables of a newer version, is an error.
func OpenDatabase(ctx context.Context, cfg Config, schema Schema) (*Database, error) {
	d := &Database{}
	if err := d.open(ctx, cfg.complete(), schema); err != nil {
		return nil, err
	}
	if err := d.beginOrWait(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Write runs f in one transaction: all of it or nothing. f may run more than once, each
// time from the start and on what is stored then; its faults pass as they are.
func (d *Database) Write(ctx context.Context, doing string, f func(context.Context, pgx.Tx) error) error {
	return d.writing(ctx, doing, f)
}

// Read runs f outside of a transaction. f may run more than once.
func (d *Database) Read(ctx context.Context, doing string, f func(context.Context, Querier) error) error {
	return d.reading(ctx, doing, f)
}

// Close gives the connections back.
func (d *Database) Close() error {
	if !d.closed.Swap(true) {
		d.pool.Close()
	}
	return nil
}

// database is what Store and Database have in common: connections, migrations, tries
// and faults.
type database struct {
	cfg    Config
	schema Schema
	pool   *pgxpool.Pool
	// circuit ends calls at once while the database is away: each would wait for Timeout.
	circuit *circuit.Breaker
	// join is what a process does once the tables are up to date, before its first call.
	join func(context.Context) error

	begun    atomic.Bool
	starting chan struct{} // holds one entry while somebody begins
	closed   atomic.Bool
}

// open prepares the connections, and makes none.
func (s *database) open(ctx context.Context, cfg Config, schema Schema) error {
	s.cfg, s.schema, s.starting = cfg, schema, make(chan struct{}, 1)
	s.circuit = circuit.New(cfg.Failures, cfg.ProbeAfter, cfg.Clock)
	connect, err := parse(cfg)
	if err != nil {
		return err
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, connect); err != nil {
		return s.fault("open", err)
	}
	return nil
}

// begin brings the schema up to date and lets the process join; once, whoever asks
// first.
func (s *database) begin(ctx context.Context) error {
	if s.begun.Load() {
		return nil
	}
	select {
	case s.starting <- struct{}{}:
		defer func() { <-s.starting }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.begun.Load() {
		return nil
	}
	if s.closed.Load() {
		return s.fault("begin", errClosed)
	}
	if err := s.migrate(ctx); err != nil {
		return s.fault("bring up to date", err)
	}
	if s.join != nil {
		if err := s.join(ctx); err != nil {
			return err
		}
	}
	s.begun.Store(true)
	return nil
}

// beginOrWait begins, or leaves that to later calls where the database is away.
func (s *database) beginOrWait(ctx context.Context) error {
	err := s.begin(ctx)
	if err == nil || !errors.Is(err, errAway) || ctx.Err() != nil {
		return err
	}
	s.log(ctx, slog.LevelWarn, "cannot be reached yet; the next try follows", err)
	return nil
}

var errClosed = errors.New("the store is closed")

// Ready says whether the database can be reached. It is asked though calls are not let
// through at present, and lets them through again.
func (s *database) Ready(ctx context.Context) error {
	return s.asking(ctx, "look whether it is there", func(ctx context.Context) error {
		var one int
		return s.pool.QueryRow(ctx, `SELECT 1`).Scan(&one)
	})
}

// log says what is to be said of the store.
func (s *database) log(ctx context.Context, level slog.Level, what string, err error) {
	s.cfg.Log.Log(ctx, level, "the store of "+s.schema.Of+" "+what, "error", fault.OperatorText(err), "cause", errors.Unwrap(err))
}
