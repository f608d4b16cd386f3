package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestWhatIsToComeAndWhatIsUnusual are for the analysis; words of these that a table may
// have for its columns, and all else that stands beside them, are not.
func TestWhatIsToComeAndWhatIsUnusual(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for message, analysed := range map[string]bool{
		"any anomalies in fares last month?":                      true,
		"Are there any outliers in the waiting time?":             true,
		"is anything unusual in the load of line 4 this week":     true,
		"anomaly sweep over the KPIs":                             true,
		"forecast rides for the next two weeks":                   true,
		"can you predict the number of visits for the next month": true,
		"what is the forecast for rides for the coming days":      true,
		"forecast rides": true,
		"上个月的车费有没有异常":    true,
		"检测过去60天就诊量的异常":  true,
		"预测下周的订单量":       true,
		"预测一下就诊量":        true,
		"未来两周的订单量预测":     true,

		"forecast amount by region in 2025":                false,
		"compare forecast and actual sales by region":      false,
		"forecast accuracy per product":                    false,
		"各产品的预测销量":                                         false,
		"异常订单数按国家":                                         false,
		"orders that are due next week":                    false,
		"write a SQL that finds outliers in fares":         false,
		"which table has anomalies of the sensors":         false,
		"forecast the weather for tomorrow":                false,
		"any unusual errors in the logs of the router":     false,
		"why did unusual fares rise last month":            false,
		"write the query for a forecast of the next month": false,
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: message, Language: lang.Detect(message)})
		require.NoError(t, err)
		require.Equal(t, analysed, len(d.Plan) == 1 && d.Plan[0] == tools.Analyze, "%s: %v", message, d)
	}
}

// TestReasonsAreAskedInManyWords: a figure that fell, stands low, or is not there, and what
// happened to one, are looked into; a method, a table or a condition is not.
func TestReasonsAreAskedInManyWords(t *testing.T) {
	t.Parallel()
	rules, err := newRules(t), error(nil)
	require.NoError(t, err)
	for message, looked := range map[string]bool{
		"Why did bookings collapse in May?":                    true,
		"Bookings were down in May. What's the reason?":        true,
		"What happened to sales in March?":                     true,
		"Why were there no sales on 3 May?":                    true,
		"Why were there more sales on 3 May?":                  true,
		"Why have there been so few sales since May?":          true,
		"5月订单量怎么掉了这么多？":                                        true,
		"为什么5月的取消率比3月高":                                        true,
		"昨天为什么没有订单量":                                           true,
		"昨天订单量怎么没了":                                            true,
		"怎么查询上个月的订单量":                                          false,
		"what happened to the table dwd_order_df in May?":      false,
		"which sales had the highest amount last month?":       false,
		"why does my query fail: SELECT amount FROM sales s s": false,
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: message, Language: lang.Detect(message)})
		require.NoError(t, err)
		require.Equal(t, looked, len(d.Plan) == 1 && d.Plan[0] == tools.ExplainChange, "%s: %v", message, d)
	}
}
