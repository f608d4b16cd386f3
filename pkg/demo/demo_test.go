package demo_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// today has 11.11, 10.10, 9.9 and 12.12 in the 400 days before it.
var today = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// warehouse is a made demo, opened read-only.
type warehouse struct {
	dir      string
	manifest source.Manifest
	snapshot *catalog.Snapshot
	db       *sql.DB
}

// tiny is the one small warehouse that the tests read; TestMain removes it.
var tiny struct {
	once sync.Once
	dir  string
	w    *warehouse
}

func TestMain(m *testing.M) {
	code := m.Run()
	if tiny.w != nil {
		_ = tiny.w.db.Close()
	}
	_ = os.RemoveAll(tiny.dir)
	os.Exit(code)
}

func tinyWarehouse(t testing.TB) *warehouse {
	t.Helper()
	tiny.once.Do(func() {
		var err error
		tiny.dir, err = os.MkdirTemp("", "demo")
		require.NoError(t, err)
		tiny.w = makeWarehouse(t, tiny.dir, demo.TinyScale)
	})
	require.NotNil(t, tiny.w, "the test that made the warehouse failed")
	return tiny.w
}

// newWarehouse makes a demo of that scale in a folder of the test.
func newWarehouse(t testing.TB, scale float64) *warehouse {
	t.Helper()
	w := makeWarehouse(t, t.TempDir(), scale)
	t.Cleanup(func() { _ = w.db.Close() })
	return w
}

func makeWarehouse(t testing.TB, dir string, scale float64) *warehouse {
	t.Helper()
	manifest, snapshot, err := demo.Make(t.Context(), dir, demo.Config{Today: today, Scale: scale})
	require.NoError(t, err)
	w := &warehouse{dir: dir, manifest: manifest, snapshot: snapshot}
	connector, err := duckdb.NewConnector("", nil)
	require.NoError(t, err)
	w.db = sql.OpenDB(connector)
	for region, file := range manifest.Databases {
		w.exec(t, fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", filepath.Join(dir, file), region))
	}
	return w
}

func (w *warehouse) exec(t testing.TB, text string) {
	t.Helper()
	_, err := w.db.ExecContext(context.Background(), text)
	require.NoError(t, err, text)
}

// number returns the one number of a query.
func (w *warehouse) number(t testing.TB, text string) float64 {
	t.Helper()
	var n sql.NullFloat64
	require.NoError(t, w.db.QueryRowContext(context.Background(), "SELECT ("+text+")::DOUBLE").Scan(&n), text)
	return n.Float64
}

// table returns the catalog's entry of region.schema.table.
func (w *warehouse) table(t testing.TB, name string) catalog.Table {
	t.Helper()
	for _, table := range w.snapshot.Tables {
		if table.Name.String() == name {
			return table
		}
	}
	require.Fail(t, "no table "+name)
	return catalog.Table{}
}

// checksums returns for each table a number that depends on all of its rows.
func (w *warehouse) checksums(t testing.TB) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, table := range w.snapshot.Tables {
		var sum string
		text := fmt.Sprintf("SELECT count(*) || ' ' || bit_xor(hash(t)) || ' ' || sum(hash(t) %% 1000003) FROM %s AS t", table.Name)
		require.NoError(t, w.db.QueryRowContext(context.Background(), text).Scan(&sum), text)
		sums[table.Name.String()] = sum
	}
	return sums
}

func TestMake_sameDaySameRows(t *testing.T) {
	t.Parallel()
	first, second := tinyWarehouse(t), newWarehouse(t, demo.TinyScale)
	require.Equal(t, first.checksums(t), second.checksums(t))
	require.Equal(t, first.snapshot, second.snapshot)
	require.Equal(t, first.manifest, second.manifest)
}

func TestMake_files(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	require.Equal(t, map[string]string{"sg": "sg.duckdb", "useast": "useast.duckdb"}, w.manifest.Databases)
	require.Equal(t, "2026-11-20", w.manifest.Day)
	require.Equal(t, source.EngineDuckDB, w.manifest.Engine)
	entries, err := os.ReadDir(w.dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{"semantic", "sg.duckdb", "useast.duckdb"}, names, "nothing else stays behind")
}

