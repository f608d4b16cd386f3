package cli

import (
	"context"
	"strings"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/chatbi"
)

// checkUnknownCost says what happens to statements whose cost nobody knows, where a
// source is on a Trino server: a table there may have billions of rows. Sources that
// cannot be read are told of by themselves.
func checkUnknownCost(_ context.Context, cfg *config.Config) []finding {
	store, err := source.Open(cfg.DataDir)
	if err != nil {
		return nil
	}
	names, err := store.Names()
	if err != nil {
		return nil
	}
	var on []string
	for _, name := range names {
		if g, err := store.Current(name); err == nil && g.Engine == source.EngineTrino {
			on = append(on, name)
		}
	}
	if len(on) == 0 {
		return nil
	}
	const what = "unknown cost"
	where := " on " + strings.Join(on, ", ")
	switch cfg.ChatBI.Config.Cost.Unknown {
	case chatbi.CostAllow:
		return []finding{{remark, what, "statements of unknown cost run unasked" + where + ": a table without statistics is read to the end, or to the deadline", "set chatbi.cost.unknown to ask or refuse, or collect statistics with ANALYZE on the server"}}
	case chatbi.CostRefuse:
		return []finding{{good, what, "statements of unknown cost are refused" + where, ""}}
	}
	return []finding{{good, what, "statements of unknown cost are asked about" + where + " (chatbi.cost.unknown)", ""}}
}
