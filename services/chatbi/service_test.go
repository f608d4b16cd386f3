package chatbi_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/chatbi"
)

var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// shop is a small source: orders of ten days, one of them missing.
const shop = `
CREATE SCHEMA shop;
CREATE TABLE shop.orders AS
  SELECT i AS order_id, DATE '2026-11-10' + CAST(i % 10 AS INTEGER) AS dt, CASE WHEN i % 3 = 0 THEN 'SG' ELSE 'BR' END AS country,
         CAST(i + 0.10 AS DECIMAL(18,2)) AS amount, CAST(i AS DECIMAL(18,2)) AS fee_sgd, 'x' AS note
  FROM range(1000) t(i) WHERE i % 10 <> 4;
`

func tables() []catalog.Table {
	return []catalog.Table{{
		Name:     catalog.Name{Region: "sg", Schema: "shop", Table: "orders"},
		RowCount: 900, UpdatedAt: now.Add(-time.Hour),
		Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "dt", Type: "date", Partition: true},
			{Name: "country", Type: "varchar"}, {Name: "amount", Type: "decimal(18,2)"}, {Name: "fee_sgd", Type: "decimal(18,2)"}, {Name: "note", Type: "varchar"},
		},
	}}
}

func newSources(t testing.TB, dataDir string) *source.Store {
	t.Helper()
	store, err := source.Open(dataDir)
	require.NoError(t, err)
	makeSource(t, store, shop)
	return store
}

func makeSource(t testing.TB, store *source.Store, ddl string) {
	t.Helper()
	makeNamed(t, store, "demo", ddl)
}

func makeNamed(t testing.TB, store *source.Store, name, ddl string) {
	t.Helper()
	_, err := store.Make(t.Context(), name, func(ctx context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		db, err := sql.Open("duckdb", filepath.Join(dir, "sg.duckdb"))
		if err != nil {
			return source.Manifest{}, nil, err
		}
		if _, err := db.ExecContext(ctx, ddl); err != nil {
			return source.Manifest{}, nil, err
		}
		m := source.Manifest{Engine: source.EngineDuckDB, Databases: map[string]string{"sg": "sg.duckdb"}, DefaultRegion: "sg", DefaultSchema: "shop", Version: "1"}
		return m, &catalog.Snapshot{Tables: tables()}, db.Close()
	})
	require.NoError(t, err)
}

// fakeCatalog is findata: alice sees everything, others nothing.
type fakeCatalog struct {
	findatav1.CatalogServiceClient
	index *catalog.Index
}

func (f fakeCatalog) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	res := &findatav1.DescribeTablesResponse{}
	for _, text := range in.GetTables() {
		name, err := catalog.ParseName(text)
		if err != nil {
			return nil, err
		}
		if t, ok := f.index.Lookup(name); ok && run.From(ctx).Principal.ID != "eve" {
			res.Tables = append(res.Tables, catalogpb.FromTable(*t))
			continue
		}
		res.UnknownTables = append(res.UnknownTables, &findatav1.UnknownTable{Name: text})
	}
	return res, nil
}

func newService(t testing.TB, change func(*chatbi.Config, *chatbi.Deps)) *chatbi.Service {
	t.Helper()
	dataDir := t.TempDir()
	deps := chatbi.Deps{
		Sources: newSources(t, dataDir), DataDir: dataDir, Clock: func() time.Time { return now },
		Catalog: fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: tables()}, catalog.Defaults{Region: "sg", Schema: "shop"})},
	}
	config := chatbi.Config{Engine: chatbi.EngineConfig{MemoryLimit: "256MB", Threads: 1}}
	if change != nil {
		change(&config, &deps)
	}
	s, err := chatbi.New(config, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func as(ctx context.Context, who string) context.Context {
	return run.With(ctx, run.Context{RunID: "run_1", Principal: run.Principal{ID: who}, Now: now})
}

func execute(t *testing.T, s *chatbi.Service, q *chatbiv1.ExecuteQuery) *chatbiv1.ExecuteResult {
	t.Helper()
	res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: q})
	require.NoError(t, err)
	return res.GetResult()
}

func warnings(r *chatbiv1.ExecuteResult) (codes []string) {
	for _, w := range r.GetWarnings() {
		codes = append(codes, w.GetCode())
	}
	return codes
}

