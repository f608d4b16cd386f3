package team

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// board is one with the usual bounds and the words of the team.
func board(t *testing.T, task Task) *Board {
	t.Helper()
	cfg, err := Config{}.Complete()
	require.NoError(t, err)
	words, err := loadWords()
	require.NoError(t, err)
	if task.Language == "" {
		task.Language = lang.English
	}
	return &Board{Task: task, cfg: cfg, words: words}
}

// TestChoiceAgainstAModel: drafts by chance of candidates that hold or not, were run or
// not and come from rules or a model, against a choice that is written out: votes are
// counted per answer, and of as many votes the first written wins.
func TestChoiceAgainstAModel(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(11, 23)) //nolint:gosec // a test's own chance
	usual := board(t, Task{Strategy: ByModel})
	for round := range 4000 {
		b := &Board{Task: usual.Task, cfg: usual.cfg, words: usual.words}
		b.Repairs = draw.IntN(4)
		b.Draft = &Draft{By: []Strategy{ByRules, ByModel}[draw.IntN(2)]}
		run := draw.IntN(2) == 0
		var answers []string
		var problem *Finding // the first
		for i := range 1 + draw.IntN(6) {
			key := fmt.Sprint(draw.IntN(3))
			answers = append(answers, key)
			c := Candidate{SQL: fmt.Sprint("SELECT ", i), Canonical: "select " + key, By: []Strategy{ByRules, ByModel}[draw.IntN(2)], Checked: true}
			if run {
				c.Canonical = c.SQL // the result decides
				c.Result = &tools.Rows{Columns: []string{"n"}, Rows: [][]any{{key}}}
			}
			if draw.IntN(3) == 0 {
				c.Problem = &Finding{Class: fmt.Sprint("C", i)}
				if problem == nil {
					problem = c.Problem
				}
			}
			b.Draft.Candidates = append(b.Draft.Candidates, c)
		}
		list := b.Draft.Candidates
		var order []string // answers that hold, as first written
		first, votes, votesOfAll := map[string]int{}, map[string]int{}, map[string]int{}
		voted := false
		for i, c := range list {
			if c.Problem != nil {
				continue
			}
			if _, ok := first[answers[i]]; !ok {
				first[answers[i]], order = i, append(order, answers[i])
			}
			votesOfAll[answers[i]]++
			if b.Draft.By == ByRules || c.By == ByModel {
				votes[answers[i]]++
				voted = true
			}
		}
		got := Choose(b)
		if len(order) == 0 || !voted && problem != nil && b.Repairs < b.cfg.MaxRepairs {
			require.Equal(t, Verdict{Finding: *problem}, got, round)
			continue
		}
		if !voted {
			votes = votesOfAll
		}
		best := order[0]
		for _, a := range order[1:] {
			if votes[a] > votes[best] {
				best = a
			}
		}
		var apart []int
		for _, a := range order {
			if a != best {
				apart = append(apart, first[a])
			}
		}
		summary := ""
		if run {
			summary = "1 rows, 1 columns"
		}
		require.Equal(t, Verdict{OK: true, Best: first[best], Agreed: votes[best], Apart: apart, Summary: summary}, got, round)
	}
}

func TestCandidatesThatAreTheSame(t *testing.T) {
	t.Parallel()
	rows := func(v any) *tools.Rows { return &tools.Rows{Columns: []string{"n"}, Rows: [][]any{{v}}} }
	one := Candidate{SQL: "SELECT 1", Canonical: "select 1"}
	for name, c := range map[string]struct {
		a, b Candidate
		same bool
	}{
		"the same tree":               {one, Candidate{SQL: "select  1", Canonical: "select 1"}, true},
		"another tree":                {one, Candidate{SQL: "SELECT 2", Canonical: "select 2"}, false},
		"one was run, its tree is":    {Candidate{SQL: "SELECT 1", Canonical: "select 1", Result: rows(1)}, one, true},
		"both ran, other results":     {Candidate{SQL: "SELECT 1", Canonical: "select 1", Result: rows(1)}, Candidate{SQL: "SELECT 1", Canonical: "select 1", Result: rows(2)}, false},
		"both ran, other trees":       {Candidate{SQL: "SELECT 1", Canonical: "select 1", Result: rows(1)}, Candidate{SQL: "SELECT 2", Canonical: "select 2", Result: rows(1)}, true},
		"nothing is known of neither": {Candidate{}, Candidate{}, false},
	} {
		require.Equal(t, c.same, Same(&c.a, &c.b), name)
	}
}

