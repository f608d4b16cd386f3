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

// cuboid is one grouping: a set of dimensions, as bits. What it keeps of its elements holds
// as long as no cell of an element is taken, so that a round looks again at what
// the round before it changed, and not at all.
type cuboid struct {
	dimensions uint
	group      []int32 // by cell, in the order of search: the number of its element; nil: not needed yet
	from       []int32 // by cell: a number that with the digits gives that of the element
	digits     []digit
	size       int       // how many numbers there are
	elements   []element // by number; none: no element of the grouping can ever stand out
	penalty    float64   // the logarithm of how many elements there are to choose from, and surplus
	far        float64   // how far from the background an element has to be; NaN: not computed
}

// digit is one dimension's part of the number of an element.
type digit struct {
	values int32   // how many there are
	keys   []int32 // by cell
}

// number is that of the element that has a cell.
func (c *cuboid) number(cell int32) int32 {
	if c.group != nil {
		return c.group[cell]
	}
	n := c.from[cell]
	for _, d := range c.digits {
		n = n*d.values + d.keys[cell]
	}
	return n
}

// numbers are those of the elements that have the cells.
func (c *cuboid) numbers() []int32 {
	if c.group == nil {
		c.group = slices.Clone(c.from)
		for _, d := range c.digits {
			keys := d.keys[:len(c.group)]
			for r, n := range c.group {
				c.group[r] = n*d.values + keys[r]
			}
		}
	}
	return c.group
}

// element is what a search knows of one element.
type element struct {
	total float64 // how sure its cells are together
	// up is more evidence than its cells could give where its typical deviation is up, at
	// least as far as nearest, and down where it is down.
	up, down float64
	typical  float64 // the weighted median deviation of its cells; NaN: none is left
	gain     float64 // its evidence; NaN: not computed, or not with these cells
	first    int32   // its first cell
	left     int32   // how many cells are not taken
	changed  bool    // typical is not that of the cells that are left, of which there are some
	asked    bool    // the pass over the cells that is next looks at it
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
	return slices.ContainsFunc(f.cells, func(i int32) bool { return other.cuboid.number(i) == other.element })
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
	up, down  []float64 // what the cell says at most for an element, as of element
	left      []int32   // the cells that are not explained yet
	scratch   [][]sums  // by worker, then element
	nearest   float64   // how far from the background an element has to be at least
}

