package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/findata/scope"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// TestAskedOnlyWhereThePersonKnows: words of asking alone, words of several marts'
// columns and words with several meanings are asked about; a word with several meanings
// beside a subject that no table knows is not.
func TestAskedOnlyWhereThePersonKnows(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, want := range map[string]findatav1.DiscoverOutcome{
		"Give me the breakdown by status for Malaysia":   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"How big is the backlog right now?":              findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"帮我查一下数据":                                        findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Compare Singapore with Malaysia":                findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Yesterday's numbers, please":                    findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Split by month, please":                         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"给我印尼的日报":                                        findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"看下最近三个月的趋势":                                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"How many are still open?":                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Where is the status kept?":                      findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,   // to keep is no subject
		"Any table split ios vs android?":                findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,   // values of several marts are no subject
		"is there a calendar table with a weekend flag":  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, // a flag is what a table may have of anything
		"类目的对应关系表":                                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"buyer loans and overdue rate":                   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, // a credit card is no loan
		"上个月台湾用信用卡付款的订单占全部订单的百分之几?":                      findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,    // a translated value is the value
		"delivery vans fuel cost":                        findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"book me a table for tonight":                    findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"please cancel my order":                         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"帮我订一张机票":                                        findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"取消我的订单":                                         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"How many tickets are still open?":               findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"dim lights":                                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, // the layer dim is no mart's
		"Should I quit?":                                 findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"Can you pull the numbers of last week?":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"各类型的数量分布":                                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"Wine ratings by vineyard and vintage":           findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"order status in Malaysia":                       findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"画出上个月每天的成交额":                                    findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, // a wish for a chart is no subject
		"用折线图画出上个月每天的成交额":                                findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"How do I get promoted?":                         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND,
		"row level data for Thailand, what do you have?": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, // how fine, and not of what
		"菲律宾上个月的前十名":                                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"上个月新增了多少，哪张表能查":                                 findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, // 能 is nothing strange beside 新增
		"日历表":                     findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,    // a table is called so, in the other language
		"日历维修费":                   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, // a name beside another subject is not asked for
		"wallet balance of users": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK, // a wallet is but a stored value
	} {
		require.Equal(t, want, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), ask)
	}
}

// TestDataAsSuchAreAskedAbout: who asks for figures, a table or something and says of what in no
// word is asked back, also where a word says by what they are split, from where they are, or
// nothing at all; a subject that stands with the word, before it or after it, is one.
func TestDataAsSuchAreAskedAbout(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, want := range map[string]findatav1.DiscoverOutcome{
		"is the table of last week ready?":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"the dashboard from the workshop":          findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"I want something by country and category": findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"昨天的数去哪取":                                  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"来源在哪张表找":                                  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK,
		"a table with one row per parcel":          findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"something on parcels, by country":         findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"refund figures":                           findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		"the table about violins":                  findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"violin table":                             findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
		"小提琴的数据":                                   findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK,
	} {
		require.Equal(t, want, discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask}).GetOutcome(), ask)
	}
}

// TestLevelMartsAreAskedAbout: where the best tables of two marts know the subject as well,
// that one of them explains it in its glossary does not tell whose is meant; a word by which
// a mart calls itself does, a loose synonym is not as good as the metric, the asker's
// department decides, and where SQL is to be written the metric does.
func TestLevelMartsAreAskedAbout(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	const ask = "What was our satisfaction score last month?"
	r := scopeAs(t, s, query{Text: ask}, nil)
	require.Equal(t, scope.Ask, r.Outcome)
	require.ElementsMatch(t, []string{"Customer Service", "Chatbot"}, offered(r))
	require.Equal(t, scope.Ask, scopeAs(t, s, query{Text: ask, Department: "Chatbot team", MakeSure: true}, nil).Outcome)
	for _, c := range []struct {
		q    query
		mart string
	}{
		{query{Text: ask, ForSQL: true}, "Customer Service"},
		{query{Text: ask, Department: "Chatbot team"}, "Chatbot"},
		{query{Text: "Conversion rate by platform last week"}, "Traffic"},
		{query{Text: "conversion rate in Taiwan"}, "Traffic"}, // conversations of the chatbot have its stem
		{query{Text: "单量"}, "Order"},
		{query{Text: "GMV by country"}, "Order"},
	} {
		r := scopeAs(t, s, c.q, nil)
		require.Equal(t, scope.Identified, r.Outcome, c.q.Text)
		require.Equal(t, c.mart, martsOf(r)[0], c.q.Text)
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
