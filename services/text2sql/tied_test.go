package text2sql_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// TestTwoVerifiedQueriesThatFitAsWell: neither says what is meant, and none answers; each
// answers its own question, and the other one once it is alone.
func TestTwoVerifiedQueriesThatFitAsWell(t *testing.T) {
	t.Parallel()
	s, c := verifiedService(t, "")
	c.tables[0].Columns[0].Samples = []string{"Porto", "Lisbon", "Faro"}
	carol := as("carol", "stewards")
	_, err := s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: "guests in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	other, err := s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: "guests in Lisbon", Sql: "SELECT max(visitors) AS guests FROM s.museums WHERE city = 'Lisbon'"})
	require.NoError(t, err)
	require.Nil(t, answerOf(carol, t, s, "guests in Faro").GetVerified())
	require.Contains(t, answerOf(carol, t, s, "guests in Porto").GetCandidates()[0].GetSql(), "sum(")
	require.Contains(t, answerOf(carol, t, s, "guests in Lisbon").GetCandidates()[0].GetSql(), "max(")
	_, err = s.RemoveExample(carol, &text2sqlv1.RemoveExampleRequest{ExampleId: other.GetExample().GetExampleId()})
	require.NoError(t, err)
	require.Equal(t, []string{"Porto -> Faro"}, answerOf(carol, t, s, "guests in Faro").GetVerified().GetReplaced())
}

// TestListsOfExamplesComeInPages: each example once, those of the layer on the first page.
func TestListsOfExamplesComeInPages(t *testing.T) {
	t.Parallel()
	s, _ := verifiedService(t, "")
	carol := as("carol", "stewards")
	for i := range 5 {
		_, err := s.AddExample(carol, &text2sqlv1.AddExampleRequest{Question: fmt.Sprintf("guests of kind %d", i), Sql: visitorsSQL})
		require.NoError(t, err)
	}
	seen, token := map[string]int{}, ""
	for page := 0; page == 0 || token != ""; page++ {
		l, err := s.ListExamples(carol, &text2sqlv1.ListExamplesRequest{PageSize: 2, PageToken: token})
		require.NoError(t, err)
		for _, e := range l.GetExamples() {
			seen[e.GetExampleId()+" "+e.GetQuestion()]++
		}
		token = l.GetNextPageToken()
	}
	require.Len(t, seen, 7, "five, and one of the layer in two languages")
	for id, n := range seen {
		require.Equal(t, 1, n, id)
	}
}
