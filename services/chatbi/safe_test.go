package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestTextsOfAnAnswerAreText: stored values and an engine's words are in an answer; in
// whatever part of it, they reach people as text: no image, no HTML, no hidden sign.
func TestTextsOfAnAnswerAreText(t *testing.T) {
	t.Parallel()
	const bad = "a ![b](https://evil.example/x.png?q=1) <img src=x> \u202e c"
	require.NotEqual(t, bad, prose.Safe(bad))
	s := &Service{analyst: mustAnalyst(t)}
	a := Answer{
		Analysis: analyse.Output{
			Answer: bad, Warnings: []analyse.Warning{{Code: "X", Message: bad}},
			Findings: []analyse.Finding{{Kind: "k", Text: bad}},
		},
		Problem: &Problem{Code: "X", Message: bad, Line: 3, Column: 4, Suggestions: []string{"y"}},
	}
	for _, outcome := range []Outcome{OutcomeDone, OutcomeAsk, OutcomeRefused, OutcomeFailed} {
		a.Outcome = outcome
		res, err := s.fromAnswer(Query{Language: lang.English}, a)
		require.NoError(t, err)
		for part, text := range map[string]string{
			"answer": res.GetAnswer(), "warning": res.GetWarnings()[0].GetMessage(), "error": res.GetError().GetMessage(),
			"finding": res.GetFindings()[0].GetText(),
		} {
			require.Equal(t, prose.Safe(bad), text, "%s of outcome %d", part, outcome)
		}
		require.Equal(t, outcome == OutcomeAsk, res.GetQuestion() != nil)
		if outcome == OutcomeAsk {
			require.Equal(t, prose.Safe(bad), res.GetQuestion().GetText())
			require.Nil(t, res.GetCertificate(), "nothing ran that it could be of")
		}
		require.Equal(t, outcome == OutcomeDone, res.GetPage() != nil)
		require.EqualValues(t, 3, res.GetError().GetPosition().GetLine())
		require.EqualValues(t, 4, res.GetError().GetPosition().GetColumn())
		require.Equal(t, []string{"y"}, res.GetError().GetSuggestions())
	}
	a.Problem.Line = 0
	res, err := s.fromAnswer(Query{}, a)
	require.NoError(t, err)
	require.Nil(t, res.GetError().GetPosition(), "none is known")
}

func mustAnalyst(t *testing.T) *analyse.Analyst {
	t.Helper()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	return a
}
