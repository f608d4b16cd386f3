package router

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// explainChange has text2sql plan how a change is looked into, and chatbi run the plan.
// Its output is chatbi's, or text2sql's where there is no plan: what it asks, or why.
func (s *Service) explainChange(ctx context.Context, t *turn, c *call, a *tools.ExplainChangeArgs) (proto.Message, error) {
	q := &text2sqlv1.GenerateQuery{
		Source: t.source, UserQuestion: a.UserQuestion, UserContext: s.userContext(t), ChosenOptionId: t.chosenFor(c),
	}
	if a.PreviousToolCallID != "" {
		previous, err := s.intentOf(ctx, t, a.PreviousToolCallID)
		if err != nil {
			return nil, err
		}
		q.PreviousIntentJson = previous
		if previous != "" {
			q.FollowUp = a.FollowUp
		}
	}
	plan, err := s.deps.Text2SQL.PlanChange(ctx, &text2sqlv1.PlanChangeRequest{Query: q})
	if err != nil {
		return nil, err
	}
	if plan.GetPlan() == nil {
		return plan, nil
	}
	query := &chatbiv1.ExplainQuery{Source: t.source, Plan: plan.GetPlan(), UserQuestion: a.UserQuestion, UserContext: s.userContext(t)}
	if c.ID == t.answeredCall() {
		query.CostConfirmed = t.confirmed
	}
	return stream(t, func() (grpc.ServerStreamingClient[chatbiv1.ExplainChangeResponse], error) {
		return s.deps.ChatBI.ExplainChange(ctx, &chatbiv1.ExplainChangeRequest{Query: query})
	}, func(m *chatbiv1.ExplainChangeResponse) (proto.Message, *commonv1.RunTrace, *routerv1.ToolProgress) {
		if r := m.GetResult(); r != nil {
			return r, m.GetTrace(), nil
		}
		p := m.GetProgress()
		return nil, m.GetTrace(), &routerv1.ToolProgress{Message: p.GetPhase(), Fraction: p.GetFraction()}
	})
}

// changeText is chatbi's own words on a change.
func (s *Service) changeText(t *turn, o *chatbiv1.ExplainResult) string {
	switch o.GetOutcome() {
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE:
		return o.GetAnswer()
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED:
		return s.words.Say(t.language, words.RunRefused, "error", o.GetError().GetMessage())
	default:
		return s.words.Say(t.language, words.RunFailed, "error", o.GetError().GetMessage())
	}
}

// outcomeOfChange is the outcome of a change that was looked into.
func outcomeOfChange(r *chatbiv1.ExplainResult) run.Outcome {
	return outcomeOfExecution(&chatbiv1.ExecuteResult{Outcome: r.GetOutcome(), Error: r.GetError()})
}
