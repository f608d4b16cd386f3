package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
)

// Generation is one finished state of a source. It never changes; a reader keeps
// it as long as it likes, within the store's grace period.
type Generation struct {
	Manifest
	Dir string // absolute or relative as the data directory was given

	store *Store
}

// open reads and checks a generation's manifest.
func (s *Store) open(name, dir string) (*Generation, error) {
	path := filepath.Join(dir, manifestFile)
	raw, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.damaged(name, path, "is missing", err)
	case err != nil:
		return nil, s.damaged(name, path, "cannot be read", err)
	}
	g := &Generation{Dir: dir, store: s}
	if err := json.Unmarshal(raw, &g.Manifest); err != nil {
		return nil, s.damaged(name, path, "is not a manifest: "+err.Error(), err)
	}
	if err := g.checkEngine(); err != nil {
		return nil, s.damaged(name, path, "does not say how to reach its engine: "+err.Error(), err)
	}
	for region, file := range g.Databases {
		if !filepath.IsLocal(file) {
			return nil, s.damaged(name, path, fmt.Sprintf("names the file %q outside of its folder for %q", file, region), nil)
		}
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			return nil, s.damaged(name, filepath.Join(dir, file), "is missing", err)
		}
	}
	return g, nil
}

// checkEngine checks what the manifest says about a remote engine.
func (m Manifest) checkEngine() error {
	if m.Engine != EngineTrino {
		return nil
	}
	if m.Trino == nil {
		return errors.New("the connection is missing")
	}
	return m.Trino.Check()
}

// Snapshot reads the catalog with what people corrected of it (correct), and
// without sample values that may not be shown to all who ask (see SamplesShared):
// nothing that is made of the catalog, neither an answer nor a prompt nor an index,
// has them then. Each call reads the files anew, so that callers may change what they
// get. Corrections that cannot be read are an error: what they keep from others
// would be shown.
func (g *Generation) Snapshot() (*catalog.Snapshot, error) {
	snapshot, err := g.Stored()
	if err != nil || snapshot == nil || g.store == nil {
		return snapshot, err
	}
	corrections, err := g.store.Corrections(g.Name)
	if err != nil {
		return nil, err
	}
	corrections.Apply(snapshot)
	return snapshot, nil
}

// Stored is Snapshot as the data were brought in, without corrections: what another
// generation is made of.
func (g *Generation) Stored() (*catalog.Snapshot, error) {
	snapshot, err := g.whole()
	if err == nil && snapshot != nil && !g.SamplesShared() {
		withoutSamples(snapshot)
	}
	return snapshot, err
}

// whole reads the catalog as it is stored.
func (g *Generation) whole() (*catalog.Snapshot, error) {
	path := filepath.Join(g.Dir, catalogFile)
	snapshot, err := stored.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old := filepath.Join(g.Dir, oldCatalog)
		if snapshot, oldErr := readOldCatalog(old); !errors.Is(oldErr, fs.ErrNotExist) {
			if oldErr != nil {
				return nil, g.store.damaged(g.Name, old, "cannot be read: "+oldErr.Error(), oldErr)
			}
			return snapshot, nil
		}
	}
	if err != nil {
		return nil, g.store.damaged(g.Name, path, "cannot be read: "+err.Error(), err)
	}
	return snapshot, nil
}

// readOldCatalog reads the catalog of a generation that an older version made.
func readOldCatalog(path string) (*catalog.Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var snapshot catalog.Snapshot
	if err := json.NewDecoder(f).Decode(&snapshot); err != nil {
		return nil, fmt.Errorf("it is not a catalog: %w", err)
	}
	return &snapshot, nil
}

// DatabasePaths returns the DuckDB file of each region.
func (g *Generation) DatabasePaths() map[string]string {
	paths := make(map[string]string, len(g.Databases))
	for region, file := range g.Databases {
		paths[region] = filepath.Join(g.Dir, file)
	}
	return paths
}

// SemanticDir returns the folder of the semantic layer, empty when there is none.
func (g *Generation) SemanticDir() string {
	dir := filepath.Join(g.Dir, semanticDir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// readSmall reads a file that is small when it is whole.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxSmallFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSmallFile {
		return nil, fmt.Errorf("larger than %d bytes", maxSmallFile)
	}
	return raw, nil
}
