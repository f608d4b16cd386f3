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
	sweptSessions = `SELECT id FROM (
			SELECT s.id, s.updated_at AS at, row_number() OVER (PARTITION BY s.principal ORDER BY s.updated_at DESC, s.id DESC) AS position, coalesce(l.owner, '') AS owner
			FROM sessions s LEFT JOIN locks l ON l.session_id = s.id
		) WHERE owner = '' AND (at < ? OR position > ?) ORDER BY at LIMIT ?`
	sweptRuns = `SELECT id FROM (
			SELECT id, started_at AS at, row_number() OVER (PARTITION BY principal ORDER BY started_at DESC, id DESC) AS position, owner FROM runs
		) WHERE owner = '' AND (at < ? OR position > ?) ORDER BY at LIMIT ?`
)

// Sweep removes what a retention keeps no longer, oldest first and a batch at most,
// and gives free pages back to the disk.
func (s *Store) Sweep(ctx context.Context, r store.Retention) (store.Swept, error) {
	var out store.Swept
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if out.Sessions, err = s.removed(ctx, tx, `DELETE FROM sessions WHERE id IN (`+sweptSessions+`)`, r.SessionsFor, r.MaxSessions, r.Batch); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		if _, err = s.removed(ctx, tx, `DELETE FROM tool_calls WHERE run_id IN (`+sweptRuns+`)`, r.RunsFor, r.MaxRuns, r.Batch); err != nil {
			return fmt.Errorf("tool calls: %w", err)
		}
		out.Runs, err = s.removed(ctx, tx, `DELETE FROM runs WHERE id IN (`+sweptRuns+`)`, r.RunsFor, r.MaxRuns, r.Batch)
		return wrap("runs", err)
	})
	out.More = r.Batch > 0 && (out.Sessions >= int64(r.Batch) || out.Runs >= int64(r.Batch))
	if err == nil && out.Sessions+out.Runs > 0 {
		// Of a file that an earlier version made, free pages are used again instead.
		_, err = s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages))
	}
	return out, s.fault("remove what is old", err)
}

func (s *Store) removed(ctx context.Context, tx *sql.Tx, text string, age time.Duration, most, batch int) (int64, error) {
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
	res, err := tx.ExecContext(ctx, text, oldest, position, batch)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
