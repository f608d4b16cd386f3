package explain

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

// Constants of the search.
const (
	// leastEffect is the least typical deviation of an element that may stand out.
	leastEffect = 0.1
	// outlier is how probable it is that a cell is anywhere at all, of itself. It bounds
	// what one cell can say for or against an element.
	outlier = 1e-6
	// ripple is how much the cells of one cause differ from one another beyond chance, as
	// a standard deviation of deviations.
	ripple = 0.04
	// siblings is how many times further from the background than its siblings usually
	// are an element must be, and fewSiblings how few cannot say that.
	siblings, fewSiblings = 3, 5
	// surplus is by how much, in nats, the evidence for an element must beat what chance
	// gives the best of as many elements.
	surplus = 5
)

// cuboid is one grouping: a set of dimensions, as bits.
type cuboid struct {
	dimensions uint
	group      []int32 // by cell: the number of its element
	elements   int
	penalty    float64 // the logarithm of how many elements there are to choose from, and surplus
}

// found is an element that stands out.
type found struct {
	cuboid  *cuboid
	cells   []int32
	typical float64 // the median deviation of its cells
	gain    float64 // logarithm of how much better it explains its cells than chance
}

// overlaps tells whether an element has cells that would be another's, had the element
// not been found before.
func (f found) overlaps(other found) bool {
	return slices.ContainsFunc(f.cells, func(i int32) bool { return other.cuboid.group[i] == other.cuboid.group[other.cells[0]] })
}

// search finds the elements that stand out, one after another, surest first.
//
// It is of the class of RiskLoc (Kalander, 2022) and AutoRoot (Jing et al., 2021): cells
// are told apart by their deviation scores, all cells of a cause are expected to deviate
// alike (the ripple effect of HotSpot), groupings are searched from coarse to fine, and
// what a cause explains is taken away before the next is looked for. In place of a cut
// point and weights, a cell votes with the logarithm of how much more probable its
// deviation is at the element's typical deviation than at none, given how much cells of
// its size vary: a cell without much in it has no say, and a coarse element of which a
// part did not move loses to its parts, as their votes show.
type search struct {
	*table
	cuboids []*cuboid // coarse before fine
	order   []int32   // cells that are not explained yet, by deviation
	normal  []float64 // by cell: logarithm of its probability if nothing is wrong
	within  float64   // spread of the cells of a cause, beyond that of the cell
}

func newSearch(ctx context.Context, t *table) (*search, error) {
	s := &search{table: t, within: ripple, order: make([]int32, len(t.deviation)), normal: make([]float64, len(t.deviation))}
	for i := range s.order {
		s.order[i] = int32(i) //nolint:gosec // Limits.Cells bounds it
		s.normal[i] = logDensity(t.deviation[i], 0, t.spread[i])
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(t.deviation[a], t.deviation[b]) })
	return s, s.group(ctx)
}

