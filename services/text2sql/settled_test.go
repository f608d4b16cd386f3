package text2sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/services/text2sql"
)

// TestAVerifiedQueryAnswersAQuestionAlone: what is part of a talk, a change of an earlier
// answer or the choice of one of several, is read as that, though its words alone are those
// of a verified query.
func TestAVerifiedQueryAnswersAQuestionAlone(t *testing.T) {
	t.Parallel()
	s, _ := verifiedService(t, "")
	_, err := s.AddExample(as("carol", "stewards"), &text2sqlv1.AddExampleRequest{Question: "only in Porto", Sql: visitorsSQL})
	require.NoError(t, err)
	ask := func(q *text2sqlv1.GenerateQuery) *text2sqlv1.GenerateResult {
		q.UserQuestion = "only in Porto"
		resp, err := s.GenerateSQLUnary(as("dave"), &text2sqlv1.GenerateSQLUnaryRequest{Query: q})
		require.NoError(t, err)
		return resp.GetResult()
	}
	require.True(t, ask(&text2sqlv1.GenerateQuery{}).GetVerified().GetExact())
	require.Nil(t, ask(&text2sqlv1.GenerateQuery{ChosenOptionId: "metric:x"}).GetVerified(), "an option was chosen")

	before := answerOf(as("dave"), t, s, "how many museums are there?")
	require.NotEmpty(t, before.GetIntentJson(), before.GetAbstainedReason())
	changed := ask(&text2sqlv1.GenerateQuery{PreviousIntentJson: before.GetIntentJson()})
	require.Nil(t, changed.GetVerified(), "it changes the question before")
	require.NotEmpty(t, changed.GetChanges())
	require.Contains(t, changed.GetCandidates()[0].GetSql(), "count(*)")
	require.Contains(t, changed.GetCandidates()[0].GetSql(), "city = 'Porto'")
}

// TestAChosenReadingIsSettledByRules: rules wrote the reading that was offered, and what was
// offered is what is answered: no model writes something else, whoever the strategy is said
// to be by.
func TestAChosenReadingIsSettledByRules(t *testing.T) {
	t.Parallel()
	const question = "How many zenlux parcels are there in North?"
	engine := &runs{answer: func(string) (*chatbiv1.ExecuteResult, error) { return numbers(1204), nil }}
	offering, tables := newServiceWith(t, text2sql.Config{}, text2sql.Deps{ChatBI: engine})
	tables.tables = parcels()
	query := &text2sqlv1.GenerateQuery{UserQuestion: question, Tables: catalogpb.FromTables(parcels()), OfferReadings: true}
	chosen := generate(t, offering, query).GetQuestion().GetOptions()[0].GetId()

	const written = `{"outcome":"sql","understood":"x","candidates":[{"sql":"SELECT 7 AS n","reason":"r"}]}`
	server := llmtest.Script(t, llmtest.Answer{Text: written}, llmtest.Answer{Text: written})
	model, err := llm.New(llm.Config{BaseURL: server.URL, Model: "m", Attempts: 1}, llm.Deps{})
	require.NoError(t, err)
	for _, said := range []text2sqlv1.Strategy{text2sqlv1.Strategy_STRATEGY_UNSPECIFIED, text2sqlv1.Strategy_STRATEGY_LLM, text2sqlv1.Strategy_STRATEGY_RULES} {
		s, c := newServiceWith(t, text2sql.Config{Strategy: text2sql.StrategyLLM}, text2sql.Deps{Model: model, ChatBI: engine})
		c.tables = append(parcels(), c.tables...) // the asker sees tables of the layer, which a model is told of
		r := generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: question, Tables: query.GetTables(), OfferReadings: true, ChosenOptionId: chosen, Strategy: said})
		require.Equal(t, text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, r.GetOutcome())
		require.Contains(t, r.GetCandidates()[0].GetSql(), "depot = 'North'")
		require.Equal(t, []string{`You chose: number of parcels; where depot = North; without "zenlux".`}, r.GetChanges())
		require.Empty(t, server.Requests(), said)
	}
	// The other way round: without a choice the model is asked.
	s, c := newServiceWith(t, text2sql.Config{Strategy: text2sql.StrategyLLM}, text2sql.Deps{Model: model})
	c.tables = parcels()
	_ = generate(t, s, &text2sqlv1.GenerateQuery{UserQuestion: question, Tables: query.GetTables()})
	require.NotEmpty(t, server.Requests())
}
