package fixsql_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/fixsql"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// fakeCatalog is findata with three tables.
type fakeCatalog struct {
	findatav1.CatalogServiceClient
	index *catalog.Index
}

func newCatalog() fakeCatalog {
	name := func(t string) catalog.Name { return catalog.Name{Region: "sg", Schema: "shop", Table: t} }
	return fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{
		{Name: name("orders"), Grain: "one order", Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "country", Type: "varchar"}, {Name: "status", Type: "varchar"},
			{Name: "amount", Type: "decimal(18,2)"}, {Name: "qty", Type: "integer"}, {Name: "dt", Type: "date", Partition: true},
		}},
		{Name: name("items"), Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "line", Type: "integer", PrimaryKey: true}, {Name: "sku", Type: "varchar"},
		}},
		{Name: name("付款"), Columns: []catalog.Column{
			{Name: "付款编号", Type: "bigint", PrimaryKey: true}, {Name: "支付方式", Type: "varchar", Distinct: 2, Samples: []string{"信用卡", "现金"}},
			{Name: "备注", Type: "varchar", Distinct: 90, Samples: []string{"Gift", "n/a"}}, {Name: "金额", Type: "double"},
		}},
	}}, catalog.Defaults{Region: "sg", Schema: "shop"})}
}

func (f fakeCatalog) ListSources(context.Context, *findatav1.ListSourcesRequest, ...grpc.CallOption) (*findatav1.ListSourcesResponse, error) {
	return &findatav1.ListSourcesResponse{Sources: []*findatav1.Source{{Name: "demo", DefaultRegion: "sg", DefaultSchema: "shop"}}}, nil
}

func (f fakeCatalog) DescribeTables(_ context.Context, in *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	res := &findatav1.DescribeTablesResponse{}
	for _, text := range in.GetTables() {
		name, err := catalog.ParseName(text)
		if err != nil {
			return nil, err
		}
		if t, ok := f.index.Lookup(name); ok {
			res.Tables = append(res.Tables, catalogpb.FromTable(*t))
			continue
		}
		u := &findatav1.UnknownTable{Name: text}
		for _, n := range f.index.Near(name, 3) {
			u.Near = append(u.Near, n.String())
		}
		res.UnknownTables = append(res.UnknownTables, u)
	}
	return res, nil
}

func newService(t *testing.T) *fixsql.Service {
	t.Helper()
	s, err := fixsql.New(fixsql.Config{}, fixsql.Deps{Catalog: newCatalog()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func asAlice(t *testing.T) context.Context {
	t.Helper()
	return run.With(t.Context(), run.Context{RunID: "run_1", Principal: run.Principal{ID: "alice"}})
}

func TestFix(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/fix.yaml")
	require.NoError(t, err)
	var cases []struct {
		SQL, Want, Error string
		Same             bool
		Left             []string
	}
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	s := newService(t)
	for _, c := range cases {
		t.Run(c.SQL, func(t *testing.T) {
			t.Parallel()
			res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: c.SQL, ErrorInfo: c.Error})
			require.NoError(t, err)
			want := c.Want
			if c.Same || len(c.Left) > 0 && want == "" {
				want = c.SQL
			}
			require.Equal(t, want, res.GetFixed().GetSql())
			require.Equal(t, want != c.SQL, res.GetChanged())
			require.Equal(t, want != c.SQL, res.GetDiff() != "")
			var left []string
			for _, d := range res.GetRemaining() {
				left = append(left, d.GetCode())
				require.NotEmpty(t, d.GetMessage())
			}
			require.Equal(t, c.Left, left)
			require.Equal(t, len(left) == 0, res.GetFixed().GetValidated())
			require.NotEmpty(t, res.GetDiagnosis())
			require.NotContains(t, res.GetDiagnosis(), "{")
			for _, change := range res.GetChanges() {
				requireAt(t, c.SQL, change)
			}
			if res.GetChanged() {
				again, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: res.GetFixed().GetSql()})
				require.NoError(t, err)
				require.False(t, again.GetChanged(), "a repair is stable")
			}
		})
	}
}

// requireAt holds a change to its place: what stood before stands there in the
// original, unless an earlier round had already changed it.
func requireAt(t *testing.T, sql string, change *fixsqlv1.SqlChange) {
	t.Helper()
	require.NotEmpty(t, change.GetErrorClass())
	require.Positive(t, change.GetPosition().GetLine())
	line := []rune(strings.Split(sql, "\n")[change.GetPosition().GetLine()-1])
	rest := string(line[change.GetPosition().GetColumn()-1:])
	if strings.Contains(sql, change.GetBefore()) && !strings.Contains(change.GetBefore(), "\n") && change.GetErrorClass() == "COLUMN_NOT_FOUND" {
		require.True(t, strings.HasPrefix(rest, change.GetBefore()), "%q is not at %v", change.GetBefore(), change.GetPosition())
	}
}

