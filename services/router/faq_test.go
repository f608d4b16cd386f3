package router_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
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

// TestTheDataAreAskedAfterSilentDocuments: a word of the platform may be one of the data.
func TestTheDataAreAskedAfterSilentDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.know = func(context.Context, *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
		return &knowledgev1.KnowledgeAnswer{Text: "The documents do not answer this."}, nil
	}
	a := w.ask(t, &routerv1.Turn{Question: "how long does a job take?", Source: "shop"})
	require.Equal(t, []string{tools.DatasuiteFAQ, tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, called(a))
	require.Equal(t, routerv1.FinalIntent_FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT, a.GetFinalIntent())
	require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, a.GetOutcome())
	require.NotContains(t, a.GetText(), "documents")

	w.team.generate = func(context.Context, *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return &text2sqlv1.GenerateResult{Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: "No column tells how long."}, nil
	}
	a = w.ask(t, &routerv1.Turn{Question: "how long does a job take?", Source: "shop"})
	require.Equal(t, []string{tools.DatasuiteFAQ, tools.DataDiscovery, tools.GenerateSQL}, called(a))
	require.Equal(t, routerv1.Outcome_OUTCOME_ABSTAINED, a.GetOutcome())
	require.Regexp(t, "(?s)^The documents do not answer this.*No column tells how long", a.GetText(), "both are told")
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

// TestTracesOfKnowledgeAreInTheTreeAlone: what a service did on the way is steps of the
// run, and is not stored with its answer again.
func TestTracesOfKnowledgeAreInTheTreeAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.team.know = knows
	for _, turn := range []*routerv1.Turn{{Question: "how do I ask for access to the platform?"}, {Question: "how long?", AgentName: "Data Suite Expert"}} {
		a := w.ask(t, turn)
		require.Len(t, a.GetToolCalls(), 1)
		tree, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(tree.GetRecords(), func(r *commonv1.RunRecord) bool { return strings.HasPrefix(r.GetName(), "inner.") }))
		stored, err := w.store.ToolCall(t.Context(), run.Principal{ID: "alice"}, a.GetToolCalls()[0].GetToolCallId())
		require.NoError(t, err)
		require.NotContains(t, string(stored.Output), "inner.")
	}
}