func newSearch(ctx context.Context, t *table) (*search, error) {
	n := len(t.deviation)
	s := &search{by: map[uint]*cuboid{}, cell: t.order, left: make([]int32, n), nearest: max(leastEffect, t.base)}
	for _, x := range []*[]float64{&s.deviation, &s.spread, &s.weight, &s.up, &s.down} {
		*x = make([]float64, n)
	}
	parts := (n + cellsOfPart - 1) / cellsOfPart
	each(parts, func(_, part int) {
		for r := part * cellsOfPart; r < min((part+1)*cellsOfPart, n); r++ {
			i := s.cell[r]
			s.left[r], s.deviation[r], s.spread[r] = int32(r), t.deviation[i], t.spread[i] //nolint:gosec // Limits.Cells bounds it
			s.weight[r] = 1 / square(t.spread[i])
			s.up[r] = mostEvidence(t.deviation[i], t.spread[i], s.nearest)
			s.down[r] = mostEvidence(-t.deviation[i], t.spread[i], s.nearest)
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

// group numbers the elements of every grouping, coarse before fine: that of several
// dimensions is made from that without its last one. What it keeps of elements is added up
// the other way round: elements of a finer grouping, of which there are fewer than cells, are
// those of a coarser one.
func (s *search) group(ctx context.Context, keys [][]int32, values [][]string) error {
	all := uint(1)<<len(keys) - 1
	none := &cuboid{from: make([]int32, len(s.cell)), size: 1}
	var layers [][]*cuboid
	for layer := 1; layer <= len(keys); layer++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := len(s.cuboids)
		for dimensions := uint(1); dimensions <= all; dimensions++ {
			if bits.OnesCount(dimensions) == layer {
				s.cuboids = append(s.cuboids, &cuboid{dimensions: dimensions, far: math.NaN()})
			}
		}
		layers = append(layers, s.cuboids[first:])
		each(len(s.cuboids)-first, func(_, i int) {
			c := s.cuboids[first+i]
			if c.dimensions == all { // no two cells have the same keys, and each is its own element
				c.from, c.size = slices.Clone(s.left), len(s.left)
				return
			}
			last := bits.Len(c.dimensions) - 1
			coarser := none
			if layer > 1 {
				coarser = s.by[c.dimensions&^(1<<last)]
			}
			c.refine(coarser, keys[last], len(values[last]))
		})
		for _, c := range s.cuboids[first:] {
			s.by[c.dimensions] = c
		}
	}
	for _, layer := range slices.Backward(layers) {
		each(len(layer), func(_, i int) { s.fill(layer[i], all) })
	}
	largest := 0
	for _, c := range s.cuboids {
		largest = max(largest, c.size)
	}
	s.scratch = make([][]sums, workers(len(s.cuboids)))
	for i := range s.scratch {
		s.scratch[i] = make([]sums, largest)
	}
	return nil
}

// fill adds up what is kept of the elements of a grouping, when those finer than it are filled.
func (s *search) fill(c *cuboid, all uint) {
	groupings := math.Log(float64(all))
	c.penalty = math.Log(float64(len(s.cell))) + groupings + surplus
	if c.dimensions == all && !enough(max(slices.Max(s.up), slices.Max(s.down)), c.penalty) {
		return // as mostly: one cell says little
	}
	c.elements = make([]element, c.size)
	if finer := s.finer(c); finer != nil {
		for i := range finer.elements {
			part := &finer.elements[i]
			if part.left == 0 {
				continue
			}
			e := &c.elements[c.number(part.first)]
			if e.left == 0 || part.first < e.first {
				e.first = part.first
			}
			e.left, e.total = e.left+part.left, e.total+part.total
			e.up, e.down = e.up+part.up, e.down+part.down
		}
	} else {
		numbers := c.numbers()
		for r := len(numbers) - 1; r >= 0; r-- {
			e := &c.elements[numbers[r]]
			e.first = int32(r) //nolint:gosec // Limits.Cells bounds it
			e.left++
			e.total += s.weight[r]
			e.up += s.up[r]
			e.down += s.down[r]
		}
	}
	some := 0
	for i := range c.elements {
		e := &c.elements[i]
		e.typical, e.gain, e.changed = math.NaN(), math.NaN(), e.left > 0
		if e.changed {
			some++
		}
	}
	c.penalty = math.Log(float64(some)) + groupings + surplus
}

// finer returns the filled grouping by one more dimension that has the fewest elements; nil:
// there is none.
func (s *search) finer(c *cuboid) *cuboid {
	var best *cuboid
	for _, f := range s.cuboids {
		if bits.OnesCount(f.dimensions) == bits.OnesCount(c.dimensions)+1 && f.dimensions&c.dimensions == c.dimensions &&
			len(f.elements) > 0 && (best == nil || len(f.elements) < len(best.elements)) {
			best = f
		}
	}
	return best
}

// dense is how many possible elements for each cell are few enough to be numbered without
// a look at which there are.
const dense = 2

// refine numbers the elements that one more dimension makes of those of a grouping.
func (c *cuboid) refine(coarser *cuboid, keys []int32, values int) {
	c.size = coarser.size * values
	if c.size > dense*len(keys) {
		c.from, c.size = refine(coarser.numbers(), coarser.size, keys, values)
		return
	}
	c.from = coarser.from
	c.digits = append(slices.Clone(coarser.digits), digit{int32(values), keys}) //nolint:gosec // Limits.Cells bounds it
}

// rounding is how far sums may be off that are kept by subtraction.
const rounding = 1e-9

// enough tells whether evidence may beat what is asked for, but for rounding.
func enough(evidence, asked float64) bool { return evidence > asked-rounding*asked }

// most is at least the evidence that an element has; -Inf where it cannot stand out.
func (s *search) most(e *element) float64 {
	switch {
	case e.left == 0 || !e.changed && math.Abs(e.typical) < s.nearest:
		return math.Inf(-1)
	case !math.IsNaN(e.gain):
		return e.gain
	}
	return max(e.up, e.down)
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
		coarser := &c.elements[c.number(f.cuboid.elements[f.element].first)]
		if coarser.changed {
			coarser.asked = true
			s.medians(c, s.scratch[0])
		}
		if math.Abs(f.typical-coarser.typical) < math.Abs(f.typical)/2 {
			return false
		}
	}
	return true
}

// next returns the element that is surest to stand out, split into its parts where they
// tell more, and false where none does. Groupings are looked at in order of the evidence
// that they can have at most, until that is less than what was found.
func (s *search) next(ctx context.Context) (found, bool, error) {
	if err := ctx.Err(); err != nil {
		return found{}, false, err
	}
	type candidate struct {
		*cuboid
		at   int // coarse before fine
		most float64
	}
	var candidates []candidate
	for at, c := range s.cuboids {
		most := math.Inf(-1)
		for i := range c.elements {
			most = max(most, s.most(&c.elements[i]))
		}
		if enough(most, c.penalty) {
			candidates = append(candidates, candidate{c, at, most - c.penalty})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.most, a.most) })
	var best found
	surest, where := 0.0, 0
	for len(candidates) > 0 && enough(candidates[0].most, surest) {
		now := candidates[:min(len(s.scratch), len(candidates))]
		candidates = candidates[len(now):]
		standing := make([][]found, len(now))
		each(len(now), func(worker, i int) { standing[i] = s.standOut(now[i].cuboid, surest, s.scratch[worker]) })
		for i, c := range now {
			for _, f := range standing[i] {
				sure := f.gain - c.penalty
				if (sure > surest || sure == surest && c.at < where) && s.own(f) {
					best, surest, where = f, sure, c.at
				}
			}
		}
	}
	if best.cuboid == nil {
		return best, false, nil
	}
	numbers := best.cuboid.numbers()
	for _, r := range s.left {
		if numbers[r] == best.element {
			best.cells = append(best.cells, r)
		}
	}
	return s.split(best), true, nil
}

// standOut returns the elements of a grouping whose evidence beats its penalty, by as much as
// another's at least. The typical deviations of all elements, which say how far off one has to
// be, are looked for only where one has the evidence.
func (s *search) standOut(c *cuboid, by float64, scratch []sums) []found {
	for i := range c.elements {
		e := &c.elements[i]
		e.asked = e.changed && enough(s.most(e), c.penalty+by)
	}
	s.medians(c, scratch)
	s.votes(c, by)
	stands := func(e *element, far float64) bool {
		return e.gain > c.penalty && e.gain-c.penalty >= by && math.Abs(e.typical) >= far
	}
	if !slices.ContainsFunc(c.elements, func(e element) bool { return stands(&e, s.nearest) }) {
		return nil
	}
	s.refresh(c, scratch)
	var out []found
	for i := range c.elements {
		if e := &c.elements[i]; stands(e, c.far) {
			out = append(out, found{cuboid: c, element: int32(i), typical: e.typical, gain: e.gain}) //nolint:gosec // bounded
		}
	}
	return out
}

// refresh makes the typical deviations of a grouping those of the cells that are left.
func (s *search) refresh(c *cuboid, scratch []sums) {
	for i := range c.elements {
		c.elements[i].asked = c.elements[i].changed
	}
	s.medians(c, scratch)
	if math.IsNaN(c.far) {
		c.far = max(s.nearest, siblings*usualDistance(c.elements))
	}
}

// sums are how sure the cells of an element are: half of all, and of those seen so far.
type sums struct{ half, seen float64 }

// medians finds the typical deviation of those elements that are asked for: the median of their
// cells, each weighted by how sure its deviation is.
func (s *search) medians(c *cuboid, scratch []sums) {
	of, missing := scratch[:len(c.elements)], 0
	for i := range c.elements {
		e := &c.elements[i]
		if !e.asked {
			of[i] = sums{half: math.Inf(1)} // is never reached
			continue
		}
		e.typical, e.gain, e.changed, e.asked = math.NaN(), math.NaN(), false, false
		of[i] = sums{half: e.total / 2 * (1 - rounding)}
		missing++
	}
	if missing == 0 {
		return
	}
	numbers := c.numbers()
	for _, r := range s.left { // in order of their deviation
		sum := &of[numbers[r]]
		if sum.seen += s.weight[r]; sum.seen >= sum.half {
			sum.half = math.Inf(1)
			c.elements[numbers[r]].typical = s.deviation[r]
			if missing--; missing == 0 {
				return
			}
		}
	}
}

// votes adds up the evidence for those elements that are far enough from the background, may
// have enough and have none yet.
func (s *search) votes(c *cuboid, by float64) {
	missing := int32(0)
	for i := range c.elements {
		e := &c.elements[i]
		if !e.changed && math.IsNaN(e.gain) && enough(s.most(e), c.penalty+by) {
			e.asked, e.gain = true, 0
			missing += e.left
		}
	}
	if missing == 0 {
		return
	}
	numbers := c.numbers()
	for _, r := range s.left {
		if e := &c.elements[numbers[r]]; e.asked {
			e.gain += s.vote(r, e.typical)
			if missing--; missing == 0 {
				break
			}
		}
	}
	for i := range c.elements {
		c.elements[i].asked = false
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
	deviation, spread := s.deviation[cell], s.spread[cell]
	return math.Log(density(deviation, typical, wider(spread)) / density(deviation, 0, spread))
}

// Bounds of what mostEvidence tells: beyond far, in nats, the part outlier has more to say than
// the rest, and slack is more than it adds below; no cell says more than loudest.
const (
	far   = 8
	slack = 0.005
)

var loudest = math.Log(2/outlier) - math.Log(ripple*math.Sqrt(2*math.Pi)) + slack

// mostEvidence is at least what a cell says for any element whose typical deviation is nearest
// or more. It takes no logarithm: most cells are never asked what they say.
func mostEvidence(deviation, spread, nearest float64) float64 {
	against := square(deviation/spread) / 2
	if deviation < nearest {
		against -= min(square((nearest-deviation)/wider(spread))/2, far)
	}
	return min(against+slack, loudest)
}

// wider is the spread of the cells of one cause, each with its own.
func wider(spread float64) float64 { return math.Sqrt(spread*spread + ripple*ripple) }

// density is a normal density, with a part outlier of anything from -1 to 1.
func density(x, mean, spread float64) float64 {
	const root = math.Sqrt2 * math.SqrtPi
	z := (x - mean) / spread
	return (1-outlier)*math.Exp(-z*z/2)/(spread*root) + outlier/2
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
			if best.cuboid.number(r) == best.element {
				best.cells = append(best.cells, r)
			}
		}
		f = best
	}
}

// parts sums the evidence of those parts of an element that moved as it did, each less
// the penalty of its grouping, and returns the part with most.
func (s *search) parts(f found, votes []float64, c *cuboid) (sum float64, top found) {
	gains, numbers := s.scratch[0][:c.size], make([]int32, len(f.cells))
	for k, r := range f.cells {
		numbers[k] = c.number(r)
		gains[numbers[k]].seen = 0
	}
	for k, e := range numbers {
		gains[e].seen += votes[k]
	}
	for _, e := range numbers { // parts in order of their first cell
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
		if len(c.elements) == 0 {
			continue
		}
		for _, r := range f.cells {
			e := &c.elements[c.number(r)]
			e.left--
			e.total -= s.weight[r]
			e.up -= s.up[r]
			e.down -= s.down[r]
			e.changed = e.left > 0
			e.typical, e.gain = math.NaN(), math.NaN()
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