func TestADailySeriesEndToEnd(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{
		Sql:          "SELECT dt, sum(amount) AS gmv FROM orders WHERE dt >= DATE '2026-11-10' AND dt < DATE '2026-11-20' GROUP BY dt ORDER BY dt",
		UserQuestion: "daily GMV", Metrics: []string{"GMV (USD): sum of amount"}, Assumptions: []string{"all countries"}, Confidence: 0.9,
	}})
	require.NoError(t, err)
	r := res.GetResult()
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())
	require.Equal(t, "GMV from 10 Nov 2026 to 19 Nov 2026: 449,690.00 USD in total, 49,965.56 USD per day on average over 9 days; the highest is 50,410.00 USD (19 Nov 2026).", r.GetAnswer())
	require.Contains(t, warnings(r), "MISSING_PERIODS")
	require.Equal(t, commonv1.ChartKind_CHART_KIND_LINE, r.GetChart().GetKind())
	require.Len(t, r.GetPage().GetRows(), 9)
	require.Equal(t, "49510.00", r.GetPage().GetRows()[0].GetValues()[1].GetStringValue(), "decimals stay exact")
	c := r.GetCertificate()
	require.Equal(t, "sg.shop.orders", c.GetTables()[0].GetTable())
	require.Equal(t, "2026-11-19", c.GetTables()[0].GetLatestPartition())
	require.Equal(t, now.Add(-time.Hour), c.GetTables()[0].GetUpdatedAt().AsTime())
	require.Len(t, c.GetStatementSha256(), 64)
	require.EqualValues(t, 9, c.GetRows())
	require.InDelta(t, 0.9, c.GetConfidence(), 0)
	require.Equal(t, []string{"all countries"}, c.GetAssumptions())
	var names []string
	for _, step := range res.GetTrace().GetRecords() {
		names = append(names, step.GetName())
	}
	require.Equal(t, []string{"chatbi.execute", "chatbi.guard", "chatbi.estimate", "chatbi.run", "chatbi.analyse", "chatbi.store"}, names)
}

func TestTheAnswerIsInTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	q := &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) FROM orders", UserQuestion: "有多少订单？"}
	require.Equal(t, "数量为900。", execute(t, s, q).GetAnswer())
	q.UserContext = &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN}
	require.Equal(t, "Count is 900.", execute(t, s, q).GetAnswer())
}

func TestRefusalsAreAnswers(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for sqlText, code := range map[string]string{
		"DELETE FROM orders":              "STATEMENT_NOT_READ_ONLY",
		"SELECT * FROM elsewhere.secrets": "TABLE_NOT_FOUND",
		"SELECT amuont FROM orders":       "COLUMN_NOT_FOUND",
		"SELECT FROM":                     "SYNTAX_ERROR",
	} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: sqlText})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, r.GetOutcome(), sqlText)
		require.NotEmpty(t, r.GetAnswer())
		require.Nil(t, r.GetPage())
		if sqlText != "SELECT * FROM elsewhere.secrets" {
			require.Equal(t, code, r.GetError().GetCode(), sqlText)
		}
		require.Contains(t, r.GetCertificate().GetAbstainedReason(), r.GetError().GetCode())
	}
	// What the asker may not see does not exist.
	res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "eve"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: "SELECT 1 FROM orders"}})
	require.NoError(t, err)
	require.Equal(t, "TABLE_NOT_FOUND", res.GetResult().GetError().GetCode())
}

func TestEngineErrorsHaveTrinosNames(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT sum(CAST(note AS bigint)) FROM orders"})
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED, r.GetOutcome())
	require.Equal(t, "INVALID_CAST_ARGUMENT", r.GetError().GetCode(), r.GetError())
}

func TestLimitsAreToldNotHidden(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Limits.DefaultLimit = 50; c.Limits.MaxRows = 200 })
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id, country FROM orders"})
	require.EqualValues(t, 50, r.GetPage().GetTotalRows())
	require.Equal(t, []string{"LIMIT_ADDED"}, warnings(r))
	require.Equal(t, "limit", r.GetGuardChanges()[0].GetRule())
	require.Contains(t, r.GetExecutedSql(), "50")

	r = execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id, country FROM orders LIMIT 500"})
	require.EqualValues(t, 200, r.GetPage().GetTotalRows())
	require.Contains(t, r.GetWarnings()[0].GetMessage(), "lowered")

	r = execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT country, count(*) AS orders FROM orders GROUP BY country"})
	require.Empty(t, warnings(r), "a limit that was not reached is not worth a warning")
}

