package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// Lock takes the session for lease. A lock that has run out, or whose process
// is dead, is taken over; its token is then refused.
func (s *Store) Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error) {
	l := store.Lock{SessionID: sessionID}
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var principal, owner string
		var expires int64
		err := s.queryRow(ctx, tx, lockRead, sessionID).Scan(&principal, &owner, &l.Token, &expires)
		if errors.Is(err, sql.ErrNoRows) || (err == nil && principal != p.ID) {
			return s.sessionUnknown(ctx, p, sessionID)
		}
		if err != nil {
			return err
		}
		now := s.now()
		if owner != "" && !s.instance.alive(owner) {
			if err := s.reap(ctx, tx, owner); err != nil {
				return err
			}
			owner = ""
		}
		if owner != "" && expires > now {
			return store.SessionBusy(sessionID, time.Second)
		}
		l.Token++
		l.ExpiresAt = store.FromNanos(now + lease.Nanoseconds())
		_, err = s.exec(ctx, tx, lockWrite,
			sessionID, s.instance.id, l.Token, store.Nanos(l.ExpiresAt))
		return err
	})
	return l, s.fault("lock a session", err)
}

// Renew prolongs a lock that is still held and reports whether the end of the
// run was asked for.
func (s *Store) Renew(ctx context.Context, l store.Lock, runID string, lease time.Duration) (store.Lock, bool, error) {
	cancel := false
	l.ExpiresAt = store.FromNanos(s.now() + lease.Nanoseconds())
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE locks SET expires_at = ? WHERE session_id = ? AND token = ? AND owner = ?`,
			store.Nanos(l.ExpiresAt), l.SessionID, l.Token, s.instance.id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, store.LockLost(l.SessionID))
		}
		err = tx.QueryRowContext(ctx, `SELECT cancel_requested FROM runs WHERE id = ?`, runID).Scan(&cancel)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // the run is not stored yet
		}
		return err
	})
	return l, cancel, s.fault("renew a lock", err)
}

// Unlock gives a lock up. One that was taken over is left alone.
func (s *Store) Unlock(ctx context.Context, l store.Lock) error {
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.free(ctx, tx, l) })
	return s.fault("unlock a session", err)
}

func (s *Store) free(ctx context.Context, tx *sql.Tx, l store.Lock) error {
	_, err := s.exec(ctx, tx, lockFree, l.SessionID, l.Token, s.instance.id)
	return err
}

// Commit writes one step of a turn, all or nothing. A lock that was taken over
// is SESSION_LOCK_LOST, a session of somebody else SESSION_UNKNOWN.
func (s *Store) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error {
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.enter(ctx, tx, p, l, c.Open); err != nil {
			return err
		}
		for _, part := range []func(context.Context, *sql.Tx, run.Principal, store.Lock, store.Changes) error{
			s.putSession, s.putRun, s.putRecords, s.putCalls, s.putMessages,
		} {
			if err := part(ctx, tx, p, l, c); err != nil {
				return err
			}
		}
		if err := s.slim(ctx, tx, l, c); err != nil {
			return err
		}
		if c.Unlock {
			return s.free(ctx, tx, l)
		}
		return nil
	})
	return s.fault("write a step", err)
}

// enter makes the session, or sees that its lock is still held.
func (s *Store) enter(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock, opened *store.Session) error {
	if opened != nil {
		return s.makeLocked(ctx, tx, p, l, *opened)
	}
	return s.fence(ctx, tx, p, l)
}

// fence refuses whoever no longer holds the lock.
func (s *Store) fence(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock) error {
	var principal, owner string
	var token int64
	err := s.queryRow(ctx, tx, fenceRead, l.SessionID).Scan(&principal, &owner, &token)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && principal != p.ID:
		return s.sessionUnknown(ctx, p, l.SessionID)
	case err != nil:
		return err
	case token != l.Token || owner != s.instance.id:
		return store.LockLost(l.SessionID)
	}
	return nil
}

func (s *Store) putSession(ctx context.Context, tx *sql.Tx, _ run.Principal, l store.Lock, c store.Changes) error {
	if c.Session != nil {
		if _, err := s.exec(ctx, tx, sessionWrite,
			c.Session.Title, c.Session.Source, store.Nanos(c.Session.UpdatedAt), c.Session.Turns, l.SessionID); err != nil {
			return fmt.Errorf("session: %w", err)
		}
	}
	if c.Chat == nil {
		return nil
	}
	_, err := s.exec(ctx, tx, chatWrite,
		l.SessionID, c.Chat.ID, orEmpty(c.Chat.State), store.Nanos(c.Chat.UpdatedAt))
	return wrap("chat", err)
}

func (s *Store) putRun(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock, c store.Changes) error {
	if c.Run == nil {
		return nil
	}
	owner, checkpoint := s.instance.id, c.Run.Checkpoint
	if c.Run.Record.Status != run.StatusRunning {
		owner, checkpoint = "", nil
	}
	r := c.Run.Record
	attributes, err := json.Marshal(r.Attributes)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	res, err := s.exec(ctx, tx, runWrite,
		r.RunID, p.ID, l.SessionID, c.Run.ChatID, c.Run.Question, owner, checkpoint,
		r.ParentRunID, r.Name, r.Service, string(r.Status), store.Nanos(r.StartedAt), store.Nanos(r.EndedAt), string(attributes), r.Error)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, store.IDTaken(r.RunID))
	}
	return nil
}

func (s *Store) putRecords(ctx context.Context, tx *sql.Tx, _ run.Principal, _ store.Lock, c store.Changes) error {
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
	_, err = s.exec(ctx, tx, stepWrite, c.Run.Record.RunID, string(raw))
	return wrap("run records", err)
}

func (s *Store) putCalls(ctx context.Context, tx *sql.Tx, _ run.Principal, l store.Lock, c store.Changes) error {
	for _, id := range c.DropToolCalls {
		if _, err := tx.ExecContext(ctx, `DELETE FROM tool_calls WHERE id = ? AND session_id = ?`, id, l.SessionID); err != nil {
			return fmt.Errorf("drop a tool call: %w", err)
		}
	}
	for _, t := range c.ToolCalls {
		output, coding := s.packer.Pack(t.Output)
		res, err := s.exec(ctx, tx, callWrite,
			t.ID, l.SessionID, t.ChatID, t.RunID, t.ToolName, t.AgentName, orEmpty(t.Arguments), t.SourceID, t.NextID, string(t.Status),
			store.Nanos(t.StartedAt), store.Nanos(t.EndedAt), t.OutputType, output, coding, t.Error, t.ErrorReason, string(run.StatusSucceeded))
		if err != nil {
			return fmt.Errorf("tool call: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil {
			return fmt.Errorf("tool call: %w", err)
		} else if n == 0 {
			if err := s.kept(ctx, tx, l, t.ID); err != nil {
				return err
			}
		}
		if t.SourceID == "" || t.SourceID == t.ID {
			continue
		}
		if _, err := s.exec(ctx, tx, callLink, t.ID, t.SourceID, l.SessionID); err != nil {
			return fmt.Errorf("link a tool call: %w", err)
		}
	}
	return nil
}

// kept checks why a call was not written: one of this session that has ended
// well stays as it is, so that its output can be given again; one of another
// session has taken the id.
func (s *Store) kept(ctx context.Context, tx *sql.Tx, l store.Lock, id string) error {
	var session string
	if err := tx.QueryRowContext(ctx, `SELECT session_id FROM tool_calls WHERE id = ?`, id).Scan(&session); err != nil {
		return fmt.Errorf("tool call: %w", err)
	}
	if session != l.SessionID {
		return store.IDTaken(id)
	}
	return nil
}

func (s *Store) putMessages(ctx context.Context, tx *sql.Tx, _ run.Principal, l store.Lock, c store.Changes) error {
	for _, m := range c.Messages {
		ids := []byte("[]")
		if len(m.ToolCallIDs) > 0 {
			var err error
			if ids, err = json.Marshal(m.ToolCallIDs); err != nil {
				return fmt.Errorf("message: %w", err)
			}
		}
		if _, err := s.exec(ctx, tx, messageWrite,
			l.SessionID, m.ChatID, m.RunID, m.Role, m.Content, store.Nanos(m.CreatedAt), string(ids), m.Detail); err != nil {
			return fmt.Errorf("message: %w", err)
		}
	}
	return nil
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
