package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// holderRead locks a session's row until the transaction ends, and reads who holds it.
const holderRead = `SELECT principal, lock_owner, lock_token, lock_expires FROM sessions WHERE id = $1 FOR UPDATE`

type holder struct {
	principal, owner string
	token, expires   int64
}

// hold locks a session of the principal's and says who holds it.
func hold(ctx context.Context, tx pgx.Tx, p run.Principal, sessionID string) (h holder, err error) {
	err = tx.QueryRow(ctx, holderRead, storable(sessionID)).Scan(&h.principal, &h.owner, &h.token, &h.expires)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && h.principal != storable(p.ID) {
		return h, sessionUnknown(ctx, tx, p, sessionID)
	}
	return h, err
}

// Lock takes the session for lease. A lock that has run out, or whose process is dead,
// is taken over; its token is then refused.
func (s *Store) Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (l store.Lock, err error) {
	err = s.writing(ctx, "lock a session", func(ctx context.Context, tx pgx.Tx) error {
		l = store.Lock{SessionID: sessionID}
		h, err := hold(ctx, tx, p, sessionID)
		if err != nil {
			return err
		}
		gone := h.owner == ""
		if !gone {
			if gone, err = s.reap(ctx, tx, h.owner); err != nil {
				return err
			}
		}
		now := s.now()
		if !gone && h.expires > now {
			return store.SessionBusy(sessionID, time.Second)
		}
		l.Token = h.token + 1
		l.ExpiresAt = store.FromNanos(now + lease.Nanoseconds())
		_, err = tx.Exec(ctx, `UPDATE sessions SET lock_owner = $1, lock_token = $2, lock_expires = $3 WHERE id = $4`,
			storables(s.id, l.Token, store.Nanos(l.ExpiresAt), sessionID)...)
		return err
	})
	return l, err
}

// Renew prolongs a lock that is still held and reports whether the end of the run was
// asked for.
func (s *Store) Renew(ctx context.Context, l store.Lock, runID string, lease time.Duration) (store.Lock, bool, error) {
	cancel := false
	err := s.writing(ctx, "renew a lock", func(ctx context.Context, tx pgx.Tx) error {
		l.ExpiresAt = store.FromNanos(s.now() + lease.Nanoseconds())
		err := tx.QueryRow(ctx, `UPDATE sessions SET lock_expires = $1 WHERE id = $2 AND lock_token = $3 AND lock_owner = $4
			RETURNING coalesce((SELECT cancel_requested FROM runs WHERE id = $5), false)`,
			storables(store.Nanos(l.ExpiresAt), l.SessionID, l.Token, s.id, runID)...).Scan(&cancel)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.LockLost(l.SessionID)
		}
		return err
	})
	return l, cancel && err == nil, err
}

const lockFree = `UPDATE sessions SET lock_owner = '', lock_expires = 0 WHERE id = $1 AND lock_token = $2 AND lock_owner = $3`

// Unlock gives a lock up. One that was taken over is left alone.
func (s *Store) Unlock(ctx context.Context, l store.Lock) error {
	return s.writing(ctx, "unlock a session", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, lockFree, storables(l.SessionID, l.Token, s.id)...)
		return err
	})
}

// Commit writes one step of a turn, all or nothing. A lock that was taken over is
// SESSION_LOCK_LOST, a session of somebody else SESSION_UNKNOWN. The writes go to the
// server together, so that a step takes as long on a network as a few statements.
func (s *Store) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error {
	return s.writing(ctx, "write a step", func(ctx context.Context, tx pgx.Tx) error {
		if err := s.enter(ctx, tx, p, l, c.Open); err != nil {
			return err
		}
		step := step{store: s, p: p, l: l}
		for _, part := range []func(store.Changes) error{step.session, step.run, step.records, step.calls, step.messages, step.end} {
			if err := part(c); err != nil {
				return err
			}
		}
		if err := tx.SendBatch(ctx, &step.batch).Close(); err != nil {
			return err
		}
		if err := step.whyKept(ctx, tx); err != nil {
			return err
		}
		return s.slim(ctx, tx, l, c, step.held)
	})
}

// enter makes the session, or refuses whoever no longer holds its lock.
func (s *Store) enter(ctx context.Context, tx pgx.Tx, p run.Principal, l store.Lock, opened *store.Session) error {
	if opened != nil {
		return insertSession(ctx, tx, p, *opened, s.id, l)
	}
	h, err := hold(ctx, tx, p, l.SessionID)
	if err == nil && (h.token != l.Token || h.owner != s.id) {
		err = store.LockLost(l.SessionID)
	}
	return err
}

// step collects the writes of one step of a turn.
type step struct {
	store *Store
	p     run.Principal
	l     store.Lock
	batch pgx.Batch
	kept  []string // calls that were not written, for they are there
	held  int64    // bytes of the session, where the turn ends
}

func (w *step) queue(text string, args ...any) *pgx.QueuedQuery {
	return w.batch.Queue(text, storables(args...)...)
}

func (w *step) session(c store.Changes) error {
	if c.Session != nil {
		w.queue(`UPDATE sessions SET title = $1, source = $2, updated_at = $3, turns = $4 WHERE id = $5`,
			c.Session.Title, c.Session.Source, store.Nanos(c.Session.UpdatedAt), int64(c.Session.Turns), w.l.SessionID)
	}
	if c.Chat != nil {
		w.queue(`INSERT INTO chats (session_id, id, state, updated_at) VALUES ($1,$2,$3,$4)
			ON CONFLICT (session_id, id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at`,
			w.l.SessionID, c.Chat.ID, notEmpty(c.Chat.State), store.Nanos(c.Chat.UpdatedAt))
	}
	return nil
}

