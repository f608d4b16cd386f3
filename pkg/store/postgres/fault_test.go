package postgres_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// TestAnswersOfTheServer: each class of answers is a fault with what to do.
func TestAnswersOfTheServer(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), config(nobodyThere(t)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for code, want := range map[string]struct {
		code             codes.Code
		reason, operator string
	}{
		"40001": {codes.Unavailable, store.ReasonUnavailable, "pg_locks"}, "40P01": {codes.Unavailable, store.ReasonUnavailable, "pg_locks"},
		"55P03": {codes.Unavailable, store.ReasonUnavailable, "pg_locks"}, "57014": {codes.Unavailable, store.ReasonUnavailable, "pg_locks"},
		"53100": {codes.Unavailable, store.ReasonUnavailable, "make room"}, "53300": {codes.Unavailable, store.ReasonUnavailable, "store.max_connections"},
		"53200": {codes.Unavailable, store.ReasonUnavailable, "memory"}, "57P01": {codes.Unavailable, store.ReasonUnavailable, "restarted"},
		"57P03": {codes.Unavailable, store.ReasonUnavailable, "starts"}, "08006": {codes.Unavailable, store.ReasonUnavailable, "restarted"},
		"28P01": {codes.Unavailable, store.ReasonUnavailable, "store.dsn_file"}, "3D000": {codes.Unavailable, store.ReasonUnavailable, "CREATE DATABASE"},
		"25006": {codes.Unavailable, store.ReasonUnavailable, "primary"}, "42501": {codes.Unavailable, store.ReasonUnavailable, "grant"},
		"42P01": {codes.Unavailable, store.ReasonUnavailable, "backup"}, "23505": {codes.Aborted, postgres.ReasonConflict, ""},
		"XX001": {codes.DataLoss, store.ReasonCorrupt, "backup"},
	} {
		cause := &pgconn.PgError{Code: code, Message: "row values", Detail: "Key (id)=(secret)"}
		got := fault.FromStatus(s.Fault(fmt.Errorf("wrapped: %w", cause)))
		require.Equal(t, want.code, got.Code, code)
		require.Equal(t, want.reason, got.Reason, code)
		require.Contains(t, got.Operator, want.operator, code)
		require.NotContains(t, got.Message, "values", code)
		require.ErrorIs(t, got, cause)
		if want.code == codes.Unavailable {
			require.Positive(t, got.RetryAfter, code)
		}
	}
	require.ErrorIs(t, s.Fault(context.Canceled), context.Canceled)
	own := store.RunUnknown("run_1")
	require.Equal(t, error(own), s.Fault(own))
}

// nobodyThere is a connection string to a port that nobody listens on.
func nobodyThere(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "postgres://ann:top-secret-1@" + l.Addr().String() + "/db?sslmode=disable"
}

// everything is all that an error says to anybody, with its causes.
func everything(err error) string {
	out := fault.OperatorText(err)
	for ; err != nil; err = errors.Unwrap(err) {
		out += "\n" + err.Error()
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				out += everything(e)
			}
			break
		}
	}
	return out
}

// TestNoSecretIsSaid: neither a connection string that cannot be read nor one that
// leads nowhere is repeated with its password.
func TestNoSecretIsSaid(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"", "postgres://ann:top-secret-1@[::1:5432/db", "postgres://ann:top-secret-1@host:port/db",
		"user=ann password='top-secret-1", "host=h password=top-secret-1 sslmode=sometimes", "top-secret-1",
	} {
		_, err := postgres.Open(t.Context(), config(dsn))
		require.Equal(t, postgres.ReasonDSN, fault.ReasonOf(err), "%q: %v", dsn, err)
		require.NotContains(t, everything(err), "secret", dsn)
	}
	var log strings.Builder
	var mu sync.Mutex
	s, err := postgres.Open(t.Context(), config(nobodyThere(t), func(c *postgres.Config) { c.Log = logTo(&log, &mu) }))
	require.NoError(t, err)
	_, err = s.Session(t.Context(), alice, "ses_1")
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
	require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code)
	require.NotContains(t, everything(err), "secret")
	require.Contains(t, fault.OperatorText(err), "127.0.0.1:", "an operator is told where")
	require.NotContains(t, err.Error(), "127.0.0.1", "others are not")
	require.NoError(t, s.Close())
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, log.String(), "cannot be reached yet")
	require.NotContains(t, log.String(), "secret")
}

// door is a way to the server that the test opens, shuts and cuts.
type door struct {
	net.Listener
	to    string
	mu    sync.Mutex
	shut  bool
	conns map[net.Conn]bool
}

func newDoor(t *testing.T, dsn string) (*door, string) {
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d := &door{Listener: l, to: u.Host, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); d.set(true); all.Wait() })
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", d.to)
			if err != nil || !d.enter(in, out) {
				_ = in.Close()
				continue
			}
			all.Go(func() { _, _ = io.Copy(out, in); _ = out.Close() })
			all.Go(func() { _, _ = io.Copy(in, out); _ = in.Close() })
		}
	})
	u.Host = l.Addr().String()
	return d, u.String()
}

func (d *door) enter(conns ...net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range conns {
		if d.shut {
			_ = c.Close()
			continue
		}
		d.conns[c] = true
	}
	return !d.shut
}

// set opens or shuts the door, and cuts who is in it.
func (d *door) set(shut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = shut
	for c := range d.conns {
		_ = c.Close()
	}
	clear(d.conns)
}

