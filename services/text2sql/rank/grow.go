package rank

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Fit says how trees are grown.
type Fit struct {
	Trees int     `json:"trees"`
	Depth int     `json:"depth"`
	Rate  float64 `json:"rate"` // share of a tree's correction that counts
	L2    float64 `json:"l2"`   // pulls leaves to 0
	// Least is the weight of the rows that a leaf has at least.
	Least float64 `json:"least"`
	// Rows and Columns are the shares that a tree sees, drawn anew for each.
	Rows    float64 `json:"rows"`
	Columns float64 `json:"columns"`
}

// DefaultFit grows many small trees: deep ones learned databases by heart.
func DefaultFit() Fit {
	return Fit{Trees: 150, Depth: 4, Rate: 0.1, L2: 5, Least: 12, Rows: 0.7, Columns: 0.4}
}

// Rows are what trees are grown on: a row a reading.
type Rows struct {
	Names  []string
	Values [][]float64 // row by row, in the order of Names
	Right  []bool
	Weight []float64
}

// maxBins is how many cuts of a feature are looked at.
const maxBins = 48

// grower holds rows cut into bins, column by column.
type grower struct {
	rows  Rows
	fit   Fit
	edges [][]float64 // of a feature: values that end a bin
	bins  [][]uint8
	said  []float64 // log of odds, so far
	grad  []float64
	hess  []float64
	rng   *rand.Rand
}

// Grow fits a model without points to rows by gradient boosting on the log loss
// (Friedman 2001, with the second-order leaves of Chen and Guestrin 2016). The
// same rows and seed give the same model.
func Grow(ctx context.Context, rows Rows, fit Fit, seed uint64) (*Model, error) {
	if len(rows.Values) == 0 || len(rows.Right) != len(rows.Values) || len(rows.Weight) != len(rows.Values) {
		return nil, fmt.Errorf("grow: %d rows, %d labels, %d weights", len(rows.Values), len(rows.Right), len(rows.Weight))
	}
	g := &grower{rows: rows, fit: fit, rng: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a sample, not a secret
	g.cut()
	m := &Model{Version: Version, Features: rows.Names, Base: g.start()}
	for range fit.Trees {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("grow: %w", err)
		}
		m.Trees = append(m.Trees, g.tree())
	}
	return m, nil
}

// cut finds the bins of each feature.
func (g *grower) cut() {
	n := len(g.rows.Values)
	g.edges, g.bins = make([][]float64, len(g.rows.Names)), make([][]uint8, len(g.rows.Names))
	column := make([]float64, n)
	for f := range g.rows.Names {
		for i, row := range g.rows.Values {
			column[i] = row[f]
		}
		sorted := slices.Clone(column)
		slices.Sort(sorted)
		edges := slices.Compact(slices.Clone(sorted))
		if len(edges) > maxBins {
			edges = edges[:0]
			for b := 1; b <= maxBins; b++ {
				edges = append(edges, sorted[min(n-1, b*n/maxBins)])
			}
			edges = slices.Compact(edges)
		}
		g.edges[f] = edges
		g.bins[f] = make([]uint8, n)
		for i, v := range column {
			b, _ := slices.BinarySearch(edges, v)
			g.bins[f][i] = uint8(min(b, len(edges)-1)) //nolint:gosec // at most maxBins
		}
	}
}

func (g *grower) start() float64 {
	var right, all float64
	for i, ok := range g.rows.Right {
		all += g.rows.Weight[i]
		if ok {
			right += g.rows.Weight[i]
		}
	}
	p := min(max(right/all, 0.001), 0.999)
	base := math.Log(p / (1 - p))
	n := len(g.rows.Right)
	g.said, g.grad, g.hess = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range g.said {
		g.said[i] = base
	}
	return base
}

// tree grows one tree and adds what it says to what is said of every row.
func (g *grower) tree() Tree {
	var rows []int32
	g.slopes()
	for i := range g.said {
		if g.rng.Float64() < g.fit.Rows {
			rows = append(rows, int32(i)) //nolint:gosec // far below the bound
		}
	}
	features := g.rng.Perm(len(g.rows.Names))
	features = features[:max(1, int(g.fit.Columns*float64(len(features))))]
	slices.Sort(features)
	var t Tree
	g.grow(&t, rows, features, g.fit.Depth)
	for i := range g.said {
		g.said[i] += t.value(g.rows.Values[i])
	}
	return t
}

// slopes finds in which direction each row's score should move, and how sure that
// is.
func (g *grower) slopes() {
	for i, said := range g.said {
		p, y := sigmoid(said), 0.0
		if g.rows.Right[i] {
			y = 1
		}
		g.grad[i], g.hess[i] = g.rows.Weight[i]*(y-p), g.rows.Weight[i]*p*(1-p)
	}
}

// grow adds a node for rows, with all below it, and returns its number.
func (g *grower) grow(t *Tree, rows []int32, features []int, depth int) int {
	var sumG, sumH float64
	for _, i := range rows {
		sumG += g.grad[i]
		sumH += g.hess[i]
	}
	at := t.add(0, 0, 0)
	feature, bin := -1, 0
	if depth > 0 {
		feature, bin = g.split(rows, features, sumG, sumH)
	}
	if feature < 0 {
		t.Leaf[at] = round(g.fit.Rate * sumG / (sumH + g.fit.L2))
		return at
	}
	var left, right []int32
	for _, i := range rows {
		if int(g.bins[feature][i]) <= bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	t.Feature[at], t.At[at] = feature, g.edges[feature][bin]
	t.Left[at] = g.grow(t, left, features, depth-1)
	t.Right[at] = g.grow(t, right, features, depth-1)
	return at
}

const rounded = 1e5

func round(v float64) float64 { return math.Round(v*rounded) / rounded }

// split finds the cut that explains most; feature -1 where none explains enough.
func (g *grower) split(rows []int32, features []int, sumG, sumH float64) (feature, bin int) {
	feature = -1
	whole := sumG * sumG / (sumH + g.fit.L2)
	best := 1e-6
	var grad, hess, weight [maxBins + 1]float64
	all := 0.0
	for _, i := range rows {
		all += g.rows.Weight[i]
	}
	for _, f := range features {
		n := len(g.edges[f])
		if n < 2 {
			continue
		}
		clear(grad[:n])
		clear(hess[:n])
		clear(weight[:n])
		bins := g.bins[f]
		for _, i := range rows {
			b := bins[i]
			grad[b] += g.grad[i]
			hess[b] += g.hess[i]
			weight[b] += g.rows.Weight[i]
		}
		var leftG, leftH, left float64
		for b := range n - 1 {
			leftG, leftH, left = leftG+grad[b], leftH+hess[b], left+weight[b]
			if left < g.fit.Least || all-left < g.fit.Least {
				continue
			}
			gain := leftG*leftG/(leftH+g.fit.L2) + (sumG-leftG)*(sumG-leftG)/(sumH-leftH+g.fit.L2) - whole
			if gain > best {
				feature, bin, best = f, b, gain
			}
		}
	}
	return feature, bin
}
