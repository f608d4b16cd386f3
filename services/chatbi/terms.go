package chatbi

import (
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// terms are what holds for the statements on a source: the policy of this moment,
// and where the guard learns what the warehouse holds.
func (s *Service) terms(name string, x *engine) (guard.Terms, error) {
	terms := guard.Terms{Source: name, Directory: catalogrpc.NewDirectory(s.deps.Catalog, name)}
	policy, err := s.deps.Policy.Current()
	if err != nil || policy == nil {
		return terms, err
	}
	terms.Policy = policy
	terms.Stored, err = s.whole.of(x.generation)
	return terms, err
}

// wholeCatalogs keeps the catalogs of the sources with all their columns, which
// the conditions of a policy may be about. Askers see them through findata only.
type wholeCatalogs struct {
	mu   sync.Mutex
	held map[string]heldCatalog // by source
}

type heldCatalog struct {
	generation string
	index      *catalog.Index
}

func (w *wholeCatalogs) of(g *source.Generation) (*catalog.Index, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h, ok := w.held[g.Name]; ok && h.generation == g.Generation {
		return h.index, nil
	}
	snapshot, err := g.Snapshot()
	if err != nil {
		return nil, err
	}
	index := catalog.NewIndex(snapshot, catalog.Defaults{Region: g.DefaultRegion, Schema: g.DefaultSchema})
	if w.held == nil {
		w.held = map[string]heldCatalog{}
	}
	w.held[g.Name] = heldCatalog{generation: g.Generation, index: index}
	return index, nil
}
