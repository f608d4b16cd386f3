package explain

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

// Explain splits a change. It fails with a fault (pkg/fault) where the input is beyond
// the limits (EXPLAIN_TOO_LARGE) or makes no sense: keys that do not fit the dimensions,
// the same cell twice, numbers that are not finite, days out of order (EXPLAIN_INVALID).
// It returns the context's error when that ends.
func Explain(ctx context.Context, in Input, limits Limits) (Explanation, error) {
	limits = limits.complete()
	if err := validate(&in, limits); err != nil {
		return Explanation{}, err
	}
	e := Explanation{Kind: in.Kind, Total: in.Total, Metric: in.Total.Value}
	if in.Kind == Ratio {
		e.Metric = quotients(in.Total)
	}
	if e.Metric.Before != 0 {
		relative := e.Metric.Change() / math.Abs(e.Metric.Before)
		e.Relative = &relative
	}
	e.Usual = usual(&in)

	var refusal *Refusal
	e.Factors, refusal = splitFactors(&in)
	e.refuse(refusal)
	if err := e.where(ctx, &in, limits); err != nil {
		return Explanation{}, err
	}
	e.Onset, refusal = onset(&in, limits)
	e.refuse(refusal)
	e.Events = eventsAt(&in, e.Onset)
	e.Outcome = e.outcome(&in)
	return e, nil
}

func (e *Explanation) refuse(r *Refusal) {
	if r != nil {
		e.Refusals = append(e.Refusals, *r)
	}
}

// where fills in what the cells tell.
func (e *Explanation) where(ctx context.Context, in *Input, limits Limits) error {
	if len(in.Cells) == 0 {
		return nil
	}
	if reason := addUp(in); reason != "" {
		e.refuse(&Refusal{Split: ByDimensions, Reason: reason})
		return nil
	}
	complement := in.Kind == Ratio && highParts(in)
	d := &drivers{Explanation: e, in: in, table: newTable(in.Kind, in.Dimensions, in.Cells, complement, 0), complement: complement}
	e.Growth = d.table.growth
	if err := d.look(ctx, limits); err != nil {
		return err
	}
	if in.Kind == Ratio {
		mix, refusal := splitMix(in, e.Causes, limits)
		e.Mix = mix
		e.refuse(refusal)
	}
	e.Unexplained = e.Metric.Change() - d.movement()
	for _, c := range e.Causes {
		e.Unexplained -= c.Excess
	}
	e.Telling = d.telling()
	return nil
}

// Tolerances of adding up.
const (
	// mayDiffer is by how much, relatively, cells may differ from the whole: two
	// statements of the same snapshot add doubles up in another order.
	mayDiffer = 1e-6
	// mayMiss is which part of the whole may be missing from cells that were cut off.
	mayMiss = 0.1
)

// addUp tells why cells are no parts of the whole; "" where they are.
func addUp(in *Input) Reason {
	if in.Kind == Opaque {
		return ReasonKind
	}
	var sum Amount
	for _, c := range in.Cells {
		sum = sum.plus(c.Amount)
	}
	missing := max(part(sum.Value, in.Total.Value), 0)
	if in.Kind == Ratio {
		missing = max(missing, part(sum.Base, in.Total.Base))
	}
	switch {
	case missing <= mayDiffer:
		return ""
	case in.Kind == Distinct && (sum.Value.Before > in.Total.Value.Before || sum.Value.After > in.Total.Value.After):
		return ReasonOverlap
	case !in.Truncated:
		return ReasonIncomplete
	case missing > mayMiss || in.Kind == Distinct:
		return ReasonTruncated
	}
	return ""
}

// part is how much of the whole is missing from a sum, the worse of both periods.
func part(sum, whole Pair) float64 {
	of := func(sum, whole float64) float64 {
		if sum == whole {
			return 0
		}
		return math.Abs(whole-sum) / max(math.Abs(whole), math.Abs(sum))
	}
	return max(of(sum.Before, whole.Before), of(sum.After, whole.After))
}

// highParts tells whether a ratio's numerators are parts of their denominators, and most
// of the whole.
func highParts(in *Input) bool {
	for _, c := range in.Cells {
		if c.Value.Before < 0 || c.Value.After < 0 || c.Value.Before > c.Base.Before || c.Value.After > c.Base.After {
			return false
		}
	}
	return mean(quotients(in.Total)) > 0.5
}

// eventsAt returns the events on the day of the onset or the days next to it; without
// an onset those that touch one of both periods and not the other.
func eventsAt(in *Input, o *Onset) []Event {
	touches := func(e Event, p Period) bool { return e.From.Before(p.To) && p.From.Before(e.To) }
	return slices.DeleteFunc(slices.Clone(in.Events), func(e Event) bool {
		if o != nil {
			return !touches(e, Period{o.Date.AddDate(0, 0, -1), o.Date.AddDate(0, 0, 2)})
		}
		return touches(e, in.Before) == touches(e, in.After)
	})
}

// drivers finds the causes of one change.
type drivers struct {
	*Explanation
	in         *Input
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
			ids, cells := coarser(d.in, dimensions)
			c := drivers{Explanation: &own, in: d.in, table: newTable(d.in.Kind, ids, cells, d.complement, d.table.bySize), complement: d.complement}
			own.Growth = c.table.growth
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
		stands := standing{found: f, Element: d.element(f.cuboid.dimensions, f.cells), score: s.agreement(f)}
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
		e.Amount = e.plus(d.table.amount[i])
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

// Outcomes' thresholds.
const (
	// mostOf is which part of all that stands out one cause must have to be the one.
	mostOf = 0.8
	// offset is how much of the greater direction the other must be to offset it.
	offset = 0.5
)

// isUsual tells whether the change is within what such changes usually are.
func (e *Explanation) isUsual() bool {
	return e.Usual != nil && e.Relative != nil && *e.Relative >= e.Usual.Low && *e.Relative <= e.Usual.High
}

func (e *Explanation) outcome(in *Input) Outcome {
	var up, down, first float64
	for i, c := range e.Causes {
		if i == 0 {
			first = math.Abs(c.Excess)
		}
		if c.Excess > 0 {
			up += c.Excess
		} else {
			down -= c.Excess
		}
	}
	split := len(e.Telling) > 0 || len(e.Factors) > 0 && in.Kind != Ratio
	switch {
	case min(up, down) > 0 && min(up, down) >= offset*max(up, down):
		return Offsetting
	case len(e.Causes) > 0 && first >= mostOf*(up+down):
		return OneCause
	case len(e.Causes) > 0:
		return SeveralCauses
	case e.Metric.Change() == 0:
		return NoChange
	case e.isUsual():
		return NothingUnusual
	case !split:
		return NotDecomposable
	}
	return EvenlySpread
}
