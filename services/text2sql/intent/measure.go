package intent

import "slices"

// Aggregates of metrics that are computed from the metric's own value.
const (
	// AggPrevious is the metric in the period that Time.Compare names, AggChange
	// the difference from it and AggChangeRate that difference as a part of it: 0.1
	// is ten percent more.
	AggPrevious   Agg = "previous"
	AggChange     Agg = "change"
	AggChangeRate Agg = "change_rate"
	// AggRatio is the metric divided by the metric Output.Per.
	AggRatio Agg = "ratio"
	// AggWindow is the metric over Output.Window at each step of the time's grain.
	AggWindow Agg = "window"
)

// Compare names the period that the intent's time is compared with: so many
// units earlier, or a range of its own. Where the time has a grain each of its
// steps is compared with the one so many units earlier.
type Compare struct {
	Unit string `json:"unit,omitempty"` // day week month quarter year
	N    int    `json:"n,omitempty"`
	From string `json:"from,omitempty"` // day, inclusive
	To   string `json:"to,omitempty"`   // day, exclusive
}

// Window is what a value accumulates over: so many units up to each step, or all
// steps since the first one where N is 0.
type Window struct {
	Agg  Agg    `json:"agg,omitempty"` // AggSum or AggAvg
	Unit string `json:"unit,omitempty"`
	N    int    `json:"n,omitempty"`
}

// ComparesPeriods reports whether an intent over tables sets its figures beside those of
// another period: Time.By is the dimension that dates the rows, and each figure is of one
// of the two periods, or what lies between.
func (in *Intent) ComparesPeriods() bool {
	t := in.Time
	return t != nil && t.By != "" && t.Compare != nil && t.From != "" && t.To != "" && t.Compare.From != "" && t.Compare.To != "" &&
		slices.ContainsFunc(in.Select, func(o Output) bool { return o.Kind != KindMetric && o.OfComparison() })
}

// OfComparison reports whether an output is computed from the compared period.
func (o Output) OfComparison() bool {
	return o.Agg == AggPrevious || o.Agg == AggChange || o.Agg == AggChangeRate
}

// Compared is the figure that an output of a comparison is about: itself, where it is
// that of the own period.
func (o Output) Compared() Output {
	if o.OfComparison() {
		o.Agg, o.Base = o.Base, AggNone
	}
	return o
}

// Against are the outputs that set a figure beside that of the compared period: what it was
// then, the change, and that as a part of what it was. Of what is a part already only the
// change is told: a part of a part is taken for percentage points.
func (o Output) Against() []Output {
	as := func(agg Agg) Output {
		x := o
		x.Agg, x.Base = agg, o.Agg
		return x
	}
	if o.Agg == AggRate || o.Agg == AggShare {
		return []Output{as(AggPrevious), as(AggChange)}
	}
	return []Output{as(AggPrevious), as(AggChange), as(AggChangeRate)}
}