// TestAwayAndBack: a store opens while its database is away, says so, and serves once
// it is there; connections that were cut are replaced without anybody's doing.
func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	d, dsn := newDoor(t, postgrestest.DSN(t))
	d.set(true)
	s, err := postgres.Open(t.Context(), config(dsn, func(c *postgres.Config) { c.Grace = 300 * time.Millisecond }))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(s.Ready(t.Context())))
	d.set(false)
	require.NoError(t, s.Ready(t.Context()), "nobody has to start again")
	l := atWork(t, s)
	for range 5 {
		d.set(false) // cuts all connections
		require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Messages: []store.Message{{ChatID: "main", Content: "x"}}}))
	}
	got, err := s.Thread(t.Context(), alice, "ses_1", "main", 9)
	require.NoError(t, err)
	require.Len(t, got.Messages, 5, "what was cut was written once")
	d.set(true)
	require.Equal(t, codes.Unavailable, fault.FromStatus(s.Ready(t.Context())).Code)
	d.set(false)
	require.NoError(t, s.Ready(t.Context()))
}

// TestADatabaseThatIsAwayIsLeftAlone: after so many calls without an answer the next ones are
// told at once, and nobody goes to the database for them; after the pause one tries.
func TestADatabaseThatIsAwayIsLeftAlone(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var came atomic.Int64
	var serving sync.WaitGroup
	serving.Go(func() { // a server that hangs up
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			const cancelRequest = 80877102 // the driver sends one in the background, about a call that is over
			var head [8]byte               // length and code of the first message
			if _, err := io.ReadFull(c, head[:]); err == nil && binary.BigEndian.Uint32(head[4:]) != cancelRequest {
				came.Add(1)
			}
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	var passed atomic.Int64
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s, err := postgres.Open(t.Context(), config("postgres://ann:secret@"+l.Addr().String()+"/db?sslmode=disable", func(c *postgres.Config) {
		c.Failures, c.ProbeAfter, c.Grace = 2, 10*time.Second, time.Hour
		c.Clock = func() time.Time { return began.Add(time.Duration(passed.Load())) }
	}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ask := func() (said string, went bool) {
		before := came.Load()
		_, err := s.Session(t.Context(), alice, "ses_1")
		require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
		require.Positive(t, fault.FromStatus(err).RetryAfter)
		return fault.FromStatus(err).Message, came.Load() > before
	}
	for range 2 {
		said, went := ask()
		require.True(t, went)
		require.Contains(t, said, "cannot be reached")
	}
	for range 3 {
		said, went := ask()
		require.False(t, went)
		require.Contains(t, said, "does not answer since 09:00:00 UTC")
		require.Contains(t, said, "try again in 11s")
	}
	before := came.Load()
	require.Error(t, s.Ready(t.Context()))
	require.Greater(t, came.Load(), before, "readiness looks for itself")
	passed.Add(int64(11 * time.Second))
	_, went := ask()
	require.True(t, went, "one tries")
	_, went = ask()
	require.False(t, went, "and opens the circuit anew")
}

// TestADatabaseThatIsBackIsAsked: what readiness finds counts for all calls, and so does a
// call that gets through. What the caller did or the database refused leaves it open to all.
func TestADatabaseThatIsBackIsAsked(t *testing.T) {
	t.Parallel()
	d, dsn := newDoor(t, postgrestest.DSN(t))
	s := open(t, dsn, func(c *postgres.Config) { c.Failures, c.ProbeAfter = 1, time.Hour })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Session(gone, alice, "ses_1")
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Session(t.Context(), alice, "ses_1")
	require.Equal(t, codes.NotFound, fault.FromStatus(err).Code, "%v", err)
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	d.set(true)
	for range 2 {
		_, err = s.Session(t.Context(), alice, "ses_1")
		require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code, "%v", err)
	}
	d.set(false)
	_, err = s.Session(t.Context(), alice, "ses_1")
	require.ErrorContains(t, err, "does not answer since", "the pause lasts")
	require.NoError(t, s.Ready(t.Context()))
	_, err = s.Session(t.Context(), alice, "ses_1")
	require.NoError(t, err)
}

// TestDeadlocksAreTriedAgain: of two writes that exclude each other the server ends
// one, which is made again; both go through.
func TestDeadlocksAreTriedAgain(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	s := open(t, postgrestest.With(t, dsn, "deadlock_timeout", "50ms"))
	ids := []string{"ses_1", "ses_2"}
	for _, id := range ids {
		require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: id}))
	}
	var meet sync.WaitGroup
	meet.Add(2)
	var done sync.WaitGroup
	errs, tries := make([]error, 2), make([]int, 2)
	for i := range 2 {
		done.Go(func() {
			errs[i] = s.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				tries[i]++
				for n := range 2 {
					if _, err := tx.Exec(ctx, `UPDATE sessions SET turns = turns + 1 WHERE id = $1`, ids[(i+n)%2]); err != nil {
						return err
					}
					if n == 0 && tries[i] == 1 { // both have one and want the other's
						meet.Done()
						meet.Wait()
					}
				}
				return nil
			})
		})
	}
	done.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Greater(t, tries[0]+tries[1], 2, "there was no deadlock")
	for _, id := range ids {
		ses, err := s.Session(t.Context(), alice, id)
		require.NoError(t, err)
		require.Equal(t, 2, ses.Turns)
	}
}

// TestAWriteWaitsForSoLong: a row that somebody holds is waited for in bounds.
func TestAWriteWaitsForSoLong(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	s := open(t, dsn, func(c *postgres.Config) { c.Timeout = 400 * time.Millisecond })
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT 1 FROM sessions FOR UPDATE`)
	require.NoError(t, err)
	_, err = s.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code, "%v", err)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, conn.Close(t.Context()))
	_, err = s.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
}
