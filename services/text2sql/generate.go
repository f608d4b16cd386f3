package text2sql

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// In is a question with all that helps to answer it.
type In struct {
	Source   string
	Question string
	Tables   []catalog.Table // empty: the catalog is asked
	Language lang.Language   // empty: that of the question
	Chosen   string          // option of an earlier question
	// Previous is the intent that FollowUp changes, as JSON; empty: none.
	Previous string
	FollowUp string
	// Alone says that Question is FollowUp by itself, which may stand without Previous.
	Alone bool
	// ShowBasis: what the first rows were chosen by stands beside them.
	ShowBasis bool
	// Person is what is known of the asker, a fact each.
	Person   []string
	Validate bool
	// Probe lets candidates be run, bounded and guarded, as the asker.
	Probe bool
	// Offer asks which of a few readings is meant where none is sure enough.
	Offer bool
	// Suggest is how many changes are suggested at most beside an answer.
	Suggest int
	// Unsaid: the request does not say whether candidates may be run.
	Unsaid bool
	// Strategy is StrategyRules or StrategyLLM; empty: the configured one.
	Strategy string
	// Terms and Rules that apply.
	Terms []catalog.Term
	Rules []catalog.Rule
	// Candidates to write at most; 0: one.
	Candidates int
	// Tried are statements that did not do, oldest first. None of them is written again.
	Tried []team.Finding
}

// Out is what came of it.
type Out struct {
	pipeline.Result
	Tables    []string // read by the SQL
	Validated bool
	Verified  *examples.Match // the verified query that the SQL is; nil: none
	// Further candidates that hold, best first.
	Further     []team.Candidate
	Warnings    []team.Warning
	Restatement string
	// Suggestions are changes that people make next, likeliest first.
	Suggestions []pipeline.Suggestion
}

// Step is told when a step of the work ended.
type Step func(member, message string, took time.Duration)

// Execute reads the question and writes SQL.
func (s *Service) Execute(ctx context.Context, in In, step Step) (Out, error) {
	if strings.TrimSpace(in.Question) == "" {
		return Out{}, fault.Invalid("user_question", "QUESTION_EMPTY", "the question is empty: ask something about the data")
	}
	if in.Source == "" {
		in.Source = s.config.DefaultSource
	}
	if in.Language == "" {
		in.Language = lang.Detect(in.Question)
	}
	if out, ok, err := s.verified(ctx, in); err != nil || ok && !team.Found(in.Tried, out.SQL) {
		return out, err
	}
	if pipeline.IsReading(in.Chosen) {
		in.Strategy = StrategyRules // rules read it, and it is settled
	}
	ctx, err := s.admit(ctx, &in)
	if err != nil {
		return Out{}, err
	}
	task, err := s.task(ctx, in)
	if err != nil {
		return Out{}, err
	}
	task.Step = step
	got, err := s.team.Answer(ctx, task)
	if err != nil {
		return Out{}, err
	}
	out := Out{
		Result: got.Result, Tables: got.Tables, Validated: got.Validated, Warnings: got.Warnings, Restatement: got.Restatement,
	}
	if len(got.Candidates) > 1 {
		out.Further = got.Candidates[1:]
	}
	// What a model says is not in the tables is not offered as something near it.
	if in.Offer && in.Validate && out.Outcome == pipeline.Abstained && !got.Lacking {
		err = s.offer(ctx, &task, &out)
	}
	if in.Offer && in.Validate && in.Chosen == "" && out.Outcome == pipeline.Answered && s.pipeline.Conditional(&out.Result) && !s.elsewhere(in.Source) {
		err = s.doubtNothing(ctx, &task, &out)
	}
	s.suggest(ctx, in, &task, &out)
	return out, err
}

