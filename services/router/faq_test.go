package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/services/router/tools"
)

// knows answers every question from one document.
func knows(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
	return &knowledgev1.KnowledgeAnswer{Answered: true, Text: "Ask your lead.", Warnings: []string{"It was read yesterday."},
		Citations: []*knowledgev1.Citation{{Document: "access.md", Section: "Access › Apply", Url: "https://x.example.com/access.md#apply", Quote: "Ask your lead."}}}, nil
}

func TestFAQAnswersWithWhatItRestsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.know = knows
	a := w.ask(t, &routerv1.Turn{Question: "how do I apply for permission?"})
	require.Equal(t, []string{tools.DatasuiteFAQ}, called(a))
	require.Equal(t, "Ask your lead.\n\n[1] access.md, Access › Apply https://x.example.com/access.md#apply\n\nIt was read yesterday.", a.GetText())
	require.Equal(t, "Datasuite FAQ Agent", a.GetResponseAgent())
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_UNSPECIFIED, a.GetFinalIntent(), "the FAQ is nobody's goal: the turn ends because there is nothing more to do")

	w.team.know = func(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
		return &knowledgev1.KnowledgeAnswer{Text: "The documents do not answer this. Nearest sections: Access."}, nil
	}
	a = w.ask(t, &routerv1.Turn{Question: "how do I apply for permission?"})
	require.Equal(t, "The documents do not answer this. Nearest sections: Access.", a.GetText())
	require.Equal(t, routerv1.Outcome_OUTCOME_ABSTAINED, a.GetOutcome())
}

func TestTheExpertIsAskedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.know = knows
	a := w.ask(t, &routerv1.Turn{Question: "and how long does it take?", AgentName: "Data Suite Expert", ProductName: "Portal"})
	require.Equal(t, []string{tools.DataSuiteExpert}, called(a))
	q := w.team.call(0).request.(*knowledgev1.ExpertQuery)
	require.Equal(t, "and how long does it take?", q.GetUserQuestion(), "the expert reads follow-ups itself")
	require.Equal(t, "Portal", q.GetProductName())
	require.Equal(t, a.GetSessionId(), q.GetSessionId())
	require.Contains(t, a.GetText(), "Ask your lead.")
	d, ok := tools.Own(tools.DataSuiteExpert)
	require.True(t, ok && d.Unbound && d.Direct, "a model is never offered it")
}
