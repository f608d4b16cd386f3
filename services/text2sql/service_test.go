package text2sql_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// catalogOf answers for findata with fixed tables and notes what was described.
type catalogOf struct {
	findatav1.CatalogServiceClient
	tables    []catalog.Table
	described []string
}

func (c *catalogOf) ListTables(context.Context, *findatav1.ListTablesRequest, ...grpc.CallOption) (*findatav1.ListTablesResponse, error) {
	return &findatav1.ListTablesResponse{Tables: catalogpb.FromTables(c.tables)}, nil
}

func (c *catalogOf) DescribeTables(_ context.Context, req *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	c.described = append(c.described, req.GetTables()...)
	resp := &findatav1.DescribeTablesResponse{}
	for _, name := range req.GetTables() {
		for _, t := range c.tables {
			if t.Name.Schema+"."+t.Name.Table == name {
				resp.Tables = append(resp.Tables, catalogpb.FromTable(t))
			}
		}
	}
	return resp, nil
}

func shopTable(cid, country string) catalog.Table {
	return catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "dws_seller_gmv_1d__" + cid + "_s0_live"}, Country: country,
		Manifest: "mp_order.dws_seller_gmv_1d__{cid}_s0_live",
		Columns: []catalog.Column{{Name: "grass_date", Type: "date", Partition: true}, {Name: "seller_id", Type: "bigint"},
			{Name: "gmv_usd", Type: "decimal(18,2)"}, {Name: "orders", Type: "bigint"}, {Name: "tz_type", Type: "varchar"}},
	}
}

// newService is a service over a source "shop" that has the example layer.
func newService(t *testing.T) (*text2sql.Service, *catalogOf) {
	t.Helper()
	return newServiceWith(t, text2sql.Config{}, text2sql.Deps{})
}

func newServiceWith(t *testing.T, config text2sql.Config, deps text2sql.Deps) (*text2sql.Service, *catalogOf) {
	t.Helper()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	_, err = store.Make(context.Background(), "shop", func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		text, err := os.ReadFile("../../pkg/semantic/testdata/shop/order.yaml")
		if err != nil {
			return source.Manifest{}, nil, err
		}
		if err := os.MkdirAll(filepath.Join(dir, "semantic"), 0o750); err != nil {
			return source.Manifest{}, nil, err
		}
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "sg", DefaultSchema: "mp_order"}, &catalog.Snapshot{}, os.WriteFile(filepath.Join(dir, "semantic", "order.yaml"), text, 0o600)
	})
	require.NoError(t, err)
	c := &catalogOf{tables: []catalog.Table{shopTable("sg", "SG"), shopTable("br", "BR")}}
	config.DefaultSource, deps.Sources, deps.Catalog = "shop", store, c
	s, err := text2sql.New(config, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, c
}

func askAt() context.Context {
	return run.With(context.Background(), run.Context{Principal: run.Principal{ID: "alice"}, Now: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), TimeZone: "Asia/Singapore"})
}

func TestGenerateSQLUnary(t *testing.T) {
	t.Parallel()
	s, c := newService(t)
	resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
		UserQuestion: "daily GMV in Brazil over the past 7 days", Tables: catalogpb.FromTables([]catalog.Table{shopTable("sg", "SG")}),
	}})
	require.NoError(t, err)
	r := resp.GetResult()
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome(), "%v", r)
	require.Equal(t, []string{"mp_order.dws_seller_gmv_1d__br_s0_live"}, c.described, "the missing table is asked for")
	require.Len(t, r.GetCandidates(), 1)
	stmt := r.GetCandidates()[0]
	require.Contains(t, stmt.GetSql(), "sg.mp_order.dws_seller_gmv_1d__br_s0_live")
	require.True(t, stmt.GetValidated())
	require.Equal(t, "sg.mp_order.dws_seller_gmv_1d__br_s0_live", stmt.GetTables()[0].GetName())
	require.NotEmpty(t, stmt.GetLabels(), "the columns of the answer are named for people")
	require.NotEmpty(t, stmt.GetReason())
	require.NotEmpty(t, stmt.GetAssumptions())
	require.NotEmpty(t, r.GetUnderstood())
	var in intent.Intent
	require.NoError(t, json.Unmarshal([]byte(r.GetIntentJson()), &in))
	require.Equal(t, intent.Trend, in.Type)
	require.Equal(t, []string{"BR"}, in.Country)
	var steps []string
	for _, record := range resp.GetTrace().GetRecords() {
		steps = append(steps, record.GetName())
	}
	require.Equal(t, []string{
		"text2sql.planner", "text2sql.semantic_parser", "text2sql.planner", "text2sql.sql_generator",
		"text2sql.planner", "text2sql.result_evaluator", "text2sql.planner",
	}, steps, "each member's step is in the run tree")
}

func TestGenerateSQLAsksAndAbstains(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	ask := func(q *text2sqlv1.GenerateQuery) *text2sqlv1.GenerateResult {
		resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: q})
		require.NoError(t, err)
		return resp.GetResult()
	}
	asked := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV yesterday"})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, asked.GetOutcome())
	option := asked.GetQuestion().GetOptions()[1].GetId()
	chosen := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV yesterday", ChosenOptionId: option})
	require.Contains(t, chosen.GetCandidates()[0].GetSql(), "__br_")
	no := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV of unicorns in Singapore", UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_ZH}})
	require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, no.GetOutcome())
	require.Empty(t, no.GetCandidates())
	require.Equal(t, []string{"unicorns"}, no.GetNotUnderstood())
	require.Contains(t, no.GetAbstainedReason(), "没有理解", "in the asker's language")
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	_, err := s.Execute(askAt(), text2sql.In{Question: "  "}, nil)
	require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))
	_, err = s.Execute(askAt(), text2sql.In{Question: "GMV", Source: "nowhere"}, nil)
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	_, err = text2sql.New(text2sql.Config{}, text2sql.Deps{})
	require.Error(t, err)
	_, err = text2sql.Config{Threshold: 2}.Complete()
	require.ErrorContains(t, err, "text2sql.threshold")
}

func TestListMetrics(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	resp, err := s.ListMetrics(askAt(), &text2sqlv1.ListMetricsRequest{})
	require.NoError(t, err)
	require.Len(t, resp.GetMetrics(), 2)
	require.Equal(t, "gmv", resp.GetMetrics()[1].GetId())
	require.Equal(t, "成交总额", resp.GetMetrics()[1].GetNameZh())
}
