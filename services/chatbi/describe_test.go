package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func TestAggregatesOfColumns(t *testing.T) {
	t.Parallel()
	for x, want := range map[string]string{
		"a":                                analyseNone,
		"sum(a)":                           analyse.AggregateSum,
		"round(coalesce(sum(a), 0), 2)":    analyse.AggregateSum,
		"CAST(sum(a) AS double)":           analyse.AggregateSum,
		"sum(a) - sum(b)":                  analyse.AggregateSum,
		"sum(a) * 100":                     analyse.AggregateSum,
		"sum(a) / 1000":                    analyse.AggregateSum,
		"count(*)":                         analyse.AggregateCount,
		"count(DISTINCT a)":                analyse.AggregateCountDistinct,
		"approx_distinct(a)":               analyse.AggregateCountDistinct,
		"avg(a)":                           analyse.AggregateOther,
		"max(a)":                           analyse.AggregateOther,
		"sum(a) / count(*)":                analyse.AggregateOther,
		"sum(a) / nullif(sum(b), 0) * 100": analyse.AggregateOther,
		"100.0 * sum(a) / sum(b)":          analyse.AggregateOther,
		"sum(a) OVER (ORDER BY b)":         analyse.AggregateOther,
		"CASE WHEN sum(a) > 1 THEN 1 END":  analyse.AggregateOther,
		"a + b":                            analyseNone,
	} {
		stmt, err := parser.Parse("SELECT " + x + " FROM t")
		require.NoError(t, err, x)
		require.Equal(t, want, aggregateOf(itemsOf(stmt.Query)[0].Expr), x)
	}
}

const analyseNone = ""

func TestOrderOfTheStatement(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]*analyse.Order{
		"SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY s DESC":   {Column: 1, Desc: true},
		"SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY 2":        {Column: 1},
		"SELECT a, sum(b) FROM t GROUP BY a ORDER BY SUM( b ) DESC": nil,
		"SELECT a, sum(b) FROM t GROUP BY a ORDER BY sum(b)":        {Column: 1},
		"(SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY s) ":     {Column: 1},
		"SELECT a, b FROM t":         nil,
		"SELECT a FROM t ORDER BY c": nil,
		"SELECT * FROM t ORDER BY 1": nil,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		r, _ := resolve.Resolve(stmt, resolve.Scope{})
		outputs := len(itemsOf(outermost(stmt.Query)))
		require.Equal(t, want, describe(r, outputs, nil, func(string) string { return "" }, func(resolve.Origin) string { return "" }, noKey).order, sql)
	}
}

// noKey says of every stored column that it is no key.
func noKey(resolve.Origin) bool { return false }

// TestKeysNameRows: a column is told to be a key where its stored column is the whole key of its
// table or points to another, and where its values are shown as they are stored.
func TestKeysNameRows(t *testing.T) {
	t.Parallel()
	name := catalog.Name{Region: "r", Schema: "s", Table: "jobs"}
	jobs := catalog.Table{Name: name, Columns: []catalog.Column{
		{Name: "Job #", Type: "bigint", PrimaryKey: true}, {Name: "bike", Type: "bigint"}, {Name: "hours", Type: "bigint"},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"bike"}, RefTable: name, RefColumns: []string{"Job #"}}}}
	x, err := catalogrpc.Describe(t.Context(), nil, "", catalog.Defaults{}, nil, []catalog.Table{jobs})
	require.NoError(t, err)
	stmt, err := parser.Parse(`SELECT "Job #", bike, hours, "Job #" + 1, max(bike) FROM r.s.jobs GROUP BY 1, 2, 3`)
	require.NoError(t, err)
	r, problems := resolve.Resolve(stmt, resolve.Scope{Catalog: x})
	require.Empty(t, problems)
	var keys []bool
	for _, c := range describe(r, 5, nil, func(string) string { return "" }, func(resolve.Origin) string { return "" }, keyIn(x)).columns {
		keys = append(keys, c.Key)
	}
	require.Equal(t, []bool{true, true, false, false, false}, keys)
}

func TestMetricsNameColumnsAndUnits(t *testing.T) {
	t.Parallel()
	metrics := []string{"GMV (USD): paid amount", "订单数: 已支付订单，单位：单", "Conversion rate: orders by visits; unit: %", "Plain: x", "Sales: SUM(Sales)", "售价（元）: AVG(价)"}
	for column, want := range map[string][2]string{
		"gmv":             {"GMV", "USD"},
		"订单数":             {"订单数", "单"},
		"conversion_rate": {"Conversion rate", "%"},
		"plain":           {"Plain", ""},
		"sales":           {"Sales", ""}, // what a definition adds up is no unit
		"售价":              {"售价", "元"},
		"other":           {"", ""},
		"":                {"", ""},
	} {
		label, unit := metricOf(column, metrics)
		require.Equal(t, want, [2]string{label, unit}, column)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1,023 B", 1536: "1.5 KiB", 100 << 30: "100 GiB"} {
		require.Equal(t, want, result.Bytes(bytes))
	}
}

func TestPicksGroups(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT a, sum(b) FROM t WHERE c > 1 GROUP BY a ORDER BY 2 LIMIT 10":                                            false,
		"SELECT a, sum(b) FROM t GROUP BY a HAVING sum(b) > 5":                                                          true,
		"SELECT a, s FROM (SELECT a, s, row_number() OVER (PARTITION BY g ORDER BY s DESC) AS n FROM t) x WHERE n <= 3": true,
		"SELECT a, s FROM (SELECT a, sum(b) AS s FROM t GROUP BY a) x":                                                  false,
		"SELECT a, s FROM u JOIN (SELECT a, sum(b) AS s FROM t GROUP BY a) AS x ON u.a = x.a WHERE s > 4":               true,
		"SELECT sum(s) FROM (SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY s DESC LIMIT 5) x":                        true,
		"WITH x AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT a, s FROM x WHERE s > 4":                            true,
		"WITH x AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT a, s FROM x":                                        false,
		"(SELECT a, sum(b) FROM t GROUP BY a)":                                                                          false,
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, picksGroups(outermost(stmt.Query)), sql)
	}
}
