package metric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestCasual asks as people type: with verbs, possessives and owners of figures.
func TestCasual(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	of := func(cid, what, where string) string {
		return "SELECT " + what + " FROM " + orderItems(cid) + " WHERE " + where + " AND " + october
	}
	const gmv = "round(sum(gmv_usd), 2)"
	share := func(part, period string) string {
		return "SELECT count(DISTINCT order_id) FILTER (" + part + ")::DOUBLE / count(DISTINCT order_id) AS v FROM " + orderItems("ph") + " WHERE " + period
	}
	const cod = "payment_method = 'COD'"
	cases := []struct {
		want      string
		questions []string
	}{
		{of("th", gmv, "true"), []string{"what was October's revenue in Thailand?", "October’s GMV in Thailand", "last month's sales in Thailand"}},
		{of("br", gmv, "true"), []string{"how much did buyers in Brazil spend last month", "how much did Brazilian customers spend in October", "巴西用户10月消费了多少"}},
		{of("sg", gmv, "order_status = 'CANCELLED'"), []string{"GMV of cancelled orders in Singapore last month", "revenue from cancelled orders in Singapore in October"}},
		{of("sg", gmv, "is_paid"), []string{"GMV of paid orders in Singapore last month", "新加坡上月已支付订单的成交额"}},
		{of("id", "count(DISTINCT order_id)", "platform IN ('IOS', 'ANDROID')"), []string{"orders on mobile in Indonesia in October", "印尼10月移动端的订单数"}},
		{of("id", "count(DISTINCT order_id)::DOUBLE / 31", "true"), []string{"印尼10月平均每天有多少单", "how many orders a day did Indonesia get in October", "orders per day on average in Indonesia in October"}},
		{
			"WITH c AS (" + share(cod, october) + "), p AS (" + share(cod, september) + ") SELECT c.v, p.v, c.v - p.v, (c.v - p.v) / p.v FROM c, p",
			[]string{"share of COD orders in the Philippines in October vs September", "菲律宾10月货到付款的订单占比跟9月比有什么变化"},
		},
		{
			changed("", "sum(gmv_usd)", overview, october, september),
			[]string{"How much did company GMV grow from September to October?", "9月到10月全公司成交额增长了多少"},
		},
		{
			changed("grass_region", "sum(order_cnt)", overview, lastWeek, "grass_date BETWEEN DATE '2026-11-02' AND DATE '2026-11-08'") + " ORDER BY 5 DESC, 1",
			[]string{"rank the countries by how much orders rose or fell last week compared with the week before"},
		},
		{
			"SELECT count(*) FROM (SELECT buyer_id FROM " + orderItems("tw") + " WHERE grass_date BETWEEN DATE '2026-07-01' AND DATE '2026-09-30' GROUP BY 1 HAVING count(DISTINCT order_id) >= 2)",
			[]string{"how many shoppers in Taiwan placed 2 or more orders in Q3?", "number of buyers with at least 2 orders in Taiwan in Q3", "台湾第三季度订单数不少于2的买家数"},
		},
		{
			"WITH c AS (" + share(cod, october) + "), p AS (" + share(cod, september) + ") SELECT c.v, p.v, c.v - p.v, (c.v - p.v) / p.v FROM c, p",
			[]string{"What share of our orders in the Philippines was cash on delivery in October, and what was it in September?"},
		},
		{
			changed("grass_region", "sum(gmv_usd)", overview, october, september) + " ORDER BY 5 DESC, 1 LIMIT 3",
			[]string{"top 3 countries by GMV growth in October vs September", "top 3 countries by growth of GMV, October vs September"},
		},
		{
			"SELECT grass_region, sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) FROM " + overview + " WHERE " + october + " GROUP BY 1 HAVING sum(cancelled_order_cnt)::DOUBLE / sum(order_cnt) > 0.05 ORDER BY 2 DESC, 1",
			[]string{"countries with a cancellation rate worse than 5% in October", "which countries had a cancellation rate above 5% in October"},
		},
		{ // also those that sold nothing any more
			"SELECT seller_id, seller_name, coalesce(a.v, 0), coalesce(b.v, 0), coalesce(a.v, 0) - coalesce(b.v, 0) AS c, (coalesce(a.v, 0) - coalesce(b.v, 0)) / nullif(b.v, 0) FROM (SELECT seller_id, sum(gmv_usd) AS v FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live WHERE " + october + " GROUP BY 1) a FULL JOIN (SELECT seller_id, sum(gmv_usd) AS v FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live WHERE " + september + " GROUP BY 1) b USING (seller_id) LEFT JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) WHERE coalesce(a.v, 0) < coalesce(b.v, 0) ORDER BY 3 DESC, 1",
			[]string{"sellers whose GMV fell in Thailand in October vs September"},
		},
		{ // a seller without orders in one of the months sold for 0 there
			"SELECT seller_id, seller_name, coalesce(a.v, 0), coalesce(b.v, 0), coalesce(a.v, 0) - coalesce(b.v, 0) AS c, (coalesce(a.v, 0) - coalesce(b.v, 0)) / nullif(b.v, 0) FROM (SELECT seller_id, sum(gmv_usd) AS v FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live WHERE " + october + " GROUP BY 1) a FULL JOIN (SELECT seller_id, sum(gmv_usd) AS v FROM sg.mp_order.dws_seller_gmv_1d__th_s0_live WHERE " + september + " GROUP BY 1) b USING (seller_id) LEFT JOIN sg.mp_seller.dim_seller__reg_s0_live USING (seller_id) ORDER BY c, 1 LIMIT 1",
			[]string{"which seller lost the most GMV in Thailand in October vs September"},
		},
		{
			"SELECT d.member_level, sum(gmv_usd)::DOUBLE / count(DISTINCT order_id) FROM " + orderItems("my") + " s JOIN sg.mp_user.dim_user__reg_s0_live d ON s.buyer_id = d.user_id WHERE " + october + " GROUP BY 1 ORDER BY 2 DESC, 1",
			[]string{"马来西亚10月各等级会员的客单价"},
		},
	}
	for _, c := range cases {
		want := a.rows(t, c.want)
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

// TestLeftOut refuses where a word that says what is counted would be lost.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for _, q := range []string{
		"average order value of new users in Singapore in October",
		"tickets of new users in Singapore last month",
		"新加坡上月新增用户的成交额",
		"GMV by new shops in Thailand in October",
		"how much did we spend last month", // not what buyers did
		"which seller lost the most GMV to cancellations in Thailand in October vs September",
		"GMV growth of top 5 categories in Thailand October vs September", // by GMV, or by its growth
		"average GMV per day per seller in Singapore last month",
		"value of unpaid orders in Thailand yesterday", // not how many
		"moving orders in Singapore last month",
		"orders in Vietnam on December 25, 2026", // it is November
		"2027年1月新加坡的成交额",
		"GMV growth in Singapore in the first half", // since when is not said
	} {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			r := a.ask(q)
			require.NotEqual(t, pipeline.Answered, r.Outcome, r.SQL)
		})
	}
}

