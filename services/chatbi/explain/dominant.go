package explain

import "math"

// fewToTell is how few cells tell chance badly by themselves: a cause is a good part of
// them, and makes the others look as if they varied as much.
const fewToTell = 24

// dominant returns the one value of one dimension that has nearly all of what is beyond
// the background as a cause, and makes what the other cells did the background: among few
// cells a large one that stands out may have been it. It is asked where the cells are too few to
// say that anything stands out, and where the history says so instead: the change is none of the
// usual ones, and is one of them without that value's part.
func (d *drivers) dominant() (Cause, bool) {
	if len(d.table.deviation) >= fewToTell || d.Usual == nil || d.Relative == nil || d.isUsual() {
		return Cause{}, false
	}
	growth := d.table.growth
	var best Element
	most := mostOf
	for k := range d.in.Dimensions {
		if len(d.table.values[k]) < fewestCells {
			continue
		}
		for v := range d.table.values[k] {
			d.table.growth = d.table.growthWithout(k, v)
			values := d.valuesOf(k)
			all := 0.0
			for i := range values {
				all += math.Abs(values[i].Excess)
			}
			if part := math.Abs(values[v].Excess) / all; part >= most && d.Usual.has(d.changeWithout(values[v])) {
				most, best, growth = part, values[v], d.table.growth
			}
		}
	}
	d.table.growth = growth
	if len(best.Places) == 0 {
		return Cause{}, false // without any value the change would be as unusual
	}
	return Cause{
		Dimensions: []string{best.Places[0].Dimension}, Elements: []Element{best},
		Accounts: best.Accounts, Excess: best.Excess, Share: best.Share, Score: most,
	}, true
}

// growthWithout is the growth that most cells share which do not have a value.
func (t *table) growthWithout(dimension, value int) float64 {
	var before, after []float64
	for i, key := range t.keys[dimension] {
		if int(key) != value {
			before, after = append(before, t.before[i]), append(after, t.after[i])
		}
	}
	return background(before, after)
}

// changeWithout is the relative change that there would be without what is an element's: of a
// ratio that of all else, as the element's share of the whole changed too; NaN where
// there is nothing else.
func (d *drivers) changeWithout(e Element) float64 {
	if d.in.Kind != Ratio {
		return (d.Metric.Change() - e.Excess) / math.Abs(d.Metric.Before)
	}
	rest := quotients(d.in.Total.less(e.Amount))
	if rest.Before == 0 {
		return math.NaN()
	}
	return rest.Change() / math.Abs(rest.Before)
}
