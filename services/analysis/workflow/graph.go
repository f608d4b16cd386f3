// Package workflow is the analysis itself: sixteen nodes over one typed state, joined by
// edges that are data, stored after every node.
//
// graph.go has the nodes, the edges and their ceilings; state.go what is stored;
// understand.go the nodes up to feasibility, planning.go planner, dispatcher and the
// person, steps.go those that do a step, and the report's is in reporting.go.
package workflow

import (
	"context"

	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/run"
)

// Nodes, as the specification names them.
const (
	IntentRecognition   = "intent_recognition"
	EvidenceRecall      = "evidence_recall"
	QueryEnhance        = "query_enhance"
	SchemaRecall        = "schema_recall"
	TableRelation       = "table_relation"
	Feasibility         = "feasibility_assessment"
	Planner             = "planner"
	PlanExecutor        = "plan_executor"
	HumanFeedback       = "human_feedback"
	SQLGenerate         = "sql_generate"
	SemanticConsistency = "semantic_consistency"
	SQLExecute          = "sql_execute"
	PythonGenerate      = "python_generate"
	PythonExecute       = "python_execute"
	PythonAnalyze       = "python_analyze"
	ReportGenerator     = "report_generator"
)

// Ceilings.
const (
	MaxRelationTries = 3  // of table_relation
	MaxPlanRepairs   = 2  // of a plan that does not hold together
	MaxSQLTries      = 10 // of one step: generation, consistency and execution together
	MaxPythonTries   = 3
	// MaxNodes is the most nodes that one stretch of an analysis runs.
	MaxNodes = 3000
)

// Graph returns the checked graph over nodes.
func (w *Workflow) graph() (*flow.Graph[State], error) {
	return flow.New("analysis", IntentRecognition, []flow.Node[State]{
		{Name: IntentRecognition, Do: w.recognise}, {Name: EvidenceRecall, Do: w.recallEvidence}, {Name: QueryEnhance, Do: w.enhance},
		{Name: SchemaRecall, Do: w.recallSchema}, {Name: TableRelation, Do: w.relate}, {Name: Feasibility, Do: w.assess},
		{Name: Planner, Do: w.plan}, {Name: PlanExecutor, Do: w.dispatch}, {Name: HumanFeedback, Do: w.hear},
		{Name: SQLGenerate, Do: w.writeSQL}, {Name: SemanticConsistency, Do: w.compareWithStep}, {Name: SQLExecute, Do: w.execute},
		{Name: PythonGenerate, Do: w.writePython}, {Name: PythonExecute, Do: w.runPython}, {Name: PythonAnalyze, Do: w.readPython},
		{Name: ReportGenerator, Do: w.report},
	}, Edges())
}

