package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// A step of a turn touches a dozen tables and indexes, of each a page; and the next step
// touches them again. So a step but the last is one row of turn_steps, which is as durable and
// costs one page. The last one writes what all of them come to. Whoever reads or locks what
// a turn is at work on writes it out first, in this process or another: nobody sees less
// than was committed. Rows of a session in turn_steps say that nobody but their owner has
// touched it since, which fences them as a lock does.

// maxSteps bounds the rows of a turn in turn_steps, and so what a reader has to write out.
const maxSteps = 64

// turns are those of this process that have steps in turn_steps, or had: by session.
type turns struct {
	mu sync.Mutex
	of map[string]*turn
}

// turn is what this process knows of one.
type turn struct {
	mu    sync.Mutex
	token int64
	// steps are those in turn_steps. Others may have written the first of them out.
	steps []step
}

func (ts *turns) get(l store.Lock) *turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[l.SessionID]
	if t == nil || t.token != l.Token {
		if ts.of == nil {
			ts.of = map[string]*turn{}
		}
		t = &turn{token: l.Token}
		ts.of[l.SessionID] = t
	}
	return t
}

func (ts *turns) forget(l store.Lock) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.of[l.SessionID]; t != nil && t.token == l.Token {
		delete(ts.of, l.SessionID)
	}
}

// ids are those that a step writes: a run, and calls. ok is false where there are more calls
// than a row of turn_steps names.
func ids(c store.Changes) (names [3]string, ok bool) {
	if c.Run != nil {
		names[0] = c.Run.Record.RunID
	}
	if len(c.ToolCalls) > len(names)-1 {
		return names, false
	}
	for i, k := range c.ToolCalls {
		names[i+1] = k.ID
	}
	return names, true
}

const (
	stepsElsewhere = `SELECT 1 FROM turn_steps WHERE session_id <> ?1 AND (?5 <> '' AND run_id = ?5 OR ?6 <> '' AND ?6 IN (call_1, call_2) OR ?7 <> '' AND ?7 IN (call_1, call_2))`

	// The ids of a step are no other session's, in the tables or in other steps.
	idsFree = ` AND (?5 = '' OR NOT EXISTS (SELECT 1 FROM runs WHERE id = ?5 AND session_id <> ?1))
		AND (?6 = '' OR NOT EXISTS (SELECT 1 FROM tool_calls WHERE id = ?6 AND session_id <> ?1))
		AND (?7 = '' OR NOT EXISTS (SELECT 1 FROM tool_calls WHERE id = ?7 AND session_id <> ?1))
		AND NOT EXISTS (` + stepsElsewhere + `)`

	stepValues = `INSERT INTO turn_steps (session_id, principal, owner, token, run_id, call_1, call_2, step) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE `

	stepFirst = stepValues + `NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?1)` + idsFree

	stepNext = stepValues + `(EXISTS (SELECT 1 FROM locks l JOIN sessions s ON s.id = l.session_id WHERE l.session_id = ?1 AND l.owner = ?3 AND l.token = ?4 AND s.principal = ?2)
		OR EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?1 AND owner = ?3 AND token = ?4 AND principal = ?2))` + idsFree

	// Steps of other turns that the changes clash with: ?2 to ?4 are not used, so that the
	// arguments are those of a step.
	stepsClash = `SELECT EXISTS (` + stepsElsewhere + ` OR session_id = ?8)`

	stepsTake = `DELETE FROM turn_steps WHERE session_id = ? AND owner = ? AND token = ? AND principal = ?`

	stepsOf  = `SELECT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?)`
	stepsAny = `SELECT EXISTS (SELECT 1 FROM turn_steps)`

	stepsRead = `SELECT seq, session_id, principal, owner, token, step FROM turn_steps WHERE ?1 = '' OR session_id = ?1 ORDER BY seq`
)

// noteStep writes a step into turn_steps. It is false where the step has to be written into
// the tables, or to be refused: the caller finds out which.
func (s *Store) noteStep(ctx context.Context, p run.Principal, l store.Lock, t *turn, c store.Changes) (bool, error) {
	if c.Unlock || c.MaxSessionBytes > 0 || c.Run == nil && len(c.Records) > 0 || len(t.steps) >= maxSteps || c.Open != nil && c.Open.ID != l.SessionID {
		return false, nil
	}
	names, ok := ids(c)
	if !ok {
		return false, nil
	}
	st := s.pack(l, c)
	text := stepNext
	if c.Open != nil {
		text = stepFirst
	}
	res, err := s.prepared[text].ExecContext(context.WithoutCancel(ctx), l.SessionID, p.ID, s.instance.id, l.Token, names[0], names[1], names[2], st.marshal())
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	t.steps = append(t.steps, st)
	s.committed()
	return true, nil
}

