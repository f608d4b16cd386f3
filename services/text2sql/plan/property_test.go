package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// drawn is a graph by chance, with the cost of each of its joins.
func drawn(random *rand.Rand) (names []string, joins []semantic.Join, cost [][]float64) {
	n := 2 + random.IntN(6)
	for i := range n {
		names = append(names, fmt.Sprintf("T%d", i))
		cost = append(cost, slices.Repeat([]float64{Unreachable}, n))
		cost[i][i] = 0
	}
	kinds := []semantic.Cardinality{"", semantic.ManyToOne, semantic.OneToMany, semantic.OneToOne, semantic.ManyToMany}
	for range random.IntN(2 * n) {
		a, b := random.IntN(n), random.IntN(n)
		if a == b {
			continue
		}
		j := semantic.Join{From: names[a], To: strings.ToLower(names[b]), Columns: []string{"x"}, ToColumns: []string{"y"}, Cardinality: kinds[random.IntN(len(kinds))]}
		c := guessedCost
		switch random.IntN(3) {
		case 0:
			j.Declared, c = true, declaredCost
		case 1:
			j.Uses, c = 1, usedCost
		}
		cost[a][b], cost[b][a] = min(cost[a][b], c), min(cost[b][a], c)
		joins = append(joins, j)
	}
	return names, joins, cost
}

// TestGraphsByChance compares distances, paths and trees with what a plain search over
// all pairs finds.
func TestGraphsByChance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 0))
	for range 400 {
		names, joins, cost := drawn(random)
		g := New(append(names, strings.ToLower(names[0])), append(joins, semantic.Join{From: names[0], To: "nowhere"}))
		for k := range names {
			for i := range names {
				for j := range names {
					cost[i][j] = min(cost[i][j], cost[i][k]+cost[k][j])
				}
			}
		}
		for i, a := range names {
			for j, b := range names {
				requirePath(t, g, a, b, cost[i][j])
			}
			require.InDelta(t, Unreachable, g.Distance(a, "nowhere"), 0)
			require.InDelta(t, Unreachable, g.Distance("nowhere", a), 0)
			require.Nil(t, g.Path("nowhere", a))
			require.Nil(t, g.Path(a, "nowhere"))
			require.False(t, g.OneRow(g.Place(a), g.Place("nowhere")))
		}
		requireTree(t, g, names[:1+random.IntN(len(names))])
	}
	require.Nil(t, New(nil, nil).Edges("x"))
	_, ok := New(nil, nil).Join(nil)
	require.False(t, ok)
}

func requirePath(t *testing.T, g *Graph, a, b string, cost float64) {
	t.Helper()
	require.InDelta(t, min(cost, Unreachable), g.Distance(strings.ToLower(a), b), 1e-9)
	path := g.Path(a, strings.ToLower(b))
	if a == b || cost >= Unreachable {
		require.Nil(t, path)
		require.False(t, g.Multiplies(a, b))
		require.False(t, g.OneRow(g.Place(a), g.Place(b)))
		return
	}
	at, sum, many := a, 0.0, false
	for _, e := range path {
		require.True(t, strings.EqualFold(at, e.From))
		require.True(t, slices.ContainsFunc(g.Edges(at), func(o Edge) bool { return strings.EqualFold(o.To, e.To) && o.Many == e.Many }))
		at, sum, many = e.To, sum+e.cost, many || e.Many
	}
	require.True(t, strings.EqualFold(at, b))
	require.InDelta(t, cost, sum, 1e-9)
	require.Equal(t, many, g.Multiplies(a, b))
	require.Equal(t, !many, g.OneRow(g.Place(a), g.Place(b)))
}

// requireTree: a tree holds each table once, each edge begins at what is there already.
func requireTree(t *testing.T, g *Graph, tables []string) {
	t.Helper()
	tree, ok := g.Join(tables)
	reachable := !slices.ContainsFunc(tables, func(name string) bool { return g.Distance(tables[0], name) >= Unreachable })
	require.Equal(t, reachable, ok)
	require.Equal(t, tables[0], tree.Root)
	in := []string{strings.ToLower(tree.Root)}
	for _, e := range tree.Edges {
		require.Contains(t, in, strings.ToLower(e.From))
		require.NotContains(t, in, strings.ToLower(e.To))
		in = append(in, strings.ToLower(e.To))
	}
	if ok {
		for _, name := range tables {
			require.Contains(t, in, strings.ToLower(name))
		}
	}
}

// TestEdgesAreSeenFromBothSides: what is many for one is one for the other.
func TestEdgesAreSeenFromBothSides(t *testing.T) {
	t.Parallel()
	for cardinality, many := range map[semantic.Cardinality][2]bool{
		"": {false, true}, semantic.ManyToOne: {false, true}, semantic.OneToMany: {true, false}, semantic.OneToOne: {false, false}, semantic.ManyToMany: {true, true},
	} {
		g := New([]string{"a", "b"}, []semantic.Join{{From: "a", To: "b", Columns: []string{"x"}, ToColumns: []string{"y"}, Cardinality: cardinality}})
		there, back := g.Edges("A")[0], g.Edges("b")[0]
		require.Equal(t, many, [2]bool{there.Many, back.Many}, cardinality)
		require.Equal(t, []string{"a", "b", "x", "y"}, []string{there.From, there.To, there.Columns[0], there.ToCols[0]})
		require.Equal(t, []string{"b", "a", "y", "x"}, []string{back.From, back.To, back.Columns[0], back.ToCols[0]})
		require.Equal(t, 1, g.Choices("b", "A"))
		require.Equal(t, 0, g.Choices("a", "a"))
	}
}
