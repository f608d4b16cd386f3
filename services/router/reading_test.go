package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

type generating = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error)

// readings is a text2sql that offers readings until one is chosen.
func readings(labels ...string) func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
	return func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		if q.GetChosenOptionId() != "" {
			return sqlResult(theSQL), nil
		}
		ask := &commonv1.Question{Text: "Do you mean one of these?"}
		for i, l := range labels {
			ask.Options = append(ask.Options, &commonv1.Option{Id: "reading:" + string(rune('a'+i)), Label: l, Description: "12"})
		}
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, Question: ask}, nil
	}
}

// TestOfferedReadings: readings are shown with their numbers and taken by number, by id, by
// words that one alone has; a message that says more is a message of its own.
func TestOfferedReadings(t *testing.T) {
	t.Parallel()
	english := []string{`number of loans by month; without "Zenlux"`, "number of books by branch", "total of fines by branch"}
	chinese := []string{"按分馆统计的借阅数量", "按月统计的罚款合计", "按类型统计的会员数量"}
	const question, inChinese = "how many Zenlux orders per month?", "按月统计订单数量"
	for name, c := range map[string]struct {
		question string
		labels   []string
		turn     *routerv1.Turn
		chosen   string // empty: none
		declined bool
	}{
		"a number":                {question, english, &routerv1.Turn{Question: "2"}, "reading:b", false},
		"an ordinal":              {question, english, &routerv1.Turn{Question: "the second one please"}, "reading:b", false},
		"an id":                   {question, english, &routerv1.Turn{Question: "x", ChosenOptionId: "reading:c"}, "reading:c", false},
		"words of one":            {question, english, &routerv1.Turn{Question: "fines"}, "reading:c", false},
		"all of its words":        {question, english, &routerv1.Turn{Question: "number of books by branch"}, "reading:b", false},
		"words of two":            {question, english, &routerv1.Turn{Question: "by branch"}, "", false},
		"its words and a year":    {question, english, &routerv1.Turn{Question: "number of books by branch in 2023"}, "", false},
		"its words and a no":      {question, english, &routerv1.Turn{Question: "number of books not by branch"}, "", false},
		"a number of other words": {question, english, &routerv1.Turn{Question: "top 3 orders"}, "", false},
		"none of these":           {question, english, &routerv1.Turn{Question: "none of these"}, "", true},
		"a question of its own":   {question, english, &routerv1.Turn{Question: "how many orders were there yesterday?"}, "", false},
		"an unknown id":           {question, english, &routerv1.Turn{Question: "2", ChosenOptionId: "reading:z"}, "", false},
		"yes to the only one":     {question, english[:1], &routerv1.Turn{Question: "yes"}, "reading:a", false},
		"yes to three":            {question, english, &routerv1.Turn{Question: "yes"}, "", false},
		"Chinese, a number":       {inChinese, chinese, &routerv1.Turn{Question: "2"}, "reading:b", false},
		"Chinese, an ordinal":     {inChinese, chinese, &routerv1.Turn{Question: "第三个"}, "reading:c", false},
		"Chinese, words of one":   {inChinese, chinese, &routerv1.Turn{Question: "罚款合计"}, "reading:b", false},
		"Chinese, none":           {inChinese, chinese, &routerv1.Turn{Question: "都不是"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.generate = readings(c.labels...)
			a := w.ask(t, &routerv1.Turn{Question: c.question})
			require.Equal(t, routerv1.Outcome_OUTCOME_ASKED, a.GetOutcome())
			require.Contains(t, a.GetText(), "1) "+c.labels[0]+": 12", "each is numbered, with what it comes to")
			c.turn.SessionId = a.GetSessionId()
			asked := len(w.team.tools())
			b := w.ask(t, c.turn)
			var chosen []string
			for i := asked; i < len(w.team.tools()); i++ {
				if q, ok := w.team.call(i).request.(*text2sqlv1.GenerateQuery); ok {
					require.True(t, q.GetOfferReadings())
					if q.GetChosenOptionId() != "" {
						chosen = append(chosen, q.GetChosenOptionId())
						require.Equal(t, c.question, q.GetUserQuestion(), "a choice is of the whole question")
					}
				}
			}
			if c.chosen == "" {
				require.Empty(t, chosen)
				require.Equal(t, c.declined, len(w.team.tools()) == asked, "a no calls nothing, all else is a message of its own")
				return
			}
			require.Equal(t, []string{c.chosen}, chosen)
			require.Equal(t, a.GetLanguage(), b.GetLanguage(), "a number has no language of its own")
			require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, b.GetOutcome())
			require.Equal(t, c.labels[c.chosen[len(c.chosen)-1]-'a'], b.GetRewrittenQuestion())
		})
	}
}

// TestAChoiceSpeaksTheLanguageThatTheRequestSays, whatever the question was asked in.
func TestAChoiceSpeaksTheLanguageThatTheRequestSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = readings("按月统计的订单数量", "按天统计的订单数量")
	a := w.ask(t, &routerv1.Turn{Question: "统计订单数量"})
	b := w.ask(t, &routerv1.Turn{Question: "1", SessionId: a.GetSessionId(), UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN}})
	require.Equal(t, commonv1.Language_LANGUAGE_EN, b.GetLanguage())
}

// TestOptionsStayUntilSomethingIsAnswered: a message in between that could not be answered
// leaves the options; then a number, an id or all its words take one, and words of one do not.
func TestOptionsStayUntilSomethingIsAnswered(t *testing.T) {
	t.Parallel()
	labels := []string{"number of loans by month", "number of books by branch", "total of fines by branch"}
	offered := readings(labels...)
	unclear := func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "unclear"}, nil
	}
	answered := func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return sqlResult(theSQL), nil
	}
	for name, c := range map[string]struct {
		between []generating
		turn    *routerv1.Turn
		chosen  string // empty: none
	}{
		"a number":           {[]generating{unclear}, &routerv1.Turn{Question: "2"}, "reading:b"},
		"two refusals":       {[]generating{unclear, unclear}, &routerv1.Turn{Question: "2"}, "reading:b"},
		"all of its words":   {[]generating{unclear}, &routerv1.Turn{Question: labels[2]}, "reading:c"},
		"an id":              {[]generating{unclear}, &routerv1.Turn{Question: "x", ChosenOptionId: "reading:a"}, "reading:a"},
		"words of one":       {[]generating{unclear}, &routerv1.Turn{Question: "fines"}, ""},
		"none has it":        {[]generating{unclear}, &routerv1.Turn{Question: "7"}, ""},
		"after an answer":    {[]generating{answered}, &routerv1.Turn{Question: "2"}, ""},
		"a question its own": {[]generating{unclear}, &routerv1.Turn{Question: "how many orders were there yesterday?"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.generate = offered
			a := w.ask(t, &routerv1.Turn{Question: "how many Zenlux orders per month?"})
			require.Equal(t, routerv1.Outcome_OUTCOME_ASKED, a.GetOutcome())
			for _, g := range c.between {
				w.team.generate = g
				w.ask(t, &routerv1.Turn{Question: "how many orders of the unicorns were there yesterday?", SessionId: a.GetSessionId()})
			}
			w.team.generate = offered
			before := len(w.team.tools())
			c.turn.SessionId = a.GetSessionId()
			w.ask(t, c.turn)
			chosen := ""
			for i := before; i < len(w.team.tools()); i++ {
				if q, ok := w.team.call(i).request.(*text2sqlv1.GenerateQuery); ok && q.GetChosenOptionId() != "" {
					chosen = q.GetChosenOptionId()
				}
			}
			require.Equal(t, c.chosen, chosen)
		})
	}
}
