package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestAYesToTheCostIsForOneStatement: a yes to the cost of one statement is no yes to that of its repair.
func TestAYesToTheCostIsForOneStatement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var confirmed []bool
	w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		confirmed = append(confirmed, q.GetCostConfirmed())
		if len(confirmed) == 2 {
			return failedResult("TABLE_NOT_FOUND"), nil
		}
		return &chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK, Question: &commonv1.Question{Text: "2 TB. Go on?",
			Options: []*commonv1.Option{{Id: "run", Label: "Run it as it is"}, {Id: "narrow", Label: "Make it smaller"}}}}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "run " + theSQL})
	require.True(t, a.GetAskHuman())
	w.ask(t, &routerv1.Turn{Question: "yes", SessionId: a.GetSessionId()})
	require.Equal(t, []bool{false, true, false}, confirmed)
}
