package findata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// TestCountriesWithoutTablesAreTold: what is shown for a country that no table is kept for
// is of other countries, and that is said, first of all where none of them is of a country asked
// for; a city, a kitchen, money and a table's name are none.
func TestCountriesWithoutTablesAreTold(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, country := range map[string]string{
		"order details for Japan":               "Japan",
		"日本站的订单明细":                              "日本",
		"GMV of Singapore and of France by day": "+France",
		"order details for Singapore":           "",
		"orders of Brazilian buyers":            "",
		"orders delivered to Paris":             "",
		"GMV in US dollars":                     "", // money of a country is no country
		"GMV in USA in dollars":                 "USA",
		"business overview of Japan":            "Japan", // its table has many countries, and Japan is none of them
		"refunds in Japanese yen":               "",
	} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.NotEmpty(t, r.GetRelatedTables(), ask)
		var told string
		for _, w := range r.GetWarnings() {
			if w.GetCode() == warningCountry {
				told = w.GetMessage()
			}
		}
		country, alsoOthers := strings.CutPrefix(country, "+")
		want := findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND
		switch {
		case country == "":
			require.Empty(t, told, ask)
		case alsoOthers:
			require.Contains(t, told, country, ask)
		default:
			want = findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK
			require.Contains(t, told, country, ask)
			require.True(t, strings.HasPrefix(r.GetAnswer(), told), r.GetAnswer())
		}
		require.Equal(t, want, r.GetOutcome(), ask)
	}
}

// TestTheAskersOwnCountry: it is taken from who asks, and asked for where nobody knows it and
// the best table is kept by country; the reply is taken as an option, its place or its name.
func TestTheAskersOwnCountry(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	best := func(q *findatav1.DiscoverQuery) string {
		r := discover(t, s, "ann", q)
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), "%v", q)
		return r.GetRelatedTables()[0].GetTable().GetRef().GetTable()
	}
	for _, ask := range []string{"order details of our country", "我们国家的订单明细", "order details for my market"} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, r.GetOutcome(), ask)
		options := r.GetQuestion().GetOptions()
		require.Greater(t, len(options), 2)
		require.Equal(t, "country_BR", options[0].GetId())
		for _, reply := range []string{"country_BR", options[0].GetLabel(), "1", "Brazil please", "巴西"} {
			require.Equal(t, "dwd_order_item_di__br_s0_live", best(&findatav1.DiscoverQuery{UserQuery: ask, ClarificationReply: reply}), "%s: %s", ask, reply)
		}
		require.Equal(t, "dwd_order_item_di__br_s0_live", best(&findatav1.DiscoverQuery{UserQuery: ask, ChosenOptionId: options[0].GetId()}))
		require.Equal(t, "dwd_order_item_di__th_s0_live", best(&findatav1.DiscoverQuery{UserQuery: ask, UserContext: &commonv1.UserContext{Region: "TH"}}), ask)
		require.Equal(t, "dwd_order_item_di__th_s0_live", best(&findatav1.DiscoverQuery{UserQuery: "Thailand", ChatHistory: []*findatav1.ChatTurn{
			{Role: "user", Content: ask}, {Role: "assistant", Content: r.GetQuestion().GetText()},
		}}), ask)
	}
	both := &findatav1.DiscoverQuery{UserQuery: "seller daily sales in my region"}
	offered := discover(t, s, "ann", both).GetQuestion().GetOptions()
	require.Equal(t, "mart:Order", offered[0].GetId())
	for _, o := range offered { // who has answered is not asked for the country as well
		both.ClarificationReply = o.GetLabel()
		require.NotEmpty(t, best(both))
		require.NotEmpty(t, best(&findatav1.DiscoverQuery{UserQuery: both.GetUserQuery(), ChosenOptionId: o.GetId()}))
	}
	for _, ask := range []string{"order details", "order details for MY", "order details of all our countries", "exchange rate of our country"} {
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), ask)
	}
}
