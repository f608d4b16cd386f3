package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog/correct"
	"github.com/dibrain/dibrain/pkg/source"
)

// checkCorrections reads what people correct of each source against its tables, with
// file and line.
func (s sourceChecks) checkCorrections(_ context.Context, cfg *config.Config) []finding {
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
		path := store.CorrectionsPath(name)
		if _, err := os.Lstat(path); err != nil {
			continue // none, as most sources
		}
		what := "corrections of " + name
		corrections, err := correct.Read(path)
		if err != nil {
			found = append(found, finding{bad, what, err.Error(), "mend that line: docs/own-data.md shows the form"})
			continue
		}
		generation, err := store.Current(name)
		if err != nil {
			continue // said of the source
		}
		snapshot, err := generation.Stored()
		if err != nil {
			continue
		}
		problems := corrections.Apply(snapshot)
		for _, p := range problems {
			found = append(found, finding{remark, what, p.String(), "it is passed over: name what \"" + s.command("catalog joins", name) + "\" shows"})
		}
		if len(problems) == 0 {
			found = append(found, finding{good, what, fmt.Sprintf("%d applied", corrections.Count()), ""})
		}
	}
	return found
}
