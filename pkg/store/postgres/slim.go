package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/store"
)

// The bytes of a session are counted as its turns bring them, so that the long ones
// cost no more than the short, and are added up once they are beyond the bound: what
// was removed in between with old runs is not taken off the count before.
const (
	payloadAdd = `UPDATE sessions SET payload_bytes = payload_bytes
		+ coalesce((SELECT sum(octet_length(output)) FROM tool_calls WHERE run_id = $1), 0)
		+ coalesce((SELECT sum(octet_length(records)) FROM run_steps WHERE root_id = $1), 0) WHERE id = $2 RETURNING payload_bytes`
	payloadSet = `UPDATE sessions SET payload_bytes = coalesce((SELECT sum(octet_length(output)) FROM tool_calls WHERE session_id = $1), 0)
		+ coalesce((SELECT sum(octet_length(s.records)) FROM runs u JOIN run_steps s ON s.root_id = u.id WHERE u.session_id = $1), 0) WHERE id = $1`
)

// Of a session, the turns that are beyond a number of bytes, counted from the newest:
// the outputs of their calls and the steps of their runs. The newest turn stays, for
// whoever reads its answer may ask for what it rests on.
const turnsBeyond = `WITH payloads AS (
		SELECT run_id AS id, started_at AS at, octet_length(output) AS bytes FROM tool_calls WHERE session_id = $1
		UNION ALL
		SELECT u.id, u.started_at, octet_length(s.records) FROM runs u JOIN run_steps s ON s.root_id = u.id WHERE u.session_id = $1
	), turns AS (
		SELECT id, max(at) AS at, coalesce(sum(bytes), 0) AS bytes FROM payloads GROUP BY id
	), summed AS (
		SELECT id, bytes, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
		FROM turns WINDOW newest AS (ORDER BY at DESC, id DESC ROWS UNBOUNDED PRECEDING)
	)
	SELECT id FROM summed WHERE bytes > 0 AND position > 1 AND total > $2`

// slim removes what is large of a session's oldest turns, as many as it takes to keep
// to a number of bytes. What was said, the calls with their arguments, and the runs
// stay. Where a turn ends, held is what its session holds by the count.
func (s *Store) slim(ctx context.Context, tx pgx.Tx, l store.Lock, c store.Changes, held int64) error {
	ends := c.Run != nil && c.Unlock
	if c.MaxSessionBytes <= 0 || ends && held <= c.MaxSessionBytes {
		return nil
	}
	session := storable(l.SessionID)
	beyond, err := column(tx.Query(ctx, turnsBeyond, session, c.MaxSessionBytes))
	if err != nil {
		return err
	}
	now := s.now()
	var batch pgx.Batch
	if len(beyond) > 0 {
		batch.Queue(`UPDATE tool_calls SET output = NULL, output_coding = '', output_removed_at = $1 WHERE session_id = $2 AND run_id = ANY($3) AND output IS NOT NULL`, now, session, beyond)
		batch.Queue(`DELETE FROM run_steps WHERE root_id = ANY($1)`, beyond)
		batch.Queue(`UPDATE runs SET steps_removed_at = $1 WHERE id = ANY($2)`, now, beyond)
	}
	batch.Queue(payloadSet, session)
	return tx.SendBatch(ctx, &batch).Close()
}
