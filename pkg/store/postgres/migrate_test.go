package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// lockedWriter lets a test read a log while others write it.
type lockedWriter struct {
	to *strings.Builder
	mu *sync.Mutex
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func logTo(b *strings.Builder, mu *sync.Mutex) *slog.Logger {
	return slog.New(slog.NewTextHandler(lockedWriter{b, mu}, nil))
}

// TestManyOpenAtOnce: of processes that start at once on an empty database one migrates.
func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			s, err := postgres.Open(context.Background(), config(dsn))
			if err == nil {
				err = errors.Join(s.Ready(context.Background()), s.Close())
			}
			errs[i] = err
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	var times int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM goose_db_version WHERE version_id = 1`).Scan(&times))
	require.Equal(t, 1, times)
	var left int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM instances`).Scan(&left))
	require.Zero(t, left, "who ends leaves nothing behind")
}

// TestDatabaseOfANewerVersion: it serves the version before it where its migrations
// say so, and is refused in words where they do not.
func TestDatabaseOfANewerVersion(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	require.NoError(t, open(t, dsn).Close())
	postgrestest.Exec(t, dsn, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (2, true)`)
	s := open(t, dsn)
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	require.NoError(t, s.Close())
	postgrestest.Exec(t, dsn, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (3, true)`, `UPDATE compatibility SET oldest = 2`)
	_, err := postgres.Open(t.Context(), config(dsn))
	require.Equal(t, store.ReasonTooNew, fault.ReasonOf(err), "%v", err)
	require.Equal(t, codes.FailedPrecondition, fault.FromStatus(err).Code)
	require.Contains(t, err.Error(), "usable from 2 on")
}

// TestTextsThatPostgreSQLCannotHold: a zero byte and what is no UTF-8 are shown by a
// sign, and an id with them is nobody's.
func TestTextsThatPostgreSQLCannotHold(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.DSN(t))
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1", Title: "a\x00b\xffc 会话"}))
	got, err := s.Session(t.Context(), alice, "ses_1")
	require.NoError(t, err)
	require.Equal(t, "a\u2400b\uFFFDc 会话", got.Title)
	for _, id := range []string{"ses_1\x00", "\xff"} {
		_, err = s.Session(t.Context(), alice, id)
		require.Equal(t, store.ReasonSessionUnknown, fault.ReasonOf(err), "%v", err)
	}
	_, err = s.Session(t.Context(), run.Principal{ID: "alice\x00"}, "ses_1")
	require.Equal(t, store.ReasonSessionUnknown, fault.ReasonOf(err))
}

func TestClosedStoreSaysSo(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.DSN(t))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing twice is no mistake")
	_, err := s.Session(t.Context(), alice, "ses_1")
	require.Equal(t, store.ReasonClosed, fault.ReasonOf(err), "%v", err)
}
