package postgres

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// What a sweep chooses: what is beyond the age, and what comes after the newest of its
// principal, oldest first. What somebody is at work on stays.
const (
	sweptSessions = `SELECT id, at, at < $1 AS old FROM (
			SELECT id, updated_at AS at, row_number() OVER (PARTITION BY principal ORDER BY updated_at DESC, id DESC) AS position, lock_owner FROM sessions
		) s WHERE lock_owner = '' AND (at < $1 OR position > $2) ORDER BY at, id LIMIT $3`
	sweptRuns = `SELECT id, at, at < $1 AS old FROM (
			SELECT id, started_at AS at, row_number() OVER (PARTITION BY principal ORDER BY started_at DESC, id DESC) AS position, owner FROM runs
		) r WHERE owner = '' AND (at < $1 OR position > $2) ORDER BY at, id LIMIT $3`

	// Of what was chosen, what nobody has come to use in between.
	lockSessions = `SELECT id FROM sessions JOIN unnest($1::text[], $2::bigint[]) AS chosen (c, at) ON id = c AND updated_at = at
		WHERE lock_owner = '' ORDER BY id FOR UPDATE OF sessions SKIP LOCKED`
	lockRuns = `SELECT id FROM runs JOIN unnest($1::text[], $2::bigint[]) AS chosen (c, at) ON id = c AND started_at = at
		WHERE owner = '' ORDER BY id FOR UPDATE OF runs SKIP LOCKED`

	noteRemoved = `INSERT INTO removed (id, principal, removed_at, rule)
		SELECT x.id, x.principal, $2, CASE WHEN x.%[1]s = ANY($3) THEN $4::text ELSE $5 END FROM %[2]s x WHERE x.%[1]s = ANY($1)
		ON CONFLICT (id) DO UPDATE SET principal = excluded.principal, removed_at = excluded.removed_at, rule = excluded.rule`
)

// chosen is what a sweep chose of a kind.
type chosen struct {
	ids []string
	at  []int64
	old []string // of ids, those beyond the age
}

// Sweep removes what a retention keeps no longer, oldest first and a batch at most. Of
// processes that sweep at once, one does it.
func (s *Store) Sweep(ctx context.Context, r store.Retention) (out store.Swept, err error) {
	err = s.writing(ctx, "remove what is old", func(ctx context.Context, tx pgx.Tx) error {
		out = store.Swept{}
		var mine bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended('dibrain sweep ' || current_schema(), 0))`).Scan(&mine); err != nil || !mine {
			return err
		}
		if out.Sessions, err = s.sweepSessions(ctx, tx, r); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		if out.Runs, err = s.sweepRuns(ctx, tx, r); err != nil {
			return fmt.Errorf("runs: %w", err)
		}
		if r.MaxRemoved <= 0 {
			return nil
		}
		_, err = tx.Exec(ctx, `DELETE FROM removed WHERE id IN (SELECT id FROM removed ORDER BY removed_at DESC, id DESC OFFSET $1)`, r.MaxRemoved)
		return err
	})
	out.More = r.Batch > 0 && (out.Sessions >= int64(r.Batch) || out.Runs >= int64(r.Batch))
	return out, err
}

func (s *Store) sweepSessions(ctx context.Context, tx pgx.Tx, r store.Retention) (removed int64, err error) {
	c, err := s.choose(ctx, tx, sweptSessions, lockSessions, r.SessionsFor, r.MaxSessions, r.Batch)
	if err != nil || len(c.ids) == 0 {
		return 0, err
	}
	var batch pgx.Batch
	for _, note := range []string{fmt.Sprintf(noteRemoved, "id", "sessions"), fmt.Sprintf(noteRemoved, "session_id", "runs")} {
		batch.Queue(note, c.ids, s.now(), c.old, store.RuleSessionsFor, store.RuleMaxSessions)
	}
	batch.Queue(`DELETE FROM sessions WHERE id = ANY($1)`, c.ids).Exec(counted(&removed))
	return removed, tx.SendBatch(ctx, &batch).Close()
}

func (s *Store) sweepRuns(ctx context.Context, tx pgx.Tx, r store.Retention) (removed int64, err error) {
	c, err := s.choose(ctx, tx, sweptRuns, lockRuns, r.RunsFor, r.MaxRuns, r.Batch)
	if err != nil || len(c.ids) == 0 {
		return 0, err
	}
	var batch pgx.Batch
	batch.Queue(fmt.Sprintf(noteRemoved, "id", "runs"), c.ids, s.now(), c.old, store.RuleRunsFor, store.RuleMaxRuns)
	batch.Queue(`DELETE FROM tool_calls WHERE run_id = ANY($1)`, c.ids)
	batch.Queue(`DELETE FROM runs WHERE id = ANY($1)`, c.ids).Exec(counted(&removed))
	return removed, tx.SendBatch(ctx, &batch).Close()
}

// choose finds what a bound keeps no longer and locks it.
func (s *Store) choose(ctx context.Context, tx pgx.Tx, text, lock string, age time.Duration, most, batch int) (c chosen, err error) {
	oldest, position, limit := int64(0), int64(most), int64(batch)
	if age > 0 {
		oldest = s.now() - age.Nanoseconds()
	}
	if most <= 0 {
		position = math.MaxInt64
	}
	if batch <= 0 {
		limit = math.MaxInt64
	}
	rows, err := tx.Query(ctx, text, oldest, position, limit)
	if _, err := rowsOf(rows, err, func(row coding.Row) (none struct{}, err error) {
		var id string
		var at int64
		var old bool
		err = row.Scan(&id, &at, &old)
		c.ids, c.at = append(c.ids, id), append(c.at, at)
		if old {
			c.old = append(c.old, id)
		}
		return none, err
	}); err != nil || len(c.ids) == 0 {
		return c, err
	}
	c.ids, err = column(tx.Query(ctx, lock, c.ids, c.at))
	return c, err
}

// counted keeps how many rows a statement of a batch touched.
func counted(n *int64) func(pgconn.CommandTag) error {
	return func(done pgconn.CommandTag) error {
		*n = done.RowsAffected()
		return nil
	}
}
