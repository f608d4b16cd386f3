package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
	text2sqlllm "github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// byTeam answers a question by the team with a model, on a database that may be
// probed. What the rules go on with where the model failed is an error: it would
// not measure the model.
func (r *textRun) byTeam(ctx context.Context, db *database, text string) (team.Outcome, error) {
	set, err := tools.New(tools.Deps{
		Catalog: db, Executor: db, Guard: guard.New(guard.Config{DefaultLimit: maxRows, MaxLimit: maxRows}),
	})
	if err != nil {
		return team.Outcome{}, err
	}
	rules := team.Members{
		Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: r.pipeline},
		Generator: team.RulesGenerator{}, Evaluator: team.RulesEvaluator{Tools: set},
	}
	byModel, err := text2sqlllm.New(text2sqlllm.Config{}, r.model, r.pipeline, rules)
	if err != nil {
		return team.Outcome{}, err
	}
	t, err := team.New(team.Config{}, team.Deps{Rules: rules, Model: byModel})
	if err != nil {
		return team.Outcome{}, err
	}
	ctx = run.With(ctx, run.Context{Principal: evaluator, Now: evaluationDay})
	out, err := t.Answer(ctx, team.Task{
		Question: text, Language: lang.Detect(text), Now: evaluationDay, Strategy: team.ByModel, Mode: team.ModeProbe,
		Tables: db.tables, Schema: r.pipeline.Prepare(db.tables, nil),
	})
	if err != nil {
		return out, err
	}
	for _, w := range out.Warnings {
		if w.Code == team.CodeModelFailed {
			return out, fmt.Errorf("the model did not answer: %s", w.Message)
		}
	}
	return out, nil
}

// evaluationDay is the "today" of questions to a model, so that recorded answers
// are found again on any day.
var evaluationDay = time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)

// Tables implements tools.Catalog over the database that is open.
func (db *database) Tables(_ context.Context, _ string, names []string) ([]catalog.Table, error) {
	var out []catalog.Table
	for _, t := range db.tables {
		for _, name := range names {
			parts := strings.Split(strings.ReplaceAll(name, `"`, ""), ".")
			if strings.EqualFold(parts[len(parts)-1], t.Name.Table) {
				out = append(out, t)
				break
			}
		}
	}
	return out, nil
}

// Execute implements tools.Executor.
func (db *database) Execute(ctx context.Context, _, sql string, most int) (tools.Rows, error) {
	approved, err := db.guard.Approve(ctx, evaluator, sql, db.scope)
	if err != nil {
		return tools.Rows{}, err
	}
	rows, err := db.engine.Query(ctx, evaluator, approved, warehouse.Options{MaxRows: int64(most), Timeout: queryTimeout})
	if err != nil {
		return tools.Rows{}, err
	}
	defer func() { _ = rows.Close() }() // read to the end or not wanted
	var out tools.Rows
	for _, c := range rows.Columns() {
		out.Columns = append(out.Columns, c.Name)
	}
	for {
		page, err := rows.Next(ctx, pageRows)
		out.Rows = append(out.Rows, page...)
		if errors.Is(err, io.EOF) {
			out.Truncated = rows.Stats().Truncated
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// Defaults implements tools.Catalog.
func (db *database) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: db.scope.DefaultRegion, Schema: db.scope.DefaultSchema}, nil
}

// sampled are the questions whose ids have the lowest SHA-256, database by database.
func sampled(questions []textQuestion, n int) []textQuestion {
	out := lowestHashes(questions, func(q textQuestion) string { return q.ID }, n)
	slices.SortStableFunc(out, func(a, b textQuestion) int { return strings.Compare(a.DB, b.DB) })
	return out
}
