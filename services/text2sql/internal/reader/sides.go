package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// A difference of two sides: "how much heavier is a cat than a rabbit", 杭州的订单比南京多多少. A side is
// the rows with a stored value, or those of a time that no day of the rows tells. The figure
// is shown for either side, and by how much that of the first is more.

// sides are the conditions that tell the rows of two sides apart.
type sides struct{ first, second intent.Cond }

// setApart takes the two values of one column, or the two times, between which a difference is asked for.
func (b *composer) setApart() {
	d := b.d
	if !d.differs || len(d.bests) > 0 || d.share >= 0 || d.rival != nil {
		return
	}
	var first, second []intent.Cond
	if column := b.besides(); column != nil && len(d.times) < 2 {
		var two, rest []valued
		for _, v := range d.values {
			if v.column == column {
				two = append(two, v)
			} else {
				rest = append(rest, v)
			}
		}
		if len(two) != 2 {
			return
		}
		d.values = rest
		b.heldTwice(two[:1])
		first, second = b.conditionsOf(two[:1]), b.conditionsOf(two[1:])
	} else if len(d.times) == 2 && len(b.root.Days()) == 0 && (excludes(d.times[0], d.times[1]) || excludes(d.times[1], d.times[0])) {
		first, second = b.conditionsIn(0), b.conditionsIn(1)
		d.times, b.in.Time = nil, nil
	}
	if len(first) == 0 || len(second) == 0 {
		return
	}
	d.each, d.against, d.exceeds = false, false, false
	b.sides = &sides{allOf(first), allOf(second)}
	if d.less { // "how much cheaper is A than B": B costs so much more
		b.sides.first, b.sides.second = b.sides.second, b.sides.first
	}
}

// conditionsIn are the conditions that rows are of one of the times.
func (b *composer) conditionsIn(n int) []intent.Cond {
	outer := b.in.Filters
	b.in.Filters = nil
	b.within(b.d.times[n])
	conds := b.in.Filters
	b.in.Filters = outer
	return conds
}

// allOf is one condition that holds where all do.
func allOf(conds []intent.Cond) intent.Cond {
	if len(conds) == 1 {
		return conds[0]
	}
	return intent.Cond{Op: intent.And, Args: conds}
}

// composeDifference shows figures of both sides and their difference.
func (b *composer) composeDifference(measures []intent.Output, groups []intent.Field) {
	if len(measures) == 0 {
		if b.d.size != nil {
			measures = []intent.Output{b.sizeOf(intent.AggAvg)} // there are many on either side
			b.cost += costSum
		} else {
			measures = []intent.Output{b.inAll()}
		}
	}
	if b.failed != "" {
		return
	}
	if len(measures) != 1 || len(b.in.Having) > 0 || b.d.limit != "" || b.d.distinct || len(b.d.targets) > 0 {
		b.fail("a difference of more than one figure")
		return
	}
	m := measures[0]
	if !slices.Contains([]intent.Agg{intent.AggCount, intent.AggCountDistinct, intent.AggSum, intent.AggAvg, intent.AggMin, intent.AggMax}, m.Agg) || m.Calc != nil || m.When != nil || m.Per.ID != "" || m.Base != "" {
		b.fail("a difference of what is no figure")
		return
	}
	first, second := m, m
	first.When, second.When = &b.sides.first, &b.sides.second
	list := []intent.Output{first, second, {Calc: &intent.Calc{Op: intent.Minus, Left: first, Right: second}}}
	b.composeMeasures(list, groups)
}

// sizeOf is an aggregate of how heavy, long, old the rows are, where no column is named.
func (b *composer) sizeOf(agg intent.Agg) intent.Output {
	c := b.called(b.d.size.Attributes)
	if c == nil || !b.sums(agg, c) {
		b.fail("a size that nothing tells")
		return intent.Output{}
	}
	return out(agg, c)
}
