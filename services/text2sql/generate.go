package text2sql

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
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
	Validate bool
}

// Out is what came of it.
type Out struct {
	pipeline.Result
	Tables    []string // read by the SQL
	Validated bool
	Verified  *examples.Match // the verified query that the SQL is; nil: none
	Changes   []string        // of a follow-up, sentences in the asker's language
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
	if out, ok, err := s.verified(ctx, in); ok || err != nil {
		return out, err
	}
	layer, err := s.layers.of(in.Source)
	if err != nil {
		return Out{}, err
	}
	var res pipeline.Result
	tables := in.Tables
	err = s.stage(ctx, "semantic_parser", step, func(ctx context.Context) (string, error) {
		res, tables, err = s.parse(ctx, in, layer)
		return s.said(res), err
	})
	if err != nil {
		return Out{}, err
	}
	out := Out{Result: res}
	if res.Outcome != pipeline.Answered {
		return out, nil
	}
	err = s.stage(ctx, "sql_generator", step, func(ctx context.Context) (string, error) {
		return s.validate(ctx, in, tables, &out)
	})
	return out, err
}

// stage runs a part of the work as a step of the run tree.
func (s *Service) stage(ctx context.Context, member string, step Step, work func(context.Context) (string, error)) error {
	ctx, recorded := run.Start(ctx, "text2sql."+member)
	began := time.Now()
	message, err := work(ctx)
	recorded.Set("result", message)
	recorded.End(err)
	if err == nil && step != nil {
		step(member, message, time.Since(began))
	}
	return err
}

func (s *Service) said(res pipeline.Result) string {
	return fmt.Sprintf("%s, confidence %s, not understood: %d", res.Outcome, strconv.FormatFloat(res.Confidence, 'f', 2, 64), len(res.NotUnderstood))
}

// parse answers over the tables of the request, and once more with the tables
// that the answer turned out to need.
func (s *Service) parse(ctx context.Context, in In, layer *pipeline.Layer) (pipeline.Result, []catalog.Table, error) {
	tables := in.Tables
	if len(tables) == 0 {
		listed, err := s.listTables(ctx, in.Source)
		if err != nil {
			return pipeline.Result{}, nil, err
		}
		tables = listed
	}
	answer := func() (pipeline.Result, error) {
		schema, err := s.schemas.get(tables, layer)
		if err != nil {
			return pipeline.Result{}, err
		}
		return s.pipeline.Answer(pipeline.Input{
			Question: in.Question, Language: in.Language, Chosen: in.Chosen, Now: run.Now(ctx), Schema: schema,
		}), nil
	}
	res, err := answer()
	if err != nil {
		return pipeline.Result{}, nil, err
	}
	if len(res.Reads) == 0 || len(in.Tables) == 0 && len(res.MissingTables) == 0 {
		return res, tables, nil // no written layer, or all tables are known
	}
	regions, err := s.layers.regions(in.Source)
	if err != nil {
		return pipeline.Result{}, nil, err
	}
	described, err := s.describe(ctx, in.Source, everywhere(res.Reads, regions))
	if err != nil {
		return pipeline.Result{}, nil, err
	}
	if more := lacking(tables, described); len(more) > 0 {
		tables = append(slices.Clone(tables), more...)
		res, err = answer()
	}
	return res, tables, err
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

// validate checks the SQL as it will be checked before it runs: resolved against
// the tables, read-only, permitted. What does not pass is not returned.
func (s *Service) validate(ctx context.Context, in In, tables []catalog.Table, out *Out) (string, error) {
	if !in.Validate {
		return "not validated", nil
	}
	index := catalog.NewIndex(&catalog.Snapshot{Tables: tables}, catalog.Defaults{})
	approved, err := s.guard.Approve(ctx, run.From(ctx).Principal, out.SQL, resolve.Scope{Catalog: index})
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		out.Draft, out.SQL, out.Statement, out.Outcome = out.SQL, "", nil, pipeline.Abstained
		out.Doubts = append(out.Doubts, err.Error())
		out.Reason = s.pipeline.Unwritable(in.Language, err.Error())
		return "refused: " + err.Error(), nil
	}
	out.Validated = true
	for _, t := range approved.Tables() {
		out.Tables = append(out.Tables, t.String())
	}
	return "validated", nil
}
