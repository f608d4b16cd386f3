package team

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// sends is a planner that has one move.
type sends struct{ move Move }

func (s sends) Next(context.Context, *Board) (Move, error) { return s.move, nil }

// TestWhatAReturnBeginsAnew: a new reading, or a new draft, begins without the draft before,
// its verdict and its repairs, and counts as a return; other moves leave all as it is.
func TestWhatAReturnBeginsAnew(t *testing.T) {
	t.Parallel()
	failed := []Record{{Member: MemberParser}}
	for name, c := range map[string]struct {
		to      string
		reading bool
		draft   bool
		history []Record
		again   bool
	}{
		"the first reading":             {MemberParser, false, false, nil, false},
		"the first draft":               {MemberGenerator, true, false, nil, false},
		"another reading":               {MemberParser, true, true, nil, true},
		"another draft":                 {MemberGenerator, true, true, nil, true},
		"the reading that failed, anew": {MemberParser, true, true, failed, false},
		"a check":                       {MemberEvaluator, true, true, nil, false},
		"the end":                       {Finish, true, true, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := board(t, Task{})
			b.History, b.Repairs, b.Returns = c.history, 2, 1
			if c.reading {
				b.Reading = &Reading{}
			}
			if c.draft {
				b.Draft, b.Verdict = &Draft{}, &Verdict{}
			}
			cfg, err := Config{}.Complete()
			require.NoError(t, err)
			require.NoError(t, (&Team{cfg: cfg, deps: Deps{Rules: Members{Planner: sends{Move{To: c.to}}}}}).plan(t.Context(), b))
			require.Equal(t, c.to, b.Move.To)
			if c.again {
				require.Equal(t, [2]int{0, 2}, [2]int{b.Repairs, b.Returns})
				require.Nil(t, b.Draft)
				require.Nil(t, b.Verdict)
				return
			}
			require.Equal(t, [2]int{2, 1}, [2]int{b.Repairs, b.Returns})
			require.Equal(t, c.draft, b.Draft != nil)
			require.Equal(t, c.draft, b.Verdict != nil)
		})
	}
}

// TestSpellingsThatAreClear: a value is written as it is stored where exactly one stored
// value is folded to it; of two nobody knows which is meant.
func TestSpellingsThatAreClear(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "t"}, Columns: []catalog.Column{{Name: "c", Samples: []string{"Élan", "Bo", "BO", "O'Neil"}}}}}
	const sql = "SELECT 1 FROM t WHERE c IN ('elan', 'bo', 'oak', 'Bo', 'o''neil')"
	at := func(text string) tools.Constant {
		k := tools.Constant{Table: "EU.s.T", Column: "c"}
		for i := range sql {
			if len(sql)-i >= len(text) && sql[i:i+len(text)] == text {
				k.Span.Start, k.Span.End = i, i+len(text)
			}
		}
		k.Value = map[string]string{"'elan'": "elan", "'bo'": "bo", "'oak'": "oak", "'Bo'": "Bo", "'o''neil'": "o'neil"}[text]
		return k
	}
	b := board(t, Task{Tables: tables})
	c := &Candidate{SQL: sql, Constants: []tools.Constant{at("'elan'"), at("'bo'"), at("'oak'"), at("'Bo'"), at("'o''neil'")}}
	text, changed := b.spell(c)
	require.True(t, changed)
	require.Equal(t, "SELECT 1 FROM t WHERE c IN ('Élan', 'bo', 'oak', 'Bo', 'O''Neil')", text)
	c.Constants = []tools.Constant{at("'bo'"), at("'oak'"), at("'Bo'")}
	text, changed = b.spell(c)
	require.False(t, changed)
	require.Equal(t, sql, text)
}

// yard is a catalog of one table, and runs statements as a test says.
type yard struct {
	run func(sql string) (tools.Rows, error)
}

func (yard) Tables(context.Context, string, []string) ([]catalog.Table, error) {
	return []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "t"}, Columns: []catalog.Column{{Name: "a", Type: "bigint"}}}}, nil
}

func (yard) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: "eu", Schema: "s"}, nil
}

func (y yard) Execute(_ context.Context, _, sql string, _ int) (tools.Rows, error) { return y.run(sql) }

// TestWhatAModelsStatementIsHeldTo: what reads no table tells nothing of the data; rows that
// are equal to the last one are told where all rows are known; rules are trusted with both.
func TestWhatAModelsStatementIsHeldTo(t *testing.T) {
	t.Parallel()
	const ordered = "SELECT a FROM t ORDER BY a LIMIT 2"
	rows := func(n int, more bool) func(string) (tools.Rows, error) {
		return func(sql string) (tools.Rows, error) {
			r := tools.Rows{Columns: []string{"a"}, Truncated: more}
			if sql != ordered {
				n = 4
			}
			for i := range n {
				r.Rows = append(r.Rows, []any{int64(i + 1)})
			}
			return r, nil
		}
	}
	away := errors.New("away")
	for name, c := range map[string]struct {
		sql     string
		by      Strategy
		run     func(string) (tools.Rows, error)
		problem string
		doubts  []string
	}{
		"no table":             {"SELECT 7 AS n", ByModel, rows(1, false), ClassReadsNothing, nil},
		"no table, by rules":   {"SELECT 7 AS n", ByRules, rows(1, false), "", nil},
		"a table":              {"SELECT a FROM t", ByModel, rows(1, false), "", nil},
		"equal rows beyond":    {ordered, ByModel, rows(2, false), "", []string{ClassTies}},
		"equal rows, by rules": {ordered, ByRules, rows(2, false), "", nil},
		"rows that were cut":   {ordered, ByModel, rows(2, true), "", nil},
		"no order":             {"SELECT a FROM t LIMIT 2", ByModel, rows(2, false), "", nil},
		"the try itself fails": {ordered, ByModel, func(string) (tools.Rows, error) { return tools.Rows{}, away }, "-", nil},
		"only the second try fails": {ordered, ByModel, func(sql string) (tools.Rows, error) {
			if sql == ordered {
				return rows(2, false)(sql)
			}
			return tools.Rows{}, away
		}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := tools.New(tools.Deps{Catalog: yard{}, Guard: guard.New(guard.Config{}), Executor: yard{c.run}})
			require.NoError(t, err)
			b := board(t, Task{Strategy: c.by, Mode: ModeProbe})
			b.Draft = &Draft{Outcome: pipeline.Answered, Candidates: []Candidate{{SQL: c.sql, By: c.by}}}
			ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
			err = RulesEvaluator{Tools: set}.Check(ctx, b)
			if c.problem == "-" {
				require.ErrorIs(t, err, away)
				return
			}
			require.NoError(t, err)
			got := b.Draft.Candidates[0]
			require.True(t, got.Checked)
			if c.problem != "" {
				require.NotNil(t, got.Problem)
				require.Equal(t, c.problem, got.Problem.Class)
				require.Nil(t, got.Result, "it is not run")
				return
			}
			require.Nil(t, got.Problem)
			require.NotNil(t, got.Result)
			var classes []string
			for _, d := range got.Doubts {
				classes = append(classes, d.Class)
				if d.Class == ClassTies { // four rows where two are shown: the last and two more
					require.Equal(t, b.say("ties", 3), d.Message)
				}
			}
			require.Equal(t, c.doubts, classes)
		})
	}
}
