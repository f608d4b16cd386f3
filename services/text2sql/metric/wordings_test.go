package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

const soFar = "grass_date BETWEEN DATE '2026-11-01' AND DATE '2026-11-19'"

// running is the daily value of a table so far this month beside its running total.
func running(value, table string) string {
	return "SELECT grass_date, v, sum(v) OVER (ORDER BY grass_date) FROM (SELECT grass_date, " + value + " AS v FROM " + table + " WHERE " + soFar + " GROUP BY 1) ORDER BY 1"
}

// TestWordings asks the same things in the many ways that people put them, and
// compares the rows with those of a statement written by hand.
func TestWordings(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	const (
		delivery = "sg.spx_mart.dws_spx_delivery_1d WHERE grass_region = 'BR' AND "
		sessions = "sg.cb_mart.dws_chatbot_1d__reg_s0_live"
	)
	onTime := "sum(on_time_parcel_cnt)::DOUBLE / sum(delivered_parcel_cnt)"
	for _, c := range []struct {
		want      string
		questions []string
	}{
		{ // the dictionary has 各类, which begins no category
			"SELECT level1_category, sum(gmv_usd) FROM sg.mp_order.dws_category_gmv_1d__reg_s0_live WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"10月各类目的成交额", "各类目10月的成交额", "GMV by category in October"},
		},
		{ // steps of time are ranked as things are
			"SELECT date_trunc('month', grass_date)::DATE, sum(order_cnt) FROM " + sgDaily + " WHERE grass_date BETWEEN DATE '2026-01-01' AND DATE '2026-10-31' GROUP BY 1 ORDER BY 2, 1 LIMIT 3",
			[]string{"The three months with the fewest orders in Singapore from January to October 2026", "2026年1月到10月新加坡订单数最少的三个月"},
		},
		{ // how a period was against another
			"SELECT a.v, b.v, a.v - b.v, (a.v - b.v)::DOUBLE / b.v FROM (SELECT " + onTime + " AS v FROM " + delivery + october + ") a, (SELECT " + onTime + " AS v FROM " + delivery + september + ") b",
			[]string{"Did the on-time rate in Brazil get better in October than in September?", "did the on-time rate in Brazil improve in October vs September", "巴西10月的准时率比9月好吗", "How did the October on-time rate stack up against September in Brazil?"},
		},
		{ // which way is better is a property of the metric
			"SELECT a.k, a.v, b.v, a.v - b.v, (a.v - b.v) / b.v FROM (SELECT grass_region AS k, sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) AS v FROM " + overview + " WHERE " + october + " GROUP BY 1) a JOIN (SELECT grass_region AS k, sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) AS v FROM " + overview + " WHERE " + september + " GROUP BY 1) b ON a.k = b.k WHERE a.v < b.v ORDER BY 2 DESC, 1",
			[]string{"Which countries had a better cancellation rate in October than in September?"},
		},
		{ // values of one dimension side by side
			"SELECT bot_version, sum(session_cnt) FROM " + sessions + " WHERE " + october + " AND bot_version IN ('v2', 'v3') GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"10月机器人v2和v3的会话数各是多少", "sessions of the chatbot v2 vs v3 in October"},
		},
		{ // a number that agrees with the list, or with all that there is
			"SELECT platform, sum(gmv_usd) FROM " + orderItems("th") + " WHERE " + lastWeek + " AND platform IN ('IOS', 'ANDROID', 'WEB') GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"the three platforms' GMV in Thailand last week", "GMV of the three platforms iOS, Android and Web in Thailand last week", "上周泰国iOS、安卓、网页三个平台的成交额"},
		},
		{
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"orders in the eight countries in October", "10月八个国家的订单数"},
		},
		{
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE grass_region IN ('SG', 'TH') AND " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"新加坡和泰国两国上周的订单数", "把新加坡和泰国上周的订单数放一起看", "orders sg th last week"},
		},
		{ // codes that are also words
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE grass_region IN ('SG', 'ID', 'MY') AND " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"orders sg id my last week"},
		},
		{ // shares
			"SELECT sum(CASE WHEN grass_region = 'ID' THEN gmv_usd END)::DOUBLE / sum(gmv_usd) FROM " + overview + " WHERE " + october,
			[]string{"10月印尼占GMV的百分之几", "what percentage of GMV in October came from Indonesia"},
		},
		{
			"SELECT count(DISTINCT CASE WHEN payment_method = 'COD' THEN order_id END)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE " + october,
			[]string{"10月新加坡货到付款订单占总订单的百分之几", "What fraction of orders in Singapore in October were cash on delivery?"},
		},
		{ // running totals: what is named "to date" is none of single days
			running("sum(gmv_usd)", sgDaily),
			[]string{"daily month-to-date GMV in Singapore", "month-to-date GMV by day in Singapore", "daily month-to-date GMV in Singapore in November", "running total of GMV each day of November so far in Singapore", "running tally of GMV by day this month in Singapore", "新加坡11月每天的累计成交额"},
		},
		{
			"SELECT grass_date, sum(v) OVER (ORDER BY grass_date) FROM (SELECT grass_date, sum(gmv_usd) AS v FROM " + sgDaily + " WHERE " + soFar + " GROUP BY 1) ORDER BY 1",
			[]string{"11月新加坡每天的月初至今成交额"},
		},
		{ // names in a list that share their last words
			"SELECT member_level, sum(gmv_usd) FROM " + orderItems("sg") + " JOIN sg.mp_user.dim_user__reg_s0_live ON buyer_id = user_id WHERE " + october + " AND member_level IN ('Gold', 'Platinum') GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"金卡和铂金会员10月在新加坡的成交额", "GMV of gold and platinum members in Singapore in October"},
		},
		{ // kinds of days, which every table with days has
			"SELECT CASE WHEN isodow(grass_date) >= 6 THEN 'weekend' ELSE 'weekday' END, sum(order_cnt) FROM " + sgDaily + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"weekday vs weekend orders in Singapore in October", "新加坡10月工作日和周末的订单数对比", "orders on weekends and weekdays in Singapore in October"},
		},
		{
			"SELECT sum(order_cnt) FROM " + sgDaily + " WHERE isodow(grass_date) >= 6 AND " + october,
			[]string{"orders on weekends in Singapore in October", "新加坡10月周末的订单数"},
		},
		{ // either of them: one number
			"SELECT sum(gmv_usd) FROM " + orderItems("sg") + " JOIN sg.mp_user.dim_user__reg_s0_live ON buyer_id = user_id WHERE " + october + " AND member_level IN ('Gold', 'Platinum')",
			[]string{"GMV of gold or platinum members in Singapore in October", "金卡或铂金会员10月在新加坡的成交额"},
		},
		{ // each of several periods: one row for each
			"SELECT date_trunc('month', grass_date), sum(order_cnt) FROM " + overview + " WHERE grass_region = 'TH' AND grass_date BETWEEN DATE '2026-08-01' AND DATE '2026-10-31' GROUP BY 1 ORDER BY 1",
			[]string{"orders in Thailand in each of the last 3 months", "orders in Thailand for each of the past three months", "泰国最近三个月每个月的订单数"},
		},
		{ // a share asked before a date, and money asked of what has a figure in money
			"SELECT grass_region, sum(gmv_usd), sum(gmv_usd) / (SELECT sum(gmv_usd) FROM " + overview + " WHERE " + october + ") FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"What percentage of October GMV came from each country?", "what share of October GMV came from each country?"},
		},
		{
			"SELECT sum(refund_usd) FROM useast.mp_order.dws_order_gmv_1d__br_s0_live WHERE " + september,
			[]string{"How much money was refunded for orders placed in Brazil in September?"},
		},
		{ // a filter's name denied
			"SELECT count(DISTINCT order_id) FROM " + orderItems("th") + " WHERE " + october + " AND voucher_local IS NULL",
			[]string{"orders without a voucher in Thailand in October", "orders without vouchers in Thailand in October", "泰国10月没用优惠券的订单数"},
		},
		{
			"SELECT count(DISTINCT CASE WHEN voucher_local IS NULL THEN order_id END)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("th") + " WHERE " + october,
			[]string{"share of orders without a voucher in Thailand in October", "泰国10月没用优惠券的订单占比"},
		},
		{ // a figure named by the word before it and the noun after the next
			"SELECT sum(cancelled_order_cnt), sum(returned_order_cnt) FROM " + sgDaily + " WHERE " + october,
			[]string{"cancelled and returned orders in Singapore in October", "新加坡10月取消和退货订单数"},
		},
		{
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE grass_region IN ('SG', 'TH') AND " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"compare orders between Singapore and Thailand last week", "were orders in Singapore higher than in Thailand last week?", "上周新加坡的订单数高于泰国吗"},
		},
		{ // a noun after a figure that has its own
			"SELECT sum(new_user_cnt) FROM sg.mp_user.dws_user_active_1d__reg_s0_live WHERE grass_region = 'MY' AND " + october,
			[]string{"马来西亚10月新注册用户有多少", "马来西亚10月新注册买家有多少"},
		},
		{ // words that carry nothing
			"SELECT sum(gmv_usd) FROM " + sgDaily + " WHERE " + october,
			[]string{"What was GMV like in Singapore in October?", "so how much GMV did Singapore bring in in October"},
		},
	} {
		want := a.rows(t, c.want)
		require.NotEmpty(t, want, c.want)
		for _, q := range c.questions {
			t.Run(q, func(t *testing.T) {
				t.Parallel()
				r := a.ask(q)
				require.Equal(t, pipeline.Answered, r.Outcome, "%s %v %v", r.Reason, r.NotUnderstood, r.Doubts)
				require.Equal(t, want, a.presto(t, r.SQL), r.SQL)
			})
		}
	}
}

