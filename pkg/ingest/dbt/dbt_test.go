package dbt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/dbt"
	"github.com/dibrain/dibrain/pkg/source"
)

func store(t *testing.T) *source.Store {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return s
}

// target makes a folder as dbt leaves it.
func target(t *testing.T, manifest, docs string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(manifest), 0o600))
	if docs != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "catalog.json"), []byte(docs), 0o600))
	}
	return dir
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(raw)
}

func byName(t *testing.T, s *source.Store) map[string]catalog.Table {
	t.Helper()
	g, err := s.Current("shop")
	require.NoError(t, err)
	c, err := g.Snapshot()
	require.NoError(t, err)
	tables := make(map[string]catalog.Table)
	for _, table := range c.Tables {
		tables[table.Name.String()] = table
	}
	return tables
}

func TestNewestForm(t *testing.T) {
	t.Parallel()
	s := store(t)
	report, err := dbt.Ingest(t.Context(), s, "shop", target(t, fixture(t, "v12.json"), fixture(t, "v12.catalog.json")), ingest.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	tables := byName(t, s)
	require.Len(t, tables, 5, "ephemeral models and analyses are no tables")

	name := func(schema, table string) catalog.Name {
		return catalog.Name{Region: "hive", Schema: schema, Table: table}
	}
	require.Equal(t, catalog.Table{
		Name: name("mart", "fct_orders"), Kind: catalog.KindTable, Description: "An order a row.", Mart: "Order", Tags: []string{"core", "daily"},
		Owner: "Ann", Quality: 0.8, Grain: "one order", RowCount: -1, Upstream: []catalog.Name{name("erp", "ORDERS_RAW")},
		Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", Comment: "number of the order", PrimaryKey: true, NotNull: true},
			{Name: "customer_id", Type: "bigint"},
			{Name: "state", Type: "varchar", Comment: "where it is", Samples: []string{"open", "sent", "3"}},
			{Name: "email", Type: "varchar", Personal: &catalog.Personal{Kind: "email", Reason: "its name says that it holds e-mail addresses"}}, // its values are personal
		},
		ForeignKeys: []catalog.ForeignKey{
			{Columns: []string{"customer_id"}, RefTable: name("mart", "customers"), RefColumns: []string{"customer_id"}},
			{Columns: []string{"state"}, RefTable: name("mart", "states"), RefColumns: []string{"state"}},
		},
	}, tables["hive.mart.fct_orders"])

	customers := tables["hive.mart.customers"]
	require.Equal(t, catalog.KindView, customers.Kind)
	require.Equal(t, []string{"customer_id"}, customers.PrimaryKey())
	require.Equal(t, "ann, bob", customers.Owner)

	states := tables["hive.mart.states"]
	require.Equal(t, "states of orders", states.Description)
	require.Equal(t, []catalog.Column{{Name: "state", Type: "varchar"}, {Name: "rank", Type: "bigint", Comment: "order of them"}}, states.Columns)
	require.EqualValues(t, 4, states.RowCount)
	require.Equal(t, time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), states.UpdatedAt)
	require.Equal(t, "sales@example.com", states.Owner)

	raw := tables["hive.erp.ORDERS_RAW"]
	require.Equal(t, "as the ERP sends it", raw.Description)
	require.Equal(t, "erp-team", raw.Owner)
	require.Equal(t, catalog.KindView, raw.Kind)
}

func TestOldestForm(t *testing.T) {
	t.Parallel()
	for version, notes := range map[string]int{"v10": 0, "v11": 0, "v9": 1, "v13": 1} {
		s := store(t)
		manifest := strings.Replace(fixture(t, "v10.json"), "v10", version, 1)
		report, err := dbt.Ingest(t.Context(), s, "shop", filepath.Join(target(t, manifest, ""), "manifest.json"), ingest.Options{})
		require.NoError(t, err)
		require.Len(t, report.Problems, notes, version)
		tables := byName(t, s)
		a := tables["shop.s.a"]
		require.Equal(t, []string{"id"}, a.PrimaryKey(), "unique, where nothing else says what the key is")
		require.Equal(t, []catalog.ForeignKey{{Columns: []string{"b_id"}, RefTable: tables["shop.s.b"].Name, RefColumns: []string{"id"}}}, a.ForeignKeys)
	}
}

func TestWhatIsNoManifest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ manifest, docs, reason string }{
		"no json":      {"{", "", "DBT_MANIFEST_INVALID"},
		"other json":   {`{"nodes": {}}`, "", "DBT_MANIFEST_INVALID"},
		"wrong types":  {`{"metadata": 1}`, "", "DBT_MANIFEST_INVALID"},
		"wrong nodes":  {`{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"}, "nodes": 1}`, "", "DBT_MANIFEST_INVALID"},
		"no tables":    {`{"metadata": {"dbt_schema_version": "https://x/manifest/v12.json"}, "nodes": {"model.a.b": null}}`, "", "INGEST_NOTHING"},
		"broken types": {fixture(t, "v10.json"), "{", ""},
	} {
		report, err := dbt.Ingest(t.Context(), store(t), "shop", target(t, c.manifest, c.docs), ingest.Options{})
		require.Equal(t, c.reason, fault.ReasonOf(err), name)
		if c.reason == "" {
			require.NoError(t, err)
			require.Len(t, report.Problems, 1, "a broken catalog.json is told and left out")
		}
	}
	_, err := dbt.Ingest(t.Context(), store(t), "shop", t.TempDir(), ingest.Options{})
	require.Equal(t, "INPUT_MISSING", fault.ReasonOf(err))
}
