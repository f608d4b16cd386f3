package team_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// TestAnEngineThatIsAwayIsToldSo: an error of the engine that is none of the SQL ends the turn with it.
func TestAnEngineThatIsAwayIsToldSo(t *testing.T) {
	t.Parallel()
	s := newShed()
	away := errors.New("the connection is gone")
	s.execute = func(string) (tools.Rows, error) { return tools.Rows{}, away }
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	made, err := team.New(team.Config{}, team.Deps{Rules: team.Members{
		Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: p}, Generator: team.RulesGenerator{}, Evaluator: team.RulesEvaluator{Tools: s.tools(t)},
	}})
	require.NoError(t, err)
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	_, err = made.Answer(ctx, team.Task{
		Question: "How many saws are there?", Language: lang.English, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC), Strategy: team.ByRules,
		Mode: team.ModeProbe, Tables: s.tables, Schema: p.Prepare(s.tables, nil), Threshold: team.DefaultThreshold,
	})
	require.ErrorIs(t, err, away)
}
