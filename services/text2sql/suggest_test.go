package text2sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/services/text2sql"
)

// TestAnAnswerSuggestsWhatFollows: only where it is asked for, only beside an answer, and
// what it suggests is read as a follow-up into just the SQL that was promised.
func TestAnAnswerSuggestsWhatFollows(t *testing.T) {
	t.Parallel()
	s, catalogOf := newServiceWith(t, text2sql.Config{}, text2sql.Deps{})
	catalogOf.tables = parcels()
	ask := func(q *text2sqlv1.GenerateQuery) *text2sqlv1.GenerateResult {
		q.Tables = catalogpb.FromTables(parcels())
		resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: q})
		require.NoError(t, err)
		return resp.GetResult()
	}
	const question = "how many parcels are in the depot North?"
	require.Empty(t, ask(&text2sqlv1.GenerateQuery{UserQuestion: question}).GetSuggestions(), "nobody asked for any")
	unknown := ask(&text2sqlv1.GenerateQuery{UserQuestion: "how many zenlux parcels are in the depot North?", MaxSuggestions: 3})
	require.NotEqual(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, unknown.GetOutcome())
	require.Empty(t, unknown.GetSuggestions())
	require.Len(t, ask(&text2sqlv1.GenerateQuery{UserQuestion: question, MaxSuggestions: 1}).GetSuggestions(), 1)

	first := ask(&text2sqlv1.GenerateQuery{UserQuestion: question, MaxSuggestions: 5})
	require.NotEmpty(t, first.GetSuggestions())
	for _, next := range first.GetSuggestions() {
		said := ask(&text2sqlv1.GenerateQuery{
			UserQuestion: question + "; " + next.GetFollowUp(), PreviousIntentJson: first.GetIntentJson(), FollowUp: next.GetFollowUp(),
		})
		require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, said.GetOutcome(), next.GetFollowUp())
		require.Equal(t, next.GetSql(), said.GetCandidates()[0].GetSql())
		require.Contains(t, next.GetSql(), "North", "the condition stays")
	}
}