// TestShareOfWhat says in the label which part of the whole a share is.
func TestShareOfWhat(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for question, label := range map[string]string{
		"what % of orders in Malaysia were cancelled in October?":         "share of orders (order status CANCELLED)",
		"share of orders without a voucher in Thailand in October":        "share of orders (not with voucher)",
		"泰国10月货到付款订单占比":                                                   "订单数占比（支付方式 COD）",
		"share of GMV by country in October":                              "share of GMV",
		"how many countries had a cancellation rate above 1% in October?": "number of countries",
		"10月有几个国家的取消率超过1%":                                                "国家数量",
	} {
		r := a.ask(question)
		require.Equal(t, pipeline.Answered, r.Outcome, "%s: %s", question, r.Reason)
		require.Equal(t, label, r.Labels[len(r.Labels)-1].Label, question)
	}
}

// TestLabelsHaveTheGoodEnd: a figure says which end of it is good, as its metric does.
func TestLabelsHaveTheGoodEnd(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for question, want := range map[string]semantic.Better{
		"GMV by country in October":               semantic.BetterHigh,
		"cancellation rate by country in October": semantic.BetterLow,
	} {
		r := a.ask(question)
		require.Equal(t, pipeline.Answered, r.Outcome, "%s: %s", question, r.Reason)
		require.Equal(t, want, r.Labels[len(r.Labels)-1].Better, question)
	}
}
