package router_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/router/tools"
)

const theIntent = `{"intent_type":"basic","select":[{"kind":"metric","id":"orders"}]}`

// withIntent writes SQL with an intent.
func withIntent(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
	r := sqlResult(theSQL)
	r.IntentJson = theIntent
	return r, nil
}

func TestAFollowUpBringsTheIntentItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = withIntent
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	require.Empty(t, w.team.call(1).request.(*text2sqlv1.GenerateQuery).GetPreviousIntentJson())
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		r := sqlResult(theSQL)
		r.IntentJson, r.Changes = `{"intent_type":"trend","select":[{"kind":"metric","id":"orders"}]}`, []string{"By week."}
		return r, nil
	}
	second := w.ask(t, &routerv1.Turn{Question: "and by week?", SessionId: first.GetSessionId()})
	q := w.team.call(3).request.(*text2sqlv1.GenerateQuery)
	require.Equal(t, theIntent, q.GetPreviousIntentJson())
	require.Equal(t, "and by week?", q.GetFollowUp())
	require.Contains(t, q.GetUserQuestion(), "orders yesterday", "the whole question in plain words")
	require.Contains(t, second.GetRewrittenQuestion(), "by week")
	require.Contains(t, w.team.call(4).request.(*chatbiv1.ExecuteQuery).GetAssumptions(), "By week.", "the certificate tells the change")

	w.ask(t, &routerv1.Turn{Question: "only Brazil", SessionId: first.GetSessionId()})
	q = w.team.call(5).request.(*text2sqlv1.GenerateQuery)
	require.Contains(t, q.GetPreviousIntentJson(), "trend", "the newest intent is changed")
}

func TestAChangeThatCannotBeMadeChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = withIntent
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "unicorns?", IntentJson: `{"other":1}`}, nil
	}
	w.ask(t, &routerv1.Turn{Question: "and for the unicorns?", SessionId: first.GetSessionId()})
	before := len(w.team.tools())
	w.team.generate = withIntent
	third := w.ask(t, &routerv1.Turn{Question: "and by week?", SessionId: first.GetSessionId()})
	q := w.team.call(before).request.(*text2sqlv1.GenerateQuery)
	require.Equal(t, theIntent, q.GetPreviousIntentJson())
	require.Equal(t, "and by week?", q.GetFollowUp())
	require.NotContains(t, third.GetRewrittenQuestion(), "unicorns")
}

// TestAChangeThatWasNotMadeStaysTold: the next change is not answered without it before somebody says
// yes; who goes on without a yes is told in each answer, until it is said anew or something else is asked.
func TestAChangeThatWasNotMadeStaysTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = withIntent
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		switch {
		case strings.Contains(q.GetFollowUp(), "unicorns"):
			return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "unicorns?"}, nil
		case strings.Contains(q.GetFollowUp(), "refunds"): // a question of its own
			return withIntent(t.Context(), q)
		}
		r := sqlResult(theSQL)
		r.IntentJson, r.Changes = theIntent, []string{"Changed."}
		return r, nil
	}
	const asked, told = "Shall I answer without it?", "Not applied so far"
	for _, turn := range []struct {
		said, says string
	}{
		{"and for the purple unicorns?", ""}, // refused
		{"and by week?", asked},
		{"show the SQL", ""},
		{"only Brazil", told},
		{"and by day", told},
		{"and for the purple ones?", told}, // the last time: it is said anew
		{"and by month?", ""},
		{"and for the unicorns?", ""}, // refused
		{"what were the refunds by reason last month?", ""},
		{"and by week?", ""},
		{"and for the unicorns?", ""}, // refused
		{"and by day?", asked},
		{"1", ""}, // answered without it, and done with
		{"and by month?", ""},
		{"and for the red unicorns?", ""}, // refused
		{"and by day?", asked},
		{"yes", ""},
		{"and by month?", ""},
		{"and for the red unicorns?", ""}, // refused
		{"and by day?", asked},
		{"no", ""},
		{"and by month?", told},
		{"and for the blue unicorns?", ""}, // refused
		{"and by day?", asked},
		{"go back to the first one", ""},
	} {
		b := w.ask(t, &routerv1.Turn{Question: turn.said, SessionId: a.GetSessionId()})
		for _, text := range []string{asked, told} {
			require.Equal(t, text == turn.says, strings.Contains(b.GetText(), text), "%s: %s", turn.said, b.GetText())
		}
		ran := slices.ContainsFunc(b.GetToolCalls(), func(c *routerv1.ToolCall) bool { return c.GetToolName() == tools.Execute })
		require.False(t, turn.says == asked && ran, "%s: nothing is answered before a yes", turn.said)
		require.True(t, ran || turn.said != "1" && turn.said != "yes", "%s: %s", turn.said, b.GetText())
	}
}

