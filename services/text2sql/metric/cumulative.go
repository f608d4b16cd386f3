package metric

import (
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// accumulated is what a cumulative metric is over an intent: the metric it
// accumulates, over the days that end with the period, or, where the answer has
// steps of time, over a window at each of them.
func accumulated(m *semantic.Metric, in *intent.Intent) (intent.Output, error) {
	of := plain(m.Of)
	if in.Time == nil || in.Time.Grain == "" {
		return of, nil
	}
	if m.ToDate != "" && withinOne(in.Time, m.ToDate) {
		of.Agg, of.Window = intent.AggWindow, intent.Window{Agg: intent.AggSum, Unit: in.Time.Grain}
		return of, nil
	}
	if m.Window == nil || m.Window.Unit != in.Time.Grain {
		return of, &Problem{Code: "COMPOSED", What: []string{m.ID}}
	}
	of.Agg, of.Window = intent.AggWindow, intent.Window{Agg: intent.AggSum, Unit: m.Window.Unit, N: m.Window.Count}
	return of, nil
}

// withinOne reports whether a time is one period of a unit, from its first day on:
// only then is what has come together in it a running total that never begins anew.
func withinOne(t *intent.Time, unit string) bool {
	if t.From == "" || t.To == "" || t.Compare != nil {
		return false
	}
	return stepOf(t.From, unit) == t.From && stepOf(earlier(t.To, "day", 1), unit) == t.From
}

// spans are the cumulative metrics among the values of an intent.
func spans(layer *semantic.Layer, in *intent.Intent) []*semantic.Metric {
	var out []*semantic.Metric
	for _, o := range measured(in) {
		if m, ok := layer.Metric(o.ID); ok && m.Kind() == semantic.Cumulative {
			out = append(out, m)
		}
	}
	return out
}

// Spanned is the time whose rows count for an intent: where a metric accumulates
// without steps of time, the days from where it begins to the end of the period.
func Spanned(layer *semantic.Layer, in *intent.Intent) (*intent.Time, error) {
	metrics := spans(layer, in)
	if len(metrics) == 0 || in.Time != nil && in.Time.Grain != "" {
		return in.Time, nil
	}
	first := metrics[0]
	switch {
	case len(measured(in)) > 1: // the others have days of their own
		return nil, &Problem{Code: "COMBINATION"}
	case in.Time == nil || in.Time.To == "" || in.Time.Compare != nil:
		return nil, &Problem{Code: "NO_PERIOD"}
	}
	t := *in.Time
	switch last := earlier(t.To, "day", 1); {
	case first.Window != nil:
		t.From = earlier(t.To, first.Window.Unit, first.Window.Count)
	case first.ToDate != "":
		t.From = stepOf(last, first.ToDate)
	default:
		t.From = ""
	}
	return &t, nil
}
