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

// Update makes a new generation with the data of the current one and a catalog
// that change has changed, and swaps it in as Make does. change may return
// ErrUnchanged. Errors: those of Make and of Current.
func (s *Store) Update(ctx context.Context, name string, change func(Manifest, *catalog.Snapshot) error) (*Generation, error) {
	if _, err := s.Current(name); err != nil { // before Make makes a folder for it
		return nil, err
	}
	return s.Make(ctx, name, func(_ context.Context, dir string) (Manifest, *catalog.Snapshot, error) {
		g, err := s.Current(name) // under the lock it stays the current one
		if err != nil {
			return Manifest{}, nil, err
		}
		snapshot, err := g.Snapshot()
		if err != nil {
			return Manifest{}, nil, err
		}
		if err := change(g.Manifest, snapshot); err != nil {
			return Manifest{}, nil, err
		}
		if err := linkTree(g.Dir, dir); err != nil {
			return Manifest{}, nil, s.storageFault("copy source "+name, err)
		}
		// Linked files are the old generation's too: what is written anew goes first.
		for _, own := range []string{manifestFile, catalogFile, oldCatalog, retiredFile} {
			if err := os.Remove(filepath.Join(dir, own)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return Manifest{}, nil, s.storageFault("copy source "+name, err)
			}
		}
		return g.Manifest, snapshot, nil
	})
}

// keepUsage gives tables of a new generation what the query history said of them:
// an ingest of tables knows nothing of it.
func (s *Store) keepUsage(name string, snapshot *catalog.Snapshot) {
	g, err := s.Current(name)
	if err != nil || snapshot == nil {
		return
	}
	old, err := g.Snapshot()
	if err != nil {
		return // damaged: there is nothing to keep
	}
	usage := make(map[string]*catalog.Table)
	for i := range old.Tables {
		if t := &old.Tables[i]; t.Usage != nil {
			usage[t.Name.Key()] = t
		}
	}
	if len(usage) == 0 {
		return
	}
	for i := range snapshot.Tables {
		t := &snapshot.Tables[i]
		if before := usage[t.Name.Key()]; before != nil && t.Usage == nil {
			t.Usage = before.Usage
			if t.QueryCount30d == 0 {
				t.QueryCount30d = before.QueryCount30d
			}
		}
	}
}
