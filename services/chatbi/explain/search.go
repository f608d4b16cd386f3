package explain

import (
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

// cuboid is one grouping: a set of dimensions, as bits. What it keeps of its elements holds
// as long as no cell of an element is taken, so that a round looks again at what
// the round before it changed, and not at all.
type cuboid struct {
	dimensions uint
	group      []int32   // by cell, in the order of search: the number of its element
	elements   []element // by number
	penalty    float64   // the logarithm of how many elements there are to choose from, and surplus
	stale      bool      // some of them are changed
	far        float64   // how far from the background an element has to be; NaN: not computed
}

// element is what a search knows of one element.
type element struct {
	total   float64 // how sure its cells are together
	most    float64 // more evidence than its cells could give, whatever its typical deviation
	typical float64 // the weighted median deviation of its cells; NaN: none is left
	gain    float64 // its evidence; NaN: not computed, or not with these cells
	first   int32   // its first cell
	left    int32   // how many cells are not taken
	changed bool    // cells were taken since, and some are left
}

// found is an element that stands out.
type found struct {
	cuboid  *cuboid
	element int32
	cells   []int32 // in the order of search
	typical float64 // the median deviation of its cells
	gain    float64 // logarithm of how much better it explains its cells than chance
}

// overlaps tells whether an element has cells that would be another's, had the element
// not been found before.
func (f found) overlaps(other found) bool {
	return slices.ContainsFunc(f.cells, func(i int32) bool { return other.cuboid.group[i] == other.element })
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
//
// Cells are kept in order of their deviation, equal ones as they come: a median is
// found in one pass over them.
type search struct {
	cuboids   []*cuboid // coarse before fine
	by        map[uint]*cuboid
	cell      []int32   // the number of the cell in the table
	deviation []float64 // as of table
	spread    []float64
	weight    []float64 // how sure the deviation is
	normal    []float64 // logarithm of its probability if nothing is wrong
	most      []float64 // what the cell says at most for an element: at its own deviation
	left      []int32   // the cells that are not explained yet
	scratch   [][]sums  // by worker, then element
	base      float64   // as of table
}

func newSearch(ctx context.Context, t *table) (*search, error) {
	n := len(t.deviation)
	s := &search{by: map[uint]*cuboid{}, cell: t.order, left: make([]int32, n), base: t.base}
	for _, x := range []*[]float64{&s.deviation, &s.spread, &s.weight, &s.normal, &s.most} {
		*x = make([]float64, n)
	}
	parts := (n + cellsOfPart - 1) / cellsOfPart
	each(parts, func(_, part int) {
		for r := part * cellsOfPart; r < min((part+1)*cellsOfPart, n); r++ {
			i := s.cell[r]
			s.left[r], s.deviation[r], s.spread[r] = int32(r), t.deviation[i], t.spread[i] //nolint:gosec // Limits.Cells bounds it
			s.weight[r] = 1 / square(t.spread[i])
			s.normal[r] = logDensity(t.deviation[i], 0, t.spread[i])
			s.most[r] = math.Log((1-outlier)/(wider(t.spread[i])*math.Sqrt(2*math.Pi))+outlier/2) - s.normal[r]
		}
	})
	keys := make([][]int32, len(t.keys))
	each(len(keys), func(_, d int) {
		keys[d] = make([]int32, n)
		for r, i := range s.cell {
			keys[d][r] = t.keys[d][i]
		}
	})
	return s, s.group(ctx, keys, t.values)
}

// group numbers the elements of every grouping. That of several dimensions is made from
// that without its last one.
func (s *search) group(ctx context.Context, keys [][]int32, values [][]string) error {
	all := uint(1)<<len(keys) - 1
	none := &cuboid{group: make([]int32, len(s.cell)), elements: make([]element, 1)}
	largest := 0
	for layer := 1; layer <= len(keys); layer++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := len(s.cuboids)
		for dimensions := uint(1); dimensions <= all; dimensions++ {
			if bits.OnesCount(dimensions) == layer {
				s.cuboids = append(s.cuboids, &cuboid{dimensions: dimensions, stale: true, far: math.NaN()})
			}
		}
		each(len(s.cuboids)-first, func(_, i int) {
			c := s.cuboids[first+i]
			last := bits.Len(c.dimensions) - 1
			coarser := none
			if layer > 1 {
				coarser = s.by[c.dimensions&^(1<<last)]
			}
			s.fill(c, coarser, keys[last], len(values[last]))
			some := 0
			for i := range c.elements {
				if c.elements[i].left > 0 {
					some++
				} else {
					c.elements[i].typical, c.elements[i].gain = math.NaN(), math.NaN()
				}
			}
			c.penalty = math.Log(float64(some)) + math.Log(float64(all)) + surplus
		})
		for _, c := range s.cuboids[first:] {
			s.by[c.dimensions] = c
			largest = max(largest, len(c.elements))
		}
	}
	s.scratch = make([][]sums, workers(len(s.cuboids)))
	for i := range s.scratch {
		s.scratch[i] = make([]sums, largest)
	}
	return nil
}

// fill numbers the elements of a grouping, which one more dimension makes of a coarser one.
func (s *search) fill(c, coarser *cuboid, keys []int32, values int) {
	group, n := s.numbered(coarser, keys, values)
	c.group, c.elements = group, make([]element, n)
	for r := len(group) - 1; r >= 0; r-- {
		e := &c.elements[group[r]]
		e.first = int32(r) //nolint:gosec // Limits.Cells bounds it
		e.left++
		e.total += s.weight[r]
		e.most += s.most[r]
		e.changed = true
	}
}

// dense is how many possible elements for each cell are few enough to be numbered without
// a look at which there are.
const dense = 2

// numbered numbers the elements that one more dimension makes of those of a grouping.
func (s *search) numbered(coarser *cuboid, keys []int32, values int) (group []int32, n int) {
	n = len(coarser.elements) * values
	if n > dense*len(keys) {
		return refine(coarser.group, len(coarser.elements), keys, values)
	}
	group = make([]int32, len(keys))
	times := int32(values) //nolint:gosec // Limits.Cells bounds it
	for r, key := range keys {
		group[r] = coarser.group[r]*times + key
	}
	return group, n
}

// rounding is how far sums may be off that are kept by subtraction.
const rounding = 1e-9

// possible tells whether an element's cells could give it the evidence that it needs.
func (e *element) possible(penalty float64) bool {
	return e.left > 0 && e.most > penalty-rounding*penalty
}

// own tells whether most of the deviation of an element is its own, and not that of a
// coarser element that it is a part of: of a value that grew more than others, every part
// did.
func (s *search) own(f found) bool {
	for last := f.cuboid.dimensions; last != 0; last &= last - 1 {
		c := s.by[f.cuboid.dimensions&^(last&-last)]
		if c == nil {
			continue
		}
		s.refresh(c, s.scratch[0])
		coarser := c.elements[c.group[f.cuboid.elements[f.element].first]].typical
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
	if err := ctx.Err(); err != nil {
		return found{}, false, err
	}
	standing := make([][]found, len(s.cuboids))
	each(len(s.cuboids), func(worker, i int) { standing[i] = s.standOut(s.cuboids[i], s.scratch[worker]) })
	for i, c := range s.cuboids {
		for _, f := range standing[i] {
			if (best.cuboid == nil || f.gain-c.penalty > best.gain-best.cuboid.penalty) && s.own(f) {
				best = f
			}
		}
	}
	if best.cuboid == nil {
		return best, false, nil
	}
	for _, r := range s.left {
		if best.cuboid.group[r] == best.element {
			best.cells = append(best.cells, r)
		}
	}
	return s.split(best), true, nil
}

// standOut returns the elements of a grouping whose evidence beats its penalty.
func (s *search) standOut(c *cuboid, scratch []sums) []found {
	if !slices.ContainsFunc(c.elements, func(e element) bool { return e.possible(c.penalty) }) {
		return nil
	}
	s.refresh(c, scratch)
	asked := false
	for i := range c.elements {
		e := &c.elements[i]
		if math.IsNaN(e.gain) && math.Abs(e.typical) >= c.far && e.possible(c.penalty) {
			e.changed, e.gain, asked = true, 0, true
		}
	}
	if asked {
		for _, r := range s.left {
			if e := &c.elements[c.group[r]]; e.changed {
				e.gain += s.vote(r, e.typical)
			}
		}
	}
	var out []found
	for i := range c.elements {
		e := &c.elements[i]
		e.changed = false
		if e.gain > c.penalty && math.Abs(e.typical) >= c.far {
			out = append(out, found{cuboid: c, element: int32(i), typical: e.typical, gain: e.gain}) //nolint:gosec // bounded
		}
	}
	return out
}

// refresh makes what a grouping keeps of its elements that of the cells that are left.
func (s *search) refresh(c *cuboid, scratch []sums) {
	if c.stale {
		c.stale = false
		s.medians(c, scratch)
	}
	if math.IsNaN(c.far) {
		c.far = max(leastEffect, s.base, siblings*usualDistance(c.elements))
	}
}

// sums are how sure the cells of an element are: half of all, and of those seen so far.
type sums struct{ half, seen float64 }

// medians finds the typical deviation of those elements that changed: the median of their cells,
// each weighted by how sure its deviation is.
func (s *search) medians(c *cuboid, scratch []sums) {
	of, missing := scratch[:len(c.elements)], 0
	for i := range c.elements {
		e := &c.elements[i]
		if !e.changed {
			of[i] = sums{half: math.Inf(1)} // is never reached
			continue
		}
		e.typical, e.gain, e.changed = math.NaN(), math.NaN(), false
		of[i] = sums{half: e.total / 2 * (1 - rounding)}
		missing++
	}
	for _, r := range s.left { // in order of their deviation
		sum := &of[c.group[r]]
		if sum.seen += s.weight[r]; sum.seen >= sum.half {
			sum.half = math.Inf(1)
			c.elements[c.group[r]].typical = s.deviation[r]
			if missing--; missing == 0 {
				return
			}
		}
	}
}

// usualDistance is how far elements of one grouping usually are from the background. The
// lower two fifths tell it, so that many that stand out do not hide one another.
func usualDistance(elements []element) float64 {
	x := make([]float64, 0, len(elements))
	for i := range elements {
		if m := elements[i].typical; !math.IsNaN(m) {
			x = append(x, math.Abs(m))
		}
	}
	if len(x) < fewSiblings {
		return 0
	}
	return lowest(x, 0.4) / 0.5244
}

// vote is what a cell says for an element of a typical deviation, in nats.
func (s *search) vote(cell int32, typical float64) float64 {
	return logDensity(s.deviation[cell], typical, wider(s.spread[cell])) - s.normal[cell]
}

// wider is the spread of the cells of one cause, each with its own.
func wider(spread float64) float64 { return math.Sqrt(spread*spread + ripple*ripple) }

// logDensity is the logarithm of a normal density, with a part outlier of anything from
// -1 to 1.
func logDensity(x, mean, spread float64) float64 {
	z := (x - mean) / spread
	return math.Log((1-outlier)*math.Exp(-z*z/2)/(spread*math.Sqrt(2*math.Pi)) + outlier/2)
}

// cellsOf returns the cells of an element as the table numbers them.
func (s *search) cellsOf(f found) []int32 {
	cells := make([]int32, len(f.cells))
	for k, r := range f.cells {
		cells[k] = s.cell[r]
	}
	return cells
}

// split returns the surest part of an element where its parts over one more dimension,
// those that stand out together, tell more than the element; else the element. The measure
// of all is the element's own deviation: parts tell more than the element only where some
// of it did not move, and not where another cause moves a part of it further.
func (s *search) split(f found) found {
	for {
		votes := make([]float64, len(f.cells))
		for k, r := range f.cells {
			votes[k] = s.vote(r, f.typical)
		}
		best, told := found{}, f.gain-f.cuboid.penalty
		for _, c := range s.cuboids {
			if bits.OnesCount(c.dimensions) != bits.OnesCount(f.cuboid.dimensions)+1 || c.dimensions&f.cuboid.dimensions != f.cuboid.dimensions {
				continue
			}
			if sum, top := s.parts(f, votes, c); sum > told {
				best, told = top, sum
			}
		}
		if best.cuboid == nil {
			return f
		}
		for _, r := range f.cells {
			if best.cuboid.group[r] == best.element {
				best.cells = append(best.cells, r)
			}
		}
		f = best
	}
}

// parts sums the evidence of those parts of an element that moved as it did, each less
// the penalty of its grouping, and returns the part with most.
func (s *search) parts(f found, votes []float64, c *cuboid) (sum float64, top found) {
	gains := s.scratch[0][:len(c.elements)]
	for _, r := range f.cells {
		gains[c.group[r]].seen = 0
	}
	for k, r := range f.cells {
		gains[c.group[r]].seen += votes[k]
	}
	for _, r := range f.cells { // parts in order of their first cell
		e := c.group[r]
		gain := gains[e].seen
		gains[e].seen = 0 // each once
		if gain <= c.penalty {
			continue
		}
		sum += gain - c.penalty
		if top.cuboid == nil || gain > top.gain {
			top = found{cuboid: c, element: e, typical: f.typical, gain: gain}
		}
	}
	return sum, top
}

// take removes the cells of an element: they are explained.
func (s *search) take(f found) {
	for _, c := range s.cuboids {
		for _, r := range f.cells {
			e := &c.elements[c.group[r]]
			e.left--
			e.total -= s.weight[r]
			e.most -= s.most[r]
			e.changed = e.left > 0
			if !e.changed {
				e.typical, e.gain = math.NaN(), math.NaN()
			}
		}
		for _, r := range f.cells {
			c.stale = c.stale || c.elements[c.group[r]].changed
		}
		c.far = math.NaN()
	}
	gone := make([]bool, len(s.cell))
	for _, r := range f.cells {
		gone[r] = true
	}
	s.left = slices.DeleteFunc(s.left, func(r int32) bool { return gone[r] })
}

// agreement is the part of the cells of an element, weighted by how sure they are, that
// moved as it did, less the part that did not, and zero at the least.
func (s *search) agreement(f found) float64 {
	agree, all := 0.0, 0.0
	for _, i := range f.cells {
		weight := s.weight[i]
		all += weight
		if s.vote(i, f.typical) > 0 {
			agree += weight
		} else {
			agree -= weight
		}
	}
	return max(agree/all, 0)
}
