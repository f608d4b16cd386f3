package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// whyCase is a fact that the demo has planted, and how people ask for it. {from} and {to}
// are the first and the last day of the fact, {zhfrom} and {zhto} the same in Chinese.
type whyCase struct {
	fact            string
	firstAgo, toAgo int // days before yesterday
	en, zh          string
	finds           func(t *testing.T, r *chatbiv1.ExplainResult)
	saysEN, saysZH  []string
	outcome         chatbiv1.ChangeOutcome
}

// TestWhyFindsWhatIsPlanted: each of the six facts of the demo is found by a question for
// its reason, in both languages, through the whole product.
func TestWhyFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t))
	place := func(dimension, value string) func(*testing.T, *chatbiv1.ExplainResult) {
		return func(t *testing.T, r *chatbiv1.ExplainResult) {
			t.Helper()
			require.NotEmpty(t, r.GetElements())
			first := r.GetElements()[0]
			require.True(t, first.GetCause(), "%v is only one of the largest", first)
			require.True(t, slices.ContainsFunc(first.GetPlaces(), func(p *chatbiv1.ChangePlace) bool {
				return p.GetDimension() == dimension && p.GetValue() == value
			}), "the most telling cell is %v", first)
		}
	}
	missing := func(table string) func(*testing.T, *chatbiv1.ExplainResult) {
		return func(t *testing.T, r *chatbiv1.ExplainResult) {
			t.Helper()
			require.Len(t, r.GetDataProblems(), 1)
			require.Contains(t, r.GetDataProblems()[0], table)
			require.True(t, strings.HasPrefix(r.GetAnswer(), r.GetDataProblems()[0]), "it comes first")
		}
	}
	for _, w := range []whyCase{
		{
			fact: "drop", firstAgo: 62, toAgo: 42, outcome: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_ONE_CAUSE,
			en: "Why did GMV drop in Thailand from {from} to {to}?", zh: "{zhfrom}至{zhto}泰国的成交额为什么下降了？",
			finds: place("payment_method", "BANK_TRANSFER"), saysEN: []string{"Thailand", "BANK_TRANSFER", "accounts for", "orders"}, saysZH: []string{"泰国", "BANK_TRANSFER", "订单数"},
		},
		{
			fact: "surge", firstAgo: 20, toAgo: 0, outcome: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_ONE_CAUSE,
			en: "Why did GMV rise in the last three weeks?", zh: "最近三周成交额为什么上涨？",
			finds: place("category", "Sports & Outdoors"), saysEN: []string{"Sports & Outdoors", "accounts for"}, saysZH: []string{"Sports & Outdoors"},
		},
		{
			fact: "hub", firstAgo: 27, toAgo: 0, outcome: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_ONE_CAUSE,
			en: "Why did the on-time rate fall in Brazil in the last four weeks?", zh: "最近四周巴西的准时率为什么下降？",
			finds: place("hub_name", "Rio de Janeiro"), saysEN: []string{"Brazil", "Rio de Janeiro"}, saysZH: []string{"巴西", "Rio de Janeiro"},
		},
		{
			fact: "bot", firstAgo: 90, toAgo: 0,
			en: "Why has the chatbot resolution rate risen since {from}?", zh: "{zhfrom}以来机器人解决率为什么上升了？",
			finds: func(t *testing.T, r *chatbiv1.ExplainResult) {
				t.Helper()
				require.Contains(t, r.GetEvents(), "v3")
				began, err := time.Parse(time.DateOnly, r.GetOnset().GetDate())
				require.NoError(t, err)
				require.LessOrEqual(t, began.Sub(ago(90)).Abs(), 24*time.Hour, "it set in with the version")
			},
			saysEN: []string{"v3"}, saysZH: []string{"v3"},
		},
		{
			fact: "gap", firstAgo: 41, toAgo: 35, outcome: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_DATA_MISSING,
			en: "Why did page views drop from {from} to {to}?", zh: "为什么{zhfrom}至{zhto}浏览量下降了？",
			finds: missing("traffic.dws_platform_traffic_1d"), saysEN: []string{"2 of the 7 days"}, saysZH: []string{"7天中缺2天"},
		},
		{
			fact: "late", firstAgo: 6, toAgo: 0, outcome: chatbiv1.ChangeOutcome_CHANGE_OUTCOME_DATA_MISSING,
			en: "Why did reported tickets drop in the last 7 days?", zh: "最近7天报表工单数为什么下降了？",
			finds: missing("cs_mart.dws_cs_ticket_1d"), saysEN: []string{"is late", "3 days"}, saysZH: []string{"延迟", "3天"},
		},
	} {
		for language, question := range map[string]string{"en": w.en, "zh": w.zh} {
			t.Run(w.fact+"/"+language, func(t *testing.T) {
				t.Parallel()
				r := c.why(t, fill(question, w))
				w.finds(t, r)
				if w.outcome != 0 {
					require.Equal(t, w.outcome, r.GetChange())
				}
				says := map[string][]string{"en": w.saysEN, "zh": w.saysZH}[language]
				for _, words := range says {
					require.Contains(t, r.GetAnswer(), words)
				}
				require.NotContains(t, strings.ToLower(r.GetAnswer()), "caused")
				require.NotContains(t, r.GetAnswer(), "导致")
				roles := map[commonv1.ChangeRole]bool{}
				for _, run := range r.GetRuns() {
					require.NotEmpty(t, run.GetExecutedSql(), "each number carries its SQL")
					roles[run.GetRole()] = true
				}
				require.True(t, roles[commonv1.ChangeRole_CHANGE_ROLE_CELLS] && roles[commonv1.ChangeRole_CHANGE_ROLE_DAILY])
				require.NotEmpty(t, r.GetCertificate().GetTables())
			})
		}
	}
}

