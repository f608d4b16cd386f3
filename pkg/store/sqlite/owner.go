package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

const (
	// instancePrefix begins the ids of processes that know of turn_steps. Those of earlier
	// programs begin with "own_".
	instancePrefix = "proc_"
	lockSuffix     = ".lock"
	// staleAfter is the age at which the file of an instance that left nothing
	// behind is looked at.
	staleAfter = time.Minute
)

// instance is this process's sign of life: a file that it holds a lock on. The
// kernel gives the lock back when the process dies, whatever killed it.
type instance struct {
	id   string
	dir  string
	lock *flock.Flock
}

// claimInstance makes and locks the file of a new instance. Files of instances
// that are gone are removed on the way.
func claimInstance(dir string, now time.Time) (instance, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return instance{}, err
	}
	for range 3 {
		in := instance{id: run.NewID(instancePrefix, nil), dir: dir}
		in.lock = flock.New(in.file(in.id))
		ok, err := in.lock.TryLock()
		if err != nil {
			return instance{}, fmt.Errorf("lock %s: %w", in.file(in.id), err)
		}
		// Another process may have taken the file for a dead one's between its
		// making and its locking; then it is gone by now.
		if _, err := os.Stat(in.file(in.id)); ok && err == nil {
			in.sweep(now)
			return in, nil
		}
		_ = in.lock.Unlock()
	}
	return instance{}, fmt.Errorf("no instance file could be kept in %s", dir)
}

func (in instance) file(id string) string { return filepath.Join(in.dir, id+lockSuffix) }

// alive reports whether the process of another instance lives.
func (in instance) alive(id string) bool {
	if id == in.id {
		return true
	}
	path := in.file(id)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	l := flock.New(path)
	free, err := l.TryLock()
	if err != nil {
		return true // not known: never take a run from a living process
	}
	if free {
		_ = l.Unlock()
	}
	return !free
}

// sweep removes files of instances that died long enough ago and own nothing:
// the others are found through the runs and locks that they left.
func (in instance) sweep(now time.Time) {
	entries, err := os.ReadDir(in.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		info, err := e.Info()
		if !isLock || err != nil || now.Sub(info.ModTime()) < staleAfter || in.alive(id) {
			continue
		}
		_ = os.Remove(in.file(id))
	}
}

func (in instance) release() error {
	if in.lock == nil {
		return nil
	}
	return errors.Join(os.Remove(in.file(in.id)), in.lock.Unlock())
}

// reap marks what dead instances left at work as interrupted and frees their
// locks. With an owner it looks at that one only.
func (s *Store) reap(ctx context.Context, tx *sql.Tx, owner string) error {
	owners := []string{owner}
	if owner == "" {
		var err error
		owners, err = column(tx.QueryContext(ctx,
			`SELECT owner FROM runs WHERE owner <> '' UNION SELECT owner FROM locks WHERE owner <> ''`))
		if err != nil {
			return fmt.Errorf("list owners: %w", err)
		}
	}
	for _, id := range owners {
		if s.instance.alive(id) {
			continue
		}
		if err := s.interrupt(ctx, tx, id); err != nil {
			return fmt.Errorf("interrupt the runs of %s: %w", id, err)
		}
	}
	return nil
}

func (s *Store) interrupt(ctx context.Context, tx *sql.Tx, owner string) error {
	now, ended := s.now(), string(run.StatusInterrupted)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`UPDATE tool_calls SET status = ?, ended_at = ?, error = ?, error_reason = 'INTERRUPTED' WHERE status = ? AND run_id IN (SELECT id FROM runs WHERE owner = ?)`,
			[]any{ended, now, store.InterruptedWords, running, owner}},
		{`UPDATE runs SET status = ?, ended_at = ?, error = ?, owner = '' WHERE owner = ?`, []any{ended, now, store.InterruptedWords, owner}},
		{`UPDATE locks SET owner = '', expires_at = 0 WHERE owner = ?`, []any{owner}},
	} {
		if _, err := tx.ExecContext(ctx, q.sql, q.args...); err != nil {
			return err
		}
	}
	s.cfg.Log.WarnContext(ctx, "runs of a process that died are marked interrupted", "instance", owner)
	return nil
}

func column(rows *sql.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
