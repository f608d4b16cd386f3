package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// ErrUnchanged is what a MakeFunc returns when there is nothing new: the current
// generation stays.
var ErrUnchanged = errors.New("the source is as it was")

// Change is a generation on its way: what Update's function may change.
type Change struct {
	Manifest Manifest
	Snapshot *catalog.Snapshot
	// Dir is the new generation's folder, with the files of the current one. They
	// are one with those of the current generation: a file is replaced, never
	// written into.
	Dir string
}

// Update makes a new generation with the data of the current one and a catalog
// that change has changed, and swaps it in as Make does. change may return
// ErrUnchanged. Errors: those of Make and of Current.
func (s *Store) Update(ctx context.Context, name string, change func(*Change) error) (*Generation, error) {
	if _, err := s.Current(name); err != nil { // before Make makes a folder for it
		return nil, err
	}
	return s.Make(ctx, name, func(_ context.Context, dir string) (Manifest, *catalog.Snapshot, error) {
		g, err := s.Current(name) // under the lock it stays the current one
		if err != nil {
			return Manifest{}, nil, err
		}
		c := &Change{Manifest: g.Manifest, Dir: dir}
		if c.Snapshot, err = g.Stored(); err != nil {
			return Manifest{}, nil, err
		}
		if err := linkTree(g.Dir, dir); err != nil {
			return Manifest{}, nil, s.storageFault("copy source "+name, err)
		}
		for _, own := range []string{manifestFile, catalogFile, oldCatalog, retiredFile} {
			if err := os.Remove(filepath.Join(dir, own)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return Manifest{}, nil, s.storageFault("copy source "+name, err)
			}
		}
		return c.Manifest, c.Snapshot, change(c)
	})
}

// HistoryFile is a file of a generation in which the reader of the query history
// notes what it has counted. It goes along from one generation to the next.
const HistoryFile = "history.bin"

// keepHistory gives a new generation what the query history said of the tables:
// an ingest of tables knows nothing of it.
func (s *Store) keepHistory(name, dir string, snapshot *catalog.Snapshot) error {
	g, err := s.Current(name)
	if err != nil || snapshot == nil {
		return nil //nolint:nilerr // there is none, or a damaged one: nothing to keep
	}
	from, to := filepath.Join(g.Dir, HistoryFile), filepath.Join(dir, HistoryFile)
	if _, err := os.Stat(from); err != nil {
		return nil //nolint:nilerr // no history was read
	}
	if _, err := os.Stat(to); err == nil {
		return nil // an Update
	}
	old, err := g.Stored()
	if err != nil {
		return nil //nolint:nilerr // damaged: nothing to keep
	}
	if os.Link(from, to) != nil {
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	keepUsage(old, snapshot)
	return nil
}

func keepUsage(old, snapshot *catalog.Snapshot) {
	before := make(map[string]*catalog.Table)
	for i := range old.Tables {
		if t := &old.Tables[i]; t.Usage != nil {
			before[t.Name.Key()] = t
		}
	}
	for i := range snapshot.Tables {
		t := &snapshot.Tables[i]
		was := before[t.Name.Key()]
		if was == nil || t.Usage != nil {
			continue
		}
		t.Usage = was.Usage
		if t.QueryCount30d == 0 {
			t.QueryCount30d = was.QueryCount30d
		}
	}
}
