package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// note remembers what a statement is about to remove. chosen selects id, principal and
// whether it is too old; the rules are the settings that it goes by.
func (s *Store) note(ctx context.Context, tx *sql.Tx, chosen, byAge, byNumber string, bounds []any) error {
	text := `INSERT OR REPLACE INTO removed (id, principal, removed_at, rule)
		SELECT id, principal, ?4, CASE WHEN old THEN ?5 ELSE ?6 END FROM (` + chosen + `)`
	_, err := tx.ExecContext(ctx, text, slices.Concat(bounds, []any{s.now(), byAge, byNumber})...)
	return err
}

// forget bounds what is remembered of removed things; the newest stay.
func (s *Store) forget(ctx context.Context, tx *sql.Tx, most int) error {
	if most <= 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM removed WHERE id IN (SELECT id FROM removed ORDER BY removed_at DESC, id DESC LIMIT -1 OFFSET ?)`, most)
	return err
}

// removedBy reads when and by which rule something of the principal's was removed; ok
// is false where that is not known, and nothing more is said then.
func (s *Store) removedBy(ctx context.Context, p run.Principal, id string) (at time.Time, rule string, ok bool) {
	var nanos int64
	err := s.read.QueryRowContext(ctx, `SELECT removed_at, rule FROM removed WHERE id = ? AND principal = ?`, id, p.ID).Scan(&nanos, &rule)
	return store.FromNanos(nanos), rule, err == nil
}

func (s *Store) sessionUnknown(ctx context.Context, p run.Principal, id string) error {
	if at, rule, ok := s.removedBy(ctx, p, id); ok {
		return store.SessionRemoved(id, at, rule)
	}
	return store.SessionUnknown(id)
}

func (s *Store) runUnknown(ctx context.Context, p run.Principal, id string) error {
	if at, rule, ok := s.removedBy(ctx, p, id); ok {
		return store.RunRemoved(id, at, rule)
	}
	return store.RunUnknown(id)
}

// The bytes of a session are counted as its turns bring them, so that the long ones
// cost no more than the short, and are added up once they are beyond the bound: what
// was removed in between with old runs is not taken off the count before.
const (
	payloadAdd = `UPDATE sessions SET payload_bytes = payload_bytes + ? WHERE id = ? RETURNING payload_bytes`
	payloadSet = `UPDATE sessions SET payload_bytes = coalesce((SELECT sum(octet_length(output)) FROM tool_calls WHERE session_id = ?1), 0)
		+ coalesce((SELECT sum(octet_length(s.records)) FROM runs u JOIN run_steps s ON s.root_id = u.id WHERE u.session_id = ?1), 0) WHERE id = ?1`
)

// Of a session, the turns that are beyond a number of bytes, counted from the newest:
// the outputs of their calls and the steps of their runs. The newest turn stays, for
// whoever reads its answer may ask for what it rests on.
const turnsBeyond = `WITH payloads AS (
		SELECT run_id AS id, started_at AS at, octet_length(output) AS bytes FROM tool_calls WHERE session_id = ?1
		UNION ALL
		SELECT u.id, u.started_at, octet_length(s.records) FROM runs u JOIN run_steps s ON s.root_id = u.id WHERE u.session_id = ?1
	), turns AS (
		SELECT id, max(at) AS at, coalesce(sum(bytes), 0) AS bytes FROM payloads GROUP BY id
	), summed AS (
		SELECT id, bytes, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
		FROM turns WINDOW newest AS (ORDER BY at DESC, id DESC ROWS UNBOUNDED PRECEDING)
	)
	SELECT id FROM summed WHERE bytes > 0 AND position > 1 AND total > ?2`

// slim removes what is large of a session's oldest turns, as many as it takes to keep
// to a number of bytes. What was said, the calls with their arguments, and the runs
// stay. held is how many the session has been brought.
func (s *Store) slim(ctx context.Context, tx *sql.Tx, l store.Lock, c store.Changes, held int64) error {
	if c.MaxSessionBytes <= 0 || held <= c.MaxSessionBytes {
		return nil
	}
	beyond, err := column(s.query(ctx, tx, turnsBeyond, l.SessionID, c.MaxSessionBytes))
	if err != nil {
		return wrap("bytes of a session", err)
	}
	for _, id := range beyond {
		for _, part := range []struct {
			text string
			args []any
		}{
			{`UPDATE tool_calls SET output = NULL, output_coding = '', output_removed_at = ? WHERE session_id = ? AND run_id = ? AND output IS NOT NULL`, []any{s.now(), l.SessionID, id}},
			{`DELETE FROM run_steps WHERE root_id = ?`, []any{id}},
			{`UPDATE runs SET steps_removed_at = ? WHERE id = ?`, []any{s.now(), id}},
		} {
			if _, err := tx.ExecContext(ctx, part.text, part.args...); err != nil {
				return wrap("bytes of a session", err)
			}
		}
	}
	_, err = tx.ExecContext(ctx, payloadSet, l.SessionID)
	return wrap("bytes of a session", err)
}
