package trino_test

import (
	"maps"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/trino"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// TestIngestOfSeveralClusters reads the catalogs of two servers into one source, the real one
// by each of its addresses; when one of them is away, its tables stay.
func TestIngestOfSeveralClusters(t *testing.T) {
	t.Parallel()
	connection, secure := trinotest.Plain(t), trinotest.Secure(t)
	connection.Regions = nil
	connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: secure.URL, User: secure.User, PasswordFile: secure.PasswordFile, CAFile: secure.CAFile}}
	schema := trinotest.Schema(t, "memory")
	trinotest.Exec(t, "CREATE TABLE memory."+schema+".here AS SELECT 1 AS id", "CREATE TABLE memory."+schema+".there AS SELECT 1 AS id")
	store := open(t)
	options := trino.Options{
		Schemas: []string{schema}, NoStatistics: true,
		Regions: map[string]source.TrinoPlace{"sg": {Catalog: "memory"}, "eu": {Catalog: "memory", Cluster: "eu"}},
	}
	g, tables := ingested(t, store, connection, options)
	require.Equal(t, options.Regions, g.Trino.Regions)
	require.Equal(t, connection.Clusters, g.Trino.Clusters)
	want := []string{"eu." + schema + ".here", "eu." + schema + ".there", "sg." + schema + ".here", "sg." + schema + ".there"}
	require.Equal(t, want, slices.Sorted(maps.Keys(tables)))

	gone := httptest.NewServer(nil)
	gone.Close()
	connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: gone.URL}}
	options.Timeout = 5 * time.Second
	trinotest.Exec(t, "DROP TABLE memory."+schema+".here")
	report, err := trino.Ingest(t.Context(), store, "wh", connection, options)
	require.NoError(t, err)
	require.Len(t, report.Lost, 1)
	require.Equal(t, "memory@eu", report.Lost[0].Where)
	require.Equal(t, 2, report.Lost[0].Kept)
	require.Equal(t, ingest.Changes{Removed: 1, Same: 3}, *report.Changes)
	g, err = store.Current("wh")
	require.NoError(t, err)
	require.Equal(t, options.Regions, g.Trino.Regions)

	for name, change := range map[string]func(*trino.Options){
		"TRINO_CLUSTER_UNKNOWN": func(o *trino.Options) { o.Catalogs = []string{"memory@us"} },
		"TRINO_REGION_TWICE": func(o *trino.Options) {
			o.Regions, o.Catalogs = nil, []string{"memory", "memory@eu"}
		},
		"TRINO_CATALOG_UNKNOWN": func(o *trino.Options) { o.Catalogs = []string{"nothing@eu"} },
	} {
		o := options
		change(&o)
		connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: connection.URL}}
		_, err = trino.Ingest(t.Context(), store, "wh", connection, o)
		require.Equal(t, name, fault.ReasonOf(err), "%v", err)
	}
	connection.Clusters = map[string]source.TrinoCluster{"us": {URL: gone.URL}}
	options.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "memory"}, "us": {Catalog: "memory", Cluster: "us"}}
	_, err = trino.Ingest(t.Context(), store, "wh", connection, options)
	require.ErrorContains(t, err, "the cluster us", "of which no ingest has found anything yet")
}
