package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

const runColumns = `u.id, u.parent_id, u.name, u.service, u.status, u.started_at, u.ended_at, u.attributes, u.error,
	u.session_id, u.chat_id, u.question, u.owner, u.cancel_requested, u.steps_removed_at`

// Run reads a run with its tree, parents before children.
func (s *Store) Run(ctx context.Context, p run.Principal, id string) (store.Run, []run.Record, error) {
	if err := s.settle(ctx, ""); err != nil {
		return store.Run{}, nil, s.fault("read a run", err)
	}
	u, err := coding.ScanRun(s.read.QueryRowContext(ctx,
		`SELECT `+runColumns+` FROM runs u WHERE u.id = ? AND u.principal = ?`, id, p.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return store.Run{}, nil, s.runUnknown(ctx, p, id)
	}
	if err != nil {
		return store.Run{}, nil, s.fault("read a run", err)
	}
	steps, err := column(s.read.QueryContext(ctx, `SELECT records FROM run_steps WHERE root_id = ? ORDER BY seq`, id))
	if err != nil {
		return u, nil, s.fault("read a run tree", err)
	}
	records, err := coding.Tree(u.Record, steps)
	return u, records, s.fault("read a run tree", err)
}

// Runs lists the principal's runs, newest first.
func (s *Store) Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) ([]store.Run, string, error) {
	list := "runs/" + f.SessionID + "/" + string(f.Status)
	after, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	if err := s.settle(ctx, ""); err != nil {
		return nil, "", s.fault("list runs", err)
	}
	query, args := `SELECT `+runColumns+` FROM runs u WHERE u.principal = ?`, []any{p.ID}
	if f.SessionID != "" {
		query, args = query+` AND u.session_id = ?`, append(args, f.SessionID)
	}
	if f.Status != "" {
		query, args = query+` AND u.status = ?`, append(args, string(f.Status))
	}
	if more {
		query, args = query+` AND (u.started_at, u.id) < (?, ?)`, append(args, after.At, after.ID)
	}
	rows, err := s.read.QueryContext(ctx, query+` ORDER BY u.started_at DESC, u.id DESC LIMIT ?`, append(args, page.Size+1)...)
	out, err := collect(rows, err, func(row coding.Row) (store.Run, error) { return coding.ScanRun(row) })
	if err != nil {
		return nil, "", s.fault("list runs", err)
	}
	out, next := coding.Cut(out, page.Size, func(u store.Run) store.Cursor {
		return store.Cursor{List: list, At: store.Nanos(u.Record.StartedAt), ID: u.Record.RunID}
	})
	return out, next, nil
}

// RequestCancel marks a run that is at work, so that whoever works on it ends
// it, and returns where the run stands. A run that has ended is left alone.
func (s *Store) RequestCancel(ctx context.Context, p run.Principal, runID string) (run.Status, error) {
	var status string
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOut(ctx, tx, ofAll); err != nil { // its steps may say that it has ended
			return err
		}
		return tx.QueryRowContext(ctx,
			`UPDATE runs SET cancel_requested = (status = ?) WHERE id = ? AND principal = ? RETURNING status`, running, runID, p.ID).Scan(&status)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", s.runUnknown(ctx, p, runID)
	}
	return run.Status(status), s.fault("cancel a run", err)
}

// ToolCall reads one call.
func (s *Store) ToolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error) {
	const doing = "read a tool call"
	// Steps of its session may tell more of it; of one that is not there, any may.
	var session string
	err := s.reading[callSession].QueryRowContext(ctx, id).Scan(&session)
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		err = s.settle(ctx, session)
	}
	if err != nil {
		return store.ToolCall{}, s.fault(doing, err)
	}
	c, err := s.toolCall(ctx, p, id)
	return c, s.fault(doing, err)
}

func (s *Store) toolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error) {
	var c store.ToolCall
	var status, coding string
	var started, ended, slimmed int64
	err := s.reading[callRead].QueryRowContext(ctx, id, p.ID).
		Scan(&c.ID, &c.SessionID, &c.ChatID, &c.RunID, &c.ToolName, &c.AgentName, &c.Arguments, &c.SourceID, &c.NextID, &status,
			&started, &ended, &c.OutputType, &c.Output, &coding, &c.Error, &c.ErrorReason, &slimmed)
	if errors.Is(err, sql.ErrNoRows) {
		return store.ToolCall{}, store.ToolCallUnknown(id)
	}
	if err == nil {
		c.Output, err = s.packer.Unpack(c.Output, coding)
	}
	c.Status, c.StartedAt, c.EndedAt = run.Status(status), store.FromNanos(started), store.FromNanos(ended)
	c.OutputRemovedAt = store.FromNanos(slimmed)
	return c, err
}

// SaveFeedback stores a verdict on a run of the principal's own. One that repeats the
// verdict before it, as who sends it again does, is kept once.
func (s *Store) SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) error {
	if err := s.settle(ctx, ""); err != nil {
		return s.fault("store feedback", err)
	}
	accepted, rejected, err := jsonPair(f.AcceptedTables, f.RejectedTables)
	if err != nil {
		return err
	}
	res, err := s.write.ExecContext(ctx,
		`INSERT INTO feedback (run_id, principal, rating, comment, corrected_sql, accepted_tables, rejected_tables, created_at)
		 SELECT r.id, r.principal, ?1, ?2, ?3, ?4, ?5, ?6 FROM runs r WHERE r.id = ?7 AND r.principal = ?8 AND NOT EXISTS (
		   SELECT 1 FROM feedback f WHERE f.seq = (SELECT max(seq) FROM feedback WHERE run_id = r.id)
		   AND f.rating = ?1 AND f.comment = ?2 AND f.corrected_sql = ?3 AND f.accepted_tables = ?4 AND f.rejected_tables = ?5)`,
		string(f.Rating), f.Comment, f.CorrectedSQL, accepted, rejected, store.Nanos(f.CreatedAt), f.RunID, p.ID)
	if err != nil {
		return s.fault("store feedback", err)
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return s.fault("store feedback", err)
	}
	var own bool
	if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id = ? AND principal = ?)`, f.RunID, p.ID).Scan(&own); err != nil {
		return s.fault("store feedback", err)
	}
	if !own {
		return s.runUnknown(ctx, p, f.RunID)
	}
	return nil
}

// Feedback reads what the principal said of a run, oldest first.
func (s *Store) Feedback(ctx context.Context, p run.Principal, runID string) ([]store.Feedback, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT run_id, rating, comment, corrected_sql, accepted_tables, rejected_tables, created_at
		 FROM feedback WHERE run_id = ? AND principal = ? ORDER BY seq`, runID, p.ID)
	out, err := collect(rows, err, coding.ScanFeedback)
	return out, s.fault("read feedback", err)
}

func jsonPair(a, b any) (string, string, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return "", "", err
	}
	second, err := json.Marshal(b)
	return string(first), string(second), err
}