// task puts together what the team works on.
func (s *Service) task(ctx context.Context, in In) (team.Task, error) {
	whole, err := s.layers.get(in.Source)
	if err != nil {
		return team.Task{}, err
	}
	held, err := s.permitted(ctx, in.Source, whole)
	if err != nil {
		return team.Task{}, err
	}
	tables := in.Tables
	if len(tables) == 0 {
		if tables, err = s.listTables(ctx, in.Source); err != nil {
			return team.Task{}, err
		}
	}
	schema, err := s.schemas.get(withoutExtracts(tables, in.text()), held.layer)
	if err != nil {
		return team.Task{}, err
	}
	previous, err := previousIntent(in.Previous)
	if err != nil {
		return team.Task{}, err
	}
	task := team.Task{
		Previous: previous, FollowUp: in.FollowUp, Alone: in.Alone, ShowBasis: in.ShowBasis,
		Source: in.Source, Question: in.Question, Language: in.Language, Chosen: in.Chosen, Now: run.Now(ctx), Person: in.Person,
		Strategy: team.Strategy(in.Strategy), Mode: mode(in), Tables: tables, Schema: schema,
		Terms: in.Terms, Rules: in.Rules, Session: run.From(ctx).SessionID, Candidates: in.Candidates, Tried: in.Tried, Threshold: cmp.Or(s.config.Threshold, team.DefaultThreshold),
		More: func(ctx context.Context, res pipeline.Result) ([]catalog.Table, *pipeline.Schema, bool, error) {
			return s.more(ctx, in, tables, held.layer, res)
		},
	}
	if in.Strategy != StrategyLLM {
		return task, nil
	}
	if held.layer != nil {
		if task.Layer, err = s.visibleLayer(ctx, in.Source, held.written); err != nil {
			return team.Task{}, err
		}
	}
	task.Examples, err = s.near(ctx, in, whole.written)
	return task, err
}

// text is all that was said, with the intent that it changes.
func (in *In) text() string {
	return strings.Join([]string{in.Question, in.FollowUp, in.Previous}, "\n")
}

// previousIntent reads the intent that a follow-up changes; nil: there is none.
func previousIntent(text string) (*intent.Intent, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // none is no mistake
	}
	previous := &intent.Intent{}
	if err := json.Unmarshal([]byte(text), previous); err != nil {
		return nil, fault.Invalid("previous_intent_json", "INTENT_INVALID", "previous_intent_json is not an intent that this service wrote: %v", err)
	}
	return previous, nil
}

func mode(in In) team.Mode {
	switch {
	case in.Probe:
		return team.ModeProbe
	case in.Validate:
		return team.ModeValidate
	}
	return team.ModeNone
}

// more describes the tables that an answer over the written layer turned out to
// need beside those of the request.
func (s *Service) more(ctx context.Context, in In, tables []catalog.Table, layer *pipeline.Layer, res pipeline.Result) ([]catalog.Table, *pipeline.Schema, bool, error) {
	if len(res.Reads) == 0 || len(in.Tables) == 0 && len(res.MissingTables) == 0 {
		return nil, nil, false, nil // no written layer, or all tables are known
	}
	regions, err := s.layers.regions(in.Source)
	if err != nil {
		return nil, nil, false, err
	}
	described, err := s.describe(ctx, in.Source, everywhere(res.Reads, regions))
	if err != nil {
		return nil, nil, false, err
	}
	further := lacking(tables, described)
	if len(further) == 0 {
		return nil, nil, false, nil
	}
	tables = append(slices.Clone(tables), further...)
	schema, err := s.schemas.get(withoutExtracts(tables, in.text()), layer)
	return tables, schema, err == nil, err
}

// everywhere names tables in each data centre: those of one name hold the
// countries of their own, and an answer over all needs all.
func everywhere(names, regions []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, name)
		if strings.Count(name, ".") != 1 {
			continue
		}
		for _, region := range regions {
			out = append(out, region+"."+name)
		}
	}
	return out
}

// lacking are the described tables that are not among the tables.
func lacking(tables, described []catalog.Table) []catalog.Table {
	var more []catalog.Table
	has := func(list []catalog.Table, name string) bool {
		return slices.ContainsFunc(list, func(t catalog.Table) bool { return t.Name.String() == name })
	}
	for _, t := range described {
		if name := t.Name.String(); !has(tables, name) && !has(more, name) {
			more = append(more, t)
		}
	}
	return more
}
