package chatbi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestMemoryOfResultsIsGivenBack: by every statement and every change, so that the bound is
// of those at work at a time and not of all that ever were.
func TestMemoryOfResultsIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *chatbi.Config, _ *chatbi.Deps) {
		c.Limits.ResultsMemory, c.Limits.ResultsWait = 10<<10, time.Millisecond
	})
	for range 4 {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id, amount FROM orders WHERE order_id < 20"})
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())
	}
	for range 4 {
		r, err := explainChange(t, s, "alice", &chatbiv1.ExplainQuery{Plan: plan(), UserQuestion: "why did sales rise?"})
		require.NoError(t, err)
		require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, r.GetOutcome(), r.GetError())
	}
}
