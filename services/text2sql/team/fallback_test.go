package team_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// byRules works as the rules do, in a model's place, but for one member, which fails.
type byRules struct {
	team.Members
	fails string
	err   error
	asked []string
}

func (m *byRules) fail(member string) error {
	m.asked = append(m.asked, member)
	if member == m.fails {
		return m.err
	}
	return nil
}

func (m *byRules) Next(ctx context.Context, b *team.Board) (team.Move, error) {
	if err := m.fail(team.MemberPlanner); err != nil {
		return team.Move{}, err
	}
	return m.Planner.Next(ctx, b)
}

func (m *byRules) Parse(ctx context.Context, b *team.Board) (team.Reading, error) {
	if err := m.fail(team.MemberParser); err != nil {
		return team.Reading{}, err
	}
	return m.Parser.Parse(ctx, b)
}

func (m *byRules) Generate(ctx context.Context, b *team.Board) (team.Draft, error) {
	if err := m.fail(team.MemberGenerator); err != nil {
		return team.Draft{}, err
	}
	return m.Generator.Generate(ctx, b)
}

func (m *byRules) Evaluate(ctx context.Context, b *team.Board) (team.Verdict, error) {
	if err := m.fail(team.MemberEvaluator); err != nil {
		return team.Verdict{}, err
	}
	return m.Evaluator.Evaluate(ctx, b)
}

// TestRulesGoOnWhereAModelFails: whichever member's model fails, the answer is that of
// the rules, it is told once, and the others ask the model no more unless this one
// question was only too hard for one of them. What is no failure of a model ends the work.
func TestRulesGoOnWhereAModelFails(t *testing.T) {
	t.Parallel()
	s := newShed()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	rules := team.Members{Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: p}, Generator: team.RulesGenerator{}, Evaluator: team.RulesEvaluator{Tools: s.tools(t)}}
	want := answer(t, s, team.Config{}, nil, nil, team.ModeValidate)
	schema := p.Prepare(s.tables, nil)
	ask := func(fails string, failure error) (*byRules, team.Outcome, []string, error) {
		m := &byRules{Members: rules, fails: fails, err: failure}
		made, err := team.New(team.Config{}, team.Deps{Log: slog.New(slog.DiscardHandler), Rules: rules, Model: &team.Members{Planner: m, Parser: m, Generator: m, Evaluator: m}})
		require.NoError(t, err)
		var steps []string
		out, err := made.Answer(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}}), team.Task{
			Question: "How many saws are there?", Language: lang.English, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC), Strategy: team.ByModel,
			Mode: team.ModeValidate, Tables: s.tables, Schema: schema, Threshold: team.DefaultThreshold,
			Step: func(member, message string, took time.Duration) {
				require.NotEmpty(t, message, member)
				require.GreaterOrEqual(t, took, time.Duration(0))
				steps = append(steps, member)
			},
		})
		return m, out, steps, err
	}
	all := []string{team.MemberPlanner, team.MemberParser, team.MemberPlanner, team.MemberGenerator, team.MemberPlanner, team.MemberEvaluator, team.MemberPlanner}
	m, out, steps, err := ask("", nil)
	require.NoError(t, err)
	require.Equal(t, all, m.asked)
	require.Equal(t, all, steps)
	require.Empty(t, out.Warnings)
	for _, member := range []string{team.MemberPlanner, team.MemberParser, team.MemberGenerator, team.MemberEvaluator} {
		for _, reason := range []string{llm.ReasonUnavailable, llm.ReasonBusy, llm.ReasonBudgetSpent, llm.ReasonMalformed, llm.ReasonRefused} {
			m, out, _, err := ask(member, fault.New(codes.Unavailable, reason, "the model is away"))
			require.NoError(t, err, "%s %s", member, reason)
			require.Equal(t, want.SQL, out.SQL)
			require.Equal(t, []team.Warning{{Code: team.CodeModelFailed, Message: "The model did not answer (" + reason + "): rules went on without it."}}, out.Warnings)
			times, others := 0, 0
			failed := false
			for _, asked := range m.asked {
				switch {
				case asked == member:
					times++
					failed = true
				case failed:
					others++
				}
			}
			require.Equal(t, 1, times, "%s is asked no more after %s", member, reason)
			tooHard := reason == llm.ReasonMalformed || reason == llm.ReasonRefused || member == team.MemberPlanner
			require.Equal(t, tooHard, others > 0, "%s %s: %v", member, reason, m.asked)
			if member != team.MemberPlanner { // whose decision the rules make in the same step
				var classes []string
				for _, r := range out.History {
					if !r.OK {
						require.Equal(t, member, r.Member)
						classes = append(classes, r.Class)
					}
				}
				require.Equal(t, []string{reason}, classes)
			}
		}
		away := errors.New("the catalog is away")
		_, _, _, err := ask(member, away)
		require.ErrorIs(t, err, away, member)
		own := fault.New(codes.PermissionDenied, "NOT_YOURS", "it is not yours")
		_, _, _, err = ask(member, own)
		require.Equal(t, own, err, "%s: a fault comes as it is", member)
	}
}
