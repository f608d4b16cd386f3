package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A generator of cases with known causes, after the description of the synthetic data in
// "RiskLoc: Localization of Multi-dimensional Root Causes by Weighted Risk" (Kalander,
// 2022, section 5): leaf values from a Weibull distribution, a part of them zero; relative
// noise on one of both periods; causes in random groupings that share no value; all cells
// of a cause scaled by its severity.

// generation describes a set of cases; pairs are ranges.
type generation struct {
	sizes     []int // values of each dimension
	shape     [2]float64
	zeros     [2]float64
	noise     [2]float64
	severity  [2]float64
	deviation [2]float64
	causes    [2]int
	elements  [2]int
	growth    [2]float64 // of the whole, beside the causes; 1: none, as published
}

// business is a table as owners have them: 2,400 cells, one cause.
func business() generation {
	return generation{
		sizes: []int{8, 5, 4, 15}, shape: [2]float64{0.5, 1}, zeros: [2]float64{0, 0.25}, noise: [2]float64{0, 0.1},
		severity: [2]float64{0.2, 1}, deviation: [2]float64{0, 0.1}, causes: [2]int{1, 1}, elements: [2]int{1, 2}, growth: [2]float64{1, 1},
	}
}

// hard is the published set S: 48,000 cells, up to three causes of up to three elements.
func hard() generation {
	return generation{
		sizes: []int{10, 12, 10, 8, 5}, shape: [2]float64{0.5, 1}, zeros: [2]float64{0, 0.25}, noise: [2]float64{0, 0.25},
		severity: [2]float64{0.2, 1}, deviation: [2]float64{0, 0.1}, causes: [2]int{1, 3}, elements: [2]int{1, 3}, growth: [2]float64{1, 1},
	}
}

// planted is one cause of a case.
type planted struct {
	dimensions []int
	elements   [][]int // a value of each dimension
	severity   float64
	deviation  float64
}

func (p planted) holds(cell []int) bool {
	return slices.ContainsFunc(p.elements, func(e []int) bool {
		for k, d := range p.dimensions {
			if cell[d] != e[k] {
				return false
			}
		}
		return true
	})
}

// generate returns a case as an input of an additive metric, and what was planted, as
// texts such as "d1=3&d2=0".
func (g generation) generate(seed uint64) (Input, []string) {
	random := rand.New(rand.NewPCG(seed, 20220520))
	between := func(r [2]float64) float64 { return r[0] + (r[1]-r[0])*random.Float64() }
	whole := func(r [2]int) int { return r[0] + random.IntN(r[1]-r[0]+1) }

	shape, zeros, noise, growth := between(g.shape), between(g.zeros), between(g.noise), between(g.growth)
	in := Input{Kind: Additive}
	for d := range g.sizes {
		in.Dimensions = append(in.Dimensions, fmt.Sprintf("d%d", d))
	}
	var cells [][]int
	for cell := make([]int, len(g.sizes)); cell != nil; cell = g.following(cell) {
		value := 100 * math.Pow(-math.Log(1-random.Float64()), 1/shape)
		if random.Float64() < zeros {
			value = 0
		}
		other := max(value*(1+noise*random.NormFloat64()), 0)
		amount := Amount{Value: Pair{Before: value, After: other}}
		if random.IntN(2) == 0 {
			amount.Value = Pair{Before: other, After: value}
		}
		keys := make([]string, len(cell))
		for d, v := range cell {
			keys[d] = fmt.Sprint(v)
		}
		cells = append(cells, slices.Clone(cell))
		in.Cells = append(in.Cells, Cell{Keys: keys, Amount: amount})
	}
	var causes []planted
	for range whole(g.causes) {
		p := g.place(random, causes, whole(g.elements), func(cell []int) bool { return in.Cells[g.index(cell)].Value.Before != 0 })
		p.severity, p.deviation = between(g.severity)+noise, between(g.deviation)
		causes = append(causes, p)
	}
	// The causes go the way that chance goes, as published, so that it does not outweigh
	// them.
	var total Pair
	for _, c := range in.Cells {
		total.Before, total.After = total.Before+c.Value.Before, total.After+c.Value.After
	}
	for i := range in.Cells {
		v := &in.Cells[i].Value
		for _, p := range causes {
			if !p.holds(cells[i]) {
				continue
			}
			scale := max(1-p.severity-p.deviation*random.NormFloat64(), 0)
			if total.Change() > 0 {
				v.Before = v.After * scale
			} else {
				v.After = v.Before * scale
			}
		}
		v.After *= growth
		in.Total.Value.Before += v.Before
		in.Total.Value.After += v.After
	}
	var texts []string
	for _, p := range causes {
		for _, e := range p.elements {
			var parts []string
			for k, d := range p.dimensions {
				parts = append(parts, fmt.Sprintf("d%d=%d", d, e[k]))
			}
			texts = append(texts, strings.Join(parts, "&"))
		}
	}
	return in, texts
}

// following is the cell after one; nil after the last.
func (g generation) following(cell []int) []int {
	for d := len(cell) - 1; d >= 0; d-- {
		if cell[d]++; cell[d] < g.sizes[d] {
			return cell
		}
		cell[d] = 0
	}
	return nil
}

func (g generation) index(cell []int) int {
	at := 0
	for d, v := range cell {
		at = at*g.sizes[d] + v
	}
	return at
}

// place draws a cause: a grouping that no other cause has (but the finest), values that no
// other cause has in a dimension, elements all different, and no empty cells.
func (g generation) place(random *rand.Rand, others []planted, elements int, filled func([]int) bool) planted {
	for {
		p := planted{dimensions: random.Perm(len(g.sizes))[:1+random.IntN(len(g.sizes))]}
		slices.Sort(p.dimensions)
		finest := len(p.dimensions) == len(g.sizes)
		ok := finest || !slices.ContainsFunc(others, func(o planted) bool { return slices.Equal(o.dimensions, p.dimensions) })
		p.elements = make([][]int, elements)
		for _, d := range p.dimensions {
			var free []int
			for v := range g.sizes[d] {
				if !slices.ContainsFunc(others, func(o planted) bool { return o.uses(d, v) }) {
					free = append(free, v)
				}
			}
			if len(free) == 0 {
				ok = false
				break
			}
			for e := range p.elements {
				p.elements[e] = append(p.elements[e], free[random.IntN(len(free))])
			}
		}
		for e := range p.elements {
			ok = ok && (!finest || filled(p.elements[e])) &&
				!slices.ContainsFunc(p.elements[:e], func(o []int) bool { return slices.Equal(o, p.elements[e]) })
		}
		if ok {
			return p
		}
	}
}

func (p planted) uses(d, v int) bool {
	k := slices.Index(p.dimensions, d)
	return k >= 0 && slices.ContainsFunc(p.elements, func(e []int) bool { return e[k] == v })
}
