// Package plan makes plans of analyses by rules and checks plans, whoever made them.
//
// A plan is data: steps with an instruction, the steps whose results they need, and the
// shape of what they should come to. kinds.yaml holds the kinds of requests that are
// recognised and the steps that each becomes; period.go finds in a request the days that those
// steps are about, make.go the rest, and fills them in; this file says when a plan holds together.
package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says who does a step.
type Kind string

// Kinds of steps.
const (
	SQL           Kind = "sql"
	ExplainChange Kind = "explain_change"
	Study         Kind = "study"     // a look at one table, planned by text to SQL
	Forecast      Kind = "forecast"  // of the series of its input, in Go
	Anomalies     Kind = "anomalies" // of the series of its inputs, in Go
	Segments      Kind = "segments"  // of the rows of its input, in Go
	Relation      Kind = "relation"  // of the columns or groups of its inputs, in Go
	Python        Kind = "python"
	Report        Kind = "report"
)

// Reads reports whether a step runs statements.
func (k Kind) Reads() bool { return k == SQL || k == ExplainChange || k == Study }

// Computes reports whether a step works on the results of others in this service.
func (k Kind) Computes() bool {
	return slices.Contains([]Kind{Forecast, Anomalies, Segments, Relation}, k)
}

// Looks at one table, as the contract of text to SQL names them.
var studies = []string{"rows", "nulls", "ranges", "dates", "freshness", "values", "cohort", "funnel"}

// Shape is what a step is expected to come to.
type Shape string

// Shapes of results; the empty one is nothing in particular.
const (
	Figures    Shape = "figures"    // one row
	Categories Shape = "categories" // rows by category
	Series     Shape = "series"     // rows by day, week or month
	Change     Shape = "change"     // a change and what accounts for it
	Document   Shape = "document"   // the report
)

// Bounds of a plan that anybody may send.
const (
	MaxSteps       = 50
	MaxInstruction = 16384 // bytes
	MaxDays        = 90    // of a forecast
)

// Step is one step.
type Step struct {
	ID          string   `json:"id"`
	Kind        Kind     `json:"kind"`
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	Inputs      []string `json:"inputs,omitempty"`
	Expects     Shape    `json:"expects,omitempty"`
	// Study is what a step of that kind looks at.
	Study string `json:"study,omitempty"`
	// Days is how far a forecast reaches.
	Days int `json:"days,omitempty"`
}

// Part is a part of a request that is not planned, and why.
type Part struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Cost is what the statements of a step would read, by the estimate of the cost gate.
type Cost struct {
	Step  string `json:"step"`
	Rows  int64  `json:"rows"`  // -1: not known
	Bytes int64  `json:"bytes"` // -1: not known
	// Unknown says why nothing is known; empty where something is.
	Unknown string `json:"unknown,omitempty"`
}

