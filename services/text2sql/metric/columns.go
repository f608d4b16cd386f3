package metric

import (
	"fmt"
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// adverbs name the units of a mean over time.
var adverbs = map[string]string{"": "daily", "day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly"}

// Column names the column of a metric in a result.
func Column(o intent.Output) string {
	id := Base(o.ID)
	switch o.Agg {
	case intent.AggShare:
		return id + "_share"
	case intent.AggAvg:
		if o.Per.Kind == intent.KindEntity {
			return "average_" + id + "_per_" + o.Per.ID
		}
		return "average_" + adverbs[o.Per.Grain] + "_" + id
	case intent.AggPrevious:
		return previousColumn(Column(underlying(o)))
	case intent.AggChange:
		return Column(underlying(o)) + "_change"
	case intent.AggChangeRate:
		return Column(underlying(o)) + "_change_rate"
	case intent.AggRatio:
		return id + "_per_" + Base(o.Per.ID)
	case intent.AggWindow:
		return windowColumn(id, o.Window)
	}
	return id
}

// segmentColumn names the segment of a row.
const segmentColumn = "segment"

func previousColumn(column string) string { return "previous_" + column }

func windowColumn(id string, w intent.Window) string {
	if w.N == 0 {
		return "cumulative_" + id
	}
	kind := "total"
	if w.Agg == intent.AggAvg {
		kind = "average"
	}
	return fmt.Sprintf("%s_%d_%s_%s", id, w.N, w.Unit, kind)
}

// plain is a metric as it is.
func plain(id string) intent.Output {
	return intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
}

// underlying is what a comparison compares, and of a ratio what is divided.
func underlying(o intent.Output) intent.Output {
	if o.Agg == intent.AggRatio {
		return plain(o.ID)
	}
	o.Agg, o.Base = o.Base, ""
	return o
}

// derived reports whether a value is computed from others of the same row.
func derived(o intent.Output) bool {
	switch o.Agg {
	case intent.AggPrevious, intent.AggChange, intent.AggChangeRate, intent.AggRatio:
		return true
	}
	return false
}

// measured lists what of an intent is a number: what it shows, and what it only
// compares or orders by.
func measured(in *intent.Intent) []intent.Output {
	out := slices.Clone(in.Select)
	add := func(o intent.Output) {
		if o.Kind == intent.KindMetric && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	for _, c := range in.Having {
		if c.Left != nil {
			add(*c.Left)
		}
	}
	for _, o := range in.OrderBy {
		add(o.By)
	}
	return out
}

// bases are the values that tables are asked for: what is computed from values
// of the same row is left to the query around.
func bases(layer *semantic.Layer, in *intent.Intent) ([]intent.Output, error) {
	var out []intent.Output
	for _, o := range measured(in) {
		more, err := inputs(layer, in, o, 0)
		if err != nil {
			return nil, err
		}
		for _, b := range more {
			if !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// maxDepth bounds metrics made of metrics; a layer that is loaded has no cycles.
const maxDepth = 8

func inputs(layer *semantic.Layer, in *intent.Intent, o intent.Output, depth int) ([]intent.Output, error) {
	if depth > maxDepth {
		return nil, &Problem{Code: "NO_TABLE", What: []string{o.ID}}
	}
	if derived(o) {
		out, err := inputs(layer, in, underlying(o), depth+1)
		if err != nil || o.Agg != intent.AggRatio {
			return out, err
		}
		by, err := inputs(layer, in, plain(o.Per.ID), depth+1)
		return append(out, by...), err
	}
	m, ok := layer.Metric(o.ID)
	if !ok || !m.Composed() {
		return []intent.Output{o}, nil
	}
	if o.Agg != intent.AggNone {
		return nil, &Problem{Code: "COMPOSED", What: []string{o.ID}}
	}
	if m.Kind() == semantic.Cumulative {
		of, err := accumulated(m, in)
		if err != nil {
			return nil, err
		}
		return inputs(layer, in, of, depth+1)
	}
	ids, err := m.Inputs()
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", m.ID, err)
	}
	var out []intent.Output
	for _, id := range ids {
		more, err := inputs(layer, in, plain(id), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}
