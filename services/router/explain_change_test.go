package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// PlanChange implements text2sqlv1.Text2SQLServiceServer.
func (s *team) PlanChange(ctx context.Context, r *text2sqlv1.PlanChangeRequest) (*text2sqlv1.PlanChangeResponse, error) {
	s.note(ctx, "plan_change", r.GetQuery())
	return s.planChange(r.GetQuery()), nil
}

// ExplainChange implements chatbiv1.ChatBIServiceServer.
func (s *team) ExplainChange(r *chatbiv1.ExplainChangeRequest, stream grpc.ServerStreamingServer[chatbiv1.ExplainChangeResponse]) error {
	s.note(stream.Context(), "explain_change", r.GetQuery())
	return stream.Send(&chatbiv1.ExplainChangeResponse{Event: &chatbiv1.ExplainChangeResponse_Result{Result: s.explain(r.GetQuery())}})
}

// changeOf is the plan that the tests carry from text2sql to chatbi.
func changeOf(name string) *text2sqlv1.PlanChangeResponse {
	return &text2sqlv1.PlanChangeResponse{
		Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL,
		Plan: &commonv1.ChangePlan{
			Metric: &commonv1.ChangeMetric{Id: name, Name: name}, Before: &commonv1.ChangePeriod{From: "2026-11-09", To: "2026-11-16"}, After: &commonv1.ChangePeriod{From: "2026-11-16", To: "2026-11-23"},
			Statements: []*commonv1.ChangeStatement{{Role: commonv1.ChangeRole_CHANGE_ROLE_CELLS, Sql: theSQL}},
		},
	}
}

// TestExplainChange: the plan goes from text2sql to chatbi as it is, whose words are the
// answer and end the turn.
func TestExplainChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.planChange = func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse { return changeOf("gmv") }
	w.team.explain = func(q *chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
		return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: q.GetPlan().GetMetric().GetName() + " fell"}
	}
	for _, question := range []string{"Why did GMV drop in Thailand last week?", "为什么上周泰国的成交额下降了"} {
		a := w.ask(t, &routerv1.Turn{Question: question})
		require.Equal(t, "gmv fell", a.GetText())
		require.Equal(t, []string{"explain_change"}, a.GetPlan())
		require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, a.GetOutcome())
		require.Equal(t, "gmv fell", a.GetToolCalls()[0].GetExplainChange().GetAnswer())
	}
}

// TestExplainChangeAfterAnAnswer: "why?" takes the intent of the answer before with it.
func TestExplainChangeAfterAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		r := sqlResult(theSQL)
		r.IntentJson = `{"select":[]}`
		return r, nil
	}
	var asked *text2sqlv1.GenerateQuery
	w.team.planChange = func(q *text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse {
		asked = q
		return changeOf("orders")
	}
	w.team.explain = func(*chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
		return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "it fell"}
	}
	a := w.ask(t, &routerv1.Turn{Question: "How many orders were there last week in Thailand?"})
	session := a.GetSessionId()
	for _, why := range []string{"why?", "为什么？"} { // the second is about the same answer
		a = w.ask(t, &routerv1.Turn{Question: why, SessionId: session})
		require.Equal(t, "it fell", a.GetText())
		require.Equal(t, `{"select":[]}`, asked.GetPreviousIntentJson())
		require.Equal(t, why, asked.GetFollowUp())
	}
}

// TestExplainChangeWithoutAPlan: what text2sql asks is asked, and why it has no plan is
// the answer; chatbi is not called.
func TestExplainChangeWithoutAPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.explain = func(*chatbiv1.ExplainQuery) *chatbiv1.ExplainResult { panic("there is no plan") }
	w.team.planChange = func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse {
		return &text2sqlv1.PlanChangeResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "no layer here"}
	}
	a := w.ask(t, &routerv1.Turn{Question: "Why did sales drop last week?"})
	require.Equal(t, "no layer here", a.GetText())
	require.Equal(t, routerv1.Outcome_OUTCOME_ABSTAINED, a.GetOutcome())

	w.team.planChange = func(q *text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse {
		if q.GetChosenOptionId() == "metric:net" {
			return &text2sqlv1.PlanChangeResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "net it is"}
		}
		return &text2sqlv1.PlanChangeResponse{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK, Question: &commonv1.Question{
			Text: "Which?", ToolName: "explain_change", Options: []*commonv1.Option{{Id: "metric:gross", Label: "gross sales"}, {Id: "metric:net", Label: "net sales"}},
		}}
	}
	a = w.ask(t, &routerv1.Turn{Question: "Why did sales drop last week?"})
	require.True(t, a.GetAskHuman())
	a = w.ask(t, &routerv1.Turn{Question: "2", SessionId: a.GetSessionId()})
	require.Equal(t, "net it is", a.GetText())
}

// TestExplainChangeAsksForItsCost: a yes runs it, a no does not.
func TestExplainChangeAsksForItsCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.planChange = func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse { return changeOf("gmv") }
	w.team.explain = func(q *chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
		if q.GetCostConfirmed() {
			return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "dear and done"}
		}
		return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{
			Text: "Run it?", ToolName: "explain_change", Options: []*commonv1.Option{{Id: "run", Label: "Run it"}, {Id: "narrow", Label: "Narrow it down"}},
		}}
	}
	a := w.ask(t, &routerv1.Turn{Question: "Why did GMV drop last week?"})
	require.True(t, a.GetAskHuman())
	require.Equal(t, "dear and done", w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId()}).GetText())
	a = w.ask(t, &routerv1.Turn{Question: "Why did GMV drop last week?"})
	require.NotContains(t, w.ask(t, &routerv1.Turn{Question: "no", SessionId: a.GetSessionId()}).GetText(), "done")
}
