package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// TestWhoComesInBetweenIsSeen: a session changes hands while another process is about
// to write to it or to lock it. The other one waits and sees the new holder; it does
// not go by what it read before.
func TestWhoComesInBetweenIsSeen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		held   bool // by the one who comes late
		late   func(t *testing.T, s *postgres.Store, l store.Lock) error
		reason string
	}{
		"a write": {held: true, late: func(t *testing.T, s *postgres.Store, l store.Lock) error {
			return s.Commit(t.Context(), alice, l, store.Changes{Session: &store.Session{Title: "from the past"}})
		}, reason: store.ReasonLockLost},
		"a renewal": {held: true, late: func(t *testing.T, s *postgres.Store, l store.Lock) error {
			_, _, err := s.Renew(t.Context(), l, "run_1", time.Minute)
			return err
		}, reason: store.ReasonLockLost},
		"a lock": {late: func(t *testing.T, s *postgres.Store, _ store.Lock) error {
			_, err := s.Lock(t.Context(), alice, "ses_1", time.Minute)
			return err
		}, reason: store.ReasonSessionBusy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.DSN(t)
			s, other := open(t, dsn), open(t, dsn)
			l := atWork(t, s)
			if !tc.held {
				require.NoError(t, s.Unlock(t.Context(), l))
			}
			var owner string // of a living process, which is never taken over before its lease ends
			conn, err := pgx.Connect(t.Context(), dsn)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close(t.Context()) })
			require.NoError(t, other.Commit(t.Context(), alice, store.FirstLock("ses_other", time.Now().Add(time.Hour)), store.Changes{Open: &store.Session{ID: "ses_other"}}))
			require.NoError(t, conn.QueryRow(t.Context(), `SELECT lock_owner FROM sessions WHERE id = 'ses_other'`).Scan(&owner))

			tx, err := conn.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `UPDATE sessions SET lock_owner = $1, lock_token = lock_token + 1, lock_expires = $2 WHERE id = 'ses_1'`,
				owner, time.Now().Add(time.Hour).UnixNano())
			require.NoError(t, err)
			told := make(chan error, 1)
			go func() { told <- tc.late(t, s, l) }()
			watch, err := pgx.Connect(t.Context(), dsn)
			require.NoError(t, err)
			defer func() { require.NoError(t, watch.Close(t.Context())) }()
			require.Eventually(t, func() bool {
				waits := false
				err := watch.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid)))`, int32(conn.PgConn().PID())).Scan(&waits)
				return err == nil && waits
			}, patience, often, "it waits for who came in between")
			require.NoError(t, tx.Commit(t.Context()))
			err = <-told
			require.Equal(t, tc.reason, fault.ReasonOf(err), "%v", err)
			ses, err := s.Session(t.Context(), alice, "ses_1")
			require.NoError(t, err)
			require.Empty(t, ses.Title)
		})
	}
}
