package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

const runColumns = `id, parent_id, name, service, status, started_at, ended_at, attributes, error,
	session_id, chat_id, question, owner, cancel_requested, steps_removed_at`

// Run reads a run with its tree, parents before children.
func (s *Store) Run(ctx context.Context, p run.Principal, id string) (u store.Run, records []run.Record, err error) {
	err = s.reading(ctx, "read a run", func(ctx context.Context, q querier) error {
		u, err = coding.ScanRun(q.QueryRow(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1 AND principal = $2`, storables(id, p.ID)...))
		if errors.Is(err, pgx.ErrNoRows) {
			u = store.Run{}
			return runUnknown(ctx, q, p, id)
		}
		if err != nil {
			return err
		}
		steps, err := column(q.Query(ctx, `SELECT records FROM run_steps WHERE root_id = $1 ORDER BY seq`, storable(id)))
		if err != nil {
			return err
		}
		records, err = coding.Tree(u.Record, steps)
		return err
	})
	return u, records, err
}

// Runs lists the principal's runs, newest first.
func (s *Store) Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) (out []store.Run, next string, err error) {
	list := "runs/" + f.SessionID + "/" + string(f.Status)
	after, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	text, args := `SELECT `+runColumns+` FROM runs WHERE principal = $1`, []any{p.ID}
	where := func(condition string, values ...any) {
		places := make([]any, len(values))
		for i := range values {
			places[i] = len(args) + i + 1
		}
		text, args = text+" AND "+fmt.Sprintf(condition, places...), append(args, values...)
	}
	if f.SessionID != "" {
		where("session_id = $%d", f.SessionID)
	}
	if f.Status != "" {
		where("status = $%d", string(f.Status))
	}
	if more {
		where("(started_at, id) < ($%d, $%d)", after.At, after.ID)
	}
	text += fmt.Sprintf(" ORDER BY started_at DESC, id DESC LIMIT %d", page.Size+1)
	err = s.reading(ctx, "list runs", func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, text, storables(args...)...)
		out, err = rowsOf(rows, err, func(row coding.Row) (store.Run, error) { return coding.ScanRun(row) })
		return err
	})
	if err != nil {
		return nil, "", err
	}
	out, next = coding.Cut(out, page.Size, func(u store.Run) store.Cursor {
		return store.Cursor{List: list, At: store.Nanos(u.Record.StartedAt), ID: u.Record.RunID}
	})
	return out, next, nil
}

// RequestCancel marks a run that is at work, so that whoever works on it ends it, and
// returns where the run stands. A run that has ended is left alone.
func (s *Store) RequestCancel(ctx context.Context, p run.Principal, runID string) (run.Status, error) {
	var status string
	err := s.writing(ctx, "cancel a run", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE runs SET cancel_requested = (status = $1) WHERE id = $2 AND principal = $3 RETURNING status`,
			storables(running, runID, p.ID)...).Scan(&status)
		if errors.Is(err, pgx.ErrNoRows) {
			return runUnknown(ctx, tx, p, runID)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return run.Status(status), nil
}

const callRead = `SELECT c.id, c.session_id, c.chat_id, c.run_id, c.tool_name, c.agent_name, c.arguments, c.source_id, c.next_id, c.status,
	c.started_at, c.ended_at, c.output_type, c.output, c.output_coding, c.error, c.error_reason, c.output_removed_at
	FROM tool_calls c JOIN sessions s ON s.id = c.session_id WHERE c.id = $1 AND s.principal = $2`

// ToolCall reads one call.
func (s *Store) ToolCall(ctx context.Context, p run.Principal, id string) (c store.ToolCall, err error) {
	err = s.reading(ctx, "read a tool call", func(ctx context.Context, q querier) error {
		c = store.ToolCall{}
		var status, how string
		var started, ended, slimmed int64
		err := q.QueryRow(ctx, callRead, storables(id, p.ID)...).
			Scan(&c.ID, &c.SessionID, &c.ChatID, &c.RunID, &c.ToolName, &c.AgentName, &c.Arguments, &c.SourceID, &c.NextID, &status,
				&started, &ended, &c.OutputType, &c.Output, &how, &c.Error, &c.ErrorReason, &slimmed)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.ToolCallUnknown(id)
		}
		if err == nil {
			c.Output, err = s.packer.Unpack(c.Output, how)
		}
		c.Status, c.StartedAt, c.EndedAt = run.Status(status), store.FromNanos(started), store.FromNanos(ended)
		c.OutputRemovedAt = store.FromNanos(slimmed)
		return err
	})
	return c, err
}

// SaveFeedback stores a verdict on a run of the principal's own. One that repeats the
// verdict before it, as who sends it again does, is kept once.
func (s *Store) SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) error {
	accepted, err := json.Marshal(f.AcceptedTables)
	if err != nil {
		return err
	}
	rejected, err := json.Marshal(f.RejectedTables)
	if err != nil {
		return err
	}
	return s.writing(ctx, "store feedback", func(ctx context.Context, tx pgx.Tx) error {
		var id string // locked, so that of two that say the same at once the second sees the first
		err := tx.QueryRow(ctx, `SELECT id FROM runs WHERE id = $1 AND principal = $2 FOR NO KEY UPDATE`, storables(f.RunID, p.ID)...).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return runUnknown(ctx, tx, p, f.RunID)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO feedback (run_id, principal, rating, comment, corrected_sql, accepted_tables, rejected_tables, created_at)
			SELECT $1, $2, $3::text, $4::text, $5::text, $6::text, $7::text, $8 WHERE NOT EXISTS (
			  SELECT 1 FROM feedback f WHERE f.seq = (SELECT max(seq) FROM feedback WHERE run_id = $1)
			  AND f.rating = $3 AND f.comment = $4 AND f.corrected_sql = $5 AND f.accepted_tables = $6 AND f.rejected_tables = $7)`,
			storables(id, p.ID, string(f.Rating), f.Comment, f.CorrectedSQL, string(accepted), string(rejected), store.Nanos(f.CreatedAt))...)
		return err
	})
}

// Feedback reads what the principal said of a run, oldest first.
func (s *Store) Feedback(ctx context.Context, p run.Principal, runID string) (out []store.Feedback, err error) {
	err = s.reading(ctx, "read feedback", func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, `SELECT run_id, rating, comment, corrected_sql, accepted_tables, rejected_tables, created_at
			FROM feedback WHERE run_id = $1 AND principal = $2 ORDER BY seq`, storables(runID, p.ID)...)
		out, err = rowsOf(rows, err, coding.ScanFeedback)
		return err
	})
	return out, err
}
