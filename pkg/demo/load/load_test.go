package load_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "github.com/trinodb/trino-go-client/trino"

	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/demo/load"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// server returns the address of the Trino that tests may write to.
func server(t *testing.T) string {
	t.Helper()
	address := os.Getenv("DIBRAIN_TEST_TRINO")
	if address == "" {
		t.Skip("needs a Trino server: test/servers/trino-start, then DIBRAIN_TEST_TRINO=http://127.0.0.1:18080")
	}
	return address
}

func ask(t *testing.T, address, statement string) {
	t.Helper()
	db, err := sql.Open("trino", "http://admin@"+address[len("http://"):])
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = db.ExecContext(ctx, statement)
	require.NoError(t, err)
}

// tiny makes a store with the smallest demo.
func tiny(t *testing.T) (*source.Store, *source.Generation) {
	t.Helper()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	g, err := demo.Ensure(t.Context(), store, demo.Config{Today: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Scale: demo.MinScale}, nil)
	require.NoError(t, err)
	return store, g
}

func connection(address, prefix string) source.TrinoConnection {
	return source.TrinoConnection{URL: address, User: "admin", Regions: map[string]source.TrinoPlace{
		"sg": {Catalog: "memory", SchemaPrefix: prefix}, "useast": {Catalog: "iceberg", SchemaPrefix: prefix},
	}}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	address := server(t)
	store, g := tiny(t)
	prefix := fmt.Sprintf("load%d_", os.Getpid())
	c := connection(address, prefix)
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, table := range snapshot.Tables {
			place := c.Regions[table.Name.Region]
			ask(t, address, fmt.Sprintf("DROP TABLE IF EXISTS %s.%s%s.%s", place.Catalog, prefix, table.Name.Schema, table.Name.Table))
		}
		for _, table := range snapshot.Tables {
			place := c.Regions[table.Name.Region]
			ask(t, address, fmt.Sprintf("DROP SCHEMA IF EXISTS %s.%s%s", place.Catalog, prefix, table.Name.Schema))
		}
	})
	begun := time.Now()
	report, err := load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.NoError(t, err)
	t.Logf("%d tables, %d rows in %s", report.Tables, report.Rows, time.Since(begun))
	require.Equal(t, len(snapshot.Tables), report.Tables)
}

func TestLoadNeedsAPlaceForEachRegion(t *testing.T) {
	t.Parallel()
	store, g := tiny(t)
	c := connection("http://127.0.0.1:1", "")
	delete(c.Regions, "useast")
	_, err := load.Load(t.Context(), store, "demo_trino", g, c, load.Options{})
	require.Equal(t, "DEMO_REGION_MISSING", fault.ReasonOf(err))
}