func TestFixSpeaksChinese(t *testing.T) {
	t.Parallel()
	res, err := newService(t).FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: "SELECT contry FROM orders", UserQuestion: "每个国家的订单"})
	require.NoError(t, err)
	require.Equal(t, "没有列contry，最接近的是country。", res.GetDiagnosis())
	require.Equal(t, "--- original\n+++ fixed\n@@ -1,1 +1,1 @@\n-SELECT contry FROM orders\n+SELECT country FROM orders\n", res.GetDiff())
	require.True(t, res.GetCertain())
	require.GreaterOrEqual(t, res.GetConfidence(), 0.9)
	require.Equal(t, "sg.shop.orders", res.GetFixed().GetTables()[0].GetName())
	require.NotEmpty(t, res.GetTrace().GetRecords())
}

// How sure a text is that stood in double quotes: what the column holds is surer than
// what it may hold.
func TestQuotedTexts(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]float64{
		`SELECT count(*) FROM "付款" WHERE "备注" = "gift"`:   0.9,
		`SELECT count(*) FROM "付款" WHERE "备注" = "urgent"`: 0.6,
		`SELECT concat("备注", " - ") FROM "付款"`:            0.9,
		`SELECT "支付方试", count(*) FROM "付款" GROUP BY 1`:    0.7,
	} {
		res, err := newService(t).FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: sql})
		require.NoError(t, err)
		require.True(t, res.GetFixed().GetValidated(), "%s: %s", sql, res.GetFixed().GetSql())
		require.InDelta(t, want, res.GetConfidence(), 0.01, sql)
	}
}

// What is not there and has no near name is told with what there is.
func TestUnknownColumnsAreToldWithTheOthers(t *testing.T) {
	t.Parallel()
	res, err := newService(t).FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: `SELECT "渠道", count(*) FROM "付款" GROUP BY "渠道"`, UserQuestion: "各渠道的付款数"})
	require.NoError(t, err)
	require.False(t, res.GetChanged())
	require.Zero(t, res.GetConfidence())
	require.ElementsMatch(t, []string{"付款编号", "支付方式", "备注", "金额"}, res.GetRemaining()[0].GetSuggestions())
	require.Contains(t, res.GetDiagnosis(), "现有：")
	require.Contains(t, res.GetDiagnosis(), "支付方式")

	check, err := newService(t).CheckSQL(asAlice(t), &fixsqlv1.CheckSQLRequest{Sql: "SELECT revenue FROM orders"})
	require.NoError(t, err)
	require.Len(t, check.GetDiagnostics()[0].GetSuggestions(), 5, "bounded")

	twice, err := newService(t).CheckSQL(asAlice(t), &fixsqlv1.CheckSQLRequest{Sql: "SELECT revenue FROM orders a JOIN orders b ON a.order_id = b.order_id"})
	require.NoError(t, err)
	require.Equal(t, check.GetDiagnostics()[0].GetSuggestions(), twice.GetDiagnostics()[0].GetSuggestions(), "a table that is read twice has its columns once")
}

func TestTablesOfTheRequestAreKnown(t *testing.T) {
	t.Parallel()
	res, err := newService(t).FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{
		Sql: "SELECT full_nam FROM sg.other.people",
		Tables: []*commonv1.TableDetail{{
			Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "other", Table: "people"}, Columns: []*commonv1.Column{{Name: "full_name", Type: "varchar"}},
		}},
	})
	require.NoError(t, err)
	require.Equal(t, "SELECT full_name FROM sg.other.people", res.GetFixed().GetSql())
}

func TestCheckListsEveryError(t *testing.T) {
	t.Parallel()
	res, err := newService(t).CheckSQL(asAlice(t), &fixsqlv1.CheckSQLRequest{Sql: "SELECT contry, amuont\nFROM orders"})
	require.NoError(t, err)
	require.Len(t, res.GetDiagnostics(), 2)
	require.Equal(t, "COLUMN_NOT_FOUND", res.GetDiagnostics()[1].GetCode())
	require.EqualValues(t, 16, res.GetDiagnostics()[1].GetPosition().GetColumn())
	require.Contains(t, res.GetDiagnostics()[1].GetSuggestions(), "amount")

	res, err = newService(t).CheckSQL(asAlice(t), &fixsqlv1.CheckSQLRequest{Sql: "SELECT country FROM orders"})
	require.NoError(t, err)
	require.Empty(t, res.GetDiagnostics())
}

