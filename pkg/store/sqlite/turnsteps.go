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

// A step of a turn touches a dozen tables and indexes, of each a page; the next step touches
// them again, and so does the next turn. So a step is one row of turn_steps, which is as durable
// and costs one page. What the steps of several turns come to is written into the tables
// together, beside the turns, each row once. Whoever reads or locks what a turn has touched
// writes it out first, in this process or another: nobody sees less than was committed. Rows of
// a session in turn_steps say that nobody but their owner has touched it since, which fences
// them as a lock does, until one of them gives the lock up.

const (
	// maxSteps and maxStepsBytes bound what a turn keeps in turn_steps, and so what a reader has
	// to write out. What is beyond goes into the tables, with what was there before it.
	maxSteps      = 64
	maxStepsBytes = 1 << 20
	// writeOutFrom is the number of rows from which the turns that have ended are written out
	// together. More cost no less to measure, and others wait longer for the one that writes: with
	// 32, p99 of two hundred people was a millisecond more, with 8 no less.
	writeOutFrom = 16
)

// turns are those of this process that have steps in turn_steps, or had.
type turns struct {
	mu sync.Mutex
	of map[turnKey]*turn
}

// turnKey is what no two turns have in common.
type turnKey struct {
	session string
	token   int64
}

// turn is what this process knows of one without asking. What is in turn_steps counts: a turn
// that was forgotten goes on all the same.
type turn struct {
	mu    sync.Mutex
	seq   int64 // of its newest row
	rows  int   // in turn_steps, unless others have written them out
	bytes int   // of these
	// own are ids that are known to be this session's, and so nobody else's any more: they are in
	// its steps or in the tables.
	own   []string
	ended bool // the newest gave the lock up
}

func (ts *turns) get(l store.Lock) *turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	key := turnKey{l.SessionID, l.Token}
	t := ts.of[key]
	if t == nil {
		if ts.of == nil {
			ts.of = map[turnKey]*turn{}
		}
		t = &turn{}
		ts.of[key] = t
	}
	return t
}

func (ts *turns) forget(l store.Lock) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.of, turnKey{l.SessionID, l.Token})
}