func TestAFollowUpOfAnAnswerWithoutSQLIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = withIntent
	first := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "unclear", IntentJson: theIntent}, nil
	}
	w.ask(t, &routerv1.Turn{Question: "What were the refunds by reason last month?", SessionId: first.GetSessionId()})
	before := len(w.team.tools())
	w.ask(t, &routerv1.Turn{Question: "and only Brazil?", SessionId: first.GetSessionId()})
	for i := before; i < len(w.team.tools()); i++ {
		if q, ok := w.team.call(i).request.(*text2sqlv1.GenerateQuery); ok {
			require.Empty(t, q.GetPreviousIntentJson(), "the intent of the orders is not what is changed")
		}
	}
}

// AddExample notes what is proposed.
func (f *team) AddExample(_ context.Context, r *text2sqlv1.AddExampleRequest) (*text2sqlv1.AddExampleResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.addExample != nil {
		return nil, f.addExample(r)
	}
	f.examples = append(f.examples, r)
	return &text2sqlv1.AddExampleResponse{Example: &text2sqlv1.Example{ExampleId: "ex_1"}}, nil
}

func TestFeedbackTeachesTablesAndProposesExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := as(t.Context(), "alice")
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	up := &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, ProposeExample: true}
	got, err := w.client.SubmitFeedback(ctx, up)
	require.NoError(t, err)
	require.Equal(t, "ex_1", got.GetExampleId())
	require.Len(t, w.team.feedback, 1)
	require.Equal(t, findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED, w.team.feedback[0].GetKind())
	require.Equal(t, []string{"sg.shop.orders"}, w.team.feedback[0].GetTables(), "those that the SQL read")
	require.Equal(t, theSQL, w.team.examples[0].GetSql())
	require.Equal(t, "how many orders yesterday?", w.team.examples[0].GetQuestion())
	require.True(t, w.team.examples[0].GetProposeOnly())
	require.Equal(t, a.GetRunId(), w.team.examples[0].GetRunId())

	down := &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_DOWN, ProposeExample: true}
	_, err = w.client.SubmitFeedback(ctx, down)
	require.Equal(t, "RUN_WITHOUT_EXAMPLE", fault.ReasonOf(err))
	require.Len(t, w.team.feedback, 1, "nothing says which table was wrong")
	down.CorrectedSql = "SELECT 2"
	_, err = w.client.SubmitFeedback(ctx, down)
	require.NoError(t, err)
	require.Equal(t, "SELECT 2", w.team.examples[1].GetSql())
	plain := &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP}
	got, err = w.client.SubmitFeedback(ctx, plain)
	require.NoError(t, err)
	require.Empty(t, got.GetExampleId(), "nobody asked for one")
	require.Len(t, w.team.examples, 2)
}

func TestLockedTablesAreNeverBuiltOn(t *testing.T) {
	t.Parallel()
	locked := func() *findatav1.TableCandidate {
		return &findatav1.TableCandidate{Locked: true, ApplyHint: "ask the data office", Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: "payroll"}}}
	}
	w := newWorld(t)
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		r := tablesResult()
		r.RelatedTables = append([]*findatav1.TableCandidate{locked()}, r.GetRelatedTables()...)
		return r, nil
	}
	w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	built := w.team.call(1).request.(*text2sqlv1.GenerateQuery).GetTables()
	require.NotEmpty(t, built)
	for _, table := range built {
		require.NotEqual(t, "payroll", table.GetRef().GetTable())
	}
	w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		r := tablesResult()
		r.RelatedTables = []*findatav1.TableCandidate{locked()}
		return r, nil
	}
	before := len(w.team.tools())
	a := w.ask(t, &routerv1.Turn{Question: "how many payslips yesterday?"})
	require.Equal(t, []string{"discover"}, w.team.tools()[before:], "there is nothing to write SQL over")
	require.True(t, strings.Contains(a.GetText(), "payroll"), a.GetText())
}

func TestAReplyInOtherWordsGoesToFindData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.discover = func(_ context.Context, q *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		if q.GetClarificationReply() != "" || q.GetChosenOptionId() != "" {
			return tablesResult(), nil
		}
		return &findatav1.DiscoverResult{Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK, Question: &commonv1.Question{Text: "Which area?",
			Options: []*commonv1.Option{{Id: "mart:order", Label: "Sales"}, {Id: "mart:logistics", Label: "Logistics"}}}}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many parcels yesterday?"})
	require.True(t, a.GetAskHuman())
	w.ask(t, &routerv1.Turn{Question: "the warehouse side", SessionId: a.GetSessionId()})
	q := w.team.call(1).request.(*findatav1.DiscoverQuery)
	require.Equal(t, "the warehouse side", q.GetClarificationReply())
	require.Empty(t, q.GetChosenOptionId())
	require.Contains(t, q.GetUserQuery(), "parcels", "the question stays as it was")

	b := w.ask(t, &routerv1.Turn{Question: "how many parcels yesterday?"})
	w.ask(t, &routerv1.Turn{Question: "2", SessionId: b.GetSessionId()})
	last := w.team.tools()
	for i := len(last) - 1; i >= 0; i-- {
		if q, ok := w.team.call(i).request.(*findatav1.DiscoverQuery); ok {
			require.Equal(t, "mart:logistics", q.GetChosenOptionId())
			require.Empty(t, q.GetClarificationReply())
			break
		}
	}
}
