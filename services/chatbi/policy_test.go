package chatbi_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/services/chatbi"
)

// countryPolicy lets bob see Singapore's orders without notes and with round fees.
const countryPolicy = `
rules:
  - name: bob
    user: bob
    table: orders
    filter: country = 'SG' and note is not null
    purpose: orders of your own country
    columns:
      - {name: fee_sgd, mask: "0", purpose: fees are not for you}
      - {name: note, access: deny}
  - {name: broken, user: carol, filter: gone = 1}
  - {name: all, user: alice}
`

// listingCatalog also lists the tables.
type listingCatalog struct{ fakeCatalog }

func (l listingCatalog) ListTables(_ context.Context, in *findatav1.ListTablesRequest, _ ...grpc.CallOption) (*findatav1.ListTablesResponse, error) {
	tables := tables()
	if !in.GetWithColumns() {
		tables[0].Columns = nil
	}
	return &findatav1.ListTablesResponse{Tables: catalogpb.FromTables(tables)}, nil
}

func underPolicy(t *testing.T, text string) (*chatbi.Service, func(string), *time.Time) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	clock := now
	write := func(text string) {
		clock = clock.Add(time.Hour)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, clock, clock))
	}
	write(text)
	rules, err := policy.Open(path, func() time.Time { return clock }, nil)
	require.NoError(t, err)
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		fake, ok := d.Catalog.(fakeCatalog)
		require.True(t, ok)
		d.Catalog, d.Policy = listingCatalog{fake}, rules
	})
	return s, write, &clock
}

func executeAs(t *testing.T, s *chatbi.Service, who, sql string) *chatbiv1.ExecuteResult {
	t.Helper()
	res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), who), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql}})
	require.NoError(t, err)
	return res.GetResult()
}

func TestEverybodyGetsTheirOwnRows(t *testing.T) {
	t.Parallel()
	s, _, _ := underPolicy(t, countryPolicy)
	const sql = "SELECT country, count(*) AS orders, min(fee_sgd) AS fee FROM orders GROUP BY country ORDER BY country"
	all, mine := executeAs(t, s, "alice", sql), executeAs(t, s, "bob", sql)
	require.Greater(t, len(all.GetPage().GetRows()), 1)
	require.Empty(t, rulesOf(all))
	require.Len(t, mine.GetPage().GetRows(), 1)
	require.Equal(t, "SG", mine.GetPage().GetRows()[0].GetValues()[0].GetStringValue())
	require.Equal(t, []string{"row_filter", "column_mask", "hidden_columns", "limit"}, rulesOf(mine))
	require.Equal(t, "only rows of sg.shop.orders that you may read: orders of your own country", mine.GetGuardChanges()[0].GetMessage())
	require.Equal(t, "values of sg.shop.orders.fee_sgd are replaced: fees are not for you", mine.GetGuardChanges()[1].GetMessage())
	require.Len(t, mine.GetCertificate().GetGuardChanges(), 4, "the certificate says so too")
	require.Equal(t, []string{"POLICY_APPLIED", "POLICY_APPLIED"}, warnings(mine), "who reads the answer is told")
	require.Equal(t, "only rows of sg.shop.orders that you may read are counted: orders of your own country", mine.GetWarnings()[0].GetMessage())
	require.Empty(t, mine.GetCertificate().GetTables()[0].GetLatestPartition(), "what the newest rows of others are is not told")
	text := prototext.Format(mine)
	require.NotContains(t, text, "country = 'SG'", "the policy's expressions are not shown")
	require.NotContains(t, text, "note", "nor the columns that they are about")
	require.Equal(t, sql+" LIMIT 10000", mine.GetExecutedSql())

	nobody := executeAs(t, s, "dave", sql)
	require.Equal(t, "TABLE_NOT_FOUND", nobody.GetError().GetCode())
	broken := executeAs(t, s, "carol", sql)
	require.Equal(t, "POLICY_BROKEN", broken.GetError().GetCode())
	require.NotContains(t, prototext.Format(broken), "gone")
	denied := executeAs(t, s, "bob", "SELECT note FROM orders")
	require.Equal(t, "COLUMN_NOT_FOUND", denied.GetError().GetCode())
}

func rulesOf(r *chatbiv1.ExecuteResult) (rules []string) {
	for _, c := range r.GetGuardChanges() {
		if r.GetGuardChanges() != nil && (c.GetRule() != "limit" || len(r.GetGuardChanges()) > 1) {
			rules = append(rules, c.GetRule())
		}
	}
	return rules
}

func TestWhatTheEngineSaysOfProtectedTables(t *testing.T) {
	t.Parallel()
	s, _, _ := underPolicy(t, countryPolicy)
	const sql = "SELECT sum(CAST(country AS bigint)) FROM orders"
	open, protected := executeAs(t, s, "alice", sql), executeAs(t, s, "bob", sql)
	require.Equal(t, "INVALID_CAST_ARGUMENT", open.GetError().GetCode())
	require.Equal(t, "DATA_ERROR", protected.GetError().GetCode())
	require.Contains(t, open.GetError().GetMessage(), "SG")
	require.NotContains(t, prototext.Format(protected), "SG")
	require.NotContains(t, prototext.Format(protected), "MY")

	for who, shown := range map[string]bool{"alice": true, "bob": false} {
		e, err := s.EstimateCost(as(t.Context(), who), &chatbiv1.EstimateCostRequest{Sql: "SELECT count(*) FROM orders"})
		require.NoError(t, err)
		require.Equal(t, shown, e.GetPlan() != "", "a plan has the conditions of the policy in it")
	}
}

func TestAPolicyThatCannotBeReadClosesAll(t *testing.T) {
	t.Parallel()
	s, write, clock := underPolicy(t, countryPolicy)
	write("rules: [{user: alice, colour: red}]")
	_, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: "SELECT 1 FROM orders"}})
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.Contains(t, err.Error(), "access policy")
	write(countryPolicy)
	*clock = clock.Add(time.Hour)
	require.Nil(t, executeAs(t, s, "alice", "SELECT count(*) FROM orders").GetError())
}

func TestQuestionsAboutTheWarehouse(t *testing.T) {
	t.Parallel()
	s, _, _ := underPolicy(t, countryPolicy)
	names := func(who, sql string) (out []string) {
		r := executeAs(t, s, who, sql)
		require.Nil(t, r.GetError(), sql)
		for _, row := range r.GetPage().GetRows() {
			out = append(out, row.GetValues()[0].GetStringValue())
		}
		return out
	}
	require.Equal(t, []string{"orders"}, names("bob", "SHOW TABLES"))
	require.Empty(t, names("dave", "SHOW TABLES"))
	require.Equal(t, []string{"order_id", "dt", "country", "amount", "fee_sgd"}, names("bob", "DESCRIBE orders"))
	require.Equal(t, []string{"order_id", "dt", "country", "amount", "fee_sgd", "note"}, names("alice", "DESCRIBE orders"))
	require.Empty(t, names("bob", "SELECT column_name FROM information_schema.columns WHERE column_name = 'note'"))
	require.Equal(t, "TABLE_NOT_FOUND", executeAs(t, s, "dave", "DESCRIBE orders").GetError().GetCode())
}