func TestMake_badConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg  demo.Config
		want string
	}{
		"no day":         {demo.Config{}, "Today"},
		"scale too big":  {demo.Config{Today: today, Scale: 1000}, "Scale"},
		"negative scale": {demo.Config{Today: today, Scale: -1}, "Scale"},
		"threads":        {demo.Config{Today: today, Threads: -1}, "Threads"},
		"samples":        {demo.Config{Today: today, MaxSamples: -1}, "MaxSamples"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := demo.Make(t.Context(), t.TempDir(), c.cfg)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestMake_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := demo.Make(ctx, t.TempDir(), demo.Config{Today: today, Scale: demo.TinyScale})
	require.ErrorIs(t, err, context.Canceled)
}

func TestEnsure(t *testing.T) {
	t.Parallel()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	cfg := demo.Config{Today: today, Scale: demo.MinScale}
	var steps []string
	last := 0
	progress := func(done, total int, what string) {
		require.LessOrEqual(t, done, total)
		require.GreaterOrEqual(t, done, last)
		last = done
		steps = append(steps, what)
	}
	made, err := demo.Ensure(t.Context(), store, cfg, progress)
	require.NoError(t, err)
	require.Equal(t, "done", steps[len(steps)-1])
	require.NotEmpty(t, made.SemanticDir())
	snapshot, err := made.Snapshot()
	require.NoError(t, err)
	require.Greater(t, len(snapshot.Tables), 50)

	later := cfg
	later.Today = today.Add(5 * time.Hour)
	again, err := demo.Ensure(t.Context(), store, later, nil)
	require.NoError(t, err)
	require.Equal(t, made.Generation, again.Generation, "the same day is not made twice")

	later.Today = today.AddDate(0, 0, 1)
	next, err := demo.Ensure(t.Context(), store, later, nil)
	require.NoError(t, err)
	require.NotEqual(t, made.Generation, next.Generation, "the next day is made anew")
	require.Equal(t, "2026-11-21", next.Day)

	later.Scale = 2 * demo.MinScale
	scaled, err := demo.Ensure(t.Context(), store, later, nil)
	require.NoError(t, err)
	require.NotEqual(t, next.Generation, scaled.Generation, "another scale is made anew")
}

func TestEnsure_tellsWhatToDo(t *testing.T) {
	t.Parallel()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	// Too little memory for DuckDB stands for any failure of the engine.
	_, err = demo.Ensure(t.Context(), store, demo.Config{Today: today, Scale: demo.MaxScale, MemoryLimitMB: 1}, nil)
	require.Equal(t, "DEMO_NOT_MADE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "200 MB free")
	require.Error(t, errors.Unwrap(err), "the log has the cause")
	_, err = store.Current(demo.Name)
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err), "nothing half made stays")
}

func TestSnapshot_isWhole(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	marts := map[string]bool{}
	fallbacks := 0
	for _, m := range w.snapshot.Marts {
		marts[m.Name] = true
		require.Contains(t, m.Description, "\n", "both languages of %s", m.Name)
		require.NotEmpty(t, m.Synonyms)
		if m.Fallback {
			fallbacks++
		}
	}
	require.Len(t, marts, 9)
	require.Equal(t, 1, fallbacks)
	require.InDelta(t, 60, len(w.snapshot.Tables), 10)
	countries := map[string]bool{}
	for _, table := range w.snapshot.Tables {
		name := table.Name.String()
		require.True(t, marts[table.Mart], name)
		require.NotEmpty(t, table.Owner, name)
		require.NotEmpty(t, table.Grain, name)
		require.NotEmpty(t, table.PrimaryKey(), name)
		require.Positive(t, table.QueryCount30d, name)
		require.Positive(t, table.RowCount, name)
		require.NotContains(t, table.Description, "{", name)
		require.False(t, table.UpdatedAt.After(today), name)
		prefix, _, _ := strings.Cut(table.Name.Table, "_")
		require.Equal(t, prefix, table.Layer, name)
		if table.Country != "" {
			countries[table.Country] = true
			require.Equal(t, table.Name.Schema+"."+table.Name.Table, strings.ReplaceAll(table.Manifest, "{cid}", strings.ToLower(table.Country)))
		}
		for _, c := range table.Columns {
			require.NotContains(t, c.Comment, "{", name)
			if strings.Contains(c.Comment, "personal data") {
				require.Empty(t, c.Samples, "%s.%s", name, c.Name)
			}
		}
	}
	require.Len(t, countries, 8)
	require.Equal(t, "BR", w.table(t, "sg.spx_mart.dwd_spx_parcel_di_br").Country, "the country does not follow from the data centre")
	region, ok := func() (catalog.Column, bool) {
		table := w.table(t, "sg.general.ads_business_overview_1d__reg_s0_live")
		return table.Column("grass_region")
	}()
	require.True(t, ok)
	require.Equal(t, []string{"BR", "ID", "MY", "PH", "SG", "TH", "TW", "VN"}, region.Samples)
	require.EqualValues(t, 8, region.Distinct)
	require.NotEmpty(t, w.snapshot.Glossary)
	require.NotEmpty(t, w.snapshot.Rules)
	old := w.table(t, "sg.traffic.dws_site_visit_1d__sg_s0_live")
	require.Equal(t, w.table(t, "sg.traffic.dws_platform_traffic_1d__reg_s0_live").Name.String(), old.Successor)
	require.Equal(t, []catalog.Name{{Region: "sg", Schema: "mp_order", Table: "dwd_order_item_di__th_s0_live"}}, w.table(t, "sg.mp_order.dws_order_gmv_1d__th_s0_live").Upstream)
	require.Len(t, w.table(t, "sg.mp_order.dws_category_gmv_1d__reg_s0_live").Upstream, 8, "one of each country")
	require.Len(t, w.table(t, "useast.mp_seller.dws_seller_performance_1m__reg_s0_live").Upstream, 1, "those of its own countries")
}
