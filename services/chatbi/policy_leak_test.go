package chatbi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestErrorsOnProtectedDataAreOne: what fails on data of a protected table is one
// error, whatever the value; errors of names and types stay whole.
func TestErrorsOnProtectedDataAreOne(t *testing.T) {
	t.Parallel()
	s, _, _ := underPolicy(t, countryPolicy)
	var first string
	for i, sql := range []string{
		"SELECT sum(CAST(country AS bigint)) FROM orders", "SELECT 1 / (order_id - order_id) FROM orders",
		"SELECT ARRAY[1][order_id] FROM orders", "SELECT order_id + 9223372036854775807 FROM orders",
		"SELECT json_parse(country) FROM orders", "SELECT order_id FROM orders WHERE order_id = (SELECT o.order_id FROM orders o)",
		"SELECT country FROM orders WHERE 1 / (CASE WHEN country LIKE 'S%' THEN 0 ELSE 1 END) = 1",
	} {
		res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "bob"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql}})
		require.NoError(t, err)
		require.Equal(t, "DATA_ERROR", res.GetResult().GetError().GetCode(), sql)
		require.Nil(t, res.GetResult().GetError().GetPosition(), sql)
		said := res.GetResult().GetError().String() + res.GetResult().GetAnswer()
		if i == 0 {
			first = said
		}
		require.Equal(t, first, said, sql)
		trace := prototext.Format(res.GetTrace())
		for _, told := range []string{"INVALID_CAST", "DIVISION_BY_ZERO", "INVALID_FUNCTION", "NUMERIC_VALUE", "SUBQUERY", "cannot", "'SG'"} {
			require.NotContains(t, trace, told, "%s\n%s", sql, trace)
		}
		require.Contains(t, trace, "own words are not shown", "the step tells that it failed")
	}
	names := executeAs(t, s, "bob", "SELECT countri FROM orders").GetError()
	require.Equal(t, "COLUMN_NOT_FOUND", names.GetCode())
	require.Contains(t, names.GetMessage(), "countri")
	require.Equal(t, "TYPE_MISMATCH", executeAs(t, s, "bob", "SELECT order_id FROM orders WHERE country = 5").GetError().GetCode())
}

// TestEstimatesTellNothingOfProtectedRows: neither the estimate, nor its step, nor
// the question about the cost has a figure that depends on hidden rows or values.
func TestEstimatesTellNothingOfProtectedRows(t *testing.T) {
	t.Parallel()
	s, _, _ := underPolicy(t, countryPolicy)
	said := map[string]bool{}
	for _, where := range []string{"", " WHERE country = 'BR'", " WHERE dt = DATE '2026-11-11'", " WHERE order_id > 900"} {
		e, err := s.EstimateCost(as(t.Context(), "bob"), &chatbiv1.EstimateCostRequest{Sql: "SELECT count(*) FROM orders" + where, Freshness: true})
		require.NoError(t, err)
		require.Len(t, e.GetTables(), 1)
		require.Empty(t, e.GetTables()[0].GetLatestPartition(), "what the newest rows of others are is not told")
		require.Equal(t, int64(-1), e.GetRows())
		require.Equal(t, int64(-1), e.GetBytes())
		require.Equal(t, "withheld", e.GetMethod())
		said[prototext.Format(e)] = true
	}
	require.Len(t, said, 1)
	open, err := s.EstimateCost(as(t.Context(), "alice"), &chatbiv1.EstimateCostRequest{Sql: "SELECT count(*) FROM orders"})
	require.NoError(t, err)
	require.Positive(t, open.GetRows())
	require.Empty(t, open.GetTables(), "nobody asked")
	fresh, err := s.EstimateCost(as(t.Context(), "alice"), &chatbiv1.EstimateCostRequest{Sql: "SELECT count(*) FROM orders", Freshness: true})
	require.NoError(t, err)
	require.Equal(t, "sg.shop.orders", fresh.GetTables()[0].GetTable())
	require.NotEmpty(t, fresh.GetTables()[0].GetLatestPartition())

	dear := underPolicyWith(t, countryPolicy, func(c *chatbi.Config, _ *chatbi.Deps) { c.Cost.AskRows = 10 })
	res, err := dear.ExecuteAndAnalyzeUnary(as(t.Context(), "bob"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) FROM orders"}})
	require.NoError(t, err)
	require.Equal(t, "How much this would read from sg.shop.orders is not known, and it may be much. Run it?", res.GetResult().GetQuestion().GetText())
	for _, r := range res.GetTrace().GetRecords() { // digits that are nobody's figures
		r.RunId, r.ParentRunId, r.StartedAt, r.EndedAt = "", "", nil, nil
	}
	require.NotContains(t, prototext.Format(res), "900")
	require.Contains(t, executeAs(t, dear, "alice", "SELECT count(*) FROM orders").GetQuestion().GetText(), "900")
}

func underPolicyWith(t *testing.T, text string, change func(*chatbi.Config, *chatbi.Deps)) *chatbi.Service {
	t.Helper()
	rules, err := policy.Open(writeFile(t, text), func() time.Time { return now }, nil)
	require.NoError(t, err)
	return newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		d.Policy = rules
		change(c, d)
	})
}

// TestUnknownCost: what happens to a statement of unknown cost is a setting, and a
// condition that leaves out no partitions settles nothing.
func TestUnknownCost(t *testing.T) {
	t.Parallel()
	outcome := func(unknown chatbi.CostAction, where string, confirmed bool) *chatbiv1.ExecuteResult {
		s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
			c.Cost.Unknown = unknown
			d.Catalog = catalogWithout(t)
		})
		return execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) FROM orders" + where, CostConfirmed: confirmed})
	}
	for _, all := range []string{"", " WHERE dt > DATE '1970-01-01'", " WHERE dt < DATE '2030-01-01'", " WHERE dt BETWEEN DATE '1970-01-01' AND DATE '2099-01-01'", " WHERE dt IS NOT NULL"} {
		asked := outcome(chatbi.CostAsk, all, false)
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, asked.GetOutcome(), all)
		require.True(t, strings.HasPrefix(asked.GetQuestion().GetText(), "How much this would read from sg.shop.orders is not known"), asked.GetQuestion().GetText())
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, outcome(chatbi.CostAsk, all, true).GetOutcome(), all)
		require.Equal(t, "COST_LIMIT_EXCEEDED", outcome(chatbi.CostRefuse, all, true).GetError().GetCode(), all)
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, outcome("", all, false).GetOutcome(), "the embedded engine's tables are those of this machine")
	}
	for _, some := range []string{" WHERE dt = DATE '2026-11-11'", " WHERE dt >= current_date - INTERVAL '7' DAY", " WHERE dt > DATE '2025-01-01'", " WHERE dt IN (DATE '2026-11-11', DATE '2026-11-12')"} {
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, outcome(chatbi.CostRefuse, some, false).GetOutcome(), some)
	}
	_, err := chatbi.Config{Cost: chatbi.CostConfig{Unknown: "maybe"}}.Complete()
	require.ErrorContains(t, err, "chatbi.cost.unknown")
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// catalogWithout is findata that has no figures of the table.
func catalogWithout(t *testing.T) fakeCatalog {
	t.Helper()
	unknown := tables()
	unknown[0].RowCount = -1
	return fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: unknown}, catalog.Defaults{Region: "sg", Schema: "shop"})}
}
