package analysis_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// asker is a planner that plans nothing and keeps what it was told.
type asker struct{ requests []workflow.PlanRequest }

func (a *asker) Plan(_ context.Context, r workflow.PlanRequest) (workflow.Proposal, error) {
	a.requests = append(a.requests, r)
	return workflow.Proposal{Refusal: "there is nothing to plan"}, nil
}

// TestAnAgentSelectsWhatIsKnown: its documents are looked into, its plan of the same question
// is taken, its instructions and the examples that are near are told to a model that plans,
// its source is asked; feedback changes the plan and nothing that was recalled. Somebody
// outside its groups gets the answer of an agent that does not exist.
func TestAnAgentSelectsWhatIsKnown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
agents:
  - id: wards
    source: hospital
    groups: [care]
    instructions: Leave weekends out.
    documents: [ward handbook]
    examples:
      - question: How are the wards doing?
        steps:
          - {id: a, kind: sql, title: Visits, instruction: visits by clinic}
      - question: What was winter like?
        steps:
          - {id: a, kind: sql, instruction: visits by day}
`), 0o600))
	agents, err := agent.Open(file)
	require.NoError(t, err)
	w := newWorld(t)
	model := &asker{}
	s := w.process(func(d *analysis.Deps) { d.Agents, d.Planner = agents, model })
	ann := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "ann", Groups: []string{"care"}}})
	start := func(ctx context.Context, q *analysisv1.AnalysisQuery) (*analysisv1.Analysis, error) {
		r, err := s.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: q})
		return r.GetAnalysis(), err
	}

	a, err := start(ann, &analysisv1.AnalysisQuery{Question: "how are the WARDS doing", AgentId: "wards", Review: analysisv1.Review_REVIEW_WAIT})
	require.NoError(t, err)
	require.Equal(t, []any{commonv1.RunStatus_RUN_STATUS_WAITING, "wards", "hospital"}, []any{a.GetStatus(), a.GetAgentId(), a.GetSource()}, a.GetError())
	require.Equal(t, []string{"ward handbook"}, w.team.bases)
	require.Equal(t, "visits by clinic", a.GetPlan().GetSteps()[0].GetInstruction())
	require.Contains(t, a.GetPlan().GetAssumptions()[0], "wards")
	w.team.bases = nil
	a, err = decide(ann, s, &analysisv1.ResumeDecision{AnalysisId: a.GetAnalysisId(), Decision: analysisv1.Decision_DECISION_REJECT, PlanVersion: 1, Feedback: "compare visits of this month and last"})
	require.NoError(t, err)
	require.Equal(t, "visits, this month compared with last month", a.GetPlan().GetSteps()[0].GetInstruction())
	require.Nil(t, w.team.bases, "nothing is recalled again")
	a, err = decide(ann, s, approval(a))
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetStatus(), a.GetError())

	a, err = start(ann, &analysisv1.AnalysisQuery{Question: "compare the wards of this month and last", AgentId: "wards", Source: "other"})
	require.NoError(t, err)
	require.Equal(t, []any{"other", commonv1.RunStatus_RUN_STATUS_FAILED}, []any{a.GetSource(), a.GetStatus()})
	require.Contains(t, a.GetError(), "there is nothing to plan")
	require.Len(t, model.requests, 1)
	require.Equal(t, "Leave weekends out.", model.requests[0].Instructions)
	require.Contains(t, model.requests[0].Evidence, workflow.Evidence{Kind: "example", Name: "How are the wards doing?", Text: "sql: visits by clinic"})
	require.NotContains(t, model.requests[0].Evidence, workflow.Evidence{Kind: "example", Name: "What was winter like?", Text: "sql: visits by day"})

	for _, of := range []struct {
		ctx context.Context //nolint:containedctx // one of a table
		id  string
	}{{as(t.Context(), "bob"), "wards"}, {ann, "nobody"}} {
		_, err = start(of.ctx, &analysisv1.AnalysisQuery{Question: "how are the wards doing", AgentId: of.id})
		require.Equal(t, codes.NotFound, status.Code(err), of.id)
	}
	_, err = start(as(t.Context(), "bob"), &analysisv1.AnalysisQuery{Question: "x", AgentId: "wards"})
	require.NotContains(t, err.Error(), "name one of", "bob hears of none")
}

// TestAWatchWorksWithAnAgent as its owner may: its plan and its source are the agent's; who is
// outside of its groups makes no such watch.
func TestAWatchWorksWithAnAgent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
agents:
  - id: wards
    source: hospital
    groups: [care]
    examples:
      - question: How are the wards doing?
        steps:
          - {id: a, kind: sql, title: Visits, instruction: visits by clinic}
`), 0o600))
	agents, err := agent.Open(file)
	require.NoError(t, err)
	w := newWorld(t)
	s := w.process(func(d *analysis.Deps) { d.Agents = agents })
	ann := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "ann", Groups: []string{"care"}}})
	wanted := spec(func(s *analysisv1.WatchSpec) {
		s.Question, s.AgentId, s.Target = "how are the wards doing?", "wards", ""
	})
	made, err := s.CreateWatch(ann, wanted)
	require.NoError(t, err)
	require.Equal(t, []string{"wards", "hospital"}, []string{made.GetWatch().GetSpec().GetAgentId(), made.GetWatch().GetSpec().GetSource()})
	r, err := s.RunWatch(ann, &analysisv1.RunWatchRequest{WatchId: "visits"})
	require.NoError(t, err)
	require.Equal(t, analysisv1.WatchOutcome_WATCH_OUTCOME_KEPT, r.GetWatch().GetRuns()[0].GetOutcome(), r.GetWatch().GetRuns()[0].GetMessage())
	a, err := s.GetAnalysis(ann, &analysisv1.GetAnalysisRequest{AnalysisId: r.GetWatch().GetRuns()[0].GetAnalysisId()})
	require.NoError(t, err)
	require.Equal(t, []string{"wards", "hospital"}, []string{a.GetAnalysis().GetAgentId(), a.GetAnalysis().GetSource()})
	require.Equal(t, "visits by clinic", a.GetAnalysis().GetPlan().GetSteps()[0].GetInstruction())

	_, err = s.CreateWatch(as(t.Context(), "bob"), wanted)
	require.Equal(t, codes.NotFound, status.Code(err))
}
