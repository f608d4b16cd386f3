package chatbi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestLimitsCountFromTheNextStatement: pages, the LIMIT that the guard adds and the rows of one
// result are those of the newest configuration.
func TestLimitsCountFromTheNextStatement(t *testing.T) {
	t.Parallel()
	var config chatbi.Config
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { config = *c })
	run := func(sql string) *chatbiv1.ExecuteResult {
		got, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), "alice"), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Sql: sql}})
		require.NoError(t, err)
		return got.GetResult()
	}
	const rows = "SELECT order_id, note FROM orders"
	before := run(rows).GetPage()
	require.Len(t, before.GetRows(), 100)
	require.EqualValues(t, 900, before.GetTotalRows())
	config.Limits.PageSize, config.Limits.DefaultLimit = 7, 30
	require.NoError(t, s.Reconfigure(config))
	after := run(rows).GetPage()
	require.Len(t, after.GetRows(), 7)
	require.EqualValues(t, 30, after.GetTotalRows())
	config.Limits.DefaultLimit, config.Limits.MaxRows = 0, 20
	require.NoError(t, s.Reconfigure(config))
	require.EqualValues(t, 900, run(rows).GetPage().GetTotalRows(), "engines are opened with what no statement gets more of")
	page, err := s.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: before.GetResultId()})
	require.NoError(t, err)
	require.Len(t, page.GetPage().GetRows(), 7, "of an earlier result too")
	require.EqualValues(t, 900, page.GetPage().GetTotalRows())
}
