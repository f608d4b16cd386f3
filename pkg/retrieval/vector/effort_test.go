package vector_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

func TestEffortFollowsTheQuestion(t *testing.T) {
	t.Parallel()
	byDefault, err := vector.Efforts{}.Complete()
	require.NoError(t, err)
	own, err := vector.Efforts{Fixed: true, Default: vector.Effort{EF: 64, Threshold: -1}}.Complete()
	require.NoError(t, err)
	for _, tc := range []struct {
		name     string
		efforts  vector.Efforts
		question vector.Question
		want     vector.Effort
	}{
		{"regional", byDefault, vector.Question{Regional: true, Tokens: 5}, vector.Effort{EF: 150, NProbe: 1200, ReorderK: 200, Threshold: 500}},
		{"other", byDefault, vector.Question{Tokens: 20}, vector.Effort{EF: 250, NProbe: 1200, ReorderK: 200, Threshold: 550}},
		{"long", byDefault, vector.Question{Tokens: 21}, vector.Effort{EF: 250, NProbe: 1500, ReorderK: 300, Threshold: 550}},
		{"fixed", own, vector.Question{Tokens: 21, Regional: true}, vector.Effort{EF: 64, NProbe: 1200, ReorderK: 200, Threshold: -1}},
	} {
		require.Equal(t, tc.want, tc.efforts.For(tc.question), tc.name)
	}
	require.Equal(t, 1500, byDefault.Widest())
	require.Equal(t, vector.Effort{EF: 200, NProbe: 1200, ReorderK: 200, Threshold: 600}, byDefault.Default)
}

func TestEffortIsChecked(t *testing.T) {
	t.Parallel()
	for _, e := range []vector.Effort{{EF: -1}, {EF: 40_000}, {NProbe: 70_000}, {ReorderK: -5}} {
		_, err := vector.Efforts{Other: e}.Complete()
		require.ErrorContains(t, err, "effort other")
	}
}
