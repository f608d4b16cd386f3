package fixsql_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/fixsql"
)

// fakeLayer is text2sql with a layer that alice alone may know.
type fakeLayer struct {
	text2sqlv1.Text2SQLServiceClient
	err error
}

func (f fakeLayer) DescribeTerms(ctx context.Context, in *text2sqlv1.DescribeTermsRequest, _ ...grpc.CallOption) (*text2sqlv1.DescribeTermsResponse, error) {
	if f.err != nil {
		return nil, f.err
	}
	res := &text2sqlv1.DescribeTermsResponse{}
	if run.From(ctx).Principal.ID != "alice" || !slices.Contains(in.GetTables(), "sg.shop.orders") {
		return res, nil
	}
	res.Terms = []*text2sqlv1.LayerTerm{
		{Id: "country", NameEn: "country", Synonyms: []string{"market"}, Table: "sg.shop.orders", Expr: "country"},
		{Id: "gmv", NameEn: "GMV", NameZh: "成交总额", Synonyms: []string{"turnover"}, Table: "sg.shop.orders", Expr: "SUM(amount)", Metric: true,
			DefaultFilters: []string{"status = 'paid' AND qty > 0"}},
		{Id: "refunds", NameEn: "refunds", Table: "sg.shop.orders", Expr: "COUNT(*)", Metric: true, DefaultFilters: []string{"status = 'refunded'"}},
		{Id: "orders", NameEn: "orders", Table: "sg.shop.orders", Expr: "COUNT(*)", Metric: true},
	}
	return res, nil
}

func withLayer(t *testing.T, layer text2sqlv1.Text2SQLServiceClient) *fixsql.Service {
	t.Helper()
	s, err := fixsql.New(fixsql.Config{}, fixsql.Deps{Catalog: newCatalog(), Text2SQL: layer})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestTermsOfTheLayer: a word of the business stands for what the layer says, as far as
// the asker may know the layer; without one the statement is repaired by the catalog.
func TestTermsOfTheLayer(t *testing.T) {
	t.Parallel()
	fix := func(s *fixsql.Service, ctx context.Context, sql string) *fixsqlv1.FixSQLResponse {
		res, err := s.FixSQL(ctx, &fixsqlv1.FixSQLRequest{Sql: sql})
		require.NoError(t, err)
		return res
	}
	s := withLayer(t, fakeLayer{})
	res := fix(s, asAlice(t), "SELECT market FROM orders")
	require.Equal(t, "SELECT country FROM orders", res.GetFixed().GetSql())
	require.True(t, res.GetCertain())
	require.Contains(t, res.GetDiagnosis(), "semantic layer")

	res = fix(s, asAlice(t), "SELECT market, turnover FORM orders")
	require.Equal(t, "SELECT country, SUM(amount) AS turnover FROM orders GROUP BY country", res.GetFixed().GetSql())
	require.False(t, res.GetCertain())
	require.Equal(t, []string{"MISSING_METRIC_FILTER"}, dangerCodes(res), "the metric's own condition is told, and not put in")

	bob := run.With(t.Context(), run.Context{RunID: "run_2", Principal: run.Principal{ID: "bob"}})
	require.False(t, fix(s, bob, "SELECT market FROM orders").GetChanged())
	away := withLayer(t, fakeLayer{err: fault.New(codes.Unavailable, "AWAY", "text2sql is not there")})
	require.False(t, fix(away, asAlice(t), "SELECT market FROM orders").GetChanged())
	require.Equal(t, "SELECT country FROM orders", fix(away, asAlice(t), "SELECT contry FROM orders").GetFixed().GetSql())
}

// TestFiltersOfTheLayerAreTold: a statement that computes a metric without the conditions
// that the layer always puts to it is told so, in repairs and in explanations.
func TestFiltersOfTheLayerAreTold(t *testing.T) {
	t.Parallel()
	s := withLayer(t, fakeLayer{})
	for sql, told := range map[string]bool{
		"SELECT sum(amount) FROM orders": true,
		"SELECT country, sum(o.amount) / 2 FROM orders o WHERE o.qty > 0 GROUP BY country":                                 true,
		"SELECT sum(amount) FROM orders WHERE status = 'paid' AND (qty > 0)":                                               false,
		"SELECT sum(amount) FILTER (WHERE status = 'paid') FROM orders WHERE qty > 0":                                      false,
		"SELECT sum(amount) FROM orders WHERE status IN ('open', 'paid') AND qty > 5":                                      false, // the writer's own choice
		"SELECT avg(amount) FROM orders":                                                                                   false,
		"SELECT count(*) AS refunds FROM orders":                                                                           true, // it says which metric it is
		"SELECT count(*) AS refunds FROM orders WHERE status = 'refunded'":                                                 false,
		"SELECT count(*) AS orders FROM orders":                                                                            false,
		"SELECT count(*) AS n FROM orders":                                                                                 false,
		"SELECT count(*) FROM orders":                                                                                      false, // it is the metric orders
		"SELECT amount FROM orders":                                                                                        false,
		"SELECT count(*) FROM items":                                                                                       false,
		"SELECT x FROM (SELECT sum(amount) AS x FROM orders)":                                                              true,
		"SELECT sum(o.amount) FROM items i JOIN orders o ON o.order_id = i.order_id AND o.status = 'paid' WHERE o.qty > 0": false,
		"SELECT sum(i.line) FROM items i JOIN orders o ON o.order_id = i.order_id":                                         false,
	} {
		res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: sql})
		require.NoError(t, err)
		require.Equal(t, sql, res.GetFixed().GetSql())
		require.Equal(t, told, slices.Contains(dangerCodes(res), "MISSING_METRIC_FILTER"), sql)
		explained, err := s.ExplainSQL(asAlice(t), &fixsqlv1.ExplainSQLRequest{Sql: sql})
		require.NoError(t, err)
		require.Equal(t, told, slices.ContainsFunc(explained.GetDangers(), func(d *commonv1.SqlDiagnostic) bool { return d.GetCode() == "MISSING_METRIC_FILTER" }), sql)
	}
}

func dangerCodes(res *fixsqlv1.FixSQLResponse) []string {
	var codes []string
	for _, d := range res.GetDangers() {
		if d.GetCode() != "MISSING_PARTITION_FILTER" {
			codes = append(codes, d.GetCode())
		}
	}
	return codes
}
