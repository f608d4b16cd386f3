package catalogrpc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// describer knows the tables a.b.t1, a.b.t2, ...: t0 is unknown.
type describer struct{ calls [][]string }

func (d *describer) DescribeTables(_ context.Context, in *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	d.calls = append(d.calls, in.GetTables())
	res := &findatav1.DescribeTablesResponse{}
	for _, text := range in.GetTables() {
		name, err := catalog.ParseName(text)
		if err != nil {
			return nil, err
		}
		if name.Table == "t0" {
			res.UnknownTables = append(res.UnknownTables, &findatav1.UnknownTable{Name: text, Near: []string{"a.b.t1"}})
			continue
		}
		res.Tables = append(res.Tables, catalogpb.FromTable(catalog.Table{Name: name}))
	}
	return res, nil
}

var defaults = catalog.Defaults{Region: "a", Schema: "b"}

func TestNamesOfAStatement(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		"SELECT 1":                               nil,
		"SELECT * FROM t1 JOIN x.t1 ON true, T1": {"t1", "x.t1"},
		"WITH c AS (SELECT * FROM t1) SELECT * FROM c WHERE a IN (SELECT a FROM r.s.t2)": {"t1", "r.s.t2"},
		"WITH t1 AS (SELECT * FROM t1) SELECT * FROM t1":                                 {"t1"},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		var got []string
		for _, n := range catalogrpc.Names(stmt) {
			got = append(got, n.String())
		}
		require.Equal(t, want, got, sql)
	}
}

func TestDescribeAsksForWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	d := &describer{}
	known := []catalog.Table{{Name: catalog.Name{Region: "a", Schema: "b", Table: "t7"}}}
	x, err := catalogrpc.Describe(t.Context(), d, "s", defaults, []catalog.Name{{Table: "t7"}, {Table: "t1"}, {Table: "t0"}}, known)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a.b.t1", "a.b.t0"}}, d.calls)
	_, ok := x.Lookup(catalog.Name{Region: "A", Schema: "B", Table: "T1"})
	require.True(t, ok)
	_, ok = x.Lookup(catalog.Name{Region: "a", Schema: "b", Table: "t7"})
	require.True(t, ok)
	_, ok = x.Lookup(catalog.Name{Table: "t0"})
	require.False(t, ok)
	require.Equal(t, []catalog.Name{{Region: "a", Schema: "b", Table: "t1"}}, x.Near(catalog.Name{Table: "t0"}, 5))
	require.Empty(t, x.Near(catalog.Name{Table: "t0"}, 0))
	require.Len(t, x.Tables(), 2)
}

func TestDescribeIsBounded(t *testing.T) {
	t.Parallel()
	var names []catalog.Name
	for i := range catalogrpc.MaxTables + 1 {
		names = append(names, catalog.Name{Table: fmt.Sprint("u", i)})
	}
	d := &describer{}
	_, err := catalogrpc.Describe(t.Context(), d, "s", defaults, names, nil)
	require.Equal(t, "TOO_MANY_TABLES", fault.ReasonOf(err))
	_, err = catalogrpc.Describe(t.Context(), d, "s", defaults, names[1:], nil)
	require.NoError(t, err)
	require.Len(t, d.calls, 5)
}
