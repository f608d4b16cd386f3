package chatbi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// twoPeriods is a statement as text2sql writes it over tables.
func twoPeriods(figure, where, own, ownTo, base, baseTo string) string {
	within := func(from, to string) string { return fmt.Sprintf("dt >= DATE '%s' AND dt < DATE '%s'", from, to) }
	return fmt.Sprintf("SELECT x AS orders, previous_x AS previous_orders, x - previous_x AS orders_change, CAST(x - previous_x AS double) / abs(nullif(previous_x, 0)) AS orders_change_rate FROM "+
		"(SELECT %[1]s FILTER (WHERE %[3]s) AS x, %[1]s FILTER (WHERE %[4]s) AS previous_x FROM orders WHERE (%[3]s OR %[4]s)%[2]s) AS i",
		figure, where, within(own, ownTo), within(base, baseTo))
}

// TestComparisonsTellTheirDays: a comparison names its two periods and its conditions, says
// which days of them the data do not have, and then leads with the means of the days that
// are there. The data begin on 10 November and have no 14 November.
func TestComparisonsTellTheirDays(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for name, c := range map[string]struct{ sql, en, zh string }{
		"all there": {
			twoPeriods("count(*)", "", "2026-11-15", "2026-11-17", "2026-11-12", "2026-11-14"),
			"Orders from 15 Nov 2026 to 16 Nov 2026 are 200, the same as from 12 Nov 2026 to 13 Nov 2026.",
			"2026年11月15日至2026年11月16日的orders为200，与2026年11月12日至2026年11月13日相同。",
		},
		"of one country": {
			twoPeriods("count(*)", " AND country = 'SG'", "2026-11-15", "2026-11-17", "2026-11-12", "2026-11-14"),
			"Orders (country: SG) from 15 Nov 2026 to 16 Nov 2026 are 67, the same as from 12 Nov 2026 to 13 Nov 2026.", "",
		},
		"a base that begins in its middle": {
			twoPeriods("count(*)", "", "2026-11-15", "2026-11-20", "2026-11-08", "2026-11-13"),
			"Like for like, orders from 15 Nov 2026 to 19 Nov 2026 are 100 per day over the 5 days that are there, as from 8 Nov 2026 to 12 Nov 2026. " +
				"sg.shop.orders has no rows for 8 Nov 2026 to 9 Nov 2026: 2 of the 5 days of 8 Nov 2026 to 12 Nov 2026 are missing. " +
				"As the data stand: Orders from 15 Nov 2026 to 19 Nov 2026 are 500, 200 (66.7%) more than from 8 Nov 2026 to 12 Nov 2026 (300).",
			"按有数据的日期同口径比较，2026年11月15日至2026年11月19日的orders日均100（5天），与2026年11月8日至2026年11月12日相同。" +
				"sg.shop.orders缺少2026年11月8日至2026年11月9日的数据：2026年11月8日至2026年11月12日的5天中缺2天。" +
				"按现有数据：2026年11月15日至2026年11月19日的orders为500，比2026年11月8日至2026年11月12日（300）多200（66.7%）。",
		},
		"no base": {
			twoPeriods("count(*)", "", "2026-11-15", "2026-11-20", "2026-11-03", "2026-11-08"),
			"sg.shop.orders has no rows for 3 Nov 2026 to 7 Nov 2026: 5 of the 5 days of 3 Nov 2026 to 7 Nov 2026 are missing. Orders from 15 Nov 2026 to 19 Nov 2026 are 500, 500 more than from 3 Nov 2026 to 7 Nov 2026 (0).", "",
		},
		"a mean adds up to nothing": {
			twoPeriods("avg(order_id)", "", "2026-11-15", "2026-11-20", "2026-11-08", "2026-11-13"),
			"sg.shop.orders has no rows for 8 Nov 2026 to 9 Nov 2026: 2 of the 5 days of 8 Nov 2026 to 12 Nov 2026 are missing. Orders from 15 Nov 2026 to 19 Nov 2026 are 502, 6 (1.2%) more than from 8 Nov 2026 to 12 Nov 2026 (496).", "",
		},
		"today is not over": {
			twoPeriods("count(*)", "", "2026-11-18", "2026-11-21", "2026-11-15", "2026-11-18"),
			"18 Nov 2026 to 20 Nov 2026 is not over: what comes later is not in its figures. Orders from 18 Nov 2026 to 20 Nov 2026 are 200, 100 (33.3%) less than from 15 Nov 2026 to 17 Nov 2026 (300).", "",
		},
	} {
		for language, want := range map[commonv1.Language]string{commonv1.Language_LANGUAGE_EN: c.en, commonv1.Language_LANGUAGE_ZH: c.zh} {
			if want != "" {
				q := &chatbiv1.ExecuteQuery{Sql: c.sql, UserContext: &commonv1.UserContext{Language: language}}
				require.Equal(t, want, execute(t, s, q).GetAnswer(), "%s %v", name, language)
			}
		}
	}
}

// TestRankingsTellWhatTheirLimitCutsOff: through the service, a tie at the end of a ranking
// and the first that has a name are found by a second statement.
func TestRankingsTellWhatTheirLimitCutsOff(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for sql, want := range map[string]string{
		"SELECT note, count(*) AS n FROM orders GROUP BY note ORDER BY n DESC LIMIT 1":                                                                    "x has the highest n: 900.",
		"SELECT CAST(order_id % 10 AS varchar) AS hub, count(*) AS parcels FROM orders GROUP BY 1 ORDER BY parcels DESC, hub LIMIT 1":                     "0, 1, 2, 3, 5 and others tie for the highest parcels, 100.",
		"SELECT nullif(country, 'BR') AS country, count(*) AS parcels FROM orders GROUP BY 1 ORDER BY parcels DESC LIMIT 1":                               "Singapore has the highest parcels: 301. Rows without country are not ranked; their parcels are 599.",
		"SELECT CAST(order_id % 10 AS varchar) AS hub, count(*) AS parcels FROM orders WHERE order_id <> 5 GROUP BY 1 ORDER BY parcels, hub LIMIT 2 -- x": "5 has the lowest parcels (order ID: not 5): 99; then 0 (100). Cut off by the limit, with the same parcels as the last one shown (100): 1, 2, 3, 6, 7 and others.",
	} {
		assert.Equal(t, want, execute(t, s, &chatbiv1.ExecuteQuery{Sql: sql, UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN}}).GetAnswer(), sql)
	}
}
