package followup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

func TestInForce(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	name := func(id string) string { return map[string]string{"c": "crop", "d": "day", "h": "hectares"}[id] }
	on := func(id string, op intent.Op, values ...string) intent.Cond {
		c := intent.Cond{Op: op, Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: id}}}
		for _, v := range values {
			c.Values = append(c.Values, intent.Literal{Text: v})
		}
		return c
	}
	average := on("h", intent.Gt, "600")
	average.Left.Agg = intent.AggAvg
	in := intent.Intent{
		Filters: []intent.Cond{on("c", intent.In, "Oats", "Rye"), on("d", intent.Ge, "2030-01-01"), on("d", intent.Lt, "2031-01-01"), {Op: intent.Exists, Sub: &intent.Intent{}}},
		Having:  []intent.Cond{average}, Limit: 3, OrderBy: []intent.Order{{}},
	}
	require.Equal(t, "In force: crop = Oats, Rye; day 2030-01-01 to 2030-12-31; the other conditions of the question before; average of hectares > 600; the first 3 only.", texts.InForce(lang.English, &in, name))
	require.Equal(t, "当前条件：crop = Oats、Rye；day 2030-01-01 至 2030-12-31；之前问题的其他条件；hectares平均值 > 600；仅前 3 个。", texts.InForce(lang.Chinese, &in, name))
	require.Empty(t, texts.InForce(lang.English, &intent.Intent{}, name))
	require.Equal(t, "crop is missing", texts.Condition(lang.English, on("c", intent.IsNull), name))
	weekend := on("d", intent.In, "Saturday", "Sunday")
	weekend.Left.Grain = intent.Weekday
	require.Equal(t, "day (day of the week) = Saturday, Sunday", texts.Condition(lang.English, weekend, name))
	require.Equal(t, "day（星期几） = 星期六、星期日", texts.Condition(lang.Chinese, weekend, name))
}
