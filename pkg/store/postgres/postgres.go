// Package postgres is the store in a PostgreSQL database, for routers that share the
// work: each of them may take any turn of any session.
//
// Who may write to a session stands in the session's row, which every write locks
// first: a writer whose token is not the present one is refused, however late it
// comes. A process holds the advisory lock of its instance id on a connection of its
// own, and PostgreSQL gives it up when the process dies. One whose lock is free is
// dead once it gave no sign of life for Grace; then its runs are marked interrupted,
// and its sessions can be locked again. Grace lets a process come back after the
// database was away for a moment.
//
// The connections must reach PostgreSQL itself, or a pooler that pools by session:
// advisory locks and prepared statements belong to a connection.
package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// Defaults of Config.
const (
	DefaultMaxConnections = 16
	DefaultConnectTimeout = 5 * time.Second
	DefaultTimeout        = 10 * time.Second
	DefaultGrace          = 15 * time.Second
	DefaultFailures       = 5
	DefaultProbeAfter     = 2 * time.Second
)

// Config says where the database is and what may be asked of it.
type Config struct {
	// DSN returns the connection string, a URL or keywords as libpq takes them. It is
	// asked again for every new connection, so that a new password counts at once.
	DSN func() (string, error)
	// MaxConnections bounds the connections of this process to the database, 2 or more;
	// one more is its sign of life. Default DefaultMaxConnections.
	MaxConnections int
	// ConnectTimeout bounds the making of one connection. Default DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// Timeout bounds one read or write, with the wait for a connection and for others
	// who write to the same session. Default DefaultTimeout.
	Timeout time.Duration
	// Grace is how long a process that gave no sign of life is waited for before others
	// take its sessions over; a third of it lies between two signs. Default DefaultGrace.
	Grace time.Duration
	// Failures is after how many reads and writes in a row that the database did not answer
	// it is asked no more, and ProbeAfter how long that lasts before one of them tries.
	// Default DefaultFailures and DefaultProbeAfter.
	Failures   int
	ProbeAfter time.Duration
	// Clock is that of the machine, and defaults to time.Now. Where the database's
	// clock differs from the machine's, the store goes by the database's.
	Clock func() time.Time
	// Log defaults to slog.Default.
	Log *slog.Logger
}

func (c Config) complete() Config {
	if c.MaxConnections <= 0 {
		c.MaxConnections = DefaultMaxConnections
	}
	c.MaxConnections = max(c.MaxConnections, 2)
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = DefaultConnectTimeout
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Grace <= 0 {
		c.Grace = DefaultGrace
	}
	if c.Failures <= 0 {
		c.Failures = DefaultFailures
	}
	if c.ProbeAfter <= 0 {
		c.ProbeAfter = DefaultProbeAfter
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	database
	id     string // of this instance
	packer coding.Packer
	wall   func() time.Time // against which the database's clock is held
	ahead  atomic.Int64     // what the database's clock is ahead of the machine's, in nanoseconds

	life    *pgx.Conn // holds the instance's lock; whoever holds starting uses it
	stop    context.CancelFunc
	beating sync.WaitGroup
}

// Open returns a store, and brings the schema up to date. A database that cannot be
// reached is tried again in the background and by each call: until then calls are
// UNAVAILABLE. What only an operator can mend, such as a database of a newer version,
// is an error.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s := &Store{id: run.NewID("own_", nil), wall: time.Now}
	var err error
	if s.packer, err = coding.NewPacker(); err != nil {
		return nil, err
	}
	if err := s.open(ctx, cfg.complete(), SessionSchema()); err != nil {
		s.packer.Close()
		return nil, err
	}
	s.join = s.joinOthers
	if err := s.beginOrWait(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	living, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.beating.Go(func() { s.beat(living) })
	return s, nil
}

// joinOthers makes the instance known and marks what dead ones left as interrupted.
func (s *Store) joinOthers(ctx context.Context) error {
	if err := s.sign(ctx); err != nil {
		return s.fault("make this process known", err)
	}
	return s.fault("look after dead processes", s.once(ctx, s.reapAll))
}

// Close gives up the instance and the connections. Runs that are still at work count
// as interrupted from then on.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	s.beating.Wait()
	ctx, done := context.WithTimeout(context.Background(), s.cfg.ConnectTimeout)
	defer done()
	err := s.leave(ctx)
	s.pool.Close()
	s.packer.Close()
	return err
}

// now is the database's time as far as it is known, in nanoseconds.
func (s *Store) now() int64 { return s.cfg.Clock().UnixNano() + s.ahead.Load() }

const running = string(run.StatusRunning)

// unavailable is what clients are told when the store does not answer.
func unavailable(message string) *fault.Error {
	e := fault.New(codeUnavailable, store.ReasonUnavailable, message)
	e.RetryAfter = time.Second
	return e
}
