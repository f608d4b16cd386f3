package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
)

// checkSearch asks the servers that tables are searched on, with the credentials that
// the service uses.
func checkSearch(ctx context.Context, cfg *config.Config) []finding {
	answers, err := backend.Check(ctx, cfg.FindData.Config.Search, backend.Deps{})
	if err != nil {
		return []finding{{bad, "search", fault.OperatorText(err), "mend findata.search; see docs/operations.md"}}
	}
	if len(answers) == 0 {
		return []finding{{good, "search", "in the process's own memory", ""}}
	}
	var found []finding
	for _, server := range slices.Sorted(maps.Keys(answers)) {
		if err := answers[server]; err != nil {
			found = append(found, finding{bad, "search", server + ": " + fault.OperatorText(err), "searches go on without it meanwhile; see docs/operations.md"})
			continue
		}
		found = append(found, finding{good, "search", server + " answers", ""})
	}
	return found
}
