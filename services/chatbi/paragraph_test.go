package chatbi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// TestCertificatesAreToldInAParagraph: where the rows come from, who defines the figures,
// what is left out, changed and assumed, in both languages and bounded.
func TestCertificatesAreToldInAParagraph(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, c := range []struct {
		query *chatbiv1.ExecuteQuery
		en    string
		zh    string
	}{
		{
			&chatbiv1.ExecuteQuery{Sql: "SELECT count(*) AS n FROM orders"},
			"The answer has 1 row from sg.shop.orders (newest partition 2026-11-19). No definition of a semantic layer was used: columns were taken by their names and values. No condition leaves rows out. The statement was checked against the catalog and ran under your own rights.",
			"结果共1行，来自sg.shop.orders（最新分区2026-11-19）。没有使用语义层的定义：字段按其名称和值选取。没有任何条件排除数据。",
		},
		{
			&chatbiv1.ExecuteQuery{
				Sql: "SELECT sum(amount) AS gmv FROM orders WHERE country = 'SG' LIMIT 5", Metrics: []string{"GMV: Value of all orders, in USD"}, Confidence: 0.9,
				Assumptions: []string{"Cancelled orders count.", "b", "c", "d", "e", "f"},
			},
			"The answer has 1 row from sg.shop.orders (newest partition 2026-11-19). Its figures are defined by the semantic layer: GMV. Only rows are in it where country is 'SG'. Assumed: Cancelled orders count; b; c; d; 2 more. The statement was checked against the catalog and ran under your own rights.",
			"指标按语义层的定义计算：GMV。只包含符合以下条件的数据：country = 'SG'。假设：Cancelled orders count；b；c；d；另外2个。语句已对照数据目录检查，并以您自己的权限运行。",
		},
	} {
		require.Equal(t, c.en, execute(t, s, c.query).GetCertificate().GetParagraph())
		c.query.UserContext = &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_ZH}
		require.Contains(t, execute(t, s, c.query).GetCertificate().GetParagraph(), c.zh)
	}
	refused := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT x FROM nowhere"})
	require.Empty(t, refused.GetCertificate().GetParagraph())
}
