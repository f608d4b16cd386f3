package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestOperators compares what operators become with what numbers do.
func TestOperators(t *testing.T) {
	t.Parallel()
	holds := map[intent.Op]func(a, b int) bool{
		intent.Eq: func(a, b int) bool { return a == b }, intent.Ne: func(a, b int) bool { return a != b },
		intent.Lt: func(a, b int) bool { return a < b }, intent.Le: func(a, b int) bool { return a <= b },
		intent.Gt: func(a, b int) bool { return a > b }, intent.Ge: func(a, b int) bool { return a >= b },
	}
	for op, is := range holds {
		for _, v := range [][2]int{{1, 2}, {2, 2}, {2, 1}} {
			require.Equal(t, is(v[0], v[1]), holds[op.Turned()](-v[0], -v[1]), "%s turned", op)
			require.Equal(t, is(v[0], v[1]), !holds[op.Negated()](v[0], v[1]), "%s negated", op)
		}
		require.Equal(t, op != intent.Eq && op != intent.Ne, op.Ordered(), op)
	}
	require.True(t, intent.Between.Ordered())
	require.Equal(t, intent.Between, intent.Between.Turned())
	require.False(t, intent.In.Ordered())
	require.Equal(t, intent.In, intent.In.Negated())
}
