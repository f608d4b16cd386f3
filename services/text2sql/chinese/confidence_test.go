package chinese_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/chinese"
)

func TestConfidence(t *testing.T) {
	t.Parallel()
	c, err := chinese.LoadConfidence()
	require.NoError(t, err)
	require.NotEmpty(t, c.Weights)
	last := 0.0
	for _, english := range []float64{0, 0.2, 0.5, 0.6, 0.8, 0.9, 0.97, 1} {
		got := c.Of(english, nil)
		require.GreaterOrEqual(t, got, last, "it rises with that in English")
		require.LessOrEqual(t, got, english, "and is never higher")
		last = got
	}
	for name, weight := range c.Weights {
		counted := c.Of(0.8, map[string]float64{name: 1})
		if weight < 0 {
			require.Less(t, counted, c.Of(0.8, nil), name)
		}
		require.Equal(t, c.Of(0.8, map[string]float64{name: 3}), c.Of(0.8, map[string]float64{name: 30}), "%s: many are no more than a few", name)
	}
}

func TestConfidenceIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	c := &chinese.Confidence{Level: -0.5, Odds: 1.25, Weights: map[string]float64{"zh/conditions": -0.25}, Training: chinese.Record{Date: "2026-01-02", Sets: []string{"a"}, Fresh: []string{"b"}, Questions: 7, Aim: 0.8}}
	var file bytes.Buffer
	require.NoError(t, c.Write(&file))
	again, err := chinese.ReadConfidence(file.Bytes())
	require.NoError(t, err)
	require.Equal(t, c, again)
	for _, bad := range []string{"level: x", "odds: -1", "odds: .nan"} {
		_, err := chinese.ReadConfidence([]byte(bad))
		require.ErrorIs(t, err, chinese.ErrConfidence, bad)
	}
}
