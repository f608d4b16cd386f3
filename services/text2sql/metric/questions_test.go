package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Tables of the demo, as DuckDB names them.
const (
	overview = "sg.general.ads_business_overview_1d__reg_s0_live"
	october  = "grass_date BETWEEN DATE '2026-10-01' AND DATE '2026-10-31'"
	lastWeek = "grass_date BETWEEN DATE '2026-11-09' AND DATE '2026-11-15'"
)

func orderItems(cid string) string {
	region := "sg"
	if cid == "br" {
		region = "useast"
	}
	return region + ".mp_order.dwd_order_item_di__" + cid + "_s0_live"
}

// TestQuestions asks in both languages and compares the rows with those of a
// statement written by hand for DuckDB, on the detail tables where there is a
// choice.
func TestQuestions(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	cases := []struct {
		want      string
		questions []string
	}{
		{ // a condition that the layer names, before a state of the order that is called the same: paid at any time, not in the state "paid"
			"SELECT count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE NOT is_paid AND " + lastWeek,
			[]string{"How many orders weren't paid last week in Singapore?", "How many orders were not paid in Singapore last week?"},
		},
		{
			"SELECT count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE is_paid AND order_status = 'CANCELLED' AND " + october,
			[]string{"how many orders were both paid and cancelled in Singapore last month"},
		},
		{
			"SELECT sum(paid_order_cnt)::DOUBLE / sum(order_cnt) FROM sg.mp_order.dws_order_gmv_1d__vn_s0_live WHERE " + october,
			[]string{"what percentage of Vietnamese orders were paid in October?", "What share of orders in Vietnam were paid in October?"},
		},
		{ // request words and pleas
			"SELECT round(sum(gmv_usd), 2) FROM " + orderItems("sg") + " WHERE grass_date BETWEEN DATE '2026-10-21' AND DATE '2026-11-19'",
			[]string{"Write a SQL for the GMV of Singapore over the past 30 days, please", "帮我写一个SQL，查一下新加坡过去30天的成交额，谢谢"},
		},
		{ // entities: key and label, a number of them
			"SELECT s.seller_id, d.seller_name, sum(gmv_usd) FROM " + orderItems("th") + " s JOIN sg.mp_seller.dim_seller__reg_s0_live d USING (seller_id) WHERE " + october + " GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT 5",
			[]string{"Who were our 5 biggest sellers by GMV in Thailand last month?", "泰国10月成交额最高的5个卖家", "泰国上个月 top5 商家 按销售额"},
		},
		{
			"SELECT s.shop_id, d.shop_name, sum(gmv_usd) FROM " + orderItems("vn") + " s JOIN sg.mp_seller.dim_shop__reg_s0_live d USING (shop_id) WHERE grass_date >= DATE '2026-11-01' GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT 3",
			[]string{"give me the top 3 shops in Vietnam by revenue so far this month", "越南本月截至昨天销售额前3的店铺"},
		},
		{ // a figure's name that is a thing's too: what it is ranked by, what is counted
			"SELECT s.seller_id, d.seller_name, sum(quantity) FROM " + orderItems("vn") + " s JOIN sg.mp_seller.dim_seller__reg_s0_live d USING (seller_id) WHERE " + october + " GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT 5",
			[]string{"top 5 sellers by items sold in Vietnam in October", "which 5 sellers sold the most items in Vietnam in October", "top 5 sellers by units sold in Vietnam in October"},
		},
		{
			"SELECT level1_category, sum(quantity) FROM " + orderItems("vn") + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1",
			[]string{"which category sold the most products in Vietnam in October"},
		},
		{ // countries as a split, sorted, not limited
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"orders for every country in October, largest first please", "10月各国订单数从高到低排", "show me orders in each country last month"},
		},
		{ // two countries, one by one
			"SELECT grass_region, sum(order_cnt) FROM " + overview + " WHERE grass_region IN ('TW', 'VN') AND " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"orders in Taiwan and Vietnam last week", "台湾和越南上周的订单数", "Taiwanese vs Vietnamese orders last week"},
		},
		{ // together: one number
			"SELECT sum(order_cnt) FROM " + overview + " WHERE grass_region IN ('TW', 'VN') AND " + lastWeek,
			[]string{"orders in Taiwan and Vietnam combined last week", "台湾和越南上周订单数合计"},
		},
		{ // tables of single countries, read together
			"SELECT country, payment_method, count(DISTINCT order_id) FROM (SELECT 'SG' AS country, * FROM " + orderItems("sg") + " UNION ALL SELECT 'BR', * FROM " + orderItems("br") + ") WHERE " + october + " GROUP BY ALL ORDER BY 3 DESC, 1, 2",
			[]string{"orders by payment method in Singapore and Brazil in October", "10月新加坡和巴西按支付方式的订单数"},
		},
		{ // demonyms
			"SELECT payment_method, count(DISTINCT order_id) FROM " + orderItems("br") + " WHERE " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"Brazilian orders by payment method last week", "巴西上周各支付方式的下单量"},
		},
		{ // company-wide
			"SELECT sum(gmv_usd) FROM " + overview + " WHERE grass_date BETWEEN DATE '2026-07-01' AND DATE '2026-09-30'",
			[]string{"company-wide GMV in Q3", "What was our total revenue in Q3 across all countries?", "第三季度全公司销售额"},
		},
		{ // all but one
			"SELECT sum(gmv_usd) FROM " + overview + " WHERE grass_region <> 'BR' AND " + october,
			[]string{"GMV for all countries except Brazil in October", "10月除了巴西的成交额"},
		},
		{ // dimensions of the finest table
			"SELECT cancel_reason, count(DISTINCT order_id) FROM " + orderItems("id") + " WHERE order_status = 'CANCELLED' AND " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"cancelled orders by reason in Indonesia in October", "印尼10月按取消原因的取消订单数"},
		},
		{
			"SELECT channel, count(*) FROM sg.cs_mart.dwd_cs_ticket_di__reg_s0_live WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"tickets by channel in October", "10月各渠道工单数"},
		},
		{ // tables of one name in two data centres
			"SELECT refund_reason, sum(refund_usd) FROM useast.mp_order.dwd_refund_di__reg_s0_live WHERE order_date BETWEEN DATE '2026-10-01' AND DATE '2026-10-31' GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"refund amount by refund reason in Brazil in October", "巴西10月按退款原因的退款金额"},
		},
		{ // full weeks
			"SELECT date_trunc('week', grass_date)::DATE, count(DISTINCT order_id) FROM " + orderItems("id") + " WHERE grass_date BETWEEN DATE '2026-09-21' AND DATE '2026-11-15' GROUP BY 1 ORDER BY 1",
			[]string{"weekly orders in Indonesia for the past 8 weeks", "印尼最近8周每周的订单数", "orders in Indonesia by week, last 8 full weeks"},
		},
		{
			"SELECT date_trunc('month', grass_date)::DATE, sum(gmv_usd) FROM " + overview + " WHERE grass_date BETWEEN DATE '2026-08-01' AND DATE '2026-10-31' GROUP BY 1 ORDER BY 1",
			[]string{"monthly GMV over the past 3 months, all countries together", "最近三个完整月全公司每月成交额"},
		},
		{ // worst: which way is bad is a property of the metric
			"SELECT hub_name, sum(on_time_parcel_cnt)::DOUBLE / sum(delivered_parcel_cnt) FROM sg.spx_mart.dws_spx_delivery_1d WHERE grass_region = 'BR' AND grass_date >= DATE '2026-10-21' GROUP BY 1 ORDER BY 2, 1 LIMIT 1",
			[]string{"Which hub in Brazil has the worst on-time rate over the last 30 days?", "巴西最近30天准时率最差的是哪个分拨中心"},
		},
		{
			"SELECT grass_region, sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"cancellation rate for every market in October, worst first", "10月各国取消率从差到好"},
		},
		{ // shares
			"SELECT level1_category, sum(gmv_usd), sum(gmv_usd)::DOUBLE / (SELECT sum(gmv_usd) FROM " + orderItems("sg") + " WHERE " + october + ") FROM " + orderItems("sg") + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"share of GMV by category in Singapore in October", "新加坡10月各类目成交额占比"},
		},
		{
			"SELECT count(DISTINCT CASE WHEN payment_method = 'CREDIT_CARD' THEN order_id END)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE " + october,
			[]string{"what share of orders in Singapore in October were paid with credit card?", "share of orders paid with credit card in Singapore in October", "percentage of orders paid by credit card in Singapore in October"},
		},
		{
			"SELECT sum(CASE WHEN grass_region = 'SG' THEN gmv_usd END)::DOUBLE / sum(gmv_usd) FROM " + overview + " WHERE " + october,
			[]string{"Singapore's share of total GMV in October", "10月新加坡成交额占比"},
		},
		{ // two metrics
			"SELECT grass_region, sum(order_cnt), sum(gmv_usd)::DOUBLE / sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"orders and AOV by country in October", "10月各国订单数和客单价"},
		},
		{
			"SELECT count(*), count(*) FILTER (ticket_status = 'OPEN') FROM sg.cs_mart.dwd_cs_ticket_di__reg_s0_live WHERE " + lastWeek,
			[]string{"tickets and open tickets last week"},
		},
		{
			"SELECT sum(gmv_usd), count(DISTINCT order_id) FROM " + orderItems("br") + " WHERE grass_date = DATE '2026-11-19'",
			[]string{"昨天巴西卖了多少钱、多少单"},
		},
		{ // distinct counts come from the detail
			"SELECT count(DISTINCT buyer_id) FROM " + orderItems("sg") + " WHERE " + october,
			[]string{"how many buyers did we have in Singapore in October", "新加坡10月有多少买家"},
		},
		{ // the mean over days of what cannot be summed
			"SELECT avg(v) FROM (SELECT sum(visitor_cnt) AS v FROM sg.traffic.dws_platform_traffic_1d__reg_s0_live WHERE grass_region = 'TH' AND " + lastWeek + " GROUP BY grass_date)",
			[]string{"average daily visitors in Thailand last week", "上周泰国日均访客数"},
		},
		{ // counts of things as they are now
			"SELECT grass_region, count(*) FROM sg.mp_seller.dim_shop__reg_s0_live WHERE shop_type = 'MALL' GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"how many mall shops do we have per country", "各国商城店铺有多少家"},
		},
		{
			"SELECT grass_region, count(*) FROM sg.mp_user.dim_user__reg_s0_live WHERE member_level = 'Platinum' GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"number of platinum members in each country", "各国白金会员有多少人"},
		},
		{ // hours of a timestamp, in their own order
			"SELECT hour(create_time), count(DISTINCT order_id) FROM " + orderItems("br") + " WHERE grass_date = DATE '2026-11-11' GROUP BY 1 ORDER BY 1",
			[]string{"orders by hour of day in Brazil on 11.11", "hourly orders in Brazil on 11 November", "双11当天巴西各时段订单数"},
		},
		{ // a value of a joined table says which; its entity is no split
			"SELECT count(DISTINCT order_id) FROM " + orderItems("sg") + " JOIN sg.mp_user.dim_user__reg_s0_live ON buyer_id = user_id WHERE gender = 'F' AND " + october,
			[]string{"orders of female users in Singapore in October", "新加坡10月女性用户的订单数"},
		},
		{ // orders are what the rate is of, not asked for
			"SELECT count(DISTINCT CASE WHEN order_status = 'CANCELLED' THEN order_id END)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("id") + " WHERE payment_method = 'COD' AND " + october,
			[]string{"cancellation rate of COD orders in Indonesia in October", "印尼10月货到付款订单的取消率"},
		},
		{ // the first ones of each
			"SELECT country, category, gmv FROM (SELECT grass_region AS country, level1_category AS category, sum(gmv_usd) AS gmv FROM sg.mp_order.dws_category_gmv_1d__reg_s0_live WHERE " + october + " GROUP BY ALL) QUALIFY row_number() OVER (PARTITION BY country ORDER BY gmv DESC, category) <= 2 ORDER BY 1, 3 DESC, 2",
			[]string{"top 2 categories by GMV for each country in October", "10月各国成交额前2的类目"},
		},
		{ // a name wins over a date inside it, a dimension after "each" over a longer name
			"SELECT age_group, sum(gmv_usd) FROM " + orderItems("th") + " JOIN sg.mp_user.dim_user__reg_s0_live ON buyer_id = user_id WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"泰国10月各年龄段的成交额", "GMV for each age group in Thailand in October"},
		},
		{ // names with a superlative in them
			"SELECT seller_id, seller_name, sum(item_qty) FROM sg.mp_order.dws_seller_gmv_1d__sg_s0_live JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) WHERE " + lastWeek + " GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT 3",
			[]string{"which 3 sellers sold the most in Singapore last week", "上周新加坡卖得最多的3个卖家"},
		},
		{ // a value turned around
			"SELECT count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE payment_method <> 'CREDIT_CARD' AND " + lastWeek,
			[]string{"orders not paid by credit card in Singapore last week", "新加坡上周不是信用卡支付的订单数"},
		},
		{ // shares within each
			"SELECT grass_region, level1_category, sum(gmv_usd), sum(gmv_usd)::DOUBLE / sum(sum(gmv_usd)) OVER (PARTITION BY grass_region) FROM sg.mp_order.dws_category_gmv_1d__reg_s0_live WHERE " + october + " GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2",
			[]string{"in each country, share of GMV by category in October"},
		},
		{ // small codes in a list, weekdays
			"SELECT grass_region, sum(gmv_usd) FROM " + overview + " WHERE grass_region IN ('SG', 'MY') AND grass_date = DATE '2026-11-11' GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"gmv for sg and my, on 11 Nov", "上周三新加坡和马来西亚的GMV", "GMV in my, sg on 11.11"},
		},
		{ // an average per day
			"SELECT grass_region, sum(order_cnt)::DOUBLE / 31 FROM " + overview + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"average number of orders per day by country in October", "10月各国日均订单数"},
		},
		{ // which day
			"SELECT grass_date, sum(gmv_usd) FROM " + orderItems("sg") + " WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1",
			[]string{"which day had the highest GMV in Singapore in October?", "新加坡10月哪天的成交额最高"},
		},
	}
	for _, c := range cases {
		want := a.rows(t, c.want)
		require.NotEmpty(t, want, c.want)
		for _, q := range c.questions {
			t.Run(q, func(t *testing.T) {
				t.Parallel()
				r := a.ask(q)
				require.Equal(t, pipeline.Answered, r.Outcome, "%s %v %v", r.Reason, r.NotUnderstood, r.Doubts)
				require.Equal(t, want, a.presto(t, r.SQL), r.SQL)
				require.LessOrEqual(t, r.Confidence, pipeline.MaxMetricConfidence)
				require.Contains(t, r.SQL, "\n", "SQL is written for people")
			})
		}
	}
}