// The column checkpoint is not used any more: runs are ended, not gone on with.
const runWrite = `INSERT INTO runs (id, principal, session_id, chat_id, question, owner,
		parent_id, name, service, status, started_at, ended_at, attributes, error)
	VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)
	ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, status = excluded.status,
	  ended_at = excluded.ended_at, attributes = excluded.attributes, error = excluded.error
	WHERE runs.session_id = excluded.session_id`

func (w *step) run(c store.Changes) error {
	if c.Run == nil {
		return nil
	}
	owner := w.store.id
	if c.Run.Record.Status != run.StatusRunning {
		owner = ""
	}
	r := c.Run.Record
	attributes, err := json.Marshal(r.Attributes)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	w.queue(runWrite, r.RunID, w.p.ID, w.l.SessionID, c.Run.ChatID, c.Run.Question, owner,
		r.ParentRunID, r.Name, r.Service, string(r.Status), store.Nanos(r.StartedAt), store.Nanos(r.EndedAt), string(attributes), r.Error).
		Exec(func(done pgconn.CommandTag) error {
			if done.RowsAffected() == 0 {
				return store.IDTaken(r.RunID)
			}
			return nil
		})
	return nil
}

func (w *step) records(c store.Changes) error {
	if len(c.Records) == 0 {
		return nil
	}
	if c.Run == nil {
		return errors.New("records without their run")
	}
	raw, err := coding.MarshalStep(c.Records)
	if err != nil {
		return err
	}
	w.queue(`INSERT INTO run_steps (root_id, records) VALUES ($1,$2)`, c.Run.Record.RunID, string(raw))
	return nil
}

const callWrite = `INSERT INTO tool_calls (id, session_id, chat_id, run_id, tool_name, agent_name, arguments, source_id, next_id, status,
		started_at, ended_at, output_type, output, output_coding, error, error_reason)
	VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17)
	ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, arguments = excluded.arguments, source_id = excluded.source_id,
	  status = excluded.status, ended_at = excluded.ended_at, output_type = excluded.output_type, output = excluded.output, output_coding = excluded.output_coding,
	  error = excluded.error, error_reason = excluded.error_reason
	WHERE tool_calls.session_id = excluded.session_id AND tool_calls.status <> $18`

func (w *step) calls(c store.Changes) error {
	for _, id := range c.DropToolCalls {
		w.queue(`DELETE FROM tool_calls WHERE id = $1 AND session_id = $2`, id, w.l.SessionID)
	}
	for _, t := range c.ToolCalls {
		output, how := w.store.packer.Pack(t.Output)
		w.queue(callWrite, t.ID, w.l.SessionID, t.ChatID, t.RunID, t.ToolName, t.AgentName, notEmpty(t.Arguments), t.SourceID, t.NextID, string(t.Status),
			store.Nanos(t.StartedAt), store.Nanos(t.EndedAt), t.OutputType, output, how, t.Error, t.ErrorReason, string(run.StatusSucceeded)).
			Exec(func(done pgconn.CommandTag) error {
				if done.RowsAffected() == 0 {
					w.kept = append(w.kept, t.ID)
				}
				return nil
			})
		if t.SourceID != "" && t.SourceID != t.ID {
			w.queue(`UPDATE tool_calls SET next_id = $1 WHERE id = $2 AND session_id = $3`, t.ID, t.SourceID, w.l.SessionID)
		}
	}
	return nil
}

func (w *step) messages(c store.Changes) error {
	for _, m := range c.Messages {
		ids := []byte("[]")
		if len(m.ToolCallIDs) > 0 {
			var err error
			if ids, err = json.Marshal(m.ToolCallIDs); err != nil {
				return fmt.Errorf("message: %w", err)
			}
		}
		w.queue(`INSERT INTO messages (session_id, chat_id, run_id, role, content, created_at, tool_call_ids, detail) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)`,
			w.l.SessionID, m.ChatID, m.RunID, m.Role, m.Content, store.Nanos(m.CreatedAt), string(ids), m.Detail)
	}
	return nil
}

// end counts what the turn brought and gives the lock up, where it is the last step.
func (w *step) end(c store.Changes) error {
	if !c.Unlock {
		return nil
	}
	if c.Run != nil {
		w.queue(payloadAdd, c.Run.Record.RunID, w.l.SessionID).QueryRow(func(row pgx.Row) error { return row.Scan(&w.held) })
	}
	w.queue(lockFree, w.l.SessionID, w.l.Token, w.store.id)
	return nil
}

// whyKept checks why calls were not written: one of this session that has ended well
// stays as it is, so that its output can be given again; one of another session has
// taken the id.
func (w *step) whyKept(ctx context.Context, tx pgx.Tx) error {
	for _, id := range w.kept {
		var session string
		if err := tx.QueryRow(ctx, `SELECT session_id FROM tool_calls WHERE id = $1`, storable(id)).Scan(&session); err != nil {
			return fmt.Errorf("tool call: %w", err)
		}
		if session != storable(w.l.SessionID) {
			return store.IDTaken(id)
		}
	}
	return nil
}
