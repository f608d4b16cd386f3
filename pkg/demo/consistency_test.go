package demo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
)

func TestRows_keys(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	for _, table := range w.snapshot.Tables {
		keys := strings.Join(table.PrimaryKey(), ", ")
		require.Zero(t, w.number(t, fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1)", keys, table.Name)), "%s has doubles of %s", table.Name, keys)
		for _, c := range table.Columns {
			if c.NotNull {
				require.Zero(t, w.number(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", table.Name, c.Name)), "%s.%s", table.Name, c.Name)
			}
		}
		for _, fk := range table.ForeignKeys {
			orphans := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NOT NULL AND %[2]s NOT IN (SELECT %s FROM %s)", table.Name, fk.Columns[0], fk.RefColumns[0], fk.RefTable)
			require.Zero(t, w.number(t, orphans), "%s.%s", table.Name, fk.Columns[0])
		}
	}
}

// homes lists a country's tables of each family by the manifest without cid.
func homes(w *warehouse, cid string) map[string]catalog.Name {
	found := map[string]catalog.Name{}
	for _, table := range w.snapshot.Tables {
		if table.Country == strings.ToUpper(cid) {
			found[table.Manifest] = table.Name
		}
	}
	return found
}

// TestRows_layersAgree compares what the layers say of the same thing: each
// query counts the rows in which the summary and the detail differ.
func TestRows_layersAgree(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	for _, cid := range []string{"sg", "id", "my", "th", "vn", "ph", "tw", "br"} {
		region := "sg"
		if cid == "br" {
			region = "useast"
		}
		home := homes(w, cid)
		words := strings.NewReplacer(
			"{item}", home["mp_order.dwd_order_item_di__{cid}_s0_live"].String(),
			"{day}", home["mp_order.dws_order_gmv_1d__{cid}_s0_live"].String(),
			"{seller}", home["mp_order.dws_seller_gmv_1d__{cid}_s0_live"].String(),
			"{parcel}", home["spx_mart.dwd_spx_parcel_di_{cid}"].String(),
			"{region}", region, "{code}", strings.ToUpper(cid),
		)
		for name, text := range map[string]string{
			"daily figures are the items' sums": `
				SELECT grass_date, gmv_usd, gmv_local, net_gmv_usd, refund_usd, order_cnt, paid_order_cnt, cancelled_order_cnt, returned_order_cnt, item_qty, buyer_cnt FROM {day}
				EXCEPT
				SELECT grass_date, sum(gmv_usd), sum(gmv_local),
					sum(CASE WHEN order_status NOT IN ('CANCELLED', 'RETURNED') THEN gmv_usd ELSE 0 END),
					sum(CASE WHEN order_status = 'RETURNED' THEN gmv_usd ELSE 0 END),
					count(DISTINCT order_id), count(DISTINCT order_id) FILTER (is_paid), count(DISTINCT order_id) FILTER (order_status = 'CANCELLED'),
					count(DISTINCT order_id) FILTER (order_status = 'RETURNED'), sum(quantity), count(DISTINCT buyer_id)
				FROM {item} GROUP BY grass_date`,
			"sellers sum up to the day": `
				SELECT grass_date, gmv_usd, gmv_local, net_gmv_usd, order_cnt, cancelled_order_cnt, item_qty FROM {day}
				EXCEPT
				SELECT grass_date, sum(gmv_usd), sum(gmv_local), sum(net_gmv_usd), sum(order_cnt), sum(cancelled_order_cnt), sum(item_qty) FROM {seller} GROUP BY grass_date`,
			"sellers are the items' sums": `
				SELECT grass_date, seller_id, gmv_usd, order_cnt FROM {seller}
				EXCEPT
				SELECT grass_date, seller_id, sum(gmv_usd), count(DISTINCT order_id) FROM {item} GROUP BY grass_date, seller_id`,
			"categories sum up to the day": `
				SELECT grass_date, gmv_usd, net_gmv_usd, item_qty FROM {day}
				EXCEPT
				SELECT grass_date, sum(gmv_usd), sum(net_gmv_usd), sum(item_qty) FROM sg.mp_order.dws_category_gmv_1d__reg_s0_live WHERE grass_region = '{code}' GROUP BY grass_date`,
			"the overview repeats the day": `
				SELECT grass_date, gmv_usd, net_gmv_usd, order_cnt, paid_order_cnt, cancelled_order_cnt, buyer_cnt FROM {day}
				EXCEPT
				SELECT grass_date, gmv_usd, net_gmv_usd, order_cnt, paid_order_cnt, cancelled_order_cnt, buyer_cnt FROM sg.general.ads_business_overview_1d__reg_s0_live WHERE grass_region = '{code}'`,
			"the overview repeats users": `
				SELECT grass_date, sum(active_user_cnt), sum(new_user_cnt) FROM sg.mp_user.dws_user_active_1d__reg_s0_live WHERE grass_region = '{code}' GROUP BY grass_date
				EXCEPT
				SELECT grass_date, active_user_cnt, new_user_cnt FROM sg.general.ads_business_overview_1d__reg_s0_live WHERE grass_region = '{code}'`,
			"the overview repeats deliveries": `
				SELECT delivered_date, count(*) FROM {parcel} WHERE parcel_status = 'DELIVERED' GROUP BY delivered_date
				EXCEPT
				SELECT grass_date, delivered_parcel_cnt FROM sg.general.ads_business_overview_1d__reg_s0_live WHERE grass_region = '{code}'`,
			"months sum up sellers": `
				SELECT grass_month, seller_id, order_cnt, gmv_usd FROM {region}.mp_seller.dws_seller_performance_1m__reg_s0_live WHERE grass_region = '{code}'
				EXCEPT
				SELECT date_trunc('month', grass_date), seller_id, sum(order_cnt), sum(gmv_usd) FROM {seller} GROUP BY ALL`,
			"refunds are the returned orders": `
				SELECT order_id, refund_usd, refund_local FROM {region}.mp_order.dwd_refund_di__reg_s0_live WHERE grass_region = '{code}'
				EXCEPT
				SELECT order_id, sum(gmv_usd), sum(gmv_local) FROM {item} WHERE order_status = 'RETURNED' GROUP BY order_id`,
			"new users are registrations": `
				SELECT grass_date, platform, new_user_cnt FROM sg.mp_user.dws_user_active_1d__reg_s0_live WHERE grass_region = '{code}' AND new_user_cnt > 0
				EXCEPT
				SELECT registration_date, registration_platform, count(*) FROM sg.mp_user.dim_user__reg_s0_live WHERE grass_region = '{code}' GROUP BY ALL`,
			"platforms count the items' orders": `
				SELECT grass_date, platform, order_cnt FROM sg.traffic.dws_platform_traffic_1d__reg_s0_live WHERE grass_region = '{code}' AND order_cnt > 0
				EXCEPT
				SELECT grass_date, platform, count(DISTINCT order_id) FROM {item} GROUP BY ALL`,
			"deliveries are the parcels' sums": `
				SELECT grass_date, hub_id, delivered_parcel_cnt, on_time_parcel_cnt, delivery_days_sum FROM sg.spx_mart.dws_spx_delivery_1d WHERE grass_region = '{code}' AND delivered_parcel_cnt > 0
				EXCEPT
				SELECT delivered_date, hub_id, count(*), count(*) FILTER (is_on_time), sum(delivery_days) FROM {parcel} WHERE delivered_date IS NOT NULL GROUP BY ALL`,
			"parcels are of orders": `
				SELECT order_id, order_date FROM {parcel} EXCEPT SELECT order_id, grass_date FROM {item}`,
			"users register before they buy": `
				SELECT buyer_id FROM {item} i JOIN sg.mp_user.dim_user__reg_s0_live u ON u.user_id = i.buyer_id WHERE u.registration_date >= i.grass_date`,
		} {
			require.Zero(t, w.number(t, "SELECT count(*) FROM ("+words.Replace(text)+")"), "%s: %s", cid, name)
		}
	}
	for name, text := range map[string]string{
		"page views are the traffic's": `
			SELECT grass_date, platform, count(*), count(DISTINCT visitor_id) FROM sg.traffic.dwd_page_view_di__sg_s0_live GROUP BY ALL
			EXCEPT
			SELECT grass_date, platform, page_view_cnt, visitor_cnt FROM sg.traffic.dws_platform_traffic_1d__reg_s0_live WHERE grass_region = 'SG'`,
		"ticket days are the tickets' sums": `
			SELECT grass_region, grass_date, issue_category, ticket_cnt, first_response_minutes_sum, csat_rated_cnt FROM sg.cs_mart.dws_cs_ticket_1d__reg_s0_live
			EXCEPT
			SELECT grass_region, grass_date, issue_category, count(*), sum(first_response_minutes), count(csat_score) FROM sg.cs_mart.dwd_cs_ticket_di__reg_s0_live GROUP BY ALL`,
		"chatbot days are the sessions' sums": `
			SELECT grass_region, grass_date, intent, bot_version, session_cnt, resolved_session_cnt, transferred_session_cnt, message_cnt FROM sg.cb_mart.dws_chatbot_1d__reg_s0_live
			EXCEPT
			SELECT grass_region, grass_date, intent, bot_version, count(*), count(*) FILTER (is_resolved), count(*) FILTER (is_transferred), sum(message_cnt) FROM sg.cb_mart.dwd_chatbot_session_di__reg_s0_live GROUP BY ALL`,
	} {
		require.Zero(t, w.number(t, "SELECT count(*) FROM ("+text+")"), name)
	}
}

// TestRows_facts finds each planted fact, at full scale, where it can be told
// from noise; it holds the size and the days too.
func TestRows_facts(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the whole warehouse")
	}
	t.Parallel()
	w := newWarehouse(t, demo.DefaultScale)
	rows := int64(0)
	for _, table := range w.snapshot.Tables {
		rows += table.RowCount
	}
	require.Greater(t, rows, int64(1_000_000))
	for _, file := range w.manifest.Databases {
		info, err := os.Stat(filepath.Join(w.dir, file))
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(100<<20), file)
	}

	const day = "sg.mp_order.dws_order_gmv_1d__sg_s0_live"
	require.EqualValues(t, 400, w.number(t, "SELECT count(DISTINCT grass_date) FROM "+day))
	require.EqualValues(t, 1, w.number(t, "SELECT (max(grass_date) = DATE '2026-11-19')::INT FROM "+day), "yesterday is the last day")

	ago := func(column string, first, last int) string {
		return fmt.Sprintf("%s BETWEEN DATE '2026-11-19' - %d AND DATE '2026-11-19' - %d", column, first, last)
	}
	ratio := func(expr, table, during, before string) float64 {
		return w.number(t, fmt.Sprintf("SELECT %s FROM %s WHERE %s", expr, table, during)) / w.number(t, fmt.Sprintf("SELECT %s FROM %s WHERE %s", expr, table, before))
	}
	const th = "sg.mp_order.dws_order_gmv_1d__th_s0_live"
	during, before := ago("grass_date", 62, 42), ago("grass_date", 104, 84)
	require.InDelta(t, 0.65, ratio("avg(order_cnt)", th, during, before), 0.10, "Thailand's drop")
	require.Less(t, ratio("count(*)", "sg.mp_order.dwd_order_item_di__th_s0_live", during+" AND payment_method = 'BANK_TRANSFER'", before+" AND payment_method = 'BANK_TRANSFER'"), 0.3)
	require.Greater(t, ratio("sum(visitor_cnt)", "sg.traffic.dws_platform_traffic_1d__reg_s0_live", during+" AND grass_region = 'TH'", before+" AND grass_region = 'TH'"), 0.9)
	require.Greater(t, ratio("count(*)", "sg.cs_mart.dwd_cs_ticket_di__reg_s0_live", during+" AND grass_region = 'TH' AND issue_category = 'PAYMENT'", before+" AND grass_region = 'TH' AND issue_category = 'PAYMENT'"), 2.0)

	const sports = " AND level1_category = 'Sports & Outdoors'"
	for _, code := range []string{"SG", "ID", "MY", "TH", "VN", "PH", "TW", "BR"} {
		there := " AND grass_region = '" + code + "'" + sports
		surge := ratio("sum(item_qty)", "sg.mp_order.dws_category_gmv_1d__reg_s0_live", ago("grass_date", 20, 0)+there, ago("grass_date", 41, 21)+there)
		require.Greater(t, surge, 1.5, code)
	}
	const traffic = "sg.traffic.dws_platform_traffic_1d__reg_s0_live"
	require.EqualValues(t, 398, w.number(t, "SELECT count(DISTINCT grass_date) FROM "+traffic), "missing days")
	require.Zero(t, w.number(t, "SELECT count(*) FROM "+traffic+" WHERE "+ago("grass_date", 37, 36)))

	const late = "sg.cs_mart.dws_cs_ticket_1d__reg_s0_live"
	require.EqualValues(t, 1, w.number(t, "SELECT (max(grass_date) = DATE '2026-11-16')::INT FROM "+late), "late data")
	require.Equal(t, "2026-11-17", w.table(t, late).UpdatedAt.Format("2006-01-02"))

	const delivery = "sg.spx_mart.dws_spx_delivery_1d"
	rate := "sum(on_time_parcel_cnt) / sum(delivered_parcel_cnt)"
	require.Less(t, ratio(rate, delivery, ago("grass_date", 13, 0)+" AND grass_region = 'BR'", ago("grass_date", 90, 50)+" AND grass_region = 'BR'"), 0.9, "Brazil's hub")
	require.Greater(t, ratio(rate, delivery, ago("grass_date", 13, 0)+" AND hub_name = 'Sao Paulo'", ago("grass_date", 90, 50)+" AND hub_name = 'Sao Paulo'"), 0.95)
	normal := w.number(t, "SELECT "+rate+" FROM "+delivery+" WHERE grass_region = 'SG'")
	require.InDelta(t, 0.92, normal, 0.06)

	const bot = "sg.cb_mart.dws_chatbot_1d__reg_s0_live"
	gain := w.number(t, "SELECT sum(resolved_session_cnt) FILTER (bot_version = 'v3') / sum(session_cnt) FILTER (bot_version = 'v3') - sum(resolved_session_cnt) FILTER (bot_version = 'v2') / sum(session_cnt) FILTER (bot_version = 'v2') FROM "+bot)
	require.InDelta(t, 0.12, gain, 0.03, "the bot's new version")

	// Draws for one order do not depend on each other: each platform has its share
	// of each payment method.
	spread := w.number(t, `SELECT max(share) - min(share) FROM (
		SELECT payment_method, avg((platform = 'IOS')::INT) AS share FROM sg.mp_order.dwd_order_item_di__sg_s0_live GROUP BY payment_method)`)
	require.Less(t, spread, 0.06)

	require.Greater(t, ratio("sum(gmv_usd)", day, "grass_date = DATE '2026-11-11'", "grass_date = DATE '2026-11-09'"), 2.0, "11.11")
}