// Edges are where each node leads. They read the state and nothing else.
func Edges() []flow.Edge[State] {
	type edge = flow.Edge[State]
	sqlLeft := func(s *State) bool { return !s.SQLEnd && s.SQLCount < MaxSQLTries }
	unanswered := func(s *State) bool { r := s.result(s.Current); return r != nil && r.Status == StepUnanswered }
	next := func(node string) func(*State) bool { return func(s *State) bool { return s.NextNode == node } }
	return []edge{
		{From: IntentRecognition, To: flow.End, Label: "nothing to analyse", When: func(s *State) bool { return s.Irrelevant }},
		{From: IntentRecognition, To: EvidenceRecall},
		{From: EvidenceRecall, To: QueryEnhance},
		{From: QueryEnhance, To: flow.End, Label: "empty", When: func(s *State) bool { return s.Canonical == "" }},
		{From: QueryEnhance, To: SchemaRecall},
		{From: SchemaRecall, To: flow.End, Label: "no table", When: func(s *State) bool { return len(s.Tables) == 0 }},
		{From: SchemaRecall, To: TableRelation},
		{From: TableRelation, To: TableRelation, Label: "again", When: func(s *State) bool { return s.RelationRetry && s.RelationTries < MaxRelationTries }},
		{From: TableRelation, To: flow.End, Label: "error or no output", When: func(s *State) bool { return s.RelationError != "" || len(s.Relations) == 0 }},
		{From: TableRelation, To: Feasibility},
		{From: Feasibility, To: flow.End, Label: "cannot be answered", When: func(s *State) bool { return !s.Assessment.Analysis }},
		{From: Feasibility, To: Planner},
		{From: Planner, To: PlanExecutor},
		{From: PlanExecutor, To: Planner, Label: "invalid", When: func(s *State) bool { return !s.Valid && s.Repairs <= MaxPlanRepairs }},
		{From: PlanExecutor, To: flow.End, Label: "still invalid", When: func(s *State) bool { return !s.Valid }},
		{From: PlanExecutor, To: HumanFeedback, Label: "review", When: next(HumanFeedback)},
		{From: PlanExecutor, To: SQLGenerate, Label: "sql, explain_change", When: next(SQLGenerate)},
		{From: PlanExecutor, To: PythonGenerate, Label: "python", When: next(PythonGenerate)},
		{From: PlanExecutor, To: ReportGenerator, Label: "report", When: next(ReportGenerator)},
		{From: PlanExecutor, To: flow.End},
		{From: HumanFeedback, To: flow.End, Label: "waiting", When: func(s *State) bool { return s.Human == Waiting }},
		{From: HumanFeedback, To: Planner, Label: "rejected", When: func(s *State) bool { return s.Human == Rejected }},
		{From: HumanFeedback, To: PlanExecutor},
		{From: SQLGenerate, To: PlanExecutor, Label: "cannot be answered", When: unanswered},
		{From: SQLGenerate, To: SQLGenerate, Label: "failed", When: func(s *State) bool { return s.Written == nil && sqlLeft(s) }},
		{From: SQLGenerate, To: flow.End, Label: "ten times, or END", When: func(s *State) bool { return s.Written == nil }},
		{From: SQLGenerate, To: SemanticConsistency},
		{From: SemanticConsistency, To: PlanExecutor, Label: "cannot be answered, or only SQL", When: func(s *State) bool { return unanswered(s) || s.Verdict && s.Query.OnlySQL }},
		{From: SemanticConsistency, To: SQLExecute, Label: "yes", When: func(s *State) bool { return s.Verdict }},
		{From: SemanticConsistency, To: SQLGenerate, Label: "no", When: sqlLeft},
		{From: SemanticConsistency, To: flow.End},
		{From: SQLExecute, To: PlanExecutor, Label: "done, or cannot be answered", When: func(s *State) bool { return s.RunOK || unanswered(s) }},
		{From: SQLExecute, To: SQLGenerate, Label: "failed", When: sqlLeft},
		{From: SQLExecute, To: flow.End},
		{From: PythonGenerate, To: PythonExecute},
		{From: PythonExecute, To: PythonAnalyze, Label: "success or fallback", When: func(s *State) bool { return s.PythonOK || s.PythonFallback }},
		{From: PythonExecute, To: PythonGenerate, Label: "tries left", When: func(s *State) bool { return s.Status != run.StatusFailed && s.PythonTries < MaxPythonTries }},
		{From: PythonExecute, To: flow.End},
		{From: PythonAnalyze, To: PlanExecutor},
		{From: ReportGenerator, To: flow.End},
	}
}

// Saves stores a state after a node. Its error ends the stretch: somebody else has the
// analysis, or it was cancelled, or the store is away.
type Saves func(ctx context.Context, s *State) error

// Run takes an analysis from where it stands to its end, or to where it waits.
func (w *Workflow) Run(ctx context.Context, s *State, save Saves) error {
	_, err := w.flow.Run(ctx, s, flow.Options[State]{
		From: s.Next, MaxSteps: MaxNodes,
		After: func(ctx context.Context, step flow.Step, s *State) error {
			s.Node, s.Next = step.Node, step.Next
			if step.Node == HumanFeedback && s.Human == Waiting {
				s.Next = HumanFeedback // the person's word is heard there
			}
			if step.Next == flow.End {
				w.conclude(s)
			}
			return save(ctx, s)
		},
		Around: w.observe,
	})
	return err
}

// Diagram returns the graph as a Mermaid flowchart, for the documentation.
func Diagram() (string, error) {
	g, err := (&Workflow{}).graph()
	if err != nil {
		return "", err
	}
	return g.Mermaid(), nil
}
