package metric_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

const (
	september = "grass_date BETWEEN DATE '2026-09-01' AND DATE '2026-09-30'"
	weekAgo   = "grass_date BETWEEN DATE '2026-11-02' AND DATE '2026-11-08'"
	sgDaily   = "sg.mp_order.dws_order_gmv_1d__sg_s0_live"
	ticketsDI = "sg.cs_mart.dwd_cs_ticket_di__reg_s0_live"
)

// changed compares two periods of a value over a table, by a key or as one row.
func changed(key, value, table, now, then string) string {
	group, by, on := key+" AS k, ", " GROUP BY 1", "ON a.k = b.k"
	show := "a.k, "
	if key == "" {
		group, by, on, show = "", "", "ON true", ""
	}
	return "SELECT " + show + "a.v, b.v, a.v - b.v, (a.v - b.v)::DOUBLE / b.v" +
		" FROM (SELECT " + group + value + " AS v FROM " + table + " WHERE " + now + by + ") a" +
		" JOIN (SELECT " + group + value + " AS v FROM " + table + " WHERE " + then + by + ") b " + on
}

// TestComparisons asks for other periods, conditions on numbers, windows, and
// numbers of several tables, and compares the rows with those of a statement
// written by hand.
func TestComparisons(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	orders := changed("", "sum(order_cnt)", sgDaily, lastWeek, weekAgo)
	byCountry := changed("grass_region", "sum(gmv_usd)", overview, october, september)
	for _, c := range []struct {
		want      string
		questions []string
	}{
		{orders, []string{"Singapore orders last week compared to the week before", "新加坡上周订单数环比", "新加坡上周订单数与前一周相比", "orders in Singapore last week vs the previous week"}},
		{byCountry + " ORDER BY 2 DESC, 1", []string{"GMV by country in October vs September", "10月各国成交额和9月对比", "GMV by country last month compared to the previous month"}},
		{byCountry + " WHERE (a.v - b.v)::DOUBLE / b.v > 0.1 ORDER BY 2 DESC, 1", []string{"countries where GMV grew by more than 10% in October compared to September", "10月成交额环比增长超过10%的国家"}},
		{byCountry + " WHERE (a.v - b.v)::DOUBLE / b.v < -0.02 ORDER BY 2 DESC, 1", []string{"countries where GMV fell by more than 2% in October compared to September"}},
		{byCountry + " WHERE (a.v - b.v)::DOUBLE / b.v > -0.02 AND a.v < b.v ORDER BY 2 DESC, 1", []string{"countries where GMV fell by less than 2% in October compared to September"}},
		{byCountry + " WHERE (a.v - b.v)::DOUBLE / b.v < 0.1 AND a.v > b.v ORDER BY 2 DESC, 1", []string{"countries where GMV grew by less than 10% in October compared to September"}},
		{byCountry + " WHERE a.v < b.v ORDER BY 2 DESC, 1", []string{"Which countries had lower GMV in October than in September?"}},
		{byCountry + " ORDER BY 5, 1 LIMIT 1", []string{"哪个国家10月成交额环比下降最多"}},
		{ // by how much, not by the rate; only what rose, or fell
			byCountry + " WHERE a.v > b.v ORDER BY 4 DESC, 1 LIMIT 2",
			[]string{"which two countries gained the most GMV in October compared to September"},
		},
		{
			byCountry + " WHERE a.v < b.v ORDER BY 5, 1 LIMIT 3",
			[]string{"the three countries whose GMV fell the hardest from September to October", "10月成交额跌得最厉害的三个国家，和9月比"},
		},
		{
			changed("", "sum(gmv_usd)", sgDaily, "grass_date BETWEEN DATE '2026-11-13' AND DATE '2026-11-19'", "grass_date BETWEEN DATE '2026-11-06' AND DATE '2026-11-12'"),
			[]string{"GMV in Singapore in the last 7 days against the 7 days before"},
		},
		{ // two periods that a change is between, also where together they are a longer one
			changed("", "sum(gmv_usd)", sgDaily, october, september),
			[]string{
				"How did GMV in Singapore change between September and October?", "change of GMV in Singapore from September to October",
				"difference in GMV between September and October in Singapore", "Is GMV in Singapore in October higher than that of September?",
				"新加坡9月和10月之间成交额的变化", "新加坡9月和10月成交额的变化",
			},
		},
		{
			changed("", "sum(gmv_usd)", sgDaily, september, "grass_date BETWEEN DATE '2026-07-01' AND DATE '2026-07-31'"),
			[]string{"How did GMV in Singapore change between July and September?", "新加坡7月和9月之间成交额的变化"},
		},
		{
			changed("", "sum(gmv_usd)", sgDaily, "grass_date BETWEEN DATE '2026-07-01' AND DATE '2026-09-30'", "grass_date BETWEEN DATE '2026-04-01' AND DATE '2026-06-30'"),
			[]string{"change in GMV in Singapore between Q2 and Q3 2026"},
		},
		{orders, []string{"change in orders in Singapore between last week and the week before", "新加坡上周和上上周之间订单数的变化"}},
		{
			changed("", "sum(gmv_usd)", sgDaily, "grass_date BETWEEN DATE '2026-11-01' AND DATE '2026-11-19'", "grass_date BETWEEN DATE '2026-10-01' AND DATE '2026-10-19'"),
			[]string{"How did GMV in Singapore change from October to November?"},
		},
		{ // within one period a movement is its course
			"SELECT grass_date, sum(gmv_usd) FROM " + sgDaily + " WHERE grass_date BETWEEN DATE '2026-09-01' AND DATE '2026-10-31' GROUP BY 1 ORDER BY 1",
			[]string{"新加坡9月到10月成交额的变化", "新加坡9月和10月成交额的趋势"},
		},
		{ // so far, against as many days
			changed("", "sum(gmv_usd)", sgDaily, "grass_date BETWEEN DATE '2026-11-01' AND DATE '2026-11-19'", "grass_date BETWEEN DATE '2026-10-01' AND DATE '2026-10-19'"),
			[]string{"GMV in Singapore this month vs last month", "新加坡本月至今成交额与上月同期相比", "GMV in Singapore: this month so far vs the same days of last month"},
		},
		{ // a year before
			changed("", "sum(order_cnt)", sgDaily, october, "grass_date BETWEEN DATE '2025-10-01' AND DATE '2025-10-31'"),
			[]string{"orders in Singapore in October year over year", "新加坡10月订单数同比", "orders in Singapore in October compared to the same month last year"},
		},
		{ // the days before
			changed("", "sum(gmv_usd)", sgDaily, "grass_date BETWEEN DATE '2026-11-13' AND DATE '2026-11-19'", "grass_date BETWEEN DATE '2026-11-06' AND DATE '2026-11-12'"),
			[]string{"GMV last 7 days vs the previous 7 days in Singapore", "近7天新加坡成交额与再往前7天对比"},
		},
		{ // each step with the one before
			"SELECT m, v, p, v - p, (v - p)::DOUBLE / p FROM (SELECT m, v, lag(v) OVER (ORDER BY m) AS p FROM (SELECT date_trunc('month', grass_date)::DATE AS m, sum(gmv_usd) AS v FROM " + sgDaily + " WHERE grass_date BETWEEN DATE '2026-05-01' AND DATE '2026-10-31' GROUP BY 1)) WHERE m >= DATE '2026-06-01' ORDER BY 1",
			[]string{"month over month growth of GMV in Singapore for June through October this year"},
		},
		{ // a rate is compared as a rate
			changed("", "sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt)", "sg.mp_order.dws_order_gmv_1d__id_s0_live", october, september),
			[]string{"cancellation rate in October versus September in Indonesia"},
		},
		{ // means over days
			changed("", "sum(order_cnt)::DOUBLE / count(DISTINCT grass_date)", sgDaily, october, september),
			[]string{"average daily orders in October vs September in Singapore"},
		},
		{ // conditions on numbers
			"SELECT grass_region, sum(gmv_usd) FROM " + overview + " WHERE " + october + " GROUP BY 1 HAVING sum(gmv_usd) > 6500 ORDER BY 2 DESC, 1",
			[]string{"countries with GMV over 6.5k in October", "10月成交额超过6500美元的国家", "which countries had GMV above 6,500 dollars in October", "10月成交额在六千五百以上的国家"},
		},
		{
			"SELECT grass_date, sum(order_cnt) FROM " + sgDaily + " WHERE " + october + " GROUP BY 1 HAVING sum(order_cnt) < 3 ORDER BY 1",
			[]string{"days when orders in Singapore fell below 3 in October", "新加坡10月订单数低于3的天", "10月哪些天新加坡的订单数少于3单"},
		},
		{
			"SELECT count(*) FROM (SELECT grass_date FROM " + sgDaily + " WHERE " + october + " GROUP BY 1 HAVING sum(order_cnt) >= 4)",
			[]string{"how many days in October did Singapore have at least 4 orders", "10月有多少天新加坡订单数不少于4"},
		},
		{
			"SELECT count(*) FROM (SELECT seller_id FROM sg.mp_order.dws_seller_gmv_1d__sg_s0_live WHERE " + october + " GROUP BY 1 HAVING sum(order_cnt) > 3)",
			[]string{"how many sellers in Singapore had more than 3 orders in October"},
		},
		{
			"SELECT grass_region, sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 HAVING sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) > 0.05 ORDER BY 2 DESC, 1",
			[]string{"countries with a cancellation rate above 5% last month", "上个月取消率超过百分之五的国家"}[:1],
		},
		{ // windows over time
			"SELECT grass_date, v, w FROM (SELECT grass_date, v, avg(v) OVER (ORDER BY grass_date ROWS 6 PRECEDING) AS w FROM (SELECT grass_date, sum(gmv_usd) AS v FROM " + orderItems("br") + " WHERE grass_date >= DATE '2026-09-25' AND grass_date <= DATE '2026-10-31' GROUP BY 1)) WHERE " + october + " ORDER BY 1",
			[]string{"7-day moving average of GMV in Brazil in October", "巴西10月成交额的7日移动平均", "rolling 7-day average of GMV in Brazil in October"},
		},
		{
			"SELECT grass_date, v, sum(v) OVER (ORDER BY grass_date) FROM (SELECT grass_date, sum(gmv_usd) AS v FROM " + orderItems("br") + " WHERE " + october + " GROUP BY 1) ORDER BY 1",
			[]string{"cumulative GMV in Brazil by day in October", "10月巴西成交额的逐日累计", "running total of GMV in Brazil in October"},
		},
		{ // several tables, each aggregated on its own
			"SELECT grass_region, o, t FROM (SELECT grass_region, sum(order_cnt) AS o FROM " + overview + " WHERE " + october + " GROUP BY 1) JOIN (SELECT grass_region, count(*) AS t FROM " + ticketsDI + " WHERE " + october + " GROUP BY 1) USING (grass_region) ORDER BY 2 DESC, 1",
			[]string{"orders and tickets by country in October", "10月各国订单数和工单数"},
		},
		{
			"SELECT grass_region, t, o, 100 * t::DOUBLE / o FROM (SELECT grass_region, sum(order_cnt) AS o FROM " + overview + " WHERE " + october + " GROUP BY 1) JOIN (SELECT grass_region, count(*) AS t FROM " + ticketsDI + " WHERE " + october + " GROUP BY 1) USING (grass_region) ORDER BY 4 DESC, 1",
			[]string{"tickets per 100 orders by country in October", "10月各国每百单的工单数"},
		},
		{ // a mean over things
			"SELECT sum(gmv_usd)::DOUBLE / count(DISTINCT seller_id) FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live WHERE " + october,
			[]string{"average GMV per seller in Thailand in October", "泰国10月平均每个卖家的成交额"},
		},
		{
			"SELECT sum(gmv_usd)::DOUBLE / 3 FROM " + sgDaily + " WHERE grass_date BETWEEN DATE '2026-07-01' AND DATE '2026-09-30'",
			[]string{"average monthly GMV in Singapore in Q3", "新加坡第三季度月均成交额", "average monthly GMV in Singapore in the third quarter"},
		},
		{ // named filters side by side
			"SELECT CASE WHEN is_cross_border THEN 'cross-border sellers' ELSE 'local sellers' END, sum(gmv_usd) FROM " + orderItems("my") + " JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC",
			[]string{"GMV of cross-border sellers vs local sellers in Malaysia in October", "10月马来西亚跨境卖家和本地卖家的成交额"},
		},
		{ // left out
			"SELECT sum(gmv_usd) FROM " + orderItems("br") + " WHERE order_status NOT IN ('CANCELLED', 'RETURNED') AND " + october,
			[]string{"GMV in Brazil last month excluding cancelled and returned orders", "巴西10月剔除取消和退货订单后的成交额"},
		},
		{
			"SELECT sum(gmv_usd) FROM " + orderItems("br") + " LEFT JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) WHERE NOT coalesce(is_cross_border, false) AND " + october,
			[]string{"GMV in Brazil last month excluding cross-border sellers"},
		},
		{ // the best day of each
			"SELECT grass_date, grass_region, v FROM (SELECT grass_date, grass_region, sum(order_cnt) AS v FROM " + overview + " WHERE " + october + " GROUP BY ALL) QUALIFY row_number() OVER (PARTITION BY grass_region ORDER BY v DESC, grass_date) = 1 ORDER BY 2",
			[]string{"which day had the most orders in each country in October", "10月每个国家订单数最多的一天"},
		},
		{ // a named filter as the part
			"SELECT count(DISTINCT CASE WHEN voucher_local IS NOT NULL THEN order_id END)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("sg") + " WHERE " + october,
			[]string{"share of orders with a voucher in Singapore in October", "新加坡10月用了优惠券的订单占比"},
		},
		{ // metrics made of others, and levels
			"SELECT sum(gmv_usd)::DOUBLE / count(DISTINCT buyer_id) FROM " + orderItems("sg") + " WHERE " + october,
			[]string{"GMV per buyer in Singapore in October", "新加坡10月人均成交额"},
		},
		{
			"SELECT sum(gmv_usd) FROM " + sgDaily + " WHERE grass_date BETWEEN DATE '2026-11-01' AND DATE '2026-11-19'",
			[]string{"month-to-date GMV in Singapore", "新加坡月初至今成交额"},
		},
		{
			"SELECT count(DISTINCT buyer_id) FROM " + orderItems("sg") + " WHERE grass_date BETWEEN DATE '2026-10-23' AND DATE '2026-11-19'",
			[]string{"28-day buyers in Singapore", "新加坡滚动28日买家数"},
		},
		{
			"SELECT date_trunc('month', grass_date)::DATE, avg(local_per_usd::DOUBLE) FROM sg.general.dim_exchange_rate WHERE currency = 'SGD' AND grass_date IN (DATE '2026-07-31', DATE '2026-08-31', DATE '2026-09-30') GROUP BY 1 ORDER BY 1",
			[]string{"closing exchange rate of SGD by month in Q3"},
		},
		{ // ends of names, in the mart of the others
			"SELECT intent, sum(session_cnt), sum(resolved_session_cnt)::DOUBLE / sum(session_cnt) FROM sg.cb_mart.dws_chatbot_1d__reg_s0_live WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"10月各意图的机器人会话数、解决率"},
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

// TestSameAgain asks again over a pipeline of its own: the SQL is the same, letter
// by letter, a hundred times.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	questions := []string{"GMV by country in October vs September", "10月各国每百单的工单数", "新加坡近30天订单数的7日移动平均", "top 3 categories by GMV in each country last month"}
	const pipelines, times = 3, 34
	for range pipelines {
		p, err := pipeline.New(pipeline.Config{})
		require.NoError(t, err)
		schema := p.Prepare(a.tables, p.PrepareLayer(a.layer))
		for _, q := range questions {
			want := a.ask(q).SQL
			require.NotEmpty(t, want, q)
			for range times {
				require.Equal(t, want, p.Answer(pipeline.Input{Question: q, Schema: schema, Now: today}).SQL, q)
			}
		}
	}
}

// TestComparedDays says which days are compared.
func TestComparedDays(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for q, want := range map[string]string{
		"GMV in Singapore this month vs last month":            "2026-10-01 to 2026-10-19",
		"新加坡10月成交额同比":                                          "2025-10-01 至 2025-10-31",
		"28-day buyers in Singapore":                           "2026-10-23 to 2026-11-19",
		"month over month growth of GMV in Singapore in Q3":    "compared with the one a month before",
		"GMV by day in Singapore in October vs September":      "Days are compared by their place: 2026-10-01 with 2026-09-01, and so on",
		"week over week change in orders by country":           "last full one",
		"7-day moving average of orders in Vietnam last month": "before the period",
	} {
		r := a.ask(q)
		require.Equal(t, pipeline.Answered, r.Outcome, q)
		require.Contains(t, strings.Join(r.Assumptions, " "), want, q)
	}
}

// TestNearNames names metrics like those that do not exist, of tables that the
// asker has.
func TestNearNames(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	r := a.ask("cancelation ratio in Thailand last month")
	require.Equal(t, pipeline.Abstained, r.Outcome)
	require.Contains(t, r.Reason, "cancellation rate")

	few := a.pipeline.Prepare(a.tables[:1], a.pipeline.PrepareLayer(a.layer))
	r = a.pipeline.Answer(pipeline.Input{Question: "cancelation ratio in Thailand last month", Schema: few, Now: today})
	require.NotContains(t, r.Reason, "cancellation rate")
	require.NotContains(t, r.Reason, "订单取消率")

	english := *a.layer // whoever wrote it named its metrics in one language
	english.Metrics = slices.Clone(a.layer.Metrics)
	for i := range english.Metrics {
		english.Metrics[i].Names.ZH = ""
	}
	all := a.pipeline.Prepare(a.tables, a.pipeline.PrepareLayer(&english))
	r = a.pipeline.Answer(pipeline.Input{Question: "cancelation ratio in Thailand last month", Schema: all, Now: today, Language: lang.Chinese})
	require.Contains(t, r.Reason, "名称相近的指标：")
	require.Contains(t, r.Reason, "cancellation rate")
}
