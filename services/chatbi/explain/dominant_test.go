package explain_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// fewHubs is a rate over four places in two weeks, with a steady history. The deliveries
// in time of each place are before and after of a thousand.
func fewHubs(after ...float64) explain.Input {
	in := explain.Input{Kind: explain.Ratio, Dimensions: []string{"hub"}, Seed: 1}
	last := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	in.After = explain.Period{From: last.AddDate(0, 0, -14), To: last}
	in.Before = explain.Period{From: last.AddDate(0, 0, -28), To: last.AddDate(0, 0, -14)}
	before := []float64{954, 967, 957, 948}
	for i, name := range []string{"a", "b", "c", "d"} {
		cell := explain.Cell{Keys: []string{name}}
		cell.Value, cell.Base = explain.Pair{Before: before[i], After: after[i]}, explain.Pair{Before: 1000, After: 1000}
		in.Cells = append(in.Cells, cell)
		in.Total.Value.Before, in.Total.Value.After = in.Total.Value.Before+before[i], in.Total.Value.After+after[i]
		in.Total.Base.Before, in.Total.Base.After = in.Total.Base.Before+1000, in.Total.Base.After+1000
	}
	rate := in.Total.Value.After / in.Total.Base.After
	for d := last.AddDate(0, 0, -150); d.Before(last); d = d.AddDate(0, 0, 1) {
		noise := 26 + 20*math.Sin(float64(d.YearDay())/9)
		day := explain.Day{Date: d, Value: 930 + noise, Base: 1000}
		if !d.Before(in.After.From) {
			day.Value = 1000*rate - 26 + noise
		}
		in.Daily = append(in.Daily, day)
	}
	return in
}

// TestOneOfFewPlaces: one of four places that has nearly all of an unusual change is its
// cause, though four cells cannot say what is chance; of a change that all share none is.
func TestOneOfFewPlaces(t *testing.T) {
	shorttest.Rules(t, "which of few places is named")
	t.Parallel()
	e, err := explain.Explain(t.Context(), fewHubs(2, 945, 966, 950), explain.Limits{})
	require.NoError(t, err)
	require.Equal(t, explain.OneCause, e.Outcome)
	require.Equal(t, []explain.Place{{Dimension: "hub", Value: "a"}}, e.Causes[0].Elements[0].Places)

	e, err = explain.Explain(t.Context(), fewHubs(804, 817, 807, 798), explain.Limits{})
	require.NoError(t, err)
	require.Empty(t, e.Causes)
	require.Equal(t, explain.EvenlySpread, e.Outcome)

	e, err = explain.Explain(t.Context(), fewHubs(804, 817, 807, 815), explain.Limits{})
	require.NoError(t, err)
	require.Empty(t, e.Causes, "the change would be as unusual without what one of them moved less")

	usual := fewHubs(950, 967, 957, 948)
	e, err = explain.Explain(t.Context(), usual, explain.Limits{})
	require.NoError(t, err)
	require.Empty(t, e.Causes, "a change like those before")
}

// TestOneOfFewPlacesWithMore: a place that fails is the cause too where more of the whole went
// to it, so that a part of the change is of the mix.
func TestOneOfFewPlacesWithMore(t *testing.T) {
	t.Parallel()
	in := fewHubs(4, 945, 966, 950)
	in.Cells[0].Value.After, in.Cells[0].Base.After = 8, 2000
	in.Total.Value.After, in.Total.Base.After = in.Total.Value.After+4, 5000
	e, err := explain.Explain(t.Context(), in, explain.Limits{})
	require.NoError(t, err)
	require.Equal(t, explain.OneCause, e.Outcome)
	require.Equal(t, []explain.Place{{Dimension: "hub", Value: "a"}}, e.Causes[0].Elements[0].Places)
}

// TestOneOfFewPlacesOfTwoKinds: the same over two dimensions, whose coarser groupings are
// asked before.
func TestOneOfFewPlacesOfTwoKinds(t *testing.T) {
	shorttest.Rules(t, "which of few places is named")
	t.Parallel()
	in := fewHubs(2, 945, 966, 950)
	in.Dimensions = []string{"hub", "size"}
	var cells []explain.Cell
	for _, c := range in.Cells {
		for _, size := range []string{"small", "large"} {
			half := explain.Cell{Keys: []string{c.Keys[0], size}}
			half.Value = explain.Pair{Before: c.Value.Before / 2, After: c.Value.After / 2}
			half.Base = explain.Pair{Before: c.Base.Before / 2, After: c.Base.After / 2}
			cells = append(cells, half)
		}
	}
	in.Cells = cells
	e, err := explain.Explain(t.Context(), in, explain.Limits{})
	require.NoError(t, err)
	require.Equal(t, explain.OneCause, e.Outcome)
	require.Equal(t, []explain.Place{{Dimension: "hub", Value: "a"}}, e.Causes[0].Elements[0].Places)
}
