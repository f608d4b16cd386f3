package faulttest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault/faulttest"
)

// TestEveryCallFailsOnce: each call fails in one run, the calls before it do not, and
// the last run has no failure.
func TestEveryCallFailsOnce(t *testing.T) {
	t.Parallel()
	var runs [][]string
	names := faulttest.EveryCall(t, func(t *testing.T, calls *faulttest.Calls) {
		var done []string
		for _, name := range []string{"open", "write", "close"} {
			if err := calls.Next(name); err != nil {
				require.ErrorIs(t, err, faulttest.ErrInjected)
				require.ErrorContains(t, err, name)
				require.Equal(t, name, calls.Failed())
				break
			}
			done = append(done, name)
		}
		runs = append(runs, done)
		calls.Stop()
		require.NoError(t, calls.Next("after"))
	})
	require.Equal(t, []string{"open", "write", "close"}, names)
	require.Equal(t, [][]string{nil, {"open"}, {"open", "write"}, {"open", "write", "close"}}, runs)
	require.NoError(t, errors.Join((&faulttest.Calls{}).Next("any"), (&faulttest.Calls{}).Next("other")), "without a place nothing fails")
}
