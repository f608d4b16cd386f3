package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

const (
	patience = 30 * time.Second
	often    = 20 * time.Millisecond
)

var alice = run.Principal{ID: "alice"}

// atWork stores a session with a run that s is at work on.
func atWork(t *testing.T, s *postgres.Store) store.Lock {
	t.Helper()
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{
		Open:      &store.Session{ID: "ses_1"},
		Run:       &store.Run{Record: run.Record{RunID: "run_1", Status: run.StatusRunning}},
		ToolCalls: []store.ToolCall{{ID: "call_1", RunID: "run_1", Status: run.StatusRunning}},
	}))
	return l
}

func status(t *testing.T, s *postgres.Store) run.Status {
	t.Helper()
	u, _, err := s.Run(t.Context(), alice, "run_1")
	require.NoError(t, err)
	return u.Record.Status
}

// TestTheDeadAreAwaitedForAGrace: a process that died without a word may be one whose
// connection was lost; after the grace its runs are interrupted by any other process,
// nobody has to start for it, and its session goes on though its lease has not run out.
func TestTheDeadAreAwaitedForAGrace(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	patient := open(t, dsn, func(c *postgres.Config) { c.Grace = time.Hour })
	victim := open(t, dsn)
	l := atWork(t, victim)
	require.NoError(t, victim.Abandon(t.Context()))

	_, err := patient.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.Equal(t, store.ReasonSessionBusy, fault.ReasonOf(err), "%v", err)
	require.Equal(t, run.StatusRunning, status(t, patient))

	hasty := open(t, dsn, func(c *postgres.Config) { c.Grace = 300 * time.Millisecond })
	require.Eventually(t, func() bool { return status(t, patient) == run.StatusInterrupted }, patience, often)
	c, err := hasty.ToolCall(t.Context(), alice, "call_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusInterrupted, c.Status)
	taken, err := patient.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
	require.Greater(t, taken.Token, l.Token)
}

// TestALostConnectionIsNoDeath: who lost the connection that tells of its life keeps
// its runs and its sessions, and comes back on another connection.
func TestALostConnectionIsNoDeath(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	named := postgrestest.With(t, dsn, "application_name", run.NewID("app_", nil))
	s := open(t, named, func(c *postgres.Config) { c.Grace = 3 * time.Second })
	l := atWork(t, s)
	other := open(t, dsn, func(c *postgres.Config) { c.Grace = 3 * time.Second })
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	app, err := pgx.ParseConfig(named)
	require.NoError(t, err)
	life := func() (pid int) { // the backend that holds its advisory lock
		err := conn.QueryRow(t.Context(), `SELECT coalesce(max(l.pid), 0) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = $1`, app.RuntimeParams["application_name"]).Scan(&pid)
		require.NoError(t, err)
		return pid
	}
	before := life()
	require.NotZero(t, before)
	_, err = conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, app.RuntimeParams["application_name"])
	require.NoError(t, err)
	_, err = other.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.Equal(t, store.ReasonSessionBusy, fault.ReasonOf(err), "%v", err)
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Chat: &store.Chat{ID: "main"}}), "a connection that broke is replaced")
	require.Eventually(t, func() bool { now := life(); return now != 0 && now != before }, patience, often)
	require.Equal(t, run.StatusRunning, status(t, other))
}

// TestTheClockIsTheDatabases: machines whose clocks differ agree on when a lease ends.
func TestTheClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.DSN(t))
	for name, off := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour, "right": 0} {
		now, err := s.AtWall(t.Context(), func() time.Time { return time.Now().Add(off) })
		require.NoError(t, err, name)
		require.WithinDuration(t, time.Now(), now, 5*time.Second, name)
	}
}