// TestWhyAfterAnAnswer: "why?" is about the figure that was shown; a source without a
// metric of that name says what is missing.
func TestWhyAfterAnAnswer(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t))
	client := c.client()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	session := ""
	say := func(question string) *routerv1.Answer {
		resp, err := client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: question, SessionId: session}})
		require.NoError(t, err)
		session = resp.GetAnswer().GetSessionId()
		return resp.GetAnswer()
	}
	say("What was the GMV in Thailand last week compared with the week before?")
	for _, question := range []string{"why?", "为什么？", "why did it go down so much?"} {
		answer := say(question)
		calls := answer.GetToolCalls()
		require.Len(t, calls, 1, "%s: %s\n%s", question, answer.GetText(), c.processes["all"].log)
		require.Equal(t, "explain_change", calls[0].GetToolName())
		r := calls[0].GetExplainChange()
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), answer.GetText())
		require.Contains(t, r.GetHeadline(), map[bool]string{true: "泰国", false: "Thailand"}[question == "为什么？"])
	}
	answer := say("why did the morale of hamsters fall last week?")
	require.Equal(t, routerv1.Outcome_OUTCOME_ABSTAINED, answer.GetOutcome())
	require.Contains(t, answer.GetText(), "hamsters")
}

// ago is a day before yesterday, as the demo counts.
func ago(days int) time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month(), now.Day()-1-days, 0, 0, 0, 0, time.UTC)
}

func fill(question string, w whyCase) string {
	from, to := ago(w.firstAgo), ago(w.toAgo)
	return strings.NewReplacer(
		"{from}", from.Format("2 January 2006"), "{to}", to.Format("2 January 2006"),
		"{zhfrom}", from.Format("2006年1月2日"), "{zhto}", to.Format("2006年1月2日"),
	).Replace(question)
}

// why asks why and returns what the tool found.
func (c *cluster) why(t *testing.T, question string) *chatbiv1.ExplainResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	resp, err := c.client().Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: question}})
	require.NoError(t, err)
	calls := resp.GetAnswer().GetToolCalls()
	require.Len(t, calls, 1, "%s: %s", question, resp.GetAnswer().GetText())
	require.Equal(t, "explain_change", calls[0].GetToolName())
	r := calls[0].GetExplainChange()
	require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), "%s: %s", question, resp.GetAnswer().GetText())
	return r
}
