package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// TestAskedOnlyWhereThePersonKnows: words of asking alone, words of several marts'
// columns and words with several meanings are asked about; a word with several meanings
// beside a subject that no table knows is not.
func TestAskedOnlyWhereThePersonKnows(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, want := range map[string]findatav1.DiscoverOutcome{
		"Give me the breakdown by status for Malaysia": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"How big is the backlog right now?":            findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"帮我查一下数据":                                      findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Compare Singapore with Malaysia":              findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Yesterday's numbers, please":                  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Split by month, please":                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"给我印尼的日报":                                      findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"看下最近三个月的趋势":                                   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"How many are still open?":                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"How many tickets are still open?":             findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"dim lights":                                   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, // the layer dim is no mart's
		"Should I quit?":                               findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"Can you pull the numbers of last week?":       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"各类型的数量分布":                                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Wine ratings by vineyard and vintage":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"order status in Malaysia":                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"画出上个月每天的成交额":                                  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, // a wish for a chart is no subject
		"用折线图画出上个月每天的成交额":                              findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"How do I get promoted?":                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
	} {
		require.Equal(t, want, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), ask)
	}
}

// TestWhatThePersonChoseIsShown: where no table of the mart that somebody chose knows a
// word of the question, its tables are shown, and not those of the general layer.
func TestWhatThePersonChoseIsShown(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, reply := range map[string]string{
		"Can you pull the figures for last week by country?": "Chatbot",
		"现在积压有多少？":                                           "2",
	} {
		q := &findatav1.DiscoverQuery{UserQuery: ask}
		asked := discover(t, s, "ann", q)
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, asked.GetOutcome(), ask)
		q.ClarificationReply = reply
		r := discover(t, s, "ann", q)
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), ask)
		require.NotEmpty(t, r.GetRelatedTables(), ask)
		for _, one := range r.GetRelatedTables() {
			require.Equal(t, r.GetRelatedTables()[0].GetTable().GetMart(), one.GetTable().GetMart(), ask)
		}
		require.NotEqual(t, "General", r.GetRelatedTables()[0].GetTable().GetMart())
		require.NotEmpty(t, r.GetAnswer())
	}
}
