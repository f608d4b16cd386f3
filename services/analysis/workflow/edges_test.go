package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// taken is where a node leads with a state: the first edge whose condition holds.
func taken(t *testing.T, from string, s *State) string {
	t.Helper()
	for _, e := range Edges() {
		if e.From == from && (e.When == nil || e.When(s)) {
			return e.To
		}
	}
	t.Fatalf("no edge leads from %s", from)
	return ""
}

// TestEdges: each edge of the specification and each ceiling, one below it and at it.
func TestEdges(t *testing.T) {
	t.Parallel()
	written := &Written{SQL: "SELECT 1"}
	unanswered := []Result{{Step: "s1", Status: StepUnanswered}}
	for name, c := range map[string]struct {
		from  string
		state State
		want  string
	}{
		"irrelevant":                    {IntentRecognition, State{Irrelevant: true}, flow.End},
		"a data question":               {IntentRecognition, State{}, EvidenceRecall},
		"evidence":                      {EvidenceRecall, State{}, QueryEnhance},
		"empty question":                {QueryEnhance, State{}, flow.End},
		"a question":                    {QueryEnhance, State{Canonical: "q"}, SchemaRecall},
		"no table":                      {SchemaRecall, State{}, flow.End},
		"tables":                        {SchemaRecall, State{Tables: []Document{{Name: "t"}}}, TableRelation},
		"relations, 1st failure":        {TableRelation, State{RelationError: "away", RelationRetry: true, RelationTries: 1}, TableRelation},
		"relations, 2nd failure":        {TableRelation, State{RelationError: "away", RelationRetry: true, RelationTries: 2}, TableRelation},
		"relations, 3rd failure":        {TableRelation, State{RelationError: "away", RelationRetry: true, RelationTries: 3}, flow.End},
		"relations, for good":           {TableRelation, State{RelationError: "no right", RelationTries: 1}, flow.End},
		"relations, no output":          {TableRelation, State{RelationTries: 1}, flow.End},
		"relations":                     {TableRelation, State{Relations: []string{"a"}, RelationTries: 3}, Feasibility},
		"not feasible":                  {Feasibility, State{}, flow.End},
		"feasible":                      {Feasibility, State{Assessment: Assessment{Analysis: true}}, Planner},
		"planned":                       {Planner, State{}, PlanExecutor},
		"invalid plan, 1st":             {PlanExecutor, State{Repairs: 1}, Planner},
		"invalid plan, 2nd":             {PlanExecutor, State{Repairs: 2}, Planner},
		"invalid plan, 3rd":             {PlanExecutor, State{Repairs: 3}, flow.End},
		"review":                        {PlanExecutor, State{Valid: true, NextNode: HumanFeedback}, HumanFeedback},
		"sql step":                      {PlanExecutor, State{Valid: true, NextNode: SQLGenerate}, SQLGenerate},
		"python step":                   {PlanExecutor, State{Valid: true, NextNode: PythonGenerate}, PythonGenerate},
		"report step":                   {PlanExecutor, State{Valid: true, NextNode: ReportGenerator}, ReportGenerator},
		"nothing left":                  {PlanExecutor, State{Valid: true}, flow.End},
		"waits":                         {HumanFeedback, State{Human: Waiting}, flow.End},
		"rejected":                      {HumanFeedback, State{Human: Rejected}, Planner},
		"approved":                      {HumanFeedback, State{}, PlanExecutor},
		"no sql, 1st try":               {SQLGenerate, State{SQLCount: 1}, SQLGenerate},
		"no sql, 9th try":               {SQLGenerate, State{SQLCount: 9}, SQLGenerate},
		"no sql, 10th try":              {SQLGenerate, State{SQLCount: 10}, flow.End},
		"no sql, END":                   {SQLGenerate, State{SQLCount: 1, SQLEnd: true}, flow.End},
		"no sql for good":               {SQLGenerate, State{SQLCount: 1, Current: "s1", Results: unanswered}, PlanExecutor},
		"sql":                           {SQLGenerate, State{SQLCount: 10, Written: written}, SemanticConsistency},
		"consistent":                    {SemanticConsistency, State{Written: written, Verdict: true}, SQLExecute},
		"consistent, only sql":          {SemanticConsistency, State{Written: written, Verdict: true, Query: Query{OnlySQL: true}}, PlanExecutor},
		"inconsistent, 9th":             {SemanticConsistency, State{Written: written, SQLCount: 9}, SQLGenerate},
		"inconsistent, 10th":            {SemanticConsistency, State{Written: written, SQLCount: 10}, flow.End},
		"ran":                           {SQLExecute, State{Written: written, RunOK: true}, PlanExecutor},
		"failed, 9th":                   {SQLExecute, State{Written: written, SQLCount: 9}, SQLGenerate},
		"failed, 10th":                  {SQLExecute, State{Written: written, SQLCount: 10}, flow.End},
		"refused":                       {SQLExecute, State{Written: written, SQLCount: 10, Current: "s1", Results: unanswered}, PlanExecutor},
		"python written":                {PythonGenerate, State{}, PythonExecute},
		"python ran":                    {PythonExecute, State{PythonOK: true}, PythonAnalyze},
		"python fell back":              {PythonExecute, State{PythonFallback: true, PythonTries: 3}, PythonAnalyze},
		"python failed, 2nd":            {PythonExecute, State{PythonTries: 2}, PythonGenerate},
		"python failed, 3rd":            {PythonExecute, State{PythonTries: 3}, flow.End},
		"python read":                   {PythonAnalyze, State{}, PlanExecutor},
		"reported":                      {ReportGenerator, State{}, flow.End},
		"an edited plan is checked too": {HumanFeedback, State{Plan: plan.Plan{Version: 2}}, PlanExecutor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, taken(t, c.from, &c.state))
		})
	}
}