// ids are those that a step writes: a run, and calls. ok is false where there are more calls
// than a row of turn_steps names.
func ids(c store.Changes) (names [3]any, ok bool) {
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

// owns reports whether all ids of a step are known to be the turn's own.
func (t *turn) owns(names [3]any) bool {
	for _, n := range names {
		if id, is := n.(string); is && !slices.Contains(t.own, id) {
			return false
		}
	}
	return true
}

// learn notes the ids of a step that was written; a call that is dropped gives its id up.
func (t *turn) learn(names [3]any, dropped []string) {
	t.own = slices.DeleteFunc(t.own, func(id string) bool { return slices.Contains(dropped, id) })
	for _, n := range names {
		if id, is := n.(string); is && !slices.Contains(t.own, id) && !slices.Contains(dropped, id) {
			t.own = append(t.own, id)
		}
	}
}

const (
	stepsElsewhere = `SELECT 1 FROM turn_steps WHERE (run_id = ?5 OR call_1 = ?6 OR call_1 = ?7 OR call_2 = ?6 OR call_2 = ?7) AND session_id <> ?1`

	// The ids of a step are no other session's, in the tables or in other steps. One that there
	// is not is NULL, which is equal to nothing. A list in place of two questions after calls would be
	// made into a table first.
	idsFree = ` AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ?5 AND session_id <> ?1)
		AND NOT EXISTS (SELECT 1 FROM tool_calls WHERE id = ?6 AND session_id <> ?1)
		AND NOT EXISTS (SELECT 1 FROM tool_calls WHERE id = ?7 AND session_id <> ?1)
		AND NOT EXISTS (` + stepsElsewhere + `)`

	stepValues = `INSERT INTO turn_steps (session_id, principal, owner, token, run_id, call_1, call_2, ended, step)
		SELECT ?1, ?2, ?3, ?4, coalesce(?5, ''), coalesce(?6, ''), coalesce(?7, ''), ?8, ?9 WHERE `

	stepFirst = stepValues + `NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?1)` + idsFree

	// A further step needs the one before it, ?10, to be here still, or the lock, which a step
	// that lies here may have given up.
	stepNext = stepAgain + idsFree

	// One with no ids but the turn's own.
	stepAgain = stepValues + `(EXISTS (SELECT 1 FROM turn_steps WHERE seq = ?10 AND session_id = ?1 AND owner = ?3 AND token = ?4 AND principal = ?2)
		OR EXISTS (SELECT 1 FROM locks l JOIN sessions s ON s.id = l.session_id WHERE l.session_id = ?1 AND l.owner = ?3 AND l.token = ?4 AND s.principal = ?2)
			AND NOT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?1 AND ended = 1))`

	// Steps of other turns may say more of whose an id is: those that have it, and where the tables
	// have it, those that drop it. ?2 to ?4 are not used, so that the arguments are those of a step.
	stepsClash = `SELECT EXISTS (` + stepsElsewhere + ` OR session_id = ?8) OR EXISTS (SELECT 1 FROM tool_calls WHERE id IN (?6, ?7) AND session_id <> ?1)`

	stepsOf    = `SELECT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ?)`
	stepsAny   = `SELECT EXISTS (SELECT 1 FROM turn_steps)`
	stepsEnded = `SELECT EXISTS (SELECT 1 FROM turn_steps WHERE session_id = ? AND ended = 1)`

	sessionThere = `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ? AND principal = ?)`

	stepsRead   = `SELECT session_id, principal, owner, token, step FROM turn_steps WHERE `
	stepsDelete = `DELETE FROM turn_steps WHERE `
	inOrder     = ` ORDER BY seq`
)

// Which steps are meant.
const (
	ofAll     = `1`
	ofEnded   = `session_id IN (SELECT session_id FROM turn_steps WHERE ended = 1)`
	ofSession = `session_id = ?1`
	ofTurn    = `session_id = ?1 AND owner = ?2 AND token = ?3 AND principal = ?4`
)

// noteStep writes a step into turn_steps. It is false where the step has to be written into
// the tables, or to be refused: the caller finds out which.
func (s *Store) noteStep(ctx context.Context, p run.Principal, l store.Lock, t *turn, st *step) (bool, error) {
	if t.ended || !st.Unlock && st.MaxSessionBytes > 0 || st.Run == nil && len(st.Records) > 0 || t.rows >= maxSteps || st.Open != nil && st.Open.ID != l.SessionID {
		return false, nil
	}
	names, ok := ids(st.Changes)
	if !ok {
		return false, nil
	}
	raw := st.marshal()
	if t.bytes+len(raw) > maxStepsBytes {
		return false, nil
	}
	free, err := s.writer(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	if ok, err := s.keepsSteps(ctx); err != nil || !ok {
		return false, err
	}
	text, args := stepNext, []any{l.SessionID, p.ID, s.instance.id, l.Token, names[0], names[1], names[2], st.Unlock, raw, t.seq}
	if st.Open != nil {
		text, args = stepFirst, args[:len(args)-1]
	} else if t.owns(names) {
		text = stepAgain
	}
	res, err := s.prepared[text].ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if t.seq, err = res.LastInsertId(); err != nil {
		return false, err
	}
	t.rows, t.bytes, t.ended = t.rows+1, t.bytes+len(raw), st.Unlock
	t.learn(names, st.DropToolCalls)
	s.committed()
	s.ended.count(s, l, st.Unlock)
	return true, nil
}

// pack copies what the caller may change later, and packs the outputs.
func (s *Store) pack(l store.Lock, c store.Changes) step {
	st := step{Changes: c, expires: l.ExpiresAt}
	if len(c.ToolCalls) > 0 {
		st.ToolCalls, st.codings = slices.Clone(c.ToolCalls), make([]string, len(c.ToolCalls))
		for i := range st.ToolCalls {
			st.ToolCalls[i].Output, st.codings[i] = s.packer.Pack(c.ToolCalls[i].Output)
		}
	}
	return st
}

// settle writes out what turns have in turn_steps, so that a reader finds it: of one session,
// or of all where sessionID is empty. A reader settles before it reads: another may write steps
// out between the two, so that what was read first has less and no step lies there any more.
func (s *Store) settle(ctx context.Context, sessionID string) error {
	text, args := stepsAny, []any{}
	if sessionID != "" {
		text, args = stepsOf, []any{sessionID}
	}
	var some bool
	if err := s.reading[text].QueryRowContext(ctx, args...).Scan(&some); err != nil || !some {
		return err
	}
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if sessionID == "" {
			return s.writeOut(ctx, tx, ofAll)
		}
		return s.writeOut(ctx, tx, ofSession, sessionID)
	})
}