func TestResultsInAFewWords(t *testing.T) {
	t.Parallel()
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		b := board(t, Task{Language: l})
		two := [][]any{{1, 2, 3}, {4, 5, 6}}
		columns := []string{"a", "b", "c"}
		require.Empty(t, b.summary(&Candidate{}))
		require.Equal(t, l.Pick("The result is empty.", "结果为空。"), b.summary(&Candidate{Result: &tools.Rows{Columns: columns}}))
		require.Equal(t, l.Pick("2 rows, 3 columns", "2 行，3 列"), b.summary(&Candidate{Result: &tools.Rows{Columns: columns, Rows: two}}))
		require.Equal(t, l.Pick("more than 2 rows, 3 columns", "超过 2 行，3 列"), b.summary(&Candidate{Result: &tools.Rows{Columns: columns, Rows: two, Truncated: true}}))
	}
}

// TestHowWorkEnds: what is shown of a board where it ends, for each way to end.
func TestHowWorkEnds(t *testing.T) {
	t.Parallel()
	read := pipeline.Result{
		Outcome: pipeline.Answered, SQL: "SELECT 1", Confidence: 0.8, Reason: "as read", Assumptions: []string{"of the reading"}, Intent: &intent.Intent{},
		Understood: []pipeline.Span{{Text: "one"}}, Reads: []string{"s.t"}, Labels: []pipeline.Label{{Column: "n"}}, Draft: "SELECT 0",
	}
	draft := func(list ...Candidate) *Draft { return &Draft{Outcome: pipeline.Answered, Candidates: list} }
	own := Candidate{SQL: "SELECT 1", Canonical: "select 1", By: ByRules, Confidence: 0.3, Reason: "own", Assumptions: []string{"own"}, Checked: true, Tables: []string{"s.t"}}
	other := Candidate{SQL: "SELECT 2", Canonical: "select 2", By: ByModel, Confidence: 0.6, Reason: "other", Checked: true, Tables: []string{"s.u"},
		Doubts: []Finding{{Class: ClassEmpty, Message: "nothing came", SQL: "SELECT 2"}}}
	bad := Candidate{SQL: "SELECT 3", Canonical: "select 3", Checked: true, Problem: &Finding{Class: "X"}}
	again := Candidate{SQL: "select 1 ", Canonical: "select 1", Checked: true}

	t.Run("the reading's own SQL keeps what was told of it", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{Mode: ModeValidate, Threshold: 0.5})
		b.Move, b.Reading, b.Draft, b.Verdict = Move{To: Finish}, &Reading{Result: read, Restatement: "of the reading"}, draft(own, other, bad, again), &Verdict{OK: true, Summary: "1 rows"}
		out := b.outcome()
		require.Equal(t, pipeline.Answered, out.Outcome)
		require.Equal(t, "SELECT 1", out.SQL)
		require.InDelta(t, 0.3, out.Confidence, 0, "rules ask for their threshold themselves")
		require.Equal(t, "own", out.Reason)
		require.Equal(t, []string{"own"}, out.Assumptions)
		require.Equal(t, read.Labels, out.Labels)
		require.NotNil(t, out.Intent)
		require.Empty(t, out.Result.Draft)
		require.True(t, out.Validated)
		require.Equal(t, []string{"s.t"}, out.Tables)
		require.Equal(t, "1 rows", out.Summary)
		require.Equal(t, "of the reading", out.Restatement)
		require.Empty(t, out.Warnings)
		require.Equal(t, []Candidate{own, other}, out.Candidates, "neither one with a problem nor the same one again")
	})
	t.Run("another's SQL is not told as the reading's", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{Threshold: 0.6})
		b.Move, b.Reading, b.Draft, b.Verdict = Move{To: Finish}, &Reading{Result: read, Restatement: "of the reading"}, draft(own, other), &Verdict{OK: true, Best: 1}
		b.Draft.Restatement = "of the draft"
		out := b.outcome()
		require.Equal(t, pipeline.Answered, out.Outcome)
		require.Equal(t, "SELECT 2", out.SQL)
		require.NotNil(t, out.Statement)
		require.Nil(t, out.Intent)
		require.Empty(t, out.Labels)
		require.Equal(t, read.Understood, out.Understood)
		require.Equal(t, read.Reads, out.Reads)
		require.False(t, out.Validated, "nothing was checked")
		require.Equal(t, "of the draft", out.Restatement)
		require.Equal(t, []Warning{{Code: ClassEmpty, Message: "nothing came"}}, out.Warnings)
		require.Equal(t, []Candidate{other, own}, out.Candidates)
	})
	t.Run("a model that is not sure enough", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{Threshold: 0.61})
		b.Move, b.Reading, b.Draft, b.Verdict = Move{To: Finish}, &Reading{Result: read}, draft(other), &Verdict{OK: true}
		out := b.outcome()
		require.Equal(t, pipeline.Abstained, out.Outcome)
		require.Empty(t, out.SQL)
		require.Equal(t, "SELECT 2", out.Result.Draft)
		require.Equal(t, "The question was understood but cannot be written as SQL rightly: nothing came.", out.Reason)
		require.Empty(t, out.Candidates)
		require.False(t, out.Validated)
		require.Empty(t, out.Tables)
	})
	t.Run("several meanings are asked about", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{})
		b.Move, b.Reading, b.Draft, b.Verdict = Move{To: Ask}, &Reading{Result: read}, draft(own, other), &Verdict{Ask: true, Best: 1, Apart: []int{0}}
		out := b.outcome()
		require.Equal(t, pipeline.Asked, out.Outcome)
		require.Empty(t, out.SQL)
		require.Equal(t, []pipeline.Option{{ID: "say:other", Label: "other"}, {ID: "say:own", Label: "own"}}, out.Options)
		require.Contains(t, out.Question, "more than one way")
	})
	t.Run("a draft that asks", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{})
		b.Move, b.Reading, b.Draft = Move{To: Ask}, &Reading{Result: read}, &Draft{Outcome: pipeline.Asked, Question: "which?", Options: []pipeline.Option{{ID: "a"}}}
		out := b.outcome()
		require.Equal(t, "which?", out.Question)
		require.Equal(t, []pipeline.Option{{ID: "a"}}, out.Options)
	})
	t.Run("a reading that asks", func(t *testing.T) {
		t.Parallel()
		b := board(t, Task{})
		b.Move, b.Reading = Move{To: Ask}, &Reading{Result: pipeline.Result{Outcome: pipeline.Asked, Question: "where?", Options: []pipeline.Option{{ID: "b"}}}}
		out := b.outcome()
		require.Equal(t, pipeline.Asked, out.Outcome)
		require.Equal(t, "where?", out.Question)
		require.Equal(t, []pipeline.Option{{ID: "b"}}, out.Options)
	})
	for name, c := range map[string]struct {
		reading       *Reading
		draft         *Draft
		learned       []Finding
		reason, draws string
	}{
		"one error":           {&Reading{Result: read}, draft(bad), []Finding{{Message: "m1", SQL: "SELECT 3"}}, "cannot be written as SQL rightly: m1.", "SELECT 3"},
		"one error twice":     {&Reading{Result: read}, draft(bad), []Finding{{Message: "m1", SQL: "SELECT 3"}, {Message: "m2", SQL: "SELECT 3"}}, "cannot be written as SQL rightly: m2.", "SELECT 3"},
		"errors of several":   {&Reading{Result: read}, draft(bad), []Finding{{Message: "m1", SQL: "SELECT 3"}, {Message: "m2", SQL: "SELECT 4"}}, "No SQL held. What was found last: m2.", "SELECT 4"},
		"the draft says why":  {&Reading{Result: read}, &Draft{Reason: "no such thing"}, nil, "no such thing", "SELECT 1"},
		"the reading does":    {&Reading{Result: pipeline.Result{Outcome: pipeline.Abstained, Reason: "not understood"}}, nil, nil, "not understood", ""},
		"there was no time":   {&Reading{Result: read}, nil, nil, "took too long", "SELECT 1"},
		"nor for the reading": {nil, nil, nil, "took too long", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := board(t, Task{})
			b.Move, b.Reading, b.Draft, b.Learned = Move{To: GiveUp}, c.reading, c.draft, c.learned
			out := b.outcome()
			require.Equal(t, pipeline.Abstained, out.Outcome)
			require.Contains(t, out.Reason, c.reason)
			require.Empty(t, out.SQL)
			if c.draws != "" {
				require.Equal(t, c.draws, out.Result.Draft)
			}
			if len(c.learned) > 0 {
				require.Equal(t, c.learned[len(c.learned)-1].Message, out.Doubts[len(out.Doubts)-1])
			}
		})
	}
}

