package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

//go:embed postgres/migrations/*.sql
var postgresMigrations embed.FS

// postgresVersion is the number of the newest file in postgres/migrations.
const postgresVersion = 1

// tablePrefix begins the names of the tables in PostgreSQL that have a name of their own
// in a SQLite file.
const tablePrefix = "results_"

// ReasonLost is the reason of a result whose writer was taken for gone.
const ReasonLost = "RESULT_LOST"

// PostgresSchema is the tables of chatbi in PostgreSQL: the index of results, and the
// statements that remote engines work on. Neither is in a backup: results are a cache whose
// rows lie elsewhere, and statements are of living processes.
func PostgresSchema() (postgres.Schema, error) {
	files, err := fs.Sub(postgresMigrations, "postgres")
	if err != nil {
		return postgres.Schema{}, err
	}
	return postgres.Schema{
		Of: "shared results", Migrations: files, Version: postgresVersion, Versions: "results_version", Compatibility: "results_compatibility",
	}, nil
}

// Lapsed is the condition of a row whose process gave no sign of life in time, by the clock
// of the database; Until is the time until which a sign counts, $1 being the lease in
// milliseconds.
const (
	Lapsed = `lease_until < (extract(epoch FROM clock_timestamp()) * 1000)::bigint`
	Until  = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1`
)

// postgresIndex is the index in PostgreSQL, for processes of several machines. A row says
// that a result is being written, and until when its process is taken to live; the process
// moves that on for as long as it does. Times of these rows are the database's. Who finds
// its row gone was taken for dead: its result is not kept.
type postgresIndex struct {
	db      *postgres.Database
	process string
	lease   time.Duration
	random  io.Reader
	log     *slog.Logger
	stop    context.CancelFunc
	beating sync.WaitGroup

	mu   sync.Mutex
	live map[string]bool // ids of the results that this process is writing
}

func openPostgres(config Config) *postgresIndex {
	x := &postgresIndex{db: config.Database, process: run.NewID("proc_", nil), lease: config.Lease, random: config.Random, log: config.Log, live: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	x.stop = stop
	x.beating.Go(func() { x.beat(ctx) })
	return x
}

// beat gives signs of life, three in each lease.
func (x *postgresIndex) beat(ctx context.Context) {
	for pause.For(ctx, x.lease/3) == nil {
		if err := x.sign(ctx); err != nil && ctx.Err() == nil {
			x.log.WarnContext(ctx, "the index of results was not told that this process lives; the next try follows", "error", err)
		}
	}
}

// writing returns the ids of the results that this process is writing.
func (x *postgresIndex) writing() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.AppendSeq(make([]string, 0, len(x.live)), maps.Keys(x.live)) // not nil, which is NULL
}

// sign moves the leases of what this process is writing on. What it could not drop is not
// among that: its room is given back once its lease is over.
func (x *postgresIndex) sign(ctx context.Context) error {
	ids := x.writing()
	if len(ids) == 0 {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, x.lease/3)
	defer done()
	return x.write(ctx, "tell that this process lives", func(ctx context.Context, q querier) error {
		_, err := q.exec(ctx, `UPDATE results_writing SET lease_until = `+Until+` WHERE id = ANY($2)`, x.lease.Milliseconds(), ids)
		return err
	})
}

func (x *postgresIndex) write(ctx context.Context, doing string, do func(context.Context, querier) error) error {
	return x.db.Write(ctx, doing, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, postgresQuerier{tx, x}) })
}

func (x *postgresIndex) read(ctx context.Context, doing string, do func(context.Context, querier) error) error {
	return x.db.Read(ctx, doing, func(ctx context.Context, q postgres.Querier) error { return do(ctx, postgresQuerier{q, x}) })
}

func (x *postgresIndex) compact(context.Context) error { return nil } // PostgreSQL does it by itself

// close ends the signs of life. The database is whoever's opened it.
func (x *postgresIndex) close() error {
	x.stop()
	x.beating.Wait()
	return nil
}

// postgresQuerier asks PostgreSQL for an index.
type postgresQuerier struct {
	on postgres.Querier
	of *postgresIndex
}

func storable(args []any) []any {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = postgres.Storable(text)
		}
	}
	return args
}

// begin has one transaction at a time prune, so that all together keep to the bounds, and
// gives back the room of processes that are gone.
func (q postgresQuerier) begin(ctx context.Context) error {
	if _, err := q.on.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('dibrain results of ' || current_schema(), 0))`); err != nil {
		return err
	}
	return q.forgetLapsed(ctx)
}

// forgetLapsed removes the claims of processes that are gone. This one lives: where it could
// give no sign of that for a while, because the database was away, what it writes stays.
func (q postgresQuerier) forgetLapsed(ctx context.Context) error {
	_, err := q.on.Exec(ctx, `DELETE FROM results_writing WHERE id <> ALL($1) AND `+Lapsed, q.of.writing())
	return err
}