// group numbers the elements of every grouping. That of several dimensions is made from
// that without its last one.
func (s *search) group(ctx context.Context) error {
	all := uint(1)<<len(s.keys) - 1
	byDimensions := map[uint]*cuboid{0: {group: make([]int32, len(s.deviation)), elements: 1}}
	for layer := 1; layer <= len(s.keys); layer++ {
		for dimensions := uint(1); dimensions <= all; dimensions++ {
			if bits.OnesCount(dimensions) != layer {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			last := bits.Len(dimensions) - 1
			c := byDimensions[dimensions&^(1<<last)].with(s.keys[last], len(s.values[last]))
			c.dimensions = dimensions
			c.penalty = math.Log(float64(c.elements)) + math.Log(float64(all)) + surplus
			byDimensions[dimensions] = c
			s.cuboids = append(s.cuboids, c)
		}
	}
	return nil
}

// with returns the grouping that one more dimension makes of a grouping.
func (c *cuboid) with(keys []int32, values int) *cuboid {
	finer := &cuboid{group: make([]int32, len(keys))}
	number := numbers(c.elements*values, len(keys))
	for i, key := range keys {
		finer.group[i] = number(int(c.group[i])*values+int(key), &finer.elements)
	}
	return finer
}

// sparse is how many possible elements for each cell are too many for a plain table.
const sparse = 8

// numbers returns what numbers codes below a bound in the order in which they come.
func numbers(below, cells int) func(code int, n *int) int32 {
	if below > sparse*cells {
		known := make(map[int]int32, cells)
		return func(code int, n *int) int32 {
			at, ok := known[code]
			if !ok {
				at = int32(*n) //nolint:gosec // Limits.Cells bounds it
				known[code] = at
				*n++
			}
			return at
		}
	}
	known := make([]int32, below) // one more than the number; 0: none yet
	return func(code int, n *int) int32 {
		if known[code] == 0 {
			*n++
			known[code] = int32(*n) //nolint:gosec // Limits.Cells bounds it
		}
		return known[code] - 1
	}
}

// own tells whether most of the deviation of an element is its own, and not that of a
// coarser element that it is a part of: of a value that grew more than others, every part
// did.
func (s *search) own(f found, typical map[uint][]float64) bool {
	cell := slices.IndexFunc(f.cuboid.group, func(e int32) bool { return e == f.cells[0] })
	for _, c := range s.cuboids {
		if bits.OnesCount(c.dimensions) != bits.OnesCount(f.cuboid.dimensions)-1 || c.dimensions&^f.cuboid.dimensions != 0 {
			continue
		}
		coarser := typical[c.dimensions][c.group[cell]]
		if math.Abs(f.typical-coarser) < math.Abs(f.typical)/2 {
			return false
		}
	}
	return true
}

// next returns the element that is surest to stand out, split into its parts where they
// tell more, and false where none does.
func (s *search) next(ctx context.Context) (found, bool, error) {
	var best found
	typical := make(map[uint][]float64, len(s.cuboids))
	for _, c := range s.cuboids {
		if err := ctx.Err(); err != nil {
			return found{}, false, err
		}
		typical[c.dimensions] = s.typical(c)
		for _, f := range s.standOut(c, typical[c.dimensions]) {
			if (best.cuboid == nil || f.gain-c.penalty > best.gain-best.cuboid.penalty) && s.own(f, typical) {
				best = f
			}
		}
	}
	if best.cuboid == nil {
		return best, false, nil
	}
	best.cells = s.cellsOf(best)
	return s.split(best), true, nil
}

// standOut returns the elements of a grouping whose evidence beats its penalty.
func (s *search) standOut(c *cuboid, typical []float64) []found {
	far := max(leastEffect, s.base, siblings*usualDistance(typical))
	candidates := false
	for _, m := range typical {
		candidates = candidates || math.Abs(m) >= far
	}
	if !candidates {
		return nil
	}
	gains := make([]float64, c.elements)
	for _, i := range s.order {
		if m := typical[c.group[i]]; math.Abs(m) >= far {
			gains[c.group[i]] += s.vote(i, m)
		}
	}
	var out []found
	for e, gain := range gains {
		if gain > c.penalty {
			out = append(out, found{cuboid: c, typical: typical[e], gain: gain, cells: []int32{int32(e)}}) //nolint:gosec // bounded
		}
	}
	return out
}

// typical returns the median deviation of the cells of each element, each cell weighted
// by how sure its deviation is; NaN where no cell is left.
func (s *search) typical(c *cuboid) []float64 {
	total, sum := make([]float64, c.elements), make([]float64, c.elements)
	for _, i := range s.order {
		total[c.group[i]] += 1 / square(s.spread[i])
	}
	out := make([]float64, c.elements)
	for e := range out {
		out[e] = math.NaN()
	}
	for _, i := range s.order { // in order of their deviation
		e := c.group[i]
		sum[e] += 1 / square(s.spread[i])
		if math.IsNaN(out[e]) && sum[e] >= total[e]/2 {
			out[e] = s.deviation[i]
		}
	}
	return out
}

// usualDistance is how far elements of one grouping usually are from the background. The
// lower two fifths tell it, so that many that stand out do not hide one another.
func usualDistance(typical []float64) float64 {
	var x []weighted
	for _, m := range typical {
		if !math.IsNaN(m) {
			x = append(x, weighted{math.Abs(m), 1})
		}
	}
	if len(x) < fewSiblings {
		return 0
	}
	return quantile(x, 0.4) / 0.5244
}

// vote is what a cell says for an element of a typical deviation, in nats.
func (s *search) vote(cell int32, typical float64) float64 {
	return logDensity(s.deviation[cell], typical, math.Hypot(s.spread[cell], s.within)) - s.normal[cell]
}

// logDensity is the logarithm of a normal density, with a part outlier of anything from
// -1 to 1.
func logDensity(x, mean, spread float64) float64 {
	z := (x - mean) / spread
	return math.Log((1-outlier)*math.Exp(-z*z/2)/(spread*math.Sqrt(2*math.Pi)) + outlier/2)
}

// cellsOf returns the cells of a found element, whose cells hold its number so far.
func (s *search) cellsOf(f found) []int32 {
	var cells []int32
	for _, i := range s.order {
		if f.cuboid.group[i] == f.cells[0] {
			cells = append(cells, i)
		}
	}
	return cells
}

// split returns the surest part of an element where its parts over one more dimension,
// those that stand out together, tell more than the element; else the element.
func (s *search) split(f found) found {
	for {
		best, told := found{}, f.gain-f.cuboid.penalty
		for _, c := range s.cuboids {
			if bits.OnesCount(c.dimensions) != bits.OnesCount(f.cuboid.dimensions)+1 || c.dimensions&f.cuboid.dimensions != f.cuboid.dimensions {
				continue
			}
			sum, top := s.parts(f, c)
			if sum > told {
				best, told = top, sum
			}
		}
		if best.cuboid == nil {
			return f
		}
		f = best
	}
}

// parts sums the evidence of those parts of an element that moved as it did, each less
// the penalty of its grouping, and returns the part with most. The measure of all is the
// element's own deviation: parts tell more than the element only where some of it did
// not move, and not where another cause moves a part of it further.
func (s *search) parts(f found, c *cuboid) (sum float64, top found) {
	cells := map[int32][]int32{}
	var elements []int32
	for _, i := range f.cells { // in order of their deviation
		e := c.group[i]
		if cells[e] == nil {
			elements = append(elements, e)
		}
		cells[e] = append(cells[e], i)
	}
	for _, e := range elements {
		part := found{cuboid: c, cells: cells[e], typical: f.typical}
		for _, i := range part.cells {
			part.gain += s.vote(i, part.typical)
		}
		if part.gain <= c.penalty {
			continue
		}
		sum += part.gain - c.penalty
		if top.cuboid == nil || part.gain > top.gain {
			top = part
		}
	}
	return sum, top
}

// take removes the cells of an element: they are explained.
func (s *search) take(f found) {
	gone := make(map[int32]bool, len(f.cells))
	for _, i := range f.cells {
		gone[i] = true
	}
	s.order = slices.DeleteFunc(s.order, func(i int32) bool { return gone[i] })
}

// agreement is the part of the cells of an element, weighted by how sure they are, that
// moved as it did, less the part that did not, and zero at the least.
func (s *search) agreement(f found) float64 {
	agree, all := 0.0, 0.0
	for _, i := range f.cells {
		weight := 1 / square(s.spread[i])
		all += weight
		if s.vote(i, f.typical) > 0 {
			agree += weight
		} else {
			agree -= weight
		}
	}
	return max(agree/all, 0)
}
