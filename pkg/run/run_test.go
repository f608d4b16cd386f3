package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInAnyGroup: one of them is enough, and nobody is in a group of nobody.
func TestInAnyGroup(t *testing.T) {
	t.Parallel()
	p := Principal{ID: "alice", Groups: []string{"sales", "ops"}}
	require.True(t, p.InAny([]string{"audit", "ops"}))
	require.False(t, p.InAny([]string{"audit"}))
	require.False(t, p.InAny(nil))
	require.False(t, Principal{ID: "alice"}.InAny([]string{""}))
}