// TestTheEngineIsBoundByTheConfiguredLimits: the guard's LIMIT is one bound, the
// engine's own is the other, for what no LIMIT bounds.
func TestTheEngineIsBoundByTheConfiguredLimits(t *testing.T) {
	t.Parallel()
	e := &fakeEngine{options: make(chan warehouse.Options, 1)}
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		c.Limits.MaxRows, c.Limits.MaxBytes, c.Limits.Timeout = 123, 4567, 89*time.Second
		withEngine(e)(c, d)
	})
	execute(t, s, &chatbiv1.ExecuteQuery{Sql: countQuery})
	got := <-e.options
	require.EqualValues(t, 123, got.MaxRows)
	require.EqualValues(t, 4567, got.MaxBytes)
	require.Equal(t, 89*time.Second, got.Timeout)
	require.Equal(t, "run_1", got.Tag, "the run that the asker can look up, not that of a step")
}

func TestAResultBeyondTheBytesIsCutAndSaid(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Limits.MaxBytes = 2000 })
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id, country FROM orders ORDER BY order_id"})
	rows := r.GetPage().GetTotalRows()
	require.Positive(t, rows)
	require.Less(t, rows, int64(900))
	require.True(t, r.GetPage().GetTruncated())
	require.Contains(t, warnings(r), "RESULT_TRUNCATED")
	require.Contains(t, r.GetWarnings()[0].GetMessage(), fmt.Sprintf("cut off after %d rows", rows))
}

func TestPagesBelongToTheirOwner(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id FROM orders ORDER BY order_id", PageSize: 400})
	page, seen := r.GetPage(), len(r.GetPage().GetRows())
	require.EqualValues(t, 900, page.GetTotalRows())
	id := page.GetResultId()
	for page.GetNextPageToken() != "" {
		res, err := s.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: id, PageToken: page.GetNextPageToken(), PageSize: 400})
		require.NoError(t, err)
		page = res.GetPage()
		seen += len(page.GetRows())
	}
	require.Equal(t, 900, seen)
	_, err := s.GetResultPage(as(t.Context(), "bob"), &chatbiv1.GetResultPageRequest{ResultId: id})
	require.Equal(t, codes.NotFound, status.Code(err))
	_, err = s.GetResultPage(t.Context(), &chatbiv1.GetResultPageRequest{ResultId: id})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
}

func TestTheCostGate(t *testing.T) {
	t.Parallel()
	const query = "SELECT count(*) FROM orders"
	t.Run("asks with the numbers, and takes a yes", func(t *testing.T) {
		t.Parallel()
		s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Cost.AskRows = 100 })
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: query})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, r.GetOutcome())
		require.Equal(t, "This would read about 900 rows (900 B) from sg.shop.orders. Run it?", r.GetQuestion().GetText())
		require.Len(t, r.GetQuestion().GetOptions(), 2)
		r = execute(t, s, &chatbiv1.ExecuteQuery{Sql: query, CostConfirmed: true})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome())
	})
	t.Run("refuses whatever was confirmed", func(t *testing.T) {
		t.Parallel()
		s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Cost.RefuseRows = 100 })
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: query, CostConfirmed: true, UserQuestion: "有多少订单"})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, r.GetOutcome())
		require.Equal(t, "COST_LIMIT_EXCEEDED", r.GetError().GetCode())
		require.Contains(t, r.GetAnswer(), "超过上限100行")
	})
	t.Run("estimates", func(t *testing.T) {
		t.Parallel()
		res, err := newService(t, nil).EstimateCost(as(t.Context(), "alice"), &chatbiv1.EstimateCostRequest{Sql: query})
		require.NoError(t, err)
		require.Positive(t, res.GetRows())
		require.Contains(t, []string{"explain", "catalog"}, res.GetMethod())
	})
}

