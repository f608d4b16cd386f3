package trino_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/trino"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

func open(t *testing.T) *source.Store {
	t.Helper()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return store
}

func ingested(t *testing.T, store *source.Store, connection source.TrinoConnection, o trino.Options) (*source.Generation, map[string]catalog.Table) {
	t.Helper()
	report, err := trino.Ingest(t.Context(), store, "wh", connection, o)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	g, err := store.Current("wh")
	require.NoError(t, err)
	s, err := g.Snapshot()
	require.NoError(t, err)
	tables := make(map[string]catalog.Table, len(s.Tables))
	for _, table := range s.Tables {
		tables[table.Name.String()] = table
	}
	return g, tables
}

// TestIngestOfARealServer reads tables, comments, partitions and statistics from
// the connectors that differ in how they tell them, and reads them again.
func TestIngestOfARealServer(t *testing.T) {
	t.Parallel()
	connection := trinotest.Plain(t, "memory")
	schema := trinotest.Schema(t, "memory")
	for _, c := range []string{"hive", "iceberg"} {
		trinotest.Exec(t, "CREATE SCHEMA "+c+"."+schema)
		t.Cleanup(func() { trinotest.Exec(t, "DROP SCHEMA "+c+"."+schema+" CASCADE") })
	}
	columns := " (id bigint COMMENT 'the id', n varchar COMMENT '名字', ds date) COMMENT 'a table' "
	trinotest.Exec(t,
		"CREATE TABLE memory."+schema+".t"+columns,
		"CREATE TABLE hive."+schema+".t"+columns+"WITH (partitioned_by = ARRAY['ds'])",
		"CREATE TABLE iceberg."+schema+".t"+columns+"WITH (partitioning = ARRAY['month(ds)', 'bucket(id, 4)'])",
		"INSERT INTO iceberg."+schema+".t VALUES (1, 'Bern', DATE '2026-01-01'), (2, 'Bern', NULL), (3, '', NULL)",
		"CREATE VIEW memory."+schema+".v AS SELECT id FROM memory."+schema+".t")

	store := open(t)
	options := trino.Options{
		Catalogs: []string{"hive", "iceberg"}, Schemas: []string{schema}, Samples: true,
		Regions: map[string]source.TrinoPlace{"sg": {Catalog: "memory"}},
	}
	g, tables := ingested(t, store, connection, options)
	require.Len(t, tables, 4)
	require.Equal(t, source.EngineTrino, g.Engine)
	require.Equal(t, map[string]source.TrinoPlace{"sg": {Catalog: "memory"}, "hive": {Catalog: "hive"}, "iceberg": {Catalog: "iceberg"}}, g.Trino.Regions)
	require.Equal(t, "sg", g.DefaultRegion)
	for name, partitions := range map[string][]string{"sg": nil, "hive": {"ds"}, "iceberg": {"ds"}} {
		table := tables[name+"."+schema+".t"]
		require.Equal(t, "a table", table.Description, name)
		require.Len(t, table.Columns, 3, name)
		require.Equal(t, "the id", table.Columns[0].Comment, name)
		require.Equal(t, "名字", table.Columns[1].Comment, name)
		require.Equal(t, partitions, table.PartitionColumns(), name)
	}
	lake := tables["iceberg."+schema+".t"]
	require.EqualValues(t, 3, lake.RowCount)
	require.Equal(t, []string{"Bern"}, lake.Columns[1].Samples)
	require.Equal(t, catalog.KindView, tables["sg."+schema+".v"].Kind)

	trinotest.Exec(t, "CREATE TABLE memory."+schema+".later (id bigint)")
	again, tables := ingested(t, store, connection, options)
	require.NotEqual(t, g.Generation, again.Generation)
	require.Contains(t, tables, "sg."+schema+".later")
}

func TestServersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	store := open(t)
	_, err := trino.Ingest(t.Context(), store, "wh", source.TrinoConnection{URL: "http://127.0.0.1:1", User: "admin"}, trino.Options{})
	require.Equal(t, "ENGINE_UNREACHABLE", fault.ReasonOf(err))
	_, err = trino.Ingest(t.Context(), store, "wh", source.TrinoConnection{URL: "http://h:1", User: "admin", PasswordFile: "x"}, trino.Options{})
	require.Equal(t, source.ReasonTrinoConnection, fault.ReasonOf(err))
	names, err := store.Names()
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestPasswordsAndRights(t *testing.T) {
	t.Parallel()
	good := trinotest.Secure(t)
	options := trino.Options{Catalogs: []string{"tpch"}, Schemas: []string{"tiny"}, Samples: true, SamplesAs: "bob"}
	store := open(t)
	report, err := trino.Ingest(t.Context(), store, "wh", good, options)
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].Message, "the sample values of 1 of 8 tables cannot be read", "bob may not read suppliers")
	g, err := store.Current("wh")
	require.NoError(t, err)
	s, err := g.Snapshot()
	require.NoError(t, err)
	customer := s.Tables[slices.IndexFunc(s.Tables, func(t catalog.Table) bool { return t.Name.Table == "customer" })]
	require.EqualValues(t, 1500, customer.RowCount, "statistics are the service's")
	name, _ := customer.Column("name")
	require.NotEmpty(t, name.Samples)
	require.Less(t, len(name.Samples), 100, "bob sees the customers of one nation")

	for reason, change := range map[string]func(*source.TrinoConnection){
		"ENGINE_LOGIN_REFUSED": func(c *source.TrinoConnection) {
			c.PasswordFile = filepath.Join(t.TempDir(), "password")
			require.NoError(t, os.WriteFile(c.PasswordFile, []byte("not this\n"), 0o600))
		},
		"ENGINE_CERTIFICATE": func(c *source.TrinoConnection) { c.CAFile = "" },
	} {
		c := good
		change(&c)
		_, err := trino.Ingest(t.Context(), open(t), "wh", c, options)
		require.Equal(t, reason, fault.ReasonOf(err))
		require.NotContains(t, fault.OperatorText(err), "not this")
	}
}
