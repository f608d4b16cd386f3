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
type databaseJournal struct {
	db      *postgres.Database
	process string
	lease   time.Duration
	max     int // statements that are taken over at a time
	log     *slog.Logger
	stop    context.CancelFunc
	beating sync.WaitGroup

	mu   sync.Mutex
	held map[string]bool // statements of this process, and those that it has taken over
}

func newDatabaseJournal(db *postgres.Database, lease time.Duration, maxTaken int, log *slog.Logger) *databaseJournal {
	j := &databaseJournal{db: db, process: run.NewID("proc_", nil), lease: lease, max: maxTaken, log: log, held: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	j.stop = stop
	j.beating.Go(func() { j.beat(ctx) })
	return j
}

// beat gives signs of life while there is something to hold, three in each lease.
func (j *databaseJournal) beat(ctx context.Context) {
	for pause.For(ctx, j.lease/3) == nil {
		j.mu.Lock()
		idle := len(j.held) == 0
		j.mu.Unlock()
		if idle {
			continue
		}
		err := j.write(ctx, "tell that statements still run", `UPDATE running_statements SET lease_until = `+store.Until+` WHERE process = $2`, j.lease.Milliseconds(), j.process)
		if err != nil && ctx.Err() == nil {
			j.log.WarnContext(ctx, "other processes were not told that statements of this one still run, and may end them; the next try follows", "error", fault.OperatorText(err))
		}
	}
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
	j.mu.Lock()
	j.held[q.ID] = true
	j.mu.Unlock()
	ctx, done := brief()
	defer done()
	err := j.write(ctx, "note a running statement", `INSERT INTO running_statements (lease_until, id, source, runs_as, since_ms, process)
		VALUES (`+store.Until+`, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		j.lease.Milliseconds(), postgres.Storable(q.ID), postgres.Storable(q.Source), postgres.Storable(q.User), q.Since.UnixMilli(), j.process)
	if err != nil {
		j.log.Warn("a running statement cannot be noted: should this process be killed, nobody ends it on its server", "query_id", q.ID, "error", fault.OperatorText(err))
	}
}

func (j *databaseJournal) ended(id string) {
	j.mu.Lock()
	known := j.held[id]
	delete(j.held, id)
	j.mu.Unlock()
	if !known {
		return
	}
	ctx, done := brief()
	defer done()
	// A row that stays is ended again by another process once its lease is over: no harm.
	_ = j.write(ctx, "forget a running statement", `DELETE FROM running_statements WHERE id = $1 AND process = $2`, postgres.Storable(id), j.process)
}

// leftovers implements journal: it takes rows over whose lease is over.
func (j *databaseJournal) leftovers(ctx context.Context) []leftover {
	var taken []runningQuery
	err := j.db.Write(ctx, "look for statements that killed processes have left", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE running_statements SET process = $2, lease_until = `+store.Until+` WHERE (source, id) IN
			(SELECT source, id FROM running_statements WHERE `+store.Lapsed+` ORDER BY since_ms LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING id, source, runs_as, since_ms`,
			j.lease.Milliseconds(), j.process, j.max)
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
		j.held[q.ID] = true
	}
	return []leftover{leftRows{j, taken}}
}

// close gives up what is held: others find it as soon as the lease is over, and the sooner
// for being told.
func (j *databaseJournal) close() error {
	j.stop()
	j.beating.Wait()
	j.mu.Lock()
	left := len(j.held)
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