// A new generation answers the next question; it ends early, which is said when
// later days are asked for.
func TestANewGenerationTakesOverAndLateDataIsSaid(t *testing.T) {
	t.Parallel()
	var sources *source.Store
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { sources = d.Sources })
	q := &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS orders FROM orders WHERE dt BETWEEN DATE '2026-11-12' AND DATE '2026-11-19'"}
	r := execute(t, s, q)
	require.Equal(t, "There were 700 orders from 12 Nov 2026 to 19 Nov 2026.", r.GetAnswer())
	require.Empty(t, warnings(r))
	makeSource(t, sources, shop+"DELETE FROM shop.orders WHERE dt > DATE '2026-11-15';")
	r = execute(t, s, q)
	require.Equal(t, "There were 300 orders from 12 Nov 2026 to 19 Nov 2026.", r.GetAnswer())
	require.Equal(t, []string{"DATA_LATE"}, warnings(r))
	require.Equal(t, "The data of sg.shop.orders ends with 15 Nov 2026, before the end of the asked range (19 Nov 2026).", r.GetWarnings()[0].GetMessage())
}

// stream collects what a call sends.
type stream struct {
	grpc.ServerStream
	ctx context.Context
	mu  sync.Mutex
	got []*chatbiv1.ExecuteAndAnalyzeResponse
	on  func(*chatbiv1.ExecuteAndAnalyzeResponse)
}

func (s *stream) Context() context.Context { return s.ctx }

func (s *stream) Send(r *chatbiv1.ExecuteAndAnalyzeResponse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r)
	if s.on != nil {
		s.on(r)
	}
	return nil
}

func TestTheStreamEndsWithTheResult(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	st := &stream{ctx: as(t.Context(), "alice")}
	require.NoError(t, s.ExecuteAndAnalyze(&chatbiv1.ExecuteAndAnalyzeRequest{Query: &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) FROM orders"}}, st))
	last := st.got[len(st.got)-1]
	require.Equal(t, "Count is 900.", last.GetResult().GetAnswer())
	require.NotEmpty(t, last.GetTrace().GetRecords())
	var phases []string
	for _, e := range st.got[:len(st.got)-1] {
		phases = append(phases, e.GetProgress().GetPhase())
	}
	require.Equal(t, "guard", phases[0])
	require.Equal(t, "analysing", phases[len(phases)-1])
}

func TestUnknownSource(t *testing.T) {
	t.Parallel()
	_, err := newService(t, nil).ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Source: "nowhere", Sql: "SELECT 1"}})
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	_, err := chatbi.Config{Cost: chatbi.CostConfig{AboveAsk: "maybe"}}.Complete()
	require.ErrorContains(t, err, "chatbi.cost.above_ask")
	_, err = chatbi.Config{Limits: chatbi.LimitConfig{PageSize: -1}}.Complete()
	require.ErrorContains(t, err, "chatbi.limits.page_size")
	_, err = chatbi.New(chatbi.Config{}, chatbi.Deps{})
	require.Error(t, err)
}

func TestAmountsHaveTheirCurrency(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for sqlText, want := range map[string]string{
		"SELECT sum(fee_sgd) AS fees FROM orders WHERE order_id < 3":                    "Fees (order ID below 3) are 3.00 SGD.",
		"SELECT count(fee_sgd) AS fees FROM orders":                                     "There are 900 fees.",
		"SELECT sum(fee_sgd) / sum(fee_sgd) AS one FROM orders":                         "One is 1.00.",
		"SELECT country, max(fee_sgd) AS top FROM orders GROUP BY country ORDER BY top": "Brazil has the lowest top: 998.00 SGD; then Singapore (999.00 SGD).",
	} {
		require.Equal(t, want, execute(t, s, &chatbiv1.ExecuteQuery{Sql: sqlText}).GetAnswer(), sqlText)
	}
}

// A range that begins before the data do is answered over what is there, and that
// is said.
func TestDataThatBeginLaterAreSaid(t *testing.T) {
	t.Parallel()
	var sources *source.Store
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { sources = d.Sources })
	makeSource(t, sources, shop+"DELETE FROM shop.orders WHERE dt < DATE '2026-11-12';")
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS orders FROM orders WHERE dt >= DATE '2026-01-01' AND dt < DATE '2026-11-15'"})
	require.Equal(t, []string{"DATA_BEGINS_LATER"}, warnings(r))
	require.Equal(t, "The data of sg.shop.orders begins with 12 Nov 2026; the asked range begins before that, on 1 Jan 2026.", r.GetWarnings()[0].GetMessage())
	r = execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS orders FROM orders WHERE dt >= DATE '2026-11-12' AND dt < DATE '2026-11-15'"})
	require.Empty(t, warnings(r))
}

