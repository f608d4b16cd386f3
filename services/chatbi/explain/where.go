package explain

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

// drivers finds the causes of one change.
type drivers struct {
	*Explanation
	in         *Input
	cube       cube
	table      *table
	complement bool
}

// leastPart is the least part of what is beyond the background that a cause accounts for.
const leastPart = 0.02

// fewestCells is how few cells tell no background from what stands out.
const fewestCells = 3

// look finds the causes. Where the finest cells tell none, because each has too little in
// it, coarser groupings are asked, those of one dimension less first: what is told by no
// cell may be told by their sums.
func (d *drivers) look(ctx context.Context, limits Limits) error {
	if err := d.causes(ctx, limits); err != nil || len(d.Causes) > 0 {
		return err
	}
	for size := len(d.in.Dimensions) - 1; size > 0; size-- {
		best := drivers{}
		for subset := range uint(1) << len(d.in.Dimensions) {
			if bits.OnesCount(subset) != size {
				continue
			}
			var dimensions []int
			for k := range d.in.Dimensions {
				if subset&(1<<k) != 0 {
					dimensions = append(dimensions, k)
				}
			}
			own := *d.Explanation
			coarser := d.cube.coarser(dimensions)
			c := drivers{Explanation: &own, in: d.in, cube: coarser, table: newTable(d.in.Kind, coarser, d.complement, d.table.bySize), complement: d.complement}
			if err := c.causes(ctx, limits); err != nil {
				return err
			}
			if len(own.Causes) > 0 && (best.Explanation == nil || math.Abs(own.Causes[0].Excess) > math.Abs(best.Causes[0].Excess)) {
				best = c
			}
		}
		if best.Explanation != nil {
			*d.Explanation, d.table = *best.Explanation, best.table
			return nil
		}
	}
	if c, ok := d.dominant(); ok {
		d.Causes = []Cause{c}
	}
	return nil
}

// causes finds the elements that stand out and account for something, and puts those of
// one grouping that moved the same way into one cause.
func (d *drivers) causes(ctx context.Context, limits Limits) error {
	if len(d.table.deviation) < fewestCells {
		return nil
	}
	s, err := newSearch(ctx, d.table)
	if err != nil {
		return err
	}
	var elements []standing
	for range limits.Elements {
		f, ok, err := s.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		stands := standing{found: f, Element: d.element(f.cuboid.dimensions, s.cellsOf(f)), score: s.agreement(f)}
		for _, other := range elements {
			if other.overlaps(f) {
				stands.Without = append(stands.Without, other.Places)
			}
		}
		elements = append(elements, stands)
		s.take(f)
	}
	d.Causes = d.together(d.material(elements))
	d.Causes = d.Causes[:min(len(d.Causes), limits.Causes)]
	return nil
}

// standing is a found element with its figures.
type standing struct {
	found
	Element
	score float64
}

// material keeps elements that account for a part of the change that matters: of what is
// beyond the background and, where the change is one of the usual, more than usual changes.
func (d *drivers) material(elements []standing) []standing {
	gross := 0.0
	for _, e := range elements {
		gross += math.Abs(e.Excess)
	}
	least := leastPart * max(gross, math.Abs(d.Metric.Change()-d.movement()))
	if d.Usual != nil && d.isUsual() {
		least = max(least, (d.Usual.High-d.Usual.Low)/2*math.Abs(d.Metric.Before))
	}
	return slices.DeleteFunc(elements, func(e standing) bool { return math.Abs(e.Excess) < least })
}

// together makes causes of elements, most first.
func (d *drivers) together(elements []standing) []Cause {
	type kind struct {
		dimensions uint
		up         bool
	}
	var order []kind
	members := map[kind][]standing{}
	for _, e := range elements {
		k := kind{e.cuboid.dimensions, e.Excess > 0}
		if members[k] == nil {
			order = append(order, k)
		}
		members[k] = append(members[k], e)
	}
	causes := make([]Cause, 0, len(order))
	for _, k := range order {
		slices.SortStableFunc(members[k], func(a, b standing) int { return cmp.Compare(math.Abs(b.Excess), math.Abs(a.Excess)) })
		var c Cause
		cells := 0
		for _, e := range members[k] {
			c.Elements = append(c.Elements, e.Element)
			c.Accounts, c.Excess, c.Share = c.Accounts+e.Accounts, c.Excess+e.Excess, c.Share+e.Share
			c.Score += e.score * float64(len(e.cells))
			cells += len(e.cells)
		}
		c.Score /= float64(cells)
		for _, p := range c.Elements[0].Places {
			c.Dimensions = append(c.Dimensions, p.Dimension)
		}
		causes = append(causes, c)
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(math.Abs(b.Excess), math.Abs(a.Excess)) })
	return causes
}

