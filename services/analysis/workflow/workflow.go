package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// Agents are the other services, as the nodes need them. Each call is made as the asker.
type Agents interface {
	// Parse says what text to SQL understands of a text; it writes nothing.
	Parse(ctx context.Context, q Query, text string) (plan.Parsed, error)
	// Metrics lists the figures that the source defines.
	Metrics(ctx context.Context, q Query) ([]plan.Metric, error)
	// Adds says how the values of the metric add up that a question asks why it changed;
	// "" where it cannot be looked into.
	Adds(ctx context.Context, q Query, question string) (adds plan.Adds, metric string, err error)
	// Writes says whether there is SQL for a question, without touching the engine.
	Writes(ctx context.Context, q Query, question string) (bool, error)
	// Discover finds tables and business knowledge for a text.
	Discover(ctx context.Context, q Query, text string) (Found, error)
	// Write writes what a step runs. tried are the statements that did not do for it,
	// oldest first, and why: the next one is another.
	Write(ctx context.Context, q Query, s plan.Step, tried []Tried) (Written, error)
	// Estimate says what the steps that run statements would read. What is not known is
	// told as such; it fails nothing.
	Estimate(ctx context.Context, q Query, steps []plan.Step) []plan.Cost
	// Chart says how to draw a table that was computed; the zero value where nobody can.
	Chart(ctx context.Context, q Query, t Table) Chart
	// Rows reads all rows of a table of which a result has the first ones. Errors:
	// CannotError where there are more than may be read.
	Rows(ctx context.Context, q Query, t Table) ([][]any, error)
	// Execute runs it.
	Execute(ctx context.Context, q Query, s plan.Step, w Written) (Result, error)
}

// Found is what discovery found.
type Found struct {
	Tables   []Document
	Evidence []Evidence
	// Nearest are tables to look at where none fits.
	Nearest []string
	// Reason is why there are none.
	Reason string
}

// CannotError says that a service cannot do what it was asked, now or at another try,
// and why, in words for the asker.
type CannotError struct{ Reason string }

// Error implements error.
func (e *CannotError) Error() string { return e.Reason }

// Writes makes a report of a state. The state has the results of all steps.
type Writes func(s *State) (*Report, error)

// Workflow runs analyses. It holds nothing of any one and may be used concurrently.
type Workflow struct {
	agents Agents
	rules  *plan.Rules
	words  *words.Words
	writes Writes
	python Python
	// planner is nil where there is no model.
	planner PlanMaker
	flow    *flow.Graph[State]
}

// New returns the workflow. Without a planner rules make all plans.
func New(agents Agents, rules *plan.Rules, said *words.Words, writes Writes, python Python, planner PlanMaker) (*Workflow, error) {
	w := &Workflow{agents: agents, rules: rules, words: said, writes: writes, python: python, planner: planner}
	var err error
	if w.flow, err = w.graph(); err != nil {
		return nil, err
	}
	return w, nil
}

// asks is what the planner's rules ask, as the asker of q.
type asks struct {
	agents Agents
	query  Query
}

func (a asks) Parse(ctx context.Context, text string) (plan.Parsed, error) {
	return a.agents.Parse(ctx, a.query, text)
}

func (a asks) Metrics(ctx context.Context) ([]plan.Metric, error) {
	return a.agents.Metrics(ctx, a.query)
}

func (a asks) Writes(ctx context.Context, question string) (bool, error) {
	return a.agents.Writes(ctx, a.query, question)
}

func (a asks) Adds(ctx context.Context, question string) (plan.Adds, string, error) {
	return a.agents.Adds(ctx, a.query, question)
}

// observe makes a step of the run tree of every node.
func (w *Workflow) observe(ctx context.Context, at flow.Step, s *State, next func(context.Context) error) error {
	ctx, step := run.Start(ctx, "analysis."+at.Node)
	if s.Current != "" {
		step.Set("step", s.Current)
	}
	err := next(ctx)
	step.End(err)
	return err
}

// callID is the idempotency id of a step's try: the same after a restart.
func callID(s *State) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%d", s.ID, s.Plan.Version, s.Current, s.SQLCount))
	return run.PrefixCall + hex.EncodeToString(sum[:12])
}

// say is a message in the asker's language.
func (w *Workflow) say(s *State, key string, args ...string) string {
	from := "" // after a command that is named, so that it can be run as it stands
	if s.Query.Source != "" {
		from = " --source " + s.Query.Source
	}
	return w.words.Say(s.Query.Language, key, append(args, "from", from)...)
}

// ownText is what an error says to people; "" where it was not written for them.
func ownText(err error) string { return fault.FromStatus(err).Message }

func (s *State) language() lang.Language { return s.Query.Language }
