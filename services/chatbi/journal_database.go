package chatbi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// noteTimeout bounds the noting of one statement, which waits for it.
const noteTimeout = 2 * time.Second

// databaseJournal is a journal in PostgreSQL, in the tables of results. Each statement has a
// row, with the time until which its process is taken to live, which the process moves on.
// Who ends the statements of a process that is gone takes the rows over first, by the same
// lease: one process is at it, and where that dies too, another.
//
// While the database is away no process can move its leases on, and afterwards those of the
// living are over too. A process therefore takes rows over only where it has reached the
// database itself, without a gap, for a whole lease: in that time the living have signed.
type databaseJournal struct {
	db      *postgres.Database
	process string
	lease   time.Duration
	max     int              // statements that are kept, and that are taken over at a time
	clock   func() time.Time // measures how long signs of life have come without a gap
	log     *slog.Logger
	stop    context.CancelFunc
	beating sync.WaitGroup

	mu     sync.Mutex
	kept   map[string]int64 // statements of this process, and when each was noted: 1, 2, 3, ...
	noted  int64
	taken  map[string]bool // statements that were taken over
	signed time.Time       // when the last sign of life was given; zero: the last try failed
	steady time.Time       // when the first of those without a gap was given
}

// newDatabaseJournal returns a journal that gives signs of life until it is closed.
func newDatabaseJournal(db *postgres.Database, lease time.Duration, maxKept int, log *slog.Logger) *databaseJournal {
	j := silentJournal(db, lease, maxKept, time.Now, log)
	ctx, stop := context.WithCancel(context.Background())
	j.stop = stop
	j.beating.Go(func() { j.beat(ctx) })
	return j
}

// silentJournal returns a journal that gives a sign of life only where sign is called.
func silentJournal(db *postgres.Database, lease time.Duration, maxKept int, clock func() time.Time, log *slog.Logger) *databaseJournal {
	return &databaseJournal{
		db: db, process: run.NewID("proc_", nil), lease: lease, max: maxKept, clock: clock, log: log, stop: func() {},
		kept: map[string]int64{}, taken: map[string]bool{},
	}
}

// beat gives signs of life, three in each lease.
func (j *databaseJournal) beat(ctx context.Context) {
	for ok := true; ok; ok = pause.For(ctx, j.signEvery()) == nil {
		if err := j.sign(ctx); err != nil && ctx.Err() == nil && len(j.holds()) > 0 {
			j.log.WarnContext(ctx, "other processes were not told that statements of this one still run, and may end them; the next try follows", "error", fault.OperatorText(err))
		}
	}
}

// signEvery is the time between two signs of life, and the most that one may take.
func (j *databaseJournal) signEvery() time.Duration { return j.lease / 3 }

// sign moves the leases of what this process holds on. It asks the database where nothing
// is held too, so that this process knows whether the others could do the same.
func (j *databaseJournal) sign(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, j.signEvery())
	defer done()
	err := j.write(ctx, "tell that statements still run", `UPDATE running_statements SET lease_until = `+store.Until+` WHERE process = $2 AND id = ANY($3)`,
		j.lease.Milliseconds(), j.process, j.holds())
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.signed = time.Time{}
		return err
	}
	now := j.clock()
	if j.gap(now) {
		j.steady = now
	}
	j.signed = now
	return nil
}

// gap says whether more time has passed since the last sign of life than lies between two
// that each came in time.
func (j *databaseJournal) gap(now time.Time) bool {
	return j.signed.IsZero() || now.Sub(j.signed) > 2*j.signEvery()
}

// mayTake says whether the living have had a whole lease for a sign of life.
func (j *databaseJournal) mayTake() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := j.clock()
	return !j.gap(now) && now.Sub(j.steady) >= j.lease
}

// holds returns the ids of what is held, as they are stored.
func (j *databaseJournal) holds() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	ids := make([]string, 0, len(j.kept)+len(j.taken))
	for id := range j.kept {
		ids = append(ids, postgres.Storable(id))
	}
	for id := range j.taken {
		ids = append(ids, postgres.Storable(id))
	}
	return ids
}

func (j *databaseJournal) write(ctx context.Context, doing, text string, args ...any) error {
	return j.db.Write(ctx, doing, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, text, args...)
		return err
	})
}

