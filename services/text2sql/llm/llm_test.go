package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// garden is a warehouse of two tables with answers by statement.
type garden struct {
	tables  []catalog.Table
	answers map[string]tools.Rows // by a part of the statement
	ran     []string
}

func newGarden() *garden {
	name := func(t string) catalog.Name { return catalog.Name{Region: "eu", Schema: "garden", Table: t} }
	return &garden{tables: []catalog.Table{
		{Name: name("beds"), Description: "Flower beds", RowCount: 4, Columns: []catalog.Column{
			{Name: "bed_id", Type: "bigint", PrimaryKey: true, Distinct: 4}, {Name: "spot", Type: "varchar", Distinct: 3, Samples: []string{"North", "South", "Gate"}},
		}},
		{Name: name("plants"), RowCount: 50, Columns: []catalog.Column{
			{Name: "plant_id", Type: "bigint", PrimaryKey: true, Distinct: 50}, {Name: "bed_id", Type: "bigint"},
			{Name: "kind", Type: "varchar", Distinct: 3, Samples: []string{"Rose", "Tulip", "Fern"}}, {Name: "height_cm", Type: "double"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"bed_id"}, RefTable: name("beds"), RefColumns: []string{"bed_id"}}}},
	}, answers: map[string]tools.Rows{}}
}

func (g *garden) Tables(_ context.Context, _ string, names []string) ([]catalog.Table, error) {
	var out []catalog.Table
	for _, t := range g.tables {
		for _, n := range names {
			if semantic.Matches(n, &t) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func (g *garden) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: "eu", Schema: "garden"}, nil
}

func (g *garden) Execute(_ context.Context, _, sql string, _ int) (tools.Rows, error) {
	g.ran = append(g.ran, sql)
	for part, rows := range g.answers {
		if strings.Contains(sql, part) {
			if rows.Columns == nil {
				return rows, &warehouse.Error{Name: warehouse.NameDivisionByZero, Message: "Division by zero"}
			}
			return rows, nil
		}
	}
	return tools.Rows{Columns: []string{"n"}, Rows: [][]any{{int64(1)}}}, nil
}

// desk is a team over the garden and a scripted model.
type desk struct {
	garden *garden
	server *llmtest.Server
	team   *team.Team
	task   team.Task
}

func newDesk(t *testing.T, cfg llm.Config, answers ...llmtest.Answer) *desk {
	t.Helper()
	d := &desk{garden: newGarden(), server: llmtest.Script(t, answers...)}
	timeout := time.Minute
	if slices.ContainsFunc(answers, func(a llmtest.Answer) bool { return a.Hang }) {
		timeout = 2 * time.Second // nothing else is waited for in vain
	}
	model, err := chat.New(chat.Config{BaseURL: d.server.URL, Model: "m", Attempts: 1, Timeout: timeout}, chat.Deps{})
	require.NoError(t, err)
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	set, err := tools.New(tools.Deps{Catalog: d.garden, Executor: d.garden, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	rules := team.Members{Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: p}, Generator: team.RulesGenerator{}, Evaluator: team.RulesEvaluator{Tools: set}}
	members, err := llm.New(cfg, model, p, rules)
	require.NoError(t, err)
	d.team, err = team.New(team.Config{}, team.Deps{Rules: rules, Model: members})
	require.NoError(t, err)
	d.task = team.Task{
		Question: "Which spot has the tallest fern?", Language: lang.English, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC),
		Strategy: team.ByModel, Mode: team.ModeProbe, Tables: d.garden.tables, Schema: p.Prepare(d.garden.tables, nil), Threshold: team.DefaultThreshold,
	}
	return d
}

func (d *desk) answer(t *testing.T) team.Outcome {
	t.Helper()
	out, err := d.team.Answer(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}}), d.task)
	require.NoError(t, err)
	return out
}

// calls is how often the model was asked.
func (d *desk) calls() int { return len(d.server.Requests()) }

// unreadable is a question that rules have no reading of.
const unreadable = "Which smell has the tallest fern?"

// says is an answer of the model as JSON.
func says(v any) llmtest.Answer {
	raw, err := json.Marshal(v)
	if err != nil {
		return llmtest.Answer{Status: http.StatusInternalServerError, Text: err.Error()}
	}
	return llmtest.Answer{Text: string(raw)}
}

