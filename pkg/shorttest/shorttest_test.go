package shorttest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// TestWhatAShortRunLeavesOut holds for both kinds of runs, of which CI makes both.
func TestWhatAShortRunLeavesOut(t *testing.T) {
	t.Parallel()
	all := []int{1, 2, 3}
	ran := false
	t.Run("rules", func(t *testing.T) {
		shorttest.Rules(t, "what this test holds")
		ran = true
	})
	require.Equal(t, !testing.Short(), ran)
	if testing.Short() {
		require.Equal(t, []int{1, 2}, shorttest.Some(all, 2))
	} else {
		require.Equal(t, all, shorttest.Some(all, 2))
	}
	require.Equal(t, all, shorttest.Some(all, 4))
}
