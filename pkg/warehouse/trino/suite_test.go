package trino_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
	"github.com/dibrain/dibrain/pkg/warehouse/warehousetest"
)

func open(t *testing.T, config trino.Config) *trino.Engine {
	t.Helper()
	e, err := trino.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// harness runs the suite in a schema of its own. The region has another name than
// the catalog.
type harness struct{ schema string }

func (h harness) Engine(t *testing.T) warehouse.Engine {
	trinotest.Exec(t, warehousetest.Setup("memory."+h.schema)...)
	c := trinotest.Plain(t)
	c.Regions = map[string]source.TrinoPlace{"eu-north": {Catalog: "memory"}}
	return open(t, trino.Config{Connection: c, DefaultRegion: "eu-north", DefaultSchema: h.schema})
}

func (harness) Abilities() []warehousetest.Ability {
	return []warehousetest.Ability{warehousetest.AbilityTimeZones, warehousetest.AbilityRows}
}

func (harness) Region() string { return "eu-north" }

func (h harness) Schema() string { return h.schema }

func TestSuite(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, harness{schema: trinotest.Schema(t, "memory")})
}
