package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/dibrain/dibrain/pkg/store"
)

// vacuumPages bounds the pages that one sweep gives back to the disk.
const vacuumPages = 2_000

// What a sweep chooses: what is beyond the age, and what comes after the newest of
// its principal. What somebody is at work on stays.
const (
	sweptSessions = `SELECT id, principal, at < ?1 AS old FROM (
			SELECT s.id, s.principal, s.updated_at AS at, row_number() OVER (PARTITION BY s.principal ORDER BY s.updated_at DESC, s.id DESC) AS position, coalesce(l.owner, '') AS owner
			FROM sessions s LEFT JOIN locks l ON l.session_id = s.id
		) WHERE owner = '' AND (at < ?1 OR position > ?2) ORDER BY at LIMIT ?3`
	sweptRuns = `SELECT id, principal, at < ?1 AS old FROM (
			SELECT id, principal, started_at AS at, row_number() OVER (PARTITION BY principal ORDER BY started_at DESC, id DESC) AS position, owner FROM runs
		) WHERE owner = '' AND (at < ?1 OR position > ?2) ORDER BY at LIMIT ?3`
)

// Sweep removes what a retention keeps no longer, oldest first and a batch at most,
// and gives free pages back to the disk.
func (s *Store) Sweep(ctx context.Context, r store.Retention) (store.Swept, error) {
	var out store.Swept
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if err := s.writeOut(ctx, tx, ofAll); err != nil {
			return err
		}
		sessions, runs := s.bounds(r.SessionsFor, r.MaxSessions, r.Batch), s.bounds(r.RunsFor, r.MaxRuns, r.Batch)
		if err = s.note(ctx, tx, sweptSessions, store.RuleSessionsFor, store.RuleMaxSessions, sessions); err != nil {
			return fmt.Errorf("note of sessions: %w", err)
		}
		ofSessions := `SELECT r.id, r.principal, old FROM runs r JOIN (SELECT id AS session, old FROM (` + sweptSessions + `)) ON session = r.session_id`
		if err = s.note(ctx, tx, ofSessions, store.RuleSessionsFor, store.RuleMaxSessions, sessions); err != nil {
			return fmt.Errorf("note of runs of sessions: %w", err)
		}
		if out.Sessions, err = removed(ctx, tx, `DELETE FROM sessions WHERE id IN (SELECT id FROM (`+sweptSessions+`))`, sessions); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		if err = s.note(ctx, tx, sweptRuns, store.RuleRunsFor, store.RuleMaxRuns, runs); err != nil {
			return fmt.Errorf("note of runs: %w", err)
		}
		if _, err = removed(ctx, tx, `DELETE FROM tool_calls WHERE run_id IN (SELECT id FROM (`+sweptRuns+`))`, runs); err != nil {
			return fmt.Errorf("tool calls: %w", err)
		}
		if out.Runs, err = removed(ctx, tx, `DELETE FROM runs WHERE id IN (SELECT id FROM (`+sweptRuns+`))`, runs); err != nil {
			return fmt.Errorf("runs: %w", err)
		}
		return wrap("notes", s.forget(ctx, tx, r.MaxRemoved))
	})
	out.More = r.Batch > 0 && (out.Sessions >= int64(r.Batch) || out.Runs >= int64(r.Batch))
	if err == nil && out.Sessions+out.Runs > 0 {
		// Of a file that an earlier version made, free pages are used again instead.
		_, err = s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages))
	}
	return out, s.fault("remove what is old", err)
}

// bounds are the arguments of what a sweep chooses: the oldest time, the greatest
// position and the batch.
func (s *Store) bounds(age time.Duration, most, batch int) []any {
	oldest, position := int64(0), int64(most)
	if age > 0 {
		oldest = s.now() - age.Nanoseconds()
	}
	if most <= 0 {
		position = 1 << 62
	}
	if batch <= 0 {
		batch = -1
	}
	return []any{oldest, position, batch}
}

func removed(ctx context.Context, tx *sql.Tx, text string, args []any) (int64, error) {
	res, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
