package team_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// shed is a warehouse of one table that runs what a test says.
type shed struct {
	tables  []catalog.Table
	execute func(sql string) (tools.Rows, error)
}

func newShed() *shed {
	return &shed{tables: []catalog.Table{{
		Name: catalog.Name{Region: "eu", Schema: "shed", Table: "saws"}, RowCount: 9, Columns: []catalog.Column{
			{Name: "saw_id", Type: "bigint", PrimaryKey: true, Distinct: 9},
			{Name: "maker", Type: "varchar", Distinct: 2, Samples: []string{"Élan", "Bo"}}, {Name: "teeth", Type: "bigint"},
		},
	}}}
}

func (s *shed) Tables(_ context.Context, _ string, names []string) ([]catalog.Table, error) {
	var out []catalog.Table
	for _, t := range s.tables {
		for _, n := range names {
			if semantic.Matches(n, &t) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func (s *shed) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: "eu", Schema: "shed"}, nil
}

func (s *shed) Execute(_ context.Context, _, sql string, _ int) (tools.Rows, error) {
	return s.execute(sql)
}

func (s *shed) tools(t *testing.T) *tools.Set {
	t.Helper()
	deps := tools.Deps{Catalog: s, Guard: guard.New(guard.Config{})}
	if s.execute != nil {
		deps.Executor = s
	}
	set, err := tools.New(deps)
	require.NoError(t, err)
	return set
}

// writer is a generator that writes what a test says.
type writer func(b *team.Board) []string

func (w writer) Generate(_ context.Context, b *team.Board) (team.Draft, error) {
	d := team.Draft{Outcome: pipeline.Answered, By: team.ByRules}
	for _, sql := range w(b) {
		d.Candidates = append(d.Candidates, team.Candidate{SQL: sql, By: team.ByRules, Confidence: 0.9})
	}
	return d, nil
}

type fixerFunc func(sql, errorText string) (string, bool)

func (f fixerFunc) Fix(_ context.Context, _ *team.Task, sql, errorText string) (string, bool, error) {
	fixed, changed := f(sql, errorText)
	return fixed, changed, nil
}

func answer(t *testing.T, s *shed, cfg team.Config, g team.Generator, fixer team.Fixer, mode team.Mode) team.Outcome {
	t.Helper()
	return answerIn(t.Context(), t, s, cfg, g, fixer, mode)
}

func answerIn(ctx context.Context, t *testing.T, s *shed, cfg team.Config, g team.Generator, fixer team.Fixer, mode team.Mode) team.Outcome {
	t.Helper()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	if g == nil {
		g = team.RulesGenerator{}
	}
	made, err := team.New(cfg, team.Deps{Rules: team.Members{
		Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: p}, Generator: g, Evaluator: team.RulesEvaluator{Tools: s.tools(t), Fixer: fixer},
	}})
	require.NoError(t, err)
	ctx = run.With(ctx, run.Context{Principal: run.Principal{ID: "alice"}})
	out, err := made.Answer(ctx, team.Task{
		Question: "How many saws are there?", Language: lang.English, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC), Strategy: team.ByRules,
		Mode: mode, Tables: s.tables, Schema: p.Prepare(s.tables, nil), Threshold: team.DefaultThreshold,
	})
	require.NoError(t, err)
	return out
}

func members(out team.Outcome) []string {
	var names []string
	for _, r := range out.History {
		if r.Member != team.MemberPlanner {
			names = append(names, r.Member)
		}
	}
	return names
}

