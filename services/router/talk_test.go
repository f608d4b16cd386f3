package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// writes writes a SQL of its own for each question, with an intent.
func writes(changes ...string) func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
	return func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		r := sqlResult("SELECT '" + q.GetUserQuestion() + "'")
		r.IntentJson, r.Changes = `{"of":"`+q.GetUserQuestion()+`"}`, changes
		return r, nil
	}
}

// lastGenerate is the newest question to text2sql.
func (w *world) lastGenerate(t *testing.T) *text2sqlv1.GenerateQuery {
	t.Helper()
	for i := len(w.team.tools()) - 1; i >= 0; i-- {
		if q, ok := w.team.call(i).request.(*text2sqlv1.GenerateQuery); ok {
			return q
		}
	}
	require.Fail(t, "text2sql was not asked")
	return nil
}

func TestATalkGoesBackToAnEarlierAnswer(t *testing.T) {
	t.Parallel()
	for _, words := range []struct{ back, then string }{{"go back to the first one", "and in May?"}, {"回到第一个问题", "那五月呢？"}, {"undo that", "and in May?"}} {
		t.Run(words.back, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.generate = writes()
			first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
			w.ask(t, &routerv1.Turn{Question: "only Brazil", SessionId: first.GetSessionId()})
			w.ask(t, &routerv1.Turn{Question: words.back, SessionId: first.GetSessionId()})
			last := w.team.call(len(w.team.tools()) - 1).request.(*chatbiv1.ExecuteQuery)
			require.Equal(t, "SELECT 'how many orders yesterday?'", last.GetSql())
			w.ask(t, &routerv1.Turn{Question: words.then, SessionId: first.GetSessionId()})
			require.JSONEq(t, `{"of":"how many orders yesterday?"}`, w.lastGenerate(t).GetPreviousIntentJson(), "the talk goes on from there")
		})
	}
}

func TestTheSQLOfAnAnswerIsShownWithoutATool(t *testing.T) {
	t.Parallel()
	for _, wish := range []string{"show me the SQL", "the SQL please", "把SQL给我看看"} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.team.generate = writes()
			first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
			calls := len(w.team.tools())
			got := w.ask(t, &routerv1.Turn{Question: wish, SessionId: first.GetSessionId()})
			require.Contains(t, got.GetText(), "SELECT 'how many orders yesterday?'")
			require.Len(t, w.team.tools(), calls)
			w.ask(t, &routerv1.Turn{Question: "only Brazil", SessionId: first.GetSessionId()})
			require.NotEmpty(t, w.lastGenerate(t).GetPreviousIntentJson(), "it is no topic of its own")
		})
	}
}

func TestAChangeThatWasRefusedIsToldWithTheNextAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = writes()
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "unicorns?"}, nil
	}
	w.ask(t, &routerv1.Turn{Question: "and for the unicorns?", SessionId: first.GetSessionId()})
	w.team.generate = writes("By week.", "In force: day = yesterday.")
	got := w.ask(t, &routerv1.Turn{Question: "and by week?", SessionId: first.GetSessionId()})
	require.Contains(t, got.GetText(), `"and for the unicorns?"`)
	require.Contains(t, got.GetText(), "In force: day = yesterday.", "the answer says what it is under")
}

func TestAnotherWishAfterAQuestionBackKeepsTheIntent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = writes()
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, Question: &commonv1.Question{Text: "Which?", Options: []*commonv1.Option{
			{Id: "change:0", Label: "This condition is taken back: average amount > 600."}, {Id: "change:1", Label: "Only paid ones."},
		}}}, nil
	}
	w.ask(t, &routerv1.Turn{Question: "and only that?", SessionId: first.GetSessionId()})
	w.team.generate = writes("Total.")
	got := w.ask(t, &routerv1.Turn{Question: "total instead of average", SessionId: first.GetSessionId()})
	q := w.lastGenerate(t)
	require.Empty(t, q.GetChosenOptionId(), "a word of an option is no choice")
	require.Equal(t, "total instead of average", q.GetFollowUp())
	require.JSONEq(t, `{"of":"how many orders yesterday?"}`, q.GetPreviousIntentJson())
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT, got.GetFinalIntent(), "figures were asked for")
	require.Contains(t, got.GetText(), `"and only that?"`)
}

func TestAShortRequestBringsTheIntentThatItMayChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = writes()
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.ask(t, &routerv1.Turn{Question: "how many refunds were there?", SessionId: first.GetSessionId()})
	q := w.lastGenerate(t)
	require.Equal(t, "how many refunds were there?", q.GetUserQuestion(), "it stands alone: the reader decides")
	require.JSONEq(t, `{"of":"how many orders yesterday?"}`, q.GetPreviousIntentJson())
	w.ask(t, &routerv1.Turn{Question: "new topic: how many trucks are there?", SessionId: first.GetSessionId()})
	require.Empty(t, w.lastGenerate(t).GetPreviousIntentJson())
}
