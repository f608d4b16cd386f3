package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/dibrain/dibrain/pkg/run"
)

// Endings of files in the folder of results: the rows, and the locked file that lies
// beside them while they are written.
const (
	rowsFile    = ".arrow"
	writingFile = ".writing"
)

// folder is where the files of results are.
func (s *Store) folder() string {
	return strings.TrimSuffix(s.config.Path, filepath.Ext(s.config.Path))
}

func (s *Store) file(id string) string { return filepath.Join(s.folder(), id+rowsFile) }

// claim makes an id, and the locked file that says that it is being written.
func (s *Store) claim() (id string, lock *flock.Flock, err error) {
	for range 3 {
		id = run.NewID(idPrefix, s.config.Random)
		lock = flock.New(filepath.Join(s.folder(), id+writingFile), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if err != nil {
			return "", nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		// A sweep may have taken the file for a dead process's between its making and its
		// locking; then it is gone by now.
		if _, err := os.Stat(lock.Path()); ok && err == nil {
			return id, lock, nil
		}
		_ = lock.Unlock()
	}
	return "", nil, errors.New("another process takes every file that is made for a new result")
}

func (s *Store) unclaim(lock *flock.Flock) error {
	return errors.Join(remover(lock.Path()), lock.Unlock())
}

// remover removes a file that may be gone already.
func remover(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeFiles removes the files of results that the index has let go. One that cannot be
// removed now goes with the next sweep.
func (s *Store) removeFiles(ids []string) {
	for _, id := range ids {
		_ = os.Remove(s.file(id))
	}
}

// sweep removes what processes that were killed have left: files that the index does not
// know and that nobody writes, and the room that they had taken.
func (s *Store) sweep(ctx context.Context) error {
	folder, err := os.Open(s.folder())
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // it was read only
	for {
		names, err := folder.Readdirnames(256)
		for _, name := range names {
			id := strings.TrimSuffix(strings.TrimSuffix(name, rowsFile), writingFile)
			if id == name || !strings.HasPrefix(id, idPrefix) {
				continue
			}
			if err := s.sweepOne(ctx, id); err != nil {
				return err
			}
		}
		if err != nil || len(names) == 0 {
			return s.sweepRoom(ctx)
		}
	}
}

// sweepRoom gives back the room of results whose files somebody has deleted.
func (s *Store) sweepRoom(ctx context.Context) error {
	ids, err := s.writing(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.sweepOne(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// writing are the results that the index holds room for.
func (s *Store) writing(ctx context.Context) (ids []string, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM writing`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (s *Store) sweepOne(ctx context.Context, id string) error {
	lock := flock.New(filepath.Join(s.folder(), id+writingFile), flock.SetFlag(os.O_RDWR)) // not made where there is none
	ok, err := lock.TryLock()
	if err == nil && !ok {
		return nil // somebody writes it
	}
	defer lock.Unlock() //nolint:errcheck // the file goes
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Asked after the lock: a writer enters its result before it lets the lock go.
	var known bool
	if err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE id = ?)`, id).Scan(&known); err != nil {
		return err
	}
	if !known {
		if _, err := s.db.ExecContext(ctx, `DELETE FROM writing WHERE id = ?`, id); err != nil {
			return err
		}
		if err := remover(s.file(id)); err != nil {
			return err
		}
	}
	if ok {
		return remover(lock.Path())
	}
	return nil
}
