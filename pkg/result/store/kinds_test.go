package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// opener opens an empty store.
type opener func(t *testing.T, change func(*store.Config)) (*store.Store, *clock)

// overKinds runs a test over each kind of index.
func overKinds(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, open)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		postgrestest.Server(t)
		test(t, func(t *testing.T, change func(*store.Config)) (*store.Store, *clock) {
			return newPlace(t).open(t, change)
		})
	})
	t.Run("postgres and objects", func(t *testing.T) {
		t.Parallel()
		postgrestest.Server(t)
		test(t, func(t *testing.T, change func(*store.Config)) (*store.Store, *clock) {
			files, err := objects.New(objectstest.New(t).Config(""))
			require.NoError(t, err)
			return newPlace(t).open(t, func(c *store.Config) {
				c.Files = files
				if change != nil {
					change(c)
				}
			})
		})
	})
}

// place is a database and a folder that several processes share.
type place struct {
	dsn   string
	files store.Directory
	clock *clock
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{
		dsn: postgrestest.DSN(t), files: store.Directory(filepath.Join(t.TempDir(), "shared")),
		clock: &clock{now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
	}
}

// open opens it as one more process does.
func (p place) open(t *testing.T, change func(*store.Config)) (*store.Store, *clock) {
	t.Helper()
	schema, err := store.PostgresSchema()
	require.NoError(t, err)
	db, err := postgres.OpenDatabase(t.Context(), postgres.Config{DSN: func() (string, error) { return p.dsn, nil }, MaxConnections: 3}, schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	config := store.Config{
		Database: db, Files: p.files, MaxAge: time.Hour, MaxBytes: 1 << 20, MaxResults: 100, Clock: p.clock.read, Lease: time.Hour,
	}
	if change != nil {
		change(&config)
	}
	s, err := store.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, p.clock
}

// lapse lets the signs of life of all processes be as old as those of dead ones.
func (p place) lapse(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, p.dsn, `UPDATE results_writing SET lease_until = 1`)
}

func (p place) names(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(string(p.files))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// has waits until there are so many files: those of evicted results go after the answer.
func (p place) has(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(p.names(t)) == n }, time.Minute, 5*time.Millisecond)
}