// TestNoWordings asks what only looks like one of those.
func TestNoWordings(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for _, q := range []string{
		"orders in the seven countries in October", // there are eight
		"GMV of the three platforms iOS and Web in Thailand last week",
		"month-to-date GMV in Singapore in October",  // so far, or all of it
		"daily month-to-date buyers in Singapore",    // the same ones on several days
		"daily month-to-date GMV in Singapore in Q3", // begins anew each month
		"第三季度新加坡每天的月初至今成交额",
		"CSAT of the helpdesk in October",
		"orders this weekend in Singapore",
		"本月至今各国GMV完成了去年同期的百分之几", // of what it was, not of all
		"GMV by country in October as a percentage of the same period last year",
		"how many buyers bought in both October and November in Singapore",
		"show me some orders of yesterday in Singapore", // rows, not how many
		"how much revenue did each country lose to cancellations last month",
		"11月第一个周末新加坡的订单数",
		"orders by weekday in Singapore in October", // Monday, Tuesday, ...
		"which weekday had the most orders in Singapore in October",
		"registered users on weekends in October",
	} {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			r := a.ask(q)
			require.NotEqual(t, pipeline.Answered, r.Outcome, r.SQL)
		})
	}
}

// TestDayTypesAreTold says which days are weekdays.
func TestDayTypesAreTold(t *testing.T) {
	t.Parallel()
	r := demoAsker(t).ask("orders on weekends in Singapore in October")
	require.Contains(t, strings.Join(r.Assumptions, " "), "public holidays")
}
