package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestAFailedRunIsNoExample: what failed to run proposes no verified query, however much a person likes it.
func TestAFailedRunIsNoExample(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		return failedResult("EXCEEDED_TIME_LIMIT"), nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, ProposeExample: true})
	require.Equal(t, "RUN_WITHOUT_EXAMPLE", fault.ReasonOf(err))
	require.Empty(t, w.team.feedback)
}