type object = map[string]any

// writes is an answer with candidates.
func writes(sql ...string) llmtest.Answer {
	var list []object
	for i, s := range sql {
		list = append(list, object{"sql": s, "reason": fmt.Sprint("reading ", i+1)})
	}
	return says(object{"outcome": "sql", "understood": "The spot of the bed with the tallest fern.", "columns": []string{"spot"}, "candidates": list})
}

const (
	rightSQL = "SELECT b.spot FROM eu.garden.plants p JOIN eu.garden.beds b ON p.bed_id = b.bed_id WHERE p.kind = 'Fern' ORDER BY p.height_cm DESC LIMIT 1"
	otherSQL = "SELECT b.spot FROM eu.garden.plants p JOIN eu.garden.beds b ON p.bed_id = b.bed_id WHERE p.kind = 'Fern' AND p.height_cm = (SELECT max(height_cm) FROM eu.garden.plants)"
	wrongSQL = "SELECT b.spot FROM eu.garden.plants p JOIN eu.garden.beds b ON p.bed_id = b.bed_id WHERE p.sort = 'Fern'"
)

func TestOneCallIsEnough(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, writes(rightSQL+";"))
	out := d.answer(t)
	require.Equal(t, pipeline.Answered, out.Outcome, out.Reason)
	require.Equal(t, rightSQL, out.SQL)
	require.True(t, out.Validated)
	require.Equal(t, []string{"eu.garden.plants", "eu.garden.beds"}, out.Tables)
	require.Equal(t, "The spot of the bed with the tallest fern.", out.Restatement)
	require.Equal(t, "reading 1", out.Reason)
	require.GreaterOrEqual(t, out.Confidence, 0.5)
	require.Empty(t, out.Warnings)
	require.Equal(t, 1, d.calls())
	sent := d.server.Requests()[0].Raw
	for _, part := range []string{"eu.garden.plants", "kind varchar", "'Fern'", "bed_id = eu.garden.beds.bed_id", "2025-07-09", "tallest fern"} {
		require.Contains(t, sent, part)
	}
}

func TestSamplesAreToldOnlyWhereThatIsOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{Samples: llm.SamplesOff}, writes(rightSQL))
	d.answer(t)
	require.NotContains(t, d.server.Requests()[0].Raw, "Tulip")
}

// TestDataOfPersonsAreToldOnlyWhereThatIsOn: neither as samples nor as values near one
// that no row has.
func TestDataOfPersonsAreToldOnlyWhereThatIsOn(t *testing.T) {
	t.Parallel()
	for told, cfg := range map[bool]llm.Config{false: {}, true: {Personal: llm.SamplesOn}} {
		d := newDesk(t, cfg, writes(strings.Replace(rightSQL, "'Fern'", "'Fernn'", 1)), writes(rightSQL), writes(rightSQL), writes(rightSQL))
		d.task.Tables[1].Columns[2].Personal = &catalog.Personal{Kind: "name", Reason: "its name"}
		d.answer(t)
		var sent strings.Builder
		for _, r := range d.server.Requests() {
			sent.WriteString(r.Raw)
		}
		require.Equal(t, told, strings.Contains(sent.String(), "Tulip"))
		require.Equal(t, !told, strings.Contains(sent.String(), "data of persons: name"))
		require.Contains(t, sent.String(), "North", "what is not marked is told")
	}
}

func TestMalformedAnswersAreShownOnceThenRulesGoOn(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]llmtest.Answer{
		"no JSON":        {Text: "I would look at the ferns."},
		"half":           {Text: `{"outcome":"sql","candidates":[`},
		"no candidates":  says(object{"outcome": "sql", "understood": "x", "candidates": []object{}}),
		"empty SQL":      writes("  ;"),
		"ask of nothing": says(object{"outcome": "ask", "understood": "x", "question": "Which?", "options": []string{"one"}}),
		"cannot, no why": says(object{"outcome": "cannot", "understood": "x"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llm.Config{}, bad, writes(rightSQL))
			require.Equal(t, rightSQL, d.answer(t).SQL)
			require.Equal(t, 2, d.calls())

			d = newDesk(t, llm.Config{}, bad, bad)
			d.task.Question = "How many plants are there?"
			out := d.answer(t)
			require.Equal(t, pipeline.Answered, out.Outcome, out.Reason)
			require.Contains(t, out.SQL, "count(*)")
			require.Equal(t, team.CodeModelFailed, out.Warnings[0].Code)
			require.Contains(t, out.Warnings[0].Message, chat.ReasonMalformed)
		})
	}
}

func TestRulesGoOnWhereTheModelIsAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer llmtest.Answer
		reason string
	}{
		"time-out":     {llmtest.Answer{Hang: true}, chat.ReasonTimeout},
		"out of order": {llmtest.Answer{Status: 500, Text: "no"}, chat.ReasonUnavailable},
		"refusal":      {llmtest.Answer{Raw: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"I will not."}}]}`}, chat.ReasonRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llm.Config{}, c.answer)
			d.task.Question = "How many plants are there?"
			out := d.answer(t)
			require.Equal(t, pipeline.Answered, out.Outcome, out.Reason)
			require.Equal(t, team.CodeModelFailed, out.Warnings[0].Code)
			require.Contains(t, out.Warnings[0].Message, c.reason)
			require.Equal(t, 1, d.calls(), "a model that is away is asked once")
		})
	}
}

func TestABudgetThatIsSpentLeavesRules(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, writes(rightSQL))
	d.task.Question = "How many plants are there?"
	ctx := budget.With(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}}), budget.New(budget.Limits{Tokens: 10}))
	out, err := d.team.Answer(ctx, d.task)
	require.NoError(t, err)
	require.Contains(t, out.Warnings[0].Message, chat.ReasonBudgetSpent)
	require.Contains(t, out.SQL, "count(*)")
	require.Zero(t, d.calls())
}

func TestAnErrorIsRepairedByMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, writes(wrongSQL), says(object{"why": "the column is kind", "sql": rightSQL}))
	out := d.answer(t)
	require.Equal(t, rightSQL, out.SQL)
	require.Equal(t, 2, d.calls())
	require.Contains(t, d.server.Requests()[1].Raw, "COLUMN_NOT_FOUND")
	require.Contains(t, d.server.Requests()[1].Raw, "p.sort")
}

func TestRepairsEndAndTheReasonIsTold(t *testing.T) {
	t.Parallel()
	again := says(object{"why": "no idea", "sql": wrongSQL + " AND 1 = 1"})
	d := newDesk(t, llm.Config{}, writes(wrongSQL), again, says(object{"next": "give_up", "why": "nothing helps"}))
	d.task.Question = unreadable
	out := d.answer(t)
	require.Equal(t, pipeline.Abstained, out.Outcome)
	require.Empty(t, out.SQL)
	require.Contains(t, out.Reason, "sort")
	require.Equal(t, 3, d.calls())
}

func TestAMisreadQuestionIsReadAgain(t *testing.T) {
	t.Parallel()
	again := says(object{"why": "no idea", "sql": wrongSQL + " AND 1 = 1"})
	d := newDesk(t, llm.Config{}, writes(wrongSQL), again, says(object{"next": "semantic_parser", "why": "misread"}), writes(rightSQL))
	out := d.answer(t)
	require.Equal(t, rightSQL, out.SQL)
	last := d.server.Requests()[3].Raw
	require.Contains(t, last, "tried_and_failed")
	require.Contains(t, last, "COLUMN_NOT_FOUND")
}

func TestCandidatesThatDisagree(t *testing.T) {
	t.Parallel()
	north, gate := tools.Rows{Columns: []string{"spot"}, Rows: [][]any{{"North"}}}, tools.Rows{Columns: []string{"spot"}, Rows: [][]any{{"Gate"}}}
	setup := func(t *testing.T, answers ...llmtest.Answer) *desk {
		t.Helper()
		d := newDesk(t, llm.Config{}, answers...)
		d.task.Question = unreadable
		d.garden.answers["LIMIT 1"], d.garden.answers["max(height_cm)"] = north, gate
		return d
	}
	verdict := func(best int) llmtest.Answer {
		return says(object{"readings": []string{"The spot of the tallest fern.", "The spot of a fern as tall as the tallest plant."}, "best": best, "why": "x"})
	}
	t.Run("the model chooses", func(t *testing.T) {
		t.Parallel()
		d := setup(t, writes(otherSQL, rightSQL), verdict(2))
		require.Equal(t, rightSQL, d.answer(t).SQL)
		asked := d.server.Requests()[1].Raw
		require.Contains(t, asked, "query 2")
		require.NotContains(t, asked, `[\"North\"`, "values of results are not told")
	})
	t.Run("nothing tells: the asker chooses", func(t *testing.T) {
		t.Parallel()
		out := setup(t, writes(otherSQL, rightSQL), verdict(0)).answer(t)
		require.Equal(t, pipeline.Asked, out.Outcome)
		require.Empty(t, out.SQL)
		require.Equal(t, []string{"The spot of the tallest fern.", "The spot of a fern as tall as the tallest plant."}, []string{out.Options[0].Label, out.Options[1].Label})
	})
	t.Run("the majority is right", func(t *testing.T) {
		t.Parallel()
		d := setup(t, writes(otherSQL, rightSQL, strings.Replace(rightSQL, "WHERE", "WHERE 1 = 1 AND", 1)))
		require.Equal(t, rightSQL, d.answer(t).SQL)
		require.Equal(t, 1, d.calls())
	})
	t.Run("all agree", func(t *testing.T) {
		t.Parallel()
		d := setup(t, writes(otherSQL, rightSQL))
		d.garden.answers["max(height_cm)"] = north
		out := d.answer(t)
		require.Equal(t, otherSQL, out.SQL)
		require.GreaterOrEqual(t, out.Confidence, 0.85)
		require.Equal(t, 1, d.calls())
	})
	t.Run("one fails on the engine", func(t *testing.T) {
		t.Parallel()
		d := setup(t, writes(otherSQL, rightSQL))
		d.garden.answers["max(height_cm)"] = tools.Rows{}
		require.Equal(t, rightSQL, d.answer(t).SQL)
		require.Equal(t, 1, d.calls())
	})
}