// brief bounds what a statement waits for, or somebody who has ended it.
func brief() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), noteTimeout)
}

func (j *databaseJournal) began(q runningQuery) {
	dropped := j.place(q.ID)
	ctx, done := brief()
	defer done()
	err := j.db.Write(ctx, "note a running statement", func(ctx context.Context, tx pgx.Tx) error {
		if dropped != "" {
			if _, err := tx.Exec(ctx, forgetStatement, postgres.Storable(dropped), j.process); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO running_statements (lease_until, id, source, runs_as, since_ms, process)
			VALUES (`+store.Until+`, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
			j.lease.Milliseconds(), postgres.Storable(q.ID), postgres.Storable(q.Source), postgres.Storable(q.User), q.Since.UnixMilli(), j.process)
		return err
	})
	if err != nil {
		j.log.Warn("a running statement cannot be noted: should this process be killed, nobody ends it on its server", "query_id", q.ID, "error", fault.OperatorText(err))
	}
}

// place counts a statement in, and returns the one that made room for it; empty: none had to.
func (j *databaseJournal) place(id string) (dropped string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.kept[id] == 0 && len(j.kept) >= j.max {
		dropped = oldestOf(j.kept)
		delete(j.kept, dropped)
	}
	j.noted++
	j.kept[id] = j.noted
	return dropped
}

// forgetStatement removes the row of a statement of a process.
const forgetStatement = `DELETE FROM running_statements WHERE id = $1 AND process = $2`

func (j *databaseJournal) ended(id string) {
	j.mu.Lock()
	known := j.kept[id] != 0 || j.taken[id]
	delete(j.kept, id)
	delete(j.taken, id)
	j.mu.Unlock()
	if !known {
		return
	}
	ctx, done := brief()
	defer done()
	// A row that stays gets no sign of life any more. It is ended again once its lease is over: no harm.
	_ = j.write(ctx, "forget a running statement", forgetStatement, postgres.Storable(id), j.process)
}

// leftovers implements journal: it takes rows over whose lease is over, but none that it
// holds. Those of its own that it does not hold it could not remove, or does not know to have
// taken over.
func (j *databaseJournal) leftovers(ctx context.Context) []leftover {
	if !j.mayTake() {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, j.signEvery())
	defer done()
	var taken []runningQuery
	err := j.db.Write(ctx, "look for statements that killed processes have left", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE running_statements SET process = $2, lease_until = `+store.Until+` WHERE (source, id) IN
			(SELECT source, id FROM running_statements WHERE (process <> $2 OR id <> ALL($4)) AND `+store.Lapsed+` ORDER BY since_ms LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING id, source, runs_as, since_ms`,
			j.lease.Milliseconds(), j.process, j.max, j.holds())
		if err != nil {
			return err
		}
		taken, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (q runningQuery, err error) {
			var since int64
			err = row.Scan(&q.ID, &q.Source, &q.User, &since)
			q.Since = time.UnixMilli(since).UTC()
			return q, err
		})
		return err
	})
	if err != nil || len(taken) == 0 {
		if err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "statements that killed processes have left could not be looked for; the next try follows", "error", fault.OperatorText(err))
		}
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, q := range taken {
		j.taken[q.ID] = true
	}
	return []leftover{leftRows{j, taken}}
}

// close gives up what is held: others find it as soon as the lease is over, and the sooner
// for being told.
func (j *databaseJournal) close() error {
	j.stop()
	j.beating.Wait()
	j.mu.Lock()
	left := len(j.kept) + len(j.taken)
	j.mu.Unlock()
	if left == 0 {
		return nil
	}
	ctx, done := brief()
	defer done()
	_ = j.write(ctx, "give running statements up", `UPDATE running_statements SET lease_until = 0 WHERE process = $1`, j.process)
	return nil
}

// leftRows are rows that were taken over.
type leftRows struct {
	of    *databaseJournal
	taken []runningQuery
}

func (l leftRows) statements() []runningQuery { return l.taken }

func (l leftRows) done(q runningQuery) { l.of.ended(q.ID) }

// release does nothing: what is left when the service closes, close gives up.
func (l leftRows) release() {}
