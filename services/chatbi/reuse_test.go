package chatbi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestTheSameStatementGivesItsRowsAgain without the engine, for the same person on the
// same data, and for nobody and nothing else.
func TestTheSameStatementGivesItsRowsAgain(t *testing.T) {
	t.Parallel()
	var sources *source.Store
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { sources = d.Sources })
	run := func(who string, q *chatbiv1.ExecuteQuery) (r *chatbiv1.ExecuteResult, again bool) {
		t.Helper()
		res, err := s.ExecuteAndAnalyzeUnary(as(t.Context(), who), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: q})
		require.NoError(t, err)
		r = res.GetResult()
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetAnswer())
		return r, r.GetReadAt() != nil
	}
	const counted = "SELECT country, count(*) AS orders FROM orders GROUP BY country ORDER BY country"
	first, again := run("alice", &chatbiv1.ExecuteQuery{Sql: counted})
	require.False(t, again)
	second, again := run("alice", &chatbiv1.ExecuteQuery{Sql: "select country,\n  count( * ) orders -- as before\nfrom orders\ngroup by country order by country"})
	require.True(t, again, "the tree is the same")
	require.Equal(t, now.UTC(), second.GetReadAt().AsTime())
	require.Zero(t, second.GetEngineMilliseconds())
	require.Equal(t, first.GetPage().GetResultId(), second.GetPage().GetResultId())
	require.Equal(t, first.GetPage().GetRows(), second.GetPage().GetRows())
	require.Equal(t, first.GetAnswer(), second.GetAnswer())
	require.Equal(t, first.GetCertificate().GetRows(), second.GetCertificate().GetRows())

	for name, q := range map[string]*chatbiv1.ExecuteQuery{
		"it is asked for": {Sql: counted, Fresh: true},
		"another limit":   {Sql: counted + " LIMIT 1"},
	} {
		_, again = run("alice", q)
		require.False(t, again, name)
	}
	_, again = run("bob", &chatbiv1.ExecuteQuery{Sql: counted})
	require.False(t, again, "somebody else's rows")
	for _, sql := range []string{
		"SELECT count(*) AS n FROM orders WHERE dt <= current_date", "SELECT count(*) AS n FROM orders WHERE dt <= now()",
		"SELECT count(*) AS n FROM orders WHERE random() < 2", "SELECT count(*) AS n FROM orders WHERE CAST(localtimestamp AS varchar) <> ''",
		"SELECT current_user AS me", "SELECT count(*) AS n FROM orders TABLESAMPLE BERNOULLI (100)",
	} {
		for range 2 {
			_, again = run("alice", &chatbiv1.ExecuteQuery{Sql: sql})
			require.False(t, again, sql)
		}
	}

	makeSource(t, sources, shop+"DELETE FROM shop.orders WHERE order_id > 5;")
	changed, again := run("alice", &chatbiv1.ExecuteQuery{Sql: counted})
	require.False(t, again, "the data are others")
	require.NotEqual(t, first.GetPage().GetRows(), changed.GetPage().GetRows())
	_, again = run("alice", &chatbiv1.ExecuteQuery{Sql: counted})
	require.True(t, again)
}

// TestNothingIsGivenAgain where the configuration says so.
func TestNothingIsGivenAgain(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) { c.Store.NoReuse = true })
	for range 2 {
		require.Nil(t, execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS n FROM orders"}).GetReadAt())
	}
}

// TestAChangedPolicyGivesNoOldRows: what a person may no longer see is not there in what
// the person has stored either.
func TestAChangedPolicyGivesNoOldRows(t *testing.T) {
	t.Parallel()
	s, change, _ := underPolicy(t, countryPolicy)
	const sql = "SELECT count(*) AS n FROM orders"
	before := executeAs(t, s, "bob", sql)
	require.NotNil(t, executeAs(t, s, "bob", sql).GetReadAt())
	theirs := executeAs(t, s, "alice", sql)
	require.Nil(t, theirs.GetReadAt())
	require.NotEqual(t, before.GetPage().GetRows(), theirs.GetPage().GetRows())
	change("rules: [{filter: order_id < 3}]")
	after := executeAs(t, s, "bob", sql)
	require.Nil(t, after.GetReadAt())
	require.NotEqual(t, before.GetPage().GetRows(), after.GetPage().GetRows())
	change("rules: [{user: alice}]")
	require.NotEqual(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, executeAs(t, s, "bob", sql).GetOutcome())
}