// TestRulesDoNotDecideWhatTheModelIsAsked: recorded answers have to fit after the
// rules have learned to read a question, or have unlearned it.
func TestRulesDoNotDecideWhatTheModelIsAsked(t *testing.T) {
	t.Parallel()
	const all, one = "SELECT count(plant_id) AS n FROM eu.garden.plants", "SELECT count(DISTINCT kind) AS n FROM eu.garden.plants"
	chooses := says(object{"readings": []string{"kinds", "plants"}, "best": 2, "why": "plants are asked for"})
	for name, question := range map[string]string{"read by rules": "How many plants are there?", "not read": "How many smells do the plants have?"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llm.Config{}, writes(one, all), chooses)
			d.task.Question = question
			d.garden.answers["DISTINCT"] = tools.Rows{Columns: []string{"n"}, Rows: [][]any{{int64(3)}}}
			out := d.answer(t)
			require.Equal(t, all, out.SQL)
			require.Equal(t, 2, d.calls(), "the model's candidates disagree, whatever rules say")
			require.Equal(t, name == "read by rules", out.Confidence > 0.8, "rules that agree make the answer surer")
		})
	}
	t.Run("its own majority stands", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, llm.Config{}, writes(one, one+" WHERE 1 = 1"))
		d.task.Question = "How many plants are there?"
		d.garden.answers["DISTINCT"] = tools.Rows{Columns: []string{"n"}, Rows: [][]any{{int64(3)}}}
		require.Equal(t, one, d.answer(t).SQL)
		require.Equal(t, 1, d.calls())
	})
}

func TestValuesThatNoRowHasAreToldOnce(t *testing.T) {
	t.Parallel()
	misspelt := strings.Replace(rightSQL, "'Fern'", "'Ferns'", 1)
	d := newDesk(t, llm.Config{}, writes(misspelt), says(object{"why": "the stored value is Fern", "sql": rightSQL}))
	d.task.Question = unreadable
	require.Equal(t, rightSQL, d.answer(t).SQL)
	require.Contains(t, d.server.Requests()[1].Raw, "VALUE_UNKNOWN")

	inCase := strings.Replace(rightSQL, "'Fern'", "'fern'", 1)
	d = newDesk(t, llm.Config{}, writes(inCase))
	require.Equal(t, rightSQL, d.answer(t).SQL, "spelling alone needs no model")
	require.Equal(t, 1, d.calls())
}

