package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

func TestJoinTakesTheCheapestTree(t *testing.T) {
	t.Parallel()
	g := New([]string{"a", "b", "c", "d", "alone"}, []semantic.Join{
		{From: "b", To: "a", Columns: []string{"a_id"}, ToColumns: []string{"id"}, Declared: true},
		{From: "b", To: "c", Columns: []string{"c_id"}, ToColumns: []string{"id"}, Declared: true},
		{From: "a", To: "d", Columns: []string{"x"}, ToColumns: []string{"x"}}, // guessed
		{From: "c", To: "d", Columns: []string{"d_id"}, ToColumns: []string{"id"}, Declared: true},
	})
	tree, ok := g.Join([]string{"a", "c"})
	require.True(t, ok)
	require.Equal(t, "a", tree.Root)
	require.Equal(t, []string{"b", "c"}, []string{tree.Edges[0].To, tree.Edges[1].To})
	require.InDelta(t, 1.6, g.Distance("a", "d"), 1e-9)
	require.True(t, g.Multiplies("a", "b"), "many b for an a")
	require.False(t, g.Multiplies("b", "c"), "one c for a b")
	require.True(t, g.Multiplies("a", "c"), "over b")
	_, ok = g.Join([]string{"a", "alone"})
	require.False(t, ok)
	require.Equal(t, 1, g.Choices("a", "b"))
}