func TestRulesAnswerAsThePipelineDoes(t *testing.T) {
	t.Parallel()
	s := newShed()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	want := p.Answer(pipeline.Input{Question: "How many saws are there?", Schema: p.Prepare(s.tables, nil), Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
	out := answer(t, s, team.Config{}, nil, nil, team.ModeValidate)
	require.Equal(t, pipeline.Answered, want.Outcome)
	require.Equal(t, want.SQL, out.SQL)
	require.InDelta(t, want.Confidence, out.Confidence, 1e-9)
	require.Equal(t, want.Labels, out.Labels)
	require.True(t, out.Validated)
	require.Equal(t, []string{"eu.shed.saws"}, out.Tables)
	require.Equal(t, []string{team.MemberParser, team.MemberGenerator, team.MemberEvaluator}, members(out))
}

// TestStepsTellWhatCameOfThem: each with what the member was given, what it made, whether it
// did, and the class of what went wrong.
func TestStepsTellWhatCameOfThem(t *testing.T) {
	t.Parallel()
	const good, bad = "SELECT count(*) FROM eu.shed.saws", "SELECT tooths FROM eu.shed.saws"
	recorder := run.NewRecorder(0)
	answerIn(run.WithRecorder(t.Context(), recorder), t, newShed(), team.Config{}, writer(func(*team.Board) []string { return []string{bad} }),
		fixerFunc(func(_, _ string) (string, bool) { return good, true }), team.ModeValidate)
	var steps []string
	records, _ := recorder.Records()
	for _, r := range records {
		if member, ok := strings.CutPrefix(r.Name, "text2sql."); ok && member != team.MemberPlanner && r.Attributes["strategy"] != "" {
			steps = append(steps, member+" <- "+r.Attributes["input"]+" -> "+r.Attributes["success"]+" "+r.Attributes["error"])
		}
	}
	require.Equal(t, []string{
		"semantic_parser <- the question, tables: 1, findings: 0 -> true ", "sql_generator <- reading: sql, confidence 0.97 -> true ",
		"result_evaluator <- draft: sql, candidates: 1; repairs before: 0 -> false COLUMN_NOT_FOUND", "result_evaluator <- draft: sql, candidates: 1; repairs before: 0 -> true ",
	}, steps)
}

func TestRepairsSwitchesAndGivingUp(t *testing.T) {
	t.Parallel()
	const good, bad = "SELECT count(*) FROM eu.shed.saws", "SELECT tooths FROM eu.shed.saws"
	writes := func(sql ...string) writer { return func(*team.Board) []string { return sql } }
	t.Run("a fixer repairs", func(t *testing.T) {
		t.Parallel()
		var told string
		out := answer(t, newShed(), team.Config{}, writes(bad), fixerFunc(func(_, errorText string) (string, bool) { told = errorText; return good, true }), team.ModeValidate)
		require.Equal(t, good, out.SQL)
		require.Contains(t, told, "COLUMN_NOT_FOUND")
	})
	t.Run("another candidate holds", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, good, answer(t, newShed(), team.Config{}, writes(bad, good), nil, team.ModeValidate).SQL)
	})
	t.Run("nothing holds", func(t *testing.T) {
		t.Parallel()
		out := answer(t, newShed(), team.Config{}, writes(bad), nil, team.ModeValidate)
		require.Equal(t, pipeline.Abstained, out.Outcome)
		require.Empty(t, out.SQL)
		require.Contains(t, out.Reason, "tooths")
		require.LessOrEqual(t, len(out.History), 30)
	})
	t.Run("steps end", func(t *testing.T) {
		t.Parallel()
		out := answer(t, newShed(), team.Config{MaxSteps: 5}, writes(bad), nil, team.ModeValidate)
		require.Equal(t, pipeline.Abstained, out.Outcome)
		require.LessOrEqual(t, len(out.History), 7)
	})
	t.Run("the engine fails it", func(t *testing.T) {
		t.Parallel()
		s := newShed()
		s.execute = func(string) (tools.Rows, error) {
			return tools.Rows{}, &warehouse.Error{Name: warehouse.NameDivisionByZero, Message: "Division by zero"}
		}
		out := answer(t, s, team.Config{}, writes(good), nil, team.ModeProbe)
		require.Equal(t, pipeline.Abstained, out.Outcome)
		require.Contains(t, out.Reason, "Division by zero")
	})
	t.Run("what is not run for its cost stays", func(t *testing.T) {
		t.Parallel()
		s := newShed()
		s.execute = func(string) (tools.Rows, error) { return tools.Rows{}, tools.ErrNotRun }
		require.Equal(t, good, answer(t, s, team.Config{}, writes(good), nil, team.ModeProbe).SQL)
	})
	t.Run("what is odd is told", func(t *testing.T) {
		t.Parallel()
		s := newShed()
		s.execute = func(string) (tools.Rows, error) { return tools.Rows{Columns: []string{"n"}}, nil }
		out := answer(t, s, team.Config{}, writes("SELECT teeth FROM eu.shed.saws WHERE maker = 'Boo'"), nil, team.ModeProbe)
		require.Equal(t, []team.Warning{
			{Code: team.ClassEmpty, Message: "The result is empty."},
			{Code: team.ClassValueUnknown, Message: "No row of eu.shed.saws has maker = 'Boo'. Stored values that are near: Bo."},
		}, out.Warnings)
	})
	t.Run("values are written as they are stored", func(t *testing.T) {
		t.Parallel()
		out := answer(t, newShed(), team.Config{}, writes("SELECT teeth FROM eu.shed.saws WHERE maker IN ('elan', 'BO') -- why"), nil, team.ModeValidate)
		require.Equal(t, "SELECT teeth FROM eu.shed.saws WHERE maker IN ('Élan', 'Bo') -- why", out.SQL)
	})
}