// TestTheDispatcher: what it sends where, and that approval is of one version.
func TestTheDispatcher(t *testing.T) {
	t.Parallel()
	said, err := words.New()
	require.NoError(t, err)
	rules, err := plan.NewRules()
	require.NoError(t, err)
	w, err := New(nil, rules, said, nil, Python{}, nil)
	require.NoError(t, err)
	steps := func(kind plan.Kind) plan.Plan {
		p := plan.Plan{Version: 2, Steps: []plan.Step{{ID: "s1", Kind: plan.SQL, Instruction: "visits"}}}
		if kind != plan.SQL {
			p.Steps = append(p.Steps, plan.Step{ID: "s2", Kind: kind, Instruction: "more", Inputs: []string{"s1"}})
		}
		r := plan.Step{ID: "report", Kind: plan.Report, Instruction: "write"}
		for _, s := range p.Steps {
			r.Inputs = append(r.Inputs, s.ID)
		}
		p.Steps = append(p.Steps, r)
		return p
	}
	done := []Result{{Step: "s1", Status: StepDone}}
	for name, c := range map[string]struct {
		state   State
		want    string
		current string
	}{
		"the first step":                     {State{Plan: steps(plan.SQL)}, SQLGenerate, "s1"},
		"one cut in the middle runs again":   {State{Plan: steps(plan.SQL), Results: []Result{{Step: "s1", Status: StepRunning}}}, SQLGenerate, "s1"},
		"a finished one does not":            {State{Plan: steps(plan.SQL), Results: done}, ReportGenerator, "report"},
		"nor does one that has no answer":    {State{Plan: steps(plan.SQL), Results: []Result{{Step: "s1", Status: StepUnanswered}}}, ReportGenerator, "report"},
		"a change":                           {State{Plan: steps(plan.ExplainChange), Results: done}, SQLGenerate, "s2"},
		"python":                             {State{Plan: steps(plan.Python), Results: done}, PythonGenerate, "s2"},
		"not approved":                       {State{Plan: steps(plan.SQL), Query: Query{Review: true}}, HumanFeedback, ""},
		"approved as it was before":          {State{Plan: steps(plan.SQL), Query: Query{Review: true}, Approved: 1}, HumanFeedback, ""},
		"approved":                           {State{Plan: steps(plan.SQL), Query: Query{Review: true}, Approved: 2}, SQLGenerate, "s1"},
		"a plan that does not hold together": {State{Plan: plan.Plan{Version: 1, Steps: steps(plan.SQL).Steps[:1]}}, "", ""},
		"sql alone is over without a report": {State{Plan: steps(plan.SQL), Results: done, Query: Query{OnlySQL: true}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.state
			s.Status = run.StatusRunning
			require.NoError(t, w.dispatch(t.Context(), &s))
			require.Equal(t, c.want, s.NextNode)
			require.Equal(t, c.current, s.Current)
		})
	}
}
