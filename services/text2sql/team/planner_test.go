package team

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

func TestRulesPlannerDecidesFromWhatIsMissingAndWhatWentWrong(t *testing.T) {
	t.Parallel()
	answered := &Reading{Result: pipeline.Result{Outcome: pipeline.Answered, SQL: "SELECT 1"}}
	draft := &Draft{Outcome: pipeline.Answered, Candidates: []Candidate{{SQL: "SELECT 1"}}}
	bad := func(class string) *Verdict { return &Verdict{Finding: Finding{Class: class, SQL: "SELECT 1"}} }
	for name, c := range map[string]struct {
		board Board
		to    string
	}{
		"nothing is known":              {Board{}, MemberParser},
		"only the asker can say":        {Board{Reading: &Reading{Result: pipeline.Result{Outcome: pipeline.Asked}}}, Ask},
		"rules do not understand":       {Board{Reading: &Reading{Result: pipeline.Result{Outcome: pipeline.Abstained}}}, GiveUp},
		"a model may understand":        {Board{Task: Task{Strategy: ByModel}, Reading: &Reading{Result: pipeline.Result{Outcome: pipeline.Abstained}}}, MemberGenerator},
		"a refusal of the layer stands": {Board{Task: Task{Strategy: ByModel}, Reading: &Reading{Result: pipeline.Result{Outcome: pipeline.Abstained}, Settled: true}}, GiveUp},
		"no SQL yet":                    {Board{Reading: answered}, MemberGenerator},
		"not checked yet":               {Board{Reading: answered, Draft: draft}, MemberEvaluator},
		"it holds":                      {Board{Reading: answered, Draft: draft, Verdict: &Verdict{OK: true}}, Finish},
		"meanings differ":               {Board{Reading: answered, Draft: draft, Verdict: &Verdict{Ask: true}}, Ask},
		"the first error":               {Board{Reading: answered, Draft: draft, Verdict: bad("X"), Learned: []Finding{{Class: "X"}}}, MemberEvaluator},
		"the same class again":          {Board{Reading: answered, Draft: draft, Verdict: bad("X"), Repairs: 1, Learned: []Finding{{Class: "X"}, {Class: "X"}}}, MemberParser},
		"another class":                 {Board{Reading: answered, Draft: draft, Verdict: bad("Y"), Repairs: 1, Learned: []Finding{{Class: "X"}, {Class: "Y"}}}, MemberEvaluator},
		"two repairs failed":            {Board{Reading: answered, Draft: draft, Verdict: bad("Z"), Repairs: 2, Learned: []Finding{{Class: "Z"}}}, MemberParser},
		"several returns failed":        {Board{Reading: answered, Draft: draft, Verdict: bad("Z"), Repairs: 2, Returns: 2, Learned: []Finding{{Class: "Z"}}}, GiveUp},
		"nothing left to try":           {Board{Reading: answered, Draft: &Draft{Outcome: pipeline.Answered}}, GiveUp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.board
			var err error
			b.cfg, err = Config{}.Complete()
			require.NoError(t, err)
			move, err := RulesPlanner{}.Next(t.Context(), &b)
			require.NoError(t, err)
			require.Equal(t, c.to, move.To, move.Why)
			require.Equal(t, c.to == MemberEvaluator && b.Verdict != nil, move.Repair)
		})
	}
}

func TestSameResult(t *testing.T) {
	t.Parallel()
	rows := func(values ...[]any) *tools.Rows {
		return &tools.Rows{Columns: make([]string, len(values[0])), Rows: values}
	}
	for name, c := range map[string]struct {
		a, b *tools.Rows
		same bool
	}{
		"order of rows":      {rows([]any{"a"}, []any{"b"}), rows([]any{"b"}, []any{"a"}), true},
		"order of columns":   {rows([]any{"a", int64(1)}), rows([]any{int64(1), "a"}), true},
		"types of numbers":   {rows([]any{int64(2)}), rows([]any{2.0}), true},
		"decimals are texts": {rows([]any{"2.50"}), rows([]any{2.5}), true},
		"last digits":        {rows([]any{0.1 + 0.2}), rows([]any{0.3}), true},
		"a row twice":        {rows([]any{"a"}, []any{"a"}), rows([]any{"a"}), false},
		"another value":      {rows([]any{"a"}), rows([]any{"b"}), false},
		"a column more":      {rows([]any{"a", "b"}), rows([]any{"a"}), false},
		"nothing is no text": {rows([]any{nil}), rows([]any{""}), false},
	} {
		require.Equal(t, c.same, sameResult(c.a, c.b), name)
		require.Equal(t, c.same, sameResult(c.b, c.a), name)
	}
}

func TestNearValues(t *testing.T) {
	t.Parallel()
	stored := []string{"Rose", "Tulip", "Fern", "Tree fern", "Ivy"}
	require.Equal(t, []string{"Fern"}, nearValues(stored, "Ferns"))
	require.Equal(t, []string{"Fern", "Tree fern"}, nearValues(stored, "fern"))
	require.Equal(t, []string{"Tulip"}, nearValues(stored, "tullip"))
	require.Empty(t, nearValues(stored, "Oak tree house"))
	require.Empty(t, nearValues(stored, ""))
}
