package duckdb_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/warehousetest"
)

// database makes a file with the suite's tables.
func database(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "north.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	for _, s := range append([]string{"CREATE SCHEMA shop"}, warehousetest.Setup("shop")...) {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	require.NoError(t, db.Close())
	return path
}

func open(t *testing.T, config duckdb.Config) *duckdb.Engine {
	t.Helper()
	if config.Launcher == nil {
		config.Launcher = duckdb.InProcess()
	}
	e, err := duckdb.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

type harness struct{ launcher duckdb.Launcher }

func (h harness) Engine(t *testing.T) warehouse.Engine {
	return open(t, duckdb.Config{Launcher: h.launcher, Databases: map[string]string{"eu-north": database(t)}, DefaultRegion: "eu-north", DefaultSchema: "shop"})
}

func (harness) Abilities() []warehousetest.Ability {
	return []warehousetest.Ability{warehousetest.AbilityRows, warehousetest.AbilityTimeZones}
}

func (harness) Region() string { return "eu-north" }

func (harness) Schema() string { return "shop" }

func TestSuite(t *testing.T) {
	t.Parallel()
	for name, launcher := range launchers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			warehousetest.Run(t, harness{launcher})
		})
	}
}

func TestOpenFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.duckdb")
	require.NoError(t, os.WriteFile(broken, []byte("this is no database, and long enough to be read as a header of one ........................"), 0o600))
	for path, reason := range map[string]string{
		broken:                            "DATABASE_CORRUPT",
		filepath.Join(dir, "none.duckdb"): "DATABASE_MISSING",
		dir:                               "DATABASE_CORRUPT",
	} {
		_, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"eu": path}, Remake: "run the ingest again"})
		require.Error(t, err)
		require.Equal(t, reason, fault.ReasonOf(err), path)
		require.Contains(t, err.Error(), "run the ingest again")
		require.NotContains(t, err.Error(), dir, "clients get no path of the server")
		require.Contains(t, fault.OperatorText(err), path)
	}
	_, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess()})
	require.Equal(t, "DATABASE_MISSING", fault.ReasonOf(err))
	_, err = duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"memory": broken}})
	require.Equal(t, "REGION_NAME", fault.ReasonOf(err))
}

func TestManyReaders(t *testing.T) {
	t.Parallel()
	path := database(t)
	for range 3 {
		open(t, duckdb.Config{Databases: map[string]string{"eu": path}})
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	e := open(t, duckdb.Config{Databases: map[string]string{"eu": database(t)}, Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: 20 * time.Millisecond}})
	who := run.Principal{ID: "someone"}
	approved, err := guard.New(guard.Config{}).Approve(t.Context(), who, "select * from eu.shop.sales",
		resolve.Scope{Catalog: resolve.NewTables(warehousetest.Tables("eu", "shop"))})
	require.NoError(t, err)
	held, err := e.Query(t.Context(), who, approved, warehouse.Options{})
	require.NoError(t, err)
	_, err = e.Query(t.Context(), who, approved, warehouse.Options{})
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.NoError(t, held.Close())
	again, err := e.Query(t.Context(), who, approved, warehouse.Options{})
	require.NoError(t, err, "a closed result gives its slot back")
	require.NoError(t, again.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Query(ctx, who, approved, warehouse.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(b, err)
	_, err = db.Exec("CREATE TABLE t AS SELECT 1 a")
	require.NoError(b, err)
	require.NoError(b, db.Close())
	for b.Loop() {
		e, err := duckdb.Open(b.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"eu": path}})
		require.NoError(b, err)
		require.NoError(b, e.Close())
	}
}