// slow is a parser that waits until nobody wants its answer.
type slow struct{}

func (slow) Parse(ctx context.Context, _ *team.Board) (team.Reading, error) {
	<-ctx.Done()
	return team.Reading{}, ctx.Err()
}

func TestTimeEndsAQuestion(t *testing.T) {
	t.Parallel()
	s := newShed()
	made, err := team.New(team.Config{MaxTime: time.Millisecond}, team.Deps{Rules: team.Members{
		Planner: team.RulesPlanner{}, Parser: slow{}, Generator: team.RulesGenerator{}, Evaluator: team.RulesEvaluator{Tools: s.tools(t)},
	}})
	require.NoError(t, err)
	out, err := made.Answer(t.Context(), team.Task{Question: "x", Language: lang.English})
	require.NoError(t, err)
	require.Equal(t, pipeline.Abstained, out.Outcome)
	require.Contains(t, out.Reason, "too long")

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = made.Answer(gone, team.Task{Question: "x"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestToolsAreListedWithTheirSchemas(t *testing.T) {
	t.Parallel()
	s := newShed()
	require.Len(t, s.tools(t).List(), 2, "nothing can be run")
	s.execute = func(string) (tools.Rows, error) {
		return tools.Rows{Columns: []string{"n"}, Rows: [][]any{{int64(9)}}}, nil
	}
	set := s.tools(t)
	var names []string
	for _, tool := range set.List() {
		names = append(names, tool.Name)
		require.NotEmpty(t, tool.Description)
		function := tool.Function()["function"].(map[string]any)
		require.Equal(t, "object", function["parameters"].(map[string]any)["type"])
	}
	require.Equal(t, []string{tools.GetSchema, tools.ValidateSQL, tools.ExecuteSQL}, names)
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	call := func(name, arguments string) (string, error) {
		tool, ok := set.ByName(name)
		require.True(t, ok)
		out, err := tool.Execute(ctx, json.RawMessage(arguments))
		return string(out), err
	}
	out, err := call(tools.GetSchema, `{"tables":["eu.shed.saws","eu.shed.hidden"]}`)
	require.NoError(t, err)
	require.Contains(t, out, `"maker"`)
	require.NotContains(t, out, "hidden")
	out, err = call(tools.ValidateSQL, `{"sql":"SELECT teth FROM saws"}`)
	require.NoError(t, err)
	require.Contains(t, out, `"class":"COLUMN_NOT_FOUND"`)
	require.Contains(t, out, `"teeth"`)
	out, err = call(tools.ExecuteSQL, `{"sql":"SELECT count(*) FROM saws","max_rows":5}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"columns":["n"],"rows":[[9]]}`, out)
	for name, arguments := range map[string]string{
		tools.GetSchema: `{"tables":"saws"}`, tools.ValidateSQL: `{}`, tools.ExecuteSQL: `{"sql":"SELECT 1","max_rows":100000}`,
	} {
		_, err = call(name, arguments)
		require.Error(t, err, name)
		require.NotEmpty(t, fault.ReasonOf(err), name)
	}
	_, ok := set.ByName("drop_table")
	require.False(t, ok)
}