// TestRefusals asks what cannot be known, or only after a question back.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for q, want := range map[string]pipeline.Outcome{
		"GMV of loyal customers in October":                                       pipeline.Abstained,
		"profit margin in Thailand last month":                                    pipeline.Abstained,
		"泰国上个月的毛利率":                                                               pipeline.Abstained,
		"How many employees do we have?":                                          pipeline.Abstained,
		"GMV in Japan last month":                                                 pipeline.Abstained,
		"日本上个月的成交额":                                                               pipeline.Abstained,
		"revenue forecast for next month in Singapore":                            pipeline.Abstained,
		"GMV of sellers who joined this year in Singapore":                        pipeline.Abstained,
		"orders before 9am in Singapore yesterday":                                pipeline.Abstained,
		"share of conversion rate by platform last week":                          pipeline.Abstained,
		"who sold the most items in Vietnam in October":                           pipeline.Abstained, // no item
		"tickets by payment method last week":                                     pipeline.Abstained,
		"GMV growth by country in October":                                        pipeline.Asked, // against what
		"各国成交额同比":                                                                 pipeline.Asked, // over which period
		"visitors in Vietnam last week":                                           pipeline.Asked, // day by day, or the mean
		"上周越南的访客数":                                                                pipeline.Asked,
		"orders by payment method last week":                                      pipeline.Asked,     // which country
		"top 10 sellers in Thailand last week":                                    pipeline.Asked,     // by what
		"top 5 sellers by GMV in Singapore and Malaysia":                          pipeline.Abstained, // of both, or of each
		"泰国上周 top 10 卖家":                                                          pipeline.Asked,
		"上周新加坡取消订单的成交额":                                                           pipeline.Abstained, // not two figures
		"GMV excluding the top 10 sellers in Brazil last month":                   pipeline.Abstained,
		"orders with more than 3 items in Singapore last month":                   pipeline.Abstained, // of each order
		"how many orders were both shipped and cancelled in Singapore last month": pipeline.Abstained,
		"which country had higher GMV than Vietnam last month":                    pipeline.Abstained, // it is not Vietnam
		"which country had higher GMV than that of Vietnam last month":            pipeline.Abstained,
		"哪个国家上个月的成交额比越南高":                                                         pipeline.Abstained,
		"users who registered in October and ordered in November in Singapore":    pipeline.Abstained,
		"orders above 100 dollars in Singapore last month":                        pipeline.Abstained,
		"top 10% of sellers by GMV in Thailand last month":                        pipeline.Abstained,
		"GMV in Q3 vs September in Singapore":                                     pipeline.Abstained, // of different lengths
		"双11当天菲律宾按小时累计的订单数":                                                       pipeline.Abstained, // an order may have several hours
		"cumulative buyers in Singapore by day in October":                        pipeline.Abstained, // the same ones on several days
		"resolution rate last month":                                              pipeline.Asked,     // of tickets, or of the chatbot
		"上个月的解决率":                                                                 pipeline.Asked,
		"GMV growth in Singapore":                                                 pipeline.Asked,
	} {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			r := a.ask(q)
			require.Equal(t, want, r.Outcome, "%s %s", r.SQL, r.Reason)
			require.Empty(t, r.SQL)
			if want == pipeline.Asked {
				require.NotEmpty(t, r.Options)
			} else {
				require.NotEmpty(t, r.Reason)
			}
		})
	}
}

