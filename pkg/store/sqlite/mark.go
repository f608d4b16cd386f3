package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A program of the version before (schema 4) knows nothing of turn_steps: it would miss the
// newest turns, and lock sessions over them. So a mark in the table compatibility keeps it from
// opening the file from the first step that is put there until the last process that knows of
// steps has written all of them out and closes. While a process of such a program has the file
// open already, steps go into the tables at once, as that program writes them.
//
// Of the two sides at least one sees the other: an earlier program makes the file of its
// instance before it looks for the mark, and this one marks before it looks for instances.

const (
	markSet = `INSERT INTO compatibility (oldest, because) SELECT 5, 'turn_steps' WHERE NOT EXISTS (` + marks + `)`
	markGet = `SELECT EXISTS (` + marks + `)`
	markEnd = `DELETE FROM compatibility WHERE because = 'turn_steps'`
	marks   = `SELECT 1 FROM compatibility WHERE because = 'turn_steps'`
)

// keeping says whether this process may keep steps in turn_steps. Who writes decides it, once.
type keeping int

const (
	keepingUndecided keeping = iota
	keepingAllowed
	keepingNot
)

// keepsSteps decides at the first step of this process whether steps may be kept, and marks the
// file if so. The caller holds what writer gives.
func (s *Store) keepsSteps(ctx context.Context) (bool, error) {
	if s.keeping != keepingUndecided {
		return s.keeping == keepingAllowed, nil
	}
	older, err := s.instance.others(false)
	if err == nil && !older {
		if _, err = s.write.ExecContext(context.WithoutCancel(ctx), markSet); err == nil {
			older, err = s.instance.others(false)
		}
	}
	if err != nil {
		return false, fmt.Errorf("mark the file as one with steps: %w", err)
	}
	s.keeping = keepingAllowed
	if older {
		s.keeping = keepingNot
		s.cfg.Log.InfoContext(ctx, "a process of an earlier dibrain has the store open, so steps are written as it reads them, which takes longer; started again without it, this process keeps them together")
	}
	return !older, nil
}

// closeLock is a file that one process holds while it closes the store: of two that close at
// once each would leave the mark to the other.
const closeLock = "close.lock"

// closePause lies between two looks at it.
const closePause = 2 * time.Millisecond

// giveBack writes out all steps and takes the mark away, unless another process that knows of
// steps has the file open: it may be about to keep some. This one keeps none any more. last is
// to be called once the instance was given up.
func (s *Store) giveBack() (last func() error, err error) {
	last = func() error { return nil }
	ctx, done := context.WithTimeout(context.Background(), s.cfg.BusyTimeout)
	defer done()
	free, err := s.writer(ctx)
	if err != nil {
		return last, err
	}
	s.keeping = keepingNot
	free()
	var marked bool
	if err := s.read.QueryRowContext(ctx, markGet).Scan(&marked); err != nil || !marked {
		return last, err
	}
	lock := flock.New(filepath.Join(s.cfg.Dir, closeLock))
	if _, err := lock.TryLockContext(ctx, closePause); err != nil {
		return last, fmt.Errorf("wait for another process that closes: %w", err)
	}
	return lock.Unlock, s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOut(ctx, tx, ofAll); err != nil {
			return err
		}
		others, err := s.instance.others(true)
		if err != nil || others {
			return err
		}
		_, err = tx.ExecContext(ctx, markEnd)
		return err
	})
}

// others reports whether other processes have the file open: those whose program knows of
// turn_steps, or those of earlier ones.
func (in instance) others(knowing bool) (bool, error) {
	entries, err := os.ReadDir(in.dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		id, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if isLock && id != in.id && strings.HasPrefix(id, instancePrefix) == knowing && in.alive(id) {
			return true, nil
		}
	}
	return false, nil
}
