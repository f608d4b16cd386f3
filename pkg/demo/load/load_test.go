package load_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/demo/load"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// tiny makes a store with the smallest demo.
func tiny(t *testing.T) (*source.Store, *source.Generation) {
	t.Helper()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	g, err := demo.Ensure(t.Context(), store, demo.Config{Today: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Scale: demo.MinScale}, nil)
	require.NoError(t, err)
	return store, g
}

// places maps the demo's regions, both under a prefix that is the test's own.
func places(c source.TrinoConnection, sg, useast, prefix string) source.TrinoConnection {
	c.Regions = map[string]source.TrinoPlace{
		"sg": {Catalog: sg, SchemaPrefix: prefix}, "useast": {Catalog: useast, SchemaPrefix: prefix},
	}
	return c
}

// dropAfter drops all that a load made.
func dropAfter(t *testing.T, s *catalog.Snapshot, c source.TrinoConnection) {
	t.Helper()
	t.Cleanup(func() {
		schemas := make(map[string]bool)
		for _, table := range s.Tables {
			place := c.Regions[table.Name.Region]
			schemas[place.Catalog+"."+place.SchemaPrefix+table.Name.Schema] = true
		}
		for schema := range schemas {
			trinotest.Exec(t, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		}
	})
}

func value(t *testing.T, statement string) string {
	t.Helper()
	v, ok := trinotest.Value(t, statement)
	require.True(t, ok, statement)
	return v
}

func TestLoad(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t)
	store, g := tiny(t)
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	prefix := fmt.Sprintf("load%d_", os.Getpid())
	c = places(c, "memory", "iceberg", prefix)
	dropAfter(t, snapshot, c)
	trinotest.Exec(t, "CREATE SCHEMA memory."+prefix+"mp_order", "CREATE TABLE memory."+prefix+"mp_order.own (id bigint)")
	taken := "memory." + prefix + "mp_order.dws_order_gmv_1d__sg_s0_live"
	trinotest.Exec(t, "CREATE TABLE "+taken+" (id bigint)")
	_, err = load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.Equal(t, "DEMO_TABLE_TAKEN", fault.ReasonOf(err))
	require.Contains(t, err.Error(), taken)
	trinotest.Exec(t, "DROP TABLE "+taken)

	begun := time.Now()
	report, err := load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.NoError(t, err)
	t.Logf("%d tables, %d rows in %s", report.Tables, report.Rows, time.Since(begun))
	require.Equal(t, len(snapshot.Tables), report.Tables)
	loaded, err := store.Current("demo_trino")
	require.NoError(t, err)
	require.Equal(t, source.EngineTrino, loaded.Engine)
	require.Equal(t, g.Day, loaded.Day)
	require.NotEmpty(t, loaded.SemanticDir())
	again, err := loaded.Snapshot()
	require.NoError(t, err)
	require.Equal(t, snapshot.Marts, again.Marts)

	require.Equal(t, "timestamp(6)", value(t, "SELECT data_type FROM iceberg.information_schema.columns WHERE table_schema = '"+prefix+"mp_order' AND table_name = 'dwd_order_item_di__br_s0_live' AND column_name = 'create_time'"))
	br := again.Tables[slices.IndexFunc(again.Tables, func(t catalog.Table) bool { return t.Name.Table == "dwd_order_item_di__br_s0_live" })]
	created, _ := br.Column("create_time")
	require.Equal(t, "timestamp(6)", created.Type, "the catalog says what the server has")

	// A load once more replaces its own tables and leaves others alone.
	_, err = load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.NoError(t, err)
	require.Equal(t, "0", value(t, "SELECT CAST(count(*) AS varchar) FROM memory."+prefix+"mp_order.own"))
}

func TestLoadNeedsAPlaceForEachRegion(t *testing.T) {
	t.Parallel()
	store, g := tiny(t)
	c := places(source.TrinoConnection{URL: "http://127.0.0.1:1", User: "admin"}, "memory", "memory", "")
	delete(c.Regions, "useast")
	_, err := load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.Equal(t, "DEMO_REGION_MISSING", fault.ReasonOf(err))
}