func TestOptionsAreKnownByTheirWords(t *testing.T) {
	t.Parallel()
	o := SayOption("by day of order")
	words, ok := Said(o.ID)
	require.True(t, ok)
	require.Equal(t, "by day of order", words)
	_, ok = Said("metric:gmv")
	require.False(t, ok)
	long := SayOption(string(make([]rune, 500)))
	require.LessOrEqual(t, len([]rune(long.ID)), 128)
}

// TestDoubtsAboutValues: a constant that no row has is told where all values of its
// column are known, and else never; data of persons are not told to a model.
func TestDoubtsAboutValues(t *testing.T) {
	t.Parallel()
	personal := &catalog.Personal{}
	column := func(name string, distinct int64, values ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Samples: values, Distinct: distinct}
	}
	whole, part, unknown, whose := column("whole", 2, "Fern", "Ivy"), column("part", 3, "Fern", "Ivy"), column("unknown", 0, "Fern"), column("whose", 1, "Fern")
	whose.Personal = personal
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "Plant"}, Columns: []catalog.Column{whole, part, unknown, whose}}}
	for _, c := range []struct {
		constant tools.Constant
		by       Strategy
		near     []string
		told     bool
	}{
		{tools.Constant{Table: "eu.s.plant", Column: "whole", Value: "Ferns"}, ByRules, []string{"Fern"}, true},
		{tools.Constant{Table: "eu.s.Plant", Column: "whole", Value: "Oak"}, ByRules, nil, true},
		{tools.Constant{Table: "eu.s.Plant", Column: "whole", Value: "Ivy"}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.Plant", Column: "whole", Value: "Oak", Not: true}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.Plant", Column: "part", Value: "Oak"}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.Plant", Column: "unknown", Value: "Oak"}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.tree", Column: "whole", Value: "Oak"}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.Plant", Column: "none", Value: "Oak"}, ByRules, nil, false},
		{tools.Constant{Table: "eu.s.Plant", Column: "whose", Value: "Ferns"}, ByRules, []string{"Fern"}, true},
		{tools.Constant{Table: "eu.s.Plant", Column: "whose", Value: "Ferns"}, ByModel, nil, true},
		{tools.Constant{Table: "eu.s.Plant", Column: "whole", Value: "Ferns"}, ByModel, []string{"Fern"}, true},
	} {
		b := board(t, Task{Strategy: c.by, Tables: tables})
		got := b.unknownValues(&Candidate{SQL: "q", Constants: []tools.Constant{c.constant}})
		if !c.told {
			require.Empty(t, got, "%+v", c)
			continue
		}
		require.Len(t, got, 1, "%+v", c)
		require.Equal(t, Finding{Class: ClassValueUnknown, SQL: "q", Near: c.near, Message: got[0].Message}, got[0])
		require.Contains(t, got[0].Message, "'"+c.constant.Value+"'")
		for _, stored := range []string{"Fern", "Ivy"} {
			require.Equal(t, slices.Contains(c.near, stored), slices.Contains(got[0].Near, stored))
			if len(c.near) == 0 {
				require.NotContains(t, got[0].Message, stored+".")
			}
		}
	}
}

func TestNearValuesAreFewAndTheNearestFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Rome north", "Rome south", "Rome east"}, nearValues([]string{"Rame", "Rome north", "Rome south", "Rome east", "Rome west"}, "Rome"))
	require.Equal(t, []string{"ab"}, nearValues([]string{"", "ab", "yz"}, "ac"), "one letter of a short one")
	require.Empty(t, nearValues([]string{"xy"}, "ac"))
	require.Equal(t, []string{"abcdeg"}, nearValues([]string{"abcxyz", "abcdeg"}, "abcdef"))
	many := make([]string, maxCompared+1)
	for i := range many {
		many[i] = fmt.Sprint("q", i, "q")
	}
	many[maxCompared] = "Rome"
	require.Empty(t, nearValues(many, "Rome"), "the search is bounded")
	many[maxCompared-1] = "Rome"
	require.Equal(t, []string{"Rome"}, nearValues(many, "Rome"))
}

// TestMistakesAreToldInOne: the first class stands for all, and no more are told than
// the bound.
func TestMistakesAreToldInOne(t *testing.T) {
	t.Parallel()
	var problems []tools.Problem
	for i := range maxTold + 2 {
		problems = append(problems, tools.Problem{Class: fmt.Sprint("C", i), Message: fmt.Sprint("m", i)})
	}
	problems[1].Suggestions = []string{"a", "b"}
	require.Equal(t, &Finding{Class: "C0", SQL: "q", Near: []string{"a", "b"}, Message: "m0; m1 (a, b?); m2; m3; m4"}, board(t, Task{}).problem("q", problems))
}

