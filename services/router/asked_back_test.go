package router_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestAReplyInWordsToAQuestionWithoutOptions: the tool that asked is called again, under the
// same id, with its question and the reply; a whole question of its own is a new one.
func TestAReplyInWordsToAQuestionWithoutOptions(t *testing.T) {
	t.Parallel()
	for reply, same := range map[string]bool{"net sales": true, "write a query that counts the late parcels of every hub": false} {
		w := newWorld(t)
		var asked []string
		w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			if asked = append(asked, q.GetUserQuestion()); len(asked) > 1 {
				return sqlResult(theSQL), nil
			}
			return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, Question: &commonv1.Question{Text: "Which sales?"}}, nil
		}
		a := w.ask(t, &routerv1.Turn{Question: "how many sales were there yesterday?"})
		require.True(t, a.GetAskHuman())
		b := w.ask(t, &routerv1.Turn{Question: reply, SessionId: a.GetSessionId()})
		require.Len(t, asked, 2)
		id := a.GetQuestion().GetToolCallId()
		if same {
			require.Equal(t, id, b.GetToolCalls()[0].GetToolCallId())
			require.Contains(t, asked[1], "how many sales were there yesterday?")
			require.Contains(t, asked[1], reply)
			require.Equal(t, asked[1], b.GetRewrittenQuestion())
		} else {
			require.NotEqual(t, id, b.GetToolCalls()[0].GetToolCallId())
			require.NotContains(t, asked[1], "sales were there")
		}
	}
}

// TestAYesTakesTheOneOption: asked whether this is meant, a yes says so; of two it says neither.
func TestAYesTakesTheOneOption(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "change:0", 2: ""} {
		w := newWorld(t)
		var chosen []string
		w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			if chosen = append(chosen, q.GetChosenOptionId()); len(chosen) > 1 {
				return sqlResult(theSQL), nil
			}
			options := []*commonv1.Option{{Id: "change:0", Label: "Only Bern."}, {Id: "change:1", Label: "Only Chur."}}
			return &text2sqlv1.GenerateResult{
				Outcome:  text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK,
				Question: &commonv1.Question{Text: "Do you mean this?", Options: options[:n]},
			}, nil
		}
		a := w.ask(t, &routerv1.Turn{Question: "how many sales were there yesterday?"})
		require.True(t, a.GetAskHuman())
		w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId()})
		require.Equal(t, []string{"", want}, chosen)
	}
}

// TestATurnHasOneNow: that of the run which it came in, else that of the router's clock;
// all services of the turn agree on it.
func TestATurnHasOneNow(t *testing.T) {
	t.Parallel()
	own, callers := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for given, want := range map[time.Time]time.Time{{}: own, callers: callers} {
		w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Clock = func() time.Time { return own } })
		ctx := run.Outgoing(run.With(as(t.Context(), "alice"), run.Context{Now: given}))
		_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "how many orders yesterday?"}})
		require.NoError(t, err)
		require.Len(t, w.team.tools(), 3)
		for i := range 3 {
			require.Equal(t, want, w.team.call(i).context.Now.UTC())
		}
	}
}

// TestACallThatWasRefusedSetsNoGoal: the goal of a turn is that of the first decision whose
// call was accepted.
func TestACallThatWasRefusedSetsNoGoal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(
		wants(tools.Execute, tools.GenerateSQL, map[string]any{"nothing": "like it"}),
		wants(tools.DataDiscovery, tools.DataDiscovery, discoverArgs),
	)))
	a := w.ask(t, &routerv1.Turn{Question: "orders"})
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_DATA_DISCOVERY, a.GetFinalIntent())
	require.Equal(t, []string{"discover"}, w.team.tools())
}

// TestFeedbackIsOfTheSourceOfTheSession: of that which was asked, else of the default.
func TestFeedbackIsOfTheSourceOfTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.DefaultSource = "main" })
	for _, source := range []string{"", "own"} {
		a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", Source: source})
		_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP})
		require.NoError(t, err)
	}
	require.Equal(t, "main", w.team.feedback[0].GetSource())
	require.Equal(t, "own", w.team.feedback[1].GetSource())
}

// TestWhoGoesBackChoosesNoOption: "the first one" of a message that goes back is an answer, and no
// option of the question that is still open.
func TestWhoGoesBackChoosesNoOption(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var chosen []string
	w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		if chosen = append(chosen, q.GetChosenOptionId()); len(chosen) != 2 {
			return sqlResult(theSQL), nil
		}
		return &text2sqlv1.GenerateResult{
			Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK,
			Question: &commonv1.Question{Text: "Which of these?", Options: []*commonv1.Option{
				{Id: "change:0", Label: "Only Bern."}, {Id: "change:1", Label: "Only Chur."}}},
		}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many parcels were late yesterday?"})
	b := w.ask(t, &routerv1.Turn{Question: "only the other town", SessionId: a.GetSessionId()})
	require.True(t, b.GetAskHuman())
	c := w.ask(t, &routerv1.Turn{Question: "go back to the first one", SessionId: a.GetSessionId()})
	require.Len(t, chosen, 2, "no SQL is written anew")
	require.Equal(t, tools.Execute, c.GetToolCalls()[len(c.GetToolCalls())-1].GetToolName())
}

// TestWhoGoesOnTakesTheReadingAskedAbout: a change after "do you mean this?" is one of that reading, and the answer
// says so; of two readings none is taken.
func TestWhoGoesOnTakesTheReadingAskedAbout(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: `{"intent":"asked"}`, 2: ""} {
		w := newWorld(t)
		var previous []string
		w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
			if previous = append(previous, q.GetPreviousIntentJson()); len(previous) > 1 {
				out := sqlResult(theSQL)
				out.Changes = []string{"Only Bern."}
				return out, nil
			}
			options := []*commonv1.Option{{Id: "reading:a", Label: "number of sales"}, {Id: "reading:b", Label: "total of sales"}}
			return &text2sqlv1.GenerateResult{
				Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, IntentJson: `{"intent":"asked"}`,
				Question: &commonv1.Question{Text: "Do you mean this?", Options: options[:n]},
			}, nil
		}
		a := w.ask(t, &routerv1.Turn{Question: "how many sales were there yesterday?"})
		require.True(t, a.GetAskHuman())
		b := w.ask(t, &routerv1.Turn{Question: "only the ones from Bern", SessionId: a.GetSessionId()})
		require.Len(t, previous, 2)
		require.Equal(t, want, previous[1])
		if n == 1 {
			require.Contains(t, b.GetText(), "Taken as asked before: number of sales.")
		} else {
			require.NotContains(t, b.GetText(), "Taken as asked before")
		}
	}
}
