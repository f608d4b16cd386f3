// Package plan finds how the tables of an intent are joined: the cheapest tree
// over the layer's joins, and which of its edges multiply rows.
package plan

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// Costs of an edge: a guess by names is trusted less than a declared join.
const (
	declaredCost = 1.0
	usedCost     = 1.2 // people joined so
	guessedCost  = 1.6
	// Unreachable is the distance of tables that no path joins.
	Unreachable = 1e6
)

// Graph holds tables and joins. Read-only after New.
type Graph struct {
	ids   map[string]int
	names []string
	edges [][]Edge
	dist  [][]float64 // of each table to each
	prev  [][]*Edge
}

// Edge is a join seen from one side.
type Edge struct {
	From, To string
	Columns  []string // of From
	ToCols   []string
	// Many reports that a row of From may meet several of To.
	Many bool
	cost float64
	from int
	to   int
}

// New returns the graph of a layer's joins. Tables are known by lower-case name.
func New(tables []string, joins []semantic.Join) *Graph {
	g := &Graph{ids: map[string]int{}}
	for _, t := range tables {
		g.add(t)
	}
	for _, j := range joins {
		from, okF := g.ids[strings.ToLower(j.From)]
		to, okT := g.ids[strings.ToLower(j.To)]
		if !okF || !okT {
			continue
		}
		cost := guessedCost
		if j.Declared {
			cost = declaredCost
		} else if j.Uses > 0 {
			cost = usedCost
		}
		c := j.Cardinality
		if c == "" {
			c = semantic.ManyToOne
		}
		g.edges[from] = append(g.edges[from], Edge{From: j.From, To: j.To, Columns: j.Columns, ToCols: j.ToColumns,
			Many: c == semantic.OneToMany || c == semantic.ManyToMany, cost: cost, from: from, to: to})
		g.edges[to] = append(g.edges[to], Edge{From: j.To, To: j.From, Columns: j.ToColumns, ToCols: j.Columns,
			Many: c == semantic.ManyToOne || c == semantic.ManyToMany, cost: cost, from: to, to: from})
	}
	g.measure()
	return g
}

func (g *Graph) add(table string) {
	key := strings.ToLower(table)
	if _, ok := g.ids[key]; ok {
		return
	}
	g.ids[key] = len(g.names)
	g.names = append(g.names, table)
	g.edges = append(g.edges, nil)
}

// measure fills the distances.
func (g *Graph) measure() {
	for from := range g.names {
		dist, prev := g.shortest(from)
		g.dist, g.prev = append(g.dist, dist), append(g.prev, prev)
	}
}

// shortest are the distances from one table: few edges, so the plain algorithm.
func (g *Graph) shortest(from int) (dist []float64, prev []*Edge) {
	n := len(g.names)
	dist, prev = make([]float64, n), make([]*Edge, n)
	for i := range dist {
		dist[i] = Unreachable
	}
	dist[from] = 0
	queue := []int{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for i := range g.edges[at] {
			e := &g.edges[at][i]
			if d := dist[at] + e.cost; d < dist[e.to]-1e-9 {
				dist[e.to], prev[e.to] = d, e
				queue = append(queue, e.to)
			}
		}
	}
	return dist, prev
}

// Edges are the joins of a table, seen from it.
func (g *Graph) Edges(table string) []Edge {
	i, ok := g.ids[strings.ToLower(table)]
	if !ok {
		return nil
	}
	return g.edges[i]
}

// Distance returns the cost of the path between two tables.
func (g *Graph) Distance(a, b string) float64 {
	return g.DistanceOf(g.Place(a), g.Place(b))
}

// Place is where a table stands in the graph, for DistanceOf; -1: it is not in it.
func (g *Graph) Place(table string) int {
	if i, ok := g.ids[strings.ToLower(table)]; ok {
		return i
	}
	return -1
}

// DistanceOf is Distance of two places.
func (g *Graph) DistanceOf(i, j int) float64 {
	if i < 0 || j < 0 {
		return Unreachable
	}
	return g.dist[i][j]
}

// OneRow reports whether a row of one place meets at most one of another: a path leads there, and no
// join of it multiplies rows. It is asked of each of hundreds of tables, and makes no path for that.
func (g *Graph) OneRow(i, j int) bool {
	if i == j || g.DistanceOf(i, j) >= Unreachable {
		return false
	}
	for at := j; at != i; at = g.prev[i][at].from {
		if g.prev[i][at].Many {
			return false
		}
	}
	return true
}

// Column is one column of a table.
type Column struct{ Table, Name string }

// Through returns the graph in which two tables that one of the pointing columns joins directly
// are joined by it alone: of several columns that point to the same table, the one that is meant.
func (g *Graph) Through(columns []Column) *Graph {
	through := func(e Edge) bool {
		is := func(table string, on []string) bool {
			return len(on) == 1 && slices.ContainsFunc(columns, func(c Column) bool { return strings.EqualFold(c.Table, table) && strings.EqualFold(c.Name, on[0]) })
		}
		return is(e.From, e.Columns) || is(e.To, e.ToCols)
	}
	n := &Graph{ids: g.ids, names: g.names}
	for _, edges := range g.edges {
		n.edges = append(n.edges, slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool {
			return !through(e) && slices.ContainsFunc(edges, func(o Edge) bool { return o.to == e.to && through(o) })
		}))
	}
	n.measure()
	return n
}

// Choices returns how many different joins connect two tables directly: more
// than one means that the question has to say which.
func (g *Graph) Choices(a, b string) int {
	n := 0
	for _, e := range g.edges[g.ids[strings.ToLower(a)]] {
		if strings.EqualFold(e.To, b) {
			n++
		}
	}
	return n
}

// Path returns the edges from a to b; nil where there is none or a is b.
func (g *Graph) Path(a, b string) []Edge {
	i, okA := g.ids[strings.ToLower(a)]
	j, okB := g.ids[strings.ToLower(b)]
	if !okA || !okB || i == j || g.dist[i][j] >= Unreachable {
		return nil
	}
	var path []Edge
	for at := j; at != i; {
		e := g.prev[i][at]
		path = append(path, *e)
		at = e.from
	}
	slices.Reverse(path)
	return path
}

// Tree is a join order: Root, then edges that each add the table To.
type Tree struct {
	Root  string
	Edges []Edge
}

// Join returns a tree over all tables, rooted at the first. ok is false where
// some cannot be reached.
func (g *Graph) Join(tables []string) (tree Tree, ok bool) {
	if len(tables) == 0 {
		return Tree{}, false
	}
	tree.Root = tables[0]
	in := []string{tables[0]}
	rest := slices.Clone(tables[1:])
	for len(rest) > 0 {
		type option struct {
			from, to string
			cost     float64
		}
		var options []option
		for _, to := range rest {
			for _, from := range in {
				options = append(options, option{from, to, g.Distance(from, to)})
			}
		}
		sort.SliceStable(options, func(i, j int) bool { return cmp.Less(options[i].cost, options[j].cost) })
		best := options[0]
		if best.cost >= Unreachable {
			return tree, false
		}
		for _, e := range g.Path(best.from, best.to) {
			if !containsFold(in, e.To) {
				tree.Edges = append(tree.Edges, e)
				in = append(in, e.To)
			}
		}
		rest = slices.DeleteFunc(rest, func(t string) bool { return containsFold(in, t) })
	}
	return tree, true
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

// Multiplies reports whether rows of a may repeat when b is joined.
func (g *Graph) Multiplies(a, b string) bool {
	for _, e := range g.Path(a, b) {
		if e.Many {
			return true
		}
	}
	return false
}