func TestExplainGolden(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var b strings.Builder
	for _, sql := range []string{
		"SELECT country, sum(amount) AS gmv FROM orders WHERE dt >= DATE '2026-11-01' AND status = 'done' GROUP BY 1 HAVING sum(amount) > 5 ORDER BY gmv DESC LIMIT 3",
		"SELECT o.country, count(*) FROM orders o JOIN items i ON o.order_id = i.order_id GROUP BY o.country",
		"SELECT o.country, i.sku FROM orders o LEFT JOIN items i USING (order_id) WHERE o.dt = DATE '2026-11-01'",
		"SELECT o.country, i.sku FROM orders o CROSS JOIN items i WHERE o.dt = DATE '2026-11-01'",
		"SELECT order_id FROM orders WHERE dt = DATE '2026-11-01' AND country LIKE 'SG' AND status = NULL LIMIT 5",
		"SELECT qty / 2 FROM orders, items WHERE dt > DATE '2026-01-01'",
		"SELECT sku FROM items WHERE sku NOT IN (SELECT country FROM orders WHERE dt = DATE '2026-01-01')",
		"SELECT sku FROM items WHERE order_id NOT IN (SELECT order_id FROM orders WHERE dt = DATE '2026-01-01')",
		"SELECT count(*) FROM orders WHERE dt = DATE '2026-01-01' LIMIT 1",
		"SELECT contry FROM orders WHERE dt = DATE '2026-01-01'",
		"SELECT FROM",
	} {
		b.WriteString("=== " + sql + "\n")
		for _, l := range []commonv1.Language{commonv1.Language_LANGUAGE_EN, commonv1.Language_LANGUAGE_ZH} {
			res, err := s.ExplainSQL(asAlice(t), &fixsqlv1.ExplainSQLRequest{Sql: sql, UserContext: &commonv1.UserContext{Language: l}})
			require.NoError(t, err)
			require.NotContains(t, res.GetExplanation(), "{")
			b.WriteString(res.GetExplanation() + "\n")
			if l == commonv1.Language_LANGUAGE_EN {
				for _, d := range res.GetDangers() {
					b.WriteString("! " + d.GetCode() + "\n")
				}
			}
			b.WriteString("---\n")
		}
	}
	const path = "testdata/explain.golden"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Source: "nowhere", Sql: "SELECT 1"})
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	_, err = s.FixSQL(t.Context(), &fixsqlv1.FixSQLRequest{Sql: "SELECT 1"})
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
	_, err = fixsql.New(fixsql.Config{MaxRounds: -1}, fixsql.Deps{Catalog: newCatalog()})
	require.ErrorContains(t, err, "max_rounds")
	_, err = fixsql.New(fixsql.Config{}, fixsql.Deps{})
	require.Error(t, err)
}

// Whatever the text, a repair ends, keeps its bounds and does not panic.
func FuzzFix(f *testing.F) {
	for _, seed := range []string{"SELECT `a` FROM `b", "LIMIT 1,2", "((((", "a::b::c", "ifnull(ifnull(", "INTERVAL '9999999999999999999 weeks'", "; ;", "！，", "date_add(x, interval", "SELECT 1 ILIKE"} {
		f.Add(seed)
	}
	s, err := fixsql.New(fixsql.Config{}, fixsql.Deps{Catalog: newCatalog()})
	if err != nil {
		f.Fatal(err)
	}
	ctx := run.With(context.Background(), run.Context{Principal: run.Principal{ID: "alice"}})
	f.Fuzz(func(t *testing.T, sql string) {
		if _, err := s.FixSQL(ctx, &fixsqlv1.FixSQLRequest{Sql: sql}); err != nil {
			require.NotEmpty(t, fault.ReasonOf(err))
		}
	})
}

// TestTextOfAStatementIsText: a statement's own texts and names stand in its
// explanation and in what is wrong with it.
func TestTextOfAStatementIsText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const active = "![x](http://evil.example/b)<img src=x>"
	explained, err := s.ExplainSQL(asAlice(t), &fixsqlv1.ExplainSQLRequest{Sql: "SELECT order_id FROM orders WHERE status = '" + active + "'"})
	require.NoError(t, err)
	require.Contains(t, explained.GetExplanation(), "x (http://evil.example/b)‹img src=x>")
	require.NotContains(t, explained.GetExplanation(), active)

	checked, err := s.CheckSQL(asAlice(t), &fixsqlv1.CheckSQLRequest{Sql: `SELECT "` + active + `" FROM orders`})
	require.NoError(t, err)
	require.NotEmpty(t, checked.GetDiagnostics())
	require.Contains(t, checked.GetDiagnostics()[0].GetMessage(), "http://evil.example/b")
	require.NotContains(t, checked.GetDiagnostics()[0].GetMessage(), active)

	fixed, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: `SELECT "` + active + `" FROM orders`})
	require.NoError(t, err)
	require.Contains(t, fixed.GetDiagnosis(), "http://evil.example/b")
	require.NotContains(t, fixed.GetDiagnosis(), active)
}