// TestOptions answers the questions back.
func TestOptions(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	const traffic = "sg.traffic.dws_platform_traffic_1d__reg_s0_live WHERE grass_region = 'VN' AND " + lastWeek
	for _, c := range []struct{ question, option, want string }{
		{"visitors in Vietnam last week", "time:day", "SELECT grass_date, sum(visitor_cnt) FROM " + traffic + " GROUP BY 1 ORDER BY 1"},
		{"visitors in Vietnam last week", "time:average", "SELECT sum(visitor_cnt)::DOUBLE / 7 FROM " + traffic},
		{"orders by payment method last week", "country:TH", "SELECT payment_method, count(DISTINCT order_id) FROM " + orderItems("th") + " WHERE " + lastWeek + " GROUP BY 1 ORDER BY 2 DESC, 1"},
		{"GMV growth by country in October", "compare:previous", changed("grass_region", "sum(gmv_usd)", overview, october, september) + " ORDER BY 2 DESC, 1"},
		{"GMV growth by country in October", "compare:year", changed("grass_region", "sum(gmv_usd)", overview, october, "grass_date BETWEEN DATE '2025-10-01' AND DATE '2025-10-31'") + " ORDER BY 2 DESC, 1"},
		{"各国成交额增长率", "period:month", changed("grass_region", "sum(gmv_usd)", overview, october, september) + " ORDER BY 2 DESC, 1"},
		{"泰国上周 top 10 卖家", "metric:orders", "SELECT seller_id, seller_name, sum(order_cnt) FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) WHERE " + lastWeek + " GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT 10"},
	} {
		t.Run(c.question+" "+c.option, func(t *testing.T) {
			t.Parallel()
			r := a.pipeline.Answer(pipeline.Input{Question: c.question, Schema: a.schema, Now: today, Chosen: c.option})
			require.Equal(t, pipeline.Answered, r.Outcome, "%s %v", r.Reason, r.Doubts)
			require.Equal(t, a.rows(t, c.want), a.presto(t, r.SQL), r.SQL)
		})
	}
}

// TestAssumptions says the days that count, with the last one.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for q, want := range map[string]string{
		"orders in Singapore over the past 30 days": "2026-10-21 to 2026-11-19",
		"新加坡过去30天的订单数":                              "2026-10-21 至 2026-11-19",
		"weekly orders in Singapore, past 8 weeks":  "Monday to Sunday",
		"orders last month":                         "all countries",
		"orders in Singapore":                       "all days",
		"top sellers by GMV in Singapore last week": "ten",
	} {
		r := a.ask(q)
		require.Equal(t, pipeline.Answered, r.Outcome, q)
		require.Contains(t, strings.Join(r.Assumptions, " "), want, q)
	}
}