func TestSumsOverRepeatedRowsAreToldOnce(t *testing.T) {
	t.Parallel()
	const repeats = "SELECT sum(b.size) FROM eu.garden.beds b JOIN eu.garden.plants p ON p.bed_id = b.bed_id"
	const once = "SELECT sum(b.size) FROM eu.garden.beds b WHERE b.bed_id IN (SELECT bed_id FROM eu.garden.plants)"
	setup := func(repaired string) *desk {
		d := newDesk(t, llm.Config{}, writes(repeats), says(object{"why": "plants repeat beds", "sql": repaired}))
		d.garden.tables[0].Columns = append(d.garden.tables[0].Columns, catalog.Column{Name: "size", Type: "double"})
		d.task.Question = unreadable
		return d
	}
	d := setup(once)
	out := d.answer(t)
	require.Equal(t, once, out.SQL)
	require.Empty(t, out.Warnings)
	require.Contains(t, d.server.Requests()[1].Raw, team.ClassFanOut)

	d = setup(repeats) // the model stands by it
	out = d.answer(t)
	require.Equal(t, repeats, out.SQL)
	require.Equal(t, 2, d.calls())
	require.Less(t, out.Confidence, 0.6)
	require.Equal(t, []team.Warning{{
		Code: team.ClassFanOut, Message: "eu.garden.plants has several rows for one of eu.garden.beds: sum(b.size) may count some of them more than once.",
	}}, out.Warnings)
}

func TestSelfCheck(t *testing.T) {
	t.Parallel()
	differs := says(object{"answers": "spots of ferns", "same": false, "difference": "only the tallest one is asked for"})
	all := "SELECT b.spot FROM eu.garden.plants p JOIN eu.garden.beds b ON p.bed_id = b.bed_id WHERE p.kind = 'Fern'"
	d := newDesk(t, llm.Config{SelfCheck: true}, writes(all), differs, says(object{"why": "x", "sql": rightSQL}))
	d.task.Question = unreadable
	require.Equal(t, rightSQL, d.answer(t).SQL)
	require.Contains(t, d.server.Requests()[2].Raw, team.ClassMisread)
}

func TestNothingUnguardedRuns(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"DELETE FROM eu.garden.plants", "SELECT 1; DROP TABLE eu.garden.plants", "SELECT * FROM eu.hidden.salaries", "SELECT * FROM information_schema.tables",
	} {
		d := newDesk(t, llm.Config{}, writes(sql), says(object{"why": "x", "sql": ""}), says(object{"next": "give_up", "why": "x"}))
		d.task.Question = unreadable
		out := d.answer(t)
		require.Equal(t, pipeline.Abstained, out.Outcome, sql)
		require.Empty(t, d.garden.ran, sql)
	}
}

func TestAskAndCannot(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, says(object{"outcome": "ask", "understood": "x", "question": "Tallest by what?", "options": []string{"height", "age"}}))
	d.task.Question = unreadable
	out := d.answer(t)
	require.Equal(t, pipeline.Asked, out.Outcome)
	require.Equal(t, "Tallest by what?", out.Question)
	require.Equal(t, "say:height", out.Options[0].ID)

	d = newDesk(t, llm.Config{}, writes(rightSQL))
	d.task.Chosen = out.Options[0].ID
	d.answer(t)
	require.Contains(t, d.server.Requests()[0].Raw, "the_person_chose")

	d = newDesk(t, llm.Config{}, says(object{"outcome": "cannot", "understood": "x", "missing": "No table holds smells."}))
	d.task.Question = unreadable
	out = d.answer(t)
	require.Equal(t, pipeline.Abstained, out.Outcome)
	require.Equal(t, "No table holds smells.", out.Reason)
}

// TestAModelIsToldWhatDidNotDo, and its other statement is taken; the same one is not.
func TestAModelIsToldWhatDidNotDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, writes(wrongSQL, rightSQL))
	d.task.Tried = []team.Finding{{Class: team.ClassTried, SQL: wrongSQL, Message: "the engine ran out of spoons"}}
	out := d.answer(t)
	require.Equal(t, rightSQL, out.SQL)
	require.Contains(t, d.server.Requests()[0].Raw, "the engine ran out of spoons")
	require.Contains(t, d.server.Requests()[0].Raw, "p.sort")
	require.Equal(t, 1, d.calls())
}