// Plan is what will be done. A person approves one version of it.
type Plan struct {
	Version     int      `json:"version"`
	Steps       []Step   `json:"steps"`
	Unanswered  []Part   `json:"unanswered,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	// Costs are those of the steps that run SQL, of a plan that a person looks at.
	Costs []Cost `json:"costs,omitempty"`
}

// Step returns the step of an id.
func (p Plan) Step(id string) (Step, bool) {
	i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.ID == id })
	if i < 0 {
		return Step{}, false
	}
	return p.Steps[i], true
}

// ProblemKind is a class of mistakes in a plan.
type ProblemKind string

// Classes of mistakes.
const (
	NoSteps       ProblemKind = "no_steps"
	TooManySteps  ProblemKind = "too_many_steps"
	BadID         ProblemKind = "bad_id"
	UnknownKind   ProblemKind = "unknown_kind"
	NoInstruction ProblemKind = "no_instruction"
	UnknownStep   ProblemKind = "unknown_step"
	Cycle         ProblemKind = "cycle"
	MissingInput  ProblemKind = "missing_input"
	UnusedStep    ProblemKind = "unused_step"
	ReportPlace   ProblemKind = "report_place"
	UnknownStudy  ProblemKind = "unknown_study"
	BadDays       ProblemKind = "bad_days"
)

// Problem is a mistake in a plan.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	Step string      `json:"step,omitempty"` // its id; empty: the plan as a whole
	Text string      `json:"text"`           // in English, for whoever made the plan
}

// Check returns what is wrong with a plan; nothing where it holds together. Steps run in
// their order, so an input is a step that stands before.
func Check(p Plan) []Problem {
	var found []Problem
	add := func(kind ProblemKind, step, format string, args ...any) {
		found = append(found, Problem{Kind: kind, Step: step, Text: fmt.Sprintf(format, args...)})
	}
	if len(p.Steps) == 0 {
		add(NoSteps, "", "the plan has no steps")
		return found
	}
	if len(p.Steps) > MaxSteps {
		add(TooManySteps, "", "the plan has %d steps; the most is %d", len(p.Steps), MaxSteps)
		return found
	}
	at := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if _, twice := at[s.ID]; s.ID == "" || twice {
			add(BadID, s.ID, "step %d has the id %q: give every step an id of its own", i+1, s.ID)
		}
		at[s.ID] = i
	}
	used := make(map[string]bool)
	for i, s := range p.Steps {
		found = append(found, s.check(i, at)...)
		for _, in := range s.Inputs {
			if in != s.ID {
				used[in] = true
			}
		}
	}
	for i, s := range p.Steps {
		last := i == len(p.Steps)-1
		if (s.Kind == Report) != last {
			add(ReportPlace, s.ID, "a plan has one report, and it is the last step: step %q is %s in place %d of %d", s.ID, s.Kind, i+1, len(p.Steps))
		}
		if !last && !used[s.ID] {
			add(UnusedStep, s.ID, "no step uses what step %q comes to: name it among the inputs of the report, or leave it out", s.ID)
		}
	}
	return found
}

// check looks at one step; at is where each id stands.
func (s Step) check(place int, at map[string]int) []Problem {
	var found []Problem
	add := func(kind ProblemKind, format string, args ...any) {
		found = append(found, Problem{Kind: kind, Step: s.ID, Text: fmt.Sprintf(format, args...)})
	}
	if !slices.Contains([]Kind{SQL, ExplainChange, Study, Forecast, Anomalies, Segments, Relation, Python, Report}, s.Kind) {
		add(UnknownKind, "step %q is of the kind %q: use sql, explain_change, study, forecast, anomalies, segments, relation, python or report", s.ID, s.Kind)
	}
	if s.Kind == Study && !slices.Contains(studies, s.Study) {
		add(UnknownStudy, "step %q looks at %q: use one of %s", s.ID, s.Study, strings.Join(studies, ", "))
	}
	if s.Days < 0 || s.Days > MaxDays {
		add(BadDays, "step %q reaches %d days: the most is %d", s.ID, s.Days, MaxDays)
	}
	if s.Instruction == "" || len(s.Instruction) > MaxInstruction {
		add(NoInstruction, "the instruction of step %q has %d bytes: say what it shall do in 1 to %d", s.ID, len(s.Instruction), MaxInstruction)
	}
	for _, in := range s.Inputs {
		switch other, known := at[in]; {
		case !known:
			add(UnknownStep, "step %q needs step %q, which the plan does not have", s.ID, in)
		case other >= place:
			add(Cycle, "step %q needs step %q, which does not run before it", s.ID, in)
		}
	}
	if (s.Kind == Python || s.Kind == Report || s.Kind.Computes()) && len(s.Inputs) == 0 {
		add(MissingInput, "step %q works on results of other steps and names none among its inputs", s.ID)
	}
	if s.Kind == Forecast && len(s.Inputs) > 1 {
		add(MissingInput, "step %q forecasts one series and has %d inputs: name one", s.ID, len(s.Inputs))
	}
	if s.Kind == Segments && len(s.Inputs) > 1 {
		add(MissingInput, "step %q divides the rows of one step and has %d inputs: name one", s.ID, len(s.Inputs))
	}
	if s.Kind == Relation && len(s.Inputs) > 2 {
		add(MissingInput, "step %q compares the rows of one step, or the series of two, and has %d inputs: name one or two", s.ID, len(s.Inputs))
	}
	return found
}

// Repair mends what can be mended without guessing what was meant: duplicate inputs, inputs
// that no step has, a report that is missing or does not use every result. What it
// cannot mend stays and is found by Check again.
func Repair(p Plan, report Step) Plan {
	out := p
	out.Steps = nil
	have := make(map[string]bool)
	var last *Step
	for _, s := range p.Steps {
		if s.Kind == Report {
			kept := s
			last = &kept
			continue
		}
		s.Inputs = slices.DeleteFunc(slices.Compact(slices.Clone(s.Inputs)), func(in string) bool { return !have[in] })
		have[s.ID] = true
		out.Steps = append(out.Steps, s)
	}
	if last == nil {
		last = &report
	}
	last.Inputs = nil
	for _, s := range out.Steps {
		last.Inputs = append(last.Inputs, s.ID)
	}
	if len(out.Steps) > 0 {
		out.Steps = append(out.Steps, *last)
	}
	return out
}