func TestARepairedCandidateIsLookedAtAnew(t *testing.T) {
	t.Parallel()
	c := Candidate{SQL: "SELECT 1", Reason: "r", By: ByModel, Confidence: 0.5, Assumptions: []string{"a"}, Checked: true, Tables: []string{"s.t"}, Canonical: "x",
		Constants: []tools.Constant{{}}, Result: &tools.Rows{}, Problem: &Finding{}, Doubts: []Finding{{}}}
	c.Replace("SELECT 2")
	require.Equal(t, Candidate{SQL: "SELECT 2", Reason: "r", By: ByModel, Confidence: 0.45, Assumptions: []string{"a"}}, c)
}

func TestBoundsOfWork(t *testing.T) {
	t.Parallel()
	b := board(t, Task{Strategy: ByModel})
	for _, c := range [][4]int{{0, 0, 2, 2}, {1, 2, 1, 0}, {5, 1, 0, 1}} {
		b.Repairs, b.Returns = c[0], c[1]
		repairs, returns := b.Left()
		require.Equal(t, [2]int{c[2], c[3]}, [2]int{repairs, returns})
	}
	b.warn(Warning{"A", "x"})
	b.warn(Warning{"A", "y"})
	b.warn(Warning{"B", "x"})
	b.warn(Warning{"A", "x"})
	require.Equal(t, []Warning{{"A", "x"}, {"A", "y"}, {"B", "x"}}, b.warnings, "each once")
	require.Equal(t, ByModel, b.by(MemberParser))
	b.noModel(MemberParser)
	require.Equal(t, ByRules, b.by(MemberParser))
	require.Equal(t, ByModel, b.by(MemberGenerator))
	b.noModel()
	for _, m := range []string{MemberPlanner, MemberParser, MemberGenerator, MemberEvaluator} {
		require.Equal(t, ByRules, b.by(m), m)
	}
}

func TestAMemberThatFailsAgainAndAgainEndsTheWork(t *testing.T) {
	t.Parallel()
	for _, member := range []string{MemberParser, MemberGenerator, MemberEvaluator} {
		b := board(t, Task{})
		for range maxFailures {
			b.History = append(b.History, Record{Member: member}, Record{Member: member, OK: true})
		}
		move, err := RulesPlanner{}.Next(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, MemberParser, move.To, member)
		b.History = append(b.History, Record{Member: member})
		move, err = RulesPlanner{}.Next(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, GiveUp, move.To, member)
	}
}

func TestTeamsSettings(t *testing.T) {
	t.Parallel()
	full, err := Config{}.Complete()
	require.NoError(t, err)
	require.Equal(t, []int{20, 2, 2, 200}, []int{full.MaxSteps, full.MaxRepairs, full.MaxReturns, full.ProbeRows})
	for key, set := range map[string]func(*Config, int){
		"max_steps": func(c *Config, n int) { c.MaxSteps = n }, "max_repairs": func(c *Config, n int) { c.MaxRepairs = n },
		"max_returns": func(c *Config, n int) { c.MaxReturns = n }, "probe_rows": func(c *Config, n int) { c.ProbeRows = n },
	} {
		most := map[string]int{"max_steps": 100, "probe_rows": tools.MaxRows}[key]
		if most == 0 {
			most = 10
		}
		for n, ok := range map[int]bool{-1: false, most: true, most + 1: false} {
			config := full
			set(&config, n)
			_, err := config.Complete()
			require.Equal(t, ok, err == nil, "%s %d", key, n)
		}
	}
	_, err = Config{MaxTime: -1}.Complete()
	require.ErrorContains(t, err, "max_time")
	_, err = New(Config{}, Deps{Rules: Members{Planner: RulesPlanner{}}})
	require.Error(t, err)
}
