package cli

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestDoctorTellsOfUnknownCost: only where a source is on a Trino server, and by the
// setting that is in force there.
func TestDoctorTellsOfUnknownCost(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.DataDir = t.TempDir()
	store, err := source.Open(cfg.DataDir)
	require.NoError(t, err)
	add := func(name string, m source.Manifest) {
		_, err := store.Make(t.Context(), name, func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
			return m, &catalog.Snapshot{}, nil
		})
		require.NoError(t, err)
	}
	add("own", source.Manifest{Engine: source.EngineDuckDB})
	require.Empty(t, checkUnknownCost(t.Context(), &cfg))
	add("wh", source.Manifest{Engine: source.EngineTrino, Trino: &source.TrinoConnection{URL: "http://127.0.0.1:1", User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}}}})
	for setting, want := range map[chatbi.CostAction]struct {
		verdict verdict
		found   string
	}{
		"":                {good, "asked about on wh"},
		chatbi.CostAsk:    {good, "asked about on wh"},
		chatbi.CostRefuse: {good, "refused on wh"},
		chatbi.CostAllow:  {remark, "run unasked on wh"},
	} {
		c := cfg
		c.ChatBI.Config.Cost.Unknown = setting
		found := checkUnknownCost(t.Context(), &c)
		require.Len(t, found, 1)
		require.Equal(t, want.verdict, found[0].verdict, setting)
		require.Contains(t, found[0].found, want.found)
	}
}
