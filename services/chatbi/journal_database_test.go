package chatbi

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// testLease is the lease of silent journals.
const testLease = time.Hour

// silent opens a journal in a database, by a clock that stands until it is moved on.
func silent(t *testing.T, dsn string, most int) (j *databaseJournal, pass func(time.Duration)) {
	t.Helper()
	schema, err := store.PostgresSchema()
	require.NoError(t, err)
	db, err := postgres.OpenDatabase(t.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 2}, schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	now := time.Unix(1_900_000_000, 0)
	return silentJournal(db, testLease, most, func() time.Time { return now }, slog.New(slog.DiscardHandler)), func(d time.Duration) { now = now.Add(d) }
}

// noted are the statements of the table, those whose lease is over with a mark.
func noted(t *testing.T, dsn string) (ids []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	rows, err := conn.Query(t.Context(), `SELECT id || CASE WHEN `+store.Lapsed+` THEN ' lapsed' ELSE '' END FROM running_statements ORDER BY id`)
	require.NoError(t, err)
	ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return ids
}

// TestAnOutageEndsNoStatementsOfTheLiving: when the database is back after more than a lease,
// the leases of all are over. A process takes rows of others only once it has given signs of
// life for a whole lease without a gap, and never its own.
func TestAnOutageEndsNoStatementsOfTheLiving(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	j, pass := silent(t, dsn, 10)
	other, _ := silent(t, dsn, 10)
	j.began(runningQuery{ID: "mine", Source: "wh", User: "ann"})
	other.began(runningQuery{ID: "living", Source: "wh", User: "ann"})
	other.began(runningQuery{ID: "of the killed", Source: "wh", User: "ann"})
	outage := func() { postgrestest.Exec(t, dsn, `UPDATE running_statements SET lease_until = 1`) }
	taken := func() (ids []string) {
		for _, l := range j.leftovers(t.Context()) {
			for _, q := range l.statements() {
				ids = append(ids, q.ID)
			}
		}
		return ids
	}
	sign := func(times int) {
		for range times {
			pass(j.signEvery())
			require.NoError(t, j.sign(t.Context()))
		}
	}
	outage()
	require.Empty(t, taken(), "it has given no sign of life yet")
	sign(3)
	outage()
	require.Empty(t, taken(), "two thirds of a lease are too few")

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, j.sign(gone))
	sign(3)
	outage()
	require.Empty(t, taken(), "a sign that could not be given is a gap")

	sign(1)
	pass(testLease)
	outage()
	require.Empty(t, taken(), "it has stood still for a lease")
	sign(3)
	outage()
	require.Empty(t, taken())

	// The others have had their chance, which one of them took.
	other.ended("of the killed")
	postgrestest.Exec(t, dsn, `INSERT INTO running_statements (id, source, runs_as, since_ms, process, lease_until) VALUES ('of the killed', 'wh', 'ann', 1, 'proc_killed', 1)`)
	require.NoError(t, other.sign(t.Context()))
	sign(1)
	postgrestest.Exec(t, dsn, `UPDATE running_statements SET lease_until = 1 WHERE id = 'mine'`)
	require.Equal(t, []string{"of the killed"}, taken())
	require.Equal(t, []string{"living", "mine lapsed", "of the killed"}, noted(t, dsn))
	require.NoError(t, j.sign(t.Context()))
	require.Equal(t, []string{"living", "mine", "of the killed"}, noted(t, dsn))
	require.Empty(t, taken(), "it is at it")
}

// TestAStatementThatCouldNotBeForgotten gets no further signs of life.
func TestAStatementThatCouldNotBeForgotten(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	j, pass := silent(t, dsn, 10)
	j.began(runningQuery{ID: "q1"})
	j.began(runningQuery{ID: "q2"})
	postgrestest.Exec(t, dsn,
		`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the disk is gone''; END'`,
		`CREATE TRIGGER broken BEFORE DELETE ON running_statements EXECUTE FUNCTION broken()`)
	j.ended("q1")
	postgrestest.Exec(t, dsn, `UPDATE running_statements SET lease_until = 1`)
	require.NoError(t, j.sign(t.Context()))
	require.Equal(t, []string{"q1 lapsed", "q2"}, noted(t, dsn))
	for range 4 {
		pass(j.signEvery())
		require.NoError(t, j.sign(t.Context()))
	}
	left := j.leftovers(t.Context())
	require.Len(t, left, 1, "it is ended once more")
	require.Len(t, left[0].statements(), 1)
	postgrestest.Exec(t, dsn, `DROP TRIGGER broken ON running_statements`)
	left[0].done(left[0].statements()[0])
	require.Equal(t, []string{"q2"}, noted(t, dsn))
}

// TestJournalInADatabaseIsBounded: the oldest statement makes room, with its row.
func TestJournalInADatabaseIsBounded(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	j, _ := silent(t, dsn, 2)
	for _, id := range []string{"q1", "q2", "q2", "q3", "q4"} {
		j.began(runningQuery{ID: id})
	}
	require.Equal(t, []string{"q3", "q4"}, noted(t, dsn))
	require.Len(t, j.kept, 2)
	j.ended("q1")
	j.ended("q3")
	require.Equal(t, []string{"q4"}, noted(t, dsn))
	j.began(runningQuery{ID: "q5"})
	require.Equal(t, []string{"q4", "q5"}, noted(t, dsn))
	require.NoError(t, j.close())
	require.Equal(t, []string{"q4 lapsed", "q5 lapsed"}, noted(t, dsn), "others find them at once")
}
