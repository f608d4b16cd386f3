package learn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/parse/learn"
)

// questions whose right drafts have "good" and whose wrong ones have "bad"; "both"
// says nothing, "seldom" is in one question alone.
func set() *learn.Set {
	s := learn.New()
	for i := range 40 {
		right := map[string]float64{"good": 1, "both": 2}
		if i == 0 {
			right["seldom"] = 1
		}
		s.Add([]map[string]float64{{"bad": 1, "both": 2}, right, {"both": 2}}, []bool{false, true, false})
	}
	return s
}

func TestFitRaisesWhatIsRight(t *testing.T) {
	t.Parallel()
	w := set().Fit(map[string]float64{"bad": 1, "kept": 3}, learn.Default())
	require.Greater(t, w["good"], 0.5)
	require.Less(t, w["bad"], w["good"])
	require.Less(t, w["bad"], 1.0)
	require.Zero(t, w["both"])
	require.Zero(t, w["seldom"], "too seldom to know")
	require.InDelta(t, 3, w["kept"], 0, "what no question has stays")
	require.Equal(t, w, set().Fit(map[string]float64{"bad": 1, "kept": 3}, learn.Default()))
}

func TestQuestionsThatTellNothingAreLeftOut(t *testing.T) {
	t.Parallel()
	s := learn.New()
	s.Add([]map[string]float64{{"a": 1}, {"b": 1}}, []bool{false, false})
	s.Add([]map[string]float64{{"a": 1}}, []bool{true})
	require.Zero(t, s.Len())
}
