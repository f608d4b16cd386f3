// Package team writes SQL as a captain and three specialists do: the Planner says
// who is next, the SemanticParser reads the question, the SQLGenerator writes
// candidates, the ResultEvaluator checks, runs where it may, repairs and chooses.
// Each member has a strategy by rules and may have one by a model; what they know
// lies on one Board, which also keeps the history of what each of them did.
//
// The members run on a graph of pkg/flow (graph.go). Who is next follows from
// what is missing and from what went wrong before (planner.go).
package team

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// Strategy says who decides.
type Strategy string

// Strategies. ByModel has the rules where the model fails.
const (
	ByRules Strategy = "rules"
	ByModel Strategy = "llm"
)

// Mode says whether writing SQL may touch the engine.
type Mode int

// Modes, each allowing what the one before does.
const (
	ModeNone     Mode = iota // not even checked against the catalog
	ModeValidate             // checked against the catalog
	ModeProbe                // candidates may be run, bounded and guarded, as the asker
)

// DefaultThreshold is that of tasks whose service has none configured: what is
// shown is more likely right than wrong.
const DefaultThreshold = 0.5

// Task is a question with all that the team works on.
type Task struct {
	Source   string
	Question string
	Language lang.Language
	Chosen   string // option of an earlier question
	// Previous is the intent that FollowUp changes; nil: there is none.
	Previous *intent.Intent
	FollowUp string
	// Alone says that Question is FollowUp by itself, which may stand without Previous.
	Alone bool
	// ShowBasis: what the first rows were chosen by stands beside them.
	ShowBasis bool
	Now       time.Time
	// Person is what is known of the asker, a fact each, for members that ask a model.
	Person   []string
	Strategy Strategy
	Mode     Mode
	// Tables that the asker may see, best first, and the same made ready for rules.
	Tables []catalog.Table
	Schema *pipeline.Schema
	// Layer is the part of the hand-written semantic layer over tables that the asker
	// may see, for members that ask a model; nil: there is none.
	Layer *semantic.Layer
	// Terms, Rules and Examples that apply.
	Terms    []catalog.Term
	Rules    []catalog.Rule
	Examples []Example
	// Candidates to write at most; 0: one.
	Candidates int
	// Threshold of confidence below which an answer by a model, and another reading
	// by rules, is not shown.
	Threshold float64
	// Tried are statements that were written for the question before and did not do, oldest
	// first: none of them is written again.
	Tried []Finding
	// Session groups requests for a model's cache; empty: none.
	Session string
	// More returns the tables that a reading needs and the task lacks, and all of
	// them made ready; ok is false where nothing is to be had. nil: never.
	More func(ctx context.Context, res pipeline.Result) (tables []catalog.Table, schema *pipeline.Schema, ok bool, err error)
	// Step is told when a member has ended; nil: nobody is.
	Step func(member, message string, took time.Duration)
}

// Example is a question whose SQL a person approved.
type Example struct{ Question, SQL string }

// Outcome is what the team came to.
type Outcome struct {
	pipeline.Result
	// Candidates are those that hold, best first, where SQL was written.
	Candidates []Candidate
	Validated  bool
	Tables     []string // read by the first candidate
	// Restatement is the question as it was understood, in a sentence; may be empty.
	Restatement string
	// Summary says in a sentence what the result looks like; empty where it was
	// not run.
	Summary  string
	Warnings []Warning
	History  []Record
	// Lacking: a model read the question and says that the tables do not hold what is
	// asked; the reason says what they lack.
	Lacking bool
}

// Warning is something that the reader should know.
type Warning struct{ Code, Message string }

// Config bounds the work on one question. The zero value of a field means its
// default.
type Config struct {
	// MaxSteps of members and planner together.
	MaxSteps int `koanf:"max_steps"`
	// MaxTime of one question.
	MaxTime time.Duration `koanf:"max_time"`
	// MaxRepairs of the candidates of one reading.
	MaxRepairs int `koanf:"max_repairs"`
	// MaxReturns to the semantic parser.
	MaxReturns int `koanf:"max_returns"`
	// ProbeRows bounds the rows that a candidate is tried with.
	ProbeRows int `koanf:"probe_rows"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		key             string
		value           *int
		byDef, min, max int
	}{
		{"max_steps", &c.MaxSteps, 20, 4, 100}, {"max_repairs", &c.MaxRepairs, 2, 0, 10},
		{"max_returns", &c.MaxReturns, 2, 0, 10}, {"probe_rows", &c.ProbeRows, 200, 1, tools.MaxRows},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < f.min || *f.value > f.max {
			return c, fmt.Errorf("text2sql.%s is %d: it has to be from %d to %d", f.key, *f.value, f.min, f.max)
		}
	}
	if c.MaxTime == 0 {
		c.MaxTime = 2 * time.Minute
	}
	if c.MaxTime < 0 {
		return c, fmt.Errorf("text2sql.max_time is %s: it has to be positive", c.MaxTime)
	}
	return c, nil
}

// Members are one of each kind.
type Members struct {
	Planner   Planner
	Parser    Parser
	Generator Generator
	Evaluator Evaluator
}

func (m Members) complete() bool {
	return m.Planner != nil && m.Parser != nil && m.Generator != nil && m.Evaluator != nil
}

// Deps are what a team is made of.
type Deps struct {
	Rules Members
	// Model are the members that ask a model; nil: there is none.
	Model *Members
	// Log takes what an operator should know; nil: slog.Default().
	Log *slog.Logger
}

// Team works on questions. It may be used concurrently.
type Team struct {
	cfg   Config
	deps  Deps
	words words
	graph *flow.Graph[Board]
}

// New returns a team.
func New(cfg Config, deps Deps) (*Team, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if !deps.Rules.complete() || deps.Model != nil && !deps.Model.complete() {
		return nil, errors.New("text2sql: a team needs all of its members")
	}
	if deps.Log == nil {
		deps.Log = slog.Default()
	}
	t := &Team{cfg: cfg, deps: deps}
	if t.words, err = loadWords(); err != nil {
		return nil, err
	}
	if t.graph, err = newGraph(t); err != nil {
		return nil, err
	}
	return t, nil
}

// Answer works on a task until there is SQL, a question to the asker, or nothing
// more to try. Errors are those of members that are nobody's misreading: the
// catalog away, the caller gone.
func (t *Team) Answer(ctx context.Context, task Task) (Outcome, error) {
	b := &Board{Task: task, cfg: t.cfg, words: t.words, Learned: slices.Clone(task.Tried)}
	within, cancel := context.WithTimeout(ctx, t.cfg.MaxTime)
	defer cancel()
	_, err := t.graph.Run(within, b, flow.Options[Board]{MaxSteps: 2*t.cfg.MaxSteps + 4, Around: t.around})
	if err == nil {
		return b.outcome(), nil
	}
	if ctx.Err() == nil && (within.Err() != nil || errors.Is(err, flow.ErrCeiling)) {
		b.Move = Move{To: GiveUp, Why: "no more time"}
		return b.outcome(), nil
	}
	var own *fault.Error
	if errors.As(err, &own) {
		return Outcome{}, own
	}
	return Outcome{}, err
}
