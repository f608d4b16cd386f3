package fixsql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
)

// TestInstruction: what is asked for is carried out after the repair, and what cannot be is
// told.
func TestInstruction(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ask := func(sql, instruction, question string) *fixsqlv1.FixSQLResponse {
		res, err := s.FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: sql, Instruction: instruction, UserQuestion: question})
		require.NoError(t, err)
		return res
	}
	const wanted = `SELECT "付款编号" FROM "付款" WHERE "付款"."支付方式" = '信用卡'`
	res := ask(`SELECT "付款编号" FORM "付款"`, "只看信用卡", "")
	require.Equal(t, wanted, res.GetFixed().GetSql())
	require.True(t, res.GetFixed().GetValidated())
	require.Len(t, res.GetChanges(), 2)
	require.Contains(t, res.GetDiagnosis(), "按要求")

	// A message that holds the statement and asks for a change of it says the same.
	const pasted = `SELECT "付款编号" FROM "付款"`
	require.Equal(t, wanted, ask(pasted, "", "把下面的SQL改成只看信用卡：\n```sql\n"+pasted+"\n```").GetFixed().GetSql())
	require.Equal(t, pasted, ask(pasted, "", "fix this please: "+pasted).GetFixed().GetSql())
	require.Equal(t, pasted, ask(pasted, "", "只看信用卡").GetFixed().GetSql(), "the question that a statement should answer is no instruction")

	res = ask("SELECT order_id FROM orders", "only Mars, top 3", "")
	require.Equal(t, "SELECT order_id FROM orders LIMIT 3", res.GetFixed().GetSql())
	require.Equal(t, []string{"only Mars"}, res.GetUnmet())
	require.False(t, res.GetCertain())
	require.Contains(t, res.GetDiagnosis(), "`only Mars`")

	res = ask("SELECT order_id FROM orders", "add the shoe size", "")
	require.False(t, res.GetChanged())
	require.Contains(t, res.GetDiagnosis(), "shoe size")
	require.NotContains(t, res.GetDiagnosis(), "nothing was changed")
}

// TestDangersAreTold: what is valid and seldom meant is told with a repair and stays.
func TestDangersAreTold(t *testing.T) {
	t.Parallel()
	const sql = "SELECT qty / 2 FROM orders WHERE status = NULL AND dt > DATE '2026-01-01'"
	res, err := newService(t).FixSQL(asAlice(t), &fixsqlv1.FixSQLRequest{Sql: sql})
	require.NoError(t, err)
	require.Equal(t, sql, res.GetFixed().GetSql())
	var codes []string
	for _, d := range res.GetDangers() {
		codes = append(codes, d.GetCode())
	}
	require.ElementsMatch(t, []string{"INTEGER_DIVISION", "EQUALS_NULL"}, codes)
}