// TestProcessesShareResults: what one process keeps, another reads on by its tokens, uses
// again and deletes; nobody's limits depend on where a result was written.
func TestProcessesShareResults(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	one, _ := p.open(t, func(c *store.Config) { c.MaxOwnResults = 3 })
	other, _ := p.open(t, func(c *store.Config) { c.MaxOwnResults = 3 })
	w, err := one.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	whole := numbers(9000)
	require.NoError(t, w.Append(t.Context(), whole.Rows))
	id, err := w.Finish(t.Context(), false, "key")
	require.NoError(t, err)

	var rows [][]any
	handles, token := []*store.Store{one, other}, ""
	for i := 0; i == 0 || token != ""; i++ {
		page, err := handles[i%2].Page(t.Context(), alice, id, token, 1000, 1<<20)
		require.NoError(t, err)
		rows, token = append(rows, page.Rows...), page.NextToken
	}
	require.Equal(t, whole.Rows, rows)
	_, err = other.Page(t.Context(), bob, id, "", 1, 1<<20)
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	again, _, err := other.Reusable(t.Context(), alice, "key")
	require.NoError(t, err)
	require.Equal(t, id, again)

	_, _, err = other.Delete(t.Context(), alice, id)
	require.NoError(t, err)
	require.Empty(t, p.names(t))
	_, err = one.Page(t.Context(), alice, id, "", 1, 1<<20)
	require.ErrorContains(t, err, "deleted by you")

	var ids []string
	for i := range 6 {
		id, err := handles[i%2].Put(t.Context(), alice, numbers(10))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	for i, id := range ids {
		_, err := handles[(i+1)%2].Page(t.Context(), alice, id, "", 1, 1<<20)
		require.Equal(t, i < 3, err != nil, "of 6 results of one person the newest 3 are kept: %d %v", i, err)
	}
	p.has(t, 3)
}

// TestQuotasHoldForAllProcesses: whatever processes write at once, all together keep to
// the bounds.
func TestQuotasHoldForAllProcesses(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	bound := func(c *store.Config) { c.MaxResults, c.MaxOwnResults = 5, 4 }
	one, _ := p.open(t, bound)
	other, _ := p.open(t, bound)
	errs := make(chan error, 24)
	for i := range cap(errs) {
		go func() {
			_, err := []*store.Store{one, other}[i%2].Put(t.Context(), run.Principal{ID: []string{"alice", "bob", "eve"}[i%3]}, numbers(50))
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	p.has(t, 5)
	require.NoError(t, other.Prune(t.Context()))
	require.Len(t, p.names(t), 5, "no file of a result that is kept goes")

	// One at a time counts what there is: another waits for it.
	conn, err := pgx.Connect(t.Context(), p.dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	const key = `hashtextextended('dibrain results of ' || current_schema(), 0)`
	_, err = conn.Exec(t.Context(), `SELECT pg_advisory_lock(`+key+`)`)
	require.NoError(t, err)
	brief, done := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer done()
	_, err = one.Put(brief, alice, numbers(1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = conn.Exec(t.Context(), `SELECT pg_advisory_unlock(`+key+`)`)
	require.NoError(t, err)
	_, err = one.Put(t.Context(), alice, numbers(1))
	require.NoError(t, err)
}

// TestRoomIsSharedByProcesses: what is being written in one takes room in the other, and
// gives it back where its process is gone.
func TestRoomIsSharedByProcesses(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	bound := func(c *store.Config) { c.MaxBytes, c.MaxOwnBytes = 4<<20, 2<<20 }
	one, _ := p.open(t, bound)
	other, _ := p.open(t, bound)
	large, err := one.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	require.NoError(t, large.Append(t.Context(), numbers(70_000).Rows))
	second, err := other.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	require.Equal(t, "RESULT_STORE_FULL", fault.ReasonOf(second.Append(t.Context(), numbers(60_000).Rows)))
	require.NoError(t, second.Discard())

	p.lapse(t)
	_, err = other.Put(t.Context(), alice, numbers(80_000))
	require.NoError(t, err, "a process that is gone holds no room")
	require.Len(t, p.names(t), 2)
	require.NoError(t, other.Prune(t.Context()))
	require.Len(t, p.names(t), 1, "and its half-written file goes with the sweep of another")
	require.NoError(t, large.Discard())
}

// TestAWriterThatWasTakenForGone keeps nothing, and says what to do; one that gives signs
// of life is left alone.
func TestAWriterThatWasTakenForGone(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	one, _ := p.open(t, nil)
	lost, err := one.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	require.NoError(t, lost.Append(t.Context(), numbers(5000).Rows))
	p.lapse(t)
	other, _ := p.open(t, nil)
	require.NoError(t, other.Prune(t.Context()))
	require.Empty(t, p.names(t))
	living, err := one.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	require.NoError(t, living.Append(t.Context(), numbers(5000).Rows))
	require.NoError(t, other.Prune(t.Context()))
	require.Len(t, p.names(t), 1, "it is being written")

	_, err = lost.Finish(t.Context(), false, "")
	require.Equal(t, store.ReasonLost, fault.ReasonOf(err))
	require.ErrorContains(t, err, "run the statement again")
	id, err := living.Finish(t.Context(), false, "")
	require.NoError(t, err)
	require.Equal(t, []string{store.FileName(id)}, p.names(t))
}

// TestSignsOfLife: a process moves its leases on for as long as it lives, and only its own.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	s, _ := p.open(t, func(c *store.Config) { c.Lease = time.Second })
	w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	postgrestest.Exec(t, p.dsn, `INSERT INTO results_writing VALUES ('res_of_another', 'bob', 0, 'proc_gone', 1)`)
	p.lapse(t)
	leases := func() (mine, others int64) {
		conn, err := pgx.Connect(t.Context(), p.dsn)
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close(t.Context())) }()
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT max(lease_until) FILTER (WHERE owner = 'alice'), max(lease_until) FILTER (WHERE owner = 'bob') FROM results_writing`).Scan(&mine, &others))
		return mine, others
	}
	require.Eventually(t, func() bool { mine, _ := leases(); return mine > 1 }, time.Minute, 10*time.Millisecond)
	_, others := leases()
	require.EqualValues(t, 1, others)
	require.NoError(t, w.Discard())
}

// TestAnOutageCostsNoResultOfTheLiving: a process whose leases are over, because it could not
// reach the database for so long, does not take itself for gone.
func TestAnOutageCostsNoResultOfTheLiving(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	s, _ := p.open(t, func(c *store.Config) { c.MaxBytes = 64 << 20 })
	w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
	require.NoError(t, err)
	p.lapse(t)
	for range 100 { // it takes room on the way
		require.NoError(t, w.Append(t.Context(), numbers(5000).Rows))
	}
	p.lapse(t)
	require.NoError(t, s.Prune(t.Context()))
	require.Len(t, p.names(t), 1, "its file is no dead process's")
	_, err = s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	id, err := w.Finish(t.Context(), false, "")
	require.NoError(t, err)
	page, err := s.Page(t.Context(), alice, id, "", 1, 1<<20)
	require.NoError(t, err)
	require.EqualValues(t, 500_000, page.TotalRows)
}

// TestRoomOfAResultThatCouldNotBeDropped is given back though its process lives.
func TestRoomOfAResultThatCouldNotBeDropped(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	s, _ := p.open(t, nil)
	begin := func() *store.Writer {
		w, err := s.Begin(t.Context(), alice, numbers(0).Columns)
		require.NoError(t, err)
		require.NoError(t, w.Append(t.Context(), numbers(5000).Rows))
		return w
	}
	kept, dropped := begin(), begin()
	postgrestest.Exec(t, p.dsn,
		`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the disk is gone''; END'`,
		`CREATE TRIGGER broken BEFORE DELETE ON results_writing EXECUTE FUNCTION broken()`)
	require.Error(t, dropped.Discard())
	postgrestest.Exec(t, p.dsn, `DROP TRIGGER broken ON results_writing`)
	p.lapse(t)
	require.NoError(t, store.Sign(t.Context(), s))
	conn, err := pgx.Connect(t.Context(), p.dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	var lapsed, living int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE lease_until = 1), count(*) FILTER (WHERE lease_until > 1) FROM results_writing`).Scan(&lapsed, &living))
	require.Equal(t, [2]int{1, 1}, [2]int{lapsed, living})
	require.NoError(t, s.Prune(t.Context()))
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM results_writing`).Scan(&living))
	require.Equal(t, 1, living)
	_, err = kept.Finish(t.Context(), false, "")
	require.NoError(t, err)
	require.Len(t, p.names(t), 1)
}

// TestADatabaseThatIsAway costs no start, and is told.
func TestADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	schema, err := store.PostgresSchema()
	require.NoError(t, err)
	db, err := postgres.OpenDatabase(t.Context(), postgres.Config{
		DSN:            func() (string, error) { return "postgres://nobody@127.0.0.1:1/none", nil },
		ConnectTimeout: time.Second, Timeout: time.Second,
	}, schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.Open(t.Context(), store.Config{
		Database: db, Files: store.Directory(t.TempDir()), MaxAge: time.Hour, MaxBytes: 1 << 20, MaxResults: 100, Clock: time.Now,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Put(t.Context(), alice, numbers(1))
	require.Equal(t, "STORE_UNAVAILABLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "The store of shared results")
	_, err = s.Page(t.Context(), alice, "res_1", "", 1, 1)
	require.Equal(t, "STORE_UNAVAILABLE", fault.ReasonOf(err))
}
