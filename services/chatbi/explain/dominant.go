package explain

import "math"

// fewToTell is how few cells tell chance badly by themselves: a cause is a good part of
// them, and makes the others look as if they varied as much.
const fewToTell = 24

// dominant returns the one value of one dimension that has nearly all of what is beyond
// the background as a cause. It is asked where the cells are too few to say that anything
// stands out, and where the history says so instead: the change is none of the usual ones, and is one of them without
// that value's part.
func (d *drivers) dominant() (Cause, bool) {
	if len(d.table.deviation) >= fewToTell || d.Usual == nil || d.Relative == nil || d.isUsual() {
		return Cause{}, false
	}
	var best Element
	most := mostOf
	for k := range d.in.Dimensions {
		values := d.valuesOf(k)
		all, top := 0.0, 0
		for i := range values {
			all += math.Abs(values[i].Excess)
			if math.Abs(values[i].Excess) > math.Abs(values[top].Excess) {
				top = i
			}
		}
		if len(values) < fewestCells || all == 0 {
			continue
		}
		if part := math.Abs(values[top].Excess) / all; part >= most {
			most, best = part, values[top]
		}
	}
	if len(best.Places) == 0 || !d.Usual.has((d.Metric.Change()-best.Excess)/math.Abs(d.Metric.Before)) {
		return Cause{}, false // without it the change would be as unusual
	}
	return Cause{
		Dimensions: []string{best.Places[0].Dimension}, Elements: []Element{best},
		Accounts: best.Accounts, Excess: best.Excess, Share: best.Share, Score: most,
	}, true
}
