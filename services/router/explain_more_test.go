package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
)

// TestWhyAfterACallThatIsNotThere: a change is not planned as a question of its own where
// the answer that it is about cannot be read.
func TestWhyAfterACallThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(wants("", tools.ExplainChange, tools.ExplainChangeArgs{UserQuestion: "why?", PreviousToolCallID: "call_gone", FollowUp: "why?"}))))
	a := w.ask(t, &routerv1.Turn{Question: "why?"})
	require.Empty(t, w.team.tools())
	require.Equal(t, "TOOL_CALL_UNKNOWN", a.GetToolCalls()[0].GetErrorReason())
	require.Contains(t, a.GetText(), "call_gone")
}

// TestWhyOfAnAnswerWithoutAnIntent: a SQL by hand has no intent, so that the question is
// read as a whole and nothing is called a change of it.
func TestWhyOfAnAnswerWithoutAnIntent(t *testing.T) {
	t.Parallel()
	ran := &script{steps: []func(decide.In) (decide.Decision, error){wants(tools.Execute, tools.Execute, tools.ExecuteArgs{SQL: theSQL})}}
	w := newWorld(t, withStrategy(ran))
	var asked *text2sqlv1.GenerateQuery
	w.team.planChange = func(q *text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse {
		asked = q
		return changeOf("gmv")
	}
	w.team.explain = func(*chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
		return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "it fell"}
	}
	a := w.ask(t, &routerv1.Turn{Question: "run " + theSQL})
	ran.mu.Lock()
	ran.steps, ran.next = append(ran.steps[:0], wants("", tools.ExplainChange, tools.ExplainChangeArgs{
		UserQuestion: "why did it fall?", PreviousToolCallID: a.GetToolCalls()[0].GetToolCallId(), FollowUp: "why?"})), 0
	ran.mu.Unlock()
	require.Equal(t, "it fell", w.ask(t, &routerv1.Turn{Question: "why?", SessionId: a.GetSessionId()}).GetText())
	require.Equal(t, "why did it fall?", asked.GetUserQuestion())
	require.Empty(t, asked.GetFollowUp())
}

// TestAYesToARunIsNoYesToAnExplanation: in a turn that goes on after the statement that was
// agreed to, the statements that explain a change are priced anew.
func TestAYesToARunIsNoYesToAnExplanation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(
		wants("", tools.Execute, tools.ExecuteArgs{SQL: theSQL}),
		wants("", tools.ExplainChange, tools.ExplainChangeArgs{UserQuestion: "why?"}),
	)))
	w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		if q.GetCostConfirmed() {
			return doneResult(), nil
		}
		return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "2 TB. Go on?",
			Options: []*commonv1.Option{{Id: "run", Label: "Run it"}, {Id: "narrow", Label: "Narrow it down"}}}}, nil
	}
	w.team.planChange = func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse { return changeOf("gmv") }
	confirmed := []bool{}
	w.team.explain = func(q *chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
		confirmed = append(confirmed, q.GetCostConfirmed())
		return &chatbiv1.ExplainResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "it fell"}
	}
	a := w.ask(t, &routerv1.Turn{Question: "run " + theSQL})
	require.True(t, a.GetAskHuman())
	w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId()})
	require.Equal(t, []bool{false}, confirmed)
}

// TestAChangeThatIsNotAllowedIsNoFailure: what chatbi refused is told as refused, and what
// failed as failed.
func TestAChangeThatIsNotAllowedIsNoFailure(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[chatbiv1.ExecuteOutcome]string{
		chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED: "The SQL was not run: too much",
		chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED:  "The SQL failed on the engine: too much",
	} {
		w := newWorld(t)
		w.team.planChange = func(*text2sqlv1.GenerateQuery) *text2sqlv1.PlanChangeResponse { return changeOf("gmv") }
		w.team.explain = func(*chatbiv1.ExplainQuery) *chatbiv1.ExplainResult {
			return &chatbiv1.ExplainResult{Outcome: outcome, Error: &commonv1.SqlDiagnostic{Code: "COST_LIMIT_EXCEEDED", Message: "too much"}}
		}
		require.Contains(t, w.ask(t, &routerv1.Turn{Question: "Why did GMV drop last week?"}).GetText(), want)
	}
}
