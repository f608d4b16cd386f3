package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// clockTolerance is the difference between the clocks of machine and database that is
// left alone: less than a lease could feel, and more than the way there takes.
const clockTolerance = time.Second

const (
	// lifeKey is the key of the advisory lock of an instance.
	lifeKey = `hashtextextended('dibrain instance ' || $1::text, 0)`

	lifeSign = `INSERT INTO instances (id, seen_at) VALUES ($1, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING (extract(epoch FROM seen_at) * 1000000)::bigint`
)

// beat gives signs of life and looks after those that give none, until ctx ends. It
// connects again where the connection was lost.
func (s *Store) beat(ctx context.Context) {
	told := false
	for pause.For(ctx, s.cfg.Grace/3) == nil {
		bounded, done := context.WithTimeout(ctx, s.cfg.Grace)
		err := s.beatOnce(bounded)
		done()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !told:
			s.cfg.Log.WarnContext(ctx, "no sign of life reaches the store of sessions; the next try follows", "error", fault.OperatorText(err), "cause", errors.Unwrap(err))
		case err == nil && told:
			s.cfg.Log.InfoContext(ctx, "the store of sessions is there again", "at", place(s.cfg))
		}
		told = err != nil
	}
}

func (s *Store) beatOnce(ctx context.Context) error {
	if !s.begun.Load() {
		return s.begin(ctx)
	}
	s.starting <- struct{}{}
	err := s.sign(ctx)
	<-s.starting
	if err != nil {
		return s.fault("give a sign of life", err)
	}
	return s.fault("look after dead processes", s.once(ctx, s.reapAll))
}

// sign says that the instance lives, on another connection where the one it had is lost.
func (s *Store) sign(ctx context.Context) error {
	had := s.life != nil
	err := s.signOnce(ctx)
	if had && err != nil && passes(err) {
		err = s.signOnce(ctx)
	}
	return err
}

// signOnce takes the instance's lock where it is not held, and says that the instance
// lives. What the database's clock is ahead of the machine's is learned on the way.
func (s *Store) signOnce(ctx context.Context) error {
	if s.life == nil || s.life.IsClosed() {
		if err := s.revive(ctx); err != nil {
			return err
		}
	}
	before := s.wall()
	var micros int64
	if err := s.life.QueryRow(ctx, lifeSign, s.id).Scan(&micros); err != nil {
		_ = s.life.Close(context.WithoutCancel(ctx))
		return err
	}
	between := before.Add(s.wall().Sub(before) / 2)
	s.setAhead(ctx, time.UnixMicro(micros).Sub(between))
	return nil
}

// setAhead keeps the difference of the clocks where leases could feel it.
func (s *Store) setAhead(ctx context.Context, ahead time.Duration) {
	if ahead.Abs() < clockTolerance {
		ahead = 0
	}
	if was := time.Duration(s.ahead.Swap(int64(ahead))); (was - ahead).Abs() > clockTolerance {
		s.cfg.Log.WarnContext(ctx, "the clock of the store of sessions differs from this machine's, and counts for it", "ahead", ahead)
	}
}

// revive connects and takes the lock. Whoever looks whether this instance is dead
// holds it for a moment.
func (s *Store) revive(ctx context.Context) error {
	config, err := s.lasting()
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(`+lifeKey+`)`, s.id); err != nil {
		return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	s.life = conn
	return nil
}

// leave gives the instance up: others need not wait for it.
func (s *Store) leave(ctx context.Context) error {
	select {
	case s.starting <- struct{}{}: // for good: nobody begins any more
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.life == nil || s.life.IsClosed() {
		return nil
	}
	// The server ends a closed connection when it comes to that: until then the lock
	// would count as held.
	_, err := s.life.Exec(ctx, `DELETE FROM instances WHERE id = $1`, s.id)
	if err == nil {
		_, err = s.life.Exec(ctx, `SELECT pg_advisory_unlock(`+lifeKey+`)`, s.id)
	}
	err = errors.Join(err, s.life.Close(ctx))
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "the store of sessions could not be told that this process ends; others wait for it a moment longer", "error", err)
	}
	return nil
}

// dead reports whether an instance is gone for good: nobody holds its lock, and it has
// given no sign of life for Grace. Until tx ends it cannot come back.
func (s *Store) dead(ctx context.Context, tx pgx.Tx, id string) (bool, error) {
	if id == s.id {
		return false, nil
	}
	var free bool
	if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(`+lifeKey+`)`, id).Scan(&free); err != nil || !free {
		return false, err
	}
	var awaited bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM instances WHERE id = $1 AND seen_at > clock_timestamp() - $2::bigint * interval '1 microsecond')`,
		id, s.cfg.Grace.Microseconds()).Scan(&awaited)
	return !awaited, err
}

// reapAll marks what dead instances left at work as interrupted and frees their locks.
func (s *Store) reapAll(ctx context.Context, tx pgx.Tx) error {
	owners, err := column(tx.Query(ctx, `SELECT owner FROM runs WHERE owner <> '' UNION SELECT lock_owner FROM sessions WHERE lock_owner <> ''
		UNION SELECT id FROM instances ORDER BY 1`))
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	for _, id := range owners {
		if _, err := s.reap(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// reap interrupts what an instance left at work, if it is dead.
func (s *Store) reap(ctx context.Context, tx pgx.Tx, id string) (bool, error) {
	dead, err := s.dead(ctx, tx, id)
	if err != nil || !dead {
		return false, err
	}
	now, ended := s.now(), string(run.StatusInterrupted)
	var batch pgx.Batch
	batch.Queue(`SELECT 1 FROM sessions WHERE lock_owner = $1 ORDER BY id FOR UPDATE`, id) // sessions first, as turns do
	batch.Queue(`UPDATE sessions SET lock_owner = '', lock_expires = 0 WHERE lock_owner = $1`, id)
	batch.Queue(`UPDATE tool_calls SET status = $1, ended_at = $2, error = $3, error_reason = 'INTERRUPTED'
		WHERE status = $4 AND run_id IN (SELECT id FROM runs WHERE owner = $5)`, ended, now, store.InterruptedWords, running, id)
	runs := int64(0)
	batch.Queue(`UPDATE runs SET status = $1, ended_at = $2, error = $3, owner = '' WHERE owner = $4`, ended, now, store.InterruptedWords, id).
		Exec(counted(&runs))
	batch.Queue(`DELETE FROM instances WHERE id = $1`, id)
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return false, fmt.Errorf("interrupt the runs of %s: %w", id, err)
	}
	if runs > 0 {
		s.cfg.Log.WarnContext(ctx, "runs of a process that died are marked interrupted", "instance", id, "runs", runs)
	}
	return true, nil
}
