package cli

import (
	"context"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// checkStore connects to the database of the sessions, with the credentials that the
// router uses, and changes nothing there.
func checkStore(ctx context.Context, cfg *config.Config) []finding {
	const what = "session store"
	if cfg.Store.Kind != config.StorePostgres {
		return []finding{{good, what, "a file in the data directory, for one router", ""}}
	}
	found, err := postgres.Check(ctx, app.Postgres(cfg.Store))
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), "no router is ready until it answers; see docs/operations.md"}}
	}
	return []finding{{good, what, found, ""}}
}
