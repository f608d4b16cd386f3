package text2sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

func TestAFollowUpChangesTheIntentBefore(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	ask := func(q *text2sqlv1.GenerateQuery) *text2sqlv1.GenerateResult {
		resp, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: q})
		require.NoError(t, err)
		return resp.GetResult()
	}
	first := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV in Singapore last month"})
	changed := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV in Singapore last month, and for Brazil?", FollowUp: "and for Brazil?", PreviousIntentJson: first.GetIntentJson()})
	whole := ask(&text2sqlv1.GenerateQuery{UserQuestion: "GMV in Brazil last month"})
	require.Equal(t, whole.GetCandidates()[0].GetSql(), changed.GetCandidates()[0].GetSql())
	require.Equal(t, []string{"Countries: Brazil."}, changed.GetChanges())
	again := ask(&text2sqlv1.GenerateQuery{UserQuestion: "only Singapore", PreviousIntentJson: changed.GetIntentJson()})
	require.Equal(t, first.GetCandidates()[0].GetSql(), again.GetCandidates()[0].GetSql(), "the question itself is the change where no other is given")

	for _, junk := range []string{`{"select":[{"kind":"metric","id":"nowhere"}]}`, `{}`, `{"select":[{"kind":"dimension","id":"nowhere.x"}],"group_by":[{"kind":"entity","id":"?"}]}`} {
		r := ask(&text2sqlv1.GenerateQuery{UserQuestion: "x", FollowUp: "only Brazil", PreviousIntentJson: junk})
		require.Empty(t, r.GetCandidates(), junk)
		require.NotEmpty(t, r.GetAbstainedReason()+r.GetQuestion().GetText(), junk)
	}
	_, err := s.GenerateSQLUnary(askAt(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: "x", PreviousIntentJson: "{"}})
	require.Equal(t, "INTENT_INVALID", fault.ReasonOf(err))
}