// TestTheLowestMonthIsAWholeOne: the month in which the data begin is not the one with the
// fewest orders, whether its row is read or was stored.
func TestTheLowestMonthIsAWholeOne(t *testing.T) {
	t.Parallel()
	var sources *source.Store
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { sources = d.Sources })
	makeSource(t, sources, shop+`UPDATE shop.orders SET dt = CASE order_id % 10 WHEN 0 THEN DATE '2026-09-28' WHEN 1 THEN DATE '2026-11-02' ELSE DATE '2026-10-05' END;`)
	for _, kind := range []string{"read", "stored"} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT date_trunc('month', dt) AS month, count(*) AS orders FROM orders GROUP BY 1 ORDER BY orders LIMIT 1"})
		require.Equal(t, "Oct 2026 has the lowest orders: 700. Not ranked, since not all of the month is there: Sep 2026 (100).", r.GetAnswer(), kind)
		require.Equal(t, []string{"PERIOD_INCOMPLETE"}, warnings(r), kind)
	}
}

// TestTheEdgesOfOwnFiles: a file has no partitions; what was read of its days says where its data
// begin and end.
func TestTheEdgesOfOwnFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ low, high, want string }{
		"not known": {"", "", "Nov 2025 has the lowest orders: 100."},
		"ends":      {"2025-09-01", "2025-11-02", "Sep 2025 has the lowest orders: 200. Not ranked, since not all of the month is there: Nov 2025 (100)."},
		"both":      {"2025-09-28", "2025-11-02", "Oct 2025 has the lowest orders: 600. Not ranked, since not all of the month is there: Nov 2025 (100)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := tables()
			dt := &files[0].Columns[1]
			dt.Partition, dt.Low, dt.High = false, c.low, c.high
			var sources *source.Store
			s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
				sources = d.Sources
				d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: files}, catalog.Defaults{Region: "sg", Schema: "shop"})}
			})
			makeSource(t, sources, shop+`UPDATE shop.orders SET dt = CASE WHEN order_id % 10 = 0 THEN DATE '2025-11-02' WHEN order_id % 10 < 3 THEN DATE '2025-09-28' ELSE DATE '2025-10-05' END;`)
			r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT date_trunc('month', dt) AS month, count(*) AS orders FROM orders GROUP BY 1 ORDER BY orders LIMIT 1"})
			require.Equal(t, c.want, r.GetAnswer())
		})
	}
}

// TestResultsOverTheirMemoryAreRefused: the person is told what to change, and the
// memory is free for the next.
func TestResultsOverTheirMemoryAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Limits.ResultsMemory = 50_000 })
	for range 3 {
		_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id, dt, country FROM orders"})
		require.Equal(t, "RESULT_TOO_LARGE", fault.ReasonOf(err))
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		require.Equal(t, "Count is 900.", execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS count FROM orders"}).GetAnswer())
	}
}

// TestFiltersOfACertificateAreTheStatementsOwn: a condition within a subquery of
// another condition is told with that one, not again as one on the answer's rows.
func TestFiltersOfACertificateAreTheStatementsOwn(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := execute(t, s, &chatbiv1.ExecuteQuery{
		Sql: "SELECT count(*) AS n FROM orders WHERE country = 'SG' AND order_id IN (SELECT order_id FROM orders WHERE amount > 5)",
	})
	filters := r.GetCertificate().GetFilters()
	require.Len(t, filters, 2, filters)
	require.Equal(t, "country is 'SG'", filters[0])
	require.Contains(t, filters[1], "order")
}

