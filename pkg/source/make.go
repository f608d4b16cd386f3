package source

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/gofrs/flock"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
	"github.com/dibrain/dibrain/pkg/fault"
)

// MakeFunc fills dir, an empty folder, with the databases and perhaps the
// semantic layer of a new generation. The store writes the manifest and the
// catalog; Name, Generation and, where zero, CreatedAt are filled in by it. The
// error ErrUnchanged says that the current generation is as good as a new one.
type MakeFunc func(ctx context.Context, dir string) (Manifest, *catalog.Snapshot, error)

// Make makes a new generation of a source and swaps it in. It holds the source's
// lock meanwhile, so makers of one source wait for each other; readers never
// wait. When fill fails, ctx ends or the process dies, the old generation stays
// current; what a dead process left behind is removed by the next Make.
func (s *Store) Make(ctx context.Context, name string, fill MakeFunc) (*Generation, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, s.storageFault("make the folder of source "+name, err)
	}
	unlock, err := s.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.sweep(name); err != nil {
		return nil, err
	}
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	making := filepath.Join(dir, makingPrefix+id)
	if err := os.Mkdir(making, 0o700); err != nil {
		return nil, s.storageFault("make a generation of source "+name, err)
	}
	defer func() { _ = os.RemoveAll(making) }() // gone already after a success; else swept by the next Make
	manifest, snapshot, err := fill(ctx, making)
	if errors.Is(err, ErrUnchanged) {
		return s.Current(name)
	}
	if err != nil {
		return nil, s.fillFault(name, err)
	}
	if err := s.keepHistory(name, making, snapshot); err != nil {
		return nil, s.storageFault("keep the query history of source "+name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("make source %s: %w", name, err)
	}
	manifest.Name, manifest.Generation = name, id
	if manifest.CreatedAt.IsZero() {
		manifest.CreatedAt = s.clock().UTC()
	}
	if err := finish(making, manifest, snapshot); err != nil {
		return nil, s.storageFault("write a generation of source "+name, err)
	}
	g, err := s.open(name, making) // what a reader would see, before it is swapped in
	if err != nil {
		return nil, err
	}
	g.Dir = filepath.Join(dir, id)
	if err := s.swap(name, id); err != nil {
		return nil, s.storageFault("swap in the new generation of source "+name, err)
	}
	if err := s.sweep(name); err != nil {
		return nil, err
	}
	return g, nil
}

// Remove deletes a source with all its generations, whatever reads them. The
// empty folder and the lock stay, because somebody may be waiting for the lock.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := ValidateName(name); err != nil {
		return err
	}
	dir := filepath.Join(s.root, name)
	if _, err := os.Lstat(filepath.Join(dir, currentFile)); err != nil {
		return s.unknown(name)
	}
	unlock, err := s.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	// CURRENT goes first: a source without it does not exist for readers.
	if err := os.Remove(filepath.Join(dir, currentFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.storageFault("remove source "+name, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s.storageFault("remove source "+name, err)
	}
	for _, e := range entries {
		if e.Name() == lockFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return s.storageFault("remove source "+name, err)
		}
	}
	return nil
}

// lock takes the source's file lock, waiting no longer than ctx and lockWait.
func (s *Store) lock(ctx context.Context, name string) (unlock func(), err error) {
	path := filepath.Join(s.root, name, lockFile)
	l := flock.New(path)
	if free, err := l.TryLock(); free && err == nil { // one that is free is taken, however short the wait may be
		return func() { _ = l.Close() }, nil // the end of the process unlocks too
	}
	waiting, cancel := context.WithTimeout(ctx, s.lockWait)
	defer cancel()
	if _, err = l.TryLockContext(waiting, lockPollEvery); err == nil {
		return func() { _ = l.Close() }, nil
	}
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, fmt.Errorf("wait for the lock %s: %w", path, ctx.Err())
	case waiting.Err() != nil:
		e := fault.New(codes.Aborted, "SOURCE_LOCKED", "source \""+name+
			"\" is being made by another process: wait until it is done, or end it, and try again", "source", name).ForOperator("it holds the lock %s", path)
		e.RetryAfter = s.lockWait
		return nil, e.Because(waiting.Err())
	}
	return nil, s.storageFault("take the lock of source "+name, err)
}

// newID names a generation by its time, so that folders sort by age.
func (s *Store) newID() (string, error) {
	var suffix [3]byte
	if _, err := io.ReadFull(s.random, suffix[:]); err != nil {
		return "", fmt.Errorf("name a generation: %w", err)
	}
	return "g" + s.clock().UTC().Format("20060102t150405") + "_" + hex.EncodeToString(suffix[:]), nil
}

// finish writes manifest and catalog and brings the whole folder to the disk.
func finish(dir string, manifest Manifest, snapshot *catalog.Snapshot) error {
	if snapshot == nil {
		snapshot = &catalog.Snapshot{}
	}
	err := write(filepath.Join(dir, catalogFile), func(w io.Writer) error { return stored.Write(w, snapshot) })
	if err != nil {
		return err
	}
	err = write(filepath.Join(dir, manifestFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(manifest) })
	if err != nil {
		return err
	}
	return syncTree(dir)
}

func write(path string, content func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return content(f)
}

// swap gives the made folder its name and points CURRENT to it.
func (s *Store) swap(name, id string) error {
	dir := filepath.Join(s.root, name)
	if err := os.Rename(filepath.Join(dir, makingPrefix+id), filepath.Join(dir, id)); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	next := filepath.Join(dir, makingPrefix+currentFile)
	if err := writeSynced(next, []byte(id+"\n")); err != nil {
		return err
	}
	if err := os.Rename(next, filepath.Join(dir, currentFile)); err != nil {
		return err
	}
	return syncDir(dir)
}

// sweep removes what nobody needs any more; the lock is held. Half-made folders
// go at once. A generation that is no longer current gets a mark with the time
// of its retirement and goes when the grace period is over, or when too many wait.
func (s *Store) sweep(name string) error {
	dir := filepath.Join(s.root, name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s.storageFault("clean up source "+name, err)
	}
	current, err := readSmall(filepath.Join(dir, currentFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.storageFault("clean up source "+name, err)
	}
	type retired struct {
		path string
		at   time.Time
	}
	var old []retired
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), makingPrefix):
			if err := os.RemoveAll(path); err != nil {
				return s.storageFault("clean up source "+name, err)
			}
		case e.IsDir() && e.Name() != strings.TrimSpace(string(current)):
			at, err := s.retire(path)
			if err != nil {
				return s.storageFault("clean up source "+name, err)
			}
			old = append(old, retired{path, at})
		}
	}
	slices.SortFunc(old, func(a, b retired) int { return b.at.Compare(a.at) })
	for i, r := range old {
		if i >= s.keepRetired || s.clock().Sub(r.at) >= s.grace {
			// Some systems do not remove what is open; the next Make tries again.
			_ = os.RemoveAll(r.path)
		}
	}
	return nil
}

// retire returns when a generation was replaced, and notes it at the first time.
func (s *Store) retire(dir string) (time.Time, error) {
	mark := filepath.Join(dir, retiredFile)
	if raw, err := readSmall(mark); err == nil {
		if at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(raw))); err == nil {
			return at, nil
		}
	}
	now := s.clock().UTC()
	return now, os.WriteFile(mark, []byte(now.Format(time.RFC3339Nano)+"\n"), 0o600)
}