// element describes the group of some cells.
func (d *drivers) element(dimensions uint, cells []int32) Element {
	var e Element
	expected := 0.0 // of what is compared
	for _, i := range cells {
		e.Amount = e.plus(d.table.amount(i))
		expected += d.table.growth * d.table.before[i]
	}
	for k, id := range d.table.dimensions {
		if dimensions&(1<<k) != 0 {
			e.Places = append(e.Places, Place{id, d.table.values[k][d.table.keys[k][cells[0]]]})
		}
	}
	d.figures(&e, expected)
	return e
}

// figures fills in what follows from an element's amount and what was expected of it.
func (d *drivers) figures(e *Element, expected float64) {
	e.Metric, e.Expected, e.Accounts = e.Value, expected, e.Value.Change()
	e.Excess = e.Value.After - expected
	e.New, e.Gone = e.Value.Before == 0 && e.Value.After != 0, e.Value.Before != 0 && e.Value.After == 0
	if d.in.Kind == Ratio {
		if d.complement {
			expected = e.Base.After - expected
		}
		rate, shift := rateAndShift(e.Amount, d.in.Total)
		e.Metric, e.Accounts = quotients(e.Amount), rate+shift
		e.Expected = quotient(expected, e.Base.After)
		e.Excess = quotient(e.Value.After-expected, d.in.Total.Base.After)
		e.New, e.Gone = e.Base.Before == 0 && e.Base.After != 0, e.Base.Before != 0 && e.Base.After == 0
	}
	if change := d.Metric.Change(); change != 0 {
		e.Share = e.Accounts / change
	}
}

// movement is what the background's growth alone makes of the metric.
func (d *drivers) movement() float64 {
	if d.in.Kind != Ratio {
		return (d.table.growth - 1) * d.Metric.Before
	}
	moved := 0.0
	for _, b := range d.table.before {
		moved += (d.table.growth - 1) * b
	}
	if d.complement {
		moved = -moved
	}
	return quotient(moved, d.in.Total.Base.After)
}

// growth of the background in terms of the metric: where what is not in quotients was
// searched, it is that of the quotients.
func (d *drivers) growth() float64 {
	if !d.complement {
		return d.table.growth
	}
	var not, base float64
	for i, b := range d.table.before {
		not, base = not+b, base+d.table.amount(int32(i)).Base.After //nolint:gosec // Limits.Cells bounds it
	}
	if base <= not {
		return 1
	}
	return (base - d.table.growth*not) / (base - not)
}

// tellingElements is how many elements are told.
const tellingElements = 3

// telling returns the elements of causes with the greatest excess; without causes, those
// values of the most uneven dimension that account for most.
func (d *drivers) telling() []Element {
	var out []Element
	for _, c := range d.Causes {
		out = append(out, c.Elements...)
	}
	by := func(e Element) float64 { return e.Excess }
	if len(out) == 0 {
		uneven := -1.0
		for k := range d.table.dimensions {
			values := d.valuesOf(k)
			if len(values) < 2 {
				continue // its one value is the whole, and tells nothing
			}
			sum := 0.0
			for _, e := range values {
				sum += math.Abs(e.Excess)
			}
			if sum > uneven {
				uneven, out = sum, values
			}
		}
		by = func(e Element) float64 { return e.Accounts }
	}
	slices.SortStableFunc(out, func(a, b Element) int { return cmp.Compare(math.Abs(by(b)), math.Abs(by(a))) })
	return out[:min(len(out), tellingElements)]
}

// valuesOf describes every value of one dimension.
func (d *drivers) valuesOf(dimension int) []Element {
	cells := make([][]int32, len(d.table.values[dimension]))
	for i, key := range d.table.keys[dimension] {
		cells[key] = append(cells[key], int32(i)) //nolint:gosec // Limits.Cells bounds it
	}
	out := make([]Element, len(cells))
	for v, in := range cells {
		out[v] = d.element(1<<dimension, in)
	}
	return out
}