// TestConditionsAreToldOnce: those that the parts of a union have in common, and the range of
// days that an assumption tells already.
func TestConditionsAreToldOnce(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const days = "dt >= DATE '2026-11-12' AND dt < DATE '2026-11-15'"
	part := "SELECT country, count(*) AS n FROM orders WHERE " + days + " AND country = '%s' GROUP BY 1"
	union := fmt.Sprintf(part, "SG") + " UNION ALL " + fmt.Sprintf(part, "BR")
	of := func(sql string, assumptions ...string) []string {
		return execute(t, s, &chatbiv1.ExecuteQuery{Sql: sql, Assumptions: assumptions}).GetCertificate().GetFilters()
	}
	require.Equal(t, []string{"dt is at least DATE '2026-11-12'", "dt is less than DATE '2026-11-15'", "country is 'SG'", "country is 'BR'"}, of(union))
	require.Equal(t, []string{"country is 'SG'"}, of(fmt.Sprintf(part, "SG"), "Time: 2026-11-12 to 2026-11-14, both days included."))
	require.Len(t, of(fmt.Sprintf(part, "SG"), "Time: 2026-11-12 to 2026-11-15, both days included."), 3, "another range")
	require.Len(t, of(fmt.Sprintf(part, "SG"), "All countries."), 3)
	const since, told = "SELECT count(*) AS n FROM orders WHERE dt >= DATE '2026-11-12'", "Time: since 2026-11-12."
	require.Empty(t, of(since, told))
	paragraph := execute(t, s, &chatbiv1.ExecuteQuery{Sql: since, Assumptions: []string{told}}).GetCertificate().GetParagraph()
	require.Contains(t, paragraph, "since 2026-11-12")
	require.NotContains(t, paragraph, "No condition leaves rows out")
}

// TestAShownValueIsNoCondition: that what is shown has a value is not told of it; that
// something else has is.
func TestAShownValueIsNoCondition(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	of := func(column string) string {
		return execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT country, count(*) AS n FROM orders WHERE " + column + " IS NOT NULL GROUP BY 1 ORDER BY n DESC"}).GetAnswer()
	}
	require.Contains(t, of("note"), "note is given")
	require.NotContains(t, of("country"), "is given")
	renamed := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT country, told FROM (SELECT country, max(note) AS told FROM orders GROUP BY 1) AS g WHERE told IS NOT NULL ORDER BY 1"})
	require.NotContains(t, renamed.GetAnswer(), "is given", "a column that is shown by a name of the statement's own")
	rose := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT n, previous_n, coalesce(n, 0) - coalesce(previous_n, 0) AS n_change FROM (SELECT count(*) AS n, count(DISTINCT country) AS previous_n FROM orders) AS g WHERE coalesce(n, 0) - coalesce(previous_n, 0) > 0"})
	require.Contains(t, rose.GetAnswer(), "more than", rose.GetAnswer())
	require.NotContains(t, rose.GetAnswer(), "coalesce", "the row shows that it rose")
}

// TestAResultThatIsNotStoredHasItsFirstPage: the answer stands, its first page is no
// longer than a page, and the person is told that the rest cannot be read.
func TestAResultThatIsNotStoredHasItsFirstPage(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Store.MaxBytes = 1 }) // nothing fits
	for rows, want := range map[int]int{7: 3, 3: 3, 2: 2} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: fmt.Sprintf("SELECT order_id FROM orders ORDER BY order_id LIMIT %d", rows), PageSize: 3})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome())
		require.Len(t, r.GetPage().GetRows(), want, "of %d", rows)
		require.EqualValues(t, rows, r.GetPage().GetTotalRows())
		require.Empty(t, r.GetPage().GetNextPageToken())
		require.Contains(t, warnings(r), "RESULT_NOT_STORED")
	}
}

// TestAResultThatNobodyCanKeep: where the store of results is out of order, whoever has
// all rows on the first page lacks nothing, and all others are told.
func TestAResultThatNobodyCanKeep(t *testing.T) {
	t.Parallel()
	var dir string
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { dir = d.DataDir })
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "chatbi", "results.db"), 0o700)) // no file that could be opened
	for rows, told := range map[int]bool{7: true, 4: true, 3: false, 1: false} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: fmt.Sprintf("SELECT order_id, country FROM orders ORDER BY order_id LIMIT %d", rows), PageSize: 3})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome())
		require.Len(t, r.GetPage().GetRows(), min(rows, 3), "of %d", rows)
		require.EqualValues(t, rows, r.GetPage().GetTotalRows())
		require.Equal(t, told, slices.Contains(warnings(r), "RESULT_NOT_STORED"), "of %d", rows)
	}
}
