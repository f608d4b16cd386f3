package team

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

func rowsOf(columns int, rows ...[]any) *tools.Rows {
	return &tools.Rows{Columns: make([]string, columns), Rows: rows}
}

// TestFiguresThatRulesDoNotHave: the reader of a model's figures is told where the rules
// would have answered with others, and nowhere else.
func TestFiguresThatRulesDoNotHave(t *testing.T) {
	t.Parallel()
	const byRules = "SELECT sum(fee) FROM visits WHERE flag = 'Panama'"
	told := func(change func(b *Board, best, own *Candidate)) bool {
		b := board(t, Task{Strategy: ByModel})
		best := Candidate{SQL: "SELECT sum(fee) FROM visits", Canonical: "a", By: ByModel, Checked: true, Confidence: 1, Result: rowsOf(1, []any{1001.5})}
		own := Candidate{SQL: byRules, Canonical: "b", By: ByRules, Checked: true, Result: rowsOf(1, []any{650.5})}
		b.Reading = &Reading{Result: pipeline.Result{Outcome: pipeline.Answered, SQL: byRules}}
		b.Move, b.Verdict = Move{To: Finish}, &Verdict{OK: true}
		change(b, &best, &own)
		b.Draft = &Draft{Outcome: pipeline.Answered, By: ByModel, Candidates: []Candidate{best, own}}
		for _, w := range b.outcome().Warnings {
			if w.Code == CodeRulesDiffer {
				require.NotEmpty(t, w.Message)
				return true
			}
		}
		return false
	}
	require.True(t, told(func(*Board, *Candidate, *Candidate) {}))
	for name, change := range map[string]func(b *Board, best, own *Candidate){
		"the same figure":                 func(_ *Board, _, own *Candidate) { own.Result = rowsOf(1, []any{"1001.50"}) },
		"nothing was run":                 func(_ *Board, best, own *Candidate) { best.Result, own.Result = nil, nil },
		"the rules' was not run":          func(_ *Board, _, own *Candidate) { own.Result = nil },
		"the rules' own answer":           func(_ *Board, best, _ *Candidate) { best.By = ByRules },
		"rules would have asked":          func(b *Board, _, _ *Candidate) { b.Reading.Outcome = pipeline.Asked },
		"nothing was read":                func(b *Board, _, _ *Candidate) { b.Reading = nil },
		"another reading of the rules":    func(_ *Board, _, own *Candidate) { own.SQL = "SELECT 2" },
		"what the rules wrote has doubts": func(_ *Board, _, own *Candidate) { own.Doubts = []Finding{{Class: ClassFanOut}} },
		"what the rules wrote fails":      func(_ *Board, _, own *Candidate) { own.Problem = &Finding{Class: "X"} },
	} {
		require.False(t, told(change), name)
	}
}

func TestResultsThatTellTheSame(t *testing.T) {
	t.Parallel()
	names := rowsOf(1, []any{"North"}, []any{"South"})
	for name, c := range map[string]struct {
		a, b *tools.Rows
		same bool
	}{
		"a figure beside the names":      {names, rowsOf(2, []any{int64(3), "South"}, []any{int64(3), "North"}), true},
		"other names":                    {names, rowsOf(2, []any{int64(3), "South"}, []any{int64(3), "Pier"}), false},
		"a row less":                     {names, rowsOf(1, []any{"North"}), false},
		"a column counts once":           {rowsOf(2, []any{1, 1}), rowsOf(2, []any{1, 2}), false},
		"types and order do not count":   {rowsOf(2, []any{int64(1), "a"}), rowsOf(2, []any{"a", "1.0"}), true},
		"nobody saw the whole of a part": {names, &tools.Rows{Columns: []string{"x"}, Truncated: true}, true},
		"no rows":                        {rowsOf(1), rowsOf(2), true},
		"no rows against some":           {rowsOf(1), names, false},
	} {
		require.Equal(t, c.same, tellsTheSame(c.a, c.b), name)
		require.Equal(t, c.same, tellsTheSame(c.b, c.a), name)
	}
}
