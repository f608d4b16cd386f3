package intent

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
