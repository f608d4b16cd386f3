package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestARepairedAnswerIsProposedAsItRan: who says that an answer was right means the SQL that
// ran, and not the one that was written first and failed.
func TestARepairedAnswerIsProposedAsItRan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := 0
	w.team.execute = func(context.Context, *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		if ran++; ran == 1 {
			return failedResult("COLUMN_NOT_FOUND"), nil
		}
		return doneResult(), nil
	}
	w.team.fix = func(context.Context, *fixsqlv1.FixSQLRequest) (*fixsqlv1.FixSQLResponse, error) {
		return &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 'repaired'"}, Changed: true}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	_, err := w.client.SubmitFeedback(as(t.Context(), "alice"), &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP, ProposeExample: true})
	require.NoError(t, err)
	require.Len(t, w.team.examples, 1)
	require.Equal(t, "SELECT 'repaired'", w.team.examples[0].GetSql())
}
