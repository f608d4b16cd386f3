package text2sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// TestWhatDidNotDoIsNotWrittenAgain: neither what the rules read nor a verified query comes a
// second time, and who gets nothing is told why.
func TestWhatDidNotDoIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	s, _ := verifiedService(t, "")
	carol := as("carol", "stewards")
	_, err := s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: "guests in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	for _, question := range []string{"guests in Porto", "total visitors by city"} {
		first := answerOf(carol, t, s, question)
		require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, first.GetOutcome(), question)
		var tried []*text2sqlv1.TriedStatement
		for next := first; next.GetOutcome() == text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL; {
			sql := next.GetCandidates()[0].GetSql()
			for _, before := range tried {
				require.NotEqual(t, before.GetSql(), sql, question)
			}
			require.Less(t, len(tried), 5, question)
			tried = append(tried, &text2sqlv1.TriedStatement{Sql: sql, Reason: "the engine ran out of spoons"})
			r, err := s.GenerateSQLUnary(carol, &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: question, Tried: tried}})
			require.NoError(t, err)
			next = r.GetResult()
			if next.GetOutcome() != text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL {
				require.Contains(t, next.GetAbstainedReason(), "out of spoons", question)
			}
		}
	}
}
