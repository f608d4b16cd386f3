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

// Over the column that is meant, and no other that points to the same table; the rest stays.
func TestThrough(t *testing.T) {
	t.Parallel()
	g := New([]string{"jobs", "people", "sites"}, []semantic.Join{
		{From: "jobs", To: "people", Columns: []string{"raised_by"}, ToColumns: []string{"id"}, Declared: true},
		{From: "jobs", To: "people", Columns: []string{"led_by"}, ToColumns: []string{"id"}},
		{From: "people", To: "sites", Columns: []string{"site"}, ToColumns: []string{"id"}, Declared: true},
	})
	require.Equal(t, []string{"raised_by"}, g.Path("jobs", "people")[0].Columns)
	led := g.Through([]Column{{Table: "JOBS", Name: "led_by"}})
	require.Equal(t, []string{"led_by"}, led.Path("jobs", "people")[0].Columns)
	require.Equal(t, []string{"led_by"}, led.Path("people", "jobs")[0].ToCols)
	require.Equal(t, []string{"led_by"}, led.Path("jobs", "sites")[0].Columns)
	require.Equal(t, []string{"raised_by"}, g.Path("jobs", "people")[0].Columns, "the graph itself stays")
}
