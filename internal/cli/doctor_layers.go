package cli

import (
	"context"
	"fmt"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
)

// checkLayers reads the semantic layer of each source against its tables: a server
// goes on with what it had before where a layer has mistakes.
func (s sourceChecks) checkLayers(_ context.Context, cfg *config.Config) []finding {
	store, err := source.Open(cfg.DataDir)
	if err != nil {
		return nil // said of the sources
	}
	names, err := s.names(store)
	if err != nil {
		return nil
	}
	var found []finding
	for _, name := range names {
		found = append(found, s.checkLayer(cfg, store, name)...)
	}
	return found
}

func (s sourceChecks) checkLayer(cfg *config.Config, store *source.Store, name string) []finding {
	generation, err := store.Current(name)
	snapshot := tablesOf(store, name)
	if err != nil || snapshot == nil {
		return nil // said of the source
	}
	what, dir := "layer of "+name, semantic.DirOf(cfg.DataDir, name, generation.SemanticDir())
	if dir == "" {
		return []finding{{good, what, "none: it is derived from the catalog", ""}}
	}
	layer, problems := semantic.Check(dir, snapshot.Tables)
	advice := s.command("semantic check", name)
	switch {
	case layer == nil:
		return []finding{{bad, what, fmt.Sprintf("%d mistakes, the first: %v", len(problems.Errors()), problems.Errors()[0].Error()), advice}}
	case len(problems) > 0:
		return []finding{{remark, what, fmt.Sprintf("%d metrics, %d warnings", len(layer.Metrics), len(problems)), advice}}
	}
	return []finding{{good, what, fmt.Sprintf("%d metrics", len(layer.Metrics)), ""}}
}
