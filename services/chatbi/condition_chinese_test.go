package chatbi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// TestConditionsWithSubqueriesInChinese: neither the sentence nor the conditions that are told hold the subquery's SQL.
func TestConditionsWithSubqueriesInChinese(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := execute(t, s, &chatbiv1.ExecuteQuery{
		Sql:          "SELECT count(*) AS n FROM orders AS a WHERE NOT EXISTS (SELECT 1 FROM orders AS b WHERE a.order_id = b.order_id AND b.amount > 1000000)",
		UserQuestion: "有多少订单？", UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_ZH},
	})
	require.Contains(t, r.GetAnswer(), "在 orders （b.amount > 1000000）中没有对应的记录")
	require.NotContains(t, r.GetAnswer(), "SELECT")
	require.NotContains(t, r.GetCertificate().GetFilters()[0], "SELECT")
}