// writeOutOf writes out the steps of a session where there are any.
func (s *Store) writeOutOf(ctx context.Context, tx *sql.Tx, sessionID string) error {
	var some bool
	if err := s.queryRow(ctx, tx, stepsOf, sessionID).Scan(&some); err != nil || !some {
		return wrap("steps of turns", err)
	}
	return s.writeOut(ctx, tx, ofSession, sessionID)
}

// ended are turns of this process that have ended, to be written out.
type ended struct {
	mu     sync.Mutex
	rows   int
	locks  []store.Lock // that were given up
	work   bool
	closed bool
	done   sync.WaitGroup
}

// count counts a row, and has what has ended written out where it is time.
func (e *ended) count(s *Store, l store.Lock, last bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows++
	if !last {
		return
	}
	e.locks = append(e.locks, l)
	if e.rows < writeOutFrom || e.work || e.closed {
		return
	}
	locks := e.locks
	e.rows, e.locks, e.work = 0, nil, true
	e.done.Go(func() {
		err := s.tx(context.Background(), func(ctx context.Context, tx *sql.Tx) error { return s.writeOut(ctx, tx, ofEnded) })
		if err != nil {
			s.cfg.Log.Warn("turns that have ended could not be written into the tables; the next try follows, and nothing is lost", "error", err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.work = false
		if err != nil {
			e.locks = append(e.locks, locks...)
			return
		}
		for _, l := range locks {
			s.turns.forget(l)
		}
	})
}

// close waits for the work and has no other begin.
func (e *ended) close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.done.Wait()
}

// writeOut writes the steps that which means into the tables.
func (s *Store) writeOut(ctx context.Context, tx *sql.Tx, which string, args ...any) error {
	all, err := s.readSteps(ctx, tx, which, args...)
	if err != nil || len(all) == 0 {
		return wrap("steps of turns", err)
	}
	for _, n := range all {
		if n.batch.open == nil {
			var there bool
			if err := s.queryRow(ctx, tx, sessionThere, n.lock.SessionID, n.principal).Scan(&there); err != nil {
				return wrap("steps of turns", err)
			}
			if !there { // it was deleted past the store
				continue
			}
		}
		if err := s.apply(ctx, tx, run.Principal{ID: n.principal}, n.owner, n.lock, &n.batch); err != nil {
			return fmt.Errorf("steps of a turn of %s: %w", n.lock.SessionID, err)
		}
	}
	_, err = s.exec(ctx, tx, stepsDelete+which, args...)
	return wrap("steps of turns", err)
}

// turnSteps is a turn as turn_steps has it.
type turnSteps struct {
	principal, owner string
	lock             store.Lock
	batch            batch
}

// readSteps reads the steps that which means, turn by turn.
func (s *Store) readSteps(ctx context.Context, tx *sql.Tx, which string, args ...any) (out []*turnSteps, err error) {
	rows, err := s.query(ctx, tx, stepsRead+which+inOrder, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n turnSteps
		var raw []byte
		if err := rows.Scan(&n.lock.SessionID, &n.principal, &n.owner, &n.lock.Token, &raw); err != nil {
			return nil, err
		}
		st, err := unmarshalStep(raw)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(o *turnSteps) bool {
			return o.lock.SessionID == n.lock.SessionID && o.lock.Token == n.lock.Token && o.owner == n.owner && o.principal == n.principal
		})
		if at < 0 {
			at, out = len(out), append(out, &n)
		}
		out[at].batch.add(&st)
	}
	return out, rows.Err()
}

// take removes the turn's own steps from turn_steps within tx and returns what they come to:
// those that nobody else has written out. A turn that has ended has no more right to them than
// others, and gets none.
func (s *Store) take(ctx context.Context, tx *sql.Tx, p run.Principal, l store.Lock) (batch, error) {
	which := []any{l.SessionID, s.instance.id, l.Token, p.ID}
	own, err := s.readSteps(ctx, tx, ofTurn, which...)
	if err != nil || len(own) == 0 || own[0].batch.last.Unlock {
		return batch{}, wrap("steps of the turn", err)
	}
	_, err = s.exec(ctx, tx, stepsDelete+ofTurn, which...)
	return own[0].batch, wrap("steps of the turn", err)
}

// clash writes out the steps of other turns where they may say whose an id of the changes is:
// the tables then say it.
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
	return s.writeOut(ctx, tx, ofAll)
}
