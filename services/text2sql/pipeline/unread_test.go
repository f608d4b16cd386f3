package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// A refusal names the words that the data do not know, whole, and no stored value among them.
func TestARefusalNamesWhatTheDataDoNotKnow(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	schema := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "收费记录"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "收费编号", Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 900},
		{Name: "费用项目", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"保养费", "检测费"}},
		{Name: "支付渠道", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"刷卡", "微信"}},
		{Name: "实收金额", Type: "decimal(10,2)", NotNull: true, Distinct: 700},
	}}}, nil)
	for _, question := range []string{"格拉斯哥的微信收费记录有多少？", "格拉斯哥微信保养费的平均实收金额"} {
		got := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Language: lang.Chinese})
		require.Equal(t, pipeline.Abstained, got.Outcome, question)
		require.Equal(t, []string{"格拉斯哥"}, got.NotUnderstood, question)
	}
}