func (q postgresQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := q.on.Exec(ctx, text, storable(args)...)
	return done.RowsAffected(), err
}

func (q postgresQuerier) one(ctx context.Context, text string, args []any, into ...any) error {
	err := q.on.QueryRow(ctx, text, storable(args)...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNone
	}
	return err
}

func (q postgresQuerier) texts(ctx context.Context, text string, args ...any) ([]string, error) {
	rows, err := q.on.Query(ctx, text, storable(args)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// remove implements querier by one statement, which finds what goes once.
func (q postgresQuerier) remove(ctx context.Context, of choice, now int64, most int) ([]string, error) {
	n := len(of.args)
	text := fmt.Sprintf(`WITH gone AS (DELETE FROM results WHERE id IN (%s LIMIT $%d) RETURNING id, owner)
		INSERT INTO results_removed (id, owner, removed_ms, why) SELECT id, owner, $%d, $%d FROM gone
		ON CONFLICT (id) DO UPDATE SET removed_ms = excluded.removed_ms, why = excluded.why RETURNING id`, of.text, n+1, n+2, n+3)
	return q.texts(ctx, text, append(of.args[:n:n], most, now, of.why)...)
}

// postgresClaim is a row with a lease.
type postgresClaim struct {
	of   *postgresIndex
	name string
}

func (x *postgresIndex) claim(ctx context.Context, owner run.Principal) (claim, error) {
	c := &postgresClaim{x, run.NewID(idPrefix, x.random)}
	x.mu.Lock()
	x.live[c.name] = true
	x.mu.Unlock()
	err := x.write(ctx, "begin a result", func(ctx context.Context, q querier) error {
		_, err := q.exec(ctx, `INSERT INTO results_writing (lease_until, id, owner, bytes, process) VALUES (`+Until+`, $2, $3, 0, $4)`,
			x.lease.Milliseconds(), c.name, owner.ID, x.process)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, c.release())
	}
	return c, nil
}

func (c *postgresClaim) id() string { return c.name }

func (c *postgresClaim) take(ctx context.Context, q querier, bytes int64) error {
	changed, err := q.exec(ctx, `UPDATE results_writing SET bytes = $1 WHERE id = $2`, bytes, c.name)
	return c.held(changed, err)
}

func (c *postgresClaim) enter(ctx context.Context, q querier) error {
	changed, err := q.exec(ctx, `DELETE FROM results_writing WHERE id = $1`, c.name)
	return c.held(changed, err)
}

func (c *postgresClaim) held(changed int64, err error) error {
	if err == nil && changed == 0 {
		return fault.New(codes.Aborted, ReasonLost,
			"this server was not heard of for so long that others took it for gone, and removed the result that it was writing: run the statement again")
	}
	return err
}

// drop removes the result too: of a transaction that was to enter it nobody may know
// whether it went through.
func (c *postgresClaim) drop(ctx context.Context, _ bool) error {
	return c.of.write(ctx, "discard a result", func(ctx context.Context, q querier) error {
		for _, text := range []string{`DELETE FROM results_writing WHERE id = $1`, `DELETE FROM results WHERE id = $1`} {
			if _, err := q.exec(ctx, text, c.name); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *postgresClaim) release() error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	delete(c.of.live, c.name)
	return nil
}

// sweptAtATime is of how many files the index is asked at a time.
const sweptAtATime = 500

// sweep removes the files that the index does not know. Whoever writes one is in the index
// before the file is there, so that a file which is listed and then not known is nobody's.
func (x *postgresIndex) sweep(ctx context.Context, files Files) error {
	if err := x.db.Write(ctx, "sweep results", func(ctx context.Context, tx pgx.Tx) error {
		return postgresQuerier{tx, x}.forgetLapsed(ctx)
	}); err != nil {
		return err
	}
	var listed []string
	look := func() error {
		var unknown []string
		err := x.db.Read(ctx, "sweep results", func(ctx context.Context, q postgres.Querier) error {
			rows, err := q.Query(ctx, `SELECT f.id FROM unnest($1::text[]) AS f (id)
				WHERE NOT EXISTS (SELECT 1 FROM results r WHERE r.id = f.id) AND NOT EXISTS (SELECT 1 FROM results_writing w WHERE w.id = f.id)`, listed)
			if err != nil {
				return err
			}
			unknown, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		if err != nil {
			return err
		}
		listed = listed[:0]
		for _, id := range unknown {
			if err := files.Remove(ctx, id); err != nil {
				return err
			}
		}
		return nil
	}
	err := files.List(ctx, func(id string) error {
		listed = append(listed, id)
		if len(listed) < sweptAtATime {
			return nil
		}
		return look()
	})
	if err != nil || len(listed) == 0 {
		return err
	}
	return look()
}
