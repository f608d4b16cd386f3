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
)

// Lock takes the session for lease. A lock that has run out, or whose process
// is dead, is taken over; its token is then refused.
func (s *Store) Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error) {
	l := store.Lock{SessionID: sessionID}
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOutOf(ctx, tx, sessionID); err != nil {
			return err
		}
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
			if err := s.writeOut(ctx, tx, ofAll); err != nil { // of its other sessions
				return err
			}
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
		var ended bool
		if err := s.queryRow(ctx, tx, stepsEnded, l.SessionID).Scan(&ended); err != nil {
			return err
		}
		if ended {
			if err := s.writeOut(ctx, tx, ofSession, l.SessionID); err != nil {
				return err
			}
		}
		renewed, err := s.renew(ctx, tx, l)
		if err == nil && !renewed { // the session may not be in its table yet
			if err = s.writeOut(ctx, tx, ofSession, l.SessionID); err == nil {
				renewed, err = s.renew(ctx, tx, l)
			}
		}
		if err != nil || !renewed {
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

func (s *Store) renew(ctx context.Context, tx *sql.Tx, l store.Lock) (bool, error) {
	res, err := tx.ExecContext(ctx, `UPDATE locks SET expires_at = ? WHERE session_id = ? AND token = ? AND owner = ?`,
		store.Nanos(l.ExpiresAt), l.SessionID, l.Token, s.instance.id)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Unlock gives a lock up. One that was taken over is left alone.
func (s *Store) Unlock(ctx context.Context, l store.Lock) error {
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOutOf(ctx, tx, l.SessionID); err != nil {
			return err
		}
		return s.free(ctx, tx, s.instance.id, l)
	})
	if err == nil {
		s.turns.forget(l)
	}
	return s.fault("unlock a session", err)
}

func (s *Store) free(ctx context.Context, tx *sql.Tx, owner string, l store.Lock) error {
	_, err := s.exec(ctx, tx, lockFree, l.SessionID, l.Token, owner)
	return err
}

// Commit writes one step of a turn, all or nothing. A lock that was taken over
// is SESSION_LOCK_LOST, a session of somebody else SESSION_UNKNOWN.
func (s *Store) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error {
	t, st := s.turns.get(l), s.pack(l, c)
	t.mu.Lock()
	defer t.mu.Unlock()
	noted, err := s.noteStep(ctx, p, l, t, &st)
	if err == nil && !noted {
		err = s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.writeStep(ctx, tx, p, l, &st) })
		if err == nil {
			t.rows, t.bytes = 0, 0
			t.learn([3]any{}, c.DropToolCalls)
		}
	}
	if t.rows == 0 && (err != nil || c.Unlock) {
		s.turns.forget(l)
	}
	return s.fault("write a step", err)
}

// writeStep writes a step into the tables, and the steps before it that are not there yet.
func (s *Store) writeStep(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock, st *step) error {
	if st.Run == nil && len(st.Records) > 0 {
		return errors.New("records without their run")
	}
	if err := s.clash(ctx, tx, l, st.Changes); err != nil {
		return err
	}
	b, err := s.take(ctx, tx, p, l)
	if err != nil {
		return err
	}
	first := b.last == nil
	b.add(st)
	if b.open == nil {
		if first { // another's steps may say whose the session is
			if err := s.writeOutOf(ctx, tx, l.SessionID); err != nil {
				return err
			}
		}
		if err := s.fence(ctx, tx, p, l); err != nil {
			return err
		}
	}
	return s.apply(ctx, tx, p, s.instance.id, l, &b)
}

// apply writes what steps come to into the tables. owner is the instance at work on the turn.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, p run.Principal, owner string, l store.Lock, b *batch) error {
	records, bytes, err := b.marshalRecords()
	if err != nil {
		return err
	}
	if b.open != nil {
		for _, c := range b.calls {
			bytes += int64(len(c.Output))
		}
		if err := s.openSession(ctx, tx, p, owner, l, b, bytes); err != nil {
			return err
		}
	}
	if err := s.putChats(ctx, tx, l, b.chats); err != nil {
		return err
	}
	for i := range b.runs {
		if err := s.putRun(ctx, tx, p, owner, l, &b.runs[i]); err != nil {
			return err
		}
	}
	for i, part := range b.records {
		if _, err := s.exec(ctx, tx, stepWrite, part.root, records[i]); err != nil {
			return fmt.Errorf("run records: %w", err)
		}
	}
	outputs, err := s.putCalls(ctx, tx, l, b)
	if err != nil {
		return err
	}
	if err := s.putMessages(ctx, tx, l, b.messages); err != nil {
		return err
	}
	held := bytes
	if b.open == nil {
		if held, err = s.putSession(ctx, tx, l, b, bytes+outputs); err != nil {
			return err
		}
	}
	if err := s.slim(ctx, tx, l, b.last.Changes, held); err != nil || !b.last.Unlock || b.open != nil {
		return err
	}
	return s.free(ctx, tx, owner, l)
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