// pack copies what the caller may change later, and packs the outputs.
func (s *Store) pack(l store.Lock, c store.Changes) step {
	st := step{Changes: c, expires: l.ExpiresAt}
	st.Open, st.Session, st.Run = copied(c.Open), copied(c.Session), copied(c.Run)
	if len(c.ToolCalls) > 0 {
		st.ToolCalls, st.codings = slices.Clone(c.ToolCalls), make([]string, len(c.ToolCalls))
		for i := range st.ToolCalls {
			st.ToolCalls[i].Output, st.codings[i] = s.packer.Pack(c.ToolCalls[i].Output)
		}
	}
	return st
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

// settle writes out what turns at work have in turn_steps, so that a reader finds it: of one
// session, or of all where sessionID is empty.
func (s *Store) settle(ctx context.Context, sessionID string) error {
	text, args := stepsAny, []any{}
	if sessionID != "" {
		text, args = stepsOf, []any{sessionID}
	}
	var some bool
	if err := s.reading[text].QueryRowContext(ctx, args...).Scan(&some); err != nil || !some {
		return err
	}
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.writeOut(ctx, tx, sessionID) })
}

// writeOutOf writes out the steps of a session where there are any.
func (s *Store) writeOutOf(ctx context.Context, tx *sql.Tx, sessionID string) error {
	var some bool
	if err := s.queryRow(ctx, tx, stepsOf, sessionID).Scan(&some); err != nil || !some {
		return wrap("steps of turns", err)
	}
	return s.writeOut(ctx, tx, sessionID)
}

// noted is a turn as turn_steps has it.
type noted struct {
	principal, owner string
	lock             store.Lock
	batch            batch
}

// writeOut writes the steps of a session, or of all, into the tables.
func (s *Store) writeOut(ctx context.Context, tx *sql.Tx, sessionID string) error {
	all, err := s.noted(ctx, tx, sessionID)
	if err != nil || len(all) == 0 {
		return wrap("steps of turns", err)
	}
	for _, n := range all {
		if n.batch.open == nil {
			var there bool
			if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ? AND principal = ?)`, n.lock.SessionID, n.principal).Scan(&there); err != nil {
				return wrap("steps of turns", err)
			}
			if !there { // was deleted by somebody who does not know of steps
				continue
			}
		}
		if err := s.apply(ctx, tx, run.Principal{ID: n.principal}, n.owner, n.lock, &n.batch); err != nil {
			return fmt.Errorf("steps of a turn of %s: %w", n.lock.SessionID, err)
		}
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM turn_steps WHERE ?1 = '' OR session_id = ?1`, sessionID)
	return wrap("steps of turns", err)
}

// noted reads the steps of a session, or of all, turn by turn.
func (s *Store) noted(ctx context.Context, tx *sql.Tx, sessionID string) (out []*noted, err error) {
	rows, err := tx.QueryContext(ctx, stepsRead, sessionID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n noted
		var seq int64
		var raw []byte
		if err := rows.Scan(&seq, &n.lock.SessionID, &n.principal, &n.owner, &n.lock.Token, &raw); err != nil {
			return nil, err
		}
		st, err := unmarshalStep(raw)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(o *noted) bool {
			return o.lock.SessionID == n.lock.SessionID && o.lock.Token == n.lock.Token && o.owner == n.owner && o.principal == n.principal
		})
		if at < 0 {
			at, out = len(out), append(out, &n)
		}
		if st.Open != nil {
			out[at].lock.ExpiresAt = st.expires
		}
		out[at].batch.add(&st)
	}
	return out, rows.Err()
}

// take removes the turn's steps from turn_steps within tx and returns those that nobody
// else has written out.
func (s *Store) take(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock, t *turn) ([]step, error) {
	if len(t.steps) == 0 {
		return nil, nil
	}
	res, err := s.exec(ctx, tx, stepsTake, l.SessionID, s.instance.id, l.Token, p.ID)
	if err != nil {
		return nil, wrap("steps of the turn", err)
	}
	n, err := res.RowsAffected()
	if err != nil || int(n) > len(t.steps) {
		return nil, errors.Join(err, fmt.Errorf("%d steps of the turn are stored, %d are known", n, len(t.steps)))
	}
	return t.steps[len(t.steps)-int(n):], nil
}

// clash writes out the steps of other turns where they have an id of the changes: the
// tables then say whose it is.
func (s *Store) clash(ctx context.Context, tx *sql.Tx, l store.Lock, c store.Changes) error {
	names, ok := ids(c)
	if ok {
		opened := ""
		if c.Open != nil {
			opened = c.Open.ID
		}
		var some bool
		if err := s.queryRow(ctx, tx, stepsClash, l.SessionID, nil, nil, nil, names[0], names[1], names[2], opened).Scan(&some); err != nil || !some {
			return wrap("steps of turns", err)
		}
	}
	return s.writeOut(ctx, tx, "")
}
