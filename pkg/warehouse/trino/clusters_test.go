package trino_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// bothRegions have a table each, of the same name.
func bothRegions() resolve.Scope {
	table := func(region string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: region, Schema: "mart", Table: "orders"}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	}
	return resolve.Scope{DefaultRegion: "sg", DefaultSchema: "mart", Catalog: resolve.NewTables([]catalog.Table{table("sg"), table("eu")})}
}

// TestStatementsRunWhereTheirTablesAre: on the cluster of their regions, of which one server may
// know the catalog of the other by the same name; over two of them nothing runs.
func TestStatementsRunWhereTheirTablesAre(t *testing.T) {
	t.Parallel()
	one := func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) }
	main, eu := newFake(t, one), newFake(t, one)
	config := main.config()
	config.DefaultRegion, config.DefaultSchema = "sg", "mart"
	config.Connection.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "hive"}, "EU": {Catalog: "hive", Cluster: "eu"}}
	config.Connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: eu.URL, User: "svc_eu"}}
	e, err := trino.OpenClusters(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	asked := func() [2]int {
		m, _, _ := main.counts()
		x, _, _ := eu.counts()
		return [2]int{m, x}
	}
	query := func(sql string) error {
		rows, err := e.Query(t.Context(), someone(), approve(t, "someone", sql, bothRegions()), warehouse.Options{})
		if err == nil {
			all(t, rows)
		}
		return err
	}

	require.NoError(t, query("select count(*) as n from sg.mart.orders"))
	require.NoError(t, query("select count(*) as n from orders"))
	require.Equal(t, [2]int{2, 0}, asked())
	require.NoError(t, query("select count(*) as n from eu.mart.orders a join eu.mart.orders b on a.id = b.id"))
	require.Equal(t, [2]int{2, 1}, asked())
	require.Contains(t, eu.texts[0], "hive.mart.orders")
	require.Equal(t, "svc_eu", eu.post(0).Header.Get("X-Trino-User"))
	require.NoError(t, query("select 1 as n"))
	require.Equal(t, [2]int{3, 1}, asked())

	config.DefaultRegion = "eu"
	turned, err := trino.OpenClusters(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, turned.Close()) })
	rows, err := turned.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", bothRegions()), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.Equal(t, [2]int{3, 2}, asked(), "where nothing is read, the server of the default region")

	for _, sql := range []string{
		"select count(*) as n from sg.mart.orders a join eu.mart.orders b on a.id = b.id",
		"select id from orders union all select id from eu.mart.orders",
		"select count(*) as n from eu.mart.orders where id in (select id from sg.mart.orders)",
	} {
		err := query(sql)
		require.Equal(t, trino.ReasonClusters, fault.ReasonOf(err), sql)
		require.Equal(t, codes.InvalidArgument, status.Code(err))
		require.Contains(t, fault.FromStatus(err).Message, "on the Trino cluster")
		require.Contains(t, fault.FromStatus(err).Message, "main")
		_, err = e.Explain(t.Context(), someone(), approve(t, "someone", sql, bothRegions()))
		require.Equal(t, trino.ReasonClusters, fault.ReasonOf(err), sql)
	}
	require.Equal(t, [2]int{3, 2}, asked())

	for region, want := range map[string][2]int{"eu": {0, 1}, "sg": {1, 0}} {
		before := asked()
		rows, err := e.Metadata(t.Context(), run.Principal{}, meta.CountRows(catalog.Name{Region: region, Schema: "mart", Table: "orders"}), warehouse.Options{})
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		after := asked()
		require.Equal(t, want, [2]int{after[0] - before[0], after[1] - before[1]}, region)
	}
	require.NoError(t, e.EndQuery(t.Context(), "q7", "someone"))
	for _, f := range []*fake{main, eu} {
		_, _, deleted := f.counts()
		require.Equal(t, 1, deleted, "whoever runs it ends it")
	}
	_, err = e.Query(t.Context(), someone(), approve(t, "other", "select 1 as n", bothRegions()), warehouse.Options{})
	require.Error(t, err, "approved for somebody else")
}

// TestHealthIsToldByCluster: one that is away takes no other along, and is named.
func TestHealthIsToldByCluster(t *testing.T) {
	t.Parallel()
	main := newFake(t, func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) })
	away := newFake(t, nil)
	away.Close()
	config := main.config()
	config.Failures, config.DefaultRegion, config.RetryTimeout = 1, "sg", 1
	config.Connection.Regions = map[string]source.TrinoPlace{"sg": {Catalog: "hive"}, "eu": {Catalog: "hive", Cluster: "eu"}}
	config.Connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: away.URL}}
	e, err := trino.OpenClusters(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	require.NoError(t, e.Health())
	_, err = e.Query(t.Context(), someone(), approve(t, "someone", "select id from eu.mart.orders", bothRegions()), warehouse.Options{})
	require.Equal(t, trino.ReasonUnreachable, fault.ReasonOf(err))
	rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select id from sg.mart.orders", bothRegions()), warehouse.Options{})
	require.NoError(t, err)
	require.Len(t, all(t, rows), 1)
	health := e.Health()
	require.Equal(t, trino.ReasonUnreachable, fault.ReasonOf(health))
	require.Contains(t, fault.FromStatus(health).Message, "1 of 2 clusters: eu: Trino does not answer since")
	require.Contains(t, fault.OperatorText(health), away.URL)
	require.NotContains(t, fault.FromStatus(health).Message, "main")
}

// TestOneServerIsOneCluster: it says of itself what it would alone.
func TestOneServerIsOneCluster(t *testing.T) {
	t.Parallel()
	away := newFake(t, nil)
	away.Close()
	config := away.config()
	config.Failures, config.RetryTimeout = 1, 1
	e, err := trino.OpenClusters(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	_, err = e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.Error(t, err)
	require.NotContains(t, e.Health().Error(), "cluster")
	config.Connection.Clusters = map[string]source.TrinoCluster{"eu": {URL: away.URL}}
	_, err = trino.OpenClusters(t.Context(), config)
	require.Equal(t, source.ReasonTrinoConnection, fault.ReasonOf(err), "no region is there")
}
