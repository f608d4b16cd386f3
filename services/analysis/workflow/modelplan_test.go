package workflow

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// planner makes the plans of a test, in turn, the last one ever again.
type planner struct {
	made     []Proposal
	err      error
	requests []PlanRequest
}

func (p *planner) Plan(_ context.Context, r PlanRequest) (Proposal, error) {
	p.requests = append(p.requests, r)
	if p.err != nil {
		return Proposal{}, p.err
	}
	return p.made[min(len(p.requests), len(p.made))-1], nil
}

func withPlanner(t *testing.T, p *planner, o *others) *Workflow {
	t.Helper()
	said, err := words.New()
	require.NoError(t, err)
	rules, err := plan.NewRules()
	require.NoError(t, err)
	w, err := New(o, rules, said, func(*State) (*Report, error) { return &Report{Title: "Visits"}, nil }, Python{}, p)
	require.NoError(t, err)
	return w
}

func proposed(steps ...plan.Step) Proposal { return Proposal{Steps: steps} }

func sqlStep(id string) plan.Step {
	return plan.Step{ID: id, Kind: plan.SQL, Title: "Visits", Instruction: "visits by clinic"}
}

// TestAModelPlansWhatRulesDoNot: it is told of tables and figures, its plan is marked as
// its own and runs; what rules plan wholly, it is not asked about.
func TestAModelPlansWhatRulesDoNot(t *testing.T) {
	t.Parallel()
	p := &planner{made: []Proposal{proposed(sqlStep("s1"))}}
	w := withPlanner(t, p, &others{})
	s := asking("compare visits this month and last for purple elephants")
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.True(t, s.ByModel)
	require.Len(t, p.requests, 1)
	require.Equal(t, "eu.care.visit", p.requests[0].Tables[0].Name)
	require.Equal(t, []string{"s1", "report"}, []string{s.Plan.Steps[0].ID, s.Plan.Steps[1].ID})
	require.Contains(t, s.Plan.Assumptions[0], "A model made the plan")

	s = asking("compare visits by clinic of this month and last")
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Len(t, p.requests, 1)
	require.Empty(t, s.Plan.Assumptions)
}

// TestPlansThatCannotBeUsedEndInWords: whatever a model makes, nothing runs that does not
// hold together, the ways round are counted, and the person is told why.
func TestPlansThatCannotBeUsedEndInWords(t *testing.T) {
	t.Parallel()
	many := make([]plan.Step, plan.MaxSteps+1)
	for i := range many {
		many[i] = sqlStep("s" + strings.Repeat("x", i+1))
	}
	const lacking = "compare by clinic this month and last" // rules have no plan either
	for name, c := range map[string]struct {
		question string
		planner  planner
		status   run.Status
		says     string
		asked    int
	}{
		"a kind that nobody does":   {lacking, planner{made: []Proposal{proposed(plan.Step{ID: "s1", Kind: "shell", Instruction: "rm -rf /"})}}, run.StatusFailed, `step "s1" is of the kind "shell"`, 3},
		"mended when it is told":    {lacking, planner{made: []Proposal{proposed(plan.Step{ID: "s1", Kind: "shell", Instruction: "rm -rf /"}), proposed(sqlStep("s1"))}}, run.StatusSucceeded, "", 2},
		"a cycle":                   {lacking, planner{made: []Proposal{proposed(plan.Step{ID: "s1", Kind: plan.SQL, Instruction: "visits", Inputs: []string{"s2"}}, plan.Step{ID: "s2", Kind: plan.SQL, Instruction: "visits", Inputs: []string{"s1"}})}}, run.StatusFailed, "does not run before it", 3},
		"without end":               {lacking, planner{made: []Proposal{proposed(many...)}}, run.StatusFailed, "the most is 50", 3},
		"a report of its own":       {lacking, planner{made: []Proposal{proposed(sqlStep("s1"), plan.Step{ID: "r", Kind: plan.Report, Instruction: "say that all is well", Inputs: []string{"s1"}})}}, run.StatusFailed, "one report", 3},
		"the same id twice":         {lacking, planner{made: []Proposal{proposed(sqlStep("s1"), sqlStep("s1"))}}, run.StatusFailed, "an id of its own", 3},
		"an instruction as a novel": {lacking, planner{made: []Proposal{proposed(plan.Step{ID: "s1", Kind: plan.SQL, Instruction: strings.Repeat("visits ", 4000)})}}, run.StatusFailed, "say what it shall do", 3},
		"Python that is off":        {lacking, planner{made: []Proposal{proposed(sqlStep("s1"), plan.Step{ID: "s2", Kind: plan.Python, Instruction: "import os", Inputs: []string{"s1"}})}}, run.StatusSucceeded, "", 1},
		"a refusal":                 {lacking, planner{made: []Proposal{{Refusal: "There are no elephants in the data."}}}, run.StatusFailed, "There is no plan for this: There are no elephants in the data.", 1},
		"nothing at all":            {lacking, planner{made: []Proposal{{}}}, run.StatusFailed, "it names no figure", 1},
		"malformed twice":           {lacking, planner{err: fault.New(codes.Unavailable, "LLM_OUTPUT_MALFORMED", "The model's answer has not the form that was asked for.")}, run.StatusFailed, "has not the form", 1},
		"no model, and a rule":      {"compare visits this month and last for purple elephants", planner{err: fault.New(codes.Unavailable, "LLM_UNAVAILABLE", "The model is away.")}, run.StatusSucceeded, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &others{}
			w := withPlanner(t, &c.planner, o)
			s := asking(c.question)
			to(t, w, s)
			require.Equal(t, c.status, s.Status, s.Error)
			require.Contains(t, s.Error, c.says)
			require.Len(t, c.planner.requests, c.asked)
			if c.status == run.StatusFailed {
				require.NotEmpty(t, s.Error)
				require.Empty(t, o.calls, "nothing of it ran")
				require.LessOrEqual(t, s.Repairs, MaxPlanRepairs+1)
			}
			if c.asked > 1 {
				require.NotEmpty(t, c.planner.requests[1].Problems)
			}
		})
	}
}
