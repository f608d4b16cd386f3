package llm

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Planner makes plans of requests that rules do not plan. It may be used concurrently.
type Planner struct {
	model  chat.Model
	limits budget.Limits
	prompt *prompt.Prompt
}

// NewPlanner returns a Planner that asks a model.
func NewPlanner(model chat.Model, limits budget.Limits) (*Planner, error) {
	p, err := prompt.Read(prompts, "prompts/plan.md")
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	return &Planner{model: model, limits: limits, prompt: p}, nil
}

// planForm is the form of the model's answer.
type planForm struct {
	Refusal string     `json:"refusal" doc:"why the data cannot answer, in the language of the question; empty where there is a plan" optional:"true"`
	Steps   []stepForm `json:"steps" doc:"steps in the order in which they run, without the report" optional:"true"`
}

type stepForm struct {
	ID          string   `json:"id" doc:"s1, s2, and so on"`
	Kind        string   `json:"kind" doc:"sql, explain_change, study, forecast, anomalies, segments, relation or python"`
	Title       string   `json:"title" doc:"heading, in the language of the question"`
	Instruction string   `json:"instruction" doc:"what the step does"`
	Inputs      []string `json:"inputs" doc:"ids of earlier steps" optional:"true"`
	Study       string   `json:"study" doc:"of a study: rows, nulls, ranges, dates, freshness, values, cohort or funnel" optional:"true"`
	Days        int      `json:"days" doc:"of a forecast" optional:"true"`
}

// Bounds of what a planner is told and of what is read of its answer.
const (
	maxPlanText    = 2000 // characters of a question
	maxTableText   = 1500 // of a table with its columns
	maxStepTitle   = 120
	maxInstruction = 1000 // characters: a question or a task, not a document
)

// stepID is what a step may be called.
var stepID = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Plan implements workflow.PlanMaker. The model is told of names and types of columns, and of
// no row. Faults are those of llm.Ask.
func (p *Planner) Plan(ctx context.Context, r workflow.PlanRequest) (workflow.Proposal, error) {
	request, err := p.prompt.Request(map[string]any{
		"Instructions": r.Instructions, "Chinese": r.Language == lang.Chinese, "Python": r.Python, "Question": lang.Shorten(r.Question, maxPlanText),
		"Earlier": earlier(r.Earlier), "Feedback": lang.Shorten(strings.Join(r.Feedback, "\n"), maxPlanText),
		"Tables": tables(r.Tables), "Metrics": lang.Shorten(strings.Join(r.Metrics, ", "), maxPlanText),
		"Evidence": evidence(r.Evidence), "Before": before(r.Before), "Problems": lang.Shorten(strings.Join(r.Problems, "\n"), maxPlanText),
	})
	if err != nil {
		return workflow.Proposal{}, fmt.Errorf("fill in the prompt for a plan: %w", err)
	}
	f, err := chat.Ask(budget.Ensure(ctx, p.limits), p.model, request, (*planForm).check)
	if err != nil {
		return workflow.Proposal{}, err
	}
	out := workflow.Proposal{Refusal: f.Refusal}
	for _, s := range f.Steps {
		out.Steps = append(out.Steps, plan.Step{
			ID: s.ID, Kind: plan.Kind(s.Kind), Title: lang.Shorten(lang.OneLine(s.Title), maxStepTitle),
			Instruction: strings.TrimSpace(s.Instruction), Inputs: s.Inputs, Study: s.Study, Days: s.Days,
		})
	}
	return out, nil
}

// check says what is wrong with the form; what is wrong with the plan, plan.Check says.
func (f *planForm) check() []string {
	var wrong []string
	if (strings.TrimSpace(f.Refusal) == "") == (len(f.Steps) == 0) {
		wrong = append(wrong, "give either steps or a refusal")
	}
	if len(f.Steps) > plan.MaxSteps {
		return append(wrong, fmt.Sprintf("there are %d steps: the most is %d, and a few are enough", len(f.Steps), plan.MaxSteps))
	}
	for i, s := range f.Steps {
		if !stepID.MatchString(s.ID) {
			wrong = append(wrong, fmt.Sprintf("step %d has the id %q: use s1, s2 and so on", i+1, lang.Shorten(s.ID, 40)))
		}
		if n := len([]rune(s.Instruction)); n > maxInstruction {
			wrong = append(wrong, fmt.Sprintf("the instruction of step %d has %d characters: the most is %d", i+1, n, maxInstruction))
		}
	}
	return wrong
}

func earlier(list []workflow.Earlier) string {
	var out strings.Builder
	for _, e := range list {
		out.WriteString(lang.Shorten(lang.OneLine(e.Question), 300) + "\n")
	}
	return out.String()
}

func tables(list []workflow.Document) string {
	var out strings.Builder
	for _, t := range list {
		out.WriteString(lang.Shorten(t.Name+": "+strings.Join(t.Columns, ", "), maxTableText) + "\n")
	}
	return out.String()
}

func evidence(list []workflow.Evidence) string {
	var out strings.Builder
	for _, e := range list {
		out.WriteString(lang.Shorten(lang.OneLine(e.Kind+" "+e.Name+": "+e.Text), 300) + "\n")
	}
	return out.String()
}

func before(p plan.Plan) string {
	var out strings.Builder
	for _, s := range p.Steps {
		if s.Kind != plan.Report {
			fmt.Fprintf(&out, "%s (%s) of %s: %s\n", s.ID, s.Kind, strings.Join(s.Inputs, ", "), lang.Shorten(lang.OneLine(s.Instruction), 300))
		}
	}
	return out.String()
}
