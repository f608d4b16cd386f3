package rank_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/rank"
)

func TestDefaultHasARecord(t *testing.T) {
	t.Parallel()
	m, err := rank.Default()
	require.NoError(t, err)
	require.NotEmpty(t, m.Training.Data)
	require.Greater(t, m.Training.After.Questions, 1000)
	require.Greater(t, m.Training.After.Precision, 0.8, "what is answered is right, on databases that were not seen")
	require.Greater(t, m.Threshold, 0.3)
	last := 0.0
	for said := 0.0; said <= 1; said += 0.01 {
		c := m.Confidence(said)
		require.GreaterOrEqual(t, c, last)
		require.LessOrEqual(t, c, 1.0)
		last = c
	}
}

// rows are right where a is large and b is not; noise says nothing.
func rows(n int) rank.Rows {
	of := rand.New(rand.NewPCG(1, 2))
	r := rank.Rows{Names: []string{"a", "b", "noise"}}
	for range n {
		a, b := of.Float64(), float64(of.IntN(2))
		r.Values = append(r.Values, []float64{a, b, of.Float64()})
		r.Right = append(r.Right, a > 0.6 && b == 0)
		r.Weight = append(r.Weight, 1)
	}
	return r
}

func TestGrowLearnsWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	m, err := rank.Grow(t.Context(), rows(2000), rank.DefaultFit(), 7)
	require.NoError(t, err)
	cases := []struct {
		name  string
		f     rank.Features
		right bool
	}{
		{"both hold", rank.Features{"a": 0.9, "noise": 0.5}, true},
		{"a is small", rank.Features{"a": 0.2, "noise": 0.5}, false},
		{"b holds too", rank.Features{"a": 0.9, "b": 1, "noise": 0.5}, false},
		{"unknown features are left out", rank.Features{"a": 0.9, "noise": 0.5, "other": 100}, true},
		{"nothing is known", nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := m.Probability(c.f)
			require.Equal(t, c.right, p > 0.5, p)
		})
	}
	again, err := rank.Grow(t.Context(), rows(2000), rank.DefaultFit(), 7)
	require.NoError(t, err)
	require.Equal(t, m, again, "the same rows make the same model")
	_, err = rank.Grow(t.Context(), rank.Rows{}, rank.DefaultFit(), 7)
	require.ErrorContains(t, err, "0 rows")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = rank.Grow(ctx, rows(10), rank.DefaultFit(), 7)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	fit := rank.DefaultFit()
	fit.Trees = 5
	m, err := rank.Grow(t.Context(), rows(500), fit, 7)
	require.NoError(t, err)
	m.Points, m.Threshold = []rank.Point{{Said: 0.2, Right: 0.1}, {Said: 0.6, Right: 0.5}, {Said: 1, Right: 0.9}}, 0.4
	var file bytes.Buffer
	require.NoError(t, m.Write(&file))
	require.Less(t, strings.Count(file.String(), "\n"), 100, "a tree a line")
	back, err := rank.Read(&file)
	require.NoError(t, err)
	require.Equal(t, m, back)
	for said, confidence := range map[float64]float64{0: 0, 0.1: 0.05, 0.2: 0.1, 0.4: 0.3, 0.8: 0.7, 1: 0.9} {
		require.InDelta(t, confidence, back.Confidence(said), 1e-9, "%v", said)
	}
	require.InDelta(t, 0.4, (&rank.Model{}).Confidence(0.4), 1e-9, "without points what the trees say")
}

func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	const head = `{"version": 1, "features": ["a"], `
	for text, says := range map[string]string{
		"":                           "unexpected end",
		`{"version": 2}`:             "version is 2",
		head + `"threshold": 2}`:     "threshold 2",
		head + `"trees": [{}]}`:      "0 nodes",
		strings.Repeat(" ", 4<<20+1): "larger",
		head + `"trees": [{"f": [0], "t": [1], "l": [1], "r": [2], "v": [0]}]}`:                     "leads nowhere",
		head + `"trees": [{"f": [3,0,0], "t": [1,0,0], "l": [1,0,0], "r": [2,0,0], "v": [0,1,1]}]}`: "leads nowhere",
		head + `"trees": [{"f": [0,0,0], "t": [1,0,0], "l": [1,0,0], "r": [2,0,0], "v": [0,1]}]}`:   "lists of one length",
		head + `"points": [{"said": 0.5, "right": 0.5}, {"said": 0.6, "right": 0.4}]}`:              "points rise",
	} {
		_, err := rank.Read(strings.NewReader(text))
		require.ErrorIs(t, err, rank.ErrModel, text[:min(len(text), 80)])
		require.ErrorContains(t, err, says)
	}
}