// openSession makes the session of a batch, with its lock. bytes are what the batch brings it.
func (s *Store) openSession(ctx context.Context, tx *sql.Tx, p run.Principal, owner string, l store.Lock, b *batch, bytes int64) error {
	opened := *b.open.Open
	if ses := b.session; ses != nil {
		opened.Title, opened.Source, opened.UpdatedAt, opened.Turns = ses.Title, ses.Source, ses.UpdatedAt, ses.Turns
	}
	if err := s.insertSession(ctx, tx, p, opened, bytes); err != nil {
		return err
	}
	expires := store.Nanos(b.open.expires)
	if b.last.Unlock {
		owner, expires = "", 0
	}
	_, err := s.exec(ctx, tx, lockWrite, opened.ID, owner, l.Token, expires)
	return wrap("lock", err)
}

// putSession writes what a batch says of a session that is there, adds the bytes that it brought,
// and returns how many the session has been brought in all.
func (s *Store) putSession(ctx context.Context, tx *sql.Tx, l store.Lock, b *batch, bytes int64) (held int64, err error) {
	if ses := b.session; ses != nil {
		err = s.queryRow(ctx, tx, sessionWrite, ses.Title, ses.Source, store.Nanos(ses.UpdatedAt), ses.Turns, bytes, l.SessionID).Scan(&held)
	} else {
		err = s.queryRow(ctx, tx, payloadAdd, bytes, l.SessionID).Scan(&held)
	}
	return held, wrap("session", err)
}

func (s *Store) putChats(ctx context.Context, tx *sql.Tx, l store.Lock, chats []store.Chat) error {
	for _, c := range chats {
		if _, err := s.exec(ctx, tx, chatWrite, l.SessionID, c.ID, orEmpty(c.State), store.Nanos(c.UpdatedAt)); err != nil {
			return fmt.Errorf("chat: %w", err)
		}
	}
	return nil
}

func (s *Store) putRun(ctx context.Context, tx *sql.Tx, p run.Principal, owner string, l store.Lock, u *store.Run) error {
	r := u.Record
	if r.Status != run.StatusRunning {
		owner = ""
	}
	attributes, err := json.Marshal(r.Attributes)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	res, err := s.exec(ctx, tx, runWrite,
		r.RunID, p.ID, l.SessionID, u.ChatID, u.Question, owner,
		r.ParentRunID, r.Name, r.Service, string(r.Status), store.Nanos(r.StartedAt), store.Nanos(r.EndedAt), string(attributes), r.Error)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, store.IDTaken(r.RunID))
	}
	return nil
}

// putCalls writes the calls of a batch and returns the bytes of their outputs; a call that is
// kept as it is brings none.
func (s *Store) putCalls(ctx context.Context, tx *sql.Tx, l store.Lock, b *batch) (outputs int64, err error) {
	for _, id := range b.drops {
		if _, err := tx.ExecContext(ctx, `DELETE FROM tool_calls WHERE id = ? AND session_id = ?`, id, l.SessionID); err != nil {
			return 0, fmt.Errorf("drop a tool call: %w", err)
		}
	}
	if err := s.putLinks(ctx, tx, l, b.before); err != nil {
		return 0, err
	}
	for _, t := range b.calls {
		res, err := s.exec(ctx, tx, callWrite,
			t.ID, l.SessionID, t.ChatID, t.RunID, t.ToolName, t.AgentName, orEmpty(t.Arguments), t.SourceID, t.NextID, string(t.Status),
			store.Nanos(t.StartedAt), store.Nanos(t.EndedAt), t.OutputType, t.Output, t.coding, t.Error, t.ErrorReason, string(run.StatusSucceeded))
		if err != nil {
			return 0, fmt.Errorf("tool call: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil {
			return 0, fmt.Errorf("tool call: %w", err)
		} else if n == 0 {
			if err := s.kept(ctx, tx, l, t.ID); err != nil {
				return 0, err
			}
			continue
		}
		outputs += int64(len(t.Output))
	}
	return outputs, s.putLinks(ctx, tx, l, b.after)
}

func (s *Store) putLinks(ctx context.Context, tx *sql.Tx, l store.Lock, links []link) error {
	for _, k := range links {
		if _, err := s.exec(ctx, tx, callLink, k.next, k.source, l.SessionID); err != nil {
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

func (s *Store) putMessages(ctx context.Context, tx *sql.Tx, l store.Lock, messages []store.Message) error {
	for _, m := range messages {
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
